"""Tests use_posenc.py: nodes are replaced by posenc's if their caches are what the configuration says; otherwise none is."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import onnx
import posenc
from models import helper, model, random, session

SCRIPT = Path(__file__).resolve().parents[1] / "use_posenc.py"
sys.path.append(str(SCRIPT.parent))
import use_posenc  # noqa: E402

TOKENS, HEADS, DIM = 9, 4, 16
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_attention_heads": 4,
    "rope_theta": 500000.0,
    "max_position_embeddings": 131072,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}
X, IDS = random("float32", 1, TOKENS, HEADS * DIM), numpy.array([[0, 3, 1, 511, 2, 2, 90, 7, 8]])


def exporters_cache(base=10000.0, pairs=DIM // 2, rows=512, dtype="float32"):
    """A cache as exporters make it, computed in float."""
    frequencies = (1.0 / base ** (numpy.arange(pairs, dtype="float32") / numpy.float32(pairs))).astype("float32")
    phases = numpy.arange(rows, dtype="float32")[:, None] * frequencies
    return numpy.cos(phases).astype(dtype), numpy.sin(phases).astype(dtype)


def tensors(cos, sin, suffix=""):
    return [onnx.numpy_helper.from_array(array, name + suffix) for name, array in (("cos", cos), ("sin", sin))]


def microsofts(cache, **attributes):
    node = helper.make_node(
        "RotaryEmbedding", ["x", "ids", "cos", "sin"], ["y"], name="rope", domain="com.microsoft", **attributes
    )
    made = model(
        [node],
        {"x": (1, [1, "tokens", HEADS * DIM]), "ids": (7, [1, "tokens"])},
        {"y": (1, [1, "tokens", HEADS * DIM])},
        tensors(*cache),
    )
    del made.opset_import[1]  # the opset of posenc
    return made


def opset_23(inputs, nodes=(), initializers=(), **attributes):
    node = helper.make_node("RotaryEmbedding", inputs, ["y"], **attributes)
    made = model(
        [*nodes, node], {"x": (1, X.shape), "ids": (7, IDS.shape)}, {"y": (1, [1, "tokens", HEADS * DIM])}, initializers
    )
    made.opset_import[0].version = 23
    return made


def rotary(**arguments):
    return [lambda head_dim, part: posenc.Rotary(head_dim, rotary_dim=part, **arguments)]


def result(made):
    made.opset_import[0].version = 20  # ONNX Runtime 1.21 does not know opset 23
    onnx.checker.check_model(made)
    return session(made).run(None, {"x": X, "ids": IDS})[0]


def right(**arguments):
    return posenc.Rotary(DIM, **arguments).rotate(X.reshape(1, TOKENS, HEADS, DIM), positions=IDS).reshape(X.shape)


class Rewrite(unittest.TestCase):
    def test_microsofts(self):
        for interleaved, arithmetic in ((0, "exact"), (1, "exact"), (0, "fast")):
            made = microsofts(exporters_cache(), num_heads=HEADS, interleaved=interleaved, scale=1.0)
            before = result(made)
            self.assertEqual(use_posenc.rewrite(made, rotary(), arithmetic), 1)
            self.assertEqual([made.graph.node[0].domain, list(made.graph.node[0].input)], ["posenc", ["x", "ids"]])
            self.assertEqual(len(made.graph.initializer), 0)
            own = result(made)
            pairing = "neighbours" if interleaved else "half_split"
            numpy.testing.assert_array_equal(own, right(pairing=pairing, arithmetic=arithmetic))
            numpy.testing.assert_allclose(own, before, rtol=0, atol=1e-3)

    def test_without_num_heads_the_caches_tell_the_size_of_a_head(self):
        made = microsofts(exporters_cache())
        use_posenc.rewrite(made, rotary())
        numpy.testing.assert_array_equal(result(made), right())

    def test_a_part_of_each_head(self):
        made = microsofts(exporters_cache(pairs=4), num_heads=HEADS, rotary_embedding_dim=8)
        use_posenc.rewrite(made, rotary(), head_dim=DIM)
        numpy.testing.assert_array_equal(result(made), right(rotary_dim=8))

    def test_opset_23(self):
        for inputs, nodes in (
            (["x", "cos", "sin", "ids"], ()),
            (
                ["x", "c", "s"],
                (helper.make_node("Gather", ["cos", "ids"], ["c"]), helper.make_node("Gather", ["sin", "ids"], ["s"])),
            ),
        ):
            made = opset_23(inputs, nodes, tensors(*exporters_cache()), num_heads=HEADS)
            self.assertEqual(use_posenc.rewrite(made, rotary()), 1)
            self.assertEqual([len(made.graph.node), len(made.graph.initializer)], [1, 0])
            numpy.testing.assert_array_equal(result(made), right())
        cos, sin = exporters_cache(rows=TOKENS)
        made = opset_23(["x", "cos", "sin"], (), tensors(cos[None], sin[None]), num_heads=HEADS)
        use_posenc.rewrite(made, rotary())
        numpy.testing.assert_array_equal(
            result(made), posenc.Rotary(DIM).rotate(X.reshape(TOKENS, HEADS, DIM)).reshape(X.shape)
        )

    def test_indices_of_int32(self):
        """The model may not say that indices are int32. The rewritten model converts them to int64 once, before the first use."""
        gathers = [helper.make_node("Gather", [of, "short"], [of[0]]) for of in ("cos", "sin")]
        for stated in False, True:
            cast = helper.make_node("Cast", ["ids"], ["short"], to=onnx.TensorProto.INT32)
            made = opset_23(["x", "c", "s"], [cast, *gathers], tensors(*exporters_cache()), num_heads=HEADS)
            again = onnx.NodeProto()
            again.CopyFrom(made.graph.node[-1])
            again.input[0], again.output[0], made.graph.node[-1].output[0] = "a", "y", "a"
            made.graph.node.append(again)
            if stated:
                made.graph.value_info.append(helper.make_tensor_value_info("short", onnx.TensorProto.INT32, None))
            self.assertEqual(use_posenc.rewrite(made, rotary()), 2)
            kinds = [node.op_type for node in made.graph.node]
            self.assertEqual(kinds, ["Cast", "Cast", "RotaryEmbedding", "RotaryEmbedding"])
            twice = posenc.Rotary(DIM).rotate(right().reshape(1, TOKENS, HEADS, DIM), positions=IDS).reshape(X.shape)
            numpy.testing.assert_array_equal(result(made), twice)
        made = opset_23(["x", "cos", "sin", "ids"], (), tensors(*exporters_cache()), num_heads=HEADS)
        use_posenc.rewrite(made, rotary())
        self.assertEqual([node.op_type for node in made.graph.node], ["RotaryEmbedding"])

    def test_each_node_takes_the_rotary_that_its_caches_fit(self):
        nodes = [
            helper.make_node(
                "RotaryEmbedding", [x, "ids", "cos" + of, "sin" + of], [y], domain="com.microsoft", num_heads=HEADS
            )
            for x, y, of in (("x", "a", "1"), ("a", "y", "2"))
        ]
        caches = tensors(*exporters_cache(), "1") + tensors(*exporters_cache(1e6, dtype="float32"), "2")
        made = model(nodes, {"x": (1, X.shape), "ids": (7, IDS.shape)}, {"y": (1, [1, "tokens", HEADS * DIM])}, caches)
        use_posenc.rewrite(made, rotary(base=1e6) + rotary())
        once = right().reshape(1, TOKENS, HEADS, DIM)
        numpy.testing.assert_array_equal(
            result(made), posenc.Rotary(DIM, base=1e6).rotate(once, positions=IDS).reshape(X.shape)
        )

    def test_caches_that_are_constants_and_read_by_others_too(self):
        cos, sin = exporters_cache()
        nodes = [helper.make_node("Constant", [], [tensor.name], value=tensor) for tensor in tensors(cos, sin)] + [
            helper.make_node(
                "RotaryEmbedding", ["x", "ids", "cos", "sin"], ["a"], domain="com.microsoft", num_heads=HEADS
            ),
            helper.make_node("ReduceMax", ["cos"], ["most"], keepdims=0),
            helper.make_node("Add", ["a", "most"], ["y"]),
        ]
        made = model(nodes, {"x": (1, X.shape), "ids": (7, IDS.shape)}, {"y": (1, [1, "tokens", HEADS * DIM])})
        self.assertEqual(use_posenc.rewrite(made, rotary()), 1)
        self.assertEqual(
            [node.op_type for node in made.graph.node], ["Constant", "RotaryEmbedding", "ReduceMax", "Add"]
        )
        numpy.testing.assert_array_equal(result(made), right() + 1)

    def test_nodes_within_nodes(self):
        inner = microsofts(exporters_cache(), num_heads=HEADS).graph
        inner.ClearField("input")
        inner.ClearField("initializer")
        inner.node[0].output[0] = "a"
        inner.node.append(helper.make_node("ReduceMax", ["cos"], ["most"], keepdims=0))
        inner.node.append(helper.make_node("Add", ["a", "most"], ["y"]))
        nodes = [helper.make_node("If", ["flag"], ["y"], then_branch=inner, else_branch=inner)]
        made = model(
            nodes,
            {"x": (1, X.shape), "ids": (7, IDS.shape)},
            {"y": (1, X.shape)},
            [onnx.numpy_helper.from_array(numpy.array(True), "flag"), *tensors(*exporters_cache())],
        )
        self.assertEqual(use_posenc.rewrite(made, rotary()), 2)
        self.assertEqual([tensor.name for tensor in made.graph.initializer], ["flag", "cos"])
        numpy.testing.assert_array_equal(result(made), right() + 1)

    def test_frequencies_of_a_checkpoint(self):
        frequencies = (1.0 / 10000.0 ** (numpy.arange(8) / 8)).astype("float32")
        for arguments in (
            dict(frequencies=frequencies, phase_rounding="f32_inv_freq"),
            dict(frequencies=frequencies * 1.0),
        ):
            made = microsofts(exporters_cache(), num_heads=HEADS)
            use_posenc.rewrite(made, rotary(**arguments))
            numpy.testing.assert_array_equal(result(made), right(**arguments))

    def test_a_node_that_sees_only_the_part_of_a_head_that_rotates(self):
        config = {"model_type": "gpt_neox", "hidden_size": 128, "num_attention_heads": 4, "rotary_pct": 0.5}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.json"
            path.write_text(json.dumps(config | {"rotary_emb_base": 10000, "max_position_embeddings": 512}))
            rotaries = use_posenc.rotaries_of_config(path)
        made = microsofts(exporters_cache())
        use_posenc.rewrite(made, rotaries)
        numpy.testing.assert_array_equal(result(made), right())

    def test_nothing_else_is_dropped(self):
        made = microsofts(exporters_cache(), num_heads=HEADS)
        made.graph.initializer.append(onnx.numpy_helper.from_array(numpy.zeros(3), "spare"))
        made.graph.input.append(helper.make_tensor_value_info("spare", onnx.TensorProto.DOUBLE, [3]))
        use_posenc.rewrite(made, rotary())
        self.assertEqual([value.name for value in made.graph.input], ["x", "ids", "spare"])

    def test_caches_within_nodes(self):
        inner = microsofts(exporters_cache(), num_heads=HEADS).graph
        inner.ClearField("input")
        flag = onnx.numpy_helper.from_array(numpy.array(True), "flag")
        made = model(
            [helper.make_node("If", ["flag"], ["y"], then_branch=inner, else_branch=inner)],
            {"x": (1, X.shape), "ids": (7, IDS.shape)},
            {"y": (1, X.shape)},
            [flag],
        )
        self.assertEqual(use_posenc.rewrite(made, rotary()), 2)
        self.assertEqual([len(branch.g.initializer) for branch in made.graph.node[0].attribute], [0, 0])
        numpy.testing.assert_array_equal(result(made), right())

    def test_float16_caches_and_16_bit_rounding(self):
        made = microsofts(exporters_cache(dtype="float16"), num_heads=HEADS)
        made.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
        self.assertEqual(use_posenc.rewrite(made, rotary()), 1)

    def test_refusals(self):
        far, near = exporters_cache(), exporters_cache()
        far[0][300, 5] += 0.001
        near[1][1, 7] += 2e-5
        swapped = exporters_cache()[::-1]
        computed = opset_23(["x", "c", "c", "ids"], [helper.make_node("Identity", ["x"], ["c"])], num_heads=HEADS)
        shifted, unequal = ([table[None, k : TOKENS + k] for table in exporters_cache()] for k in (1, 0))
        unequal = [table.repeat(2, 0) for table in unequal]
        unequal[1][1, 3, 3] = 0.5
        gathers = [
            [
                helper.make_node("Gather", ["cos", "ids"], ["c"], axis=axis),
                helper.make_node("Gather", ["sin", of], ["s"]),
            ]
            for axis, of in ((1, "ids"), (0, "x"))
        ]
        gathered = [opset_23(["x", "c", "s"], nodes, tensors(*exporters_cache()), num_heads=HEADS) for nodes in gathers]
        partial = microsofts(exporters_cache(pairs=4), num_heads=HEADS, rotary_embedding_dim=8)
        with_function = microsofts(exporters_cache(), num_heads=HEADS)
        opsets = [helper.make_opsetid("com.microsoft", 1)]
        with_function.functions.append(
            helper.make_function("own", "F", ["x", "ids", "cos", "sin"], ["y"], with_function.graph.node, opsets)
        )
        nan, no_float = exporters_cache(), [table.astype("int32") for table in exporters_cache()]
        nan[1][3, 3] = numpy.nan
        for sentence, made, of in (
            ("node 'rope': its caches [512, 8] differ by", microsofts(exporters_cache(20000.0)), rotary()),
            ("differ by", microsofts(exporters_cache()), rotary(base=10100.0)),
            ("differ by", microsofts(far), rotary()),
            ("differ by", microsofts(near), rotary()),
            ("differ by", microsofts(swapped), rotary()),
            ("differ by", microsofts(exporters_cache(dtype="float16")), rotary(base=11000.0)),
            ("differ between the sequences", opset_23(["x", "cos", "sin"], (), tensors(*unequal)), rotary()),
            ("computed by the model", gathered[0], rotary()),
            ("gathered by different indices", gathered[1], rotary()),
            ("use --head-dim", partial, rotary()),
            ("the function 'F' has a RotaryEmbedding", with_function, rotary()),
            ("finite numbers of float32 or float16, and are not", microsofts(nan), rotary()),
            ("finite numbers of float32 or float16, and are not", microsofts(no_float), rotary()),
            ("shapes [[512, 8], [511, 8]]", microsofts((far[0], far[1][:511])), rotary()),
            ("shapes [[8], [8]]", microsofts((far[0][0], far[1][0])), rotary()),
            ("have one axis", microsofts(exporters_cache()), rotary(axes=3, sections=[2, 3, 3])),
            (
                "have 8 pairs, and posenc.Rotary.from_spec('head_dim=16 rotary_dim=4') has 2",
                microsofts(exporters_cache()),
                [lambda head_dim, _: posenc.Rotary(head_dim, preset="gpt_neox")],
            ),
            ("computed by the model", computed, rotary()),
            ("differ by", opset_23(["x", "cos", "sin"], (), tensors(*shifted), num_heads=HEADS), rotary()),
        ):
            with (
                self.subTest(sentence),
                self.assertRaisesRegex(
                    ValueError, sentence.replace("[", r"\[").replace("(", r"\(").replace(")", r"\)")
                ),
            ):
                use_posenc.rewrite(made, of)
        for sentence, most, arguments in (("have 16 elements", 32, {}), ("first elements", 16, {"rotary_offset": 8})):
            made = posenc.Rotary(most, rotary_dim=8, **arguments)
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                use_posenc.rewrite(partial, [lambda *_, made=made: made], head_dim=DIM)


class Command(unittest.TestCase):
    def test_files_that_are_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            old, wrong = Path(folder) / "old.onnx", Path(folder) / "wrong.onnx"
            onnx.save(microsofts(exporters_cache()), old)
            wrong.write_bytes(b"\xff")
            for model_, out in ((wrong, "new.onnx"), (old, "none/new.onnx"), (Path(folder) / "none", "new.onnx")):
                done = self.call(model_, Path(folder) / out, "--base", "10000")
                self.assertRegex(done.stderr, r"\Ause_posenc\.py: .*\n\Z")
            self.assertEqual(sorted(path.name for path in Path(folder).iterdir()), ["old.onnx", "wrong.onnx"])

    def call(self, *arguments):
        return subprocess.run(
            [sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, env=os.environ
        )

    def test_nodes_that_rotate_within(self):
        """Nodes that rotate as a part of something else are listed, whether or not there are nodes that can be replaced."""
        inputs = ["x", "x", "x", "", "", "lens", "total", "cos", "sin"]
        attention, still = (
            helper.make_node("GroupQueryAttention", inputs, [of, of + "k", of + "v"], name=of, domain="com.microsoft", num_heads=HEADS, kv_num_heads=HEADS, do_rotary=turns)
            for of, turns in (("gqa", 1), ("plain", 0))
        )
        with tempfile.TemporaryDirectory() as folder:
            old, new = (Path(folder) / name for name in ("old.onnx", "new.onnx"))
            made = microsofts(exporters_cache(), num_heads=HEADS)
            made.graph.node.extend([attention, still])
            onnx.save(made, old)
            done = self.call(old, new, "--base", "10000")
            self.assertEqual(done.stdout, "1 nodes are posenc's\nnode 'gqa' (GroupQueryAttention) rotates by its own caches, as before\n", done.stderr)
            self.assertEqual([tensor.name for tensor in onnx.load(new).graph.initializer], ["cos", "sin"])
            del made.graph.node[0]
            onnx.save(made, old)
            done = self.call(old, new, "--base", "10000")
            self.assertRegex(done.stderr, "no RotaryEmbedding of com.microsoft or ai.onnx; node 'gqa' .GroupQueryAttention. rotates by its own caches\n$")

    def test_config(self):
        with tempfile.TemporaryDirectory() as folder:
            old, new, config = (Path(folder) / name for name in ("old.onnx", "new.onnx", "config.json"))
            config.write_text(json.dumps(LLAMA))
            onnx.save(microsofts(posenc.Rotary.from_config(LLAMA).cache(512), num_heads=HEADS), old)
            done = self.call(old, new, "--config", config)
            self.assertEqual((done.returncode, done.stdout), (0, "1 nodes are posenc's\n"), done.stderr)
            numpy.testing.assert_array_equal(result(onnx.load(new)), right(preset="llama3"))
            new.unlink()
            done = self.call(old, new, "--base", "500000")
            self.assertEqual((done.returncode, done.stdout, new.exists()), (1, "", False))
            self.assertIn("use_posenc.py: node 'rope': its caches [512, 8] differ by", done.stderr)
            done = self.call(old, new, "--preset", "llama3", "--set", "factor=8", "--arithmetic", "fast")
            self.assertEqual(done.returncode, 0, done.stderr)
            numpy.testing.assert_array_equal(result(onnx.load(new)), right(preset="llama3", arithmetic="fast"))

    def test_layers_that_differ(self):
        config = {
            "model_type": "gemma3_text",
            "head_dim": 16,
            "hidden_size": 64,
            "num_attention_heads": 4,
            "num_hidden_layers": 12,
            "rope_theta": 1e6,
            "rope_local_base_freq": 10000.0,
            "sliding_window": 512,
            "sliding_window_pattern": 6,
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.json"
            path.write_text(json.dumps(config))
            self.assertEqual(
                sorted(rotary(16, 0).frequencies[1] for rotary in use_posenc.rotaries_of_config(path)),
                sorted(10.0 ** (-k / 8) for k in (4, 6)),
            )

    def test_models_that_are_unknown_or_do_not_rotate(self):
        config = {"model_type": "own", "head_dim": DIM, "rope_theta": 10000.0}
        with tempfile.TemporaryDirectory() as folder:
            old, new, path = (Path(folder) / name for name in ("old.onnx", "new.onnx", "config.json"))
            onnx.save(microsofts(exporters_cache(), num_heads=HEADS), old)
            for members, sentence in ((config, '"own"'), ({"model_type": "gpt2"}, "has no rotary embedding")):
                path.write_text(json.dumps(members))
                done = self.call(old, new, "--config", path)
                self.assertEqual((done.returncode, new.exists()), (1, False))
                self.assertRegex(done.stderr, f"\\Ause_posenc\\.py: {path}: .*{sentence}")
            path.write_text(json.dumps(config))
            for pairing in "half_split", "neighbours":  # nodes also have the pairing as an attribute
                done = self.call(old, new, "--config", path, "--pairing", pairing)
                self.assertEqual(done.returncode, 0, done.stderr)
                numpy.testing.assert_array_equal(result(onnx.load(new)), right())


if __name__ == "__main__":
    unittest.main()
