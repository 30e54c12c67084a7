"""posenc in models of PyTorch: operators that torch records, differentiates and transforms, and modules made of them.

    import posenc.torch
    self.pos = posenc.torch.SinusoidalPositionalEncoding(512, dropout=0.1)   # x + PE, as notebooks' PositionalEncoding
    self.rotary = posenc.torch.RotaryEmbedding.from_config(model.config)     # transformers' and vLLM's RotaryEmbedding
    posenc.torch.patch(model)                                                # puts such modules into a model

Functions take tensors in the CPU's memory, and an Encoder or Rotary or its text (`spec`). Wrong arguments are a
RuntimeError with the argument's name, an id that is no row of the table an IndexError; then nothing has been written. An
eager call that needs no gradient goes straight to the Encoder or Rotary; every other goes to the operators
torch.ops.posenc.add and so on. Positions have no gradient, and are refused if they require one.
"""

import functools
import json

import numpy
import torch
from torch import Tensor

from posenc import Encoder, Rotary, _torch

__all__ = ["add", "add_", "cos_sin", "embed", "encode", "rotate", "rotate_", "spec"]

_FLOATS = (torch.float32, torch.float16, torch.bfloat16)
_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", bool)  # torch 1.13 compiles nothing


# Encoders and rotaries as texts, which operators take and graphs keep.


@functools.lru_cache(maxsize=256)
def spec(made):
    """The text of an Encoder or Rotary. Functions that torch compiles need it in place of the object."""
    make, (dim,) = made.__reduce__()
    return json.dumps([make.func.__name__, int(dim), make.keywords], default=_to_json)


def _to_json(numbers):
    if getattr(numbers, "shape", ()) == ():
        return numbers.item()
    return {str(numbers.dtype): numbers.tolist()}  # float32 stays float32


def _from_json(members):
    name = next(iter(members), "")
    return numpy.array(members[name], name) if name in ("float32", "float64") else members


@functools.lru_cache(maxsize=256)
def _made(text):
    kind, dim, members = json.loads(text, object_hook=_from_json)
    return {"Encoder": Encoder, "Rotary": Rotary}[kind](dim, **members)


def _object(made):
    return _made(made) if type(made) is str else made


def _text(made):
    return made if type(made) is str else spec(made)


@functools.lru_cache(maxsize=256)
def _adjoint(text):
    """The rotary that, turning the other way, makes gradients: it reads the pairs that the other writes."""
    rotary, (kind, dim, members) = _made(text), json.loads(text)
    if rotary.pairing != rotary.output_pairing:
        members.update(pairing=rotary.output_pairing, output_pairing=rotary.pairing)
    return json.dumps([kind, dim, members])


# Which calls need nothing of torch's.


def _is_plain(*tensors):
    """Whether nothing of torch's is at work but the elements of these tensors: posenc's own call does all there is."""
    if _is_compiling() or _torch.tracing_state() is not None or _torch.mode_count() or _torch.are_transforms_active():
        return False
    if _torch.forward_ad._current_level >= 0:
        return False
    for tensor in tensors:
        if tensor is None:
            continue
        if type(tensor) is not Tensor and type(tensor) is not torch.nn.Parameter or not tensor.is_cpu:
            return False
        if tensor.requires_grad and torch.is_grad_enabled():
            return False
    return True


# What operators compute. First arguments are tensors and a text, as in their schemas.


def _require(condition, text, *of):
    if not condition:
        raise RuntimeError(text.format(*of))


def _require_floats(name, tensor):
    _require(tensor.dtype in _FLOATS, "{} must be of float32, float16 or bfloat16, not {}", name, tensor.dtype)


def _require_columns(name, tensor, dim):
    _require(tensor.ndim > 0 and tensor.shape[-1] == dim, "{} must have {} columns; its shape is {}", name, dim,
             list(tensor.shape))


def _require_numbers(positions):
    _require(not positions.is_complex() and positions.dtype != torch.bool, "positions must be numbers, not {}",
             positions.dtype)


def _require_positions(positions, first, beside, shape, lead=()):
    """[rows] or [..., rows] of `shape`, after axes of a position."""
    if positions is None:
        return
    _require(positions.device == beside.device, "positions is on {}, and other tensors are on {}", positions.device,
             beside.device)
    _require(first == 0, "first and positions exclude each other")
    own = list(positions.shape)
    _require(own in ([*lead, *shape], [*lead, *shape[-1:]]), "positions must have the shape {} or {}, not {}",
             [*lead, *shape[-1:]], [*lead, *shape], own)
    _require_numbers(positions)


def _of_torch(call):
    """Errors of posenc's as torch's operators have them."""

    @functools.wraps(call)
    def made(*arguments):
        try:
            return call(*arguments)
        except (ValueError, TypeError) as error:
            raise (IndexError if str(error).startswith("ids[") else RuntimeError)(str(error)) from None

    return made


@_of_torch
def _encode(positions, encoder, dtype):
    return _object(encoder).encode(positions, dtype=dtype)


def _encode_meta(positions, encoder, dtype):
    _require_numbers(positions)
    _require(dtype in _FLOATS or dtype == torch.float64, "dtype must be of floats, not {}", dtype)
    return positions.new_empty([*positions.shape, _object(encoder).dim], dtype=dtype)


_FEW = 1 << 14  # elements, whose copy costs less than the arguments of another call


@_of_torch
def _add(x, encoder, positions, first, scale):
    encoder = _object(encoder)
    if x.numel() > _FEW and x.ndim > 1 and x.is_contiguous() and x.dtype in _FLOATS and x.shape[-1] == encoder.dim:
        rows = x.view(-1, encoder.dim)  # as a table of embeddings, each taken once: one pass instead of two
        ids = torch.arange(len(rows), dtype=torch.int32).view(x.shape[:-1])
        return encoder.embed(ids, rows, positions=positions, first=_first(positions, first), scale=scale)
    return _add_in_place(x.clone(memory_format=_format(x)), encoder, positions, first, scale)


def _format(x):
    return torch.preserve_format if 1 < x.ndim <= 3 and x.stride(-1) == 1 else torch.contiguous_format


@_of_torch
def _add_in_place(x, encoder, positions, first, scale):
    return _object(encoder).add_(x, positions=positions, first=_first(positions, first), scale=scale)


def _first(positions, first):
    """0, the operators' default, is none beside positions."""
    return first if positions is None else first or None


def _add_meta(x, encoder, positions, first, scale):
    _require_floats("x", x)
    _require_columns("x", x, _object(encoder).dim)
    _require_positions(positions, first, x, x.shape[:-1])
    return torch.empty_like(x, memory_format=_format(x))


@_of_torch
def _embed(ids, table, encoder, positions, first, scale, dtype):
    table = table if table.stride(-1) == 1 else table.contiguous()
    return _object(encoder).embed(ids, table, positions=positions, first=_first(positions, first), scale=scale, dtype=dtype)


def _embed_meta(ids, table, encoder, positions, first, scale, dtype):
    dtype = dtype or table.dtype
    _require_floats("table", table)
    _require(dtype in _FLOATS, "dtype must be float32, float16 or bfloat16, not {}", dtype)
    _require(table.ndim == 2, "table must have two axes, and has the shape {}", list(table.shape))
    _require_columns("table", table, _object(encoder).dim)
    _require(not ids.is_floating_point() and not ids.is_complex() and ids.dtype != torch.bool,
             "ids must be integers, not {}", ids.dtype)
    _require(ids.device == table.device, "ids is on {}, and table on {}", ids.device, table.device)
    _require_positions(positions, first, table, ids.shape)
    return table.new_empty([*ids.shape, table.shape[-1]], dtype=dtype)


def _scatter(gradient, ids, rows, scale):
    """The gradient of a table [rows, dim]: each sum in doubles, rounded once."""
    used, places = ids.reshape(-1).unique(return_inverse=True)
    sums = torch.zeros(len(used), gradient.shape[-1], dtype=torch.float64)
    sums.index_add_(0, places, gradient.reshape(-1, gradient.shape[-1]).double())
    table = torch.zeros(rows, gradient.shape[-1], dtype=gradient.dtype)
    table[used.long()] = (sums * scale).to(gradient.dtype)
    return table


def _scatter_meta(gradient, ids, rows, scale):
    return gradient.new_empty([rows, gradient.shape[-1]])


@_of_torch
def _rotate(tensors, rotary, positions, first, scale, inverse, token_axis):
    tensors = [_readable(tensor) for tensor in tensors]
    made = _object(rotary).rotate(*tensors, positions=positions, first=_first(positions, first), scale=scale,
                                  inverse=inverse, token_axis=token_axis)
    return [made] if len(tensors) == 1 else list(made)


def _readable(tensor):
    strides = tensor.stride()
    return tensor if strides and strides[-1] == 1 and min(strides) > 0 else tensor.contiguous()


@_of_torch
def _rotate_in_place(tensors, rotary, positions, first, scale, inverse, token_axis):
    _object(rotary).rotate_(*tensors, positions=positions, first=_first(positions, first), scale=scale, inverse=inverse,
                            token_axis=token_axis)


def _rotate_meta(tensors, rotary, positions, first, scale, inverse, token_axis):
    rotary = _object(rotary)
    _require(len(tensors) > 0, "tensors must not be empty")
    _require(token_axis in (-3, -2), "token_axis must be -3, [..., tokens, heads, head_dim], or -2")
    for name, tensor in zip(("q", "k", *("a tensor" for _ in tensors)), tensors):
        _require_floats(name, tensor)
        _require_columns(name, tensor, rotary.head_dim)
        _require(tensor.ndim >= -token_axis, "{} must have at least {} axes; its shape is {}", name, -token_axis,
                 list(tensor.shape))
        _require(tensor.dtype == tensors[0].dtype, "{} must be of the same type as q", name)
        _require(tensor.shape[token_axis] == tensors[0].shape[token_axis], "{} must have as many tokens as q", name)
        shape = [*tensor.shape[:-3], tensor.shape[token_axis]]
        _require_positions(positions, first, tensor, shape, () if rotary.axes == 1 else (rotary.axes,))
    return [torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]


@_of_torch
def _cos_sin(positions, rotary, layout, dtype):
    return _object(rotary).cache(positions=positions, layout=layout, dtype=dtype)


def _cos_sin_meta(positions, rotary, layout, dtype):
    rotary = _object(rotary)
    lead = () if rotary.axes == 1 else (rotary.axes,)
    _require(layout in ("halves", "duplicated", "halves_twice"), "layout must be halves, duplicated or halves_twice")
    _require(list(positions.shape[:len(lead)]) == list(lead), "positions must have the shape [{}, ...], not {}",
             rotary.axes, list(positions.shape))
    shape = [*positions.shape[len(lead):], rotary.rotary_dim // (2 if layout == "halves" else 1)]
    return positions.new_empty(shape, dtype=dtype), positions.new_empty(shape, dtype=dtype)


# Their gradients. Each is linear in tensors, and its adjoint is another of them, so that gradients have gradients too.


def _below(operator, *arguments):
    guard = torch._C._AutoDispatchBelowAutograd()
    try:
        return operator(*arguments)
    finally:
        del guard


def _times(tensor, scale):
    return tensor if tensor is None or scale == 1 else tensor * scale


class _Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, in_place, x, encoder, positions, first, scale):
        ctx.scale = scale
        if not in_place:
            return _below(torch.ops.posenc.add, x, encoder, positions, first, scale)
        _below(torch.ops.posenc.add_, x, encoder, positions, first, scale)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return None, _times(gradient, ctx.scale), None, None, None, None

    @staticmethod
    def jvp(ctx, _, tangent, *more):
        return _times(tangent, ctx.scale)


class _Embed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, ids, table, encoder, positions, first, scale, dtype):
        ctx.save_for_backward(ids)
        ctx.save_for_forward(ids)
        ctx.rows, ctx.scale, ctx.dtype = table.shape[0], scale, table.dtype
        made = _below(torch.ops.posenc.embed, ids, table, encoder, positions, first, scale, dtype)
        ctx.to = made.dtype
        return made

    @staticmethod
    def backward(ctx, gradient):
        made = torch.ops.posenc.scatter(gradient, *ctx.saved_tensors, ctx.rows, ctx.scale)
        return None, made.to(ctx.dtype), None, None, None, None, None

    @staticmethod
    def jvp(ctx, _, tangent, *more):
        return _times(torch.nn.functional.embedding(ctx.saved_tensors[0], tangent), ctx.scale).to(ctx.to)


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gradient, ids, rows, scale):
        ctx.save_for_backward(ids)
        ctx.scale = scale
        return _below(torch.ops.posenc.scatter, gradient, ids, rows, scale)

    @staticmethod
    def backward(ctx, gradient):
        return _times(torch.nn.functional.embedding(ctx.saved_tensors[0], gradient), ctx.scale), None, None, None


class _Rotate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, in_place, rotary, positions, first, scale, inverse, token_axis, *tensors):
        ctx.save_for_backward(positions)
        ctx.save_for_forward(positions)
        ctx.more = rotary, first, scale, inverse, token_axis
        arguments = tensors, rotary, positions, first, scale, inverse, token_axis
        if in_place:
            _below(torch.ops.posenc.rotate_, *arguments)
            ctx.mark_dirty(*tensors)
            return tensors
        return tuple(_below(torch.ops.posenc.rotate, *arguments))

    @staticmethod
    def backward(ctx, *gradients):
        rotary, first, scale, inverse, token_axis = ctx.more
        positions, = ctx.saved_tensors
        arguments = _adjoint(rotary), positions, first, scale, not inverse, token_axis
        return (None,) * 7 + tuple(torch.ops.posenc.rotate(gradients, *arguments))

    @staticmethod
    def jvp(ctx, *tangents):
        rotary, first, scale, inverse, token_axis = ctx.more
        positions, = ctx.saved_tensors
        return tuple(torch.ops.posenc.rotate(tangents[7:], rotary, positions, first, scale, inverse, token_axis))


def _require_constant(positions):
    _require(positions is None or not positions.requires_grad or not torch.is_grad_enabled(),
             "positions requires a gradient, and posenc computes none: pass positions.detach() if it is constant")


def _add_autograd(x, encoder, positions, first, scale):
    _require_constant(positions)
    return _Add.apply(False, x, encoder, positions, first, scale)


def _add_in_place_autograd(x, encoder, positions, first, scale):
    _require_constant(positions)
    _Add.apply(True, x, encoder, positions, first, scale)


def _embed_autograd(ids, table, encoder, positions, first, scale, dtype):
    _require_constant(positions)
    return _Embed.apply(ids, table, encoder, positions, first, scale, dtype)


def _rotate_autograd(tensors, *arguments):
    _require_constant(arguments[1])
    return list(_Rotate.apply(False, *arguments, *tensors))


def _rotate_in_place_autograd(tensors, *arguments):
    _require_constant(arguments[1])
    _rotate_meta(tensors, *arguments)  # all of them, before one of them turns
    for tensor in tensors:  # which may be a view, as results of one function that has several may not
        _Rotate.apply(True, *arguments, tensor)


def _encode_autograd(positions, encoder, dtype):
    _require_constant(positions)
    return _below(torch.ops.posenc.encode, positions, encoder, dtype)


def _cos_sin_autograd(positions, rotary, layout, dtype):
    _require_constant(positions)
    return _below(torch.ops.posenc.cos_sin, positions, rotary, layout, dtype)


# The operators. Their schemas have no defaults, which torch would leave out of a kernel's arguments.

_library = torch.library.Library("posenc", "DEF")


def _define(schema, compute, meta, autograd):
    name = _library.define(schema) and schema.partition("(")[0]
    _library.impl(name, compute, "CompositeExplicitAutograd")
    _library.impl(name, meta, "Meta")
    _library.impl(name, autograd, "Autograd")


def _write_nothing(meta):
    return lambda *arguments: (meta(*arguments), None)[1]


_at = "Tensor? positions, SymInt first, float scale"
_turn = f"str rotary, {_at}, bool inverse, int token_axis"
_define("encode(Tensor positions, str encoder, ScalarType dtype) -> Tensor", _encode, _encode_meta, _encode_autograd)
_define(f"add(Tensor x, str encoder, {_at}) -> Tensor", _add, _add_meta, _add_autograd)
_define(f"add_(Tensor(a!) x, str encoder, {_at}) -> ()", _write_nothing(_add_in_place), _write_nothing(_add_meta),
        _add_in_place_autograd)
_define(f"embed(Tensor ids, Tensor table, str encoder, {_at}, ScalarType? dtype) -> Tensor", _embed, _embed_meta,
        _embed_autograd)
_define("scatter(Tensor gradient, Tensor ids, SymInt rows, float scale) -> Tensor", _scatter, _scatter_meta, _Scatter.apply)
_define(f"rotate(Tensor[] tensors, {_turn}) -> Tensor[]", _rotate, _rotate_meta, _rotate_autograd)
_define(f"rotate_(Tensor(a!)[] tensors, {_turn}) -> ()", _rotate_in_place, _write_nothing(_rotate_meta),
        _rotate_in_place_autograd)
_define("cos_sin(Tensor positions, str rotary, str layout, ScalarType dtype) -> (Tensor, Tensor)", _cos_sin, _cos_sin_meta,
        _cos_sin_autograd)


# The functions.


def encode(positions, encoder, dtype=torch.float32):
    """The encoding at each of the positions [...], integers or floats: [..., dim]."""
    if _is_plain(positions):
        return _encode(positions, encoder, dtype)
    return torch.ops.posenc.encode(positions, _text(encoder), dtype)


def add(x, encoder, positions=None, first=0, scale=1.0):
    """x * scale + encoding, a new tensor of the same dtype; its gradient is that of x * scale.

    x          [..., rows, dim] float32, float16 or bfloat16
    first      position of the first row
    positions  instead of first: [rows] or [..., rows], integers or floats
    """
    if _is_plain(x, positions):
        return _add(x, encoder, positions, first, scale)
    return torch.ops.posenc.add(x, _text(encoder), positions, first, scale)


def add_(x, encoder, positions=None, first=0, scale=1.0):
    """The same in place. Returns x."""
    if _is_plain(x, positions):
        return _add_in_place(x, encoder, positions, first, scale)
    torch.ops.posenc.add_(x, _text(encoder), positions, first, scale)
    return x


def embed(ids, table, encoder, positions=None, first=0, scale=1.0, dtype=None):
    """table[ids] * scale + encoding, in one pass: [..., rows, dim]. The gradient of the table is a sum of rows.

    ids    [..., rows] integers
    table  [vocabulary, dim] float32, float16 or bfloat16; dtype, if not the table's, float32
    """
    if _is_plain(ids, table, positions):
        return _embed(ids, table, encoder, positions, first, scale, dtype)
    return torch.ops.posenc.embed(ids, table, _text(encoder), positions, first, scale, dtype)


def rotate(tensors, rotary, positions=None, first=0, scale=1.0, inverse=False, token_axis=-3):
    """A list of the tensors, rotated: q and k for one. Their gradients are rotated back.

    tensors     each [..., tokens, heads, head_dim], or for token_axis -2 [..., heads, tokens, head_dim]
    first       position of the first token
    positions   instead of first: [tokens] or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]
    """
    if _is_plain(*tensors, positions):
        return _rotate(tensors, rotary, positions, first, scale, inverse, token_axis)
    return torch.ops.posenc.rotate(tensors, _text(rotary), positions, first, scale, inverse, token_axis)


def rotate_(tensors, rotary, positions=None, first=0, scale=1.0, inverse=False, token_axis=-3):
    """The same in place. Returns the tensors."""
    if _is_plain(*tensors, positions):
        _rotate_in_place(tensors, rotary, positions, first, scale, inverse, token_axis)
    else:
        torch.ops.posenc.rotate_(tensors, _text(rotary), positions, first, scale, inverse, token_axis)
    return tensors


def cos_sin(positions, rotary, layout="halves_twice", dtype=torch.float32):
    """Cosines and sines, times the amplitude, at each of the positions [...], with several axes [axes, ...].

    layout  halves [..., rotary_dim / 2]; halves_twice [..., rotary_dim], as transformers has them; duplicated, the same by
            the rotary's pairing
    """
    if _is_plain(positions):
        return _cos_sin(positions, rotary, layout, dtype)
    return torch.ops.posenc.cos_sin(positions, _text(rotary), layout, dtype)
