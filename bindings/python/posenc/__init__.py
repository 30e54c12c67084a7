"""Position encodings of Transformers, every entry correctly rounded, at SIMD speed.

    posenc.table(5000, 512)                      # "Attention Is All You Need": float32 [5000, 512]
    posenc.encode(timesteps, 320, preset="ddpm") # at any positions, by the convention of a framework
    posenc.Encoder(512).add_(x)                  # x [..., rows, 512] += encoding, in place
    posenc.Rotary(128, preset="llama3").rotate_(q, k)  # q and k [..., tokens, heads, 128], in place
    posenc.Rotary.from_config("config.json")     # the rotary embedding of a model

Arguments may be arrays of NumPy, tensors of torch, or any object with DLPack or the buffer protocol, in the CPU's memory.
Functions whose names end with an underscore, and functions with `out`, write into the memory of their argument.

Results are NumPy arrays by default. They are torch tensors if dtype is a torch dtype, or if there is no dtype and the
positions (or the table of embed) are a tensor. Types are float64, float32, float16 and bfloat16. NumPy has bfloat16 only with
the package ml_dtypes.

All arguments are checked before anything is written. A value of a wrong type raises TypeError, and any other wrong value
raises ValueError; the message names the argument.

posenc does not record gradients. A tensor that requires a gradient is refused, unless you call posenc under torch.no_grad().
While torch records operators (torch.jit.trace, torch.export), calls raise RuntimeError. posenc.torch has functions that torch
can record and differentiate.

Objects never change, so threads may share them. Calls release the interpreter's lock while they compute.
"""

from functools import lru_cache as _lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, overload as _overload

from posenc import _posenc, _types
from posenc._config import Config, LayerGroup, config
from posenc._norm import Norm
from posenc._posenc import (
    MAX_POSITION, Angles, Encoder, Rotary, grid, grid_add_, positions_from_ids, positions_from_mask,
)

__all__ = [
    "MAX_POSITION", "Angles", "Config", "Encoder", "LayerGroup", "Norm", "Preset", "Rotary", "Target", "config", "encode", "grid",
    "grid_add_", "positions_from_ids", "positions_from_mask", "presets", "rotary_presets", "table", "targets", "version",
]

#: The version of the library that this package contains.
version = __version__ = "%d.%d.%d" % (_posenc.version // 10000, _posenc.version // 100 % 100, _posenc.version % 100)


class Preset(NamedTuple):
    """A preset: the convention of a framework or a paper."""

    formula: str  # the frequencies w_i
    source: str  # project, file, function
    phase_rounding: str = "none"  # how the source rounds phases; pass it to reproduce the tables of the source bit by bit


class Target(NamedTuple):
    """An instruction set that posenc was compiled for."""

    name: str
    runnable: bool  # whether this CPU can run it
    best: bool  # whether posenc uses it unless `target` names another one


def targets() -> List[Target]:
    """The compiled instruction sets, the best one first."""
    return [Target(*target) for target in _posenc.targets()]


def presets() -> Dict[str, Preset]:
    """The presets of Encoder: {name: Preset}."""
    return {name: Preset(*its) for name, *its in _posenc.presets()}


def rotary_presets() -> Dict[str, Preset]:
    """The presets of Rotary: {name: Preset}."""
    return {name: Preset(*its) for name, *its in _posenc.rotary_presets()}


@_overload
def encode(
    positions: _types.Numbers, dim: int, *, dtype: _types.DType = None, out: _types.A, **members: Any
) -> _types.A: ...
@_overload
def encode(
    positions: _types.Numbers, dim: int, *, dtype: _types.TensorDType, out: None = None, **members: Any
) -> _types.Tensor: ...
@_overload
def encode(
    positions: _types.Tensor, dim: int, *, dtype: None = None, out: None = None, **members: Any
) -> _types.Tensor: ...
@_overload
def encode(
    positions: _types.Numbers, dim: int, *, dtype: _types.NdarrayDType = None, out: None = None, **members: Any
) -> _types.Ndarray: ...
def encode(
    positions: _types.Numbers, dim: int, *, dtype: _types.DType = None, out: Optional[_types.Array] = None, **members: Any
) -> _types.Array:
    """Returns the encoding at each position: [..., dim].

    positions  [...] integers or floats of any type, in steps: an array, a list, a range or a number. |p| <= MAX_POSITION
    dim        number of columns (d_model)
    dtype      type of the result: a dtype of NumPy or torch, or its name; the default is float32
    out        [..., dim] an array to write to, instead of a new one
    members    other arguments of Encoder: base, layout, preset ...

    Raises ValueError if a position is out of range; the message names the first one. Then nothing has been written.
    """
    return _encoder(dim, members).encode(positions, dtype=dtype, out=out)


@_overload
def table(
    rows: int, dim: int, *, first: int = 0, dtype: _types.DType = None, out: _types.A, **members: Any
) -> _types.A: ...
@_overload
def table(
    rows: int, dim: int, *, first: int = 0, dtype: _types.TensorDType, out: None = None, **members: Any
) -> _types.Tensor: ...
@_overload
def table(
    rows: int, dim: int, *, first: int = 0, dtype: _types.NdarrayDType = None, out: None = None, **members: Any
) -> _types.Ndarray: ...
def table(
    rows: int, dim: int, *, first: int = 0, dtype: _types.DType = None, out: Optional[_types.Array] = None, **members: Any
) -> _types.Array:
    """Returns the encoding at the positions first .. first + rows - 1: [rows, dim].

    rows   number of rows
    first  position of the first row, in steps

    Other arguments and errors are the same as for encode().
    """
    return _encoder(dim, members).table(rows, first=first, dtype=dtype, out=out)


_kept = _lru_cache(maxsize=64, typed=True)(Encoder)


def _encoder(dim, members):
    if type(dim) is int and dim <= 4096:
        try:
            return _kept(dim, **members)
        except TypeError:  # a list cannot be a key of the cache; if Encoder refused an argument, it does so again below
            pass
    return Encoder(dim, **members)
