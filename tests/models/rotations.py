"""Watches the functions with which a model rotates, and finds out which rotation each one applies."""
import functools
import hashlib
import inspect
import math
import re
import sys
import types

import torch
from torch import nn

from running import map_tensors, tensors_in

LENGTH = 11  # a prime, so that probably no other axis of a tensor has it

NO_ROTATION = re.compile(r"rotate_half|rotate_every_two|rotate_pairwise|_?compute_|get_|create_|generate_|build_|.*_init|"
                         r"dynamic_rope_update|rope_config|apply_interleaved_mrope$|apply_mrope$|.*validat|.*warn")
NOT_ROTATED = re.compile(r"cos|sin|freq|pos|rope|rotary|emb|mask|unsq|section|dim|exclude|repeat|relative")


def rotations_of(model):
    """(owner, attribute, function) for each function and method in the model's code that might rotate."""
    names = {c.__module__ for m in model.modules() for c in type(m).__mro__ if c.__module__.startswith("transformers.models.")}
    found = []
    for module in [sys.modules[name] for name in sorted(names)]:
        for attribute, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType):
                if re.search(r"rot|rope|position_emb", attribute) and not NO_ROTATION.match(attribute):
                    found.append((module, attribute, value))
            elif isinstance(value, type) and value.__module__ == module.__name__ and issubclass(value, nn.Module):
                for name, method in list(vars(value).items()):
                    function = method.__func__ if isinstance(method, staticmethod) else method
                    if isinstance(function, types.FunctionType) and not NO_ROTATION.match(name) and \
                            re.search(r"(apply|rotate)\w*(rot|rope|queries)|rotate_queries", name):
                        found.append((value, name, method))
                if re.search(r"Rot|Rope|RoPE", value.__name__) and "forward" in vars(value):
                    names_of_arguments = list(inspect.signature(value.forward).parameters)
                    if names_of_arguments[1:2] in (["q"], ["query"]) and len(names_of_arguments) > 2:
                        found.append((value, "forward", vars(value)["forward"]))
    return found


def digest(t):
    numbers = t.detach().contiguous().reshape(-1).view(torch.uint8).numpy()
    return tuple(t.shape), hashlib.md5(numbers.tobytes()).hexdigest()


class Watcher:
    """Records what the layers of a model do while it runs."""

    def __init__(self, stacks):
        self.layer = None  # (stack, index) of the running layer
        self.ran = set()
        self.rotations = {}  # for each layer, descriptions of the functions that it called
        self.expected = []  # (description, vector) for rotated vectors that have not been seen in a product
        self.is_busy = False
        self.known = {}  # descriptions, by function and arguments
        self.modules = []  # names of the running modules within the layer
        for stack, layers in stacks.items():
            for i, layer in enumerate(layers):
                layer.register_forward_pre_hook(functools.partial(self.enter, (stack, i)))
                layer.register_forward_hook(self.leave)
                for name, module in layer.named_modules():
                    if name:
                        module.register_forward_pre_hook(functools.partial(self.enter_module, name))
                        module.register_forward_hook(self.leave_module)

    def enter(self, layer, *_):
        self.layer = layer
        self.ran.add(layer)
        self.expected = []
        self.modules = []

    def leave(self, *_):
        self.layer = None

    def enter_module(self, name, *_):
        self.modules.append(name)

    def leave_module(self, *_):
        if self.modules:
            self.modules.pop()

    def wrap(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if self.is_busy or self.layer is None:
                return function(*args, **kwargs)
            self.is_busy = True
            try:
                places = self.rotated_arguments(function, args, kwargs)
                before = [(args[p] if isinstance(p, int) else kwargs[p]).clone() for p in places]
                result = function(*args, **kwargs)
                self.see_rotation(function, args, kwargs, places, before, list(tensors_in(result)))
                return result
            finally:
                self.is_busy = False

        return wrapper

    @staticmethod
    def rotated_arguments(function, args, kwargs):
        """The indices and names of arguments that are vectors."""
        names = list(inspect.signature(function).parameters)
        given = [(i, names[i] if i < len(names) else "", a) for i, a in enumerate(args)]
        given += [(name, name, a) for name, a in kwargs.items()]
        return [place for place, name, a in given
                if isinstance(a, torch.Tensor) and a.is_floating_point() and not NOT_ROTATED.search(name)]

    def see_rotation(self, function, args, kwargs, places, before, results):
        kept = [i for i, (b, r) in enumerate(zip(before, results)) if b.shape == r.shape and b.dim() >= 3]
        if not kept:
            return
        # The second vector is k, if there are two. It rotates like q.
        first = kept[0]
        places, before, results = [places[i] for i in kept], [before[i] for i in kept], [results[i] for i in kept]
        others = [a for p, a in list(enumerate(args)) + sorted(kwargs.items()) if p not in places]
        key = (function.__qualname__, tuple(tuple(b.shape) for b in before), repr(map_tensors(digest, others)))
        if key not in self.known:
            self.known[key] = self.describe(function, args, kwargs, places, before, first)
        if self.known[key] is None:
            return
        found = dict(self.known[key], module=self.modules[-1] if self.modules else "")
        self.rotations.setdefault(self.layer, []).append(found)
        if found["rotates"]:
            vector = results[0].detach().float().select(found["axis"], 2)
            self.expected.append((found, vector.reshape(-1, vector.shape[-1])[0]))

    @staticmethod
    def describe(function, args, kwargs, places, before, first):
        """Describes what a function does to the first vector, from its matrix for each position. None if it is not linear."""

        def call(vectors):
            new_args, new_kwargs = list(args), dict(kwargs)
            for place, vector in zip(places, vectors):
                (new_args if isinstance(place, int) else new_kwargs)[place] = vector
            return list(tensors_in(function(*new_args, **new_kwargs)))[first].clone().detach().double()

        once, twice = call([b.clone() for b in before]), call([2 * b for b in before])
        if not torch.allclose(2 * once, twice, rtol=1e-3, atol=1e-4):
            return None
        columns = []
        for j in range(before[0].shape[-1]):
            units = []
            for b in before:
                units.append(torch.zeros(b.shape, dtype=b.dtype))
                units[-1][..., j % b.shape[-1]] = 1
            column = call(units)
            for axis in range(column.dim() - 1):  # the first and the last head are enough
                if column.shape[axis] > 2 and column.shape[axis] != LENGTH:
                    column = column.index_select(axis, torch.tensor([0, column.shape[axis] - 1]))
            columns.append(column)
        return describe_matrices(torch.stack(columns, -1))

    def see_product(self, tensors):
        """Looks for a rotated vector in the rows of a product's factors, and for its place in the row."""
        if self.is_busy or not self.expected or self.layer is None:
            return
        self.is_busy = True
        for found, vector in list(self.expected):
            for factor in [u for t in tensors[:2] if t.dim() > 2 for u in (t, t.transpose(-1, -2))]:
                if not factor.is_floating_point() or factor.shape[-1] < len(vector) or not 0 < factor.numel() <= 1 << 22:
                    continue
                rows = factor.detach().float().reshape(-1, factor.shape[-1])
                windows = rows.unfold(-1, len(vector), 1)
                sizes = windows.norm(dim=-1).clamp_min(1e-30)
                likeness = (windows @ vector) / (sizes * vector.norm().clamp_min(1e-30))
                best = likeness.argmax().item()
                if likeness.flatten()[best] > 1 - 1e-5:  # it may have been multiplied by any factor
                    found.update(head_dim=rows.shape[-1], offset=best % windows.shape[1] + found["first"])
                    self.expected = [e for e in self.expected if e[0] is not found]
                    break
        self.is_busy = False


def describe_matrices(m):
    """Describes the rotation in matrices m [..., elements of the output, elements of the input]."""
    width = m.shape[-1]
    varies = lambda axis: m.shape[axis] >= 3 and not torch.allclose(m.select(axis, 0), m.select(axis, 1), atol=1e-7)
    varying = [axis for axis in range(m.dim() - 2) if varies(axis)]
    if not varying:
        return {"rotates": None if max(m.shape[:-2]) < 3 else False}  # too few positions show nothing
    m = m.movedim(varying[-1], 0).reshape(m.shape[varying[-1]], -1, width, width)
    if not torch.allclose(m, m[:, :1].expand_as(m), atol=1e-6):
        raise ValueError("heads rotate differently")
    m = m[:, 0]
    # Two elements that make up an element of the output are a pair.
    outputs = {}
    for i, row in enumerate((m.abs() > 1e-9).any(0)):
        inputs = tuple(row.nonzero().flatten().tolist())
        if len(inputs) > 2:
            raise ValueError(f"element {i} of the output is made of elements {inputs[:8]} of the input")
        if len(inputs) == 2:
            outputs.setdefault(inputs, []).append(i)
    if not outputs:
        return {"rotates": False}  # the position gives only a factor
    angles, amplitudes, orders = {}, {}, {}
    for (a, b), (i, j) in outputs.items():
        for i, j in ((i, j), (j, i)):
            block = m[:, [i, j]][:, :, [a, b]]
            cosines, sines = block.diagonal(dim1=1, dim2=2), torch.stack([block[:, 1, 0], -block[:, 0, 1]], 1)
            if all(torch.allclose(two[:, 0], two[:, 1], atol=1e-5) for two in (cosines, sines)):
                break
        else:
            raise ValueError(f"elements {a} and {b} are not rotated")
        angle = torch.atan2(block[:, 1, 0] - block[:, 0, 1], block[:, 0, 0] + block[:, 1, 1])
        amplitude = block[:, :, 0].norm(dim=1)
        if (amplitude - amplitude[0]).abs().max() > 1e-4 * amplitude[0]:
            raise ValueError(f"the amplitude of elements {a} and {b} depends on the position")
        missed = angle - angle[1] * torch.arange(len(angle))
        if (torch.remainder(missed + math.pi, 2 * math.pi) - math.pi).abs().max() > 1e-3:
            raise ValueError(f"the angle of elements {a} and {b} is not proportional to the position")
        angles[a, b], amplitudes[a, b], orders[a, b] = angle[1].item(), amplitude[0].item(), (i, j)
    pairs = sorted(angles)
    first, last = pairs[0][0], max(b for a, b in pairs)
    distances = {b - a for a, b in pairs}
    if len(distances) > 1:
        raise ValueError(f"pairs are neither neighbours nor halves: {pairs[:8]}")
    distance = distances.pop()
    if distance == 1 and (len(pairs) > 1 or width == 2):
        pairing, rotary_dim = "neighbours", last - first + 1
        places = [(i, i + 1) for i in range(first, last, 2)]
    else:
        pairing, rotary_dim = "halves", 2 * distance
        places = [(i, i + distance) for i in range(first, first + distance)]
    # A pair that does not rotate is missing among the pairs that do.
    if not set(pairs) <= set(places):
        raise ValueError(f"pairs are neither neighbours nor halves: {pairs[:8]}")
    if max(amplitudes.values()) - min(amplitudes.values()) > 1e-5 * max(amplitudes.values()):
        raise ValueError("pairs have different amplitudes")
    signs = {angle > 0 for angle in angles.values() if angle != 0}
    if len(signs) > 1:
        raise ValueError("pairs have different directions")
    direction = 1 if True in signs else -1
    result = {"rotates": True, "pairing": pairing, "direction": direction, "rotary_dim": rotary_dim, "first": first,
              "frequencies": [direction * angles.get(p, 0.0) for p in places], "amplitude": amplitudes[pairs[0]],
              "axis": varying[-1], "width": width}
    if any(orders[p] != p for p in pairs):
        distances = {j - i for i, j in orders.values()}
        if distances not in ({1}, {rotary_dim // 2}):
            raise ValueError(f"the output has no order of pairs: {list(orders.values())[:8]}")
        result["output"] = "neighbours" if distances == {1} else "halves"
    return result
