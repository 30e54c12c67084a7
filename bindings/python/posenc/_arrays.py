"""Makes new arrays of NumPy or torch for results, and converts numbers of any type to types that the C functions take."""

import sys

import numpy

_NAMES = ("float64", "float32", "float16", "bfloat16")
_NO_NUMBERS = (bool, str, bytes, numpy.bool_, numpy.complexfloating)  # float() takes them, but posenc does not
_makers = {}  # for each dtype that has been used: (function that makes an array of a shape and a dtype, dtype)


def empty(shape, dtype, like):
    """A new array of this shape, uninitialized. Without a dtype it is float32, and a tensor if `like` is a tensor."""
    if dtype is None:
        torch = sys.modules.get("torch")
        dtype = torch.float32 if torch and isinstance(like, torch.Tensor) else "float32"
    try:
        make, its = _makers.get(dtype) or _maker(dtype)
    except TypeError as error:
        raise TypeError(f"dtype must be a dtype of NumPy or torch, or a name, of {', '.join(_NAMES)}: {error}") from None
    return make(shape, dtype=its)


def _maker(dtype):
    if type(dtype).__module__ == "torch":
        from posenc._torch import empty as make

        name, its = str(dtype).rpartition(".")[2], dtype
    else:
        its = numpy.dtype(_bfloat16() if dtype == "bfloat16" else dtype)
        name, make = its.name, numpy.empty
    if name not in _NAMES or getattr(its, "isnative", True) is not True:
        raise TypeError(f"{dtype!r} is none of these")
    _makers[dtype] = make, its
    return make, its


def _bfloat16():
    try:
        import ml_dtypes
    except ImportError:
        raise ValueError(
            "dtype bfloat16: NumPy needs the package ml_dtypes for it, which is not installed; install it, or pass torch.bfloat16"
        ) from None
    return ml_dtypes.bfloat16


def numbers(shape, name, like):
    """A new array of this shape, uninitialized, of int64 or float64: a tensor if `like` is a tensor, otherwise NumPy's."""
    torch = sys.modules.get("torch")
    if torch and isinstance(like, torch.Tensor):
        return torch.empty(shape, dtype=getattr(torch, name))
    return numpy.empty(shape, name)


def mask_bytes(mask, name):
    """The mask as contiguous bytes, of the same shape."""
    array = _of_numpy(mask, name)
    if array.dtype not in (numpy.bool_, numpy.uint8):
        raise TypeError(f"{name} must be bool or uint8, not {array.dtype}")
    return numpy.ascontiguousarray(array).view("uint8").reshape(array.shape)


def widened(numbers, name):
    """Positions or ids of any type, converted to the first of int64, float32 and float64 that represents all of them exactly."""
    array = _of_numpy(numbers, name)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.size == 0 and isinstance(numbers, (list, tuple)):
        return array.astype("int64")  # NumPy makes float64 of an empty list
    if kind == "O" and all(type(number) is int for number in array.flat):  # beyond 64 bits, so out of range anyway
        return numpy.asarray(numpy.clip(array, -(2**63), 2**63 - 1), "int64")
    if kind == "u" and size == 8:
        return numpy.asarray(numpy.minimum(array, numpy.uint64(2**63 - 1)), "int64")
    if kind in "iu":
        return array.astype("int64", copy=False)
    if kind == "V" and _is_short_float(array.dtype):
        return array.astype("float32")
    if kind != "f":
        raise TypeError(f"{name} has a type that posenc does not take: {array.dtype}; pass integers or floats")
    if size <= 4:
        return array.astype("float32", copy=False)
    with numpy.errstate(all="ignore"):
        doubles = array.astype("float64", copy=False)
    if size > 8 and not ((doubles == array) | (array != array)).all():
        raise ValueError(f"{name} must be numbers that a double represents exactly")
    return doubles


def coefficients(numbers, name):
    """A copy of frequencies or factors: float32 if their type is float32 or a shorter float, otherwise float64."""
    array = _of_numpy(numbers, name)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "O" and not any(isinstance(number, _NO_NUMBERS) for number in array.flat):
        try:
            return array.astype("float64")  # such as integers beyond 64 bits, or fractions.Fraction
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{name} must be numbers, or an array of numbers: {error}") from None
    if kind not in "iuf" and not _is_short_float(array.dtype):
        raise TypeError(f"{name} must be numbers, or an array of numbers, not {array.dtype}")
    is_short = kind == "V" or kind == "f" and size <= 4
    return numpy.array(array, "float32" if is_short else "float64")


def _is_short_float(dtype):
    """Whether the dtype is a float of ml_dtypes. float32 represents all numbers of these types exactly."""
    return dtype.name.startswith(("bfloat16", "float8", "float6", "float4"))


def _of_numpy(numbers, name):
    """The numbers as a NumPy array, copied if necessary."""
    try:
        torch = sys.modules.get("torch")
        if torch and isinstance(numbers, torch.Tensor):
            numbers = numbers.detach().resolve_neg()
            if numbers.is_complex():
                raise TypeError(f"not {numbers.dtype}")
            if numbers.is_floating_point() and numbers.dtype not in (torch.float64, torch.float32, torch.float16):
                numbers = numbers.float()
            return numbers.numpy()
        if hasattr(type(numbers), "__dlpack__") and not hasattr(type(numbers), "__array__"):
            return numpy.from_dlpack(numbers)
        return numpy.asarray(numbers)
    except MemoryError:
        raise
    except Exception as error:  # another library may raise any kind of error
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"{name} must be numbers, or an array of numbers: {error}") from None
