"""The operators torch.ops.posenc.*, their gradients, and the functions of posenc.torch, which call an operator or, if that is
sufficient, posenc itself."""

from collections.abc import Sequence

import torch
from torch import Tensor

from posenc import Angles, Encoder, Norm, Rotary, _torch
from posenc._posenc import eager_add, eager_rotate
from posenc.torch import _kernels, _norms
from posenc.torch._kernels import adjoint, object_of, parse, text_of

is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", bool)  # torch 1.13 cannot compile


# Gradients. Each operator is linear in its tensors, and its adjoint is one of the operators. So gradients can be differentiated,
# too.


class _Function(torch.autograd.Function):
    """The base class of the functions below, which have forward and setup_context, as in torch 2. For torch 1.13, which does not
    know setup_context, forward is made from both."""

    def __init_subclass__(cls):
        if not hasattr(torch.autograd.Function, "setup_context"):
            compute, keep = cls.forward, cls.setup_context

            def forward(ctx, *inputs):
                output = compute(*inputs)
                keep(ctx, inputs, output)
                return output

            cls.forward = staticmethod(forward)


def _below(operator, *arguments):
    """Calls an operator's kernel below autograd."""
    guard = torch._C._AutoDispatchBelowAutograd()
    try:
        return operator(*arguments)
    finally:
        del guard


def _times(tensor, scale):
    return tensor if tensor is None or scale == 1 else tensor * scale


def _to_front(tensor, dim, count):
    """The tensor with the axis of vmap in front. A tensor without this axis is repeated."""
    return tensor.expand(count, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _spread(positions, dim, shape, axes=1):
    """The positions of a call under vmap, for rows [batch, ..., rows], where the axis of vmap comes first."""
    if positions is None:
        return None
    lead = int(axes > 1)
    if dim is None and positions.ndim == 1 + lead:
        return positions
    positions = positions.unsqueeze(lead) if dim is None else positions.movedim(dim, lead)
    own = positions.shape[lead:]
    positions = positions.reshape(*positions.shape[:lead], own[0], *[1] * (len(shape) - len(own)), *own[1:])
    return positions.expand(*positions.shape[:lead], *shape)


class _Encode(_Function):
    @staticmethod
    def forward(positions, encoder, dtype):
        return _below(torch.ops.posenc.encode, positions, encoder, dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output)

    @staticmethod
    def vmap(info, dims, positions, encoder, dtype):
        return encode(positions.movedim(dims[0], 0), encoder, dtype), 0


class _CosSin(_Function):
    @staticmethod
    def forward(positions, rotary, layout, dtype):
        return _below(torch.ops.posenc.cos_sin, positions, rotary, layout, dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def vmap(info, dims, positions, rotary, layout, dtype):
        return cos_sin(positions.movedim(dims[0], int(parse(rotary).axes > 1)), rotary, layout, dtype), (0, 0)


class _Add(_Function):
    @staticmethod
    def forward(x, encoder, positions, first, scale):
        return _below(torch.ops.posenc.add, x, encoder, positions, first, scale)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.scale = inputs[-1]

    @staticmethod
    def backward(ctx, gradient):
        return _times(gradient, ctx.scale), None, None, None, None

    @staticmethod
    def jvp(ctx, tangent, *more):
        return _times(tangent, ctx.scale)

    @staticmethod
    def vmap(info, dims, x, encoder, positions, first, scale):
        x = _to_front(x, dims[0], info.batch_size)
        return add(x, encoder, _spread(positions, dims[2], x.shape[:-1]), first, scale), 0


class _Embed(_Function):
    @staticmethod
    def forward(ids, table, encoder, positions, first, scale, dtype, padding_idx):
        return _below(torch.ops.posenc.embed, ids, table, encoder, positions, first, scale, dtype, padding_idx)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ids, table, _, _, _, ctx.scale, _, ctx.padding_idx = inputs
        ctx.save_for_backward(ids)
        ctx.save_for_forward(ids)
        ctx.rows, ctx.own, ctx.made = table.shape[0], table.dtype, output.dtype

    @staticmethod
    def backward(ctx, gradient):
        made = _scattered(gradient, *ctx.saved_tensors, ctx.rows, ctx.scale, ctx.padding_idx)
        return None, made.to(ctx.own), None, None, None, None, None, None

    @staticmethod
    def jvp(ctx, _, tangent, *more):
        return _times(_rows(ctx.saved_tensors[0], tangent), ctx.scale).to(ctx.made)

    @staticmethod
    def vmap(info, dims, ids, table, encoder, positions, first, scale, dtype, padding_idx):
        ids = _to_front(ids, dims[0], info.batch_size)
        if dims[1] is not None:  # join the tables into one, one after the other
            table = table.movedim(dims[1], 0)
            if padding_idx >= 0:  # the joined table has several such rows
                is_padding = (torch.arange(table.shape[1], device=table.device) == padding_idx)[:, None]
                table, padding_idx = torch.where(is_padding, table.detach(), table), -1
            ids, table = _shifted(ids, table.shape[1]), table.reshape(-1, table.shape[-1])
        positions = _spread(positions, dims[3], ids.shape)
        return _apply(_Embed, "embed", ids, table, encoder, positions, first, scale, dtype, padding_idx), 0


def _shifted(ids, rows):
    return ids + rows * torch.arange(len(ids), device=ids.device).reshape(-1, *[1] * (ids.ndim - 1))


def _rows(ids, table):
    """torch's embedding. It does not take short integers, so they are converted."""
    return torch.nn.functional.embedding(ids if ids.dtype == torch.int32 else ids.long(), table)


def _but_padding(rows, ids, padding_idx):
    return rows if padding_idx < 0 else rows.masked_fill((ids == padding_idx)[..., None], 0)


class _Scatter(_Function):
    @staticmethod
    def forward(gradient, ids, rows, scale, padding_idx):
        return _below(torch.ops.posenc.scatter, gradient, ids, rows, scale, padding_idx)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ids, ctx.rows, ctx.scale, ctx.padding_idx = inputs
        ctx.save_for_backward(ids)
        ctx.save_for_forward(ids)

    @staticmethod
    def backward(ctx, gradient):
        ids = ctx.saved_tensors[0]
        return _but_padding(_times(_rows(ids, gradient), ctx.scale), ids, ctx.padding_idx), None, None, None, None

    @staticmethod
    def jvp(ctx, tangent, *more):
        return _scattered(tangent, *ctx.saved_tensors, ctx.rows, ctx.scale, ctx.padding_idx)

    @staticmethod
    def vmap(info, dims, gradient, ids, rows, scale, padding_idx):
        gradient, ids = (_to_front(tensor, dim, info.batch_size) for tensor, dim in zip((gradient, ids), dims))
        gradient = _but_padding(gradient, ids, padding_idx)
        made = _scattered(gradient, _shifted(ids, rows), rows * info.batch_size, scale, -1)
        return made.reshape(info.batch_size, rows, -1), 0


class _Rotate(_Function):
    @staticmethod
    def forward(rotary, positions, first, scale, inverse, token_axis, *tensors):
        return tuple(_below(torch.ops.posenc.rotate, tensors, rotary, positions, first, scale, inverse, token_axis))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.rotary, positions, ctx.first, ctx.scale, ctx.inverse, ctx.token_axis = inputs[:6]
        ctx.save_for_backward(positions)
        ctx.save_for_forward(positions)
        ctx.set_materialize_grads(False)  # tensors without a gradient need no computation
        ctx.shapes = [tensor.shape for tensor in inputs[6:]]

    @staticmethod
    def backward(ctx, *gradients):
        arguments = adjoint(ctx.rotary), ctx.saved_tensors[0], ctx.first, ctx.scale, not ctx.inverse, ctx.token_axis
        gradients = (given if needed else None for given, needed in zip(gradients, ctx.needs_input_grad[6:]))
        return (None,) * 6 + _rotate_some(gradients, *arguments)

    @staticmethod
    def jvp(ctx, *tangents):
        arguments = ctx.rotary, ctx.saved_tensors[0], ctx.first, ctx.scale, ctx.inverse, ctx.token_axis
        made = _rotate_some(tangents[6:], *arguments)
        some = next(tangent for tangent in made if tangent is not None)
        return tuple(some.new_zeros(shape) if one is None else one for one, shape in zip(made, ctx.shapes))

    @staticmethod
    def vmap(info, dims, rotary, positions, first, scale, inverse, token_axis, *tensors):
        tensors = [_to_front(tensor, dim, info.batch_size) for tensor, dim in zip(tensors, dims[6:])]
        if any(tensor.ndim < 4 for tensor in tensors):  # [batch, tokens, head_dim] without heads
            tensors = [tensor.unsqueeze(-3) for tensor in tensors]
            dims = (*dims[:6], *[0] * len(tensors))
            made, dim = _Rotate.vmap(info, dims, rotary, positions, first, scale, inverse, token_axis, *tensors)
            return tuple(one.squeeze(-3) for one in made), dim
        shape = [*tensors[0].shape[:-3], tensors[0].shape[token_axis]]
        positions = _spread(positions, dims[1], shape, parse(rotary).axes)
        made = rotate(tensors, rotary, positions, first, scale, inverse, token_axis)
        return tuple(made), (0,) * len(made)


def _rotate_some(tensors, *arguments):
    """Rotates the tensors that are not None, and returns None for the others."""
    tensors = list(tensors)
    given = [tensor for tensor in tensors if tensor is not None]
    made = iter(_apply(_Rotate, "rotate", given, *arguments) if given else ())
    return tuple(None if tensor is None else next(made) for tensor in tensors)


class _RotateOne:
    """The same as _Rotate, for a single tensor."""

    @staticmethod
    def apply(x, *arguments):
        return _Rotate.apply(*arguments, x)[0]


class _NormRotate(_Function):
    """Norms before a rotation. `given` is the tensors, and then the weight for each. Gradients of tensors and weights are computed
    in float32, or in float64 for tensors of float64."""

    @staticmethod
    def forward(epsilons, kinds, rotary, positions, first, scale, inverse, token_axis, *given):
        turn = rotary, positions, first, scale, inverse, token_axis
        return tuple(_below(torch.ops.posenc.norm_rotate, given, epsilons, kinds, *turn))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.epsilons, ctx.kinds, ctx.rotary, positions, ctx.first, ctx.scale, ctx.inverse, ctx.token_axis = inputs[:8]
        ctx.save_for_backward(positions, *inputs[8:])
        ctx.save_for_forward(positions, *inputs[8:])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, *gradients):
        positions, *given = ctx.saved_tensors
        tensors, norms = _norms.of_numbers(given, ctx.epsilons, ctx.kinds)
        needs = ctx.needs_input_grad[8:]
        needs = list(zip(needs[:len(tensors)], needs[len(tensors):]))
        arguments = adjoint(ctx.rotary), positions, ctx.first, ctx.scale, not ctx.inverse, ctx.token_axis
        used = (None if given is None or not any(need) else _norms.wide(given) for given, need in zip(gradients, needs))
        made = [(None, None) if turned is None else _norms.gradients(turned, tensor, norm, ctx.token_axis, *need)
                for turned, tensor, norm, need in zip(_rotate_some(used, *arguments), tensors, norms, needs)]
        return (None,) * 8 + tuple(of_x for of_x, _ in made) + tuple(of_weight for _, of_weight in made)

    @staticmethod
    def jvp(ctx, *tangents):
        positions, *given = ctx.saved_tensors
        tensors, norms = _norms.of_numbers(given, ctx.epsilons, ctx.kinds)
        own, count = tangents[8:], len(tensors)
        made = [_norms.tangent(of_x, of_weight, tensor, norm, ctx.token_axis)
                for of_x, of_weight, tensor, norm in zip(own[:count], own[count:], tensors, norms)]
        turned = _rotate_some(made, ctx.rotary, positions, ctx.first, ctx.scale, ctx.inverse, ctx.token_axis)
        return tuple(one.to(tensor.dtype) for one, tensor in zip(turned, tensors))

    @staticmethod
    def vmap(info, dims, epsilons, kinds, rotary, positions, first, scale, inverse, token_axis, *given):
        """A call for each element of the batch, because weights may differ."""
        made = []
        for i in range(info.batch_size):
            positions_i = positions if dims[3] is None else positions.select(dims[3], i)
            own = [tensor if dim is None else tensor.select(dim, i) for tensor, dim in zip(given, dims[8:])]
            turn = rotary, positions_i, first, scale, inverse, token_axis
            made.append(_apply(_NormRotate, "norm_rotate", own, epsilons, kinds, *turn))
        return tuple(torch.stack(all_) for all_ in zip(*made)), (0,) * len(made[0])


def _require_constant(positions):
    _kernels.require(positions is None or not positions.requires_grad or not torch.is_grad_enabled(),
             "positions requires a gradient, and posenc computes none: pass positions.detach() if it is constant")


def _with_gradient(function, positions_at=None):
    """The kernel of an operator for autograd. If the first argument is a list of tensors, as for rotate, it is unpacked, because
    torch's functions do not take lists."""

    def above(*arguments):
        if positions_at is not None:
            _require_constant(arguments[positions_at])
        if isinstance(arguments[0], Tensor):
            return function.apply(*arguments)
        return list(function.apply(*arguments[1:], *arguments[0]))

    return above


# The operators. Their schemas have no defaults, because torch would not pass defaults to a kernel.

_KIND = "FRAGMENT" if hasattr(torch, "compile") else "DEF"  # C++ code may define operators, too; torch 1.13 has no fragments
_library = torch.library.Library("posenc", _KIND)


def _not_exported(kernel):
    """Makes a kernel for a call in place refuse torch.onnx.export. Such a call returns nothing, so the export would leave it out."""

    def refusing(*arguments):
        _kernels.require(not torch.onnx.is_in_onnx_export(), "torch.onnx.export cannot export add_ and rotate_, which write "
                         "in place: call add or rotate, and use what they return")
        kernel(*arguments)

    return refusing


def _in_place(operator, above):
    """The kernel for autograd of a call in place. If there is a gradient, it copies the result into x, so that torch checks the
    call and records it."""

    def written(x, *arguments):
        if x.requires_grad and torch.is_grad_enabled() or _torch.forward_ad._current_level >= 0:
            x.copy_(above(x, *arguments))
        else:
            _require_constant(arguments[1])
            _below(getattr(torch.ops.posenc, operator), x, *arguments)

    return _not_exported(written)


def _define(schema, function, positions_at=None):
    name = schema.partition("(")[0]
    compute, meta = getattr(_kernels, name), getattr(_kernels, name.rstrip("_") + "_meta")
    above = _with_gradient(function, positions_at)
    if name.endswith("_"):
        compute, meta, above = _not_exported(compute), _to_nothing(meta), _in_place(name, above)
    _library.define(schema)
    for kernel, key in (compute, "CompositeExplicitAutograd"), (meta, "Meta"), (above, "Autograd"):
        _library.impl(name, kernel, key)


def _to_nothing(kernel):
    return lambda *arguments: (kernel(*arguments), None)[1]


_AT = "Tensor? positions, SymInt first, float scale"
_TURN = f"str rotary, {_AT}, bool inverse, int token_axis"
_define("encode(Tensor positions, str encoder, ScalarType dtype) -> Tensor", _Encode, 0)
_define(f"add(Tensor x, str encoder, {_AT}) -> Tensor", _Add, 2)
_define(f"add_(Tensor(a!) x, str encoder, {_AT}) -> ()", _Add, 2)
_define(f"embed(Tensor ids, Tensor table, str encoder, {_AT}, ScalarType? dtype, int padding_idx) -> Tensor", _Embed, 3)
_define("scatter(Tensor gradient, Tensor ids, SymInt rows, float scale, int padding_idx) -> Tensor", _Scatter)
_define(f"rotate(Tensor[] tensors, {_TURN}) -> Tensor[]", _Rotate, 2)
_define(f"norm_rotate(Tensor[] tensors, float[] epsilons, int[] kinds, {_TURN}) -> Tensor[]", _NormRotate, 4)
_define(f"rotate_one(Tensor x, {_TURN}) -> Tensor", _RotateOne, 2)
_define(f"rotate_(Tensor(a!) x, {_TURN}) -> ()", _RotateOne, 2)
_define("cos_sin(Tensor positions, str rotary, str layout, ScalarType dtype) -> (Tensor, Tensor)", _CosSin, 0)


def _rotate_each(tensors, *arguments):
    return [torch.ops.posenc.rotate_one(tensor, *arguments) for tensor in tensors]


# For batched gradients (is_grads_batched) torch loops over the batch, but only for operators without lists of tensors.
_library.impl("rotate", _rotate_each, "Batched")


def _in_transform():
    """Whether a transform of torch.func is active that needs the functions above, and not operators."""
    if not _torch.are_transforms_active() or not hasattr(torch.autograd.Function, "setup_context"):
        return False
    functorch = torch._C._functorch
    return functorch.peek_interpreter_stack().key() != functorch.TransformType.Functionalize


def _given(name, tensor):
    """Returns the tensor. Raises TypeError for None, which torch would take for an empty tensor."""
    if tensor is None:
        raise TypeError(f"{name} must be a tensor, not None")
    return tensor


def _apply(function, name, *arguments):
    if not is_compiling() and _in_transform():
        return _with_gradient(function)(*arguments)
    return getattr(torch.ops.posenc, name)(*arguments)


def _scattered(*arguments):
    return _apply(_Scatter, "scatter", *arguments)


# Checks whether a call can go directly to posenc.


_is_grad_enabled, _tracing_state, _mode_count = torch.is_grad_enabled, _torch.tracing_state, _torch.mode_count
_are_transforms_active, _forward_ad, _Parameter = _torch.are_transforms_active, _torch.forward_ad, torch.nn.Parameter


def _is_plain(positions, *tensors):
    """Whether torch does nothing with these tensors that an operator would be needed for. Then posenc can be called directly."""
    if is_compiling() or _tracing_state() is not None or _mode_count() or _are_transforms_active():
        return False
    for tensor in tensors if positions is None else (positions, *tensors):
        if type(tensor) is not Tensor and type(tensor) is not _Parameter or not tensor.is_cpu:
            return False
        if tensor.requires_grad and _is_grad_enabled():
            return False
    return _forward_ad._current_level < 0


def _is_recording():
    """Whether something records the call that knows only torch's own in-place operators."""
    return is_compiling() or _torch.mode_count() or _torch.are_transforms_active()


def _kept(positions, first, rows, axis, rotary=None):
    """positions and first in a form that a trace keeps. In a trace, `first` may be a size, which is a tensor; passed as an integer,
    it would become a constant. So it is turned into positions."""
    if positions is not None or not isinstance(first, Tensor) or is_compiling() or _tracing_state() is None:
        return positions, first
    if first.ndim or first.is_floating_point() or first.is_complex():
        _kernels._integer(first)  # raises an error if `first` is wrong
    positions = first.reshape(())
    if rows.ndim >= -axis:
        positions = positions + torch.arange(rows.size(axis))
    axes = 1 if rotary is None else object_of(rotary, Rotary).axes
    return positions if axes == 1 else positions.expand(axes, *positions.shape), 0


# The functions.


def _require_dtype(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("dtype must be a torch.dtype")


def encode(positions: Tensor, encoder: Encoder | str, dtype: torch.dtype = torch.float32) -> Tensor:
    """Returns the encoding at each position: [..., dim].

    positions  [...] integers or floats, in steps
    encoder    a posenc.Encoder, or its text (posenc.torch.spec)
    dtype      float32, float16, bfloat16 or float64

    The result has no gradient. Raises RuntimeError if a position is out of range.
    """
    _require_dtype(dtype)
    if _is_plain(None, positions):
        return _kernels.encode(positions, encoder, dtype)
    return _apply(_Encode, "encode", _given("positions", positions), text_of(encoder), dtype)


def add(
    x: Tensor, encoder: Encoder | str, positions: Tensor | None = None, first: int = 0, scale: float = 1.0
) -> Tensor:
    """Returns x * scale + encoding as a new tensor, of the shape and dtype of x. The gradient of x is the gradient of x * scale.

    x          [..., rows, dim] float32, float16, bfloat16 or float64
    encoder    a posenc.Encoder, or its text (posenc.torch.spec)
    first      position of the first row, in steps
    positions  instead of first: [rows] or [..., rows], integers or floats

    Raises RuntimeError for a wrong argument, or a position out of range.
    """
    if not is_compiling():
        made = eager_add(x, parse(encoder) if type(encoder) is str else encoder, positions, first, scale)
        if made is not None:
            return made
    if _is_plain(positions, x):
        return _kernels.add(x, encoder, positions, first, scale)
    positions, first = _kept(positions, first, _given("x", x), -2)
    return _apply(_Add, "add", x, text_of(encoder), positions, first, scale)


def add_(
    x: Tensor, encoder: Encoder | str, positions: Tensor | None = None, first: int = 0, scale: float = 1.0
) -> Tensor:
    """The same as add(), in place. Returns x. After an error x is unchanged."""
    if _is_plain(positions, x):
        _kernels.add_(x, encoder, positions, first, scale)
        return x
    if _is_recording():
        return x.copy_(add(x, encoder, positions, first, scale))
    positions, first = _kept(positions, first, _given("x", x), -2)
    torch.ops.posenc.add_(x, text_of(encoder), positions, first, scale)
    return x


def embed(
    ids: Tensor, table: Tensor, encoder: Encoder | str, positions: Tensor | None = None, first: int = 0,
    scale: float = 1.0, dtype: torch.dtype | None = None, padding_idx: int | None = None
) -> Tensor:
    """Returns table[ids] * scale + encoding, computed in one pass: [..., rows, dim].

    ids          [..., rows] integers, 0 .. vocabulary - 1
    table        [vocabulary, dim] float32, float16, bfloat16 or float64. The gradient of a row is the sum over its uses
    encoder      a posenc.Encoder, or its text (posenc.torch.spec)
    first        position of the first row, in steps
    positions    instead of first: [rows] or [..., rows], integers or floats
    dtype        type of the result: the type of the table (the default), float32 or float64
    padding_idx  a row of the table that gets no gradient, as in torch.nn.functional.embedding

    Raises IndexError if an id is not a row of the table, and RuntimeError for any other wrong argument.
    """
    if dtype is not None:
        _require_dtype(dtype)
    if padding_idx is None:
        padding_idx = -1
    else:
        _kernels.require(0 <= padding_idx < len(_given("table", table)), "padding_idx {} is not a row of the table", padding_idx)
    if _is_plain(positions, ids, table):
        return _kernels.embed(ids, table, encoder, positions, first, scale, dtype, padding_idx)
    _given("ids", ids), _given("table", table)
    positions, first = _kept(positions, first, ids, -1)
    return _apply(_Embed, "embed", ids, table, text_of(encoder), positions, first, scale, dtype, padding_idx)


def _require_list(tensors):
    is_list = type(tensors) in (list, tuple) and len(tensors) > 0
    if not is_list or not all(issubclass(type(tensor), Tensor) for tensor in tensors):
        raise TypeError("tensors must be a list of tensors")


def _rotary_of(angles, rotary):
    """The rotary that has made the angles. It must be the rotary of the call, or have the same spec."""
    if type(angles) is not Angles:
        raise TypeError(f"angles must be a posenc.Angles, not {type(angles)}")
    its = angles.rotary
    _kernels.require(rotary is its or text_of(rotary) == its.spec, "these angles were made with another rotary: {}", its)
    return its


def _require_alone(angles, positions, first, first_token):
    """Refuses angles if torch would record them as a constant, or if another argument says where the tokens are."""
    if angles is None:
        _kernels.require(first_token == 0, "first_token needs angles")
        return
    recorder = "torch.compile" if is_compiling() else _torch.recorder()
    _kernels.require(not recorder, "{} is recording, and angles would be constants of the record: pass positions", recorder)
    _kernels.require(positions is None and not isinstance(first, Tensor) and first == 0,
                     "angles exclude first and positions: they were made at positions")


def _has_angles_directly(tensors, norms):
    """Whether posenc itself rotates these tensors by angles. Otherwise an operator rotates them at positions."""
    return _is_plain(None, *tensors, *_weights(norms)) and tensors[0].dtype != torch.float64


def _positions_of(angles, first_token, tensors, token_axis):
    first = tensors[0]
    _kernels.require(token_axis in (-3, -2) and first.ndim >= -token_axis, "q must have at least {} axes; its shape is {}",
                     3 if token_axis == -3 else 2, list(first.shape))
    return _kernels.positions_of(angles, first_token, first.shape[token_axis])


def _norms_for(norm, tensors):
    """The norms of a call: a tuple with a Norm, or None, for each tensor. None if no tensor has a norm."""
    if norm is None:
        return None
    is_list = type(norm) in (list, tuple) and len(norm) == len(tensors)
    if not is_list or not all(one is None or type(one) is Norm for one in norm):
        raise TypeError("norm must be a list with a posenc.Norm, or None, for each tensor")
    for one in norm:
        if one is not None and one.weight is not None and not issubclass(type(one.weight), Tensor):
            raise TypeError(f"the weight of a norm must be a tensor or None, not {type(one.weight)}")
        _kernels.require(one is None or one.weight is not None or not one.plus_one, "plus_one of a norm needs a weight")
    return None if all(one is None for one in norm) else tuple(norm)


def _weights(norms):
    return [] if norms is None else [norm.weight for norm in norms if norm is not None and norm.weight is not None]


def _rotated(tensors, norms, turn):
    """Calls an operator for the tensors that have norms, and another one for the others."""
    if norms is None:
        return _apply(_Rotate, "rotate", tensors, *turn)
    made, both = [None] * len(tensors), list(zip(tensors, norms))
    own = [(x, norm) for x, norm in both if norm is not None]
    given = [x for x, _ in own] + [_norms.weight_of(norm, x, turn[-1]) for x, norm in own]
    numbers = [float(norm.epsilon) for _, norm in own], [_norms.kind_of(norm) for _, norm in own]
    with_norms = iter(_apply(_NormRotate, "norm_rotate", given, *numbers, *turn))
    plain = [x for x, norm in both if norm is None]
    others = iter(_apply(_Rotate, "rotate", plain, *turn) if plain else ())
    return [next(others if norm is None else with_norms) for norm in norms]


def rotate(
    tensors: Sequence[Tensor], rotary: Rotary | str, positions: Tensor | None = None, first: int = 0,
    scale: float = 1.0, inverse: bool = False, token_axis: int = -3, angles: Angles | None = None, first_token: int = 0,
    norm: Sequence[Norm | None] | None = None
) -> list[Tensor]:
    """Returns a list of rotated tensors, for example q and k. Their gradients are rotated backwards.

    tensors     each [..., tokens, heads, head_dim] float32, float16, bfloat16 or float64; with token_axis -2
                [..., heads, tokens, head_dim]
    rotary      a posenc.Rotary, or its text (posenc.torch.spec)
    first       position of the first token, in steps
    positions   instead of first: [tokens] or [..., tokens]; with several axes [axes, tokens] or [axes, ..., tokens]
    scale       multiplies the elements that rotate
    inverse     True: rotates backwards
    angles      instead of first and positions: rotary.angles() for these positions, once for all layers. The bits are the same.
                If gradients are recorded, the call computes the cosines and sines again
    first_token with angles: the tensors begin with this token of the angles
    norm        a list with a posenc.Norm, or None, for each tensor: RMSNorm before the rotation. Weights are tensors, which get
                gradients too

    Raises RuntimeError for a wrong argument, or a position out of range.
    """
    if not is_compiling():
        its = parse(rotary) if type(rotary) is str else rotary
        all_, all_norms = (tuple(given) if type(given) is list else given for given in (tensors, norm))
        made = eager_rotate(all_, its, positions, first, scale, inverse, token_axis, angles, first_token, all_norms)
        if made is not None:
            return list(made)
    _require_list(tensors)
    norms = _norms_for(norm, tensors)
    _require_alone(angles, positions, first, first_token)
    if angles is not None:
        rotary = _rotary_of(angles, rotary)
        if _has_angles_directly(tensors, norms):
            return _kernels.rotate(tensors, rotary, None, 0, scale, inverse, token_axis, angles, first_token, norms)
        positions = _positions_of(angles, first_token, tensors, token_axis)
    if _is_plain(positions, *tensors, *_weights(norms)):
        return _kernels.rotate(tensors, rotary, positions, first, scale, inverse, token_axis, None, 0, norms)
    positions, first = _kept(positions, first, tensors[0], token_axis, rotary)
    return _rotated(tensors, norms, (text_of(rotary), positions, first, scale, inverse, token_axis))


def rotate_(
    tensors: Sequence[Tensor], rotary: Rotary | str, positions: Tensor | None = None, first: int = 0,
    scale: float = 1.0, inverse: bool = False, token_axis: int = -3, angles: Angles | None = None, first_token: int = 0,
    norm: Sequence[Norm | None] | None = None
) -> Sequence[Tensor]:
    """The same as rotate(), in place. Returns the tensors. After an error all tensors are unchanged."""
    _require_list(tensors)
    norms = _norms_for(norm, tensors)
    _require_alone(angles, positions, first, first_token)
    if angles is not None:
        rotary = _rotary_of(angles, rotary)
        if _has_angles_directly(tensors, norms):
            _kernels.rotate_all_(tensors, rotary, None, 0, scale, inverse, token_axis, angles, first_token, norms)
            return tensors
        positions = _positions_of(angles, first_token, tensors, token_axis)
    if _is_plain(positions, *tensors, *_weights(norms)):
        _kernels.rotate_all_(tensors, rotary, positions, first, scale, inverse, token_axis, None, 0, norms)
    elif norms is not None:
        _copy_rotated(tensors, norms, rotary, positions, first, scale, inverse, token_axis)
    elif _is_recording():
        for tensor, made in zip(tensors, rotate(tensors, rotary, positions, first, scale, inverse, token_axis)):
            tensor.copy_(made)
    else:
        positions, first = _kept(positions, first, tensors[0], token_axis, rotary)
        arguments = text_of(rotary), positions, first, scale, inverse, token_axis
        if _tracing_state() is None:  # checks all tensors before the first one is written
            _kernels.rotate_meta(tensors, *arguments)
            if len(tensors) > 1:
                _require_writable(tensors)
        for tensor in tensors:
            torch.ops.posenc.rotate_(tensor, *arguments)
    return tensors


def _copy_rotated(tensors, norms, rotary, positions, first, *arguments):
    """Computes all results first, and then copies them into the tensors, so that torch records the copies. Gradients of a norm need
    the old elements, so the results are computed from copies of the tensors."""
    _kernels.require(not torch.onnx.is_in_onnx_export(), "torch.onnx.export cannot export rotate_, which writes in place: call rotate")
    own = [tensor.clone() for tensor in tensors] if _is_grad_enabled() else tensors
    made = rotate(own, rotary, positions, first, *arguments, norm=norms)
    if not _is_recording() and _tracing_state() is None:
        _require_writable(tensors)
    for tensor, its in zip(tensors, made):
        tensor.copy_(its)


def _require_writable(tensors):
    places = set()
    for i, tensor in enumerate(tensors):
        if not tensor.numel():
            continue
        name, strides = ("q", "k")[i] if i < 2 else f"tensor {i}", tensor.stride()
        overlaps = any(stride == 0 and size > 1 for stride, size in zip(strides, tensor.shape))
        _kernels.require(not overlaps and tensor.data_ptr() not in places, "{} overlaps in memory", name)
        if tensor.is_cpu:
            places.add(tensor.data_ptr())
        if tensor.requires_grad and _is_grad_enabled():
            tensor[:0].zero_()  # writes no element, but makes torch refuse a leaf, or one of several views
        else:
            _kernels.require(strides[-1] == 1, "{} must have its columns next to each other", name)


def cos_sin(
    positions: Tensor, rotary: Rotary | str, layout: str = "halves_twice", dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    """Returns (cos, sin), times the amplitude, at each position.

    positions  [...], or with several axes [axes, ...], integers or floats, in steps
    rotary     a posenc.Rotary, or its text (posenc.torch.spec)
    layout     halves: [..., rotary_dim / 2]. halves_twice: [..., rotary_dim], where the second half repeats the first, as in
               transformers. duplicated: [..., rotary_dim], where both elements of a pair have the same value
    dtype      float32, float16, bfloat16 or float64

    The results have no gradient. Raises RuntimeError if a position is out of range.
    """
    _require_dtype(dtype)
    if _is_plain(None, positions):
        return _kernels.cos_sin(positions, rotary, layout, dtype)
    return _apply(_CosSin, "cos_sin", _given("positions", positions), text_of(rotary), layout, dtype)
