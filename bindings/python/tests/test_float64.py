"""Tests posenc.torch with float64: torch's operations on correctly rounded float64s, gradients within the bounds of gradcheck, and
modules after .double()."""

import unittest

import posenc

try:
    import torch
    import posenc.torch as pt
except ImportError:
    raise unittest.SkipTest("SKIPPED: python3-torch is not installed")

torch.set_num_threads(1)
DIM = 16
ENCODER = posenc.Encoder(DIM)
POSITIONS = torch.tensor([[0, 1, 7, 100, 4095], [3, -2, 2, 131071, 9]])
IDS = torch.tensor([[1, 4, 1, 1, 0], [4, 4, 2, 1, 1]])
ROTARIES = {
    "halves": posenc.Rotary(DIM),
    "neighbours": posenc.Rotary(DIM, pairing="neighbours"),
    "both": posenc.Rotary(DIM, pairing="neighbours", output_pairing="half_split", amplitude=1.25, rotary_dim=8),
    "part": posenc.Rotary(DIM, rotary_dim=6, rotary_offset=4),
    "DeepSeek": posenc.Rotary(192, preset="deepseek_v3", factor=40, original_length=4096),
    "axes": posenc.Rotary(DIM, axes=2, sections=[3, 5]),
}


def random(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


class Float64(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual((one.dtype, one.shape), (torch.float64, other.shape))
        self.assertTrue(torch.equal(one, other))

    def test_add(self):
        for shape in (DIM,), (5, DIM), (2, 5, DIM), (3, 2, 5, DIM), (400, 5, DIM), (0, DIM):
            x = random(*shape)
            rows = shape[-2] if len(shape) > 1 else 1
            want = x * 3.3 + ENCODER.table(rows, first=9, dtype=torch.float64).reshape(-1, *shape[-1:])[-shape[-2] if len(shape) > 1 else 0 :].reshape(shape[-2:])
            for leaf in x.clone(), x.clone().requires_grad_():
                self.same(pt.add(leaf, ENCODER, first=9, scale=3.3).detach(), want)
            self.same(pt.add_(x, ENCODER, first=9, scale=3.3), want)
        for positions in POSITIONS, POSITIONS[0]:
            x = random(2, 5, DIM)
            self.same(pt.add(x, ENCODER, positions), x + ENCODER.encode(positions, dtype=torch.float64))

    def test_embed(self):
        table = random(5, DIM)
        rows = ENCODER.encode(POSITIONS, dtype=torch.float64)
        self.same(pt.embed(IDS, table, ENCODER, POSITIONS, scale=1.1), table[IDS] * 1.1 + rows)
        self.same(pt.embed(IDS.to(torch.uint8), table.float(), ENCODER, POSITIONS, dtype=torch.float64), table.float().double()[IDS] + rows)
        self.assertEqual(pt.embed(IDS, table, ENCODER, dtype=torch.float32).dtype, torch.float32)
        for id_ in -1, 5:
            with self.assertRaisesRegex(IndexError, rf"ids\[1, 2\]: {id_} is not a row of a table with 5 rows"):
                pt.embed(torch.tensor([[0, 1, 2], [3, 4, id_]]), table, ENCODER)

    def test_rotate(self):
        """The result is computed by the formula, with correctly rounded sines. It is within a few ulp of the exact rotation."""
        for name, rotary in ROTARIES.items():
            dim, lead = rotary.head_dim, (rotary.axes,) if rotary.axes > 1 else ()
            floats = random(2, 5, 3, dim).float(), random(2, 5, 1, dim, seed=2).float()
            for at in POSITIONS, POSITIONS[0], None:
                at = at if at is None or not lead else torch.stack([at, at // 2])
                for arguments in {}, {"scale": 0.25, "inverse": True}:
                    with self.subTest(name, positions=at is not None, **arguments):
                        made = pt.rotate([x.double() for x in floats], rotary, at, **arguments)
                        for one, other in zip(made, pt.rotate(floats, rotary, at, **arguments)):
                            self.assertEqual(one.dtype, torch.float64)
                            self.assertTrue(torch.allclose(one, other.double(), rtol=0, atol=2e-7))
                        again = pt.rotate_([x.double() for x in floats], rotary, at, **arguments)
                        heads_first = pt.rotate([x.double().transpose(1, 2) for x in floats], rotary, at, token_axis=-2, **arguments)
                        for one, other, third in zip(made, again, heads_first):
                            self.same(one, other)
                            self.same(one, third.transpose(1, 2))
                        self.assertTrue(again[0].is_contiguous())
        x, (cos, sin) = random(2, 5, DIM), ROTARIES["halves"].cache(5, layout="halves_twice", dtype=torch.float64)
        half = torch.cat([-x[..., DIM // 2 :], x[..., : DIM // 2]], -1)
        self.same(pt.rotate([x], ROTARIES["halves"], token_axis=-2)[0], x * cos + half * sin)
        self.same(pt.rotate([x[0]], ROTARIES["halves"], token_axis=-2)[0], (x * cos + half * sin)[0])
        near = pt.rotate([x[:1, :1]], ROTARIES["halves"], torch.tensor([2**31 - 1]), token_axis=-2)
        self.same(pt.rotate(near, ROTARIES["halves"], torch.tensor([2**31 - 1]), token_axis=-2, inverse=True)[0].mul(2**40).round(), x[:1, :1].mul(2**40).round())

    def test_gradcheck(self):
        """First and second gradients of functions and modules, compared with finite differences."""
        for rotary in ROTARIES.values():
            at = POSITIONS if rotary.axes == 1 else torch.stack([POSITIONS, POSITIONS // 2])
            q, k = random(2, 5, 1, rotary.head_dim).requires_grad_(), random(2, 5, 1, rotary.head_dim, seed=2).requires_grad_()
            self.assertTrue(torch.autograd.gradcheck(lambda q, k: tuple(pt.rotate([q, k], rotary, at, scale=0.3)), (q, k), fast_mode=True))
            self.assertTrue(torch.autograd.gradgradcheck(lambda q, k: tuple(pt.rotate([q, k], rotary, at, scale=0.3)), (q, k), fast_mode=True))
        x = random(2, 5, DIM).requires_grad_()
        sums, ids = pt.SinusoidalPositionalEncoding(DIM, scale=3).double(), pt.InputEmbedding(5, DIM, scale=3).double()
        for call, of in (sums, x), (lambda table: pt.embed(IDS, table, ENCODER, scale=1.1), random(5, DIM).requires_grad_()):
            self.assertTrue(torch.autograd.gradcheck(call, (of,)))
            self.assertTrue(torch.autograd.gradgradcheck(call, (of,)))
        ids(IDS).sum().backward()
        self.same(ids.embedding.weight.grad, (3.0 * IDS.flatten().bincount(minlength=5)).double()[:, None].expand(5, DIM))

    def test_modules(self):
        x = random(2, 5, DIM)
        self.same(pt.SinusoidalPositionalEncoding(DIM).double()(x), x + posenc.table(5, DIM, dtype=torch.float64))
        table = pt.EncodingTable(9, DIM).double()
        self.same(table(torch.arange(9)), posenc.table(9, DIM, dtype=torch.float64))
        rotary, q = pt.RotaryEmbedding(posenc.Rotary(DIM)), random(2, 3, 5, DIM)
        cos, sin = rotary(q, POSITIONS)
        half = torch.cat([-q[..., DIM // 2 :], q[..., : DIM // 2]], -1)
        self.same(rotary.rotate(q, q[:, :1], POSITIONS)[0], q * cos[:, None] + half * sin[:, None])
        self.same(rotary(POSITIONS, q.transpose(1, 2).flatten(2), None)[0], rotary.rotate(q, q, POSITIONS)[0].transpose(1, 2).flatten(2))

    def test_in_place(self):
        for call in (lambda x: pt.add_(x, ENCODER), lambda x: pt.rotate_([x], ROTARIES["halves"], token_axis=-2)):
            x = torch.ones(3, 2, DIM, dtype=torch.float64, requires_grad=True) * 1
            version = x._version
            call(x)
            self.assertGreater(x._version, version)
            with self.assertRaisesRegex(RuntimeError, "single memory location"):
                call(torch.ones(2, DIM, dtype=torch.float64).expand(3, 2, DIM))

    def test_refusals(self):
        x = random(2, 5, DIM)
        for text, call in (("x must have 16 columns", lambda: pt.add(x[..., :7], ENCODER)), ("first", lambda: pt.add(x, ENCODER, first=2**31)),
                           (r"positions\[1\]", lambda: pt.add(x, ENCODER, torch.tensor([0.0, float("nan"), 1, 2, 3]))), ("positions must have the shape", lambda: pt.add(x, ENCODER, torch.zeros(4))),
                           ("k must be of the same type", lambda: pt.rotate([x, x.float()], ROTARIES["halves"])), ("first must be an integer", lambda: pt.rotate([x], ROTARIES["halves"], first=[1, 2])),
                           ("first and positions", lambda: pt.rotate([x], ROTARIES["halves"], torch.zeros(2), 1))):
            with self.assertRaisesRegex((RuntimeError, TypeError), text):
                call()


if __name__ == "__main__":
    unittest.main()
