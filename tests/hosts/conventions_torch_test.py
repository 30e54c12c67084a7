"""conventions_torch_test.py LIBPOSENC: compares posenc's presets with the PyTorch code of many projects."""

import math
import sys

try:
    import torch
except ImportError:
    print("SKIPPED: python3-torch is not installed")
    sys.exit(77)

import conventions
import numpy
import numpy_ctypes

BASE = 10000


def halves(phases, cosines_first=False, dim=None):
    parts = [phases.cos(), phases.sin()] if cosines_first else [phases.sin(), phases.cos()]
    rows = torch.cat(parts, -1)
    return rows if dim is None or dim == rows.shape[-1] else torch.nn.functional.pad(rows, (0, dim - rows.shape[-1]))


def by_turns(phases, dim):
    rows = torch.zeros(len(phases), dim)
    rows[:, 0::2] = torch.sin(phases)
    rows[:, 1::2] = torch.cos(phases[:, : dim // 2])
    return rows


# Each function returns a function of positions, for conventions.Report.


def notebook_pow(dim):
    """Denominators in float32. Sines and cosines are stacked and flattened."""
    def formula(positions):
        denominator = torch.pow(BASE, torch.arange(0, dim, 2).float() / dim)
        phases = torch.from_numpy(positions).reshape(-1, 1) / denominator
        return denominator, phases, torch.stack([phases.sin(), phases.cos()], dim=2).flatten(1)
    return formula


def notebook_odd(dim):
    """Integer positions, and ceil(dim / 2) integer indices."""
    def formula(positions):
        at = torch.from_numpy(positions).long().unsqueeze(1)
        divisor = BASE ** (2 * torch.arange(0, (dim + 1) // 2) / dim)
        phases = at / divisor
        return divisor, phases, by_turns(phases, dim)
    return formula


def notebook_loop(dim):
    """Python's doubles, entry by entry, stored in float32."""
    def formula(positions):
        divisors = numpy.array([BASE ** (i / dim) for i in range(0, dim, 2)])
        phases = numpy.array([[int(p) / q for q in divisors] for p in positions])
        rows = torch.zeros(len(positions), dim)
        for r, row in enumerate(phases):
            for i, phase in enumerate(row):
                rows[r, 2 * i], rows[r, 2 * i + 1] = math.sin(phase), math.cos(phase)
        return divisors, phases, rows
    return formula


def tutorial(dim):
    def formula(positions):
        frequencies = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
        phases = torch.from_numpy(positions).unsqueeze(1) * frequencies
        return frequencies, phases, by_turns(phases, dim)
    return formula


def inv_freq(dim, turns):
    """torch.outer of positions and 1 / base ** (...): Transformer-XL, tatp22."""
    def formula(positions):
        frequencies = 1 / (10000 ** (torch.arange(0.0, dim, 2.0) / dim))
        phases = torch.outer(torch.from_numpy(positions), frequencies)
        return frequencies, phases, by_turns(phases, dim) if turns else halves(phases)
    return formula


def fairseq(dim):
    """fairseq's table, which Speech2Text, M2M-100 and DDPM also use."""
    def formula(positions):
        half = dim // 2
        frequencies = torch.exp(torch.arange(half, dtype=torch.float) * -(math.log(10000) / (half - 1)))
        phases = torch.from_numpy(positions).unsqueeze(1) * frequencies.unsqueeze(0)
        rows = halves(phases, dim=dim)
        rows[torch.from_numpy(positions) == 1] = 0  # padding_idx
        return frequencies, phases, rows
    return formula


def whisper(dim):
    def formula(positions):
        increment = numpy.log(BASE) / (dim // 2 - 1)
        frequencies = torch.exp(-increment * torch.arange(dim // 2))
        phases = torch.from_numpy(positions).long()[:, None] * frequencies[None, :]
        return frequencies, phases, halves(phases)
    return formula


def diffusers(dim, shift, flip, scale=1):
    def formula(timesteps):
        half = dim // 2
        exponent = -math.log(10000) * torch.arange(start=0, end=half, dtype=torch.float32)
        frequencies = torch.exp(exponent / (half - shift))
        phases = scale * (torch.from_numpy(timesteps)[:, None].float() * frequencies[None, :])
        return frequencies, phases, halves(phases, flip, dim)
    return formula


def edm(dim, endpoint):
    def formula(noise):
        frequencies = torch.arange(start=0, end=dim // 2, dtype=torch.float32)
        frequencies = frequencies / (dim // 2 - (1 if endpoint else 0))
        frequencies = (1 / 10000) ** frequencies
        phases = torch.from_numpy(noise).ger(frequencies)
        rows = halves(phases, cosines_first=True)
        if endpoint:  # SongUNet swaps the halves
            rows = rows.reshape(len(rows), 2, -1).flip(1).reshape(*rows.shape)
        return frequencies, phases, rows
    return formula


def wan(dim):
    def formula(positions):
        at = torch.from_numpy(positions).type(torch.float64)
        frequencies = torch.pow(10000, -torch.arange(dim // 2).to(at).div(dim // 2))
        phases = torch.outer(at, frequencies)
        return frequencies, phases, halves(phases, cosines_first=True).float()
    return formula


def timm_axis(dim):
    """One axis of a grid, with dim columns."""
    def formula(positions):
        frequencies = 1.0 / (BASE ** (torch.arange(dim // 2, dtype=torch.float32) / (dim // 2)))
        phases = torch.from_numpy(positions).unsqueeze(1) * frequencies.unsqueeze(0)
        return frequencies, phases, halves(phases)
    return formula


def detr_axis(dim):
    def formula(counts):
        t = torch.arange(dim, dtype=torch.float32)
        divisors = 10000 ** (2 * torch.div(t, 2, rounding_mode="trunc") / dim)
        phases = torch.from_numpy(counts)[:, None] / divisors
        rows = torch.stack((phases[:, 0::2].sin(), phases[:, 1::2].cos()), dim=2).flatten(1)
        return divisors[0::2], phases[:, 0::2], rows
    return formula


def check_timm_grid(library, height=5, width=7, dim=96):
    """build_sincos2d_pos_embed: rows ordered by height, then width. Each axis has its sines, then its cosines."""
    frequencies = 1.0 / (BASE ** (torch.arange(dim // 4, dtype=torch.float32) / (dim // 4)))
    y, x = torch.meshgrid(torch.arange(height).float(), torch.arange(width).float(), indexing="ij")
    parts = [axis.flatten().unsqueeze(1) * frequencies for axis in (y, x)]
    theirs = torch.cat([part for phases in parts for part in (phases.sin(), phases.cos())], 1).numpy()
    axis = numpy_ctypes.Encoder(library, dim // 2, "timm", phase_rounding=library.preset_rounding("timm"))
    ours = numpy.hstack([axis.write_at(part.flatten().numpy()) for part in (y, x)])
    assert numpy.abs(ours - theirs).max() <= 2e-6
    print(f"G2: a grid of {height} x {width} cells is two calls, within {numpy.abs(ours - theirs).max():.1e}")


def check_detr_mask(library, dim=128):
    """Counts in an image with padding, normalized to 2 pi. In float32 the phases agree. Also compares exactly."""
    mask = torch.zeros(1, 6, 9, dtype=torch.bool)
    mask[:, 5:] = mask[:, :, 7:] = True
    y = (~mask).cumsum(1, dtype=torch.float32)
    count = y[0, :, 0].numpy()
    normalized = (y / (y[:, -1:, :] + 1e-6) * (2 * math.pi))[0, :, 0].numpy()
    rounding = library.preset_rounding("detr")
    _, phases, theirs = detr_axis(dim)(normalized)
    encoder = numpy_ctypes.Encoder(library, dim, "detr", phase_rounding=rounding, position_offset=0)
    recipe = conventions.recipe_frequencies(rounding, BASE, dim, dim // 2)
    which = recipe == detr_axis(dim)(normalized)[0].numpy()
    conventions.check_phases(encoder, normalized, phases.numpy(), which)
    turns = numpy_ctypes.Encoder(library, dim, "detr_normalized")
    fractions = count.astype("float64") / (count[-1] + 1e-6)
    distance = numpy.abs(turns.write_at(fractions, "float64") - theirs.numpy()).max()
    assert distance <= 1e-5
    print(f"G4 normalized: phases of the same positions agree; detr_normalized is within {distance:.1e}")


def check_padding(library, dim=64):
    """fairseq's make_positions, then its table."""
    padding = 1
    ids = torch.tensor([[5, 6, 7, 8, padding], [padding, padding, 9, 4, 3]])
    tokens = ids.ne(padding).int()
    positions = (torch.cumsum(tokens, 1).type_as(tokens) * tokens).long() + padding
    table = fairseq(dim)(numpy.arange(16, dtype="float32"))[2]
    theirs = table.index_select(0, positions.view(-1)).numpy()
    encoder = numpy_ctypes.Encoder(library, dim, "fairseq")
    ours = encoder.write_at(positions.view(-1).numpy())
    assert numpy.abs(ours - theirs).max() <= 4e-6 and (ours[4] == 0).all() and (ours[5] == 0).all()
    assert (theirs[4] == 0).all() and (ours[7] == encoder.write(2, 1)[0]).all()
    print("A4: positions of ids with padding, whose rows are zero: the same")


def main(path):
    print(f"torch {torch.__version__}, NumPy {numpy.__version__}")
    torch.set_num_threads(1)
    library = numpy_ctypes.Library(path)
    report = conventions.Report(library)
    check = report.check
    check("notebook, pow", "d2l", 512, notebook_pow(512))
    check("notebook of any dim", "d2l", 11, notebook_odd(11))
    check("notebook, a loop of doubles", "hf_distilbert", 64, notebook_loop(64))
    check("A1 PyTorch tutorial", "pytorch_tutorial", 512, tutorial(512))
    check("A1 Transformer-XL", "transformer_xl", 512, inv_freq(512, turns=False))
    check("A8 tatp22", "tatp22", 512, inv_freq(512, turns=True))
    check("A4 fairseq", "fairseq", 512, fairseq(512))
    check("A4 fairseq, odd", "hf_speech_to_text", 81, fairseq(81))
    check("A5 Whisper", "whisper", 384, whisper(384))
    check("T1 diffusers", "diffusers_timestep", 320, diffusers(320, 1, False))
    check("T1 diffusers, UNet", "diffusers_unet", 320, diffusers(320, 0, True))
    check("T1 diffusers, odd", "diffusers_unet", 321, diffusers(321, 0, True))
    check("T1 diffusers, scale 1000", "diffusers_unet", 256, diffusers(256, 0, True, 1000), position_scale=1000,
          positions=numpy.linspace(0, 1, 50, dtype="float32"))
    check("T1 diffusers, fractions", "diffusers_unet", 320, diffusers(320, 0, True),
          positions=numpy.linspace(0, 999, 101, dtype="float32"))
    check("T3 EDM", "edm", 256, edm(256, False))
    check("T3 EDM, SongUNet", "edm_song", 256, edm(256, True))
    check("T4 Wan", "wan", 256, wan(256))
    check("G2 timm, an axis", "timm", 192, timm_axis(192))
    check("G4 DETR, an axis", "detr", 128, detr_axis(128), position_offset=0)
    check_timm_grid(library)
    check_detr_mask(library)
    check_padding(library)
    report.print_distances()


if __name__ == "__main__":
    main(sys.argv[1])
