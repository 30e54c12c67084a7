"""conventions_numpy_test.py LIBPOSENC: compares posenc's presets with the NumPy code of many projects. Projects in TensorFlow and
C++ are compared too: their steps are done in NumPy's float32."""

import sys

try:
    import numpy
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)

import conventions
import numpy_ctypes

BASE = 10000
F32 = numpy.float32

# Each function returns a function of positions, for conventions.Report.


def halves(phases, dim=None):
    rows = numpy.concatenate([numpy.sin(phases), numpy.cos(phases)], axis=1)
    return rows if dim is None else numpy.pad(rows, [[0, 0], [0, dim - rows.shape[1]]])


def notebook(dim):
    """Denominators in float32. Sines and cosines are stacked and reshaped."""
    def formula(positions):
        denominator = numpy.power(BASE, numpy.arange(0, dim, 2, dtype=F32) / dim)
        phases = positions.reshape(-1, 1) / denominator
        return denominator, phases, numpy.stack([numpy.sin(phases), numpy.cos(phases)], axis=2).reshape(-1, dim)
    return formula


def hf_marian(dim):
    """Python's integers divided by NumPy's doubles, entry by entry. The cosines come after the sines."""
    def formula(positions):
        angles = numpy.array([[int(p) / numpy.power(BASE, 2 * (j // 2) / dim) for j in range(dim)] for p in positions])
        rows = numpy.empty((len(positions), dim), F32)
        sines = (dim + 1) // 2
        rows[:, :sines] = numpy.sin(angles[:, 0::2])
        rows[:, sines:] = numpy.cos(angles[:, 1::2])
        return numpy.array([numpy.power(BASE, j / dim) for j in range(0, dim, 2)]), angles[:, 0::2], rows
    return formula


def tensor2tensor(dim, min_timescale=1.0):
    """get_timing_signal_1d, which divides the logarithm of the base in float32. So do MaxText, CTranslate2 and gemma.cpp."""
    def formula(positions):
        pairs = dim // 2
        increment = F32(numpy.log(BASE / min_timescale)) / F32(max(pairs - 1, 1))
        frequencies = F32(min_timescale) * numpy.exp(numpy.arange(pairs, dtype=F32) * -increment)
        phases = positions[:, None] * frequencies[None, :]
        return frequencies, phases, halves(phases, dim)
    return formula


def ctranslate2(dim):
    """The same, but row t is tensor2tensor's row t + 1."""
    def formula(positions):
        return tensor2tensor(dim)(positions + 1)
    return formula


def mae_axis(dim):
    """One axis of a grid, with dim columns."""
    def formula(positions):
        omega = numpy.arange(dim // 2, dtype=F32)
        omega /= dim / 2.0
        omega = 1.0 / BASE**omega
        phases = numpy.einsum("m,d->md", positions, omega)
        return omega, phases, halves(phases)
    return formula


def check_mae_grid(library, height=6, width=4, dim=128):
    """get_2d_sincos_pos_embed with its class token. The x of a cell makes the first half of the columns."""
    grid = numpy.stack(numpy.meshgrid(numpy.arange(width, dtype=F32), numpy.arange(height, dtype=F32)))
    halves_of_columns = [mae_axis(dim // 2)(axis.reshape(-1))[2] for axis in grid]
    theirs = numpy.concatenate([numpy.zeros((1, dim)), numpy.concatenate(halves_of_columns, axis=1)])
    axis = numpy_ctypes.Encoder(library, dim // 2, "mae", phase_rounding=library.preset_rounding("mae"))
    ours = numpy.zeros((1 + height * width, dim), F32)
    ours[1:, : dim // 2] = axis.write_at(numpy.tile(numpy.arange(width), height))
    ours[1:, dim // 2 :] = axis.write_at(numpy.repeat(numpy.arange(height), width))
    distance = numpy.abs(ours - theirs).max()
    assert distance <= 2e-6
    print(f"G1: a grid of {height} x {width} cells and a class token is two calls, within {distance:.1e}")


def main(path):
    print(f"NumPy {numpy.__version__}")
    library = numpy_ctypes.Library(path)
    report = conventions.Report(library)
    check = report.check
    check("notebook, NumPy", "d2l", 512, notebook(512))
    check("A2 HF Marian", "hf_marian", 64, hf_marian(64))
    check("A2 HF Marian, odd", "hf_marian", 33, hf_marian(33))
    check("A3 tensor2tensor", "tensor2tensor", 512, tensor2tensor(512))
    check("A3 tensor2tensor, odd", "tensor2tensor", 65, tensor2tensor(65))
    check("A3 tensor2tensor, min 0.5", "tensor2tensor", 64, tensor2tensor(64, 0.5), min_timescale=0.5)
    check("A3 CTranslate2", "ctranslate2", 512, ctranslate2(512))
    check("A5 gemma.cpp", "gemma_cpp", 512, tensor2tensor(512))
    check("G1 MAE, an axis", "mae", 384, mae_axis(384))
    check_mae_grid(library)
    report.print_distances()


if __name__ == "__main__":
    main(sys.argv[1])
