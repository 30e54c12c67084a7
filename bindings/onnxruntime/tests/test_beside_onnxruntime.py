"""Compares RotaryEmbedding with ONNX Runtime's own com.microsoft.RotaryEmbedding: it is the same rotation, and posenc's error is
never larger."""

import itertools
import unittest

import numpy
import posenc
from models import random, run

HEADS, DIM, MOST = 4, 64, 4096


def right_rotation(x, positions, pairing, elements=DIM):
    """The rotation of x [batch, tokens, HEADS * DIM], computed in double."""
    heads = x.astype("float64").reshape(*x.shape[:2], HEADS, DIM)
    phases = positions[..., None, None] * 10000.0 ** (-numpy.arange(0, elements, 2) / elements)
    cos, sin, half = numpy.cos(phases), numpy.sin(phases), elements // 2
    first = slice(0, half) if pairing == "half_split" else slice(0, elements, 2)
    second = slice(half, elements) if pairing == "half_split" else slice(1, elements, 2)
    a, b, out = heads[..., first], heads[..., second], heads.copy()
    out[..., first], out[..., second] = a * cos - b * sin, b * cos + a * sin
    return out.reshape(x.shape)


class Beside(unittest.TestCase):
    def test_float_and_float16(self):
        for dtype, interleaved, elements, layout in itertools.product(
            ("float32", "float16"), (0, 1), (DIM, 32), ("3-D", "4-D")
        ):
            x, positions = random(dtype, 2, 30, HEADS * DIM), numpy.random.default_rng(3).integers(0, MOST, (2, 30))
            cos, sin = posenc.Rotary(elements).cache(MOST, dtype=dtype)
            attributes = dict(num_heads=HEADS, interleaved=interleaved, rotary_embedding_dim=elements % DIM)
            right = right_rotation(x, positions, "neighbours" if interleaved else "half_split", elements)
            turn = lambda x: x.reshape(2, 30, HEADS, DIM).swapaxes(1, 2).copy() if layout == "4-D" else x  # noqa: E731
            inputs = [turn(x), positions, cos, sin]
            for arithmetic in ("exact", "fast"):
                with self.subTest(dtype=dtype, layout=layout, arithmetic=arithmetic, **attributes):
                    theirs = run("RotaryEmbedding", inputs, dtype, domain="com.microsoft", **attributes)
                    ours = run("RotaryEmbedding", inputs, dtype, spec="arithmetic=" + arithmetic, **attributes)
                    error, their_error = (numpy.abs(y.astype("float64") - turn(right)).max() for y in (ours, theirs))
                    self.assertLess(error, 6e-7 if dtype == "float32" else 2.1e-3)
                    self.assertLess(their_error, 4e-6 if dtype == "float32" else 2e-2)
                    if arithmetic == "exact":
                        self.assertLessEqual(error, their_error)

    def test_one_first_position(self):
        x, cache = random("float32", 2, 30, HEADS * DIM), posenc.Rotary(DIM).cache(MOST)
        for first in (0, 1000):
            inputs = [x, numpy.array([first]), *cache]
            theirs = run("RotaryEmbedding", inputs, "float32", domain="com.microsoft", num_heads=HEADS)
            ours = run("RotaryEmbedding", inputs, "float32", num_heads=HEADS, spec="")
            numpy.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-6)


if __name__ == "__main__":
    unittest.main()
