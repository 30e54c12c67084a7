"""Rotary.from_config: every configuration of tests/golden/configs.txt, as a dict, a file, an object and arrays."""

import json
import pathlib
import pickle
import tempfile
import unittest

import numpy
import posenc

GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "tests/golden/configs.txt"


def value_of(text):
    if text[0] == "[" and text[1:2].isalpha():
        return text[1:-1].split(",")
    return json.loads(text)


def published():
    """Pairs of a configuration, as config.json has it, and its lines of what is asked and comes of it."""
    for block in ("\n" + GOLDEN.read_text()).split("\n# ")[1:]:
        config, asked = {}, []
        for line in block.strip().split("\n")[1:]:
            if line[0] == ">":
                asked.append(line[1:].split("|"))
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


class Config(unittest.TestCase):
    def arguments(self, asked):
        words = dict(word.split("=") for word in asked.split())
        names = {"layer": "layer", "type": "layer_type", "model": "model_type"}
        return {names[name]: int(text) if name == "layer" else text for name, text in words.items() if text != "-2"}

    def test_published(self):
        made = 0
        for config, lines in published():
            for asked, what, *results in lines:
                if "layer=-2" in asked:
                    continue
                with self.subTest(config.get("model_type"), asked=asked):
                    arguments = self.arguments(asked)
                    if not results:
                        with self.assertRaises((ValueError, TypeError)):
                            posenc.Rotary.from_config(config, **arguments)
                        continue
                    rotary = posenc.Rotary.from_config(config, **arguments)
                    made += 1
                    settings = dict(word.split("=") for word in what.split())
                    self.assertEqual(rotary.head_dim, int(settings["head_dim"]))
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

    def test_ways(self):
        config = {"head_dim": 8, "rope_theta": 100.0, "rope_scaling": None,
                  "mrope_section": [2, 2], "torch_dtype": numpy.dtype("float32"), 3: {4: 5}}
        want = "posenc.Rotary(8, base=100.0, axes=2, sections=[2, 2])"
        self.assertEqual(repr(posenc.Rotary.from_config(config)), want)
        self.assertEqual(repr(posenc.Rotary.from_config(Configuration(config))), want)
        arrays = {**config, "mrope_section": numpy.array([2, 2]), "head_dim": numpy.int64(8)}
        self.assertEqual(repr(posenc.Rotary.from_config(arrays)), want)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text('{"head_dim": 8, "rope_theta": 1e2, "rope_scaling": null, "mrope_section": [2, 2]}')
            self.assertEqual(repr(posenc.Rotary.from_config(path)), want)
            self.assertEqual(repr(posenc.Rotary.from_config(str(path))), want)
            path.write_text("[]")
            with self.assertRaisesRegex(ValueError, "config.*JSON object"):
                posenc.Rotary.from_config(path)
        self.assertRaises(FileNotFoundError, posenc.Rotary.from_config, "/nowhere/config.json")
        self.assertEqual(repr(posenc.Rotary.from_config({"head_dim": 8}, base=7.0, pairing="neighbours")),
                         "posenc.Rotary(8, base=7.0, pairing='neighbours')")

    def test_lengths(self):
        config = {"head_dim": 4, "max_position_embeddings": 128, "rope_scaling": {
            "type": "longrope", "short_factor": [1, 2], "long_factor": [4, 8], "original_max_position_embeddings": 64}}
        self.assertEqual(list(posenc.Rotary.from_config(config).frequencies), [1, 0.005])
        self.assertEqual(list(posenc.Rotary.from_config(config, length=65).frequencies), [0.25, 0.00125])


if __name__ == "__main__":
    unittest.main()
