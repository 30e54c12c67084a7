"""Translates posenc's torch operators into the ONNX operators of bindings/onnxruntime, for torch.onnx.export (the TorchScript
exporter)."""

import torch
from torch.onnx import register_custom_op_symbolic
from torch.onnx import symbolic_helper as helper

from posenc.torch._kernels import parse

_TYPES = {"Byte": "INT64", "Char": "INT64", "Short": "INT64", "Half": "FLOAT", "BFloat16": "FLOAT"}  # positions are cast to these


def _require(condition, text):
    if not condition:
        raise RuntimeError(f"posenc has no ONNX operator for this: {text}")


def _constant(graph, tensor):
    return graph.op("Constant", value_t=tensor)


def _scale(scale):
    """Returns the scale, which must be a float32, because the attribute of the operator is one."""
    rounded = torch.tensor(scale, dtype=torch.float32).item()
    _require(rounded == scale, f"the scale {scale!r}, which is not a float32: {rounded!r} is the nearest one")
    return scale


def _cast(graph, value, name):
    return graph.op("Cast", value, to_i=getattr(torch.onnx.TensorProtoDataType, name))


def _rank(name, value):
    rank = helper._get_tensor_rank(value)
    _require(rank is not None, f"the number of {name}'s axes is not known")
    return rank


def _positions(graph, positions, first):
    """The inputs of an operator that give positions: none, the first position, or the list of positions."""
    if not helper._is_none(positions):
        kind = positions.type().scalarType()
        return [_cast(graph, positions, _TYPES[kind]) if kind in _TYPES else positions]
    return [_constant(graph, torch.tensor([first]))] if first else []


def _like(graph, dtype):
    _require(dtype != torch.float64, "float64")
    return _constant(graph, torch.zeros((), dtype=dtype))


def _of_type_of(x, made):
    _require(x.type().scalarType() != "Double", "float64")
    made.setType(x.type())
    return made


def _of_rows(made, rows, columns, like):
    """Sets the shape of a result that has `columns` columns for each element of `rows`."""
    sizes = helper._get_tensor_sizes(rows)
    if sizes is not None:
        made.setType(like.type().with_sizes([*sizes, columns]))
    return made


@helper.parse_args("v", "s", "v", "i", "f")
def _add(graph, x, encoder, positions, first, scale):
    where = _positions(graph, positions, first)
    return _of_type_of(x, graph.op("posenc::AddPositions", x, *where, spec_s=encoder, scale_f=_scale(scale)))


@helper.parse_args("v", "v", "s", "v", "i", "f", "v", "v")
def _embed(graph, ids, table, encoder, positions, first, scale, dtype, padding_idx):
    if not helper._is_none(dtype):
        dtype = helper._get_const(dtype, "i", "dtype")
        table = graph.op("Cast", table, to_i=helper.scalar_type_to_onnx[dtype])
    _require(table.type().scalarType() != "Double", "float64")
    kind = ids.type().scalarType()
    ids = _cast(graph, ids, "INT64") if kind in _TYPES else ids
    where, its = _positions(graph, positions, first), parse(encoder)
    made = graph.op("posenc::EmbedTokens", ids, table, *where, spec_s=encoder, scale_f=_scale(scale))
    return _of_rows(made, ids, its.dim, table)


@helper.parse_args("v", "s", "i")
def _encode(graph, positions, encoder, dtype):
    (list_,), like = _positions(graph, positions, 0), _like(graph, helper.scalar_type_to_pytorch_type[dtype])
    its = parse(encoder)
    return _of_rows(graph.op("posenc::SinusoidalEncoding", list_, like, spec_s=encoder), positions, its.dim, like)


@helper.parse_args("v", "s", "s", "i")
def _cos_sin(graph, positions, rotary, layout, dtype):
    made = parse(rotary)
    (list_,), like = _positions(graph, positions, 0), _like(graph, helper.scalar_type_to_pytorch_type[dtype])
    both, pairs = graph.op("posenc::RotaryCosSin", list_, like, spec_s=rotary), made.rotary_dim // 2
    if made.axes == 1:
        _of_rows(both, positions, 2 * pairs, like)
    halves = [helper._slice_helper(graph, both, axes=[-1], starts=[at], ends=[at + pairs]) for at in (0, pairs)]
    if layout == "halves":
        return tuple(halves)
    if layout == "halves_twice" or made.pairing == "half_split":
        return tuple(graph.op("Concat", half, half, axis_i=-1) for half in halves)
    rank = _rank("positions", positions) - (made.axes > 1)
    shape = _constant(graph, torch.tensor([0] * rank + [2 * pairs]))
    each = (helper._unsqueeze_helper(graph, half, [rank + 1]) for half in halves)
    return tuple(graph.op("Reshape", graph.op("Concat", half, half, axis_i=-1), shape) for half in each)


@helper.parse_args("v", "fs", "is", "s", "v", "i", "f", "b", "i")
def _norm_rotate(graph, tensors, epsilons, kinds, rotary, positions, first, scale, inverse, token_axis):
    given = helper._unpack_list(tensors)
    half = len(given) // 2
    made = [_rotated(graph, x, parse(rotary), positions, first, scale, inverse, token_axis, (weight, epsilon, kind))
            for x, weight, epsilon, kind in zip(given[:half], given[half:], epsilons, kinds)]
    return graph.op("prim::ListConstruct", *made)


@helper.parse_args("v", "s", "v", "i", "f", "b", "i")
def _rotate(graph, tensors, rotary, positions, first, scale, inverse, token_axis):
    made = [_rotated(graph, x, parse(rotary), positions, first, scale, inverse, token_axis)
            for x in helper._unpack_list(tensors)]
    return graph.op("prim::ListConstruct", *made)


def _rotated(graph, x, rotary, positions, first, scale, inverse, token_axis, norm=None):
    rank = _rank("x", x)
    _require(rank <= 4, f"rotate of {rank} axes")
    given = helper._unsqueeze_helper(graph, x, list(range(4 - rank))) if rank < 4 else x
    if token_axis == -3:  # [batch, tokens, heads * head_dim]
        given = graph.op("Reshape", given, _constant(graph, torch.tensor([0, 0, -1])))
    where = _positions(graph, positions, first)
    if not helper._is_none(positions):
        where = [_ids(graph, where[0], x, rank, rotary.axes)]
    if inverse:
        _require(not helper._is_none(positions), "rotate with inverse, but without positions")
        where = [graph.op("Neg", where[0])]
    attributes = {}
    if norm is not None:
        weight, epsilon, kind = norm
        _require(weight.type().scalarType() != "Double", "a weight of float64")
        where = _inputs(graph, where) + [weight]
        attributes = {"norm_epsilon_s": repr(epsilon), "norm_plus_one_i": kind & 1, "norm_over_heads_i": kind >> 1}
    made = graph.op("posenc::RotaryEmbedding", given, *where, spec_s=rotary.spec, scale_f=_scale(scale), **attributes)
    if given is not x:
        made = graph.op("Reshape", made, graph.op("Shape", x))
    return _of_type_of(x, made)


def _inputs(graph, where):
    """The optional inputs before the weight: position_ids, two caches and `like`. An empty input stands for a missing one."""
    none = graph.op("prim::Constant")
    none.setType(torch._C.OptionalType.ofTensor())
    return where + [none] * (4 - len(where))


def _ids(graph, positions, x, rank, axes):
    """The positions of rotate as position_ids [batch, tokens], or [axes, batch, tokens]."""
    _require(positions.type().scalarType() not in ("Float", "Double"), "rotate at positions that are not integers")
    ids, lead = _cast(graph, positions, "INT64"), int(axes > 1)
    if _rank("positions", positions) > lead + 1:
        return ids
    ids = helper._unsqueeze_helper(graph, ids, [lead])
    if rank < 4:
        return ids
    batch = helper._slice_helper(graph, graph.op("Shape", x), axes=[0], starts=[0], ends=[1])
    ones = [_constant(graph, torch.ones(count, dtype=torch.int64)) for count in (lead, 1) if count]
    return graph.op("Expand", ids, graph.op("Concat", *ones[:lead], batch, ones[-1], axis_i=0))


for _name, _symbolic in dict(add=_add, embed=_embed, encode=_encode, cos_sin=_cos_sin, rotate=_rotate, norm_rotate=_norm_rotate).items():
    register_custom_op_symbolic("posenc::" + _name, _symbolic, 9)
