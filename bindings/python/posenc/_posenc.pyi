from collections.abc import Sequence
from typing import Any, Literal, overload

import posenc._types
from posenc._types import (
    A,
    B,
    DType,
    Ndarray,
    NdarrayDType,
    Numbers,
    Tensor,
    TensorDType
)


class Encoder:
    """
    Writes and adds encodings: sin(p w_i) and cos(p w_i), correctly rounded, with

        w_i = position_scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim)

    Immutable, for any number of threads; made in microseconds. Arguments are members of posenc_spec (posenc/posenc_c.h):

    dim               columns of a row (d_model)
    preset            a framework's convention, of posenc.presets(); further arguments change it
    layout            of the columns: sines and cosines interleaved, or one after the other
    exponent_dim      divides 2i; 0 means dim
    position_scale    multiplies every position
    phase_rounding    how the phase is rounded before its sine is taken: as a framework does, or none
    target            an instruction set, of posenc.targets(); None: the best
    frequencies       [pairs] of your own instead of w_i, in `unit` per step; copied, float32 as it is
    nan_rows          bad positions make rows of NaN, instead of ValueError
    lists_only        made faster, for encode() and add_(positions=...)
    odd_column        what an odd dim has besides pairs
    min_timescale     the first frequency, as in tensor2tensor's code: 2 and base 10000 give w from 2 to 0.0004.
                      For timescales 1 / w from 2 to 10000: position_scale=0.5, base=5000
    position_offset   added to every position
    input_first       column 0 is the position itself (NeRF)
    padding_position  rows at it are zero; None: no row
    table_rows        of the whole table of which each call writes a part: large ones are streamed past the caches

    layout: interleaved, interleaved_cos_sin, sin_cos, cos_sin
    odd_column: half_pair, zero_last, zero_middle, cosine_last
    unit: radians, half_turns, turns
    phase_rounding: none, f32_pow_div, f32_exp, f32_log_div, f32_log_increment, f32_inv_freq, f32_iterated, f32_list, f64_inv_freq, f64_pow_div, f64_pow_mul
    """

    def __init__(self, dim: int, *, preset: str | None = None, layout: Literal['interleaved', 'interleaved_cos_sin', 'sin_cos', 'cos_sin'] = 'interleaved', odd_column: Literal['half_pair', 'zero_last', 'zero_middle', 'cosine_last'] = 'half_pair', base: float = 10000.0, exponent_dim: float = 0.0, min_timescale: float = 1.0, position_scale: float = 1.0, position_offset: int = 0, unit: Literal['radians', 'half_turns', 'turns'] = 'radians', frequencies: posenc._types.Numbers | None = None, phase_rounding: Literal['none', 'f32_pow_div', 'f32_exp', 'f32_log_div', 'f32_log_increment', 'f32_inv_freq', 'f32_iterated', 'f32_list', 'f64_inv_freq', 'f64_pow_div', 'f64_pow_mul'] = 'none', padding_position: int | None = None, input_first: bool = False, nan_rows: bool = False, lists_only: bool = False, table_rows: int = 0, target: str | None = None) -> None: ...

    @staticmethod
    def preset(name: str, dim: int, **overrides) -> Encoder:
        """
        Encoder(dim, preset=name, **overrides): posenc.presets() has the names.
        """

    @overload
    def encode(self, positions: Numbers, *, dtype: DType = None, out: A) -> A: ...
    @overload
    def encode(self, positions: Numbers, *, dtype: TensorDType, out: None = None) -> Tensor: ...
    @overload
    def encode(self, positions: Tensor, *, dtype: None = None, out: None = None) -> Tensor: ...
    @overload
    def encode(self, positions: Numbers, *, dtype: NdarrayDType = None, out: None = None) -> Ndarray:
        """
        The encoding at each of the positions: [..., dim].

        positions  [...] integers or floats of any type, a list, a range, or a number: |p| <= posenc.MAX_POSITION
        dtype      of the result: float32, or another of NumPy's or torch's
        out        [..., dim], written instead of a new array: float64, float32, float16 or bfloat16

        Returns out, or a new array: torch's for its dtype, or for a tensor of positions without dtype; else NumPy's.
        ValueError names the first position out of range; then nothing has been written.
        """

    @overload
    def table(self, rows: int, *, first: int = 0, dtype: DType = None, out: A) -> A: ...
    @overload
    def table(self, rows: int, *, first: int = 0, dtype: TensorDType, out: None = None) -> Tensor: ...
    @overload
    def table(self, rows: int, *, first: int = 0, dtype: NdarrayDType = None, out: None = None) -> Ndarray:
        """
        The encoding at first .. first + rows - 1: [rows, dim], otherwise as encode().
        """

    def add_(self, x: A, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float = 1.0) -> A:
        """
        x = x * scale + encoding, in place, rounded as x * scale, a float32 encoding and the sum.

        x          [..., rows, dim] float32, float16 or bfloat16, writable, columns next to each other. For a tensor that requires
                   a gradient write x + encoder.table(..., dtype=x.dtype), or use torch.no_grad()
        first      position of the first row; [...], one for each sequence (left padding); 0
        positions  instead of first: [rows], or [..., rows], of any values

        Returns x. On an error x is as it was.
        """

    @overload
    def embed(self, ids: Numbers, table: Numbers, *, first: int | None = None, positions: Numbers | None = None, scale: float = 1.0, dtype: DType = None, out: A) -> A: ...
    @overload
    def embed(self, ids: Numbers, table: Numbers, *, first: int | None = None, positions: Numbers | None = None, scale: float = 1.0, dtype: TensorDType, out: None = None) -> Tensor: ...
    @overload
    def embed(self, ids: Numbers, table: Tensor, *, first: int | None = None, positions: Numbers | None = None, scale: float = 1.0, dtype: None = None, out: None = None) -> Tensor: ...
    @overload
    def embed(self, ids: Numbers, table: Numbers, *, first: int | None = None, positions: Numbers | None = None, scale: float = 1.0, dtype: NdarrayDType = None, out: None = None) -> Ndarray:
        """
        table[ids] * scale + encoding, in one pass: [..., rows, dim].

        ids        [..., rows] integers, below the length of the table
        table      [vocabulary, dim] float32, float16 or bfloat16
        first      position of the first row of each sequence; 0
        positions  instead of first: [rows], or [..., rows]
        dtype      of the result: the table's, or float32
        out        [..., rows, dim], written instead of a new array; on an error it may be written in part
        """

    @property
    def dim(self) -> int:
        """Columns of a row."""

    @property
    def target(self) -> str:
        """The instruction set in use."""

    @property
    def frequencies(self) -> Ndarray:
        """
        The frequencies in radians per step, [pairs] float64. Slow: microseconds each.
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

MAX_POSITION: int = 2147483648

class Rotary:
    """
    Rotary embeddings (RoPE): pairs (a, b) of a head's elements become

        A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i)),   w_i = base^(-2i / rotary_dim), scaled

    each rounded once. Immutable, for any number of threads. Arguments are members of posenc_rotary_spec
    (posenc/rotary_c.h, which has the formulas):

    head_dim     elements of a head, of which rotary_dim (0: all) from rotary_offset on turn
    preset       a family of models, of posenc.rotary_presets(); further arguments change it
    pairing      half_split (GPT-NeoX, Llama in transformers) or neighbours (GPT-J, Llama's own)
    scaling      how the context was stretched, with factor, length, original_length and so on
    factors      [rotary_dim / 2] of LongRoPE (with long_factors) and ggml; copied, float32 as it is
    frequencies  [rotary_dim / 2] of your own, such as a checkpoint's inv_freq; copied, float32 as it is
    axes         of a position, each with so many pairs as sections says, in axis_order

    pairing: half_split, neighbours
    output_pairing: half_split, neighbours, same
    arithmetic: exact, fast
    unit: radians, half_turns, turns
    axis_order: consecutive, interleaved, alternating, split, axial, imrope
    scaling: none, linear, ntk, dynamic_ntk, qwen_ntk, mixed_ntk, yarn, yarn_log, longrope, llama3, proportional, frequency_factors
    phase_rounding: none, f32_pow_div, f32_exp, f32_log_div, f32_log_increment, f32_inv_freq, f32_iterated, f32_list, f64_inv_freq, f64_pow_div, f64_pow_mul
    """

    def __init__(self, head_dim: int, *, preset: str | None = None, rotary_dim: int = 0, rotary_offset: int = 0, pairing: Literal['half_split', 'neighbours'] = 'half_split', output_pairing: Literal['half_split', 'neighbours', 'same'] = 'same', arithmetic: Literal['exact', 'fast'] = 'exact', base: float = 10000.0, exponent_dim: float = 0.0, position_scale: float = 1.0, unit: Literal['radians', 'half_turns', 'turns'] = 'radians', frequencies: posenc._types.Numbers | None = None, axes: int = 1, sections: Sequence[int] = (), axis_order: Literal['consecutive', 'interleaved', 'alternating', 'split', 'axial', 'imrope'] = 'consecutive', scaling: Literal['none', 'linear', 'ntk', 'dynamic_ntk', 'qwen_ntk', 'mixed_ntk', 'yarn', 'yarn_log', 'longrope', 'llama3', 'proportional', 'frequency_factors'] = 'none', factor: float = 1.0, length: float = 0.0, original_length: float = 0.0, beta_fast: float = 32.0, beta_slow: float = 1.0, truncate: bool = True, mscale: float = 1.0, mscale_all_dim: float = 0.0, amplitude_factor: float = 1.0, low_freq_factor: float = 1.0, high_freq_factor: float = 4.0, proportion: float = 1.0, factors: posenc._types.Numbers | None = None, long_factors: posenc._types.Numbers | None = None, amplitude: float = 0.0, phase_rounding: Literal['none', 'f32_pow_div', 'f32_exp', 'f32_log_div', 'f32_log_increment', 'f32_inv_freq', 'f32_iterated', 'f32_list', 'f64_inv_freq', 'f64_pow_div', 'f64_pow_mul'] = 'none', target: str | None = None) -> None: ...

    @staticmethod
    def preset(name: str, head_dim: int, **overrides) -> Rotary:
        """
        Rotary(head_dim, preset=name, **overrides): posenc.rotary_presets() has the names.
        """

    @staticmethod
    def from_config(config: Any, *, layer: int | None = None, layer_type: str | None = None, model_type: str | None = None, pairing: Literal['half_split', 'neighbours'] | None = None, **overrides) -> Rotary:
        """
        The rotary of a layer of a model, by its configuration.

        config      a dict, the path of a config.json, or an object with to_dict(), as transformers' configurations are; or the
                    metadata of a GGUF file as a dict, with its tensors rope_freqs and the like as lists
        layer       the layer's number, or
        layer_type  its type ("sliding_attention"): needed if rotaries differ between layers
        model_type  the model's type or architecture, if it is not the configuration's
        pairing     needed if posenc does not know the model, which then rotates by +p, along one axis and in all layers
        overrides   arguments of Rotary, set over those that the configuration makes: length, if a scaling depends on it; base, if
                    neither the configuration nor the model's code has one

        The result shows its arguments. posenc never guesses. A configuration that it does not understand is a ValueError, and
        so is a layer that does not rotate. The sentence names the file, if there is one, and the key, and says what would be
        right. posenc.config() shows all layers.
        """

    @overload
    def rotate_(self, q: A, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3) -> A: ...
    @overload
    def rotate_(self, q: A, k: B, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3) -> tuple[A, B]: ...
    @overload
    def rotate_(self, q: A, k: A, third: A, /, *more: A, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3) -> tuple[A, ...]:
        """
        Rotates tensors, q and k for one, in place.

        tensors     each [..., tokens, heads, head_dim] float32, float16 or bfloat16, writable, of any strides with elements
                    next to each other; they may not overlap. For tensors that require a gradient write
                    q * cos + rotate_half(q) * sin with the tensors of cache(), or use torch.no_grad()
        first       position of the first token; [...], one for each sequence (left padding); 0
        positions   instead of first: [tokens], or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]
        scale       multiplies all that turns; a number, or one for each tensor
        inverse     turns back
        token_axis  -2 for [..., heads, tokens, head_dim] or [tokens, head_dim]

        Returns the tensor, or a tuple of them. On an error all are as they were.
        """

    @overload
    def rotate(self, q: A, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3) -> A: ...
    @overload
    def rotate(self, q: A, k: B, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3) -> tuple[A, B]: ...
    @overload
    def rotate(self, q: A, k: A, third: A, /, *more: A, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3) -> tuple[A, ...]:
        """New tensors, rotated, contiguous; otherwise as rotate_()."""

    @overload
    def cache(self, tokens: int | None = None, *, first: int | None = None, positions: Numbers | None = None, layout: Literal['cos_sin', 'pairs'], dtype: TensorDType) -> Tensor: ...
    @overload
    def cache(self, *, first: int | None = None, positions: Tensor, layout: Literal['cos_sin', 'pairs'], dtype: None = None) -> Tensor: ...
    @overload
    def cache(self, tokens: int | None = None, *, first: int | None = None, positions: Numbers | None = None, layout: Literal['cos_sin', 'pairs'], dtype: NdarrayDType = None) -> Ndarray: ...
    @overload
    def cache(self, tokens: int | None = None, *, first: int | None = None, positions: Numbers | None = None, layout: Literal['halves', 'duplicated', 'halves_twice'] = 'halves', dtype: TensorDType) -> tuple[Tensor, Tensor]: ...
    @overload
    def cache(self, *, first: int | None = None, positions: Tensor, layout: Literal['halves', 'duplicated', 'halves_twice'] = 'halves', dtype: None = None) -> tuple[Tensor, Tensor]: ...
    @overload
    def cache(self, tokens: int | None = None, *, first: int | None = None, positions: Numbers | None = None, layout: Literal['halves', 'duplicated', 'halves_twice'] = 'halves', dtype: NdarrayDType = None) -> tuple[Ndarray, Ndarray]:
        """
        Cosines and sines, times the amplitude, correctly rounded.

        tokens     for the positions first .. first + tokens - 1
        positions  or for these: [...], with several axes [axes, ...]
        layout     halves: cos, sin [..., rotary_dim / 2]; duplicated: cos, sin [..., rotary_dim], as pairing has them;
                   halves_twice: those of halves, then once more, [..., rotary_dim], whatever the pairing;
                   cos_sin or pairs: one array [..., rotary_dim], cosines first or interleaved
        dtype      float32, or another of NumPy's or torch's

        Returns (cos, sin) or the one array.
        """

    @property
    def head_dim(self) -> int:
        """Elements of a head."""

    @property
    def rotary_dim(self) -> int:
        """Those of them that turn."""

    @property
    def rotary_offset(self) -> int:
        """The first of these."""

    @property
    def axes(self) -> int:
        """Of a position."""

    @property
    def axis_order(self) -> str:
        """Which pairs rotate by which of them."""

    @property
    def pairing(self) -> str:
        """Which elements are a pair, as it is read."""

    @property
    def output_pairing(self) -> str:
        """Which elements are a pair, as it is written."""

    @property
    def amplitude(self) -> float:
        """What the scaling multiplies all that turns by."""

    @property
    def target(self) -> str:
        """The instruction set in use."""

    @property
    def frequencies(self) -> Ndarray:
        """
        The scaled frequencies in radians per step, [rotary_dim / 2] float64. Slow: microseconds each.
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

def config(config: object, layer: object | None, layer_type: object | None, model_type: object | None, pairing: object | None) -> tuple: ...

def eager_add(x: Any, encoder: Any, positions: Any, first: Any, scale: Any) -> Any: ...

def eager_rotate(tensors: Any, rotary: Any, positions: Any, first: Any, scale: Any, inverse: Any, token_axis: Any) -> Any: ...

@overload
def grid(axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, dtype: DType = None, out: A) -> A: ...
@overload
def grid(axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, dtype: TensorDType, out: None = None) -> Tensor: ...
@overload
def grid(axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, dtype: NdarrayDType = None, out: None = None) -> Ndarray:
    """
    Encodings of images and video, a row a cell: [prefix_rows + cells, columns].

    axes         (encoder, column, n) each: the columns from that one on get the encoder's rows for the positions
                 0 .. n - 1, or, if n is a list [count], for these. The last axis varies fastest.
    prefix_rows  rows of zeros before (class tokens)
    dtype        of the result: float32, or another of NumPy's or torch's
    out          [prefix_rows + cells, columns], written instead of a new array; columns of no axis stay

        half = posenc.Encoder(dim // 2, layout="sin_cos")  # MAE: rows by height, then width; columns by width first
        posenc.grid([(half, dim // 2, 14), (half, 0, 14)], prefix_rows=1)
    """

def grid_add_(x: A, axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, scale: float = 1.0) -> A:
    """
    x = x * scale + grid(axes), in place: x [prefix_rows + cells, columns]. Returns x; on an error it is as it was.
    """

@overload
def positions_from_ids(ids: Tensor, padding_id: int, *, past: int = 0) -> Tensor: ...
@overload
def positions_from_ids(ids: Numbers, padding_id: int, *, past: int = 0) -> Ndarray:
    """
    Positions of tokens, as fairseq and transformers number them: [..., tokens] int64.

        padding_id + past + the number of ids up to this one that are not padding_id; padding_id for padding

    ids         [..., tokens] integers
    padding_id  what pads
    past        tokens that came before (past_key_values_length)

        encoder.embed(ids, table, positions=posenc.positions_from_ids(ids, padding_id=1))
    """

@overload
def positions_from_mask(mask: Tensor, *, normalization: Literal['none', 'f32', 'f64'] = 'none', scale: float = 0.0, offset: float = 0.0) -> tuple[Tensor, Tensor]: ...
@overload
def positions_from_mask(mask: Numbers, *, normalization: Literal['none', 'f32', 'f64'] = 'none', scale: float = 0.0, offset: float = 0.0) -> tuple[Ndarray, Ndarray]:
    """
    Positions of an image's cells, as DETR counts them: y, x [..., height, width] float64.

    mask           [..., height, width] bool or uint8; what is not 0 is padding
    normalization  none: the number of cells that are not padding, from 1; f32, f64: that, plus offset, divided by the last of the
                   column or row, times scale, with operations rounded to this type
    scale          0 means 2 pi
    offset         -0.5 for Deformable DETR
    """

def presets() -> list[tuple[Any, ...]]: ...

def rotary_presets() -> list[tuple[Any, ...]]: ...

def targets() -> list[tuple[Any, ...]]: ...

version: int = 100
