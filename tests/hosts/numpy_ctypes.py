"""posenc for NumPy, through the C interface and ctypes. `numpy_ctypes.py LIBPOSENC` checks it."""

import ctypes
import decimal
import sys

try:
    import numpy
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)

TYPES = {"float32": 1, "float16": 3, "float64": 4, "int32": 5, "int64": 6}  # posenc_type
SIZE = ctypes.c_size_t


class Spec(ctypes.Structure):
    """posenc_spec"""

    _fields_ = [
        ("struct_size", SIZE),
        ("dim", SIZE),
        ("layout", ctypes.c_int32),
        ("odd_column", ctypes.c_int32),
        ("base", ctypes.c_double),
        ("exponent_dim", ctypes.c_double),
        ("min_timescale", ctypes.c_double),
        ("position_scale", ctypes.c_double),
        ("position_offset", ctypes.c_int64),
        ("unit", ctypes.c_int32),
        ("frequency_count", SIZE),
        ("frequencies", ctypes.c_void_p),
        ("frequencies_f32", ctypes.c_void_p),
        ("phase_rounding", ctypes.c_int32),
        ("has_padding", ctypes.c_int32),
        ("padding_position", ctypes.c_int64),
        ("input_first", ctypes.c_int32),
        ("nan_rows", ctypes.c_int32),
        ("lists_only", ctypes.c_int32),
        ("table_rows", ctypes.c_uint64),
        ("target", ctypes.c_char_p),
    ]


class Rows(ctypes.Structure):
    """posenc_rows"""

    _fields_ = [("type", ctypes.c_int32), ("data", ctypes.c_void_p), ("stride", SIZE)]


class List(ctypes.Structure):
    """posenc_list"""

    _fields_ = [("type", ctypes.c_int32), ("data", ctypes.c_void_p)]


def rows_of(array):
    """An array [rows, dim] as posenc_rows. Rows may have gaps between them."""
    return Rows(TYPES[array.dtype.name], array.ctypes.data, array.strides[0] // array.itemsize)


class Library:
    def __init__(self, path):
        self._c = ctypes.CDLL(path)
        pointer, i32, i64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
        self._c.posenc_status_message.restype = ctypes.c_char_p
        for name, arguments in {
            "posenc_status_message": [i32],
            "posenc_spec_init": [pointer, SIZE],
            "posenc_spec_preset": [pointer, SIZE, ctypes.c_char_p, SIZE, pointer],
            "posenc_spec_preset_rounding": [ctypes.c_char_p],
            "posenc_encoder_create": [pointer, pointer],
            "posenc_encoder_destroy": [pointer],
            "posenc_write": [pointer, i64, SIZE, pointer],
            "posenc_write_at": [pointer, pointer, SIZE, pointer, pointer],
            "posenc_add": [pointer, i64, SIZE, pointer, ctypes.c_float],
        }.items():
            getattr(self._c, name).argtypes = arguments

    def call(self, name, *arguments):
        status = getattr(self._c, name)(*arguments)
        if status != 0:
            raise ValueError(self._c.posenc_status_message(status).decode())

    def destroy(self, handle):
        self._c.posenc_encoder_destroy(handle)

    def spec(self, dim, preset=None):
        spec = Spec()
        if preset is None:
            self.call("posenc_spec_init", ctypes.byref(spec), ctypes.sizeof(spec))
            spec.dim = dim
        else:
            self.call("posenc_spec_preset", ctypes.byref(spec), ctypes.sizeof(spec), preset.encode(), dim, None)
        return spec

    def preset_rounding(self, name):
        return self._c.posenc_spec_preset_rounding(name.encode())


class Encoder:
    def __init__(self, library, dim, preset=None, **members):
        self._handle = ctypes.c_void_p()
        self._library = library
        self.dim = dim
        self.spec = spec = library.spec(dim, preset)
        for name, value in members.items():
            setattr(spec, name, value)
        library.call("posenc_encoder_create", ctypes.byref(spec), ctypes.byref(self._handle))

    def __del__(self):
        self._library.destroy(self._handle)

    def write(self, first, rows, dtype="float32"):
        out = numpy.empty((rows, self.dim), dtype)
        self._library.call("posenc_write", self._handle, first, rows, ctypes.byref(rows_of(out)))
        return out

    def write_at(self, positions, dtype="float32"):
        positions = numpy.ascontiguousarray(positions)
        out = numpy.empty((len(positions), self.dim), dtype)
        at = List(TYPES[positions.dtype.name], positions.ctypes.data)
        self._library.call(
            "posenc_write_at", self._handle, ctypes.byref(at), len(positions), ctypes.byref(rows_of(out)), None)
        return out

    def add(self, x, first, scale=1.0):
        """Adds to x [rows, dim] in place. Rows may have gaps between them."""
        self._library.call("posenc_add", self._handle, first, len(x), ctypes.byref(rows_of(x)), scale)


def refuses(make):
    try:
        make()
    except ValueError as error:
        print("refused:", error)
        return True
    return False


def check_spec(library):
    """Checks that Spec has the layout of posenc_spec."""
    spec = library.spec(8)
    assert spec.struct_size == ctypes.sizeof(Spec)
    assert (spec.base, spec.position_scale, spec.min_timescale) == (10000, 1, 1)
    spec = library.spec(9, "fairseq")
    assert (spec.layout, spec.odd_column, spec.has_padding, spec.padding_position) == (2, 1, 1, 1)
    assert (library.spec(9, "ctranslate2").position_offset, library.spec(9, "nerf").input_first) == (1, 1)
    short = ctypes.sizeof(Spec) - 8
    assert refuses(lambda: library.call("posenc_spec_init", ctypes.byref(spec), short))
    assert refuses(lambda: library.spec(8, "no such preset"))


def main(path):
    import exact

    library = Library(path)
    check_spec(library)
    encoder = Encoder(library, dim=64)
    positions = numpy.array([0, 1, 2, 11, 4095, -77, 131071, 2**31, -(2**31)])
    for dtype in ("float32", "float16", "float64"):
        table = encoder.write_at(positions, dtype)
        wrong = sum(exact.misrounded(got, int(p)) for got, p in zip(table, positions))
        print(f"{dtype}: {wrong} of {table.size} entries not correctly rounded")
        assert wrong == 0
    assert (encoder.write(5, 40) == encoder.write_at(numpy.arange(5, 45, dtype="int32"))).all()
    x = numpy.ones((40, 80), "float32")
    encoder.add(x[:, :64], 5, scale=0.5)
    assert (x[:, :64] == numpy.float32(0.5) + encoder.write(5, 40)).all() and (x[:, 64:] == 1).all()
    timesteps = encoder.write_at(numpy.array([0.25, 2.5]), "float64")
    assert exact.misrounded(timesteps[0], decimal.Decimal("0.25")) == 0
    turns = numpy.array([0.25, 1.0])  # listed frequencies, which creation copies
    fourier = Encoder(library, dim=4, frequencies=turns.ctypes.data, frequency_count=2, unit=2)
    assert (fourier.write(1, 2) == [[1, 0, 0, 1], [0, -1, 0, 1]]).all()
    assert refuses(lambda: Encoder(library, dim=0))
    assert refuses(lambda: Encoder(library, dim=8, struct_size=3))
    assert refuses(lambda: encoder.write(2**31, 2))


if __name__ == "__main__":
    main(sys.argv[1])
