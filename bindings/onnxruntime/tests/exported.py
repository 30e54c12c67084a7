"""exported.py FOLDER [OPSET]: exports modules of posenc.torch with torch.onnx.export, and saves their inputs and results.

Each is exported with few rows and has dynamic axes; the inputs have other sizes. Any torch can write them: test_exported.py
runs what it finds.
"""

import sys
import warnings
from pathlib import Path

import numpy
import posenc
import torch
from posenc import torch as pt
from torch import nn

DIM = 16
LLAMA3, AXES = posenc.Rotary(DIM, preset="llama3"), posenc.Rotary(DIM, axes=3, sections=[2, 3, 3])
PART = posenc.Rotary(DIM, rotary_dim=8, rotary_offset=4, pairing="neighbours", amplitude=1.25)
OWN = posenc.Rotary(DIM, frequencies=torch.linspace(1, 0.01, DIM // 2), phase_rounding="f32_inv_freq", output_pairing="neighbours")


class Call(nn.Module):
    def __init__(self, call, *modules):
        super().__init__()
        self.call, self.own = call, nn.ModuleList(modules)

    def forward(self, *tensors):
        return self.call(*self.own, *tensors)


class Decoder(nn.Module):
    """InputEmbedding and a layer of attention, which rotates by cos and sin, and then by rotate()."""

    def __init__(self, rotary):
        super().__init__()
        self.embedding, self.rotary = pt.InputEmbedding(97, 4 * DIM), pt.RotaryEmbedding(rotary)
        self.qkv, self.out = nn.Linear(4 * DIM, 12 * DIM), nn.Linear(4 * DIM, 97)

    def forward(self, ids, positions):
        x = self.embedding(ids)
        q, k, v = (t.view(*ids.shape, 4, DIM).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        cos, sin = self.rotary(x, positions)
        half = torch.cat([-q[..., DIM // 2 :], q[..., : DIM // 2]], -1)
        by_tables = q * cos[:, None] + half * sin[:, None]
        q, k = self.rotary.rotate(q, k, positions)
        weights = ((q + by_tables) @ k.transpose(-1, -2) / 8).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class RMSNorm(nn.Module):
    """The norm of Qwen3, or with the bias 1 of Gemma 3."""

    def __init__(self, size, bias):
        super().__init__()
        self.weight, self.eps, self.plus = nn.Parameter(torch.linspace(0.5, 1.5, size)), 1e-6, bias

    def forward(self, x):
        floats = x.float()
        return (floats * torch.rsqrt(floats.square().mean(-1, keepdim=True) + self.eps) * (self.weight.float() + self.plus)).to(x.dtype)


def norms(q_heads=1, k_heads=1, bias=0.0):
    return pt.NormedRotation(LLAMA3, RMSNorm(q_heads * DIM, bias), RMSNorm(k_heads * DIM, bias))


def x(batch, rows):
    return torch.randn(batch, rows, DIM)


def at(batch, rows):
    return torch.arange(rows)[None] * 7 + torch.arange(batch)[:, None] * 1000


def q(batch, rows):
    return torch.randn(batch, 3, rows, DIM)


def k(batch, rows):
    return torch.randn(batch, 1, rows, DIM)


def one(made, *others):
    return lambda batch, rows: made(batch, rows)[0]


def axes(batch, rows):
    return torch.stack([at(batch, rows), at(batch, rows) // 2, at(batch, rows) % 5])


torch.manual_seed(0)
MODELS = {  # each is a module, and functions of batch and rows that make its inputs
    "sum": (pt.SinusoidalPositionalEncoding(DIM, scale=4), x),
    "sum_rows_first": (pt.SinusoidalPositionalEncoding(DIM, batch_first=False, preset="fairseq"), lambda b, n: x(n, b)),
    "sum_first": (Call(lambda x: pt.add(x, posenc.Encoder(DIM), first=1000)), x),
    "sum_positions": (pt.SinusoidalPositionalEncoding(DIM), x, at),
    "sum_list": (pt.SinusoidalPositionalEncoding(DIM, base=77.0), x, one(at)),
    "sum_fractions": (pt.SinusoidalPositionalEncoding(DIM), x, lambda b, n: at(b, n) / 7),
    "sum_short": (pt.SinusoidalPositionalEncoding(DIM), x, lambda b, n: at(b, n).to(torch.int16)),
    "sum_half": (Call(lambda own, x: own(x.half()).float(), pt.SinusoidalPositionalEncoding(DIM)), x),
    "embedding": (pt.InputEmbedding(97, DIM, scale=4.0, padding_idx=3), lambda b, n: at(b, n) % 97),
    "embedding_int32": (pt.InputEmbedding(97, DIM), lambda b, n: (at(b, n) % 97).int(), at),
    "embedding_wide": (Call(lambda ids: pt.embed(ids, torch.ones(97, DIM).half(), posenc.Encoder(DIM), dtype=torch.float32)), lambda b, n: at(b, n) % 97),
    "table": (pt.EncodingTable(50, DIM), lambda b, n: at(b, n) % 50),
    "cos_sin": (pt.RotaryEmbedding(LLAMA3), x, at),
    "cos_sin_half": (Call(lambda own, p: [table.float() for table in own(torch.zeros(1).half(), p)], pt.RotaryEmbedding(LLAMA3)), at),
    "cos_sin_halves": (pt.RotaryEmbedding(PART, layout="halves"), x, at),
    "cos_sin_duplicated": (pt.RotaryEmbedding(PART, layout="duplicated"), x, at),
    "cos_sin_duplicated_halves": (pt.RotaryEmbedding(OWN, layout="duplicated"), x, at),
    "cos_sin_axes": (pt.RotaryEmbedding(AXES, per_axis=False), x, axes),
    "cos_sin_per_axis": (pt.RotaryEmbedding(AXES), x, axes),
    "rotate": (Call(lambda own, *given: own.rotate(*given), pt.RotaryEmbedding(LLAMA3)), q, k, at),
    "rotate_list": (Call(lambda own, *given: own.rotate(*given), pt.RotaryEmbedding(PART)), q, k, one(at)),
    "rotate_back": (Call(lambda own, *given: own.rotate(*given, inverse=True), pt.RotaryEmbedding(PART)), q, k, at),
    "rotate_axes": (Call(lambda own, *given: own.rotate(*given), pt.RotaryEmbedding(AXES)), q, k, axes),
    "rotate_one_of_axes": (Call(lambda own, *given: own.rotate(*given), pt.RotaryEmbedding(AXES)), q, k, lambda b, n: axes(1, n)),
    "rotate_tokens": (pt.RotaryEmbedding(OWN), at, lambda b, n: q(b, n).transpose(1, 2).flatten(2), lambda b, n: k(b, n).transpose(1, 2)),
    "rotate_flat": (pt.RotaryEmbedding(LLAMA3), one(at), lambda b, n: q(1, n).transpose(1, 2).flatten(2)[0], lambda b, n: k(1, n).transpose(1, 2)[0]),
    "rotate_first": (Call(lambda q: pt.rotate([q], LLAMA3, first=1000, scale=0.25, token_axis=-2)[0]), q),
    "rotate_row": (Call(lambda x: pt.rotate([x], LLAMA3, token_axis=-2)[0]), one(x)),
    "norm": (Call(lambda own, *given: own(*given), norms()), q, k, at),
    "norm_list": (Call(lambda own, *given: own(*given), norms(bias=1.0)), q, k, one(at)),
    "norm_over_heads": (Call(lambda own, *given: own(*given), norms(3, 1)), q, k, at),
    "norm_half": (Call(lambda own, q, k, at: [x.float() for x in own(q.half(), k.half(), at)], norms().half()), q, k, at),
    "norm_first": (Call(lambda q: pt.rotate([q], LLAMA3, first=1000, token_axis=-2, norm=[posenc.Norm(torch.ones(DIM), 1e-5)])[0]), q),
    "decoder": (Decoder(LLAMA3), lambda b, n: at(b, n) % 97, at),
    "decoder_own": (Decoder(OWN), lambda b, n: at(b, n) % 97, at),
}


def dynamic(make):
    """The numbers of the axes whose sizes depend on batch or rows."""
    small, large = make(2, 5), make(3, 9)
    return {i: f"{make.__name__}{i}".replace("<lambda>", "axis") for i in range(small.ndim) if small.shape[i] != large.shape[i]}


def export(name, folder, opset):
    module, *makes = MODELS[name]
    torch.manual_seed(1)
    names = [f"in{i}" for i in range(len(makes))]
    with torch.no_grad():
        count = len(made) if isinstance(made := module.eval()(*(make(2, 5) for make in makes)), (tuple, list)) else 1
        torch.onnx.export(module, tuple(make(2, 5) for make in makes), folder / f"{name}.onnx", input_names=names, opset_version=opset,
                          output_names=[f"out{i}" for i in range(count)], custom_opsets={"posenc": 1},
                          dynamic_axes={name: {i: f"{name}_{axis}" for i, axis in dynamic(make).items()} for name, make in zip(names, makes)})
        for case, sizes in enumerate(((2, 5), (3, 9), (1, 1))):
            given = [make(*sizes) for make in makes]
            made = module(*given)
            made = made if isinstance(made, (tuple, list)) else [made]
            numpy.savez(folder / f"{name}.{case}.npz", **dict(zip(names, map(torch.Tensor.numpy, given))),
                        **{f"out{i}": one.numpy() for i, one in enumerate(made)})


def main(folder, opset=17):
    warnings.simplefilter("ignore")
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "torch").write_text(torch.__version__)
    for name in MODELS:
        export(name, Path(folder), int(opset))


if __name__ == "__main__":
    main(*sys.argv[1:])
