"""Position encodings of Transformers, every entry correctly rounded, at SIMD speed.

    posenc.table(5000, 512)                      # "Attention Is All You Need": float32 [5000, 512]
    posenc.encode(timesteps, 320, preset="ddpm") # at any positions, by the convention of a framework
    posenc.Encoder(512).add_(x)                  # x [..., rows, 512] += encoding, in place
    posenc.Rotary(128, preset="llama3").rotate_(q, k)
    posenc.Rotary.from_config("config.json")     # the rotary embedding of a model

Arrays are NumPy's, torch's, or anything with DLPack or the buffer protocol, in the CPU's memory; what is written is
written where it lies. What comes out is NumPy's, or torch's if dtype is one of torch's or positions (or a table) are a
tensor and there is no dtype. Types are float64, float32, float16 and bfloat16; bfloat16 comes from torch, or by the
package ml_dtypes.

All arguments are checked before anything is written: TypeError for a value of a wrong type, ValueError for any other,
each naming the argument. Gradients are not recorded: tensors that require one are refused unless under torch.no_grad();
while torch records (torch.jit.trace) calls raise RuntimeError. The interpreter's lock is released during work; objects
never change, and serve all threads.
"""

from functools import lru_cache as _lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, overload as _overload

from posenc import _posenc, _types
from posenc._config import Config, LayerGroup, config
from posenc._posenc import (
    MAX_POSITION, Encoder, Rotary, grid, grid_add_, positions_from_ids, positions_from_mask,
)

__all__ = [
    "MAX_POSITION", "Config", "Encoder", "LayerGroup", "Preset", "Rotary", "Target", "config", "encode", "grid",
    "grid_add_", "positions_from_ids", "positions_from_mask", "presets", "rotary_presets", "table", "targets", "version",
]

#: The version of the library inside.
version = __version__ = "%d.%d.%d" % (_posenc.version // 10000, _posenc.version // 100 % 100, _posenc.version % 100)


class Preset(NamedTuple):
    """A convention that has a name."""

    formula: str
    source: str  # project, file, function
    phase_rounding: str = "none"  # how the source rounds its phases, to be passed by those who must match its tables


class Target(NamedTuple):
    """An instruction set that posenc was compiled for."""

    name: str
    runnable: bool  # by this CPU
    best: bool  # the one in use unless `target` names another


def targets() -> List[Target]:
    """The compiled instruction sets, best first."""
    return [Target(*target) for target in _posenc.targets()]


def presets() -> Dict[str, Preset]:
    """Presets of Encoder, by name."""
    return {name: Preset(*its) for name, *its in _posenc.presets()}


def rotary_presets() -> Dict[str, Preset]:
    """Presets of Rotary, by name."""
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
    """The encoding at each of the positions: [..., dim].

    positions  [...] integers or floats of any type, a list, a range, or a number: |p| <= MAX_POSITION
    dim        columns of a row (d_model)
    dtype      of the result: float32, or another of NumPy's or torch's
    out        [..., dim], written instead of a new array
    members    of Encoder: base, layout, preset ...
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
    """The encoding at the positions first .. first + rows - 1: [rows, dim]. Other arguments are as in encode()."""
    return _encoder(dim, members).table(rows, first=first, dtype=dtype, out=out)


_kept = _lru_cache(maxsize=64, typed=True)(Encoder)


def _encoder(dim, members):
    if type(dim) is int and dim <= 4096:
        try:
            return _kept(dim, **members)
        except TypeError:  # a list among them, or what Encoder refuses once more
            pass
    return Encoder(dim, **members)
