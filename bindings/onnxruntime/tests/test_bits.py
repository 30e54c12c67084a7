"""The operators return the same bits as posenc's C functions, for each type and layout, and with any number of threads."""

import concurrent.futures
import ctypes
import itertools
import sys
import unittest
from pathlib import Path

import numpy
import posenc

sys.path.append(str(Path(__file__).resolve().parents[2] / "python/tests"))
from c_functions import BF16, F16, F32, I64, Heads, Library, List, Norm  # noqa: E402
from models import bits, helper, model, random, run, session  # noqa: E402
from c_functions import Lookup, Rows  # noqa: E402, I001

C = Library()
C_TYPES = {"float32": F32, "float16": F16, "bfloat16": BF16}
BATCH, TOKENS, HEADS, DIM = 2, 21, 3, 16


def to_c(dtype, array):
    """A copy for the C functions: bfloat16 becomes uint16."""
    array = numpy.array(array, order="C")
    return (array.view("uint32") >> 16).astype("uint16") if dtype == "bfloat16" else array


def from_c(dtype, array):
    return (array.astype("uint32") << 16).view("float32") if dtype == "bfloat16" else array


def rotated_to(dtype, preset, x, positions, heads, scale=1.0):
    """The same for x of float32 and a result of another type."""
    out = numpy.zeros(x.shape, "float16" if dtype == "float16" else "uint16")
    handle = C.rotary(preset, x.shape[2] // heads)
    for sequence, source, own in zip(out, numpy.ascontiguousarray(x), numpy.ascontiguousarray(positions)):
        strides = x.shape[2], x.shape[2] // heads
        tensor = Heads(C_TYPES[dtype], F32, sequence.ctypes.data, heads, *strides, source.ctypes.data, *strides, scale=scale)
        C("posenc_rotate_at", handle, List(I64, own), x.shape[1], tensor, 1, None)
    C.c.posenc_rotary_destroy(handle)
    return from_c(dtype, out)


def normed(weight, dtype, epsilon, plus_one=False, over_heads=False):
    """A posenc_norm, with its weights as an attribute that keeps them."""
    made = Norm(None, 0, epsilon, plus_one, over_heads)
    if weight is not None:
        made.own = to_c(dtype, weight)
        made.weight, made.weight_type = made.own.ctypes.data, C_TYPES[dtype]
    return made


def rotated(preset, dtype, x, positions, heads, scale=1.0, norm=None):
    """The result of posenc_rotate_at, for x [batch, tokens, heads * head_dim] and positions [batch, tokens]."""
    out = to_c(dtype, x)
    handle = C.rotary(preset, x.shape[2] // heads)
    for sequence, own in zip(out, numpy.ascontiguousarray(positions)):
        tensor = Heads(C_TYPES[dtype], 0, sequence.ctypes.data, heads, x.shape[2], x.shape[2] // heads, scale=scale)
        tensor.norm = None if norm is None else ctypes.addressof(norm)
        C("posenc_rotate_at", handle, List(I64, own), x.shape[1], tensor, 1, None)
    C.c.posenc_rotary_destroy(handle)
    return from_c(dtype, out)


def heads_first(x, heads=HEADS):
    batch, tokens, hidden = x.shape
    return numpy.ascontiguousarray(x.reshape(batch, tokens, heads, hidden // heads).swapaxes(1, 2))


class Test(unittest.TestCase):
    def assertBits(self, own, right):
        self.assertEqual(own.shape, right.shape)
        numpy.testing.assert_array_equal(bits(own), bits(right))


class Rotary(Test):
    POSITIONS = {
        "none": (None, numpy.arange(TOKENS)[None].repeat(BATCH, 0)),
        "first": (numpy.array([4090]), 4090 + numpy.arange(TOKENS)[None].repeat(BATCH, 0)),
        "each": ((each := numpy.random.default_rng(2).integers(-9, 131072, (BATCH, TOKENS))), each),
    }

    def test_each_type_layout_and_order_of_inputs(self):
        for dtype, (name, (given, positions)) in itertools.product(C_TYPES, self.POSITIONS.items()):
            x, cache = random(dtype, BATCH, TOKENS, HEADS * DIM), random(dtype, 7, DIM // 2)
            right = rotated("llama3", dtype, x, positions, HEADS)
            for layout, order in itertools.product(("3-D", "4-D"), ("com.microsoft", "ai.onnx", "bare")):
                own = x if layout == "3-D" else heads_first(x)
                inputs = {
                    "com.microsoft": [own, given, cache, cache],
                    "ai.onnx": [own, cache, cache, given],
                    "bare": [own, given],
                }
                with self.subTest(dtype=dtype, positions=name, layout=layout, order=order):
                    result = run("RotaryEmbedding", inputs[order], dtype, num_heads=HEADS, spec="preset=llama3")
                    self.assertBits(result, right if layout == "3-D" else heads_first(right))

    def test_the_type_of_like(self):
        """A fifth input sets the type of the output: float becomes float16 or bfloat16, with one rounding."""
        for dtype, (name, (given, positions)) in itertools.product(("float16", "bfloat16"), self.POSITIONS.items()):
            x, cache = random("float32", BATCH, TOKENS, HEADS * DIM), random("float32", 7, DIM // 2)
            like = random(dtype, 1)
            right = rotated_to(dtype, "llama3", x, positions, HEADS, 0.75)
            wrong = right != rotated("llama3", "float32", x, positions, HEADS, 0.75)
            self.assertTrue(wrong.any(), "the test has results of another type")
            for layout, order, threads in itertools.product(("3-D", "4-D"), ("com.microsoft", "ai.onnx", "bare"), (1, 3)):
                own = x if layout == "3-D" else heads_first(x)
                inputs = {
                    "com.microsoft": [own, given, cache, cache, like],
                    "ai.onnx": [own, cache, cache, given, like],
                    "bare": [own, given, None, None, like],
                }
                with self.subTest(dtype=dtype, positions=name, layout=layout, order=order):
                    result = run("RotaryEmbedding", inputs[order], dtype, threads, plain=(0, 1, 2, 3), num_heads=HEADS, spec="preset=llama3", scale=0.75)
                    self.assertBits(result, right if layout == "3-D" else heads_first(right))
        for dtype in C_TYPES:  # `like` has the type of x, which changes nothing
            x, like = random(dtype, BATCH, TOKENS, HEADS * DIM), random(dtype, 1)
            right = rotated("llama3", dtype, x, numpy.arange(TOKENS)[None].repeat(BATCH, 0), HEADS)
            self.assertBits(run("RotaryEmbedding", [x, None, None, None, like], dtype, num_heads=HEADS, spec="preset=llama3"), right)

    def test_the_type_of_like_beside_an_input_that_others_read(self):
        """An output of another type does not use the memory of x, also if nothing else needs x."""
        x, like = random("float32", 1, 40, 64), numpy.zeros(1, "float16")
        nodes = [helper.make_node("RotaryEmbedding", [i], [o], domain="posenc", spec="preset=llama3 head_dim=16") for i, o in zip("xa", "ab")]
        nodes.append(helper.make_node("RotaryEmbedding", ["b", "", "", "", "like"], ["y"], domain="posenc", spec="preset=llama3 head_dim=16"))
        made = model(nodes, {"x": (1, x.shape), "like": (10, (1,))}, {"y": (10, x.shape)})
        made.graph.value_info.extend(helper.make_tensor_value_info(name, 1, x.shape) for name in "ab")
        right, at = x, numpy.arange(40)[None]
        for _ in range(2):
            right = rotated("llama3", "float32", right, at, 4)
        self.assertBits(session(made).run(None, {"x": x, "like": like})[0], rotated_to("float16", "llama3", right, at, 4))

    def test_norm(self):
        """A sixth input has the weights of a norm, of any type, and attributes have its epsilon and kind."""
        for dtype, of, (plus_one, over_heads), threads in itertools.product(
            C_TYPES, C_TYPES, itertools.product((False, True), (False, True)), (1, 3)
        ):
            if "bfloat16" in (dtype, of) and dtype != of:
                continue  # run() converts all inputs of float32 to one type
            x, positions = random(dtype, BATCH, TOKENS, HEADS * DIM), numpy.arange(TOKENS)[None].repeat(BATCH, 0)
            weight = random(of, HEADS * DIM if over_heads else DIM, seed=5)
            norm = normed(weight, of, 1e-6, plus_one, over_heads)
            right = rotated("llama3", dtype, x, positions, HEADS, norm=norm)
            kind = dict(norm_epsilon="1e-6", norm_plus_one=int(plus_one), norm_over_heads=int(over_heads))
            for layout, order in itertools.product(("3-D", "4-D"), ("com.microsoft", "ai.onnx", "bare")):
                own, cache = x if layout == "3-D" else heads_first(x), random(dtype, 7, DIM // 2)
                inputs = {
                    "com.microsoft": [own, positions, cache, cache, None, weight],
                    "ai.onnx": [own, cache, cache, positions, None, weight],
                    "bare": [own, None, None, None, None, weight.reshape(HEADS, DIM) if over_heads else weight],
                }
                with self.subTest(dtype=dtype, of=of, layout=layout, order=order, threads=threads, **kind):
                    result = run("RotaryEmbedding", inputs[order], dtype, threads, num_heads=HEADS, spec="preset=llama3", **kind)
                    self.assertBits(result, right if layout == "3-D" else heads_first(right))
        x, positions = random("float32", BATCH, TOKENS, HEADS * DIM), numpy.arange(TOKENS)[None].repeat(BATCH, 0)
        for epsilon, exact in ("1e-6", 1e-6), (1e-6, float(numpy.float32(1e-6))), ("0", 0.0), (1.0, 1.0):
            right = rotated("llama3", "float32", x, positions, HEADS, norm=normed(None, "float32", exact))
            self.assertBits(run("RotaryEmbedding", [x], "float32", num_heads=HEADS, spec="preset=llama3", norm_epsilon=epsilon), right)
        right = posenc.Rotary(DIM, preset="llama3").rotate(x.reshape(BATCH, TOKENS, HEADS, DIM), norm=posenc.Norm(None, 1e-6), dtype="float16")
        like = numpy.zeros(1, "float16")
        made = run("RotaryEmbedding", [x, None, None, None, like], "float16", num_heads=HEADS, spec="preset=llama3", norm_epsilon="1e-6")
        self.assertBits(made, right.reshape(x.shape))

    def test_norms_in_a_chain_in_place(self):
        x, weight = random("float32", 1, 40, 64), random("float32", 64, seed=5)
        kind = dict(domain="posenc", spec="head_dim=16", norm_epsilon="1e-6", norm_over_heads=1)
        nodes = [helper.make_node("RotaryEmbedding", [i, "", "", "", "", "weight"], [o], **kind) for i, o in zip("xab", "aby")]
        made = model(nodes, {"x": (1, x.shape), "weight": (1, weight.shape)}, {"y": (1, x.shape)})
        made.graph.value_info.extend(helper.make_tensor_value_info(name, 1, x.shape) for name in "ab")
        right, rotary = x.reshape(1, 40, 4, 16), posenc.Rotary(16)
        for _ in nodes:
            right = rotary.rotate(right, norm=posenc.Norm(weight, 1e-6, False, True))
        self.assertBits(session(made).run(None, {"x": x, "weight": weight})[0], right.reshape(x.shape))

    def test_attributes(self):
        x, positions = random("float32", 1, TOKENS, HEADS * DIM), numpy.arange(50, 50 + TOKENS)[None]
        tensor = x.reshape(TOKENS, HEADS, DIM)
        for attributes, arguments, scale in (
            (dict(spec="base=500000"), dict(base=5e5), 1.0),
            (dict(spec="arithmetic=fast"), dict(arithmetic="fast"), 1.0),
            (dict(spec="", interleaved=1), dict(pairing="neighbours"), 1.0),
            (dict(spec="pairing=neighbours", interleaved=0), {}, 1.0),
            (dict(spec="preset=llama4"), dict(preset="llama4"), 1.0),
            (dict(spec="", rotary_embedding_dim=8), dict(rotary_dim=8), 1.0),
            (dict(spec="rotary_dim=8 rotary_offset=8"), dict(rotary_dim=8, rotary_offset=8), 1.0),
            (dict(spec="", scale=0.75), {}, 0.75),
            (dict(spec="factor=8 preset=llama3 head_dim=16"), dict(preset="llama3", factor=8.0), 1.0),
            (
                dict(spec="scaling=yarn\n factor=40 original_length=4096 truncate=0\tmscale=1e0"),
                dict(scaling="yarn", factor=40.0, original_length=4096.0, truncate=False),
                1.0,
            ),
            (
                dict(spec="frequencies=1:0.5:.25:0.1:0.05:1e-2:1e-3:0"),
                dict(frequencies=[1, 0.5, 0.25, 0.1, 0.05, 1e-2, 1e-3, 0]),
                1.0,
            ),
            (
                dict(spec="phase_rounding=f32_inv_freq frequencies_f32=1:0.5:.25:0.1:0.05:1e-2:1e-3:0"),
                dict(
                    frequencies=numpy.array([1, 0.5, 0.25, 0.1, 0.05, 1e-2, 1e-3, 0], "float32"),
                    phase_rounding="f32_inv_freq",
                ),
                1.0,
            ),
            (dict(spec="target=REFERENCE"), dict(target="REFERENCE"), 1.0),
        ):
            with self.subTest(**attributes):
                right = posenc.Rotary(DIM, **arguments).rotate(tensor, positions=positions[0], scale=scale)
                own = run("RotaryEmbedding", [x, positions], "float32", **{"num_heads": HEADS, **attributes})
                self.assertBits(own, right.reshape(x.shape))

    def test_several_axes(self):
        x, positions = random("float32", BATCH, TOKENS, HEADS * DIM), numpy.random.default_rng(5).integers(
            0, 99, (3, BATCH, TOKENS)
        )
        rotary = posenc.Rotary(DIM, axes=3, sections=[2, 3, 3])
        right = rotary.rotate(x.reshape(BATCH, TOKENS, HEADS, DIM), positions=positions)
        own = run("RotaryEmbedding", [x, positions], "float32", num_heads=HEADS, spec="axes=3 sections=2:3:3")
        self.assertBits(own, right.reshape(x.shape))

    def test_num_heads_or_head_dim_will_do(self):
        x = random("float32", 1, TOKENS, HEADS * DIM)
        right = rotated("llama3", "float32", x, numpy.arange(TOKENS)[None], HEADS)
        unknown = {0: ["b", "t", "c"]}
        for shapes, attributes in (
            ({}, dict(num_heads=HEADS, spec="preset=llama3")),
            (unknown, dict(num_heads=HEADS, spec="preset=llama3 head_dim=16")),
            (unknown, dict(spec="preset=llama3 head_dim=16")),
            ({0: None}, dict(spec="preset=llama3 head_dim=16")),
        ):
            with self.subTest(shapes=shapes, **attributes):
                self.assertBits(run("RotaryEmbedding", [x], "float32", shapes=shapes, **attributes), right)

    def test_threads_make_the_same_bits(self):
        for dtype, shape in (
            ("float32", (2, 301, 8 * 128)),
            ("bfloat16", (1, 513, 8 * 128)),
            ("float16", (3, 200, 8 * 128)),
        ):
            x, each = random(dtype, *shape), numpy.random.default_rng(3).integers(0, 9999, shape[:2])
            run_up = numpy.broadcast_to(4090 + numpy.arange(shape[1]), shape[:2])
            for (given, positions), threads in itertools.product(
                ((each, each), (numpy.array([4090]), run_up)), (1, 2, 5)
            ):
                right = rotated("llama3", dtype, x, positions, 8)
                with self.subTest(dtype=dtype, given=given.shape, threads=threads):
                    own = run("RotaryEmbedding", [x, given], dtype, threads, num_heads=8, spec="preset=llama3")
                    self.assertBits(own, right)
                    own = run("RotaryEmbedding", [heads_first(x, 8), given], dtype, threads, spec="preset=llama3")
                    self.assertBits(own, heads_first(right, 8))

    def test_a_chain_in_place_and_an_input_that_others_read(self):
        x, names = random("float32", 1, 40, 64), "xabcd"
        nodes = [
            helper.make_node("RotaryEmbedding", [i], [o], domain="posenc", spec="preset=llama3 head_dim=16")
            for i, o in zip(names, names[1:])
        ]
        made = model([*nodes, helper.make_node("Add", ["a", "d"], ["y"])], {"x": (1, x.shape)}, {"y": (1, None)})
        right = [x]
        for _ in nodes:
            right.append(rotated("llama3", "float32", right[-1], numpy.arange(40)[None], 4))
        for shape in (None, [1, "tokens", 64]):  # if shapes are known, c and d are in place, but b is not
            if shape:
                made.graph.value_info.extend(helper.make_tensor_value_info(name, 1, shape) for name in "abcd")
            self.assertBits(session(made).run(None, {"x": x})[0], right[1] + right[4])

    def test_calls_at_once_of_one_session(self):
        x, ids = random("float32", 1, 300, 64), numpy.array([[7] * 300])
        node = helper.make_node(
            "RotaryEmbedding", ["x", "ids"], ["y"], domain="posenc", num_heads=4, spec="preset=llama3"
        )
        of = session(model([node], {"x": (1, x.shape), "ids": (7, ids.shape)}, {"y": (1, None)}), threads=2)
        right = [rotated("llama3", "float32", x, ids + first, 4) for first in range(8)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = pool.map(lambda i: of.run(None, {"x": x, "ids": ids + i % 8})[0], range(400))
            for i, own in enumerate(results):
                self.assertBits(own, right[i % 8])

    def test_cos_sin(self):
        """RotaryCosSin returns the same as Rotary.cache, for any type, with several axes, and with one piece or many."""
        one, several = posenc.Rotary(DIM, preset="llama3"), posenc.Rotary(DIM, axes=3, sections=[2, 3, 3])
        positions = numpy.random.default_rng(9).integers(-99, 131072, (3, 2, 700))
        for dtype, of, (rotary, spec, given), threads in itertools.product(
            ("float32", "float16", "bfloat16"),
            ("int64", "int32", "float32", "float64"),
            (
                (one, "preset=llama3 head_dim=16", positions[0]),
                (several, "head_dim=16 axes=3 sections=2:3:3", positions),
                (one, "preset=llama3 head_dim=16", positions[0, 0, 0]),
            ),
            (1, 3),
        ):
            given = numpy.array(given, of)
            right = rotary.cache(positions=given, layout="cos_sin", dtype="float32" if dtype == "bfloat16" else dtype)
            if dtype == "bfloat16":  # rounded twice, but the result is the same
                right = ((r := right.view("uint32")) + 0x7FFF + (r >> 16 & 1) & 0xFFFF0000).astype("uint32").view("float32")
            like = None if dtype == "float32" else random(dtype, 1)
            with self.subTest(dtype=dtype, positions=of, threads=threads, shape=given.shape):
                self.assertBits(run("RotaryCosSin", [given, like], dtype, threads, plain=(0,), spec=spec), right)
        empty = numpy.zeros((3, 2, 0), "int64")
        for spec, shape in (("head_dim=8", (3, 2, 0, 8)), ("head_dim=8 axes=3 sections=1:1:2", (2, 0, 8))):
            self.assertEqual(run("RotaryCosSin", [empty], "float32", spec=spec).shape, shape)

    def test_nothing_to_rotate(self):
        for shape in ((0, 3, 32), (1, 0, 32), (0, 0, 32)):
            self.assertEqual(
                run("RotaryEmbedding", [numpy.zeros(shape, "float32")], "float32", num_heads=2, spec="").shape, shape
            )


class Encodings(Test):
    POSITION_TYPES = ("int64", "int32", "float32", "float64")

    def right(self, function, dtype, preset, dim, *arguments, out):
        handle = C.encoder(preset, dim)
        C(function, handle, *arguments)
        C.c.posenc_encoder_destroy(handle)
        return from_c(dtype, out)

    def test_sinusoidal_encoding(self):
        for dtype, of in itertools.product(C_TYPES, self.POSITION_TYPES):
            positions = numpy.array([[0, 1, 2, 3, 4], [131071, 5, -3, 5, 6]], of)
            out = numpy.zeros(
                (2, 5, 24), "float32" if dtype == "float32" else "uint16" if dtype == "bfloat16" else "float16"
            )
            right = self.right(
                "posenc_write_at",
                dtype,
                "fairseq",
                24,
                List({"int64": 6, "int32": 5, "float32": 1, "float64": 4}[of], positions),
                10,
                Rows(C_TYPES[dtype], out, 24),
                None,
                out=out,
            )
            like = None if dtype == "float32" else random(dtype, 1)
            with self.subTest(dtype=dtype, positions=of):
                self.assertBits(
                    run("SinusoidalEncoding", [positions, like], dtype, plain=(0,), spec="preset=fairseq dim=24"), right
                )
        one = run("SinusoidalEncoding", [numpy.array(7)], "float32", spec="dim=6")
        self.assertBits(one, posenc.Encoder(6).encode([7])[0])

    def test_add_positions(self):
        given = {
            "none": None,
            "first": numpy.array([77]),
            "tokens": numpy.array([4, 5, 6, 0, 9, 9]),
            "each": numpy.random.default_rng(4).integers(0, 5000, (2, 3, 6)),
        }
        for dtype, (name, positions), of in itertools.product(C_TYPES, given.items(), self.POSITION_TYPES):
            if name == "first" and of.startswith("float") or name == "none" and of != "int64":
                continue
            x, all_ = random(dtype, 2, 3, 6, 24), numpy.arange(6) if positions is None else positions
            all_ = (
                numpy.broadcast_to(all_ + numpy.arange(6) if name == "first" else all_, (2, 3, 6))
                .astype("int64")
                .copy()
            )
            out = to_c(dtype, x)
            right = self.right(
                "posenc_add_at",
                dtype,
                "fairseq",
                24,
                List(I64, all_),
                36,
                Rows(C_TYPES[dtype], out, 24),
                ctypes.c_float(1.5),
                None,
                out=out,
            )
            with self.subTest(dtype=dtype, positions=name, of=of):
                own = None if positions is None else positions.astype(of)
                self.assertBits(
                    run("AddPositions", [x, own], dtype, plain=(1,), spec="preset=fairseq", scale=1.5), right
                )

    def test_embed_tokens(self):
        table = {dtype: random(dtype, 11, 24) for dtype in C_TYPES}
        ids = numpy.random.default_rng(6).integers(0, 11, (2, 6))
        for dtype, of, first in itertools.product(C_TYPES, ("int64", "int32"), (None, 77)):
            own, out = to_c(dtype, table[dtype]), to_c(dtype, numpy.zeros((2, 6, 24), table[dtype].dtype))
            for own_ids, rows in zip(ids, out):
                self.right(
                    "posenc_embed",
                    dtype,
                    "fairseq",
                    24,
                    Lookup(List(I64, own_ids), C_TYPES[dtype], own),
                    first or 0,
                    6,
                    Rows(C_TYPES[dtype], rows, 24),
                    ctypes.c_float(4.0),
                    None,
                    out=out,
                )
            right = from_c(dtype, out)
            with self.subTest(dtype=dtype, ids=of, first=first):
                positions = None if first is None else numpy.array([first])
                inputs = [ids.astype(of), table[dtype], positions]
                self.assertBits(run("EmbedTokens", inputs, dtype, spec="preset=fairseq", scale=4.0), right)
        each = numpy.random.default_rng(7).integers(0, 99, (2, 6)).astype("float64") / 4
        right = posenc.Encoder(24).add_(
            (table["float32"][ids] * numpy.float32(1)).reshape(12, 24), positions=each.ravel()
        )
        self.assertBits(run("EmbedTokens", [ids, table["float32"], each], "float32", spec="").reshape(12, 24), right)

    def test_threads_make_the_same_bits(self):
        x, table, ids = (
            random("float32", 2, 700, 256),
            random("float32", 50, 256),
            numpy.arange(1400).reshape(2, 700) % 50,
        )
        shuffled = numpy.random.default_rng(8).permutation(1400).reshape(2, 700)
        encoder = posenc.Encoder(256)
        right = {
            "SinusoidalEncoding": encoder.encode(shuffled),
            "AddPositions": encoder.add_(x.copy(), first=0),
            "EmbedTokens": encoder.add_(table[ids].copy(), first=0),
        }
        for threads, (name, inputs) in itertools.product(
            (1, 2, 5), (("SinusoidalEncoding", [shuffled]), ("AddPositions", [x]), ("EmbedTokens", [ids, table]))
        ):
            with self.subTest(name=name, threads=threads):
                spec = "dim=256" if name == "SinusoidalEncoding" else ""
                self.assertBits(run(name, inputs, "float32", threads, spec=spec), right[name])

    def test_nothing_to_write(self):
        empty = numpy.zeros((3, 0), "int64")
        self.assertEqual(run("SinusoidalEncoding", [empty], "float32", spec="dim=8").shape, (3, 0, 8))
        self.assertEqual(run("AddPositions", [numpy.zeros((0, 4, 8), "float32")], "float32", spec="").shape, (0, 4, 8))
        self.assertEqual(
            run("EmbedTokens", [empty, numpy.zeros((5, 8), "float32")], "float32", spec="").shape, (3, 0, 8)
        )


if __name__ == "__main__":
    unittest.main()
