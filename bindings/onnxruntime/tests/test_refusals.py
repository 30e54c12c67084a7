"""Errors in a model or a call become errors of ONNX Runtime, with a sentence that names what is wrong."""

import unittest

import numpy
from models import random, run

X = random("float32", 2, 5, 4 * 16)
ROTARY = dict(num_heads=4, spec="preset=llama3")
IDS, TABLE = numpy.array([[1, 2, 3]]), random("float32", 7, 16)


class Refusals(unittest.TestCase):
    def refuse(self, sentence, name, inputs, dtype="float32", shapes=None, **attributes):
        with self.subTest(sentence, name=name, **attributes), self.assertRaises(Exception) as raised:
            run(name, inputs, dtype, shapes=shapes, **attributes)
        self.assertIn(sentence, str(raised.exception))

    def test_attributes(self):
        for sentence, attributes in (
            ("node 'here' (posenc.RotaryEmbedding): the attribute spec is missing", dict(num_heads=4)),
            ("the attribute spec must be a string", dict(num_heads=4, spec=3)),
            ("the attribute num_heads must be an integer", dict(num_heads=4.0, spec="")),
            ("the attribute num_heads must be an integer", dict(num_heads=[4], spec="")),
            ("the attribute interleaved must be an integer", dict(num_heads=4, interleaved="1", spec="")),
            ("the attribute scale must be a float", dict(num_heads=4, scale=2, spec="")),
            ("num_heads must not be negative", dict(num_heads=-4, spec="")),
            ("rotary_embedding_dim must not be negative", dict(num_heads=4, rotary_embedding_dim=-4, spec="")),
            ("rotary_dim", dict(num_heads=4, rotary_embedding_dim=18, spec="")),
            ("interleaved must be 0 or 1", dict(num_heads=4, interleaved=2, spec="")),
            ("scale must be 2^-64 .. 2^64", dict(num_heads=4, scale=0.0, spec="")),
            *(
                ("scale must be 2^-64 .. 2^64", dict(num_heads=4, scale=scale, spec=""))
                for scale in (float("nan"), float("inf"), -1.0, 1e-45)
            ),
            ("num_heads 5 does not divide the 64 columns", dict(num_heads=5, spec="")),
            ("do not tell head_dim: spec must say head_dim=", dict(spec="")),
            ("head_dim=8, but the tensors have 16", dict(num_heads=4, spec="head_dim=8")),
            ("the attribute norm_epsilon must be a float", dict(num_heads=4, spec="", norm_epsilon=1)),
            ("the attribute norm_epsilon must be a float, or a string with a number, not '1e-6x'", dict(num_heads=4, spec="", norm_epsilon="1e-6x")),
            ("the attribute norm_epsilon must be a float, or a string with a number, not ''", dict(num_heads=4, spec="", norm_epsilon="")),
            *(("norm_epsilon: epsilon of a norm must be 0, or 2^-126 .. 1", dict(num_heads=4, spec="", norm_epsilon=its)) for its in ("1.5", "-0.1", "1e-40", "nan", 2.0)),
            ("norm_plus_one must be 0 or 1", dict(num_heads=4, spec="", norm_epsilon="1e-6", norm_plus_one=2)),
            ("norm_over_heads must be 0 or 1", dict(num_heads=4, spec="", norm_epsilon="1e-6", norm_over_heads=-1)),
            ("norm_plus_one needs norm_epsilon", dict(num_heads=4, spec="", norm_plus_one=1)),
            ("norm_over_heads needs norm_epsilon", dict(num_heads=4, spec="", norm_over_heads=0)),
            ("the attribute norm_plus_one must be an integer", dict(num_heads=4, spec="", norm_epsilon="1e-6", norm_plus_one="1")),
            ("norm_plus_one needs the input norm_weight", dict(num_heads=4, spec="", norm_epsilon="1e-6", norm_plus_one=1)),
        ):
            self.refuse(sentence, "RotaryEmbedding", [X], **attributes)

    def test_specs(self):
        for sentence, spec in (
            ("spec: llama3: a word must be NAME=VALUE", "llama3"),
            ("spec: =llama3: a word must be NAME=VALUE", "=llama3"),
            ('spec: preset=llama33: no rotary preset is called "llama33"; did you mean "llama3"?', "preset=llama33"),
            ("base is given twice", "base=2 base=3"),
            ("spec: theta=3: the name must be a member of the spec: head_dim, rotary_dim, ", "theta=3"),
            ("factor_count=3: the name must be", "factor_count=3"),
            ("factors_f32_f32=3: the name must be", "factors_f32_f32=3"),
            ("base_f32=3: the name must be", "base_f32=3"),
            ("axis_specs=3: the name must be", "axis_specs=3"),
            ("base=1e: the value must be a number", "base=1e"),
            ("base=: the value must be a number", "base="),
            ("rotary_dim=-2: the value must be a whole number", "rotary_dim=-2"),
            ("truncate=2: the value must be 0 or 1", "truncate=2"),
            ("one of exact, fast", "arithmetic=quick"),
            ("a list of numbers that a double can hold, with colons between them, such as 1:0.5:0.25; item 2, '', is not", "factors=1::2"),
            ("with colons between them", "frequencies=1:2:3:4:5:6:7:8:"),
            ("with colons between them", "frequencies="),
            ("with colons between them", "factors=1,1,1,1,1,1,1,1"),
            ("at most 4 whole numbers", "axes=4 sections=1:2:3:4:5"),
            (
                "the value must be a list of 8 numbers, as long as factors",
                "scaling=longrope factors=1:1:1:1:1:1:1:1 long_factors=1:2:3:4:5:6:7:8:9",
            ),
            ("target must be NULL or a name from posenc_targets", "target=ABACUS"),
            ("base must be positive and finite", "base=nan"),
            ("original_length must be positive and finite with this scaling", "scaling=yarn factor=4"),
        ):
            self.refuse(sentence, "RotaryEmbedding", [X], num_heads=4, spec=spec)
        self.refuse("do not tell dim: spec must say dim=", "SinusoidalEncoding", [IDS], spec="")
        self.refuse("dim must be 1 .. 16777216", "SinusoidalEncoding", [IDS], spec="dim=0")
        self.refuse("dim=8, but the tensors have 64", "AddPositions", [X], spec="dim=8")

    def test_shapes(self):
        unknown = {0: None, 1: None, 2: None}
        for sentence, x, attributes in (
            ("[2, 64], not [batch, tokens, hidden]", X.reshape(10, 64)[:2], dict(spec="head_dim=16")),
            ("not a multiple of head_dim 48", X, dict(spec="head_dim=48")),
            ("[2, 5, 64] of 4 heads, and num_heads is 3", X, dict(spec="head_dim=16", num_heads=3)),
            ("head_dim is 16", X.reshape(2, 5, 2, 32), dict(spec="head_dim=16")),
            (
                "[2, 4, 5, 16] of 4 heads, and num_heads is 3",
                X.reshape(2, 4, 5, 16),
                dict(spec="head_dim=16", num_heads=3),
            ),
        ):
            self.refuse(sentence, "RotaryEmbedding", [x], shapes=unknown, **attributes)
        for shape in ((2,), (5,), (5, 2), (1, 5), (2, 5, 1), (0,), (10,), (1, 1)):
            positions = numpy.zeros(shape, "int64")
            self.refuse(
                "the shape of position_ids is [" + ", ".join(map(str, shape)) + "], not [1] or [2, 5]",
                "RotaryEmbedding",
                [X, positions],
                **ROTARY,
            )
        self.refuse(
            "not [1] or [3, 2, 5]",
            "RotaryEmbedding",
            [X, numpy.zeros((2, 5), "int64")],
            num_heads=4,
            spec="axes=3 sections=2:3:3",
        )
        for caches in ([None, X[..., :8], X[..., :8]], [X[..., :8], X[..., :8], None]):
            self.refuse("a cache's shape is [2, 5, 8], and posenc does not read caches", "RotaryEmbedding", [X, *caches], **ROTARY)
        positions = numpy.zeros((2, 5), "int64")
        ids, cache, other = positions.astype("float32"), random("float32", 9, 8), random("float32", 9, 7)
        for inputs in ([ids], [ids, None], [None, cache], [positions, cache], [cache, None, positions], [None, cache, None]):
            self.refuse("one input of floats beside x", "RotaryEmbedding", [X, *inputs], **ROTARY)
        for inputs in (
            [ids, ids],
            [cache, cache[:8]],
            [cache, other],
            [other, other],
            [positions, other, other],
            [positions, cache[None], cache[None]],
            [positions, cache[0], cache[0]],
            [cache, X[..., :8], positions],
        ):
            self.refuse(", not both [rows, 8]", "RotaryEmbedding", [X, *inputs], **ROTARY)
        self.refuse("RotaryEmbedding", "RotaryEmbedding", [X, ids, cache, cache], **ROTARY)  # refused when the model is loaded
        for shape in ((), (5,), (2, 5)):
            self.refuse("not [3, ...]", "RotaryCosSin", [numpy.zeros(shape, "int64")], spec="head_dim=16 axes=3 sections=2:3:3")
        self.refuse("positions[1]: each position must be a number in -2^31 .. 2^31", "RotaryCosSin", [numpy.array([0, 2**32])], spec="head_dim=16")
        self.refuse("do not tell head_dim: spec must say head_dim=", "RotaryCosSin", [positions], spec="")
        self.refuse("the shape of x is [2, 5, 64], and dim is 32", "AddPositions", [X], shapes=unknown, spec="dim=32")
        self.refuse("the shape of x is []", "AddPositions", [numpy.array(1, "float32")], shapes=unknown, spec="dim=32")
        self.refuse(
            "the shape of positions is [2], not [2, 5], [5]", "AddPositions", [X, numpy.zeros(2, "int64")], spec=""
        )
        self.refuse("the shape of positions is [1, 1]", "AddPositions", [X, numpy.zeros((1, 1), "int64")], spec="")
        self.refuse(
            "the shape of positions is [1], not [2, 5], [5]", "AddPositions", [X, numpy.zeros(1, "float32")], spec=""
        )
        self.refuse(
            "the shape of table is [7, 1, 16], not", "EmbedTokens", [IDS, TABLE[:, None]], shapes=unknown, spec="dim=16"
        )
        self.refuse(
            "the shape of table is [], and",
            "EmbedTokens",
            [IDS, numpy.array(1, "float32")],
            shapes=unknown,
            spec="dim=16",
        )

    def test_norms(self):
        weight, none = random("float32", 16), [None] * 4
        self.refuse("norm_weight needs the attribute norm_epsilon", "RotaryEmbedding", [X, *none, weight], **ROTARY)
        for given, kind, right in (
            (weight[:8], 0, "[8], not [16]"),
            (random("float32", 4, 16), 0, "[4, 16], not [16]"),
            (weight, 1, "[16], not [4, 16] or [64] with norm_over_heads"),
            (random("float32", 16, 4), 1, "[16, 4], not [4, 16] or [64] with norm_over_heads"),
        ):
            self.refuse("the shape of norm_weight is " + right, "RotaryEmbedding", [X, *none, given], norm_epsilon="1e-6", norm_over_heads=kind, **ROTARY)
        self.refuse("RotaryEmbedding", "RotaryEmbedding", [X, *none, weight.astype("float64")], norm_epsilon="1e-6", **ROTARY)

    def test_types(self):
        for inputs in (
            [X.astype("float64")],
            [X, IDS.astype("int32")],
            [X, X.astype("float16"), X.astype("float16")],
            [IDS],
        ):
            self.refuse("RotaryEmbedding", "RotaryEmbedding", inputs, **ROTARY)
        half = X.astype("float16")
        for x, like in (half, X[0, 0]), (X, X[0, 0].astype("float64")), (X, IDS):  # only float becomes another type
            self.refuse("RotaryEmbedding", "RotaryEmbedding", [x, None, None, None, like], **ROTARY)
        self.refuse("AddPositions", "AddPositions", [X, X.astype("float16")], spec="")
        self.refuse("EmbedTokens", "EmbedTokens", [TABLE, TABLE], spec="")
        self.refuse("EmbedTokens", "EmbedTokens", [IDS], spec="dim=16")
        self.refuse("SinusoidalEncoding", "SinusoidalEncoding", [IDS.astype("uint8")], spec="dim=16")

    def test_positions_and_ids(self):
        far = numpy.zeros((2, 5), "int64")
        far[1, 3], far[1, 4] = 2**31 + 1, -(2**31) - 1
        self.refuse("position_ids[1, 3]: each position must be a number in -2^31 .. 2^31", "RotaryEmbedding", [X, far], **ROTARY)
        self.refuse("positions[1, 3]: each position must be a number in -2^31 .. 2^31", "AddPositions", [X, far], spec="")
        self.refuse("positions[1, 3]: each position must be a number in -2^31 .. 2^31", "SinusoidalEncoding", [far], spec="dim=8")
        several = numpy.stack([far * 0, far, far * 0])
        self.refuse(
            "position_ids[1, 1, 3]: each position must be a number",
            "RotaryEmbedding",
            [X, several],
            num_heads=4,
            spec="axes=3 sections=2:3:3",
        )
        for first in (2**63 - 1, 2**31 - 3, -(2**63)):
            self.refuse(
                f"position {first} on: the positions from first_position on must be -2^31 .. 2^31", "RotaryEmbedding", [X, numpy.array([first])], **ROTARY
            )
            self.refuse(
                f"position {first} on: the positions from first_position on must be -2^31 .. 2^31", "AddPositions", [X, numpy.array([first])], spec=""
            )
        for bad in (float("nan"), float("inf"), 1e30):
            positions = numpy.array([1, 2, bad, 4, bad])
            self.refuse("positions[2]: each position must be a number in -2^31 .. 2^31", "AddPositions", [X, positions], spec="")
            self.refuse(
                "positions[2]: each position must be a number in -2^31 .. 2^31", "SinusoidalEncoding", [positions.astype("float32")], spec="dim=8"
            )
        run_up = 2**31 - 3 + numpy.arange(5)  # consecutive positions, of which the last is out of range
        self.refuse("positions[4]: each position must be a number in -2^31 .. 2^31", "AddPositions", [X, run_up], spec="")
        for bad in (7, -1, 2**40, -(2**63)):
            self.refuse(
                "ids[0, 1]: each id must be 0 .. vocabulary - 1",
                "EmbedTokens",
                [numpy.array([[1, bad, 3], [bad, 1, 1]]), TABLE],
                spec="",
            )
        self.refuse("positions[1]: each position must be a number", "EmbedTokens", [IDS.repeat(2, 0), TABLE, far[1, 2:]], spec="")
        self.refuse("ids[1, 0]: each id must be", "EmbedTokens", [numpy.array([[1, 1, 1], [9, 1, 1]]), TABLE], spec="")

    def test_the_first_fault_is_named_whatever_the_threads(self):
        x, far = random("float32", 2, 999, 256), numpy.arange(1998).reshape(2, 999)
        far[0, 700], far[1, 3], far[1, 998] = 2**40, 2**40, 2**40
        for name, of, attributes in (
            ("RotaryEmbedding", "position_ids", dict(num_heads=4, spec="")),
            ("AddPositions", "positions", dict(spec="")),
        ):
            for _ in range(20):
                with self.assertRaisesRegex(Exception, of + r"\[0, 700\]"):
                    run(name, [x, far], "float32", 4, **attributes)


if __name__ == "__main__":
    unittest.main()
