"""The package returns the same bits as the C functions, for all types."""

import pickle
import unittest

import c_functions as c
import numpy
import posenc

try:
    import torch
except ImportError:
    torch = None

DIM, ROWS = 70, 97  # no multiples of a vector length, so that loops have tails


def array(bits, type_):
    """An array for the package, in the same memory: NumPy's, or a torch tensor for bfloat16."""
    if type_ != c.BF16:
        return bits.view(c.NAMES[type_])
    return torch.from_numpy(bits.view("int16")).view(torch.bfloat16)


def bits(made):
    if torch is not None and isinstance(made, torch.Tensor):
        kind = {2: torch.int16, 4: torch.int32, 8: torch.int64}[made.element_size()]
        made = made.contiguous().view(kind).numpy()
    return numpy.ascontiguousarray(made).view("uint%d" % (8 * made.dtype.itemsize))


def dtype(type_):
    return torch.bfloat16 if type_ == c.BF16 else c.NAMES[type_]


class Bits(unittest.TestCase):
    def setUp(self):
        self.c = c.Library()

    def types(self, *types):
        for type_ in types:
            if type_ == c.BF16 and torch is None:
                print("SKIPPED: bfloat16, as python3-torch is not installed")
                continue
            yield type_

    def same(self, made, want):
        self.assertEqual(made.shape, want.shape)
        self.assertEqual(int((bits(made) != want).sum()), 0)

    def test_table(self):
        for preset in ("attention_is_all_you_need", "fairseq", "ddpm"):
            ours = posenc.Encoder.preset(preset, DIM)
            theirs = self.c.encoder(preset, DIM)
            for type_ in self.types(c.F32, c.BF16, c.F16, c.F64):
                want = numpy.empty((ROWS, DIM), c.BITS[type_])
                self.c("posenc_write", theirs, 1000, ROWS, c.Rows(type_, want, DIM))
                self.same(ours.table(ROWS, first=1000, dtype=dtype(type_)), want)
                self.same(posenc.table(ROWS, DIM, first=1000, dtype=dtype(type_), preset=preset), want)

    def test_encode(self):
        ours, theirs = posenc.Encoder(DIM), self.c.encoder("attention_is_all_you_need", DIM)
        for kind, number in (("int32", c.I32), ("int64", c.I64), ("float32", c.F32), ("float64", c.F64)):
            positions = (numpy.arange(ROWS) * 1000.25 - 7).astype(kind)
            for type_ in self.types(c.F32, c.BF16, c.F16, c.F64):
                want = numpy.empty((ROWS, DIM), c.BITS[type_])
                self.c("posenc_write_at", theirs, c.List(number, positions), ROWS, c.Rows(type_, want, DIM), None)
                self.same(ours.encode(positions, dtype=dtype(type_)), want)
                self.same(ours.encode(memoryview(positions), dtype=dtype(type_)), want)
                out = numpy.zeros_like(want)
                ours.encode(positions[:, None], out=array(out[:, None, :], type_))
                self.same(out, want)

    def test_add(self):
        ours, theirs = posenc.Encoder(DIM), self.c.encoder("attention_is_all_you_need", DIM)
        positions = numpy.arange(ROWS) * 3.5
        for type_ in self.types(c.F32, c.BF16, c.F16):
            x = c.random_bits(type_, (ROWS, DIM))
            run, at, apart = x.copy(), x.copy(), numpy.repeat(x[:, None], 2, axis=1)
            batch = numpy.stack([x, x, x])
            ours.add_(array(run, type_), first=5, scale=0.5)
            ours.add_(array(at, type_), positions=positions)
            ours.add_(array(apart, type_)[:, 0], first=5, scale=0.5)
            ours.add_(array(batch, type_), first=[5, 6, 5], scale=0.5)
            by_turns = numpy.stack([x, x], axis=1)
            ours.add_(array(by_turns, type_).swapaxes(0, 1), first=5, scale=0.5)
            want = x.copy()
            self.c("posenc_add", theirs, 5, ROWS, c.Rows(type_, want, DIM), 0.5)
            for got in (run, apart[:, 0], batch[0], batch[2], by_turns[:, 0], by_turns[:, 1]):
                self.same(got, want)
            self.same(apart[:, 1], x)
            want = x.copy()
            self.c("posenc_add", theirs, 6, ROWS, c.Rows(type_, want, DIM), 0.5)
            self.same(batch[1], want)
            want = x.copy()
            self.c("posenc_add_at", theirs, c.List(c.F64, positions), ROWS, c.Rows(type_, want, DIM), 1.0, None)
            self.same(at, want)

    def test_embed(self):
        ours, theirs = posenc.Encoder(DIM), self.c.encoder("attention_is_all_you_need", DIM)
        ids = numpy.random.default_rng(2).integers(0, 50, (2, ROWS))
        for type_ in self.types(c.F32, c.BF16, c.F16):
            table = c.random_bits(type_, (50, DIM))
            want = numpy.empty((2, ROWS, DIM), c.BITS[type_])
            for b in range(2):
                lookup = c.Lookup(c.List(c.I64, ids[b]), type_, table)
                self.c("posenc_embed", theirs, lookup, 9, ROWS, c.Rows(type_, want[b], DIM), 8.0, None)
            self.same(ours.embed(ids, array(table, type_), first=9, scale=8.0), want)
            at = numpy.arange(9, 9 + ROWS, dtype="int32")
            self.same(ours.embed(ids, array(table, type_), positions=at, scale=8.0), want)
            if type_ != c.F32:
                wide = numpy.empty((ROWS, DIM), "uint32")
                lookup = c.Lookup(c.List(c.I64, ids[0]), type_, table)
                self.c("posenc_embed", theirs, lookup, 0, ROWS, c.Rows(c.F32, wide, DIM), 1.0, None)
                self.same(ours.embed(ids[0], array(table, type_), dtype="float32"), wide)

    def test_grid(self):
        half, theirs = posenc.Encoder(DIM), self.c.encoder("attention_is_all_you_need", DIM)
        ys = numpy.array([0.5, 1.5, 4.0])
        axes = (c.Axis * 2)(c.Axis(theirs, DIM, 3, c.List(c.F64, ys)), c.Axis(theirs, 0, 5))
        for type_ in self.types(c.F32, c.BF16, c.F16, c.F64):
            want = numpy.empty((16, 2 * DIM), c.BITS[type_])
            self.c("posenc_write_grid", axes, 2, 1, c.Rows(type_, want, 2 * DIM), None, None)
            made = posenc.grid([(half, DIM, ys), (half, 0, 5)], prefix_rows=1, dtype=dtype(type_))
            self.same(made, want)
        x = numpy.ones((16, 2 * DIM), "float32")
        posenc.grid_add_(x, [(half, DIM, ys), (half, 0, 5)], prefix_rows=1)
        self.assertTrue((x == 1 + posenc.grid([(half, DIM, ys), (half, 0, 5)], prefix_rows=1)).all())
        self.assertTrue((posenc.grid([(half, 3, 2)])[:, :3] == 0).all())  # no axis writes these columns

    def test_rotate(self):
        tokens, shape = 11, (11, 3, 64)
        for preset in ("llama3", "gpt_j"):
            ours, theirs = posenc.Rotary.preset(preset, 64), self.c.rotary(preset, 64)
            for type_ in self.types(c.F32, c.BF16, c.F16):
                q, k = c.random_bits(type_, shape), c.random_bits(type_, (11, 1, 64), 2)
                got_q, got_k = q.copy(), k.copy()
                ours.rotate_(array(got_q, type_), array(got_k, type_), first=7, scale=[0.125, 1])
                heads = (c.Heads * 2)(c.Heads(type_, 0, q.ctypes.data, 3, 3 * 64, 64, scale=0.125),
                                      c.Heads(type_, 0, k.ctypes.data, 1, 64, 64))
                first = c.random_bits(type_, shape)
                self.c("posenc_rotate", theirs, 7, tokens, heads, 2)
                self.same(got_q, q)
                self.same(got_k, k)
                # Heads come before tokens, and each element of the batch has other positions.
                run = numpy.arange(7, 7 + tokens, dtype="int32")
                batch = numpy.stack([first.swapaxes(0, 1)] * 2)
                ours.rotate_(array(batch, type_), positions=numpy.stack([run, run + 1]), scale=0.125, token_axis=-2)
                self.same(batch[0].swapaxes(0, 1), q)
                self.assertTrue((batch[1] != batch[0]).any())
                inverse = batch.copy()
                ours.rotate_(array(inverse, type_), positions=-numpy.stack([run, run + 1]), token_axis=-2)
                ours.rotate_(array(batch, type_), positions=numpy.stack([run, run + 1]), token_axis=-2, inverse=True)
                self.same(batch, inverse)

    def test_rotate_to_new(self):
        """rotate returns what rotate_ makes of copies. The result is contiguous, and the arguments are unchanged."""
        q, k = numpy.random.default_rng(1).normal(size=(2, 2, 3, 70, 4, 16)).astype("float32")
        for rotary in posenc.Rotary(16), posenc.Rotary(16, pairing="neighbours", output_pairing="half_split", rotary_dim=8):
            for view in (lambda x: x), (lambda x: x[:, ::2, 5:40]), (lambda x: x.swapaxes(0, 1)), (lambda x: x[0, 0]), (lambda x: x[..., :1, :]):
                own_q, own_k = view(q.copy()), view(k.copy())[..., :2, :]
                same_q, same_k = own_q.copy(), own_k.copy()
                each = numpy.arange(numpy.prod(own_q.shape[:-2])).reshape(own_q.shape[:-2])
                for arguments in {"first": 7}, {"positions": each, "scale": [0.5, 2.0]}, {"first": each[..., 0]}, {"inverse": True}:
                    made = rotary.rotate(own_q, own_k, **arguments)
                    want = rotary.rotate_(same_q.copy(), same_k.copy(), **arguments)
                    for one, other in zip(made, want):
                        self.assertTrue(one.flags.c_contiguous)
                        self.same(one, bits(other))
                self.same(own_q, bits(same_q))
            self.same(rotary.rotate(q.swapaxes(-2, -3), token_axis=-2), bits(rotary.rotate(q).swapaxes(-2, -3)))
        self.assertEqual(posenc.Rotary(16).rotate(q.astype("float16")).dtype, "float16")
        self.assertEqual(posenc.Rotary(16).rotate(memoryview(q)).dtype, "float32")

    def test_first_of_each(self):
        """Each sequence has its own first position, which is the same on all axes."""
        x = numpy.random.default_rng(1).normal(size=(2, 3, 5, 2, 16)).astype("float32")
        first = [[0, -3, 2**31 - 4], [7, 7, 1000]]
        for rotary in posenc.Rotary(16), posenc.Rotary(16, axes=2, sections=[3, 5]):
            made = rotary.rotate(x, first=first)
            for i in range(2):
                for j in range(3):
                    self.same(made[i, j], bits(rotary.rotate_(x[i, j].copy(), first=first[i][j])))

    def test_axes(self):
        rotary = posenc.Rotary(16, axes=2, sections=[4, 4], axis_order="axial")
        x = numpy.random.default_rng(3).standard_normal((2, 6, 4, 16)).astype("float32")
        at = numpy.arange(24).reshape(2, 2, 6) * 5  # [axes, batch, tokens]
        both, one = x.copy(), x.copy()
        rotary.rotate_(both.swapaxes(1, 2), positions=at, token_axis=-2)
        for b in range(2):
            rotary.rotate_(one[b], positions=at[:, b])
        self.assertTrue((both == one).all() and (both != x).any())
        rotary.rotate_(x, positions=at)
        self.assertTrue((x == one).all())

    def test_axes_with_lists(self):
        """Axial axes with different frequencies, as in Cosmos: one list has the frequencies of all axes, axis by axis."""
        sections = [22, 21, 21]
        want = [(1e4 * f ** (r / (r - 2))) ** (-2 * i / r) for f, r in ((2, 44), (1, 42), (1, 42)) for i in range(r // 2)]
        each = [posenc.Rotary(2 * n, scaling="ntk", factor=f).frequencies for n, f in zip(sections, (2.0, 1.0, 1.0))]
        rotary = posenc.Rotary(128, axes=3, sections=sections, axis_order="axial", frequencies=numpy.concatenate(each))
        numpy.testing.assert_allclose(rotary.frequencies, want, rtol=1e-14)
        again = pickle.loads(pickle.dumps(rotary))
        numpy.testing.assert_array_equal(again.frequencies, rotary.frequencies)
        cos, sin = rotary.cache(positions=[[3], [4], [0.25]], dtype="float64")
        at = numpy.repeat([3, 4, 0.25], sections) * want
        numpy.testing.assert_allclose(cos[0], numpy.cos(at), atol=1e-14)
        numpy.testing.assert_allclose(sin[0], numpy.sin(at), atol=1e-14)

    def test_ltx(self):
        rotary = posenc.Rotary(2048, rotary_offset=2, pairing="neighbours", axes=3, sections=[341] * 3,
                               axis_order="interleaved", unit="half_turns",
                               frequencies=numpy.repeat(10000.0 ** (numpy.arange(341) / 340) / 2, 3))
        at = numpy.array([-0.9, 0.25, 0.625])
        x = numpy.random.default_rng(4).standard_normal((1, 1, 2048)).astype("float32")
        angles = (10000.0 ** (numpy.arange(341) / 340) * numpy.pi / 2)[:, None] * at  # [341, axes]
        turned = (x[0, 0, 2::2] + 1j * x[0, 0, 3::2]) * numpy.exp(1j * angles.reshape(-1))
        want = numpy.concatenate([x[0, 0, :2], numpy.stack([turned.real, turned.imag], -1).reshape(-1)])
        rotary.rotate_(x, positions=at[:, None])
        numpy.testing.assert_allclose(x[0, 0], want, rtol=0, atol=1e-6)

    def test_cache(self):
        ours, theirs = posenc.Rotary(64, scaling="yarn", factor=4, original_length=4096), None
        self.assertGreater(ours.amplitude, 1)
        ours, theirs = posenc.Rotary.preset("llama3", 64), self.c.rotary("llama3", 64)
        for type_ in self.types(c.F32, c.BF16, c.F16, c.F64):
            for number, layout in enumerate(("halves", "halves_twice", "duplicated", "cos_sin", "pairs")):
                columns, two = 32 if number == 0 else 64, number < 3
                cos, sin = (numpy.empty((ROWS, columns), c.BITS[type_]) for _ in range(2))
                table = c.Cache(number, type_, cos.ctypes.data, sin.ctypes.data if two else None, columns)
                self.c("posenc_write_cache", theirs, 3, ROWS, table)
                made = ours.cache(ROWS, first=3, layout=layout, dtype=dtype(type_))
                at = ours.cache(positions=numpy.arange(3, 3 + ROWS), layout=layout, dtype=dtype(type_))
                for got in (made, at):
                    self.same(got[0] if two else got, cos)
                    if two:
                        self.same(got[1], sin)

    def test_frequencies(self):
        own = numpy.array([1.0, 0.25], "float32")
        encoder = posenc.Encoder(4, frequencies=own, unit="turns")
        own[:] = 3  # has no effect, because the list was copied
        self.assertTrue((encoder.table(2, dtype="float64") == [[0, 1, 0, 1], [0, 1, 1, 0]]).all())
        self.assertTrue((posenc.Encoder(4, frequencies=[2, 3]).frequencies == [2, 3]).all())

    def test_floats_stay_floats(self):
        doubles = 10000.0 ** (-numpy.arange(32) / 32)
        floats = doubles.astype("float32")
        for roundings in ("none", "f32_inv_freq"):
            for own in (floats, list(floats), floats[::-1][::-1], floats.astype(">f4")):
                made = posenc.Rotary(64, frequencies=own, phase_rounding=roundings)
                self.assertTrue((made.frequencies == floats).all())
                again = pickle.loads(pickle.dumps(made))
                self.same(again.cache(9, first=10**6)[0], bits(made.cache(9, first=10**6)[0]))
        rounded = posenc.Rotary(64, frequencies=floats, phase_rounding="f32_inv_freq").cache(9, first=10**6)[0]
        phases = (numpy.arange(10**6, 10**6 + 9, dtype="float32")[:, None] * floats).astype("float64")
        self.assertTrue((rounded == numpy.cos(phases).astype("float32")).all())
        self.assertTrue((posenc.Rotary(64, frequencies=doubles).frequencies == doubles).all())
        for own in (floats, doubles):
            self.assertTrue((posenc.Encoder(64, frequencies=own).frequencies == own).all())
            encoder = posenc.Encoder(64, frequencies=own, phase_rounding="f32_list")
            self.assertTrue((encoder.frequencies == floats).all())
        short, long = numpy.full(32, 1.5), numpy.full(32, 2.5)
        scaled = [posenc.Rotary(64, scaling="longrope", original_length=64, length=128, factor=4,
                                factors=short.astype(a), long_factors=long.astype(b)).cache(9)[0]
                  for a in ("float32", "float64") for b in ("float32", "float64")]
        for other in scaled[1:]:
            self.same(other, bits(scaled[0]))


if __name__ == "__main__":
    unittest.main()
