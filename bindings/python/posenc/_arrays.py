"""Which arrays come out: NumPy's, or torch's where a torch dtype or tensor went in."""

import sys

import numpy

_NAMES = ("float64", "float32", "float16", "bfloat16")
_makers = {}  # of a dtype that has been seen: (function of shape and dtype, dtype)


def empty(shape, dtype, like):
    """An array of that shape and whatever contents. Without a dtype float32, torch's if `like` is a tensor."""
    if dtype is None:
        torch = sys.modules.get("torch")
        dtype = torch.float32 if torch and isinstance(like, torch.Tensor) else "float32"
    try:
        make, its = _makers.get(dtype) or _maker(dtype)
    except TypeError as error:
        raise TypeError(f"dtype must be a dtype of NumPy or torch, or a name: {error}") from None
    return make(shape, dtype=its)


def _empty_tensor(shape, dtype):
    import torch

    try:
        return torch.empty(shape, dtype=dtype)
    except RuntimeError as error:
        raise MemoryError(str(error)) from None


def _maker(dtype):
    if type(dtype).__module__ == "torch":
        name, make, its = str(dtype).rpartition(".")[2], _empty_tensor, dtype
    else:
        its = numpy.dtype(_bfloat16() if dtype == "bfloat16" else dtype)
        name, make = its.name, numpy.empty
    if name not in _NAMES or getattr(its, "isnative", True) is not True:
        raise TypeError(f"{dtype!r} is none of {', '.join(_NAMES)}")
    _makers[dtype] = make, its
    return make, its


def _bfloat16():
    try:
        import ml_dtypes
    except ImportError:
        raise ValueError(
            "dtype bfloat16: NumPy has it with the package ml_dtypes only, which is not installed; or pass torch.bfloat16"
        ) from None
    return ml_dtypes.bfloat16
