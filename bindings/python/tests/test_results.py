"""Where results of rotations go: arrays of another type, slots of a paged cache; and factors of tokens."""

import itertools
import unittest

import numpy
import posenc

try:
    import torch
except ImportError:
    torch = None

ROTARIES = (posenc.Rotary(16), posenc.Rotary(24, rotary_dim=8, rotary_offset=4, amplitude=1.25),
            posenc.Rotary(16, pairing="neighbours", output_pairing="half_split", base=500.0))
ROTARY = ROTARIES[0]


def numbers(*shape, seed=1, dtype="float32"):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)


def exact(rotary, x, positions, factors=1.0, scale=1.0):
    """The real numbers of a rotation, in double: x is [..., tokens, heads, head_dim], and the others are [..., tokens]."""
    cos, sin = (table[..., None, :] * scale for table in rotary.cache(positions=positions, dtype="float64"))
    made = x.astype("float64")
    turning = slice(rotary.rotary_offset, rotary.rotary_offset + rotary.rotary_dim)

    def pairs(x, pairing):
        x = x[..., turning]
        return numpy.split(x, 2, -1) if pairing == "half_split" else (x[..., 0::2], x[..., 1::2])

    a, b = (part.copy() for part in pairs(made, rotary.pairing))
    new_a, new_b = pairs(made, rotary.output_pairing)
    new_a[:], new_b[:] = a * cos - b * sin, b * cos + a * sin
    return made * numpy.asarray(factors)[..., None, None]


def rounded(doubles, dtype):
    """Doubles, rounded once to a type. Numbers of bfloat16 are float32."""
    if dtype != "bfloat16":
        return doubles.astype(dtype)
    ulp = 2.0 ** (numpy.frexp(doubles)[1] - 8)
    return (numpy.rint(doubles / ulp) * ulp).astype("float32")


class Results(unittest.TestCase):
    def same(self, made, want):
        if torch is not None and isinstance(made, torch.Tensor):
            made = made.float().numpy() if made.dtype == torch.bfloat16 else made.numpy()
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape))
        self.assertEqual(made.tobytes(), want.tobytes())

    def test_types(self):
        """Each element is rounded once: float16 and bfloat16 are not rounded to float32 before."""
        at = numpy.arange(2 * 40).reshape(2, 40) * 1000.25
        for rotary in ROTARIES:
            q, k = numbers(2, 40, 4, rotary.head_dim), numbers(2, 40, 2, rotary.head_dim, seed=2)
            want = exact(rotary, q, at)
            for dtype in "float32", "float16":
                self.same(rotary.rotate(q, positions=at, dtype=dtype), rounded(want, dtype))
                out = numpy.zeros(q.shape, dtype)
                self.assertIs(rotary.rotate(q, positions=at, out=out), out)
                self.same(out, rounded(want, dtype))
                self.same(rotary.rotate(q, angles=rotary.angles(positions=at), dtype=dtype), rounded(want, dtype))
                made = rotary.rotate(q.swapaxes(1, 2), positions=at, dtype=dtype, token_axis=-2)
                self.same(made, rounded(want, dtype).swapaxes(1, 2).copy())
            self.same(q, numbers(2, 40, 4, rotary.head_dim))  # is only read
            big = numbers(10**6 // rotary.head_dim, 1, rotary.head_dim)
            big_want = exact(rotary, big, numpy.arange(len(big)))
            self.same(rotary.rotate(big, dtype="float16"), rounded(big_want, "float16"))
            self.assertGreater((rounded(rounded(big_want, "float32"), "float16") != rounded(big_want, "float16")).sum(), 0)
            # One call: q stays float32, in place, and k becomes float16.
            own_q, k16 = q.copy(), numpy.zeros(k.shape, "float16")
            made = rotary.rotate(own_q, k, positions=at, out=[own_q, k16], scale=[0.125, 1])
            self.assertIs(made[0], own_q)
            self.assertIs(made[1], k16)
            self.same(own_q, rounded(exact(rotary, q, at, scale=0.125), "float32"))
            self.same(k16, rounded(exact(rotary, k, at), "float16"))
            one, two = rotary.rotate(q, k, positions=at, dtype=[None, "float16"])
            self.same(one, rounded(want, "float32"))
            self.same(two, k16)
            for one in rotary.rotate(q, k, positions=at, dtype="float16"):
                self.assertEqual(one.dtype, "float16")

    def test_strides(self):
        """Only elements of `out` change, whatever lies between them."""
        k = numbers(7, 2, 16)
        want = rounded(exact(ROTARY, k, numpy.arange(7)), "float16")
        around = numpy.full((7, 3, 20), 7, "float16")
        out = around[:, 1:, 2:18]
        self.assertIs(ROTARY.rotate(k, out=out), out)
        self.same(out.copy(), want)
        out[:] = 7
        self.assertTrue((around == 7).all())

    @unittest.skipIf(torch is None, "SKIPPED: python3-torch is not installed")
    def test_tensors(self):
        at = numpy.arange(40) * 1000.25
        q, k = numbers(40, 4, 16), numbers(40, 2, 16, seed=2)
        want = exact(ROTARY, k, at)
        for dtype, name in (torch.bfloat16, "bfloat16"), (torch.float16, "float16"):
            for source in k, torch.from_numpy(k):
                self.same(ROTARY.rotate(source, positions=at, dtype=dtype), rounded(want, name))
            cache = torch.zeros(50, 2, 16, dtype=dtype)
            version = cache._version
            made = ROTARY.rotate(torch.from_numpy(q), torch.from_numpy(k), positions=at, out=[None, cache[3:43]])
            self.assertGreater(cache._version, version)
            self.same(made[0], rounded(exact(ROTARY, q, at), "float32"))
            self.same(cache[3:43], rounded(want, name))
            self.assertFalse(cache[:3].any() or cache[43:].any())
        source, leaf = torch.from_numpy(k), torch.zeros(40, 2, 16).half().requires_grad_()
        with self.assertRaisesRegex(ValueError, "out requires a gradient, and posenc records none: leave it out"):
            ROTARY.rotate(source, out=leaf)
        with self.assertRaisesRegex(ValueError, "q requires a gradient, and posenc records none: write q . cos"):
            ROTARY.rotate(source.requires_grad_(), out=torch.zeros(40, 2, 16).half())
        with torch.no_grad():
            self.same(ROTARY.rotate(source, positions=at, out=leaf).detach(), rounded(want, "float16"))

    def test_factors(self):
        """A factor multiplies all elements of its token before the one rounding."""
        at = numpy.arange(2 * 40).reshape(2, 40) * 1000.25
        factors = numpy.random.default_rng(3).uniform(0.5, 3, (2, 40)).astype("float32")
        for rotary, dtype in itertools.product(ROTARIES, ("float32", "float16")):
            q, k = numbers(2, 40, 4, rotary.head_dim), numbers(2, 40, 2, rotary.head_dim, seed=2)
            for its in factors, factors[0], factors.tolist(), factors.astype("float64"):
                want = rounded(exact(rotary, q, at, numpy.asarray(its).astype("float32").astype("float64")), dtype)
                made, other = rotary.rotate(q, k, positions=at, factors=[its, None], dtype=dtype)
                self.same(made, want)
                self.same(other, rotary.rotate(k, positions=at, dtype=dtype))
                self.same(rotary.rotate(q, angles=rotary.angles(positions=at), factors=its, dtype=dtype), want)
                if dtype == "float32":
                    in_place = q.copy()
                    self.assertIs(rotary.rotate_(in_place, positions=at, factors=its), in_place)
                    self.same(in_place, want)
                self.same(rotary.rotate(q[:1], positions=at[:1], factors=factors[:1], dtype=dtype),
                          rounded(exact(rotary, q[:1], at[:1], factors[:1].astype("float64")), dtype))
        x = numbers(3, 1, 16)
        self.same(ROTARY.rotate(x, factors=[1, 2, 4]), ROTARY.rotate(x) * numpy.float32([1, 2, 4])[:, None, None])

    def caches(self, blocks, size, heads, dim, dtype):
        """Caches of the same shape with other strides, and the memory around them."""
        shape = (blocks, size, heads, dim)
        plain, wide = numpy.full(shape, 7, dtype), numpy.full((2 * blocks, size + 1, heads + 2, dim + 8), 7, dtype)
        yield plain, plain, -3
        yield wide, wide[::2, :-1, 1:-1, 3:3 + dim], -3
        memory = numpy.full((blocks, heads, size, dim), 7, dtype)
        yield memory, memory, -2
        yield plain, plain.swapaxes(1, 2), -2

    def test_slots(self):
        tokens, blocks, size, heads = 9, 5, 4, 3
        at = numpy.arange(tokens) * 77.5
        lists = [13, 0, -1, 19, 13, 5, -1, 6, 7], list(range(3, 12)), [-1] * 9
        for rotary, dtype in itertools.product(ROTARIES, ("float32", "float16")):
            k, q = numbers(tokens, heads, rotary.head_dim), numbers(tokens, 6, rotary.head_dim, seed=2)
            made = rotary.rotate(k, positions=at, dtype=dtype)
            angles = rotary.angles(positions=at)
            for slots in lists:
                forms = slots, numpy.array(slots), numpy.array(slots, "int32"), numpy.array(slots, "int16"), numpy.repeat(slots, 2)[::2]
                for form, (memory, cache, slot_axis) in itertools.product(forms, self.caches(blocks, size, heads, rotary.head_dim, dtype)):
                    memory[:] = 7
                    want = memory.copy()
                    rows = numpy.full((blocks * size, heads, rotary.head_dim), 7, dtype)
                    for token, slot in enumerate(slots):
                        if slot >= 0:
                            rows[slot] = made[token]  # the later token wins
                    rows = rows.reshape(blocks, size, heads, rotary.head_dim)
                    rows = rows if slot_axis == -3 else rows.swapaxes(1, 2)
                    self.assertIs(rotary.rotate(k, positions=at, out=cache, slots=form, slot_axis=slot_axis), cache)
                    self.same(cache.copy(), rows.copy())
                    around = memory != want  # nothing but slots has changed
                    cache[:] = 7
                    self.same(memory, want)
                    self.assertEqual(int(around.sum()), int((rows != 7).sum()))
                    both = rotary.rotate(q, k.swapaxes(0, 1).copy().swapaxes(0, 1), angles=angles, out=[None, cache],
                                         slots=[None, form], slot_axis=slot_axis)
                    self.assertIs(both[1], cache)
                    self.same(cache.copy(), rows.copy())
                    self.same(both[0], rotary.rotate(q, positions=at))
                    cache[:] = 7
                    rotary.rotate(k.swapaxes(0, 1), positions=at, out=cache, slots=form, slot_axis=slot_axis, token_axis=-2)
                    self.same(cache.copy(), rows.copy())

    def test_one_of_each(self):
        """The strides of axes with one element do not matter."""
        for blocks, size, heads in itertools.product((1, 2), repeat=3):
            k = numbers(1, heads, 16)
            for slot_axis in -3, -2:
                cache = numpy.zeros((blocks, size, heads, 16) if slot_axis == -3 else (blocks, heads, size, 16), "float32")
                strides = [stride if count > 1 else 4 for count, stride in zip(cache.shape, cache.strides)]
                odd = numpy.lib.stride_tricks.as_strided(cache, cache.shape, [*strides[:3], 4])
                for its in cache, odd:
                    its[:] = 0
                    ROTARY.rotate(k, out=its, slots=[blocks * size - 1], slot_axis=slot_axis)
                    last = cache[-1, -1] if slot_axis == -3 else cache[-1, :, -1]
                    self.same(last.copy(), ROTARY.rotate(k)[0])
                    self.assertEqual(int((cache != 0).any(-1).sum()), heads)

    @unittest.skipIf(torch is None, "SKIPPED: python3-torch is not installed")
    def test_slots_of_tensors(self):
        """As a decode step does: several sequences, each with one token, into a cache of bfloat16."""
        q, k = torch.from_numpy(numbers(3, 8, 16)), torch.from_numpy(numbers(3, 2, 16, seed=2))
        at, slots = torch.tensor([100, 7, 4000]), torch.tensor([9, 4, 2])
        cache = torch.zeros(3, 2, 4, 16, dtype=torch.bfloat16)
        version = cache._version
        ROTARY.rotate(q, k, positions=at, out=[q, cache], slots=[None, slots], slot_axis=-2)
        self.assertGreater(cache._version, version)
        want = rounded(exact(ROTARY, k.numpy(), at.numpy()), "bfloat16")
        for token, slot in enumerate(slots.tolist()):
            self.same(cache[slot // 4, :, slot % 4], want[token])
        self.assertEqual(int(cache.any(-1).sum()), 6)
        self.same(q, rounded(exact(ROTARY, numbers(3, 8, 16), at.numpy()), "float32"))
        with self.assertRaisesRegex(ValueError, "q requires a gradient"):
            ROTARY.rotate(k.clone().requires_grad_(), positions=at, out=cache, slots=slots, slot_axis=-2)
        with self.assertRaisesRegex(RuntimeError, "torch.jit.trace is recording"):
            torch.jit.trace(lambda k: ROTARY.rotate(k, positions=at, out=cache, slots=slots, slot_axis=-2), k)

    def test_refusals(self):
        q, k, half = numbers(2, 3, 16), numbers(2, 2, 16), numbers(2, 3, 16, dtype="float16")
        out, other, cache = numpy.zeros((2, 3, 16), "float16"), numpy.zeros((2, 2, 16), "float16"), numpy.zeros((4, 5, 3, 16), "float16")
        first = numpy.zeros((4, 3, 5, 16), "float16")  # [blocks, heads, block_size, head_dim]
        batch, two = numpy.zeros((1, 2, 3, 16), "float32"), numbers(2, 2, 3, 16)
        rotate = ROTARY.rotate
        for error, sentence, call in (
                # Types.
                (TypeError, "dtype must be float16, the type of q: only float32 may become another type", lambda: rotate(half, dtype="float32")),
                (TypeError, "out must be float16, the type of q", lambda: rotate(half, out=q.copy())),
                (TypeError, "q must be of float32, bfloat16 or float16, not float64", lambda: rotate(q, dtype="float64")),
                (TypeError, "out must be of float32, bfloat16 or float16, not float64", lambda: rotate(q, out=q.astype("float64"))),
                (TypeError, "k must be of the same type as q", lambda: rotate(q, half, dtype="float16")),
                (TypeError, "dtype must be a dtype", lambda: rotate(q, dtype="floaty")),
                (ValueError, "dtype and out exclude each other", lambda: rotate(q, dtype="float16", out=out)),
                (ValueError, "dtype must be a list with an entry for each tensor, which may be None", lambda: rotate(q, k, dtype=["float16"])),
                (ValueError, "out must be a list with an entry for each tensor, which may be None", lambda: rotate(q, k, out=out)),
                (ValueError, "out must be a list with an entry for each tensor, which may be None", lambda: rotate(q, k, out=[out])),
                # `out`.
                (ValueError, "out must have the shape \\[2, 3, 16\\], not \\[2, 2, 16\\]", lambda: rotate(q, out=other)),
                (ValueError, "out\\[1\\] must have the shape \\[2, 2, 16\\], not \\[2, 3, 16\\]", lambda: rotate(q, k, out=[None, out])),
                (ValueError, "out must have at least 3 axes", lambda: rotate(q, out=out[0])),
                (ValueError, "out must have its columns next to each other", lambda: rotate(q, out=numpy.zeros((2, 3, 32), "float16")[..., ::2])),
                (TypeError, "out must be an array", lambda: rotate(q, out=[1.0])),
                (ValueError, "out is read-only", lambda: rotate(q, out=numpy.broadcast_to(out, out.shape))),
                (ValueError, "overlap", lambda: rotate(q, k, out=[out, out[:, 1:]])),
                (ValueError, "overlap", lambda: rotate(q, out=q.view("float16").reshape(2, 2, 3, 16)[0])),
                (TypeError, "unexpected keyword argument out", lambda: ROTARY.rotate_(q, out=out)),
                (TypeError, "unexpected keyword argument dtype", lambda: ROTARY.rotate_(q, dtype="float16")),
                (TypeError, "unexpected keyword argument slots", lambda: ROTARY.rotate_(q, slots=[1, 2])),
                (ValueError, "positions\\[1\\]: each position must be", lambda: rotate(q, out=out, positions=[1, 2**40])),
                # Factors.
                (ValueError, "factors must have the shape \\[2\\], not \\[3\\]", lambda: rotate(q, factors=[1, 2, 3])),
                (ValueError, "factors must have the shape \\[2\\] or \\[1, 2\\], not \\[2, 1\\]", lambda: rotate(batch, factors=[[1], [2]])),
                (ValueError, "factors\\[1\\] must have the shape \\[2\\], not \\[1\\]", lambda: rotate(q, k, factors=[None, [1]])),
                (ValueError, "factors must be a list with an entry for each tensor", lambda: rotate(q, k, factors=numpy.ones(2))),
                (TypeError, "factors has a type that posenc does not take", lambda: rotate(q, factors=["a", "b"])),
                (ValueError, "token_factors of a tensor must be 2.-64 .. 2.64", lambda: ROTARY.rotate_(q, factors=[1, 0])),
                (ValueError, "token_factors of a tensor must be 2.-64 .. 2.64", lambda: ROTARY.rotate_(q, factors=[1, float("nan")])),
                (ValueError, "token_factors of a tensor must be 2.-64 .. 2.64", lambda: ROTARY.rotate_(q, factors=[1e300, 1])),
                (ValueError, "token_factors of a tensor times its scale", lambda: ROTARY.rotate_(q, factors=[1, 2.0**40], scale=2.0**40)),
                (ValueError, "token_factors of a tensor must be 2.-64 .. 2.64",  # in the last sequence: the first is not written either
                 lambda: ROTARY.rotate_(two, positions=[[1, 2], [3, 4]], factors=[[1, 2], [3, 0]])),
                (ValueError, "token_factors of a tensor must be 2.-64 .. 2.64",
                 lambda: ROTARY.rotate_(two, angles=ROTARY.angles(positions=[[1, 2], [3, 4]]), factors=[[1, 2], [3, float("nan")]])),
                (ValueError, "token_factors of a tensor times its scale",
                 lambda: ROTARY.rotate_(two, first=[1, 2], factors=[[1, 2], [3, 2.0**40]], scale=2.0**40)),
                # Slots.
                (ValueError, "slots needs out, the cache with the slots", lambda: rotate(q, slots=[1, 2])),
                (ValueError, "slots\\[0\\] needs out\\[0\\], the cache", lambda: rotate(q, k, slots=[[1, 2], None], out=[None, other])),
                (ValueError, "slots must be a list with an entry for each tensor", lambda: rotate(q, k, slots=numpy.array([1, 2]), out=[cache, None])),
                (ValueError, "slots must have the shape \\[2\\], a slot for each token, not \\[3\\]", lambda: rotate(q, out=cache, slots=[1, 2, 3])),
                (TypeError, "slots must be integers, not float", lambda: rotate(q, out=cache, slots=[1.0, 2.0])),
                (ValueError, "slots\\[1\\]: each slot must be 0 .. count - 1, or -1", lambda: rotate(q, out=cache, slots=[19, 20])),
                (ValueError, "slots\\[0\\]: each slot must be 0 .. count - 1, or -1", lambda: rotate(q, out=cache, slots=[-2, 1])),
                (ValueError, "slots\\[1\\]\\[0\\]: each slot must be",
                 lambda: rotate(k, q, out=[None, cache], slots=[None, [99, 1]], angles=ROTARY.angles(2))),
                (ValueError, "positions\\[0\\]: each position must be", lambda: rotate(q, out=cache, slots=[1, 2], positions=[2**40, 1])),
                (ValueError, "^positions\\[0\\]: each position must be", lambda: rotate(q, out=cache, slots=[99, 1], positions=[2**40, 1])),
                (ValueError, "^first_token must be 0 or more", lambda: rotate(q, out=cache, slots=[99, 1], angles=ROTARY.angles(1))),
                (ValueError, "tokens from first on: the positions from", lambda: rotate(q, out=cache, slots=[1, 2], first=2**40)),
                (ValueError, "out must be \\[blocks, block_size, heads, head_dim\\] with slots; its shape is \\[2, 3, 16\\]",
                 lambda: rotate(q, out=out, slots=[1, 2])),
                (ValueError, "out must have 3 heads, as q, and has 5: its shape \\[4, 3, 5, 16\\] is read as \\[blocks, block_size, heads, "
                 "head_dim\\]; pass slot_axis=-2", lambda: rotate(q, out=first, slots=[1, 2])),
                (ValueError, "out must have 3 heads, as q, and has 5: its shape .* is read as \\[blocks, heads, block_size, head_dim\\]$",
                 lambda: rotate(q, out=cache, slots=[1, 2], slot_axis=-2)),
                (ValueError, "out must have 16 columns", lambda: rotate(q, out=cache[..., :8], slots=[1, 2])),
                (ValueError, "slot_axis must be -3, \\[blocks, block_size", lambda: rotate(q, out=cache, slots=[1, 2], slot_axis=1)),
                (ValueError, "q must have no batch beside slots: join its axes", lambda: rotate(batch, out=cache, slots=[1, 2])),
                (ValueError, "out: its strides must not be negative", lambda: rotate(q, out=cache[::-1], slots=[1, 2])),
                (ValueError, "block_stride of slots is too small", lambda: rotate(q, out=numpy.zeros((3, 4, 5, 16), "float16").swapaxes(0, 1), slots=[1, 2], slot_axis=-2)),
                (ValueError, "count of slots must be 1 ..", lambda: rotate(q, out=cache[:0], slots=[-1, -1])),
                (ValueError, "out is read-only", lambda: rotate(q, out=numpy.broadcast_to(cache, cache.shape), slots=[1, 2])),
                (TypeError, "out must be float16, the type of q", lambda: rotate(half, out=cache.astype("float32"), slots=[1, 2]))):
            written = q, k, out, other, cache, first, half, two
            before = [array.copy() for array in written]
            with self.subTest(sentence=sentence):
                with self.assertRaisesRegex(error, sentence):
                    call()
                for array, its in zip(written, before):
                    self.assertEqual(array.tobytes(), its.tobytes())


if __name__ == "__main__":
    unittest.main()
