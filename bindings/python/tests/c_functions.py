"""Calls posenc's C functions with ctypes, in a shared library from another build. Tests compare the package with them."""

import ctypes
import os
import unittest

import numpy

PATH = os.environ.get("POSENC_LIBRARY", "")
F32, BF16, F16, F64, I32, I64 = range(1, 7)  # posenc_type
BITS = {F32: "uint32", BF16: "uint16", F16: "uint16", F64: "uint64"}
NAMES = {F32: "float32", BF16: "bfloat16", F16: "float16", F64: "float64"}
SIZE, I64_, INT, POINTER, FLOAT = ctypes.c_size_t, ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.c_float


class Rows(ctypes.Structure):
    _fields_ = [("type", INT), ("data", POINTER), ("stride", SIZE)]

    def __init__(self, type_, array, stride):
        super().__init__(type_, array.ctypes.data, stride)


class List(ctypes.Structure):
    _fields_ = [("type", INT), ("data", POINTER)]

    def __init__(self, type_, array=None):
        super().__init__(type_, None if array is None else array.ctypes.data)


class Lookup(ctypes.Structure):
    _fields_ = [("ids", List), ("type", INT), ("table", POINTER), ("vocabulary", SIZE), ("stride", SIZE)]

    def __init__(self, ids, type_, table):
        super().__init__(ids, type_, table.ctypes.data, *table.shape)


class Heads(ctypes.Structure):
    _fields_ = [("type", INT), ("source_type", INT), ("data", POINTER), ("heads", SIZE), ("token_stride", SIZE),
                ("head_stride", SIZE), ("source", POINTER), ("source_token_stride", SIZE), ("source_head_stride", SIZE),
                ("scale", ctypes.c_double), ("inverse", INT), ("reserved", INT), ("norm", POINTER), ("slots", POINTER),
                ("token_factors", POINTER)]


class Norm(ctypes.Structure):
    _fields_ = [("weight", POINTER), ("weight_type", INT), ("epsilon", ctypes.c_double), ("plus_one", INT), ("over_heads", INT)]


class Cache(ctypes.Structure):
    _fields_ = [("layout", INT), ("type", INT), ("cos", POINTER), ("sin", POINTER), ("row_stride", SIZE)]


class Axis(ctypes.Structure):
    _fields_ = [("encoder", POINTER), ("column", SIZE), ("count", SIZE), ("positions", List), ("first_position", I64_)]


ARGUMENTS = {
    "posenc_write": [POINTER, I64_, SIZE, POINTER],
    "posenc_write_at": [POINTER, POINTER, SIZE, POINTER, POINTER],
    "posenc_add": [POINTER, I64_, SIZE, POINTER, FLOAT],
    "posenc_add_at": [POINTER, POINTER, SIZE, POINTER, FLOAT, POINTER],
    "posenc_embed": [POINTER, POINTER, I64_, SIZE, POINTER, FLOAT, POINTER],
    "posenc_rotate": [POINTER, I64_, SIZE, POINTER, SIZE],
    "posenc_rotate_at": [POINTER, POINTER, SIZE, POINTER, SIZE, POINTER],
    "posenc_write_cache": [POINTER, I64_, SIZE, POINTER],
    "posenc_write_grid": [POINTER, SIZE, SIZE, POINTER, POINTER, POINTER],
}


def random_bits(type_, shape, seed=1):
    """The bits of ordinary numbers of a type. They are the top bits of doubles, so nothing is rounded."""
    numbers = numpy.random.default_rng(seed).standard_normal(shape)
    if type_ == F16:
        return numbers.astype("float16").view("uint16")
    if type_ == BF16:
        return (numbers.astype("float32").view("uint32") >> 16).astype("uint16")
    return numbers.astype(NAMES[type_]).view(BITS[type_])


class Library:
    def __init__(self):
        if not PATH:
            raise unittest.SkipTest("SKIPPED: POSENC_LIBRARY does not name a shared libposenc")
        self.c = ctypes.CDLL(PATH)
        for name, arguments in ARGUMENTS.items():
            getattr(self.c, name).argtypes = arguments
        self.c.posenc_status_message.restype = ctypes.c_char_p

    def __call__(self, name, *arguments):
        """Calls a function, which must succeed. Structs are passed by address."""
        arguments = [ctypes.byref(a) if isinstance(a, ctypes.Structure) else a for a in arguments]
        status = getattr(self.c, name)(*arguments)
        assert status == 0, (name, self.c.posenc_status_message(status))

    def _spec(self, preset, name, size):
        """A spec as bytes; only the library knows its size."""
        for bytes_ in range(8, 2048, 8):
            spec = ctypes.create_string_buffer(bytes_)
            if getattr(self.c, preset)(spec, SIZE(bytes_), name.encode(), SIZE(size), None) == 0:
                return spec
        raise AssertionError(name)

    def encoder(self, preset, dim):
        handle = POINTER()
        self("posenc_encoder_create", self._spec("posenc_spec_preset", preset, dim), ctypes.byref(handle))
        return handle

    def rotary(self, preset, head_dim):
        handle = POINTER()
        self("posenc_rotary_create", self._spec("posenc_rotary_spec_preset", preset, head_dim), ctypes.byref(handle))
        return handle
