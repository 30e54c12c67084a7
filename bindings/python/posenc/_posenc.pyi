from collections.abc import Sequence
from typing import Any, Literal, overload

from posenc._norm import Norm
import posenc._types
from posenc._types import (
    A,
    Array,
    B,
    DType,
    Ndarray,
    NdarrayDType,
    Numbers,
    Tensor,
    TensorDType
)


class Angles:
    """
    The cosines and sines of a step's tokens, computed once for all layers: what Rotary.angles() returns.

    Rotary.rotate and rotate_ take them instead of first or positions. Angles never change, so threads may share them. They keep
    their Rotary alive, and only this Rotary takes them.
    """

    @property
    def rotary(self, /) -> Rotary:
        """The Rotary that made them."""

    @property
    def positions(self) -> Ndarray:
        """
        The positions of the tokens, as a new array of int64 or float64: [tokens] or [..., tokens], or with several axes [axes, ...].
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> object: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

class Encoder:
    """
    Computes sinusoidal position encodings: sin(p w_i) and cos(p w_i) for positions p, every entry correctly rounded, with

        w_i = position_scale * min_timescale * (base / min_timescale)^(-2i / exponent_dim)

    An Encoder never changes, so threads may share it. It is made in microseconds. Arguments are the members of posenc_spec,
    which posenc/posenc_c.h describes. A wrong value raises ValueError, and a wrong type raises TypeError.

    dim               number of columns (d_model)
    preset            name of a convention (posenc.presets()); other arguments change it
    layout            order of the columns: sines and cosines interleaved, or in two halves
    exponent_dim      divides 2i in the exponent; 0 means dim
    position_scale    multiplies every position
    phase_rounding    rounds phases before the sine, as a framework does; none: phases are exact
    target            name of an instruction set (posenc.targets()); None: the best one
    frequencies       [pairs] your own frequencies instead of w_i, in `unit` per step; they are copied, and float32 stays float32
    unit              unit of the frequencies: radians, half turns or turns per step
    nan_rows          True: a position that is NaN or out of range makes a row of NaN; False: it raises ValueError
    lists_only        True: takes less memory and less time to make, but table() and runs become as slow as lists of positions
    odd_column        what the last column of an odd dim contains
    min_timescale     the first frequency, as in the code of tensor2tensor: 2 and base 10000 give w from 2 to 0.0004.
                      For timescales 1 / w from 2 to 10000, use position_scale=0.5 and base=5000
    position_offset   added to every position
    input_first       True: column 0 is the position itself (NeRF)
    padding_position  the row at this position is zero; None: no row is zero
    table_rows        if calls write parts of one large table, its number of rows; large tables are written past the CPU's caches

    layout: interleaved, interleaved_cos_sin, sin_cos, cos_sin
    odd_column: half_pair, zero_last, zero_middle, cosine_last
    unit: radians, half_turns, turns
    phase_rounding: none, f32_pow_div, f32_exp, f32_log_div, f32_log_increment, f32_inv_freq, f32_iterated, f32_list, f64_inv_freq, f64_pow_div, f64_pow_mul
    """

    def __init__(self, dim: int, *, preset: str | None = None, layout: Literal['interleaved', 'interleaved_cos_sin', 'sin_cos', 'cos_sin'] = 'interleaved', odd_column: Literal['half_pair', 'zero_last', 'zero_middle', 'cosine_last'] = 'half_pair', base: float = 10000.0, exponent_dim: float = 0.0, min_timescale: float = 1.0, position_scale: float = 1.0, position_offset: int = 0, unit: Literal['radians', 'half_turns', 'turns'] = 'radians', frequencies: posenc._types.Numbers | None = None, phase_rounding: Literal['none', 'f32_pow_div', 'f32_exp', 'f32_log_div', 'f32_log_increment', 'f32_inv_freq', 'f32_iterated', 'f32_list', 'f64_inv_freq', 'f64_pow_div', 'f64_pow_mul'] = 'none', padding_position: int | None = None, input_first: bool = False, nan_rows: bool = False, lists_only: bool = False, table_rows: int = 0, target: str | None = None) -> None: ...

    @staticmethod
    def preset(name: str, dim: int, **overrides) -> Encoder:
        """
        The same as Encoder(dim, preset=name, **overrides). posenc.presets() lists the names.
        """

    @staticmethod
    def from_spec(text: str, **overrides) -> Encoder:
        """
        Reads the text of a spec: "head_dim=128 base=500000 frequencies=1:0.1:0.01". The property `spec` has this text,
        'posenc config' prints it, and ONNX Runtime's operators take it. Keyword arguments change members.
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
        Returns the encoding at each position: [..., dim].

        positions  [...] integers or floats of any type, in steps: an array, a list, a range or a number. |p| <= posenc.MAX_POSITION
        dtype      type of the result: a dtype of NumPy or torch, or its name; the default is float32
        out        [..., dim] float64, float32, float16 or bfloat16: an array to write to, instead of a new one

        Returns out, or a new array. The new array is a torch tensor if dtype is a torch dtype, or if positions are a tensor and there
        is no dtype. Otherwise it is a NumPy array.

        Raises ValueError if a position is out of range; the message names the first one. Then nothing has been written.
        """

    @overload
    def table(self, rows: int, *, first: int = 0, dtype: DType = None, out: A) -> A: ...
    @overload
    def table(self, rows: int, *, first: int = 0, dtype: TensorDType, out: None = None) -> Tensor: ...
    @overload
    def table(self, rows: int, *, first: int = 0, dtype: NdarrayDType = None, out: None = None) -> Ndarray:
        """
        Returns the encoding at the positions first .. first + rows - 1: [rows, dim].

        rows   number of rows
        first  position of the first row, in steps

        dtype, out, the type of the result and errors are the same as in encode().
        """

    def add_(self, x: A, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float = 1.0) -> A:
        """
        Adds the encoding in place: x = x * scale + encoding. Returns x.

        The product x * scale and the sum are rounded to float32, and the encoding is a correctly rounded float32. For float16 and
        bfloat16 the sum is then rounded to the type of x.

        x          [..., rows, dim] float32, float16 or bfloat16; writable, with a stride of 1 between columns. If x is a tensor that
                   requires a gradient, use x + encoder.table(..., dtype=x.dtype) or posenc.torch.add, or call under torch.no_grad()
        first      position of the first row, in steps; or [...], one position for each sequence (left padding). The default is 0
        positions  instead of first: [rows] or [..., rows], integers or floats
        scale      multiplies x before the encoding is added

        Raises ValueError or TypeError for a wrong argument; then x is unchanged.
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
        Returns table[ids] * scale + encoding, computed in one pass: [..., rows, dim].

        ids        [..., rows] integers, 0 .. vocabulary - 1
        table      [vocabulary, dim] float32, float16 or bfloat16
        first      position of the first row of each sequence, in steps; the default is 0
        positions  instead of first: [rows] or [..., rows], integers or floats
        scale      multiplies the rows of the table
        dtype      type of the result: the type of the table (the default), or float32
        out        [..., rows, dim] an array to write to, instead of a new one

        Raises ValueError if an id or a position is out of range; then out may have been written in part.
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

    @property
    def spec(self) -> str:
        """The text of its spec: the members that are not the default."""

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

MAX_POSITION: int = 2147483648

class Rotary:
    """
    Computes rotary embeddings (RoPE). At position p, pair i of the elements of a head, (a, b), becomes

        A (a cos(p w_i) - b sin(p w_i)), A (b cos(p w_i) + a sin(p w_i)),   w_i = base^(-2i / rotary_dim), scaled

    Each result is rounded once. A Rotary never changes, so threads may share it. Arguments are the members of posenc_rotary_spec;
    posenc/rotary_c.h describes them and has all formulas. A wrong value raises ValueError, and a wrong type raises TypeError.

    head_dim       number of elements in a head
    rotary_dim     how many of them rotate; 0 means all
    rotary_offset  the first element that rotates
    preset         name of a family of models (posenc.rotary_presets()); other arguments change it
    pairing        which elements are a pair: half_split (GPT-NeoX, Llama in transformers) or neighbours (GPT-J, Llama's own code)
    scaling        how the context was extended; uses factor, length, original_length and other arguments
    factors        [rotary_dim / 2] factors of LongRoPE (with long_factors) or ggml; they are copied, and float32 stays float32
    frequencies    [rotary_dim / 2] your own frequencies, such as inv_freq of a checkpoint; they are copied, and float32 stays float32
    axes           number of axes of a position; sections says how many pairs each axis rotates, and axis_order in which order
    amplitude      A; 0 means the amplitude of the scaling

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
        The same as Rotary(head_dim, preset=name, **overrides). posenc.rotary_presets() lists the names.
        """

    @staticmethod
    def from_spec(text: str, **overrides) -> Rotary:
        """
        Reads the text of a spec: "head_dim=128 base=500000 frequencies=1:0.1:0.01". The property `spec` has this text,
        'posenc config' prints it, and ONNX Runtime's operators take it. Keyword arguments change members.
        """

    @staticmethod
    def from_config(config: Any, *, layer: int | None = None, layer_type: str | None = None, model_type: str | None = None, pairing: Literal['half_split', 'neighbours'] | None = None, **overrides) -> Rotary:
        """
        Makes the Rotary for a layer of a model from the model's configuration.

        config      a dict; the path of a config.json; an object with to_dict(), such as a configuration of transformers; or the
                    metadata of a GGUF file as a dict, with tensors such as rope_freqs as lists
        layer       number of the layer, from 0 on. layer or layer_type is needed if layers have different rotary embeddings
        layer_type  type of the layer, such as "sliding_attention"
        model_type  replaces the model type or architecture in the configuration
        pairing     half_split or neighbours; needed if posenc does not know the model. posenc then assumes that the model rotates by
                    +p, along one axis, in all layers, and whole heads unless partial_rotary_factor is given. The
                    configuration must have head_dim
        overrides   arguments of Rotary that replace what the configuration says. length is needed if a scaling depends on it, and base
                    if neither the configuration nor the model's code has one

        print() shows the arguments of the result, and posenc.config() shows all layers. posenc never guesses: it raises ValueError for
        a configuration that it does not understand, and for a layer that does not rotate. The message names the file, if there is one,
        and the key, and says what would be right.
        """

    @overload
    def rotate_(self, q: A, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Norm | None = None) -> A: ...
    @overload
    def rotate_(self, q: A, k: B, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Sequence[Norm | None] | None = None) -> tuple[A, B]: ...
    @overload
    def rotate_(self, q: A, k: A, third: A, /, *more: A, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Sequence[Norm | None] | None = None) -> tuple[A, ...]:
        """
        Rotates tensors in place, for example q and k. Returns the tensor, or a tuple of tensors.

        tensors     each [..., tokens, heads, head_dim] float32, float16 or bfloat16, all of one type; writable, with a stride of 1
                    between elements of a head. Tensors must not overlap. If they require a gradient, use posenc.torch.rotate, or
                    q * cos + rotate_half(q) * sin with the result of cache(), or call under torch.no_grad()
        first       position of the first token, in steps; or [...], one position for each sequence (left padding). The default is 0
        positions   instead of first: [tokens] or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]
        scale       multiplies the elements that rotate: a number, or a list with a number for each tensor
        inverse     True: rotates backwards
        token_axis  -3, or -2 if tensors are [..., heads, tokens, head_dim] or [tokens, head_dim]
        angles      instead of first and positions: what angles() of this Rotary returned for these positions. The bits are the same
        first_token with angles: the tensors begin with this token of the angles
        factors     [tokens] or [..., tokens], rounded to float32. Each factor multiplies all elements of a token, also the elements that
                    do not rotate. For several tensors: a list with factors, or None, for each
        norm        a posenc.Norm: RMSNorm of each head before it rotates. For several tensors: a list with a Norm, or None, for each

        Raises ValueError or TypeError for a wrong argument; then all tensors are unchanged.
        """

    @overload
    def rotate(self, q: A, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Norm | None = None, dtype: None = None, out: None = None) -> A: ...
    @overload
    def rotate(self, q: Array, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Norm | None = None, dtype: None = None, out: A, slots: Numbers | None = None, slot_axis: Literal[-3, -2] = -3) -> A: ...
    @overload
    def rotate(self, q: Array, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Norm | None = None, dtype: TensorDType, out: None = None) -> Tensor: ...
    @overload
    def rotate(self, q: Array, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Norm | None = None, dtype: NdarrayDType, out: None = None) -> Ndarray: ...
    @overload
    def rotate(self, q: A, k: B, /, *, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Sequence[Norm | None] | None = None, dtype: None = None, out: None = None) -> tuple[A, B]: ...
    @overload
    def rotate(self, q: A, k: A, third: A, /, *more: A, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Sequence[Norm | None] | None = None, dtype: None = None, out: None = None) -> tuple[A, ...]: ...
    @overload
    def rotate(self, q: Array, k: Array, /, *more: Array, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Sequence[Norm | None] | None = None, dtype: DType | Sequence[DType], out: None = None) -> tuple[Any, ...]: ...
    @overload
    def rotate(self, q: Array, k: Array, /, *more: Array, first: int | Numbers | None = None, positions: Numbers | None = None, scale: float | Sequence[float] = 1.0, inverse: bool = False, token_axis: Literal[-3, -2] = -3, angles: Angles | None = None, first_token: int = 0, factors: Numbers | None = None, norm: Sequence[Norm | None] | None = None, dtype: DType | Sequence[DType] = None, out: Sequence[Array], slots: Sequence[Numbers | None] | None = None, slot_axis: Literal[-3, -2] = -3) -> tuple[Any, ...]:
        """
        Returns rotated tensors: new, contiguous arrays, or the arrays in `out`. The tensors themselves are only read.

        dtype      type of a new array; without it, the tensor's own type. Only float32 may become another type, float16 or bfloat16,
                   with one rounding. For several tensors: a dtype for all, or a list with a dtype, or None, for each
        out        instead of dtype: an array to write to, of the tensor's shape; it may be the tensor itself. For several tensors: a list
                   with an array, or None, for each
        slots      [tokens] integers: `out` is a paged KV cache, and token t goes to the slot slots[t] = block * block_size + offset. If
                   slots[t] is -1, it goes nowhere. No other slot changes. If a slot occurs twice, the later token wins. The tensor is
                   [tokens, heads, head_dim], or with token_axis -2 [heads, tokens, head_dim]. For several tensors: a list with slots, or
                   None, for each
        slot_axis  -3 if caches are [blocks, block_size, heads, head_dim], or -2 if they are [blocks, heads, block_size, head_dim]. A cache
                   may have any strides if each block lies behind the block before it

        Other arguments and errors are the same as in rotate_(). After an error `out` is unchanged.
        """

    @overload
    def angles(self, tokens: int, *, first: int | Numbers | None = None) -> Angles: ...
    @overload
    def angles(self, *, positions: Numbers) -> Angles:
        """
        Computes the cosines and sines of a step's tokens once. Each layer then rotates by them: rotate_(q, k, angles=angles).

        tokens     number of tokens, at the positions first .. first + tokens - 1
        first      position of the first token, in steps; or [...], one position for each sequence. The default is 0
        positions  instead of tokens and first: [tokens] or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]

        Angles take 1.3 to 4.2 KB for each token if 128 elements rotate. Raises ValueError if a position is out of range.
        """

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
        Returns cosines and sines, times the amplitude, correctly rounded: (cos, sin), or one array.

        tokens     the positions are first .. first + tokens - 1
        positions  instead of tokens: [...], or with several axes [axes, ...]
        layout     halves: cos and sin are [..., rotary_dim / 2].
                   duplicated: cos and sin are [..., rotary_dim], with the value of a pair for both of its elements.
                   halves_twice: cos and sin are [..., rotary_dim]; the second half repeats the first, with any pairing.
                   cos_sin, pairs: one array [..., rotary_dim], with cosines before sines, or interleaved
        dtype      type of the result: a dtype of NumPy or torch, or its name; the default is float32
        """

    @property
    def head_dim(self) -> int:
        """The number of elements in a head."""

    @property
    def rotary_dim(self) -> int:
        """How many of them rotate."""

    @property
    def rotary_offset(self) -> int:
        """The first element that rotates."""

    @property
    def axes(self) -> int:
        """The number of axes of a position."""

    @property
    def axis_order(self) -> str:
        """Which axis rotates which pairs."""

    @property
    def pairing(self) -> str:
        """Which elements are a pair in the input."""

    @property
    def output_pairing(self) -> str:
        """Which elements are a pair in the result."""

    @property
    def amplitude(self) -> float:
        """The factor A of all elements that rotate."""

    @property
    def target(self) -> str:
        """The instruction set in use."""

    @property
    def frequencies(self) -> Ndarray:
        """
        The scaled frequencies, in radians per step: [rotary_dim / 2] float64. Computing them takes microseconds each.
        """

    @property
    def spec(self) -> str:
        """The text of its spec: the members that are not the default."""

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

    def __copy__(self) -> object: ...

    def __deepcopy__(self, arg: object, /) -> object: ...

def config(config: object, layer: object | None, layer_type: object | None, model_type: object | None, pairing: object | None) -> tuple: ...

def eager_add(x: Any, encoder: Any, positions: Any, first: Any, scale: Any) -> Any: ...

def eager_rotate(tensors: Any, rotary: Any, positions: Any, first: Any, scale: Any, inverse: Any, token_axis: Any, angles: Any = None, first_token: Any = 0, norm: Any = None) -> Any: ...

@overload
def grid(axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, dtype: DType = None, out: A) -> A: ...
@overload
def grid(axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, dtype: TensorDType, out: None = None) -> Tensor: ...
@overload
def grid(axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, dtype: NdarrayDType = None, out: None = None) -> Ndarray:
    """
    Returns the encoding of an image or a video, with a row for each cell: [prefix_rows + cells, columns].

    axes         a list of (encoder, column, n), one for each axis. The encoder writes the columns from `column` on. The axis has
                 cells at the positions 0 .. n - 1 or, if n is a list [count], at these positions. The last axis varies fastest
    prefix_rows  number of rows of zeros before the cells (class tokens)
    dtype        type of the result: a dtype of NumPy or torch, or its name; the default is float32
    out          [prefix_rows + cells, columns] an array to write to, instead of a new one. Columns that no axis writes are unchanged

    Raises ValueError or TypeError for a wrong argument; the message names the axis. Then nothing has been written.

        half = posenc.Encoder(dim // 2, layout="sin_cos")  # MAE: cells in order of height, then width; columns of width first
        posenc.grid([(half, dim // 2, 14), (half, 0, 14)], prefix_rows=1)
    """

def grid_add_(x: A, axes: Sequence[tuple[Encoder, int, int | Numbers]], *, prefix_rows: int = 0, scale: float = 1.0) -> A:
    """
    Adds a grid in place: x = x * scale + grid(axes). Returns x.

    x            [prefix_rows + cells, columns] float32, float16 or bfloat16; writable
    axes         the axes, as in grid()
    prefix_rows  number of rows of zeros before the cells
    scale        multiplies x before the grid is added

    Raises ValueError or TypeError for a wrong argument; then x is unchanged.
    """

def positions_for(angles: Angles, first_token: int, tokens: int) -> Any: ...

@overload
def positions_from_ids(ids: Tensor, padding_id: int, *, past: int = 0) -> Tensor: ...
@overload
def positions_from_ids(ids: Numbers, padding_id: int, *, past: int = 0) -> Ndarray:
    """
    Returns the positions of tokens, as fairseq and transformers number them: [..., tokens] int64.

    The position of a token is padding_id + past + n. n is the number of ids in the sequence, up to and including this one, that
    are not padding_id. The position of padding is padding_id.

    ids         [..., tokens] integers
    padding_id  the id of padding
    past        number of tokens before these (past_key_values_length)

        encoder.embed(ids, table, positions=posenc.positions_from_ids(ids, padding_id=1))
    """

@overload
def positions_from_mask(mask: Tensor, *, normalization: Literal['none', 'f32', 'f64'] = 'none', scale: float = 0.0, offset: float = 0.0) -> tuple[Tensor, Tensor]: ...
@overload
def positions_from_mask(mask: Numbers, *, normalization: Literal['none', 'f32', 'f64'] = 'none', scale: float = 0.0, offset: float = 0.0) -> tuple[Ndarray, Ndarray]:
    """
    Returns the positions of the cells of images, as DETR counts them: (y, x), each [..., height, width] float64.

    mask           [..., height, width] bool or uint8; 0 is a cell of the image, and any other value is padding
    normalization  none: y is the number of cells without padding in the column, up to and including this one, and x in the row.
                   f32 or f64: (count + offset) / last * scale, where last is the count of the last cell of the column or row. Each
                   operation is rounded to this type
    scale          the default, 0, means 2 pi
    offset         -0.5 for Deformable DETR
    """

def presets() -> list[tuple[Any, ...]]: ...

def rotary_presets() -> list[tuple[Any, ...]]: ...

def targets() -> list[tuple[Any, ...]]: ...

version: int = 100
