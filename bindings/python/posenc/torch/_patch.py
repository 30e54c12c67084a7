"""Puts posenc's modules into a model in place of those that compute the same."""

from typing import NamedTuple

import torch
from torch import nn

import posenc
from posenc.torch._modules import _TABLES, EncodingTable, RotaryEmbedding, SinusoidalPositionalEncoding

_ROWS = 8  # that are compared


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
    positions; so what is replaced keeps its meaning. Returns a Replacement for each. Save checkpoints after unpatch()
    if they must have the tables.
    """
    report, made = [], {}
    for parent_name, parent in list(model.named_modules()):
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
    """Puts the old modules back. Returns how many."""
    count = 0
    for parent in list(model.modules()):
        for leaf, module in list(parent._modules.items()):
            if hasattr(module, "_replaced"):
                setattr(parent, leaf, module._replaced[0])
                count += 1
    return count


def _replacement(module, tolerance):
    """A Replacement without name; None for a module of another kind."""
    if isinstance(getattr(module, "inv_freq", None), torch.Tensor):
        candidates, compare = _rotaries(module), _compare_rotaries
    elif isinstance(module, nn.Embedding):
        if module.weight.requires_grad:
            return None
        candidates, compare = _encoding_tables(module), _compare_tables
    elif _table(module) is not None:
        candidates, compare = _encodings(module), _compare_sums
    else:
        return None
    dtype = next((tensor.dtype for tensor in (*module.parameters(), *module.buffers())), torch.float32)
    best, reason = None, "posenc has no such encoding"
    for candidate in candidates:
        try:
            new = candidate()
            difference = compare(module, new)
        except Exception as error:  # of whatever kind: the module is somebody else's
            reason = f"{type(error).__name__}: {error}"
            continue
        if best is None or difference < best[1]:
            best = new, difference
        if difference <= tolerance + 4 * torch.finfo(dtype).eps:
            new.train(module.training)
            new._replaced = (module,)  # in a tuple, so that it is no submodule
            return Replacement("", module, new, difference)
    if isinstance(module, nn.Embedding):
        return None  # frozen, but no sines
    if best is not None:
        reason = f"the nearest, {best[0]}, differs by {best[1]:.2g}"
    return Replacement("", module, None, best and best[1], reason)


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
    x = torch.zeros(1, _ROWS, 1)
    positions = torch.arange(_ROWS)[None]
    if new.rotary.axes > 1:
        positions = torch.stack([positions * (axis + 1) for axis in range(new.rotary.axes)])
    with torch.no_grad():
        return max(_difference(a, b) for a, b in zip(old(x, positions), new(x, positions)))


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
            found.append((_difference(encoder.table(min(len(table), 64), dtype=torch.float64), table[:64]), preset))
        except ValueError:  # one that needs frequencies, or an even dim
            continue
    return [preset for difference, preset in sorted(found) if difference < 0.1]


def _encoding_tables(module):
    for preset in _presets(module.weight.detach()):
        yield lambda: EncodingTable(*module.weight.shape, preset=preset).to(module.weight.dtype)


def _compare_tables(old, new):
    return _difference(old.weight.detach(), new.weight)


def _encodings(module):
    table = _table(module)
    dropout = next((child.p for child in module.children() if isinstance(child, nn.Dropout)), 0.0)
    for preset in _presets(table):
        for batch_first in True, False:
            for scale in 1.0, table.shape[1] ** 0.5:
                more = dropout, preset, batch_first, scale
                yield lambda: SinusoidalPositionalEncoding(table.shape[1], len(table), *more)


def _compare_sums(old, new):
    rows, dim = min(_ROWS, len(_table(old))), new.encoder.dim
    x = torch.linspace(-1, 1, 2 * rows * dim).reshape((2, rows, dim) if new.batch_first else (rows, 2, dim))
    x = x.to(_table(old).dtype)
    training = old.training
    try:
        with torch.no_grad():
            return _difference(old.eval()(x), new.eval()(x))
    finally:
        old.train(training)


def _difference(one, other):
    if one.shape != other.shape:
        raise RuntimeError(f"the shapes {list(one.shape)} and {list(other.shape)} differ")
    return (one.double() - other.double()).abs().max().nan_to_num(float("inf")).item()
