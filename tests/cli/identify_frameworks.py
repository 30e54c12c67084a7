#!/usr/bin/env python3
"""identify_frameworks.py POSENC WORK DIM...: posenc identify recognizes tables that NumPy and PyTorch make.

Each table is computed as its project does it, with the project's order of roundings. exp and pow of these libraries are not always
correctly rounded, so not every bit agrees. The right preset and rounding must come first all the same. Without NumPy the exit
status is 77. Without PyTorch the script says that it leaves out PyTorch's tables.
"""

import math
import pathlib
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("left out: there is no NumPy")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None
    print("left out: tables of PyTorch, which is not here")

ROWS = 200


def by_turns(phases):
    return np.stack([np.sin(phases), np.cos(phases)], axis=-1).reshape(len(phases), -1)


def sines_first(phases):
    return np.concatenate([np.sin(phases), np.cos(phases)], axis=1)


def cosines_first(phases):
    return np.concatenate([np.cos(phases), np.sin(phases)], axis=1)


def exp(floats):
    """exp rounded to the nearest float, as in glibc. NumPy's exp for AVX-512 has a wrong last bit in 14 of 32 results."""
    return np.exp(floats.astype(np.float64)).astype(np.float32)


def power(base, floats):
    return np.power(float(base), floats.astype(np.float64)).astype(np.float32)


def numpy_tables(d, first=0):
    """Yields (preset, rounding, table). The rounding is None if posenc does not have the project's rounding."""
    n = np.arange(first, first + ROWS)
    times = n.astype(np.float32)[:, None]
    half, evens = d // 2, np.arange(0, d, 2).astype(np.float32)
    pairs = np.arange(half, dtype=np.float32)

    # Computed in doubles.
    doubles = np.array([[p / np.power(10000, 2 * (j // 2) / d) for j in range(d)] for p in n])
    yield "hf_distilbert", "f64_pow_div", by_turns(doubles[:, 0::2])
    yield "hf_marian", "f64_pow_div", sines_first(doubles[:, 0::2])
    timescales = np.exp(np.arange(half) * -(math.log(10000) / max(half - 1, 1)))
    yield "tensor2tensor", None, sines_first(n[:, None] * timescales)
    yield "flax", None, sines_first(n[:, None] * timescales).astype(np.float32)
    yield "ctranslate2", None, sines_first((n[:, None] + 1) * timescales)
    yield "tensorflow_tutorial", None, sines_first(n[:, None] * (1 / 10000 ** (np.arange(half) / half))).astype(np.float32)
    phases = np.outer(n.astype(np.float64), np.power(10000, -np.arange(half).astype(np.float64) / half))
    yield "wan", "f64_pow_mul", cosines_first(phases)

    # Computed in floats, by powers of the base.
    omega = np.arange(half, dtype=np.float32)
    omega /= d / 2.0
    omega = np.float32(1.0) / np.float32(10000) ** omega
    yield "mae", "f32_inv_freq", sines_first(np.einsum("m,d->md", n.astype(np.float32), omega))
    inv_freq = np.float32(1) / power(10000, evens / np.float32(d))
    yield "tatp22", "f32_inv_freq", by_turns(times * inv_freq)
    yield "transformer_xl", "f32_inv_freq", sines_first(times[::-1] * inv_freq)
    yield "d2l", "f32_pow_div", by_turns(times / power(10000, evens / np.float32(d)))
    yield "detr", "f32_pow_div", by_turns((times + 1) / power(10000, evens / np.float32(d)))
    yield "musicgen", "f32_pow_div", cosines_first(times / power(10000, pairs / np.float32(half - 1)))
    yield "stable_diffusion_cpp", "f64_inv_freq", cosines_first(
        times * (1.0 / np.power(10000.0, np.arange(half) / half)).astype(np.float32))
    timescales = np.power(np.float32(1 / 10000), (2 * (np.arange(d) // 2)).astype(np.float32) / np.float32(d))
    yield "keras_hub", None, by_turns((times * timescales)[:, 0::2])
    freqs = np.float32(1 / 10000) ** (pairs / np.float32(half))
    yield "edm", None, cosines_first(times * freqs)

    # Computed in floats, by exponentials of logarithms.
    phases = times * exp(evens * np.float32(-math.log(10000.0) / d))
    yield "pytorch_tutorial", "f32_exp", by_turns(phases)
    table = sines_first(times * exp(pairs * -np.float32(math.log(10000) / (half - 1))))
    yield "whisper", "f32_exp", table
    yield "ddpm", "f32_exp", table
    table = table.copy()
    table[n == 1] = 0
    yield "fairseq", "f32_exp", table
    yield "opennmt_tf", "f32_exp", sines_first((times + 1) * exp(pairs * -np.float32(math.log(10000) / (half - 1))))
    increment = np.float32(math.log(10000)) / np.float32(max(half - 1, 1))
    floats = times * exp(pairs * -increment)
    yield "tensor2tensor", "f32_log_increment", sines_first(floats)
    yield "gemma_cpp", "f32_log_increment", sines_first(floats)
    exponent = np.float32(-math.log(10000)) * pairs
    yield "diffusers_timestep", "f32_log_div", sines_first(times * exp(exponent / np.float32(half - 1)))
    yield "diffusers_unet", "f32_log_div", cosines_first(times * exp(exponent / np.float32(half)))


def column_frequencies(d, first):
    """SamLynnEvans/Transformer, Embed.py, PositionalEncoder: a frequency for each column."""
    return np.array([[(math.cos if c % 2 else math.sin)(p / 10000 ** (2 * c / d)) for c in range(d)]
                     for p in range(first, first + ROWS)])


def llama_cache(d, first):
    """transformers, modeling_llama.py, LlamaRotaryEmbedding."""
    inv_freq = np.float32(1) / power(10000, np.arange(0, d, 2).astype(np.float32) / np.float32(d))
    freqs = np.arange(first, first + ROWS).astype(np.float32)[:, None] * inv_freq
    emb = np.concatenate([freqs, freqs], axis=1)
    return np.cos(emb), np.sin(emb)


def torch_tables(d):
    n = torch.arange(ROWS).float()
    half = d // 2

    def cat(first, second):
        return torch.cat([first, second], dim=1)

    def turns(phases):
        return torch.stack([phases.sin(), phases.cos()], dim=-1).flatten(1)

    phases = n[:, None] * torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
    yield "pytorch_tutorial", "f32_exp", turns(phases)
    yield "conformer", "f32_exp", turns(torch.arange(ROWS, -ROWS - 1, -1).float()[:, None] * torch.exp(
        torch.arange(0, d, 2).float() * -(math.log(10000.0) / d)))
    phases = n[:, None] / torch.pow(10000, torch.arange(0, d, 2, dtype=torch.float32) / d)
    yield "d2l", "f32_pow_div", turns(phases)
    emb = torch.exp(torch.arange(half, dtype=torch.float) * -(math.log(10000) / (half - 1)))
    weights = cat((n[:, None] * emb).sin(), (n[:, None] * emb).cos())
    weights[1, :] = 0
    yield "fairseq", "f32_exp", weights
    yield "whisper", "f32_exp", cat((n[:, None] * emb).sin(), (n[:, None] * emb).cos())
    inv_freq = 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d))
    phases = torch.einsum("i,j->ij", n, inv_freq)
    yield "tatp22", "f32_inv_freq", turns(phases)
    yield "transformer_xl", "f32_inv_freq", cat(phases.sin(), phases.cos()).flip(0)
    exponent = -math.log(10000) * torch.arange(half, dtype=torch.float32)
    phases = n[:, None] * torch.exp(exponent / (half - 1))
    yield "diffusers_timestep", "f32_log_div", cat(phases.sin(), phases.cos())
    phases = n[:, None] * torch.exp(exponent / half)
    yield "diffusers_unet", "f32_log_div", cat(phases.cos(), phases.sin())
    phases = torch.outer(n.double(), torch.pow(10000, -torch.arange(half).double().div(half)))
    yield "wan", "f64_pow_mul", cat(phases.cos(), phases.sin())
    dim_t = 10000 ** (2 * torch.div(torch.arange(d, dtype=torch.float32), 2, rounding_mode="floor") / d)
    yield "detr", "f32_pow_div", turns(((n + 1)[:, None] / dim_t)[:, 0::2])


def mae_grid(d, height, width):
    """facebookresearch/mae, util/pos_embed.py, get_2d_sincos_pos_embed, without a class token."""
    omega = 1.0 / 10000 ** (np.arange(d // 4, dtype=np.float64) / (d / 4.0))
    across, down = (sines_first(np.einsum("m,d->md", axis.reshape(-1), omega))
                    for axis in np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)))
    return np.concatenate([across, down], axis=1).astype(np.float32)


class Check:
    def __init__(self, posenc, work):
        self.posenc, self.work = posenc, work
        self.tried = self.right = 0

    def identify(self, *tables):
        """Runs posenc identify. Returns its status, its lines as fields, and its comments."""
        paths = [self.work / f"framework{k}.npy" for k in range(len(tables))]
        for path, table in zip(paths, tables):
            np.save(path, np.ascontiguousarray(table))
        run = subprocess.run([self.posenc, "identify", *paths], capture_output=True, text=True, check=False)
        lines = [line.split("\t") for line in run.stdout.splitlines() if not line.startswith("#")]
        comments = "\n".join(line for line in run.stdout.splitlines() if line.startswith("#"))
        return run.returncode, lines, comments

    def count(self, is_right, what):
        self.tried += 1
        self.right += is_right
        if not is_right:
            print(f"FAILED: {what}")

    def __call__(self, preset, rounding, *tables, positions=None, says=""):
        """Checks that this preset comes first, with these positions and, unless it is None, this rounding."""
        status, lines, comments = self.identify(*tables)
        nearest = [line for line in lines if line[3:6] == lines[0][3:6]] if len(lines[0]) > 1 else []
        found = any(line[0] == preset and rounding in (None, line[1]) and positions in (None, line[2]) for line in nearest)
        self.count(status == 0 and found and says in comments,
                   f"{preset}, {rounding}, {positions}, {says}, {tables[0].dtype}, {tables[0].shape}: status {status}, {lines}, "
                   f"{comments}")

    def none(self, table, says=""):
        status, lines, comments = self.identify(table)
        self.count((status, lines) == (1, [["none"]]) and says in comments,
                   f"{table.dtype}, {table.shape}, {says}: status {status}, {lines}, {comments}")


def check_offsets(check, d, first):
    for preset, rounding, table in numpy_tables(d, first):
        last = first + ROWS - 1
        positions = f"{last} .. {first}" if preset == "transformer_xl" else f"{first} .. {last}"
        check(preset, rounding, table, positions=positions)
        if table.dtype == np.float64 and first == 0:  # as projects save them
            check(preset, None, table.astype(np.float32), positions=positions)
    check("llama", "f32_inv_freq", *llama_cache(d, first), positions=f"{first} .. {first + ROWS - 1}")
    for dtype in (np.float64, np.float32):
        check.none(column_frequencies(d, first).astype(dtype),
                   f"# column c is sin (even c) or cos (odd c) of p 10000^(-2c/{d}), so each column has a frequency of its\n"
                   f"# own; positions {first} .. {first + ROWS - 1}. docs/something-else.md")


def check_other_rows(check, d, generator):
    """Tables with class tokens and registers before a grid, and before other rows."""
    grid = mae_grid(d, 14, 9)
    check("mae", None, grid, says="# a grid of 14 rows of 9 cells\n")
    axis = mae_grid(2 * d, 14, 2)[::2, d:]
    learned = generator.normal(size=(5, d)).astype(np.float32)
    for others, words in ((np.zeros((1, d)), "1 row of zeros"), (np.full((1, d), 0.5), "1 row of 0.5"),
                          (learned[:1], "1 row of other numbers"), (learned, "5 rows of other numbers")):
        others = others.astype(np.float32)
        check("mae", None, np.concatenate([others, grid]), says=f"# a grid of 14 rows of 9 cells, after {words}\n")
        if others.any():  # rows of zeros are padding
            check("mae", None, np.concatenate([others, axis]), positions="0 .. 13", says=f"# after {words}\n")


def main():
    check = Check(sys.argv[1], pathlib.Path(sys.argv[2]))
    generator = np.random.default_rng(1)
    for d in map(int, sys.argv[3:]):
        for first in (0, 30, -63):
            check_offsets(check, d, first)
        check_other_rows(check, d, generator)
        for preset, rounding, table in torch_tables(d) if torch is not None else ():
            check(preset, rounding, table.numpy())
            if table.dtype == torch.float64:
                check(preset, None, table.numpy().astype(np.float32))
    half_noise, one_nan = (next(numpy_tables(16))[2].copy() for _ in range(2))
    half_noise[6:116] = generator.uniform(-1, 1, (110, 16))
    one_nan[60, 3] = np.nan
    for noise in (half_noise, one_nan, generator.uniform(-1, 1, (100, 64)), generator.normal(size=(50, 7)), np.zeros((20, 8)),
                  np.full((9, 9), 0.5), np.full((9, 8), np.nan), generator.integers(0, 65536, (40, 16)).astype(np.uint16)):
        for kind in (np.float64, np.float32) if noise.dtype != np.uint16 else (np.uint16,):
            check.none(noise.astype(kind))
    print(f"{check.tried} tables, {check.tried - check.right} failures")
    return 0 if check.right == check.tried else 1


if __name__ == "__main__":
    sys.exit(main())
