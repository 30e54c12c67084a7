"""The notebooks this began from, a line each, and what they print, digit for digit."""

import os
import unittest

import numpy
import posenc

GOLDEN = os.environ.get("POSENC_GOLDEN", os.path.join(os.path.dirname(__file__), "../../../tests/golden"))


def figures(file):
    with open(os.path.join(GOLDEN, file)) as lines:
        return [figure for line in lines if not line.startswith("#") for figure in line.split()]


def printed(array, form):
    return [form % number for number in array.ravel()]


class Notebooks(unittest.TestCase):
    def test_torch_6x10(self):
        pe = posenc.table(10, 6)
        self.assertEqual(printed(pe, "%.4f"), figures("torch_6x10.txt"))

    def test_torch_odd_dim(self):
        pe = posenc.table(20, 11)
        want = figures("torch_11x5.txt")  # the print-out breaks off
        self.assertEqual(printed(pe, "%.4e")[: len(want)], want)

    def test_numpy_6x10(self):
        pe = posenc.table(10, 6, phase_rounding="f32_pow_div")
        numpy.set_printoptions(suppress=True)
        text = str(pe).replace("[", " ").replace("]", " ").split()
        self.assertEqual(text, figures("numpy_6x10.txt"))

    def test_torch_loop_and_sum(self):
        pe = posenc.table(5, 4)
        self.assertEqual(printed(pe, "%.4f"), figures("torch_4x5.txt"))
        x = numpy.array(figures("torch_4x5_embeddings.txt"), "float32").reshape(1, 5, 4)
        posenc.Encoder(4).add_(x)
        self.assertEqual(printed(x, "%.4f"), figures("torch_4x5_sums.txt"))

    def test_embedding_layer(self):
        ids = numpy.random.default_rng(1).integers(0, 1000, (2, 10))
        out = posenc.Encoder(512).embed(ids, numpy.ones((1000, 512), "float32"))
        self.assertEqual((list(ids.shape), list(out.shape)), ([2, 10], [2, 10, 512]))
        self.assertTrue((out == 1 + posenc.table(10, 512)).all())


if __name__ == "__main__":
    unittest.main()
