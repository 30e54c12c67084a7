"""Replaces modules of a model by modules of posenc that compute the same."""

import copy
import inspect
from typing import NamedTuple

import torch
from torch import nn

import posenc
from posenc.torch._modules import (
    _TABLES, EncodingTable, LayerTypeRotaryEmbedding, RotaryEmbedding, SinusoidalPositionalEncoding
)

_OWN = RotaryEmbedding, LayerTypeRotaryEmbedding, SinusoidalPositionalEncoding, EncodingTable
_ROWS = 8  # how many rows are compared first
_SHORT, _LONG = 1 << 13, 1 << 17  # every position up to a limit is compared; this limit is between these numbers


class Replacement(NamedTuple):
    """What patch() did with a module that has inv_freq or a table of sines."""

    name: str
    old: nn.Module
    new: nn.Module | None  # None if the old module was left in place
    difference: float | None  # the largest difference of results; phases in float explain position / 2^23 of it
    reason: str = ""  # why the old module was left in place


def patch(model: nn.Module, tolerance: float = 1e-3) -> list[Replacement]:
    """Replaces rotary and sinusoidal modules of a model by modules of posenc. Returns a Replacement for each of them.

    These modules are considered: modules with a buffer inv_freq, modules with a table `pe`, and frozen nn.Embedding modules
    whose rows are sines.

    Each module is called and compared with posenc's before it is replaced. A rotary module is compared at every position up to
    the length that it states, and at some positions up to twice that length or 262144: alone, in longer sequences, and in
    sequences that begin elsewhere. A table is compared in every row. Both are also compared in training mode.

    A module is left in place if one of these is true:

    - its results differ by more than `tolerance` plus the error that phases in float32 explain, position / 2^23;
    - its results have another type, or depend on the length of the input;
    - its forward has other arguments;
    - it has hooks, or parameters that are trained.

    If checkpoints must contain the old tables, call unpatch() before you save them.
    """
    report, made = [], {}
    for parent_name, parent in list(model.named_modules()):
        if isinstance(parent, torch.jit.ScriptModule):
            continue  # its submodules cannot be replaced
        for leaf, module in list(parent._modules.items()):
            if module is None or isinstance(module, _OWN):
                continue
            if module not in made:
                made[module] = _replacement(module, tolerance)
                if made[module] is not None:
                    name = f"{parent_name}.{leaf}" if parent_name else leaf
                    made[module] = made[module]._replace(name=name)
                    report.append(made[module])
            if made[module] is not None and made[module].new is not None:
                made[module].new._replaced = (module,)  # in a tuple, so that torch does not register it as a submodule
                setattr(parent, leaf, made[module].new.train(module.training))
    return report


def unpatch(model: nn.Module) -> int:
    """Puts the old modules back, with the dtypes and devices that they had. Returns the number of modules."""
    count = 0
    for parent in list(model.modules()):
        for leaf, module in list(parent._modules.items()):
            if hasattr(module, "_replaced"):
                setattr(parent, leaf, module._replaced[0].train(module.training))
                count += 1
    return count


def _replacement(module, tolerance):
    """A Replacement without a name, or None if the module is neither rotary nor sinusoidal."""
    try:
        return _compared(module, tolerance)
    except Exception as error:  # a foreign module may raise any kind of error
        return Replacement("", module, None, None, f"{type(error).__name__}: {error}")


def _compared(module, tolerance):
    tensor = getattr(module, "inv_freq", None)
    if isinstance(tensor, torch.Tensor):
        candidates, compare, arguments = _rotaries(module), _compare_rotaries, 2
    elif layer_types := _layer_types(module):
        return _compared_by_layer_type(module, layer_types, tolerance)
    elif isinstance(module, nn.Embedding):
        tensor = module.weight
        if tensor.requires_grad or tensor.is_meta or not tensor.numel():
            return None
        candidates, compare, arguments = _encoding_tables(module), _compare_tables, 1
    else:
        tensor = _table(module)
        if tensor is None:
            return None
        candidates, compare, arguments = _encodings(module), _compare_sums, 1
    if compare is not _compare_rotaries:
        tolerance += 4 * torch.finfo(tensor.dtype).eps
    best = reason = None
    for candidate in candidates:
        try:
            new = candidate()
            _require_replaceable(module, arguments)
            excess, difference = compare(module, new, tolerance)
        except _Unsteady as error:
            return Replacement("", module, None, None, str(error))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            continue
        if best is None or excess < best[2]:
            best = new, difference, excess
        if excess <= tolerance:
            return Replacement("", module, new, difference)
    if best is not None:
        nearest = f"{type(best[0]).__name__}({best[0].extra_repr()})"
        reason = f"the nearest, {nearest}, differs by {best[1]:.2g}"
    elif reason is None and isinstance(module, nn.Embedding):
        return None  # frozen, but its rows are not sines
    return Replacement("", module, None, best and best[1], reason or "posenc has no such encoding")


def _require_replaceable(module, arguments):
    """Raises RuntimeError if the module does something that a replacement would not do. Callers pass `arguments` arguments."""
    others = [name for name, its in inspect.signature(module.forward).parameters.items()
              if its.kind not in (its.VAR_POSITIONAL, its.VAR_KEYWORD)][arguments:]
    if others:
        raise RuntimeError(f"its forward has other arguments: {', '.join(others)}")
    if module._forward_hooks or module._forward_pre_hooks:
        raise RuntimeError("it has hooks")
    trained = [name for name, parameter in module.named_parameters() if parameter.requires_grad]
    if getattr(getattr(module, "inv_freq", None), "requires_grad", False) and "inv_freq" not in trained:
        trained.append("inv_freq")  # a tensor that is not an nn.Parameter
    if trained:
        raise RuntimeError(f"it has parameters that are trained: {', '.join(trained)}")


# Modules with inv_freq.


def _layer_types(module):
    """The types of layers for which a module of transformers 5 has frequencies, in buffers like sliding_attention_inv_freq."""
    names = [name.removesuffix("_inv_freq") for name, _ in module.named_buffers(recurse=False)
             if name.endswith("_inv_freq") and not name.endswith("original_inv_freq")]
    return sorted(names)


class _OfLayerType(nn.Module):
    """Makes such a module look like a module for a single type of layers."""

    def __init__(self, module, layer_type):
        super().__init__()
        self.module, self.layer_type, self.config = module, layer_type, getattr(module, "config", None)
        self.inv_freq = getattr(module, layer_type + "_inv_freq")

    def forward(self, x, position_ids):
        return self.module(x, position_ids, layer_type=self.layer_type)


def _compared_by_layer_type(module, layer_types, tolerance):
    if list(inspect.signature(module.forward).parameters)[2:] != ["layer_type"]:
        raise RuntimeError("its forward has other arguments than x, position_ids and layer_type")
    _require_replaceable(module, 3)
    found = {layer_type: _compared(_OfLayerType(module, layer_type), tolerance) for layer_type in layer_types}
    for layer_type, one in found.items():
        if one.new is None:
            return Replacement("", module, None, one.difference, f"{layer_type}: {one.reason}")
    new = LayerTypeRotaryEmbedding({layer_type: one.new for layer_type, one in found.items()})
    return Replacement("", module, new, max(one.difference for one in found.values()))


def _rotaries(module):
    """Candidates: from the configuration, if posenc knows the model, and then from the module's own frequencies and amplitude."""
    config = getattr(module, "config", None)
    made = []
    if config is not None:
        for layer_type in None, *sorted(set(getattr(config, "layer_types", None) or ())):
            made.append(lambda layer_type=layer_type: posenc.Rotary.from_config(config, layer_type=layer_type))
    made += [lambda: _rotary_as_it_is(module), lambda: _rotary_as_it_is(module, pairing="neighbours")]
    for make in made:
        for layout in "halves_twice", "halves", "duplicated":
            yield lambda: RotaryEmbedding(make(), layout=layout)
        yield lambda: RotaryEmbedding(make(), per_axis=True)


def _rotary_as_it_is(module, **members):
    with torch.no_grad():
        cos, _ = _cos_and_sin(copy.deepcopy(module), torch.zeros(1, 1, dtype=torch.int64))
    frequencies = module.inv_freq.detach().float().cpu()
    return posenc.Rotary(2 * len(frequencies), frequencies=frequencies, amplitude=cos.max().item(), **members)


def _cos_and_sin(of, positions, dtype=torch.float32, axes=1, length=None):
    """Calls `of` with positions [batch, rows], which are multiplied by axis + 1 for each axis, and with x [batch, length, 1]."""
    x = torch.zeros(1, dtype=dtype).expand(len(positions), length or positions.shape[1], 1)
    if axes > 1:
        positions = torch.stack([positions * (axis + 1) for axis in range(axes)])
    made = of(x, positions)
    if not isinstance(made, tuple) or len(made) != 2:
        raise RuntimeError("its result is not a pair of cos and sin")
    return made


class _Unsteady(RuntimeError):
    """Raised if a module returns different cos and sin for the same positions."""


def _compare_rotaries(old, new, tolerance):
    old, axes = copy.deepcopy(old).eval(), new.rotary.axes  # a copy, because calling the module may change it
    lengths = [getattr(of, name, 0) for of in (old, getattr(old, "module", None), getattr(old, "config", None))
               for name in ("max_position_embeddings", "max_seq_len_cached", "original_max_seq_len")]
    stated = max(0, *(length for length in lengths if isinstance(length, int)))

    def compared(positions, dtype=torch.float32):
        made = [_cos_and_sin(of, positions, dtype, axes) for of in (old, new)]
        allowed = _phases(positions * axes)
        if dtype == torch.float32:
            return _worst(_differences(one, other, allowed) for one, other in zip(*made))
        allowed = allowed + torch.finfo(dtype).eps * made[1][0].abs().max().item()  # both are rounded to dtype
        return (max(_differences(one, other, allowed)[0] for one, other in zip(*made)),) * 2

    def require_same(*arguments, **more):
        """Raises _Unsteady if the first positions have other results in a call with other arguments."""
        for one, other in zip(at_first, _cos_and_sin(old, *arguments, axes=axes, **more)):
            if _differences(one, other[..., :_ROWS, :])[0] > 1e-6:
                raise _Unsteady("the result depends on the length, on training, or on earlier calls")

    first = torch.arange(_ROWS)[None]
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        worst = _worst((compared(first), compared(first, torch.bfloat16)))
        at_first = _cos_and_sin(old, first, axes=axes)
        last = _last_position(lambda last: _cos_and_sin(old, torch.tensor([[last]]), axes=axes),
                              2 * max(_LONG, stated))
        worst = _worst((worst, *(compared(torch.tensor([[at]])) for at in sorted({0, 1, 5, last}))))  # single positions, as in a decode step
        require_same(torch.cat([first, torch.tensor([[last]])], 1))
        require_same(first, length=last)
        is_table = last < 2 * max(_LONG, stated)
        all_ = torch.arange((last if is_table else min(max(stated, _SHORT), _LONG)) + 1)[None]
        some = torch.tensor([at for k in range(3, last.bit_length()) for at in (2**k - 1, 2**k + 1, 3 * 2**(k - 1))])
        some = torch.cat([some[some < last - 1], torch.arange(max(last - _ROWS, 0), last - 1)])
        elsewhere = torch.stack([some + 2, some.flip(0)])
        for positions, dtype in ((elsewhere, torch.float32), (elsewhere, torch.bfloat16), (all_, torch.float32)):
            if worst[0] <= tolerance:
                worst = _worst((worst, compared(positions, dtype)))
        if worst[0] <= tolerance:
            require_same(first)
            old.train()
            require_same(first)
    return worst


def _last_position(call, most):
    """The last position that `call` accepts: `most`, or less if the module has a table."""
    least, above = 0, most + 1
    at = most
    while above - least > 1:
        try:
            call(at)
            least = at
        except IndexError:
            above = at
        at = (least + above) // 2
    return least


# Modules with a table of sines.


def _table(module):
    """The module's buffer or tensor with rows of sines, [rows, dim], or None."""
    for name in _TABLES:
        table = getattr(module, name, None)
        if isinstance(table, torch.Tensor) and not table.requires_grad and table.squeeze().ndim == 2:
            return table.squeeze()
    return None


def _presets(table):
    """The presets whose table is similar, the nearest first."""
    found = []
    for preset in posenc.presets():
        try:
            encoder = posenc.Encoder(table.shape[1], preset=preset)
            right = encoder.table(min(len(table), 64), dtype=torch.float64)
            _, difference = _differences(right, table[:64].double())
            found.append((difference, preset))
        except ValueError:  # the preset needs frequencies, or an even dim
            continue
    return [preset for difference, preset in sorted(found) if difference < 0.1]


def _encoding_tables(module):
    for preset in _presets(module.weight.detach()):
        yield lambda: EncodingTable(*module.weight.shape, preset=preset).to(module.weight.dtype)


def _compare_tables(old, new, _):
    positions = torch.arange(len(old.weight))
    ids = torch.stack([positions.flip(0), positions.roll(len(positions) // 3)])  # two sequences, in other orders
    old = copy.deepcopy(old)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        worst = _worst(_differences(one, new.weight, _phases(positions)) for one in (old.weight, old(positions)))
        each = _worst(_differences(old(some), new(some), _phases(some)) for some in (ids, ids[:, :1], ids[1]))
        trained = _differences(old.train()(ids), new(ids), _phases(ids))
    return _worst((worst, each, trained))


def _encodings(module):
    table = _table(module)
    dropout = next((child.p for child in module.children() if isinstance(child, nn.Dropout)), 0.0)
    for preset in _presets(table):
        for batch_first in True, False:
            for scale in 1.0, table.shape[1] ** 0.5:
                more = dropout, preset, batch_first, scale
                yield lambda: SinusoidalPositionalEncoding(table.shape[1], len(table), *more)


def _compare_sums(old, new, _):
    table, dim = _table(old), new.encoder.dim
    old, worst, equal = copy.deepcopy(old), (0.0, 0.0), True
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for batch, rows in (2, min(_ROWS, len(table))), (2, 1), (1, len(table)):
            x = torch.linspace(-1, 1, batch * rows * dim, dtype=table.dtype)
            x = x.reshape((batch, rows, dim) if new.batch_first else (rows, batch, dim))
            made = old.eval()(x)
            phases = _phases(torch.arange(rows))
            phases = phases if new.batch_first else phases[:, None]
            worst = _worst((worst, _differences(made, new.eval()(x), phases)))
            trained, p = old.train()(x), new.dropout.p
            if not _is_dropped(trained, made, p).all():
                raise RuntimeError("in training it does something else than nn.Dropout (dropout of the sum)")
            equal = equal and torch.equal(trained, made)
    if equal != (new.dropout.p == 0):
        raise RuntimeError("its dropout is not an nn.Dropout, or is not used")
    return worst


def _is_dropped(trained, made, p):
    """Whether each element is what nn.Dropout makes of it: 0, or the element divided by 1 - p."""
    if p == 0:
        return trained == made
    kept = made / (1 - p) if p < 1 else torch.zeros_like(made)
    return (trained == 0) | torch.isclose(trained, kept, 4 * torch.finfo(made.dtype).eps, 0)


def _phases(positions):
    """The possible error of phases that are computed in float32, as in most modules, for positions [...]: [..., 1]."""
    return positions[..., None] * torch.finfo(torch.float32).eps


def _worst(differences):
    return tuple(max(each) for each in zip(*differences))


def _differences(one, other, allowed=0.0):
    """The largest difference beyond what is allowed, and the largest difference."""
    if one.dtype != other.dtype:
        raise RuntimeError(f"the types {one.dtype} and {other.dtype} differ")
    if one.device != other.device:
        raise RuntimeError(f"the devices {one.device} and {other.device} differ")
    if one.shape != other.shape:
        raise RuntimeError(f"the shapes {list(one.shape)} and {list(other.shape)} differ")
    differences = one.to(torch.float64, copy=True).sub_(other).abs_().nan_to_num_(float("inf"))
    largest = differences.max().item()
    return max(differences.sub_(allowed).max().item(), 0.0), largest
