"""Tests what the package refuses itself, and that it passes on what the library refuses, for each kind of mistake: the type of the
exception, a message that names the argument and the reason, and that nothing was written. tests/refusals_test.cc makes every
mistake that the library refuses."""

import types
import unittest

import numpy
import posenc

ENCODER, ROTARY = posenc.Encoder(8), posenc.Rotary(8)


def f32(*shape):
    return numpy.zeros(shape, "float32")


def read_only(array):
    array.flags.writeable = False
    return array


def endless():
    config = {}
    config["a"] = config
    return config


class OnAnotherDevice:
    """An array on a GPU, with DLPack as cupy has it."""

    def __init__(self, code):
        self.code = code

    def __dlpack__(self, **_):
        import ctypes

        tensor = (ctypes.c_int64 * 16)()
        tensor[1], tensor[2], tensor[3] = self.code, 0 | 2 << 32 | 32 << 40 | 1 << 48, ctypes.addressof(tensor) + 80
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.tensor = tensor
        return new(ctypes.addressof(tensor), b"dltensor", None)


class OfAnUnnamedModule:
    """An object with which nanobind itself would crash."""

    __module__ = 3

    def __dlpack__(self, **_):
        raise ValueError("none")


LLAMA = {"model_type": "llama", "head_dim": 8, "num_hidden_layers": 32}

REFUSALS = [
    # Specs.
    (lambda: posenc.Encoder(), TypeError, "dim is missing"),
    (lambda: posenc.Encoder(8, 10000.0), TypeError, "too many arguments"),
    (lambda: posenc.Encoder(8, **{"\ud800": 1}), TypeError, "unexpected keyword argument \\ud800"),
    (lambda: ENCODER.encode(), TypeError, "positions is missing"),
    (lambda: ENCODER.encode([1], "float32"), TypeError, "too many arguments"),
    (lambda: ENCODER.encode([1], dtpye="float32"), TypeError, "unexpected keyword argument dtpye"),
    (lambda: ENCODER.encode([1], **{"\ud800": 1}), TypeError, "unexpected keyword argument \\ud800"),
    (lambda: ENCODER.table(), TypeError, "rows is missing"),
    (lambda: ENCODER.add_(), TypeError, "x is missing"),
    (lambda: ENCODER.embed([1]), TypeError, "table is missing"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), axis=3), TypeError, "unexpected keyword argument axis"),
    # Configurations.
    (lambda: posenc.Rotary.from_config(), TypeError, "config is missing"),
    (lambda: posenc.Rotary.from_config(3), TypeError, "config must be a dict"),
    (lambda: posenc.Rotary.from_config({}, 3), TypeError, "too many arguments"),
    (lambda: posenc.Rotary.from_config({}), ValueError, "model_type is missing"),
    (lambda: posenc.Rotary.from_config({}, pairing="half_split"), ValueError, "head_dim"),
    (lambda: posenc.Rotary.from_config(LLAMA, head_dim=8), TypeError, "head_dim"),
    (lambda: posenc.Rotary.from_config(LLAMA, preset="llama"), TypeError, "preset"),
    (lambda: posenc.Rotary.from_config({}, bsae=3), TypeError, "bsae"),
    (lambda: posenc.Rotary.from_config({}, base="3"), TypeError, "base must be a number, not str"),
    (lambda: posenc.Rotary.from_config({}, pairing=3), TypeError, "pairing must be a string, not int"),
    (lambda: posenc.Rotary.from_config(LLAMA, pairing="same"), ValueError, "pairing must be one of half_split, neighbours, not"),
    (lambda: posenc.Rotary.from_config(LLAMA, layer="1"), TypeError, "layer"),
    (lambda: posenc.Rotary.from_config(LLAMA, layer=-1), ValueError, "layer"),
    (lambda: posenc.Rotary.from_config(LLAMA, layer=32), ValueError, "layer is 32, but layers are 0 to 31"),
    (lambda: posenc.Rotary.from_config(LLAMA, layer_type=3), TypeError, "layer_type"),
    (lambda: posenc.Rotary.from_config(LLAMA, layer_type="a\0b"), ValueError, "layer_type"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"head_dim": "8"}), ValueError, 'head_dim is "8", but must be a number'),
    (lambda: posenc.Rotary.from_config(LLAMA | {"head_dim": True}), ValueError, "head_dim is true, but must be a number"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"head_dim": 10**400}), ValueError, "head_dim is infinity"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"rope_theta": [1e4, None]}, layer=0), ValueError, "rope_theta is of mixed kinds, or of a kind that posenc does not read, but must be a number"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"rope_theta": object()}), ValueError, "rope_theta is of mixed kinds, or of a kind that posenc does not read, but must be a number"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"rope_scaling": {}}), ValueError,
     "rope_scaling is an empty dictionary, but must be a dictionary with keys, or null"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"rope_theta": [1e4] * 65536}), ValueError, "rope_theta is a list of more than 32768 items"),
    (lambda: posenc.Rotary.from_config(LLAMA | {"a": {1: 2, "1": 2}}), ValueError, "config: the key a.1 is given twice"),
    (lambda: posenc.Rotary.from_config(LLAMA, layer_type=""), ValueError, "layer_type must be null or the name"),
    (lambda: posenc.Rotary.from_config(LLAMA, model_type=""), ValueError, "model_type, which replaces"),
    (lambda: posenc.Rotary.from_config(endless()), ValueError, "config"),
    (lambda: posenc.grid(), TypeError, "axes is missing"),
    (lambda: posenc.encode([1], 8, bse=3), TypeError, "unexpected keyword argument bse"),
    (lambda: posenc.Encoder(0), ValueError, "dim must be 1 .. 16777216"),
    (lambda: posenc.Encoder(-1), ValueError, "dim must not be negative"),
    (lambda: posenc.Encoder(2**70), ValueError, "dim does not fit into 64 bits"),
    (lambda: posenc.Encoder(8.0), TypeError, "dim must be an integer, not float"),
    (lambda: posenc.Encoder(True), TypeError, "dim must be an integer, not bool"),
    (lambda: posenc.Encoder("8"), TypeError, "dim must be an integer, not str"),
    (lambda: posenc.Encoder(f32(2).astype(int)), TypeError, "dim must be an integer"),
    (lambda: posenc.Encoder(8, bse=3), TypeError, "unexpected keyword argument bse"),
    (lambda: posenc.Encoder(8, base=-1), ValueError, "base must be positive"),
    (lambda: posenc.Encoder(8, base="e"), TypeError, "base must be a number, not str"),
    (lambda: posenc.Encoder(8, base=10**400), ValueError, "base must be a number that a double holds"),
    (lambda: posenc.Encoder(8, base=None), TypeError, "base must be a number, not NoneType"),
    (lambda: posenc.Encoder(8, layout="sincos"), ValueError, "layout must be one of interleaved, interleaved_cos_sin, sin_cos, cos_sin, not"),
    (lambda: posenc.Encoder(8, layout=1), TypeError, "layout must be a string"),
    (lambda: posenc.Encoder(8, layout="sin\0"), ValueError, "layout must be one of"),
    (lambda: posenc.Encoder(8, nan_rows=1), TypeError, "nan_rows must be True or False"),
    (lambda: posenc.Encoder(8, target="AVX9"), ValueError, "target must be NULL or a name from posenc_targets: this build has no such target"),
    (lambda: posenc.Encoder(8, target="\ud800"), UnicodeEncodeError, "surrogates"),
    (lambda: posenc.Encoder(8, target="AVX2\0"), ValueError, "target must not have a null character, as 'AVX2\\x00' has"),
    (lambda: posenc.Rotary(8, target="\0"), ValueError, "target must not have a null character"),
    (lambda: posenc.Encoder(8, preset="fairseq\0"), ValueError, 'no encoder preset is called "fairseq\\x00"'),
    (lambda: posenc.Encoder.preset("fairseq\0", 8), ValueError, 'no encoder preset is called "fairseq\\x00"'),
    (lambda: posenc.encode([1], 8, preset="fairseq\0"), ValueError, 'no encoder preset is called "fairseq\\x00"'),
    (lambda: posenc.Rotary(8, preset="llama\0"), ValueError, 'no rotary preset is called "llama\\x00"'),
    (lambda: posenc.Rotary(8, pairing="neighbours\0"), ValueError, "pairing must be one of"),
    (lambda: posenc.Encoder(8, **{"base\0": 3.0}), TypeError, "unexpected keyword argument base\\x00"),
    (lambda: ENCODER.table(2, dtype="float32\0"), TypeError, "dtype must be a dtype"),
    (lambda: ROTARY.cache(2, layout="pairs\0"), ValueError, "layout must be one of"),
    (lambda: posenc.Encoder(4, frequencies=[1j, 2]), TypeError, "frequencies must be numbers, or an array of numbers, not complex128"),
    (lambda: posenc.Encoder(4, frequencies=f32(2) + 1j), TypeError, "frequencies must be numbers, or an array of numbers, not complex64"),
    (lambda: posenc.Rotary(4, factors=f32(2) + 1j), TypeError, "factors must be numbers, or an array of numbers, not complex64"),
    (lambda: posenc.Encoder(4, frequencies=[True, False]), TypeError, "frequencies must be numbers, or an array of numbers, not bool"),
    (lambda: posenc.Encoder(4, frequencies=["1", "2"]), TypeError, "frequencies must be numbers, or an array of numbers, not <U1"),
    (lambda: posenc.Encoder(4, base=numpy.complex64(3)), TypeError, "base must be a number, not numpy.complex64"),
    (lambda: posenc.Encoder(4, base=3 + 0j), TypeError, "base must be a number, not complex"),
    (lambda: ENCODER.add_(f32(2, 8), scale=numpy.complex128(3)), TypeError, "scale must be a number, not numpy.complex128"),
    (lambda: ENCODER.add_(f32(2, 8), scale=numpy.True_), TypeError, "scale must be a number, not numpy.bool"),
    (lambda: posenc.Rotary(4, frequencies=[1.0, 0.5], phase_rounding="f32_inv_freq"), ValueError,
     "frequencies must be float32 with f32_inv_freq"),
    (lambda: posenc.Encoder(8, target=1), TypeError, "target must be a string"),
    (lambda: posenc.Encoder(8, base=1e-300), ValueError, "each frequency times position_scale must be 0 or 2^-126 .. 2^31 radians per step: change position_scale"),
    (lambda: posenc.Encoder(8, frequencies=[1]), ValueError, "frequency_count must be the number of pairs"),
    (lambda: posenc.Encoder(8, frequencies=[]), ValueError, "frequency_count must be the number of pairs"),
    (lambda: posenc.Encoder(8, frequencies=[[1, 2], [3, 4]]), ValueError, "frequencies must have one axis"),
    (lambda: posenc.Encoder(8, frequencies="1 2 3 4"), TypeError, "frequencies must be numbers"),
    (lambda: posenc.Encoder(8, padding_position=0.5), TypeError, "padding_position must be an integer"),
    (lambda: posenc.Encoder(8, preset="fairsek"), ValueError, 'no encoder preset is called "fairsek"; did you mean "fairseq"?'),
    (lambda: posenc.Encoder(8, preset="lama3"), ValueError, 'did you mean "llama3", a rotary preset?'),
    (lambda: posenc.Encoder(0, preset="fairseq"), ValueError, "preset fairseq: dim of a preset must be 1 .. 16777216"),
    (lambda: posenc.Rotary(7, preset="llama3"), ValueError, "preset llama3: head_dim 7 does not suit the preset"),
    (lambda: posenc.Encoder(8, preset="\ud800"), ValueError, 'no encoder preset is called "\\ud800"'),
    (lambda: posenc.Encoder(8, preset=3), TypeError, "preset must be a string"),
    (lambda: posenc.Encoder(8, preset="gaussian_fourier"), ValueError, "frequencies or frequencies_f32 must be set"),
    (lambda: posenc.Encoder.preset("", 8), ValueError, "preset"),
    (lambda: ENCODER.__init__(8), TypeError, "never changes"),
    (lambda: posenc.Encoder.__init__(3, 8), TypeError, "of another type"),
    (lambda: type("Mine", (posenc.Encoder,), {}), TypeError, "subclassing"),
    (lambda: posenc.Rotary(7), ValueError, "all head_dim - rotary_offset elements rotate, because rotary_dim is 0: make this number even"),
    (lambda: posenc.Rotary(8, sections=[1, 2, 3, 4, 5]), ValueError, "sections must be a list of up to 4"),
    (lambda: posenc.Rotary(8, sections=3), ValueError, "sections"),
    (lambda: posenc.Rotary(8, sections="ab"), TypeError, "sections"),
    (lambda: posenc.Rotary(8, axes=2, sections=[4, 1]), ValueError, "sections have 5 pairs, and 4 rotate: with several axes their sections must add up"),
    (lambda: posenc.Rotary(8, axes=2, sections=[2, 2], axis_order="axial", axis_specs=[{}, {}]), TypeError,
     "unexpected keyword argument axis_specs"),
    (lambda: posenc.Rotary(4, axes=2, axis_order="summed", frequencies=[1, 2, 3, 4]), ValueError,
     "axis_order must be one of consecutive, interleaved, alternating, split, axial, imrope, not 'summed'"),
    (lambda: posenc.Rotary(8, factors=[1, 2], long_factors=[1]), ValueError, "as long as factors"),
    (lambda: posenc.Rotary(8, preset="llama9"), ValueError, 'no rotary preset is called "llama9"; did you mean "llama"?'),
    # Positions.
    (lambda: ENCODER.encode(2**40), ValueError, "positions: each position must be"),
    (lambda: ENCODER.encode(2**80), ValueError, "positions does not fit into 64 bits"),
    (lambda: ENCODER.encode([[0, 1], [float("nan"), 3]]), ValueError, "positions[1, 0]: each position must be"),
    (lambda: ENCODER.encode("abc"), TypeError, "positions must be an array"),
    (lambda: ENCODER.encode(None), TypeError, "positions must be an array"),
    (lambda: ENCODER.encode(["a"]), TypeError, "positions has a type that posenc does not take"),
    (lambda: ENCODER.encode([1, [2, 3]]), ValueError, "positions must be numbers"),
    (lambda: ENCODER.encode([1j]), TypeError, "positions"),
    (lambda: ENCODER.encode(True), TypeError, "positions must be numbers, not bool"),
    (lambda: ENCODER.encode([float("nan")]), ValueError, "positions[0]: each position must be a number in -2^31 .. 2^31"),
    (lambda: ENCODER.encode([1, 2**63]), ValueError, "positions[1]: each position must be"),
    (lambda: ENCODER.encode([1, 2**70]), ValueError, "positions[1]: each position must be"),
    (lambda: ENCODER.encode(range(2**31, 2**31 + 2)), ValueError, "positions[1]: each position must be"),
    (lambda: ENCODER.encode(numpy.array([3, 2**64 - 1], "uint64")), ValueError, "positions[1]: each position must be"),
    (lambda: ENCODER.encode(numpy.array(2**70)), ValueError, "positions: each position must be"),
    (lambda: ENCODER.encode(numpy.longdouble([1]) / 3), ValueError, "positions must be numbers that a double represents exactly"),
    (lambda: ENCODER.encode([True]), TypeError, "positions has a type that posenc does not take: bool"),
    (lambda: ENCODER.encode(f32(3).astype("complex64")), TypeError, "positions has a type that posenc does not take: complex64"),
    (lambda: ENCODER.encode(b"abcd"), TypeError, "positions has a type"),
    (lambda: ENCODER.table(3, first=2**31), ValueError, "rows from first on: the positions from first_position on must be"),
    (lambda: ENCODER.table(-3), ValueError, "rows must not be negative"),
    (lambda: ENCODER.table(2.0), TypeError, "rows must be an integer"),
    (lambda: ENCODER.table(2, first=0.5), TypeError, "first must be an integer"),
    (lambda: ENCODER.table(2**62), (ValueError, MemoryError), ""),
    # Types and shapes.
    (lambda: ENCODER.table(2, dtype="int8"), TypeError, "dtype must be a dtype"),
    (lambda: ENCODER.table(2, dtype=">f4"), TypeError, "dtype must be a dtype"),
    (lambda: ENCODER.table(2, dtype=[]), TypeError, "dtype must be a dtype"),
    (lambda: ENCODER.table(2, dtype="float33"), TypeError, "dtype must be a dtype"),
    (lambda: ENCODER.table(2, dtype="float32", out=f32(2, 8)), ValueError, "dtype and out exclude each other"),
    (lambda: ENCODER.table(2, out=f32(3, 8)), ValueError, "out must have the shape [2, 8], not [3, 8]"),
    (lambda: ENCODER.table(2, out=read_only(f32(2, 8))), ValueError, "out is read-only"),
    (lambda: ENCODER.table(2, out=f32(2, 8).astype(int)), TypeError, "out must be of float32, bfloat16, float16 or float64, not int64"),
    (lambda: ENCODER.encode(f32(2), out=[]), TypeError, "out must be an array"),
    (lambda: ENCODER.add_(read_only(f32(2, 8))), ValueError, "x is read-only"),
    (lambda: ENCODER.add_(bytes(64)), ValueError, "x is read-only"),
    (lambda: ENCODER.add_([[1.0] * 8]), TypeError, "x must be an array"),
    (lambda: ENCODER.add_(f32(2, 8).astype("float64")), TypeError, "x must be of float32, bfloat16 or float16, not float64"),
    (lambda: ENCODER.add_(f32(2, 8).astype(">f4")), TypeError, "x has a type that posenc does not take: >f4"),
    (lambda: ENCODER.add_(f32(2, 7)), ValueError, "x must have 8 columns, the last axis; its shape is [2, 7]"),
    (lambda: ENCODER.add_(numpy.float32(1)), (TypeError, ValueError), "x"),
    (lambda: ENCODER.add_(f32(8, 8).T), ValueError, "x must have its columns next to each other"),
    (lambda: ENCODER.add_(f32(2, 16)[:, ::2]), ValueError, "x must have its columns next to each other"),
    (lambda: ENCODER.add_(f32(3, 8)[::-1]), ValueError, "x: its strides must not be negative"),
    (lambda: ENCODER.add_(f32(3, 4, 8)[:, ::2].swapaxes(0, 1)[:, :2], first=[1, 2]), ValueError, "stride of the batch must be at least"),
    (lambda: ENCODER.add_(f32(3, 4, 8)[:, :2], positions=[1, 2]), ValueError, "x: its axes 0 to 1 are not evenly spaced"),
    (lambda: ENCODER.add_(numpy.lib.stride_tricks.as_strided(f32(9), (2, 8), (4, 4))), ValueError, "stride of out or x must be at least dim"),
    (lambda: ENCODER.add_(numpy.lib.stride_tricks.as_strided(f32(99), (2, 8), (33, 4))), ValueError, "x: its strides must be multiples"),
    (lambda: ENCODER.add_(f32(2, 8), first=1, positions=[1, 2]), ValueError, "first and positions exclude each other"),
    (lambda: ENCODER.add_(f32(2, 8), positions=[1, 2, 3]), ValueError, "positions must have the shape [2]"),
    (lambda: ENCODER.add_(f32(3, 2, 8), first=[1, 2]), ValueError, "first must be an integer, or have the shape [3]"),
    (lambda: ENCODER.add_(f32(3, 2, 8), first=[1, 2, 2**32]), ValueError, "first[2]: the positions of each sequence"),
    (lambda: ENCODER.add_(f32(2, 8), first=0.5), TypeError, "first must be integers, not float"),
    (lambda: ENCODER.add_(f32(2, 8), scale="2"), TypeError, "scale must be a number"),
    (lambda: ENCODER.add_(OnAnotherDevice(2)), ValueError, "x is on another device"),
    (lambda: ENCODER.add_(OfAnUnnamedModule()), TypeError, "x must be an array"),
    (lambda: ENCODER.embed([0, 9], f32(3, 8)), ValueError, "ids[1]: each id must be 0 .. vocabulary - 1"),
    (lambda: ENCODER.embed([[0], [-1]], f32(3, 8)), ValueError, "ids[1, 0]: each id must be"),
    (lambda: ENCODER.embed([0.5], f32(3, 8)), TypeError, "ids must be integers, not float64"),
    (lambda: ENCODER.embed(f32(1).astype("float16"), f32(3, 8)), TypeError, "ids must be integers, not float16"),
    (lambda: ENCODER.embed([0], f32(8)), ValueError, "table must have two axes"),
    (lambda: ENCODER.embed([0], f32(3, 9)), ValueError, "table must have 8 columns"),
    (lambda: ENCODER.embed([0], f32(3, 8), dtype="float16"), TypeError, "dtype: type of the lookup's table must be the same as of out"),
    (lambda: ENCODER.embed([0], f32(3, 8), dtype="float64"), TypeError, "out must be of float32, bfloat16 or float16, not float64"),
    (lambda: ENCODER.embed([0, 1], f32(3, 8), positions=[0, 2**33]), ValueError, "positions[1]: each position must be"),
    (lambda: ENCODER.embed([0], f32(3, 8), first=2**33), ValueError, "ids from first on: the positions from first_position on must be"),
    # Rotation.
    (lambda: ROTARY.rotate_(), TypeError, "rotate_ needs a tensor"),
    (lambda: ROTARY.rotate_(f32(2, 3, 7)), ValueError, "q must have 8 columns"),
    (lambda: ROTARY.rotate_(f32(2, 8)), ValueError, "q must have at least 3 axes"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), read_only(f32(2, 3, 8))), ValueError, "k is read-only"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), f32(3, 3, 8)), ValueError, "k must have as many tokens as q"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), f32(2, 3, 8).astype("float16")), TypeError, "k must be of the same type as q"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), scale=[1, 2]), ValueError, "scale must be a number, or one for each tensor"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), scale=0), ValueError, "scale"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), scale=1e30), ValueError, "scale"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), token_axis=-1), ValueError, "token_axis must be -3"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), inverse=1), TypeError, "inverse must be True or False"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), first=2**31), ValueError, "tokens from first on: the positions from first_position on must be"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), positions=[1]), ValueError, "positions must have the shape [2]"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), positions=[1, 2**32]), ValueError, "positions[1]: each position must be"),
    (lambda: ROTARY.rotate_(f32(2, 3, 8), first=1, positions=[1, 2]), ValueError, "first and positions exclude"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), f32(1, 2, 3, 8), positions=[[1, 2], [3, 4]]), ValueError, "k must have the same"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), f32(1, 2, 3, 8), first=[1, 2]), ValueError, "k must have the same"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), first=[1]), ValueError, "first must be an integer, or have the shape [2], not [1]"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), first=[1.0, 2.0]), TypeError, "first must be integers, not float"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), first=[1, 2**31]), ValueError, "tokens from first[1] on: each position must be"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), first=[2**63 - 1, 0]), ValueError, "tokens from first[0] on: each position must be"),
    (lambda: ROTARY.rotate_(f32(2, 2, 3, 8), first=[1, 2], positions=[1, 2]), ValueError, "first and positions exclude"),
    (lambda: ROTARY.rotate_(numpy.broadcast_to(f32(2, 1, 8), (2, 3, 8))), ValueError, "q is read-only"),
    (lambda: ROTARY.rotate(), TypeError, "rotate needs a tensor"),
    (lambda: ROTARY.rotate(f32(2, 3, 7)), ValueError, "q must have 8 columns"),
    (lambda: ROTARY.rotate(f32(2, 3, 8), [1.0]), TypeError, "k must be an array"),
    (lambda: ROTARY.rotate(f32(2, 3, 8), positions=[1, 2**32]), ValueError, "positions[1]: each position must be"),
    (lambda: ROTARY.rotate(numpy.broadcast_to(f32(2, 1, 8), (2, 3, 8))), ValueError, "q: its tokens or heads overlap in memory"),
    (lambda: ROTARY.rotate(numpy.broadcast_to(f32(1, 3, 8), (2, 3, 8))), ValueError, "q: its tokens or heads overlap in memory"),
    (lambda: ROTARY.cache(), TypeError, "cache needs either tokens or positions"),
    (lambda: ROTARY.cache(3, positions=[1]), TypeError, "cache needs either tokens or positions"),
    (lambda: ROTARY.cache(3, layout="half"), ValueError, "layout must be one of halves"),
    (lambda: posenc.Rotary(8, axes=2, sections=[2, 2]).cache(positions=[1, 2, 3]), ValueError, "positions must have the shape [2, ...]"),
    # Grids.
    (lambda: posenc.grid(3), TypeError, "axes must be a list"),
    (lambda: posenc.grid([]), ValueError, "axes: "),
    (lambda: posenc.grid([(8, 0, 3)]), TypeError, "axes[0] must be a tuple"),
    (lambda: posenc.grid([(ENCODER, 0, 3), (ENCODER, 7, 3)]), ValueError, "axes[1]: "),
    (lambda: posenc.grid([(ENCODER, 0, [0, 2**33])]), ValueError, "axes[0]: positions[1]: each position must be"),
    (lambda: posenc.grid([(ENCODER, 0, -1)]), ValueError, "axes[0]: count must not be negative"),
    (lambda: posenc.grid([(ENCODER, 0, 2**62), (ENCODER, 8, 2**62)]), ValueError, "axes"),
    (lambda: posenc.grid_add_(f32(2, 8), [(ENCODER, 0, 3)]), ValueError, "x must have a row for each"),
]


class Refusals(unittest.TestCase):
    def test_all(self):
        for refused, error, text in REFUSALS:
            with self.subTest(line=refused.__code__.co_firstlineno, text=text):
                with self.assertRaises(error) as caught:
                    refused()
                self.assertIn(text, str(caught.exception))
        print(len(REFUSALS), "refusals")

    def test_nothing_is_written(self):
        x = numpy.arange(32, dtype="float32").reshape(2, 2, 8)
        before = x.copy()
        late = [[0, 1], [2, 2**33]]
        for refused in (
            lambda: ENCODER.add_(x, positions=late),
            lambda: ENCODER.add_(x, first=[0, 2**33]),
            lambda: ROTARY.rotate_(x.swapaxes(0, 1)[:, :, None], positions=late),
            lambda: ROTARY.rotate_(x[:, None], positions=late, token_axis=-2),
        ):
            with self.assertRaisesRegex(ValueError, r"must be .*-2\^31 \.\. 2\^31"):
                refused()
            self.assertTrue((x == before).all())

    def test_overlap(self):
        x = numpy.ones(4 * 2 * 3 * 8, "float32")
        q = x.reshape(4, 2, 3, 8)
        before = x.copy()
        own = [[1, 2], [3, 4], [5, 6]]
        for refused in (
            lambda: ROTARY.rotate_(q, q),
            lambda: ROTARY.rotate_(q[0], q[0, :, 1:]),
            lambda: ROTARY.rotate_(q[:3], q[1:], positions=own),  # q and k share an element of the batch
            lambda: ROTARY.rotate_(q[:3].swapaxes(1, 2), q[1:].swapaxes(1, 2), positions=own, token_axis=-2),
            lambda: ENCODER.encode(x[:3], out=x[:24].reshape(3, 8)),
            lambda: ENCODER.add_(x[:24].reshape(3, 8), positions=x[:3]),
            lambda: ENCODER.embed([0], x[:24].reshape(3, 8), out=x[8:16].reshape(1, 8)),
            lambda: ENCODER.add_(numpy.broadcast_to(x[:8], (2, 8))),
        ):
            with self.subTest(line=refused.__code__.co_firstlineno):
                with self.assertRaisesRegex(ValueError, "overlap|read-only"):
                    refused()
                self.assertTrue((x == before).all())

    def test_bfloat16_without_packages(self):
        try:
            import ml_dtypes  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ValueError, "bfloat16.*ml_dtypes"):
                posenc.table(2, 8, dtype="bfloat16")
        else:
            self.skipTest("SKIPPED: ml_dtypes is installed")

    def test_bfloat16_of_ml_dtypes(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("SKIPPED: ml_dtypes is not installed")
        table, x = posenc.table(2, 8, dtype="bfloat16"), numpy.zeros((2, 8), ml_dtypes.bfloat16)
        self.assertEqual(table.dtype, ml_dtypes.bfloat16)
        self.assertIs(ENCODER.add_(x), x)
        self.assertTrue((x.view("uint16") == table.view("uint16")).all())
        self.assertTrue((table.astype("float32") == ENCODER.table(2).astype(ml_dtypes.bfloat16)).all())
        with self.assertRaisesRegex(ValueError, "x is read-only"):
            ENCODER.add_(read_only(x))
        with self.assertRaisesRegex(TypeError, "x has a type that posenc does not take: float8_e5m2"):
            ENCODER.add_(x.astype(ml_dtypes.float8_e5m2))

    def test_immutable_arrays(self):
        owner = f32(2, 8)
        like_jax = types.new_class("ArrayImpl", exec_body=lambda body: body.update(
            __module__="jaxlib.xla_extension", __dlpack__=lambda self, **_: owner.__dlpack__()))()
        with self.assertRaisesRegex(ValueError, "x is read-only"):
            ENCODER.add_(like_jax)

    def test_numbers_of_all_types(self):
        """Positions, first positions and ids may have any type whose numbers fit one of posenc's types."""
        rotary, vocabulary = posenc.Rotary(8), numpy.arange(24, dtype="float32").reshape(3, 8)
        want = ENCODER.encode([0, 1, 2])
        for kind in ("int8", "uint8", "int16", "uint16", "uint32", "uint64", ">i4", ">u8", "float16", "longdouble", ">f4", ">f8"):
            for numbers in (numpy.arange(3).astype(kind), numpy.arange(6).astype(kind)[::2] / numpy.array(2, kind)):
                numbers = numbers.astype(kind)
                self.assertTrue((ENCODER.encode(numbers) == want).all(), kind)
                self.assertTrue((ENCODER.encode(list(numbers)) == want).all(), kind)
                self.assertTrue((ENCODER.add_(f32(3, 8), positions=numbers) == want).all())
                self.assertTrue((posenc.grid([(ENCODER, 0, numbers)]) == want).all())
                q = numpy.ones((3, 1, 8), "float32")
                self.assertTrue((rotary.rotate_(q.copy(), positions=numbers) == rotary.rotate_(q)).all())
                self.assertTrue((rotary.cache(positions=numbers)[0] == rotary.cache(3)[0]).all())
                if numbers.dtype.kind != "f":
                    self.assertTrue((ENCODER.embed(numbers, vocabulary) == ENCODER.embed([0, 1, 2], vocabulary)).all())
                    self.assertTrue((ENCODER.add_(f32(3, 1, 8), first=numbers)[:, 0] == want).all())
        for numbers in (range(3), numpy.float16(0) + [0, 1, 2], [numpy.uint8(0), numpy.int16(1), 2]):
            self.assertTrue((ENCODER.encode(numbers) == want).all())
        self.assertTrue((ENCODER.embed(range(3), vocabulary) == ENCODER.embed([0, 1, 2], vocabulary)).all())
        halves = numpy.array([0.5, -2**-24, 65504], "float16")
        self.assertTrue((ENCODER.encode(halves) == ENCODER.encode(halves.astype("float64"))).all())

    def test_uninitialized(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for use in (lambda e: e.dim, lambda e: e.encode(1), lambda e: posenc.grid([(e, 0, 1)]), repr):
                with self.assertRaises(TypeError):
                    use(posenc.Encoder.__new__(posenc.Encoder))

    def test_other_kinds_of_arrays(self):
        import array
        import ctypes

        want = posenc.table(2, 8)
        for x in (array.array("f", bytes(64)), (ctypes.c_float * 16)(), memoryview(bytearray(64)).cast("f")):
            view = memoryview(x).cast("B").cast("f", (2, 8))
            self.assertIs(ENCODER.add_(view), view)
            self.assertTrue((numpy.asarray(view) == want).all())
        self.assertTrue((ENCODER.encode(array.array("i", [0, 1])) == want).all())
        self.assertTrue((ENCODER.encode(numpy.arange(0, 20)[::-1][19:17:-1]) == want).all())  # not contiguous, so it is copied
        self.assertEqual(ENCODER.encode(numpy.zeros((3, 0, 2))).shape, (3, 0, 2, 8))
        self.assertEqual(ENCODER.encode([]).shape, (0, 8))
        self.assertEqual(ENCODER.embed([[], []], f32(3, 8)).shape, (2, 0, 8))
        self.assertEqual(ENCODER.encode(numpy.int64(3)).shape, (8,))
        self.assertEqual(ENCODER.encode(0.5).shape, (8,))
        self.assertEqual(ENCODER.table(0).shape, (0, 8))


if __name__ == "__main__":
    unittest.main()
