"""Tests calls with torch tensors: they work in place, without copies; some tensors are refused."""

import unittest

import posenc

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIPPED: python3-torch is not installed")

ENCODER = posenc.Encoder(64)


class Torch(unittest.TestCase):
    def test_in_place(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = torch.ones(2, 10, 64, dtype=dtype)
            where, same = x.data_ptr(), ENCODER.add_(x, first=3)
            self.assertIs(same, x)
            self.assertEqual(x.data_ptr(), where)
            want = (1 + ENCODER.table(10, first=3, dtype=torch.float32)).to(dtype)
            self.assertTrue(torch.equal(x, want.expand(2, 10, 64)))

    def test_sequence_first(self):
        x = torch.zeros(10, 3, 64)
        ENCODER.add_(x.transpose(0, 1))
        self.assertTrue(torch.equal(x[:, 1], ENCODER.table(10, dtype=torch.float32)))

    def test_what_comes_out(self):
        self.assertEqual(posenc.table(3, 64, dtype=torch.bfloat16).dtype, torch.bfloat16)
        made = ENCODER.encode(torch.arange(3))
        self.assertIsInstance(made, torch.Tensor)
        self.assertEqual(tuple(made.shape), (3, 64))
        self.assertEqual(type(ENCODER.encode(torch.arange(3), dtype="float16")).__module__, "numpy")
        weight = torch.randn(5, 64).to(torch.float16)
        self.assertEqual(ENCODER.embed(torch.tensor([[1, 4]]), weight).dtype, torch.float16)
        self.assertEqual(ENCODER.embed(torch.tensor([[1, 4]]), weight, dtype=torch.float32).dtype, torch.float32)
        out = torch.empty(3, 64, dtype=torch.float64)
        self.assertIs(ENCODER.table(3, out=out), out)
        expanded = torch.arange(3)[:, None].expand(3, 2)
        self.assertTrue(torch.equal(ENCODER.encode(expanded)[:, 1], made))

    def test_rotate(self):
        rotary = posenc.Rotary.preset("llama", 64)
        fused = torch.randn(2, 10, 6 * 64)
        q, k = (part.unflatten(-1, (heads, 64)) for part, heads in zip(fused.split([4 * 64, 2 * 64], -1), (4, 2)))
        want = fused.clone().view(2, 10, 6, 64)
        cos, sin = (table.double()[:, None] for table in rotary.cache(10, layout="duplicated", dtype=torch.float32))
        a, b = want.double().chunk(2, -1)
        want = want.double() * cos + torch.cat((-b, a), -1) * sin
        same_q, same_k = rotary.rotate_(q, k)
        self.assertIs(same_q, q)
        self.assertIs(same_k, k)
        self.assertLess((fused.view(2, 10, 6, 64) - want).abs().max().item(), 1e-6)

    def test_nothing_to_rotate(self):
        """The strides of an empty tensor do not matter."""
        for shape in (0, 5, 3, 64), (2, 0, 3, 64), (2, 5, 0, 64):
            for zeros in torch.zeros(shape), torch.zeros(64).expand(9, 9, 9, 64)[tuple(map(slice, shape))]:
                for call in posenc.Rotary(64).rotate, posenc.Rotary(64).rotate_:
                    self.assertEqual(call(zeros, first=[1] * len(zeros)).shape, zeros.shape)

    def test_types_of_positions(self):
        want = ENCODER.encode([0, 1, 2])
        for kind in ("uint8", "int8", "int16", "uint16", "uint32", "uint64", "float16", "bfloat16", "float64"):
            if hasattr(torch, kind):
                positions = torch.tensor([0, 1, 2]).to(getattr(torch, kind))
                made = ENCODER.encode(positions)
                self.assertIsInstance(made, torch.Tensor)
                self.assertTrue((made.numpy() == want).all())
        self.assertTrue((ENCODER.encode([torch.tensor(0), torch.tensor(1), torch.tensor(2)]) == want).all())
        with self.assertRaisesRegex(TypeError, "positions has a type that posenc does not take: bool"):
            ENCODER.encode(torch.zeros(3).bool())
        with self.assertRaisesRegex(TypeError, "positions must be numbers.*not torch.complex64"):
            ENCODER.encode(torch.zeros(3, dtype=torch.cfloat).conj())

    def test_inv_freq(self):
        """The buffer inv_freq of a checkpoint, as in docs/rotary-engines.md: float32, or bfloat16 if the model was cast."""
        inv_freq = 1.0 / (10000 ** (torch.arange(0, 64, 2) / 64))
        want = posenc.Rotary(64, phase_rounding="f32_inv_freq").cache(99, first=10**6)[0]
        for buffer in (inv_freq, torch.nn.Parameter(inv_freq, requires_grad=False)):
            made = posenc.Rotary(64, frequencies=buffer, phase_rounding="f32_inv_freq").cache(99, first=10**6)[0]
            self.assertGreater((made == want).mean(), 0.9)  # torch's pow is not always correctly rounded
        self.assertEqual(posenc.Rotary(64, frequencies=inv_freq.bfloat16(), phase_rounding="f32_inv_freq").amplitude, 1)
        with self.assertRaisesRegex(ValueError, "frequencies must be float32 with f32_inv_freq"):
            posenc.Rotary(64, frequencies=inv_freq.double(), phase_rounding="f32_inv_freq")

    def test_refusals(self):
        leaf = torch.zeros(3, 64, requires_grad=True)
        for x, text in (
            (leaf, "x requires a gradient.*x \\+ encoder.table"),
            (torch.nn.Parameter(torch.zeros(3, 64)), "x requires a gradient"),
            (leaf * 2, "x requires a gradient"),
            (torch.zeros(3, 64, device="meta"), "x is on another device: meta"),
            (torch.zeros(3, 64, dtype=torch.cfloat).conj().imag, "x is negated lazily"),
            (torch.zeros(64, 3).T, "x must have its columns next to each other"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                ENCODER.add_(x)
        for x, text in (
            (torch.zeros(3, 64, dtype=torch.float64), "x must be of float32, bfloat16 or float16, not float64"),
            (torch.zeros(3, 64, dtype=torch.int8), "x has a type that posenc does not take: torch.int8"),
            (torch.zeros(3, 64, dtype=torch.cfloat), "x has a type that posenc does not take"),
            (torch.zeros(3, 64).to_sparse(), "x must be a strided tensor, not torch.sparse_coo"),
            (torch.zeros(3, 64).bool(), "x has a type that posenc does not take: torch.bool"),
            (torch.quantize_per_tensor(torch.zeros(3, 64), 0.1, 0, torch.qint8), "x has a type that posenc does not take: torch.qint8"),
        ):
            with self.assertRaisesRegex(TypeError, text):
                ENCODER.add_(x)
        for rows in 2**45, 2**62:  # more than the memory, and more than 64-bit addresses
            with self.assertRaises(MemoryError):
                ENCODER.table(rows, dtype=torch.float32)
        self.assertFalse(leaf.any())
        ENCODER.add_(leaf.detach())
        self.assertTrue(leaf.any())
        with self.assertRaisesRegex(ValueError, "table requires a gradient"):
            ENCODER.embed([0], torch.nn.Embedding(3, 64).weight)
        if torch.cuda.is_available():
            with self.assertRaisesRegex(ValueError, "x is on another device: cuda"):
                ENCODER.add_(torch.zeros(3, 64, device="cuda"))


if __name__ == "__main__":
    unittest.main()
