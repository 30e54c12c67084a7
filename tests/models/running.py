"""Runs models of transformers without their weights.

Parameters of more than a million numbers have no values: they are on torch's device "meta". An operation on one of them gives
random numbers of the right shape, so a model of any size fits into a few gigabytes.
"""
import contextlib
import math

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from transformers.modeling_utils import PreTrainedModel

LARGE = 1 << 20  # parameters of this size or larger have no values
random_numbers = torch.Generator().manual_seed(1)


def tensors_in(x):
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from tensors_in(item)


def map_tensors(function, x):
    if isinstance(x, torch.Tensor):
        return function(x)
    if isinstance(x, dict):
        return {key: map_tensors(function, item) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        items = [map_tensors(function, item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return x


class WhileBuilding(TorchFunctionMode):
    """Large tensors get no values."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        makers = (torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn, torch.full)
        if function in makers and kwargs.get("device") in (None, "cpu", torch.device("cpu")):
            size = kwargs.get("size", args[0] if args else None)
            if isinstance(size, int):
                size = [size] if function is torch.full else [a for a in args if isinstance(a, int)]
            with contextlib.suppress(TypeError):
                if math.prod(size) >= LARGE:
                    kwargs["device"] = "meta"
        if any(t.is_meta for t in tensors_in((args, kwargs))):
            kwargs = {key: "meta" if key == "device" else value for key, value in kwargs.items()}
            args = map_tensors(lambda t: t if t.is_meta or t.dim() == 0 else t.to("meta"), args)
        return function(*args, **kwargs)


class WhileRunning(TorchFunctionMode):
    """Gives random values to results of operations on tensors without values. Shows products to the watcher."""

    PRODUCTS = ("matmul", "bmm", "baddbmm", "einsum", "scaled_dot_product_attention", "__matmul__")

    def __init__(self, watcher):
        super().__init__()
        self.watcher = watcher

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        tensors = list(tensors_in((args, kwargs)))
        if not any(t.is_meta for t in tensors):
            if name in self.PRODUCTS:
                self.watcher.see_product(tensors)
            here = lambda x: "cpu" if x == "meta" or isinstance(x, torch.device) and x.type == "meta" else x
            moved = lambda x: here(x) if isinstance(x, (str, torch.device)) else x
            return function(*[moved(a) for a in args], **{key: moved(value) for key, value in kwargs.items()})
        if all(t.is_meta or t.dim() == 0 for t in tensors) and name not in ("tolist", "item"):
            away = {key: "meta" if key == "device" and value is not None else value for key, value in kwargs.items()}
            return function(*args, **away)
        result = function(*map_tensors(lambda t: t.to("meta"), args), **map_tensors(lambda t: t.to("meta"), kwargs))
        if name.endswith("_") and isinstance(args[0], torch.Tensor) and not args[0].is_meta:
            return args[0]  # an operation in place returns its argument
        return map_tensors(self.with_values, result)

    @staticmethod
    def with_values(t):
        if not t.is_meta:
            return t
        if t.is_floating_point():
            return torch.randn(t.shape, generator=random_numbers, dtype=torch.float32).to(t.dtype)
        if t.is_complex():
            return torch.randn(t.shape, generator=random_numbers, dtype=t.dtype)
        return torch.zeros(t.shape, dtype=t.dtype)


def build(model_class, config):
    """Builds a model with random parameters. Large parameters get no values."""
    saved = []

    def replace(owner, name, value):
        saved.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    for name in ("init_weights", "_initialize_weights", "initialize_weights"):
        if hasattr(PreTrainedModel, name):
            replace(PreTrainedModel, name, lambda *args, **kwargs: None)
    for name in dir(nn.init):
        if name.endswith("_") and not name.startswith("_") and callable(getattr(nn.init, name)):
            replace(nn.init, name, lambda tensor=None, *args, **kwargs: tensor)
    try:
        with WhileBuilding():
            model = model_class(config)
    finally:
        for owner, name, value in saved:
            setattr(owner, name, value)
    model.eval()
    for name, parameter in list(model.named_parameters()):
        if parameter.is_meta or not parameter.is_floating_point():
            continue
        if parameter.dim() > 1:
            values = torch.randn(parameter.shape, generator=random_numbers).mul_(0.02)
        else:
            values = torch.zeros(parameter.shape) if name.endswith("bias") else torch.ones(parameter.shape)
        parameter.data = values.to(parameter.dtype)
    for module in model.modules():
        if "Sinusoidal" in type(module).__name__ and hasattr(module, "create_weight"):
            module.weight.data = module.create_weight().data  # RoFormer's table is a parameter
        if isinstance(getattr(module, "chunk_size", None), int):
            module.chunk_size = min(module.chunk_size, 16)  # a state space pads the few positions to this number
    return model
