"""The kernels of the operators: for tensors, and for shapes only (meta tensors). Operators take encoders and rotaries as texts."""

import functools
import operator

import torch

from posenc import Encoder, Rotary
from posenc._posenc import positions_for
from posenc.torch import _doubles, _norms

LAYOUTS = ("halves", "duplicated", "halves_twice")  # of the tables cos and sin
_FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


# Encoders and rotaries as texts, which operators take and graphs keep.


@functools.lru_cache(maxsize=256)
def spec(made: Encoder | Rotary) -> str:
    """The text of an Encoder or Rotary. Functions that torch compiles need it in place of the object."""
    if type(made) is not Encoder and type(made) is not Rotary:
        raise TypeError(f"the argument must be a posenc.Encoder or Rotary, not {type(made)}")
    return made.spec


@functools.lru_cache(maxsize=256)
def parse(text):
    try:
        return (Rotary if "head_dim=" in text else Encoder).from_spec(text)
    except (ValueError, TypeError) as error:
        raise RuntimeError(f"{text!r:.60} is no text of an Encoder or Rotary: {error}") from None


def object_of(either, kind):
    made = parse(either) if type(either) is str else either
    if type(made) is not kind:
        raise TypeError(f"{kind.__name__.lower()} must be a posenc.{kind.__name__} or its text, not {type(made)}")
    return made


def text_of(either):
    return either if type(either) is str else spec(either)


@functools.lru_cache(maxsize=256)
def adjoint(text):
    """The rotary that, turning the other way, makes gradients: it reads the pairs that the other writes."""
    rotary = parse(text)
    if rotary.pairing == rotary.output_pairing:
        return text
    return Rotary.from_spec(text, pairing=rotary.output_pairing, output_pairing=rotary.pairing).spec


# The kernels. Their first arguments are tensors and a text, as in the schemas.


def require(condition, text, *of):
    if not condition:
        raise RuntimeError(text.format(*of))


def _require_floats(name, tensor):
    require(tensor.dtype in _FLOATS, "{} must be of float32, float16, bfloat16 or float64, not {}", name, tensor.dtype)


def _require_strided(name, tensor):
    require(tensor.layout == torch.strided, "{} must be a strided tensor, not {}", name, tensor.layout)


def _require_columns(name, tensor, dim):
    require(tensor.ndim > 0 and tensor.shape[-1] == dim, "{} must have {} columns; its shape is {}", name, dim,
             list(tensor.shape))


def _require_numbers(positions):
    require(not positions.is_complex() and positions.dtype != torch.bool, "positions must be numbers, not {}",
             positions.dtype)


def _require_positions(positions, first, beside, shape, lead=()):
    """Requires positions, if there are any, to be [*lead, rows] or [*lead, *shape], where rows is the last axis of shape. `lead` is
    the axes of a position."""
    if positions is None:
        return
    require(issubclass(type(positions), torch.Tensor), "positions must be a tensor")
    require(positions.device == beside.device, "positions is on {}, and other tensors are on {}", positions.device,
             beside.device)
    require(first == 0, "first and positions exclude each other")
    own = list(positions.shape)
    require(own in ([*lead, *shape], [*lead, *shape[-1:]]), "positions must have the shape {} or {}, not {}",
             [*lead, *shape[-1:]], [*lead, *shape], own)
    _require_numbers(positions)


def _of_torch(error):
    """posenc's error as an error of torch's operators."""
    return (IndexError if str(error).startswith("ids[") else RuntimeError)(str(error))


def _as_torch(call):
    @functools.wraps(call)
    def raising(*arguments):
        try:
            return call(*arguments)
        except (ValueError, TypeError) as error:
            raise _of_torch(error) from None

    return raising


@_as_torch
def encode(positions, encoder, dtype):
    return object_of(encoder, Encoder).encode(positions, dtype=dtype)


def encode_meta(positions, encoder, dtype):
    _require_numbers(positions)
    require(dtype in _FLOATS, "dtype must be of floats, not {}", dtype)
    return positions.new_empty([*positions.shape, object_of(encoder, Encoder).dim], dtype=dtype)


_FEW = 1 << 14  # so few elements can be copied in less time than another call takes for its arguments


@_as_torch
def add(x, encoder, positions, first, scale):
    encoder = object_of(encoder, Encoder)
    _require_strided("x", x)
    if x.dtype == torch.float64:
        add_meta(x, encoder, positions, first, scale)
        return _doubles.add(x, encoder, positions, _integer(first), scale)
    is_long = x.numel() > _FEW and x.is_cpu and x.is_contiguous()
    if is_long and x.dtype in _FLOATS and x.ndim > 1 and x.shape[-1] == encoder.dim:
        rows = x.view(-1, encoder.dim)  # embed, with each row of x once, takes one pass; a copy and add_ would take two
        ids = torch.arange(len(rows), dtype=torch.int32).view(x.shape[:-1])
        return embed(ids, rows, encoder, positions, first, scale, None, -1)
    made = x.clone() if x.is_contiguous() else x.clone(memory_format=_format(x, positions))
    add_(made, encoder, positions, first, scale)
    return made


def _format(x, positions):
    """The memory format of a sum. It is the same as for torch's own sums if x is [rows, batch, dim] transposed. With a list of
    positions the result is contiguous, because the list needs rows in order."""
    by_turns = positions is None and x.ndim == 3 and x.stride(2) == 1 and x.shape[2] <= x.stride(0) < x.stride(1)
    return torch.preserve_format if by_turns else torch.contiguous_format


def add_(x, encoder, positions, first, scale):
    if x.dtype == torch.float64:
        x.copy_(add(x, encoder, positions, first, scale))
        return
    try:
        if positions is None:
            object_of(encoder, Encoder).add_(x, first=first if type(first) is int else _integer(first), scale=scale)
        else:
            object_of(encoder, Encoder).add_(x, positions=positions, first=first or None, scale=scale)
    except (ValueError, TypeError) as error:
        _require_floats("x", x)  # first, because posenc's own message does not mention float64
        raise _of_torch(error) from None


def add_meta(x, encoder, positions, first, scale):
    _require_floats("x", x)
    _require_columns("x", x, object_of(encoder, Encoder).dim)
    _require_positions(positions, first, x, x.shape[:-1])
    return torch.empty_like(x, memory_format=_format(x, positions))


def _first(positions, first):
    """`first` for a call of posenc. Beside positions, 0 (the operators' default) means that `first` is not given."""
    if positions is None:
        return first if type(first) is int else _integer(first)
    return first or None


def _integer(first):
    """`first` as an integer, which operators need. (Encoder and Rotary also take one for each sequence.)"""
    try:
        return operator.index(first)
    except (TypeError, RuntimeError):
        raise TypeError(f"first must be an integer, not {type(first)}: pass positions for several") from None


@_as_torch
def embed(ids, table, encoder, positions, first, scale, dtype, padding_idx):
    _require_strided("table", table)
    _require_floats("table", table)
    require(dtype in (None, table.dtype, torch.float32, torch.float64),
            "dtype must be the table's, float32 or float64, not {}", dtype)
    table = table if table.stride(-1) == 1 else table.contiguous()
    if torch.float64 in (table.dtype, dtype):
        embed_meta(ids, table, encoder, positions, first, scale, dtype, padding_idx)
        encoder = object_of(encoder, Encoder)
        return _doubles.embed(ids, table, encoder, positions, _integer(first), scale, dtype or table.dtype)
    first = _first(positions, first)
    return object_of(encoder, Encoder).embed(ids, table, positions=positions, first=first, scale=scale, dtype=dtype)


def embed_meta(ids, table, encoder, positions, first, scale, dtype, padding_idx):
    dtype = dtype or table.dtype
    _require_floats("table", table)
    require(dtype in _FLOATS, "dtype must be float32, float16, bfloat16 or float64, not {}", dtype)
    require(table.ndim == 2, "table must have two axes, and has the shape {}", list(table.shape))
    _require_columns("table", table, object_of(encoder, Encoder).dim)
    require(not ids.is_floating_point() and not ids.is_complex() and ids.dtype != torch.bool,
             "ids must be integers, not {}", ids.dtype)
    require(ids.device == table.device, "ids is on {}, and table on {}", ids.device, table.device)
    _require_positions(positions, first, table, ids.shape)
    return table.new_empty([*ids.shape, table.shape[-1]], dtype=dtype)


def scatter(gradient, ids, rows, scale, padding_idx):
    """The gradient of a table [rows, dim]. Each sum is computed in double and rounded once. The row of padding is 0."""
    used, places = ids.reshape(-1).unique(return_inverse=True)
    sums = torch.zeros(len(used), gradient.shape[-1], dtype=torch.float64)
    sums.index_add_(0, places, gradient.reshape(-1, gradient.shape[-1]).double())
    table = torch.zeros(rows, gradient.shape[-1], dtype=gradient.dtype)
    table[used.long()] = _rounded(sums * scale, gradient.dtype)
    if padding_idx >= 0:
        table[padding_idx] = 0
    return table


def _rounded(doubles, dtype):
    """Rounds doubles once to dtype. torch itself would round to float32 first, and then again. Here inexact floats are made odd
    first, so that they are not ties of a shorter type, and the second rounding is right."""
    if dtype == torch.float64:
        return doubles
    floats = doubles.float()
    if dtype == torch.float32:
        return floats
    is_final = (floats.double() == doubles) | (floats.view(torch.int32) & 1 == 1)
    towards = torch.where(doubles > floats, torch.inf, -torch.inf).float()
    return torch.where(is_final, floats, torch.nextafter(floats, towards)).to(dtype)


def scatter_meta(gradient, ids, rows, scale, padding_idx):
    return gradient.new_empty([rows, gradient.shape[-1]])


def _named(tensors):
    return zip(("q", "k", *("a tensor" for _ in tensors)), tensors)


def _where(positions, first, angles, first_token):
    """Where the tokens of a call are, as arguments of posenc."""
    if angles is not None:
        return {"angles": angles, "first_token": first_token}
    return {"positions": positions, "first": _first(positions, first)}


def _norm(norms):
    """The norms of a call, as an argument of posenc."""
    return {} if norms is None else {"norm": norms[0] if len(norms) == 1 else list(norms)}


@_as_torch
def rotate(tensors, rotary, positions, first, scale, inverse, token_axis, angles=None, first_token=0, norms=None):
    """The operators have no angles. Tensors of float64 are rotated at positions."""
    for name, tensor in _named(tensors):
        _require_strided(name, tensor)
        _require_floats(name, tensor)
    if tensors[0].dtype == torch.float64:
        rotate_meta(tensors, rotary, positions, first, scale, inverse, token_axis)
        rotary, first = object_of(rotary, Rotary), _integer(first)
        if norms is not None:
            _require_norms(tensors, norms, token_axis)
            tensors = [tensor if norm is None else _norms.normed(tensor, norm, token_axis) for tensor, norm in zip(tensors, norms)]
        return _doubles.rotate(tensors, rotary, positions, first, scale, inverse, token_axis)
    norms = _readable_norms(norms)
    if sum(tensor.numel() for tensor in tensors) <= _FEW:
        made = [tensor.clone(memory_format=torch.contiguous_format) for tensor in tensors]
        rotate_all_(made, rotary, positions, first, scale, inverse, token_axis, angles, first_token, norms)
        return made
    tensors = [_readable(tensor) for tensor in tensors]
    made = object_of(rotary, Rotary).rotate(*tensors, **_where(positions, first, angles, first_token), scale=scale,
                                  inverse=inverse, token_axis=token_axis, **_norm(norms))
    return [made] if len(tensors) == 1 else list(made)


def _readable(tensor):
    strides = tensor.stride()
    return tensor if strides and strides[-1] == 1 and min(strides) > 0 else tensor.contiguous()


def _readable_norms(norms):
    if norms is None:
        return None
    return tuple(norm if norm is None or norm.weight is None else norm._replace(weight=norm.weight.contiguous()) for norm in norms)


@_as_torch
def rotate_all_(tensors, rotary, positions, first, scale, inverse, token_axis, angles=None, first_token=0, norms=None):
    for name, tensor in _named(tensors):
        _require_floats(name, tensor)
    if tensors[0].dtype == torch.float64:
        all_ = rotate(tensors, rotary, positions, first, scale, inverse, token_axis, None, 0, norms)
        if len(tensors) > 1:
            _require_apart(tensors)
        for tensor, made in zip(tensors, all_):
            tensor.copy_(made)
        return
    object_of(rotary, Rotary).rotate_(*tensors, **_where(positions, first, angles, first_token), scale=scale,
                              inverse=inverse, token_axis=token_axis, **_norm(_readable_norms(norms)))


def norm_rotate(given, epsilons, kinds, *turn):
    tensors, norms = _norms.of_numbers(given, epsilons, kinds)
    return rotate(tensors, *turn, None, 0, norms)


def norm_rotate_meta(given, epsilons, kinds, *turn):
    tensors, norms = _norms.of_numbers(given, epsilons, kinds)
    made = rotate_meta(tensors, *turn)
    _require_norms(tensors, norms, turn[-1])
    return made


def _require_norms(tensors, norms, token_axis):
    """Requires the weights of norms to suit their tensors."""
    for (name, tensor), norm in zip(_named(tensors), norms):
        if norm is None or norm.weight is None:
            continue
        weight, dim = norm.weight, tensor.shape[-1]
        is_wide = weight.dtype == torch.float64 and tensor.dtype != torch.float64
        require(weight.dtype in _FLOATS and not is_wide, "the weight for {} must be of float32, bfloat16 or float16, not {}", name, weight.dtype)
        require(weight.device == tensor.device, "the weight for {} is on {}, and other tensors are on {}", name, weight.device, tensor.device)
        axes = _norms.axes_of(norm.over_heads, tensor, token_axis)
        heads = tensor.shape[axes[0]] if len(axes) == 2 else 1
        shapes = ([heads, dim], [heads * dim]) if norm.over_heads else ([dim],)
        require(list(weight.shape) in shapes, "the weight for {} must have the shape {}, not {}", name,
                " or ".join(map(str, shapes)), list(weight.shape))


@_as_torch
def angles(rotary, positions):
    return rotary.angles(positions=positions)


@_as_torch
def positions_of(angles, first_token, tokens):
    """The positions at which the angles of some tokens were made: [tokens], [..., tokens] or [axes, ..., tokens]."""
    numbers = positions_for(angles, first_token, tokens)
    return torch.from_numpy(numbers)[..., first_token:first_token + tokens]


def _require_apart(tensors):
    """Refuses tensors that overlap, before one of them is written, as posenc does for other types."""
    places = torch.cat([_places(tensor) for tensor in tensors])
    require(len(places.unique()) == len(places), "memory that is written overlaps other memory of the call")


def _places(tensor):
    """The address of each element, in elements."""
    places = torch.tensor(tensor.data_ptr() // tensor.element_size())
    for size, stride in zip(tensor.shape, tensor.stride()):
        places = places[..., None] + torch.arange(size) * stride
    return places.reshape(-1)


def rotate_one(x, *arguments):
    return rotate([x], *arguments)[0]


def rotate_one_meta(x, *arguments):
    return rotate_meta([x], *arguments)[0]


def rotate_(x, *arguments):
    rotate_all_([x], *arguments)


def rotate_meta(tensors, rotary, positions, first, scale, inverse, token_axis):
    rotary = object_of(rotary, Rotary)
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
    require(len(tensors) > 0, "tensors must not be empty")
    require(token_axis in (-3, -2), "token_axis must be -3, [..., tokens, heads, head_dim], or -2")
    for name, tensor in _named(tensors):
        _require_floats(name, tensor)
        _require_columns(name, tensor, rotary.head_dim)
        require(tensor.ndim >= -token_axis, "{} must have at least {} axes; its shape is {}", name, -token_axis,
                 list(tensor.shape))
        require(tensor.dtype == tensors[0].dtype, "{} must be of the same type as q", name)
        require(tensor.shape[token_axis] == tensors[0].shape[token_axis], "{} must have as many tokens as q", name)
        shape = [*tensor.shape[:-3], tensor.shape[token_axis]]
        _require_positions(positions, first, tensor, shape, () if rotary.axes == 1 else (rotary.axes,))
    return [torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]


@_as_torch
def cos_sin(positions, rotary, layout, dtype):
    return object_of(rotary, Rotary).cache(positions=positions, layout=layout, dtype=dtype)


def cos_sin_meta(positions, rotary, layout, dtype):
    rotary = object_of(rotary, Rotary)
    lead = () if rotary.axes == 1 else (rotary.axes,)
    require(layout in LAYOUTS, "layout must be {}, not {}", ", ".join(LAYOUTS), layout)
    require(list(positions.shape[:len(lead)]) == list(lead), "positions must have the shape [{}, ...], not {}",
             rotary.axes, list(positions.shape))
    shape = [*positions.shape[len(lead):], rotary.rotary_dim // (2 if layout == "halves" else 1)]
    return positions.new_empty(shape, dtype=dtype), positions.new_empty(shape, dtype=dtype)
