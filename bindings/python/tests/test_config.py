"""Tests configurations of models: every configuration in tests/models/golden/configs.txt, as a dict, a file, an object and with
arrays; files with errors; and posenc.config, which shows all layers."""

import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import numpy
import posenc

GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "tests/models/golden/configs.txt"
PAIRINGS = {"halves": "half_split", "neighbours": "neighbours"}
LLAMA = {"model_type": "llama", "head_dim": 8, "hidden_size": 32, "num_attention_heads": 4}
UNKNOWN = {"model_type": "own", "head_dim": 8}
GEMMA = {"model_type": "gemma3_text", "head_dim": 16, "hidden_size": 64, "num_attention_heads": 4,
         "num_hidden_layers": 12, "sliding_window_pattern": 6}


def value_of(text):
    if text[0] == "[" and text[1].isalpha() and text[1:].split(",")[0].rstrip("]") not in ("true", "false"):
        return text[1:-1].split(",")
    return json.loads(text)


def published():
    """The golden configurations: pairs of a configuration, as in config.json, and lines with questions and answers about it."""
    for block in ("\n" + GOLDEN.read_text()).split("\n# ")[1:]:
        config, asked = {}, []
        for line in block.strip().split("\n")[1:]:
            if line[0] == ">":
                asked.append([part.strip() for part in line[1:].split("|")])
                continue
            key, value = line.split(" = ", 1)
            inner, gguf = config, "general.architecture" in block
            *outer, last = [key] if gguf else key.split(".")
            for name in outer:
                inner = inner.setdefault(name, {})
            inner[last] = value_of(value)
        yield config, asked


class Configuration:
    def __init__(self, config):
        self.config = config

    def to_dict(self):
        return self.config


def arguments(asked):
    words = dict(word.split("=") for word in asked.split())
    names = {"layer": "layer", "type": "layer_type", "model": "model_type", "pairing": "pairing"}
    values = {"layer": int, "pairing": PAIRINGS.get}
    return {names[name]: values.get(name, str)(text) for name, text in words.items()}


def essence(rotary):
    """The properties by which rotary embeddings differ. They are equal for two that were made with other, equivalent arguments."""
    words = rotary.head_dim, rotary.rotary_dim, rotary.axes, rotary.axis_order, rotary.pairing, rotary.output_pairing
    return (*words, rotary.amplitude, *rotary.frequencies)


class Published(unittest.TestCase):
    def test_rotaries(self):
        made = 0
        for config, lines in published():
            for asked, what, *results in lines:
                with self.subTest(config.get("model_type"), asked=asked):
                    if not results:
                        with self.assertRaises(ValueError):
                            posenc.Rotary.from_config(config, **arguments(asked))
                        continue
                    rotary = posenc.Rotary.from_config(config, **arguments(asked))
                    made += 1
                    settings = dict(word.split("=") for word in what.split())
                    self.assertEqual(rotary.head_dim, int(settings["head_dim"]))
                    self.assertEqual(rotary.pairing, settings.get("pairing", "half_split"))
                    self.assertEqual(rotary.axes, int(settings.get("axes", 1)))
                    frequencies = rotary.frequencies
                    count = int(settings.get("rotary_dim", settings["head_dim"])) // 2
                    self.assertEqual(len(frequencies), count)
                    for word in results[0].split():
                        name, number = word.split("=")
                        got = rotary.amplitude if name == "A" else frequencies[int(name[1:])]
                        self.assertEqual(got, float.fromhex(number), word)
                    again = pickle.loads(pickle.dumps(rotary))
                    self.assertEqual(repr(again), repr(rotary))
                    self.assertTrue((again.frequencies == frequencies).all())
        self.assertGreater(made, 100)

    def test_groups(self):
        """posenc.config shows what from_config makes. Layers without a rotary embedding are separate groups."""
        unread = 0
        for config, lines in published():
            for asked, what, *results in lines:
                with self.subTest(config.get("model_type"), asked=asked):
                    given = arguments(asked)
                    if results:
                        wanted = {essence(posenc.Rotary.from_config(config, **given))}
                    elif what == "no_rotary":
                        wanted = set()
                    else:  # refused, or layers differ
                        continue
                    try:
                        groups = posenc.config(config, **given).groups
                    except ValueError as error:  # layers with attention are the same, but the configuration does not say which layers these are
                        self.assertRegex(str(error) + asked, "layer_types (is missing|does not list$)")
                        unread += 1
                        continue
                    self.assertEqual({essence(group.rotary) for group in groups if group.rotary}, wanted)
        self.assertLessEqual(unread, 3)


@unittest.skipUnless("POSENC_COMMAND" in os.environ, "the command is not built")
class Command(unittest.TestCase):
    """The command `posenc config FILE` prints the same as posenc.config, and refuses the same files in the same words."""

    def compare(self, path):
        done = subprocess.run([os.environ["POSENC_COMMAND"], "config", path], capture_output=True, text=True)
        try:
            self.assertEqual((done.stdout, done.returncode), (f"{posenc.config(path)}\n", 0))
        except (ValueError, TypeError) as error:
            self.assertEqual(done.returncode, 2)
            its = done.stderr.removeprefix("posenc: ").removesuffix("\n")
            return str(error), its.removesuffix(" (--model-type, --pairing)").removesuffix(" (--model-type)")  # the command's message names the options

    def test_published(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            for config, _ in published():
                with self.subTest(config.get("model_type")):
                    path.write_text(json.dumps(config))
                    ours, its = self.compare(path) or ("", "")
                    self.assertEqual(ours, its)

    def test_files(self):
        llama = '"model_type": "llama", "head_dim": 8, "num_hidden_layers": 2'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            for members in (
                '"rope_theta": 7', '"rope_theta": NaN', '"rope_theta": -1e400', '"rope_theta": 1%s' % ("0" * 5000), '"x": NaN',
                '"rope_theta": null', '"rope_theta": [7, true]', '"rope_theta": [true, true]', '"rope_theta": [7, 7.5]',
                '"rope_theta": []', '"rope_theta": [null]', '"rope_theta": ["7"]', '"rope_theta": [[7]]',
                '"rope_theta": {"": 7}', '"": {"rope_theta": 7}', '"x": [{"rope_theta": 7}]', '"x": [[{"a": {"rope_theta": 7}}]]',
                '"rope_theta\\u0000": 7', '"rope_\\ud83d\\ude00": 7', '"rope_scaling": "linear"', '"rope_scaling": {"type": "a\\u0000b"}',
                '"rope_theta": 7, "rope_theta": 8',
                '"rope_scaling": {"type": "linear", "factor": 2}, "x": 1, "rope_scaling": null, "y": 1, "rope_scaling": {"type": "yarn", "type": "linear", "factor": 3}',
                '"rope_scaling": {"type": "linear", "factor": 2}, "rope_scaling": null', '"x.rope_theta": 7', '"layer_types": ["full_attention"]',
                '"x": %s%s' % ("[" * 63, "]" * 63), '"x": "\\ud800"', '"x": %s%s' % ("[" * 64, "]" * 64), '"x": 08', '"x": \t7 8', '"x": "\0"',
            ):
                with self.subTest(members[:60]):
                    path.write_text("{%s, %s}" % (llama, members))
                    ours, its = self.compare(path) or ("", "")
                    # Two parsers have different messages for errors of JSON. If several keys are given twice, Python's
                    # parser reports the innermost one first. It does not know the place in the file.
                    if " is given twice" in its:
                        self.assertIn(" is given twice: give it once", ours)
                    elif " JSON " not in its and " levels " not in its:
                        self.assertEqual(ours, its)
            for data in b"", b"[]", b"\xff\xfe{\0}\0", b"\xef\xbb\xbf{%s}" % llama.encode(), b"{%s} x" % llama.encode(), b"{%s}\0" % llama.encode():
                with self.subTest(data):
                    path.write_bytes(data)
                    self.compare(path)


class Ways(unittest.TestCase):
    def test_sources(self):
        config = {"model_type": "qwen2_vl_text", "head_dim": 8, "hidden_size": 32, "num_attention_heads": 4, "rope_theta": 100.0,
                  "rope_scaling": {"type": "mrope", "mrope_section": [2, 1, 1]}, "torch_dtype": numpy.dtype("float32"),
                  3: {4: 5}, "sliding_window": None}
        want = "posenc.Rotary.from_spec('head_dim=8 base=100 sections=2:1:1')"
        self.assertEqual(repr(posenc.Rotary.from_config(config)), want)
        self.assertEqual(repr(posenc.Rotary.from_config(Configuration(config))), want)
        arrays = {**config, "rope_scaling": {"type": "mrope", "mrope_section": numpy.array([2, 1, 1])}, "head_dim": numpy.int64(8)}
        self.assertEqual(repr(posenc.Rotary.from_config(arrays)), want)
        of_arrays = {**config, "rope_scaling": {"type": "mrope", "mrope_section": (numpy.int64(2), numpy.float32(1), 1)}}
        self.assertEqual(repr(posenc.Rotary.from_config(of_arrays)), want)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text(json.dumps({name: value for name, value in config.items() if name != "torch_dtype"}))
            self.assertEqual(repr(posenc.Rotary.from_config(path)), want)
            self.assertEqual(repr(posenc.Rotary.from_config(str(path))), want)
        self.assertRaises(FileNotFoundError, posenc.Rotary.from_config, "/nowhere/config.json")

    def test_lengths(self):
        config = {"model_type": "phi3", "head_dim": 4, "max_position_embeddings": 128, "hidden_size": 16,
                  "num_attention_heads": 4, "original_max_position_embeddings": 64,
                  "rope_scaling": {"type": "longrope", "short_factor": [1, 2], "long_factor": [4, 8]}}
        self.assertEqual(list(posenc.Rotary.from_config(config).frequencies), [1, 0.005])
        self.assertEqual(list(posenc.Rotary.from_config(config, length=65).frequencies), [0.25, 0.00125])

    def test_what_the_caller_states(self):
        """The caller states the pairing of a model that posenc does not know, and a base that its configuration lacks."""
        for config in UNKNOWN, {"head_dim": 8}, {"text_config": {"head_dim": 8}}:
            for pairing in "half_split", "neighbours":
                made = posenc.Rotary.from_config({**config, "rope_theta": 7.0} if config is UNKNOWN else config,
                                                 pairing=pairing, base=7.0)
                self.assertEqual((made.pairing, made.frequencies[1]), (pairing, posenc.Rotary(8, base=7.0).frequencies[1]))
            self.assertRaisesRegex(ValueError, "pairing", posenc.Rotary.from_config, config, base=7.0)
            self.assertRaisesRegex(ValueError, "rope_theta", posenc.Rotary.from_config, config, pairing="half_split")
        null = {**UNKNOWN, "rope_theta": None}
        self.assertEqual(posenc.Rotary.from_config(null, pairing="half_split", base=7.0).frequencies[1],
                         posenc.Rotary(8, base=7.0).frequencies[1])
        self.assertRaisesRegex(TypeError, "base", posenc.Rotary.from_config, UNKNOWN, pairing="half_split", base="7")
        self.assertRaisesRegex(ValueError, "pairing must be one of", posenc.Rotary.from_config, UNKNOWN, pairing="same")
        # For a model that posenc knows, pairing and base replace what the configuration says.
        self.assertEqual(repr(posenc.Rotary.from_config(LLAMA, base=7.0, pairing="neighbours")),
                         "posenc.Rotary.from_spec('head_dim=8 pairing=neighbours base=7')")

    def test_kinds(self):
        """Values of other kinds that look the same, such as True and 1."""
        def refused(kind, text, **members):
            self.assertRaisesRegex(kind, text, posenc.Rotary.from_config, {**LLAMA, **members})

        refused(ValueError, "head_dim is true", head_dim=True)
        refused(ValueError, r"rope_theta is \[true, true\]", rope_theta=[True, True])
        refused(ValueError, "rope_theta is of mixed kinds", rope_theta=[1e4, None])
        refused(ValueError, "rope_theta is of mixed kinds", rope_theta=[True, 1])
        refused(ValueError, "rope_theta is of mixed kinds", rope_theta=object())
        refused(ValueError, "rope_scaling is \"linear\"", rope_scaling="linear")
        refused(ValueError, "rope_theta is null", rope_theta=None)
        refused(ValueError, "rope_theta is infinity", rope_theta=10**400)
        refused(ValueError, "rope_theta is -infinity", rope_theta=-10**400)
        # A key with a null character, or an empty key, is not mistaken for another key.
        for key in "rope_theta\0x", "x.rope_theta", "rope_\ud800", "rope_scaling.factor":
            refused(ValueError, "rope_", **{key: 7})
        refused(ValueError, "rope_theta", **{"": {"rope_theta": 7}})
        refused(ValueError, r"x\[\]\.rope_theta", x=[[{"rope_theta": 7}]])
        self.assertEqual(repr(posenc.Rotary.from_config({**LLAMA, "rope_scaling": None, "x": None, "y\0": 1})),
                         "posenc.Rotary.from_spec('head_dim=8')")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "config.json"
        self.addCleanup(self.folder.cleanup)

    def read(self, data, **arguments):
        self.path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return repr(posenc.Rotary.from_config(self.path, **arguments))

    def test_right(self):
        inner = '"model_type": "llama", "head_dim": 8, "rope_theta": 100'
        want = "posenc.Rotary.from_spec('head_dim=8 base=100')"
        for text in (
            "{%s}" % inner, "\ufeff{%s}" % inner, "\n\t{ %s }\n" % inner,
            '{"x": NaN, "y": [Infinity, -Infinity], "z": 1e300, "w": 1%s, %s}' % ("0" * 300, inner),
            '{"x": %s%s, %s}' % ("[" * 63, "]" * 63, inner),
            '{"x": "\\ud83d\\ude00 \\\\ud800 \\u0000", %s}' % inner,
        ):
            self.assertEqual(self.read(text), want, text[:40])

    def test_wrong(self):
        for data, message in (
            ("", "1:1: not JSON"),
            ('{"z": 1e400}', " not JSON as posenc reads it: 1e400 is too big for a double"),
            ('{"w": -1%s}' % ("0" * 9999), " not JSON as posenc reads it: -1000000000000000000 is too big for a double"),
            ('{"head_dim": 8, "head_dim": 8}', " the key head_dim is given twice: give it once"),
            ('{"a": [{"b": 1, "b": 1}]}', " the key b is given twice: give it once"),
            ("{", "1:2: not JSON"),
            ('{"head_dim": 8,\n  }', "2:3: not JSON"),
            ('{"head_dim": 08}', "1:14: not JSON|1:15: not JSON"),
            ('{"head_dim": 8} {}', "1:17: not JSON"),
            ('{"head_dim": 8}\0', "1:16: not JSON"),
            ("\n []", "2:2: a configuration is an object"),
            ("null", "1:1: a configuration is an object"),
            (b'{"x":\n "\xff"}', "2:3: not JSON .* UTF-8"),
            ('{"head_dim": 8}'.encode("utf-16"), "1:1: not JSON .* UTF-8"),
            ('{"x": "\\udc00"}', " not JSON .* surrogate"),
            ('{"x": %s%s}' % ("[" * 64, "]" * 64), " more than 64 levels"),
            ('{"x":' * 65 + "1" + "}" * 65, " more than 64 levels"),
            ("[" * 100000, " more than 64 levels"),
            ('{"x":' * 100000, " more than 64 levels"),
        ):
            with self.subTest(data[:30]):
                self.assertRaisesRegex(ValueError, f"\\A{self.path}:({message})", self.read, data)

    def test_sentences(self):
        """Messages begin with the file, if a configuration is refused, and if the rotary embedding is impossible."""
        of = '{"model_type": "llama", "head_dim": %s}'
        self.assertRaisesRegex(ValueError, f"\\A{self.path}: head_dim is \"8\", but must be a number\\Z", self.read, of % '"8"')
        self.assertRaisesRegex(ValueError, f"\\A{self.path}: head_dim is 1, which makes", self.read, of % "1")
        self.assertRaisesRegex(ValueError, f"\\A{self.path}: base must be positive", self.read, of % "8", base=-1)
        self.assertRaisesRegex(ValueError, f"\\A{self.path}: .*own", self.read, json.dumps(UNKNOWN))
        self.assertRaisesRegex(TypeError, "\\Aunexpected keyword argument bsae\\Z", self.read, of % "8", bsae=1)


class Shown(unittest.TestCase):
    def test_groups(self):
        shown = posenc.config(GEMMA)
        self.assertEqual((shown.model_type, shown.source), ("gemma3_text", "transformers, models/gemma3"))
        self.assertEqual([group.layers for group in shown.groups], [[0, 1, 2, 3, 4, 6, 7, 8, 9, 10], [5, 11]])
        self.assertEqual([repr(group.rotary) for group in shown.groups],
                         ["posenc.Rotary.from_spec('head_dim=16')", "posenc.Rotary.from_spec('head_dim=16 base=1000000')"])
        for group in shown.groups:
            for layer in group.layers:
                self.assertEqual(repr(posenc.Rotary.from_config(GEMMA, layer=layer)), repr(group.rotary))
        self.assertEqual(str(shown), "\n".join((
            "model: gemma3_text (transformers, models/gemma3)",
            "layers 0-4, 6-10: head_dim 16, all elements rotate, pairing half_split (i and i + 8), by +p, base 10000, no scaling, amplitude 1",
            "  spec: head_dim=16 rotary_dim=16",
            "layers 5, 11: head_dim 16, all elements rotate, pairing half_split (i and i + 8), by +p, base 1000000, no scaling, amplitude 1",
            "  spec: head_dim=16 rotary_dim=16 base=1000000",
            "norm of q and k: " + shown.norm,
            "keys read: " + ", ".join(shown.read))))
        self.assertEqual(shown.norm, "RMSNorm before the rotation, over each head, times 1 + weight, epsilon unknown: the configuration "
                         "has no number rms_norm_eps")
        self.assertEqual(set(shown.read), set(GEMMA))

    def test_one_layer_or_type(self):
        groups = posenc.config(GEMMA, layer=5).groups
        self.assertEqual([(group.layers, repr(group.rotary)) for group in groups], [([5], "posenc.Rotary.from_spec('head_dim=16 base=1000000')")])
        groups = posenc.config(GEMMA, layer_type="sliding_attention").groups
        self.assertEqual([(group.layers, repr(group.rotary)) for group in groups], [(None, "posenc.Rotary.from_spec('head_dim=16')")])
        self.assertIsNone(posenc.config({**UNKNOWN, "rope_theta": 7}, pairing="half_split").groups[0].layers)
        self.assertEqual(posenc.config(UNKNOWN | {"rope_theta": 7}, pairing="neighbours").groups[0].rotary.pairing, "neighbours")
        self.assertEqual(posenc.config(UNKNOWN | {"rope_theta": 7}, pairing="neighbours").model_type, "")

    def test_layers_that_do_not_rotate(self):
        config = {"model_type": "smollm3", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 8,
                  "no_rope_layer_interval": 4}
        rotating, others = posenc.config(config).groups
        self.assertEqual((rotating.layers, others.layers), ([0, 1, 2, 4, 5, 6], [3, 7]))
        self.assertIsNone(others.rotary)
        self.assertRegex(others.text, "^no rotary embedding: ")
        self.assertEqual(posenc.config(config, layer=3).norm, "")

    def test_refusals(self):
        for arguments, kind, text in (
            (({},), ValueError, "model_type is missing"),
            (([],), TypeError, "config must be a dict"),
            ((UNKNOWN,), ValueError, '"own"'),
            (({**LLAMA, "head_dim": "8"},), ValueError, "head_dim is \"8\", but must be a number"),
            (({**LLAMA, "num_hidden_layers": 10**12},), ValueError, "1000000000000 layers"),
        ):
            self.assertRaisesRegex(kind, text, posenc.config, *arguments)
        self.assertRaisesRegex(ValueError, "layer", posenc.config, GEMMA, layer=12)
        self.assertRaisesRegex(ValueError, "layer must not be negative", posenc.config, GEMMA, layer=-1)
        self.assertRaisesRegex(ValueError, "pairing must be one of", posenc.config, GEMMA, pairing="halves")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text(json.dumps(UNKNOWN))
            self.assertRaisesRegex(ValueError, f"\\A{path}: ", posenc.config, path)


if __name__ == "__main__":
    unittest.main()
