"""Puts posenc's modules into a model in place of those that compute the same."""

import copy
import inspect
from typing import NamedTuple

import torch
from torch import nn

import posenc
from posenc.torch._modules import _TABLES, EncodingTable, RotaryEmbedding, SinusoidalPositionalEncoding

_ROWS = 8  # that are compared
_FAR = 1000  # a position at which low frequencies count, and phases in float32 do not
_LONG = 1 << 17  # beyond which scalings change that depend on the length, unless a model's own length is greater


class Replacement(NamedTuple):
    """What became of a module that has inv_freq or a table of sines."""

    name: str
    old: nn.Module
    new: nn.Module | None  # None: it was left
    difference: float | None  # the largest, of what both gave for some positions
    reason: str = ""  # why it was left


def patch(model: nn.Module, tolerance: float = 1e-3) -> list[Replacement]:
    """Replaces rotary and sinusoidal modules of a model by posenc's: those with a buffer inv_freq, those with a table
    `pe`, and frozen nn.Embedding with rows of sines.

    A module is called before it is replaced, and left if posenc's differs by more than the tolerance at the first
    positions, if it gives other types, if its forward has other arguments, its results depend on the length, or it has
    hooks or parameters that are trained; so what is replaced keeps its meaning. Returns a Replacement for each. Save
    checkpoints after unpatch() if they must have the tables.
    """
    report, made = [], {}
    for parent_name, parent in list(model.named_modules()):
        if isinstance(parent, torch.jit.ScriptModule):
            continue  # keeps its children
        for leaf, module in list(parent._modules.items()):
            if module is None or isinstance(module, (RotaryEmbedding, SinusoidalPositionalEncoding, EncodingTable)):
                continue
            if module not in made:
                made[module] = _replacement(module, tolerance)
                if made[module] is not None:
                    name = f"{parent_name}.{leaf}" if parent_name else leaf
                    made[module] = made[module]._replace(name=name)
                    report.append(made[module])
            if made[module] is not None and made[module].new is not None:
                setattr(parent, leaf, made[module].new)
    return report


def unpatch(model: nn.Module) -> int:
    """Puts the old modules back, of the types and on the devices that they had. Returns how many."""
    count = 0
    for parent in list(model.modules()):
        for leaf, module in list(parent._modules.items()):
            if hasattr(module, "_replaced"):
                setattr(parent, leaf, module._replaced[0].train(module.training))
                count += 1
    return count


def _replacement(module, tolerance):
    """A Replacement without name; None for a module of another kind."""
    try:
        return _compared(module, tolerance)
    except Exception as error:  # of whatever kind: the module is somebody else's
        return Replacement("", module, None, None, f"{type(error).__name__}: {error}")


def _compared(module, tolerance):
    tensor = getattr(module, "inv_freq", None)
    if isinstance(tensor, torch.Tensor):
        candidates, compare, arguments = _rotaries(module), _compare_rotaries, 2
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
    best = reason = None
    for candidate in candidates:
        try:
            new = candidate()
            _require_replaceable(module, arguments)
            difference = compare(module, new)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            continue
        if best is None or difference < best[1]:
            best = new, difference
        if difference <= tolerance + 4 * torch.finfo(tensor.dtype).eps:
            new.train(module.training)
            new._replaced = (module,)  # in a tuple, so that it is no submodule
            return Replacement("", module, new, difference)
    if best is not None:
        reason = f"the nearest, {best[0]}, differs by {best[1]:.2g}"
    elif reason is None and isinstance(module, nn.Embedding):
        return None  # frozen, but no sines
    return Replacement("", module, None, best and best[1], reason or "posenc has no such encoding")


def _require_replaceable(module, arguments):
    """Whether callers, who pass so many arguments, get of another module what they want."""
    others = [name for name, its in inspect.signature(module.forward).parameters.items()
              if its.kind not in (its.VAR_POSITIONAL, its.VAR_KEYWORD)][arguments:]
    if others:
        raise RuntimeError(f"its forward has other arguments: {', '.join(others)}")
    if module._forward_hooks or module._forward_pre_hooks:
        raise RuntimeError("it has hooks")
    trained = [name for name, parameter in module.named_parameters() if parameter.requires_grad]
    if trained:
        raise RuntimeError(f"it has parameters that are trained: {', '.join(trained)}")


# Of modules with inv_freq.


def _rotaries(module):
    config = getattr(module, "config", None)
    if config is not None:
        yield lambda: RotaryEmbedding.from_config(config)
        yield lambda: RotaryEmbedding.from_config(config, per_axis=True)
        for layer_type in getattr(config, "layer_types", None) and sorted(set(config.layer_types)) or ():
            yield lambda: RotaryEmbedding.from_config(config, layer_type=layer_type)
    amplitude = float(getattr(module, "attention_scaling", 1.0))
    inv_freq = module.inv_freq.detach().float().cpu()
    yield lambda: RotaryEmbedding(posenc.Rotary(2 * len(inv_freq), frequencies=inv_freq, amplitude=amplitude))


def _compare_rotaries(old, new):
    old = copy.deepcopy(old)  # which may change when it is called
    lengths = [getattr(of, name, 0) for of in (old, getattr(old, "config", None))
               for name in ("max_position_embeddings", "max_seq_len_cached", "original_max_seq_len")]
    longest = 2 * max(_LONG, *(length for length in lengths if isinstance(length, int)))

    def both(last, dtype=torch.float32):
        """cos and sin of each, at the first positions and a last one."""
        x, positions = torch.zeros(1, _ROWS + 1, 1, dtype=dtype), torch.tensor([[*range(_ROWS), last]])
        if new.rotary.axes > 1:
            positions = torch.stack([positions * (axis + 1) for axis in range(new.rotary.axes)])
        made = old(x, positions)
        if not isinstance(made, tuple) or len(made) != 2:
            raise RuntimeError("what it gives is no pair of cos and sin")
        return zip(made, new(x, positions))

    with torch.no_grad():
        for one, other in both(_ROWS, torch.bfloat16):
            _difference(one, other)  # their types
        first = list(both(_ROWS))
        difference = max(_difference(one, other) for one, other in first)
        try:
            far, long = list(both(_FAR)), list(both(longest))
        except IndexError:  # of a table, which has no such positions
            return difference
        for (one, _), (beside_long, _) in zip(first, long):
            if _difference(one[..., :_ROWS, :], beside_long[..., :_ROWS, :]) > 1e-6:
                raise RuntimeError("what it gives depends on the length")
        error = _FAR * torch.finfo(old.inv_freq.dtype).eps  # of phases
        return max(difference, *(_difference(one, other) - error for one, other in far))


# Of modules with a table of sines.


def _table(module):
    """Its buffer or tensor of rows of sines, [rows, dim]."""
    for name in _TABLES:
        table = getattr(module, name, None)
        if isinstance(table, torch.Tensor) and not table.requires_grad and table.squeeze().ndim == 2:
            return table.squeeze()
    return None


def _presets(table):
    """Presets that give the table, nearest first."""
    found = []
    for preset in posenc.presets():
        try:
            encoder = posenc.Encoder(table.shape[1], preset=preset)
            difference = _difference(encoder.table(min(len(table), 64), dtype=torch.float64), table[:64].double())
            found.append((difference, preset))
        except ValueError:  # one that needs frequencies, or an even dim
            continue
    return [preset for difference, preset in sorted(found) if difference < 0.1]


def _encoding_tables(module):
    for preset in _presets(module.weight.detach()):
        yield lambda: EncodingTable(*module.weight.shape, preset=preset).to(module.weight.dtype)


def _compare_tables(old, new):
    positions = torch.arange(min(_ROWS, len(old.weight)))
    with torch.no_grad():
        return max(_difference(old.weight, new.weight), _difference(old(positions), new(positions)))


def _encodings(module):
    table = _table(module)
    dropout = next((child.p for child in module.children() if isinstance(child, nn.Dropout)), 0.0)
    for preset in _presets(table):
        for batch_first in True, False:
            for scale in 1.0, table.shape[1] ** 0.5:
                more = dropout, preset, batch_first, scale
                yield lambda: SinusoidalPositionalEncoding(table.shape[1], len(table), *more)


def _compare_sums(old, new):
    table, dim = _table(old), new.encoder.dim
    rows = min(_ROWS, len(table))
    far = _difference(table.double(), new.encoder.table(len(table), dtype=torch.float64))
    if not far < 0.1:
        raise RuntimeError(f"its table differs by {far:.2g} from {new.encoder}")
    x = torch.linspace(-1, 1, 2 * rows * dim).reshape((2, rows, dim) if new.batch_first else (rows, 2, dim))
    x, old = x.to(table.dtype), copy.deepcopy(old)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        made = old.eval()(x)
        if torch.equal(old.train()(x), made) != (new.dropout.p == 0):
            raise RuntimeError("its dropout is no nn.Dropout, or not used")
        return _difference(made, new.eval()(x))


def _difference(one, other):
    if one.dtype != other.dtype:
        raise RuntimeError(f"the types {one.dtype} and {other.dtype} differ")
    if one.shape != other.shape:
        raise RuntimeError(f"the shapes {list(one.shape)} and {list(other.shape)} differ")
    return (one.double() - other.double()).abs().max().nan_to_num(float("inf")).item()
