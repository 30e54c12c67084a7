"""RMSNorm before a rotation in torch's own operators: for float64, and for gradients of all types."""

import torch

from posenc._norm import Norm


def axes_of(over_heads, x, token_axis):
    """The axes of x over which a mean goes: head_dim, or heads and head_dim."""
    return (-5 - token_axis, -1) if over_heads and x.ndim > 2 else (-1,)


def wide(tensor):
    """The tensor in the type in which gradients are computed."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def _unit(x, epsilon, axes):
    """x / sqrt(mean(x^2) + epsilon), and 1 / sqrt(mean(x^2) + epsilon)."""
    r = (x.square().mean(axes, keepdim=True) + epsilon).rsqrt()
    return x * r, r


def _beside(weight, x, axes):
    """A weight in the type and with the axes of x, so that it multiplies x."""
    weight = weight.to(x.dtype)
    if len(axes) == 1:
        return weight.reshape(x.shape[-1])
    weight = weight.reshape(x.shape[axes[0]], x.shape[-1])
    return weight if axes[0] == -2 else weight.unsqueeze(-2)


def _factors(norm, x, axes):
    factors = _beside(norm.weight, x, axes)
    return 1 + factors if norm.plus_one else factors


def weight_of(norm, x, token_axis):
    """The weight of a norm for x. A norm without a weight has the weight 1 for each element."""
    if norm.weight is not None:
        return norm.weight
    count = x.shape[-1]
    for axis in axes_of(norm.over_heads, x, token_axis)[:-1]:
        count = count * x.shape[axis]
    return x.new_ones(count, dtype=torch.float64 if x.dtype == torch.float64 else torch.float32)


def normed(x, norm, token_axis):
    """x, normalized. For float64."""
    axes = axes_of(norm.over_heads, x, token_axis)
    norm = norm._replace(weight=weight_of(norm, x, token_axis))
    return _unit(x, norm.epsilon, axes)[0] * _factors(norm, x, axes)


def gradients(gradient, x, norm, token_axis, needs_x, needs_weight):
    """The gradients of x and of the weight, from the gradient of the normalized x. None for one that is not needed."""
    axes, own = axes_of(norm.over_heads, x, token_axis), wide(x)
    u, r = _unit(own, norm.epsilon, axes)
    of_x = of_weight = None
    if needs_weight:
        others = [axis for axis in range(x.ndim) if axis - x.ndim not in axes]
        of_weight = (gradient * u).sum(others).reshape(norm.weight.shape).to(norm.weight.dtype)
    if needs_x:
        scaled = gradient * _factors(norm, own, axes)
        of_x = (r * (scaled - u * (scaled * u).mean(axes, keepdim=True))).to(x.dtype)
    return of_x, of_weight


def tangent(x_tangent, weight_tangent, x, norm, token_axis):
    """The tangent of the normalized x. A tangent that is None is zero."""
    axes, own = axes_of(norm.over_heads, x, token_axis), wide(x)
    u, r = _unit(own, norm.epsilon, axes)
    made = torch.zeros_like(own)
    if x_tangent is not None:
        its = wide(x_tangent)
        made = r * (its - u * (u * its).mean(axes, keepdim=True)) * _factors(norm, own, axes)
    if weight_tangent is not None:
        made = made + u * _beside(weight_tangent, own, axes)
    return made


# Operators take norms as numbers: epsilons, and kinds.


def kind_of(norm):
    return int(norm.plus_one) + 2 * int(norm.over_heads)


def of_numbers(given, epsilons, kinds):
    """The tensors of a call and their norms, from the arguments of the operator: the tensors, and then as many weights."""
    half = len(given) // 2
    norms = tuple(Norm(weight, epsilon, bool(kind & 1), bool(kind & 2))
                  for weight, epsilon, kind in zip(given[half:], epsilons, kinds))
    return list(given[:half]), norms
