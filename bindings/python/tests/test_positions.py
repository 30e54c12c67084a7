"""Compares positions from ids and from masks with the formulas of fairseq and DETR."""

import unittest

import numpy
import posenc

try:
    import torch
except ImportError:
    torch = None


def make_positions(ids, padding_id, past):
    """As in fairseq's utils.py, and in create_position_ids_from_input_ids of transformers."""
    mask = (ids != padding_id).astype("int64")
    return (mask.cumsum(-1) + past) * mask + padding_id


def detr(mask, normalize, scale, offset, kind):
    """As in DETR's PositionEmbeddingSine.forward, up to the frequencies."""
    cells = ~mask
    y, x = (cells.cumsum(axis, dtype=kind) for axis in (-2, -1))
    if not normalize:
        return y, x
    offset, scale, small = kind(offset), kind(scale), kind(1e-6)
    return (y + offset) / (y[..., -1:, :] + small) * scale, (x + offset) / (x[..., -1:] + small) * scale


class Positions(unittest.TestCase):
    def test_ids(self):
        random = numpy.random.default_rng(1)
        for shape in (7,), (3, 9), (2, 3, 5), (3, 0), (0, 4):
            for kind in "int64", "int32", "uint8":
                ids = random.integers(0, 4, shape).astype(kind)
                for padding_id, past in (1, 0), (0, 0), (3, 11):
                    made = posenc.positions_from_ids(ids, padding_id, past=past)
                    self.assertEqual((made.dtype, made.shape), (numpy.dtype("int64"), ids.shape))
                    self.assertTrue((made == make_positions(ids, padding_id, past)).all())
        self.assertTrue((posenc.positions_from_ids([[5, 1, 6]], 1) == [[2, 1, 3]]).all())

    def test_mask(self):
        for shape in (4, 5), (2, 7, 3), (2, 0, 3):
            mask = numpy.random.default_rng(1).random(shape) < 0.3
            for name, kind in ("f32", numpy.float32), ("f64", numpy.float64):
                for scale, offset in (0, 0), (3.5, -0.5):
                    made = posenc.positions_from_mask(mask, normalization=name, scale=scale, offset=offset)
                    want = detr(mask, True, scale or 2 * numpy.pi, offset, kind) if mask.size else (mask, mask)
                    for one, other in zip(made, want):
                        self.assertEqual((one.dtype, one.shape), (numpy.dtype("float64"), shape))
                        self.assertTrue((one == other).all())
            for given in mask, mask.astype("uint8") * 7, mask.swapaxes(-1, -2).copy().swapaxes(-1, -2):
                for one, other in zip(posenc.positions_from_mask(given), detr(mask, False, 0, 0, numpy.float64)):
                    self.assertTrue((one == other).all())

    def test_torch(self):
        if torch is None:
            self.skipTest("SKIPPED: python3-torch is not installed")
        ids = torch.tensor([[5, 1, 6]])
        self.assertTrue(torch.equal(posenc.positions_from_ids(ids, 1), torch.tensor([[2, 1, 3]])))
        mask = torch.tensor([[False, True], [False, False]])
        y, x = posenc.positions_from_mask(mask)
        self.assertTrue(torch.equal(y, torch.tensor([[1, 0], [2, 1.0]]).double()))
        self.assertTrue(torch.equal(x, torch.tensor([[1, 1], [1, 2.0]]).double()))
        for call, given in ((lambda ids: posenc.positions_from_ids(ids, 1), ids), (lambda mask: posenc.positions_from_mask(mask)[0], mask)):
            with self.assertRaisesRegex(RuntimeError, "jit.trace is recording"):
                torch.jit.trace(call, given)

    def test_refusals(self):
        mask = numpy.zeros((3, 3), bool)
        for call, error, text in (
            (lambda: posenc.positions_from_ids([1.0], 1), TypeError, "ids must be integers"),
            (lambda: posenc.positions_from_ids(3, 1), ValueError, "ids must have an axis"),
            (lambda: posenc.positions_from_ids([3], "a"), TypeError, "padding_id must be an integer"),
            (lambda: posenc.positions_from_ids([3]), TypeError, "padding_id is missing"),
            (lambda: posenc.positions_from_ids([3], 2**31), ValueError, "padding_id must be at least -2.31"),
            (lambda: posenc.positions_from_ids([3], 1, past=-1), ValueError, "past must be 0 or more"),
            (lambda: posenc.positions_from_ids([3], 1, 2), TypeError, "too many arguments"),
            (lambda: posenc.positions_from_mask(), TypeError, "mask is missing"),
            (lambda: posenc.positions_from_mask([[1, 2]]), TypeError, "mask must be bool or uint8, not int64"),
            (lambda: posenc.positions_from_mask(mask[0]), ValueError, "mask must have at least two axes"),
            (lambda: posenc.positions_from_mask(mask, normalization="f16"), ValueError, "normalization must be one of none, f32, f64"),
            (lambda: posenc.positions_from_mask(mask, normalization=1), TypeError, "normalization must be a string"),
            (lambda: posenc.positions_from_mask(mask, normalization="f32", scale=float("nan")), ValueError, "scale of the normalization must be a number"),
            (lambda: posenc.positions_from_mask(mask, axis=1), TypeError, "unexpected keyword argument axis"),
        ):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_words(self):
        """help() lists the words of every choice."""
        self.assertIn("layout: interleaved, interleaved_cos_sin, sin_cos, cos_sin\n", posenc.Encoder.__doc__)
        self.assertIn("output_pairing: half_split, neighbours, same", posenc.Rotary.__doc__)


if __name__ == "__main__":
    unittest.main()
