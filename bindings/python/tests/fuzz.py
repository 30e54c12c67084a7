"""fuzz.py SECONDS [SEED]: calls all functions of the package with random arguments of random kinds.

A call may return, or raise TypeError, ValueError or MemoryError (UnicodeError is a ValueError). After any other exception the
exit status is 1, and a crash ends the program by a signal. A refused call must not have written anything.
"""

import array
import faulthandler
import random
import re
import resource
import sys
import time
import warnings

import numpy
import posenc

try:
    import torch
    import posenc.torch
except ImportError:
    torch = None

ALLOWED = (TypeError, ValueError, MemoryError)
OF_TORCH = (*ALLOWED, RuntimeError, IndexError)  # errors that posenc.torch's functions may raise
DIMS = (1, 2, 3, 8, 16, 64, 67)
TYPES = ("float32", "float16", "float64", "int32", "int64", "int8", "uint64", "longdouble", "bool", "complex64", ">f4", "O", "S3", "V0")


class Liar:
    """An object that has every method, and every method returns something wrong."""

    def __init__(self, r):
        self.r = r

    def __getattr__(self, name):
        # An object with __torch_function__ may return anything from torch's functions, so its results cannot be checked.
        if name == "__torch_function__" or name.startswith("__") and self.r.random() < 0.7:
            raise AttributeError(name)
        return self.r.choice([None, 3, "x", lambda *a, **k: 1, self])

    def __dlpack__(self, *_, **__):
        return self.r.choice([None, 7, self, numpy.zeros((3, 8), "float32").__dlpack__()])

    def __index__(self):
        return self.r.choice([1, 2**70, -1])

    def __float__(self):
        return self.r.choice([1.0, float("nan")])

    def __len__(self):
        return 3


class Raiser:
    """An object that raises an exception for every access."""

    def __getattribute__(self, name):
        raise ValueError("asked for " + name)

    def __index__(self):
        raise ValueError("__index__")

    def __float__(self):
        raise TypeError("__float__")

    def __repr__(self):
        raise ValueError("__repr__")


class Random:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.objects = [posenc.Encoder(8), posenc.Encoder(64, layout="sin_cos"), posenc.Rotary(8), posenc.Rotary(64)]

    def shape(self):
        axes = [self.r.choice((0, 1, 2, 3, 5, 9)) for _ in range(self.r.choice((0, 1, 1, 2, 2, 3, 4)))]
        return axes + [self.r.choice(DIMS)] * self.r.choice((0, 1, 1))

    def array(self, shape=None):
        shape = self.shape() if shape is None else shape
        kind = self.r.choice(TYPES) if self.r.random() < 0.2 else self.r.choice(TYPES[:5])
        made = numpy.zeros(shape, kind)
        if made.ndim and self.r.random() < 0.3:
            made = made[tuple(slice(None, None, self.r.choice((1, 1, 2, -1))) for _ in made.shape)]
        if self.r.random() < 0.2:
            made = made.T
        if self.r.random() < 0.1:
            made = numpy.broadcast_to(made, (2, *made.shape))
        if kind[0] in "if" and self.r.random() < 0.5:
            try:
                made[...] = self.r.choice((1, 7, -3, 0.5, float("nan"), 2.0**40))
            except (*ALLOWED, OverflowError):
                pass
        if self.r.random() < 0.1:
            made.flags.writeable = False
        return made

    def tensor(self):
        made = torch.zeros(self.shape(), dtype=self.r.choice((
            torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int8,
            torch.bool, torch.cfloat)))
        change = self.r.randrange(12)
        if change == 0 and made.is_floating_point():
            made.requires_grad_()
        if change == 1:
            made = made.to("meta")
        if change == 2 and made.dim() > 1:
            made = made.transpose(0, -1)
        if change == 3:
            made = made.unsqueeze(0).expand(3, *made.shape)
        if change == 4:
            made = made.to_sparse()
        return made

    def number(self):
        return self.r.choice((
            0, 1, 2, 3, 5, 8, 64, -1, 0.5, 1.0, 1e-30, 1e300, float("nan"), float("inf"), 2**31, 2**31 + 1, -(2**31), 2**62,
            2**63 - 1, 2**63, 2**64, -(2**63), True, 1j, numpy.int64(3), numpy.float32(2), 4096, 10000.0))

    def text(self):
        return self.r.choice((
            "", "interleaved", "sin_cos", "float32", "bfloat16", "turns", "yarn", "llama3", "fairseq", "halves", "AVX2",
            "REFERENCE", "AVX2\0", "fairseq\0", "f32_exp", "neighbours", "x" * 1000, "\0", "\ud800", "none"))

    def other(self):
        r = self.r
        return r.choice((
            None, [], (), {}, b"abcdefgh", bytearray(64), memoryview(bytearray(64)).cast("f"), array.array("d", [1, 2]),
            set(), object(), int, posenc, Liar(r), Raiser(), range(4), [1, [2]], [None], ["a"], numpy.float32,
            numpy.dtype("float16"), r.choice(self.objects), posenc.Encoder.__new__(posenc.Encoder), sys.stdout,
            [1.5, 2, 3], [[1, 2], [3, 4]], [(self.objects[0], 0, 3), (self.objects[1], 8, [1, 2])],
            [(self.objects[0], self.number(), self.number())], torch.float32 if torch else 1))

    def any(self):
        if self.r.random() < 0.35:
            return self.array()
        makes = [self.number, self.number, self.text, self.other] + [self.tensor] * (torch is not None)
        return self.r.choice(makes)()

    def likely(self, name, noun):
        """A value that fits an argument with this name, about half of the time."""
        columns = getattr(noun, "dim", getattr(noun, "head_dim", 8))
        few = lambda: [self.r.choice((0, 1, 2, 3, 5)) for _ in range(self.r.choice((1, 1, 2)))]
        if name in ("dim", "head_dim", "rows", "tokens", "rotary_dim"):
            return self.r.choice(DIMS)
        if noun is getattr(posenc, "torch", self):
            made = self.likely_of_torch(name)
            if made is not None:
                return made
        if name in ("x", "out", "table"):
            shape = few() + [columns]
            kind = self.r.choice(("float32", "float16"))
            return torch.zeros(shape, dtype=torch.bfloat16) if torch and self.r.random() < 0.3 else numpy.zeros(shape, kind)
        if name == "tensors":
            return numpy.zeros(few() + [self.r.choice((1, 2)), columns], "float32")
        if name in ("positions", "ids"):
            return self.r.choice((3, [0, 1, 2], numpy.arange(3), numpy.arange(6).reshape(2, 3) * 0.5, numpy.zeros(few(), int)))
        if name == "mask":
            return numpy.zeros(few() + [2, 3], self.r.choice(("bool", "uint8", "int8")))
        if name == "normalization":
            return self.r.choice(("none", "f32", "f64", "f16"))
        if name in ("frequencies", "factors", "long_factors"):
            return [1.0] * (columns // 2)
        return self.any()

    def likely_of_torch(self, name):
        columns = self.r.choice((8, 64))
        few = [self.r.choice((0, 1, 2, 3, 5)) for _ in range(self.r.choice((1, 2, 3)))]
        dtype, grad = self.r.choice((torch.float32, torch.bfloat16)), self.r.random() < 0.5
        if name in ("x", "table"):
            return torch.zeros(few[:2] + [columns], dtype=dtype, requires_grad=grad)
        if name == "tensors":
            q = torch.zeros(few + [2, columns], dtype=dtype, requires_grad=grad)
            return self.r.choice(([q], (q, q[..., :1, :]), [q, self.any()], [], q, self.any()))
        if name in ("encoder", "rotary"):
            made = self.r.choice(self.objects[:2] if name == "encoder" else self.objects[2:])
            return self.r.choice((made, made, posenc.torch.spec(made), self.text(), self.any()))
        if name in ("positions", "ids"):
            return self.r.choice((torch.arange(3), torch.zeros(few), torch.zeros(few, dtype=torch.long), torch.arange(6).view(2, 3), None))

    def argument(self, name, noun):
        return self.likely(name, noun) if self.r.random() < 0.7 else self.any()


def members(noun):
    """The names of a constructor's arguments, without the size, from its signature."""
    return re.findall(r"(\w+): ", noun.__init__.__nb_signature__[0][0].partition("*, ")[2])


# All functions, with the names of their arguments.
CALLS = {
    "Encoder": (["dim"], members(posenc.Encoder)), "Rotary": (["head_dim"], members(posenc.Rotary)),
    "encode": (["positions"], ["dtype", "out"]), "table": (["rows"], ["first", "dtype", "out"]),
    "add_": (["x"], ["first", "positions", "scale"]),
    "embed": (["ids", "table"], ["first", "positions", "scale", "dtype", "out"]),
    "rotate_": (["tensors", "tensors"], ["first", "positions", "scale", "inverse", "token_axis"]),
    "rotate": (["tensors", "tensors"], ["first", "positions", "scale", "inverse", "token_axis"]),
    "cache": (["tokens"], ["first", "positions", "layout", "dtype"]),
    "positions_from_ids": (["ids", "padding_id"], ["past"]), "positions_from_mask": (["mask"], ["normalization", "scale", "offset"]),
    "grid": (["axes"], ["prefix_rows", "dtype", "out"]), "grid_add_": (["x", "axes"], ["prefix_rows", "scale"]),
}

CALLS_OF_TORCH = {
    "encode": (["positions", "encoder"], ["dtype"]),
    "add": (["x", "encoder"], ["positions", "first", "scale"]), "add_": (["x", "encoder"], ["positions", "first", "scale"]),
    "embed": (["ids", "table", "encoder"], ["positions", "first", "scale", "dtype"]),
    "rotate": (["tensors", "rotary"], ["positions", "first", "scale", "inverse", "token_axis"]),
    "rotate_": (["tensors", "rotary"], ["positions", "first", "scale", "inverse", "token_axis"]),
    "cos_sin": (["positions", "rotary"], ["layout", "dtype"]),
}


def one_call_of_torch(random_):
    r = random_.r
    name = r.choice(list(CALLS_OF_TORCH))
    required, optional = CALLS_OF_TORCH[name]
    arguments = [random_.argument(each, posenc.torch) for each in required]
    members = {each: random_.argument(each, posenc.torch) for each in r.sample(optional, min(len(optional), r.choice((0, 0, 1, 1, 2))))}
    written = [each for each in arguments + list(members.values()) if issubclass(type(each), torch.Tensor) and each.is_cpu and each.layout == torch.strided]
    before = [each.detach().clone() for each in written]
    try:
        made = getattr(posenc.torch, name)(*arguments, **members)
    except OF_TORCH:
        assert all(str(one) == str(other.detach()) for one, other in zip(before, written)), (name, arguments, members)
        return 0
    for one in made if isinstance(made, (list, tuple)) else [made]:
        if one.requires_grad and one.grad_fn is not None and one.is_cpu:
            one.sum().backward(retain_graph=True)
    return 1


def one_call(random_):
    if torch and random_.r.random() < 0.3:
        return one_call_of_torch(random_)
    r = random_.r
    name = r.choice(list(CALLS))
    noun = posenc
    if name in ("encode", "table", "add_", "embed"):
        noun = r.choice(random_.objects[:2])
    if name in ("rotate", "rotate_", "cache"):
        noun = r.choice(random_.objects[2:])
    required, optional = CALLS[name]
    if name in ("encode", "table") and r.random() < 0.2:
        noun, required = posenc, required + ["dim"]
    arguments = [random_.argument(each, noun) for each in required]
    if name in ("rotate", "rotate_") and r.random() < 0.5:
        arguments.pop()
    members = {each: random_.argument(each, noun) for each in r.sample(optional, min(len(optional), r.choice((0, 0, 1, 1, 2))))}
    if r.random() < 0.02:
        members["unheard_of"] = 1
    if r.random() < 0.02:
        arguments.append(random_.any())
    written = [each for each in arguments + [members.get("out")] if type(each) is numpy.ndarray and each.dtype.kind == "f"]
    before = [each.tobytes() for each in written]
    try:
        made = getattr(noun, name)(*arguments, **members)
    except ALLOWED:
        if name != "embed":  # embed may have written a part of out
            assert before == [each.tobytes() for each in written], (name, arguments, members)
        return 0
    if name in ("Encoder", "Rotary"):
        repr(made)
        random_.objects[r.choice((0, 1) if name == "Encoder" else (2, 3))] = made
    return 1


def main(seconds, seed):
    faulthandler.enable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # so that large arrays raise MemoryError, and do not fill the machine's memory
    print("seed", seed, flush=True)
    random_, until, calls, done = Random(seed), time.monotonic() + seconds, 0, 0
    while time.monotonic() < until:
        done += one_call(random_)
        calls += 1
    print(f"{calls} calls, {done} of them done, {calls - done} refused")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32))
