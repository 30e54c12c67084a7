#!/usr/bin/env python3
"""identify_frameworks.py POSENC WORK: tables as NumPy and PyTorch make them are identified.

Each is computed as its project does it, in the project's own order of roundings. Their exp and pow are not always
correctly rounded, so not every bit agrees; the right preset and rounding come first nevertheless. Exit status 77 without
NumPy; without PyTorch its tables are left out, visibly.
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


def numpy_tables(d, first=0):
    """(preset, rounding, table); rounding None where the project's is none of posenc's."""
    n = np.arange(first, first + ROWS)
    doubles = np.array([[p / np.power(10000, 2 * (j // 2) / d) for j in range(d)] for p in n])
    yield "hf_distilbert", "f64_pow_div", by_turns(doubles[:, 0::2])
    yield "hf_marian", "f64_pow_div", sines_first(doubles[:, 0::2])
    omega = np.arange(d // 2, dtype=np.float32)
    omega /= d / 2.0
    omega = np.float32(1.0) / np.float32(10000) ** omega
    yield "mae", "f32_inv_freq", sines_first(np.einsum("m,d->md", n.astype(np.float32), omega))
    increment = np.float32(math.log(10000)) / np.float32(max(d // 2 - 1, 1))
    # To the nearest float, as glibc's is: with AVX-512 NumPy's own is wrong in the last bit of 14 of 32.
    powers = np.exp((np.arange(d // 2, dtype=np.float32) * -increment).astype(np.float64)).astype(np.float32)
    floats = n.astype(np.float32)[:, None] * powers
    yield "tensor2tensor", "f32_log_increment", sines_first(floats)
    yield "gemma_cpp", "f32_log_increment", sines_first(floats)
    increment = math.log(10000) / max(d // 2 - 1, 1)
    timescales = np.exp(np.arange(d // 2) * -increment)
    yield "tensor2tensor", None, sines_first(n[:, None] * timescales)
    yield "flax", None, sines_first(n[:, None] * timescales).astype(np.float32)
    yield "ctranslate2", None, sines_first((n[:, None] + 1) * timescales)
    timescales = np.power(np.float32(1 / 10000), (2 * (np.arange(d) // 2)).astype(np.float32) / np.float32(d))
    yield "keras_hub", None, by_turns((n.astype(np.float32)[:, None] * timescales)[:, 0::2])
    freqs = np.float32(1 / 10000) ** (np.arange(d // 2, dtype=np.float32) / np.float32(d // 2))
    phases = n.astype(np.float32)[:, None] * freqs
    yield "edm", None, np.concatenate([np.cos(phases), np.sin(phases)], axis=1)


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


def identify(posenc, work, table):
    path = work / "framework.npy"
    np.save(path, np.ascontiguousarray(table))
    run = subprocess.run([posenc, "identify", path], capture_output=True, text=True, check=False)
    lines = [line.split("\t") for line in run.stdout.splitlines() if not line.startswith("#")]
    return run.returncode, lines


def mae_grid(d, height, width):
    """facebookresearch/mae, util/pos_embed.py, get_2d_sincos_pos_embed, with a class token."""
    omega = 1.0 / 10000 ** (np.arange(d // 4, dtype=np.float64) / (d / 4.0))
    across, down = (sines_first(np.einsum("m,d->md", axis.reshape(-1), omega))
                    for axis in np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)))
    return np.concatenate([np.zeros([1, d]), np.concatenate([across, down], axis=1)])


def check(posenc, work, preset, rounding, table):
    status, lines = identify(posenc, work, table)
    nearest = [line for line in lines if line[3:] == lines[0][3:]] if len(lines[0]) > 1 else []
    found = any(line[0] == preset and (rounding is None or line[1] == rounding) for line in nearest)
    if status != 0 or not found:
        print(f"FAILED: {preset}, {rounding}, {table.dtype}, {table.shape}: status {status}, {lines}")
    return found


def main():
    posenc, work = sys.argv[1], pathlib.Path(sys.argv[2])
    tried, right = 0, 0
    for d in (64, 320, 1024):
        tables = [table for first in (0, 30, -63) for table in numpy_tables(d, first)]
        tables.append(("mae", None, mae_grid(d, 14, 9).astype(np.float32)))
        if torch is not None:
            tables += [(preset, rounding, table.numpy()) for preset, rounding, table in torch_tables(d)]
        for preset, rounding, table in tables:
            tried += 1
            right += check(posenc, work, preset, rounding, table)
            if table.dtype == np.float64:  # as they are saved
                tried += 1
                right += check(posenc, work, preset, None, table.astype(np.float32))
    generator = np.random.default_rng(1)
    half_noise, one_nan = (next(numpy_tables(16))[2].copy() for _ in range(2))
    half_noise[6:116] = generator.uniform(-1, 1, (110, 16))
    one_nan[60, 3] = np.nan
    for noise in (half_noise, one_nan, generator.uniform(-1, 1, (100, 64)), generator.normal(size=(50, 7)), np.zeros((20, 8)),
                  np.full((9, 9), 0.5), np.full((9, 8), np.nan), generator.integers(0, 65536, (40, 16)).astype(np.uint16)):
        for kind in (np.float64, np.float32) if noise.dtype != np.uint16 else (np.uint16,):
            tried += 1
            status, lines = identify(posenc, work, noise.astype(kind))
            right += (status, lines) == (1, [["none"]])
            if (status, lines) != (1, [["none"]]):
                print(f"FAILED: {noise.shape} of noise: {status}, {lines}")
    print(f"{tried} tables, {tried - right} failures")
    return 0 if right == tried else 1


if __name__ == "__main__":
    sys.exit(main())
