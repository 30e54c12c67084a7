"""RMSNorm before a rotation: results are the real numbers, rounded to float32 and then rotated, with NumPy and torch; gradients
agree with torch's own; wrong norms are refused."""

import copy
import fractions
import io
import itertools
import math
import os
import pickle
import re
import subprocess
import sys
import unittest
import warnings

import numpy
import posenc

try:
    import torch
    import posenc.torch as pt
except ImportError:
    torch = None

ROTARIES = (posenc.Rotary(16), posenc.Rotary(24, rotary_dim=8, rotary_offset=4, amplitude=1.25),
            posenc.Rotary(16, pairing="neighbours", output_pairing="half_split", base=500.0))
ROTARY = ROTARIES[0]
KINDS = tuple(itertools.product((False, True), (False, True)))  # plus_one, over_heads


def numbers(*shape, seed=1, dtype="float32"):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)


def rounded_root(square):
    """The float32 that is nearest to the root of a fraction."""
    if not square:
        return 0.0
    top, bottom = square.numerator, square.denominator
    shift = max(0, 2 * 64 - top.bit_length() + bottom.bit_length() + 1) // 2 + 1
    root = math.isqrt((top << 2 * shift) // bottom)
    root = 2 * root + (root * root * bottom != top << 2 * shift)  # the last bit says whether bits are left out
    exponent = -shift - 1
    cut = max(root.bit_length() - 24, -149 - exponent)
    rest, root = root & (1 << cut) - 1, root >> cut
    root += rest > 1 << cut - 1 or rest == 1 << cut - 1 and root & 1
    return float(root) * 2.0 ** (exponent + cut)


def exact(x, weight, epsilon, plus_one=False, over_heads=False):
    """The norm of x [tokens, heads, head_dim], as float32. The weight is None, [head_dim] or [heads, head_dim]."""
    made = numpy.zeros(x.shape, "float32")
    weight = numpy.ones(x.shape[-1]) if weight is None else weight.astype("float64")
    weight = numpy.broadcast_to(weight, x.shape[1:])
    for t, token in enumerate(x.astype("float64")):
        squares = [sum(fractions.Fraction(float(a)) ** 2 for a in head) for head in token]
        count = x.shape[-1]
        if over_heads:
            squares, count = [sum(squares)] * len(squares), count * len(squares)
        for h, head in enumerate(token):
            bottom = squares[h] / count + fractions.Fraction(epsilon)
            for i, a in enumerate(head):
                factor = fractions.Fraction(float(weight[h, i])) + plus_one
                product = fractions.Fraction(float(a)) * factor
                sign = numpy.copysign(1.0, a) * (numpy.copysign(1.0, weight[h, i]) if factor == 0 and not plus_one else -1 if factor < 0 else 1)
                made[t, h, i] = sign * rounded_root(product**2 / bottom)
    return made


class Norms(unittest.TestCase):
    def same(self, made, want):
        if torch is not None and isinstance(made, torch.Tensor):
            made = made.float().numpy() if made.dtype == torch.bfloat16 else made.numpy()
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape))
        self.assertEqual(made.tobytes(), want.tobytes())

    def test_bits(self):
        """For all kinds of norms, types of weights and results."""
        at = numpy.array([0, 3, 131071, 77.5, -9])
        for rotary, (plus_one, over_heads), dtype in itertools.product(ROTARIES, KINDS, ("float32", "float16")):
            dim = rotary.head_dim
            q, k = numbers(5, 3, dim), numbers(5, 2, dim, seed=2) * 100
            weights = [numbers(3, dim, seed=3, dtype=dtype), numbers(2, dim, seed=4, dtype=dtype)]
            weights = weights if over_heads else [weight[0] for weight in weights]
            norms = [posenc.Norm(weight, epsilon, plus_one, over_heads) for weight, epsilon in zip(weights, (1e-6, 1e-5))]
            normed = [exact(x, *norm) for x, norm in zip((q, k), norms)]
            for made, x in zip(rotary.rotate(q, k, positions=at, norm=norms, scale=[0.5, 2]), normed):
                self.same(made, rotary.rotate(x, positions=at, scale=0.5 if x is normed[0] else 2))
            self.same(q, numbers(5, 3, dim))  # is only read
            self.same(rotary.rotate(q, positions=at, norm=norms[0], dtype="float16"), rotary.rotate(normed[0], positions=at, dtype="float16"))
            self.same(rotary.rotate(k, angles=rotary.angles(positions=at), norm=norms[1]), rotary.rotate(normed[1], positions=at))
            factors = numpy.float32([1, 2, 0.5, 1.25, 3])
            want = rotary.rotate(normed[0], positions=at, factors=factors)
            self.same(rotary.rotate(q, positions=at, norm=norms[0], factors=factors), want)
            one, other = rotary.rotate(q, k, positions=at, norm=[None, norms[1]])  # a norm for k only
            self.same(one, rotary.rotate(q, positions=at))
            self.same(other, rotary.rotate(normed[1], positions=at))
            in_place = q.copy()
            self.assertIs(rotary.rotate_(in_place, positions=at, norm=norms[0], inverse=True), in_place)
            self.same(in_place, rotary.rotate(normed[0], positions=at, inverse=True))
            heads_first = q.swapaxes(0, 1)
            self.same(rotary.rotate(heads_first, positions=at, norm=norms[0], token_axis=-2), rotary.rotate(normed[0], positions=at).swapaxes(0, 1).copy())
            if over_heads:  # a checkpoint has the weight as one list
                flat = posenc.Norm(weights[0].reshape(-1), 1e-6, plus_one, True)
                self.same(rotary.rotate(q, positions=at, norm=flat), rotary.rotate(normed[0], positions=at))
            elif not plus_one:
                ones = posenc.Norm(None, 1e-6)
                self.same(rotary.rotate(q, positions=at, norm=ones), rotary.rotate(exact(q, None, 1e-6), positions=at))

    def test_half(self):
        """A float16 tensor keeps its type."""
        for plus_one, over_heads in KINDS:
            q = numbers(4, 3, 16, dtype="float16")
            norm = posenc.Norm(numbers(3, 16, seed=3) if over_heads else numbers(16, seed=3), 1e-5, plus_one, over_heads)
            want = ROTARY.rotate(exact(q, *norm), dtype="float16")
            self.same(ROTARY.rotate(q, norm=norm), want)
            self.same(ROTARY.rotate_(q, norm=norm), want)

    def test_batches(self):
        """Sequences at positions of their own, or at the same ones: a norm sees one token at a time."""
        q, at = numbers(2, 5, 3, 16), numpy.arange(10).reshape(2, 5) * 7
        for over_heads in False, True:
            norm = posenc.Norm(numbers(3, 16, seed=3) if over_heads else numbers(16, seed=3), 1e-6, False, over_heads)
            normed = exact(q.reshape(10, 3, 16), *norm).reshape(q.shape)
            self.same(ROTARY.rotate(q, norm=norm), ROTARY.rotate(normed))
            self.same(ROTARY.rotate(q, positions=at, norm=norm), ROTARY.rotate(normed, positions=at))
            self.same(ROTARY.rotate(q, first=[3, 900], norm=norm), ROTARY.rotate(normed, first=[3, 900]))
            self.same(ROTARY.rotate(q, angles=ROTARY.angles(positions=at), norm=norm), ROTARY.rotate(normed, positions=at))

    def test_slots(self):
        k, slots = numbers(4, 2, 16), [9, -1, 0, 5]
        norm, cache, want = posenc.Norm(numbers(16, seed=3), 1e-6), numpy.zeros((3, 4, 2, 16), "float16"), numpy.zeros((3, 4, 2, 16), "float16")
        ROTARY.rotate(k, out=cache, slots=slots, norm=norm)
        ROTARY.rotate(exact(k, *norm), out=want, slots=slots)
        self.same(cache, want)

    def test_special_numbers(self):
        """Zeros, infinities and NaNs, as the header says."""
        still = posenc.Rotary(16, rotary_dim=2)  # elements 2 .. 15 do not rotate
        x, ones = numpy.ones((1, 1, 16), "float32"), numpy.ones(16, "float32")

        def normed(x, **more):
            return still.rotate(x, norm=posenc.Norm(**{"weight": ones, "epsilon": 0, **more}))[0, 0, 2:]

        self.assertTrue((normed(x) == 1).all())
        self.assertTrue((normed(x * numpy.float32(2**-149)) == 1).all())  # no square underflows
        self.assertTrue((normed(x * numpy.float32(2**127)) == 1).all())  # and none overflows
        self.assertTrue(numpy.isnan(normed(x * 0)).all())
        self.assertEqual(normed(-x * 0, epsilon=1e-6).tobytes(), numpy.full(14, -0.0, "float32").tobytes())
        self.assertEqual(normed(-x, weight=-ones, plus_one=True).tobytes(), numpy.full(14, -0.0, "float32").tobytes())
        large = x.copy()
        large[..., 5] = numpy.inf
        made = normed(large)
        self.assertTrue(numpy.isnan(made[3]) and (numpy.delete(made, 3) == 0).all())
        large[..., 5] = numpy.nan
        self.assertTrue(numpy.isnan(normed(large)).all())
        weight = ones.copy()
        weight[7:9] = numpy.inf, numpy.nan
        made = normed(x, weight=weight)
        self.assertTrue(made[5] == numpy.inf and numpy.isnan(made[6]) and (numpy.delete(made, (5, 6)) == 1).all())

    def test_objects(self):
        """A Norm is a tuple. It keeps its weight, which each call reads anew."""
        weight = numpy.ones(16, "float32")
        norm = posenc.Norm(weight, 1e-6)
        self.assertIs(norm.weight, weight)
        self.assertEqual(norm[1:], (1e-6, False, False))
        again = pickle.loads(pickle.dumps(norm._replace(plus_one=True)))
        self.assertEqual((type(again), again[1:]), (posenc.Norm, (1e-6, True, False)))
        self.assertIs(copy.copy(norm).weight, weight)
        q = numbers(2, 3, 16)
        before = ROTARY.rotate(q, norm=norm)
        weight *= 2
        self.same(ROTARY.rotate(q, norm=norm), ROTARY.rotate(q, norm=posenc.Norm(weight.copy(), 1e-6)))
        self.assertTrue((ROTARY.rotate(q, norm=norm)[0] == 2 * before[0]).all())  # at position 0 nothing is rounded
        self.same(ROTARY.rotate(q, norm=posenc.Norm(weight, numpy.float64(1e-6))), ROTARY.rotate(q, norm=norm))

    def test_refusals(self):
        q, k, batch, weight = numbers(2, 3, 16), numbers(2, 2, 16), numbers(2, 2, 3, 16), numpy.ones(16, "float32")
        wide, rows = posenc.Rotary(32768, rotary_dim=64), numpy.ones((3, 16), "float32")
        norm = posenc.Norm(weight, 1e-6)
        rotate_, many = ROTARY.rotate_, numpy.zeros((1, 3, 32768), "float32")
        for error, sentence, call in (
                (TypeError, "norm must be a posenc.Norm, not float", lambda: rotate_(q, norm=1e-6)),
                (TypeError, "norm must be a posenc.Norm, not tuple", lambda: rotate_(q, norm=(weight, 1e-6, False, False))),
                (TypeError, "norm\\[1\\] must be a posenc.Norm, not numpy.ndarray", lambda: rotate_(q, k, norm=[norm, weight])),
                (ValueError, "norm must be a list with an entry for each tensor, which may be None", lambda: rotate_(q, k, norm=norm)),
                (ValueError, "norm must be a list with an entry for each tensor, which may be None", lambda: rotate_(q, k, norm=[norm])),
                (TypeError, "missing 1 required positional argument", lambda: posenc.Norm(weight)),
                (TypeError, "norm.epsilon must be a number, not str", lambda: rotate_(q, norm=posenc.Norm(weight, "1e-6"))),
                (TypeError, "norm.epsilon", lambda: rotate_(q, norm=posenc.Norm(weight, None))),
                (TypeError, "norm.plus_one must be", lambda: rotate_(q, norm=posenc.Norm(weight, 1e-6, 1))),
                (TypeError, "norm.over_heads must be", lambda: rotate_(q, norm=posenc.Norm(weight, 1e-6, False, None))),
                (TypeError, "norm.weight must be an array", lambda: rotate_(q, norm=posenc.Norm([1.0] * 16, 1e-6))),
                (TypeError, "norm.weight must be of float32, bfloat16 or float16, not float64", lambda: rotate_(q, norm=posenc.Norm(numpy.ones(16), 1e-6))),
                (TypeError, "norm\\[0\\].weight must be of float32, bfloat16 or float16, not int64",
                 lambda: rotate_(q, k, norm=[posenc.Norm(numpy.ones(16, "int64"), 1e-6), None])),
                (ValueError, "norm.weight must have the shape \\[16\\], not \\[8\\]", lambda: rotate_(q, norm=posenc.Norm(weight[:8], 1e-6))),
                (ValueError, "norm.weight must have the shape \\[16\\], not \\[3, 16\\]", lambda: rotate_(q, norm=posenc.Norm(rows, 1e-6))),
                (ValueError, "norm\\[1\\].weight must have the shape \\[2, 16\\] or \\[32\\] with over_heads, not \\[3, 16\\]",
                 lambda: rotate_(q, k, norm=[None, posenc.Norm(rows, 1e-6, False, True)])),
                (ValueError, "norm.weight must be contiguous", lambda: rotate_(q, norm=posenc.Norm(numpy.ones(32, "float32")[::2], 1e-6))),
                (ValueError, "norm.epsilon must be 0, or 2\\^-126 .. 1, not -1e-06", lambda: rotate_(q, norm=posenc.Norm(weight, -1e-6))),
                (ValueError, "norm\\[1\\].epsilon must be 0, or 2\\^-126 .. 1, not 5",
                 lambda: rotate_(q, k, norm=[norm, posenc.Norm(weight, 5)])),
                (ValueError, "epsilon", lambda: rotate_(q, norm=posenc.Norm(weight, 2.0**-127))),
                (ValueError, "epsilon", lambda: rotate_(q, norm=posenc.Norm(weight, 1.5))),
                (ValueError, "epsilon", lambda: rotate_(q, norm=posenc.Norm(weight, float("nan")))),
                (ValueError, "epsilon", lambda: rotate_(batch, positions=[[1, 2], [3, 4]], norm=posenc.Norm(weight, 2.0))),
                (ValueError, "epsilon", lambda: rotate_(batch, angles=ROTARY.angles(positions=[[1, 2], [3, 4]]), norm=posenc.Norm(weight, 2.0))),
                (ValueError, "norm.plus_one needs norm.weight", lambda: rotate_(q, norm=posenc.Norm(None, 1e-6, True))),
                (ValueError, "65536|65,536", lambda: wide.rotate_(many, norm=posenc.Norm(None, 1e-6, False, True))),
                (ValueError, "overlap", lambda: rotate_(q, norm=posenc.Norm(q[1, 1], 1e-6))),
                (TypeError, "unexpected keyword argument norms", lambda: rotate_(q, norms=norm))):
            before = [array.copy() for array in (q, k, batch, weight, many)]
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                call()
            for array, its in zip((q, k, batch, weight, many), before):
                self.assertEqual(array.tobytes(), its.tobytes(), sentence)


@unittest.skipIf(torch is None, "SKIPPED: python3-torch is not installed")
class OfTorch(unittest.TestCase):
    AT = torch.tensor([[0, 1, 7, 100, 4095], [3, -2, 2, 131071, 9]]) if torch else None

    def same(self, made, want):
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape))
        self.assertTrue(torch.equal(made, want))

    def tensors(self, rotary, dtype, over_heads=False, heads=3, **options):
        """q, k and the weights for both."""
        made = [torch.from_numpy(numbers(2, 5, n, rotary.head_dim, seed=n)).to(dtype) for n in (heads, 1)]
        made += [torch.from_numpy(numbers(*([n] if over_heads else []), rotary.head_dim, seed=10 + n)).to(dtype) for n in (heads, 1)]
        return [tensor.requires_grad_(**options) for tensor in made] if options else made

    def call(self, rotary, plus_one, over_heads, axis=-3, positions=AT, **more):
        """A function of q, k and two weights, that calls pt.rotate."""
        def of(q, k, *weights):
            norm = [posenc.Norm(weight, epsilon, plus_one, over_heads) for weight, epsilon in zip(weights, (1e-6, 1e-5))]
            return pt.rotate([q, k], rotary, positions, token_axis=axis, norm=norm, **more)
        return of

    def reference(self, rotary, plus_one, over_heads, axis=-3, positions=AT):
        """The same with torch's own operators, and posenc's rotation."""
        def of(q, k, *weights):
            made = []
            for x, weight, epsilon in zip((q, k), weights, (1e-6, 1e-5)):
                axes = (-5 - axis, -1) if over_heads else (-1,)
                factors = 1 + weight if plus_one else weight
                if over_heads:
                    factors = factors.reshape(x.shape[-5 - axis], x.shape[-1])
                    factors = factors if axis == -3 else factors[:, None]
                made.append(x * (x.square().mean(axes, keepdim=True) + epsilon).rsqrt() * factors)
            return pt.rotate(made, rotary, positions, token_axis=axis)
        return of

    def test_bits(self):
        """The same bits as Rotary.rotate, directly, with a gradient, through the operator, and in place."""
        for rotary, (plus_one, over_heads), dtype, heads in itertools.product(
                ROTARIES, KINDS, (torch.float32, torch.float16, torch.bfloat16), (3, 400)):
            given = self.tensors(rotary, dtype, over_heads, heads)
            norms = [posenc.Norm(weight, epsilon, plus_one, over_heads) for weight, epsilon in zip(given[2:], (1e-6, 1e-5))]
            want = rotary.rotate(*given[:2], positions=self.AT, norm=norms)
            call = self.call(rotary, plus_one, over_heads)
            for leaves in given, [tensor.clone().requires_grad_() for tensor in given]:
                for made, right in zip(call(*leaves), want):
                    self.same(made.detach(), right)
                    self.assertEqual(made.requires_grad, leaves is not given)
            kinds = [int(plus_one) + 2 * int(over_heads)] * 2
            for made, right in zip(torch.ops.posenc.norm_rotate(given, [1e-6, 1e-5], kinds, pt.spec(rotary), self.AT, 0, 1.0, False, -3), want):
                self.same(made, right)
            in_place = [tensor.clone() for tensor in given[:2]]
            version = in_place[0]._version
            self.assertIs(pt.rotate_(in_place, rotary, self.AT, norm=norms), in_place)
            self.assertGreater(in_place[0]._version, version)
            for made, right in zip(in_place, want):
                self.same(made, right)
            turned = [tensor.transpose(1, 2) for tensor in given[:2]]
            for made, right in zip(self.call(rotary, plus_one, over_heads, -2)(*turned, *given[2:]), want):
                self.same(made, right.transpose(1, 2))
            step = [tensor[:1, :1].contiguous() for tensor in given[:2]]  # a decode step, which is computed eagerly
            for made, right in zip(self.call(rotary, plus_one, over_heads, positions=None, first=77)(*step, *given[2:]),
                                   rotary.rotate(*step, first=77, norm=norms)):
                self.same(made, right)

    def test_some(self):
        """A norm for one of several tensors, and norms without weights."""
        q, k, weight, _ = self.tensors(ROTARY, torch.float32)
        norm, bare = posenc.Norm(weight, 1e-6), posenc.Norm(None, 1e-6)
        for grad in False, True:
            own = [tensor.clone().requires_grad_(grad) for tensor in (q, k)]
            for norms in ([norm, None], [None, norm], [bare, None], [bare, norm], [None, None], None):
                want = ROTARY.rotate(q, k, positions=self.AT, norm=norms)
                for made, right in zip(pt.rotate(own, ROTARY, self.AT, norm=norms), want):
                    self.same(made.detach(), right)
        double = pt.rotate([q.double()], ROTARY, self.AT, norm=[norm])[0]
        self.assertEqual(double.dtype, torch.float64)
        self.assertLess((double - pt.rotate([q], ROTARY, self.AT, norm=[norm])[0]).abs().max().item(), 2e-6)

    def test_angles(self):
        for over_heads in False, True:
            given = self.tensors(ROTARY, torch.float32, over_heads)
            angles = ROTARY.angles(positions=self.AT)
            want = self.call(ROTARY, False, over_heads)(*given)
            for leaves in given, [tensor.clone().requires_grad_() for tensor in given]:
                for made, right in zip(self.call(ROTARY, False, over_heads, positions=None, angles=angles)(*leaves), want):
                    self.same(made.detach(), right)

    def test_gradients(self):
        """Gradients for tensors and weights agree with finite differences in double, and float32 agrees with double."""
        for rotary, (plus_one, over_heads), axis in itertools.product(ROTARIES, KINDS, (-3, -2)):
            given = self.tensors(rotary, torch.float64, over_heads)
            if axis == -2:
                given[:2] = [tensor.transpose(1, 2).contiguous() for tensor in given[:2]]
            leaves = [tensor.requires_grad_() for tensor in given]
            call, reference = self.call(rotary, plus_one, over_heads, axis), self.reference(rotary, plus_one, over_heads, axis)
            self.assertTrue(torch.autograd.gradcheck(call, leaves, fast_mode=True))
            own = [tensor.detach().float().requires_grad_() for tensor in leaves]
            made, want = call(*own), reference(*leaves)
            directions = [torch.from_numpy(numbers(*one.shape, seed=9)) for one in made]
            made = torch.autograd.grad(made, own, directions)
            want = torch.autograd.grad(want, leaves, [one.double() for one in directions])
            for one, other, leaf in zip(made, want, own):
                self.assertEqual((one.dtype, one.shape), (torch.float32, leaf.shape))
                self.assertLess(((one - other).abs() / other.abs().max()).max().item(), 1e-6)

    def test_second(self):
        for plus_one, over_heads in KINDS:
            given = [tensor.requires_grad_() for tensor in self.tensors(ROTARY, torch.float64, over_heads, heads=2)]
            given[:2] = [tensor[:1, :2].detach().requires_grad_() for tensor in given[:2]]
            call = self.call(ROTARY, plus_one, over_heads, positions=self.AT[0, :2])
            self.assertTrue(torch.autograd.gradgradcheck(call, given, fast_mode=True))

    def test_short_types(self):
        """Gradients of 16-bit tensors are computed in float32, and rounded once."""
        for dtype in torch.bfloat16, torch.float16:
            given = self.tensors(ROTARY, dtype, requires_grad=True)
            doubles = [tensor.detach().double().requires_grad_() for tensor in given]
            made, want = self.call(ROTARY, False, False)(*given), self.reference(ROTARY, False, False)(*doubles)
            directions = [torch.from_numpy(numbers(*one.shape, seed=9)).to(dtype) for one in made]
            made = torch.autograd.grad(made, given, directions)
            want = torch.autograd.grad(want, doubles, [one.double() for one in directions])
            for one, other in zip(made, want):
                self.assertEqual(one.dtype, dtype)
                self.assertLess(((one.double() - other).abs() / other.abs().max()).max().item(), torch.finfo(dtype).eps)

    def test_what_needs_none(self):
        q, k, weight, other = self.tensors(ROTARY, torch.float32)
        for frozen in itertools.product((False, True), repeat=4):
            if all(frozen):
                continue
            leaves = [tensor.detach().clone().requires_grad_(not its) for tensor, its in zip((q, k, weight, other), frozen)]
            sum(one.pow(3).sum() for one in self.call(ROTARY, True, False)(*leaves)).backward()
            self.assertEqual(tuple(leaf.grad is None for leaf in leaves), frozen)
        leaves = [tensor.detach().clone().requires_grad_() for tensor in (q, k, weight, other)]
        self.call(ROTARY, False, False)(*leaves)[0].sum().backward()  # the loss does not use k
        self.assertEqual([leaf.grad is None for leaf in leaves], [False, True, False, True])

    def test_tangents(self):
        from torch.autograd import forward_ad

        for (plus_one, over_heads), which in itertools.product(KINDS, ((0,), (2,), (1, 3), (0, 1, 2, 3))):
            given = self.tensors(ROTARY, torch.float64, over_heads)
            tangents = [torch.from_numpy(numbers(*tensor.shape, seed=20 + i)).double() for i, tensor in enumerate(given)]
            results = []
            for call in self.call(ROTARY, plus_one, over_heads), self.reference(ROTARY, plus_one, over_heads):
                with forward_ad.dual_level():
                    dual = [forward_ad.make_dual(x, t) if i in which else x for i, (x, t) in enumerate(zip(given, tangents))]
                    made = [forward_ad.unpack_dual(one) for one in call(*dual)]
                results.append([torch.zeros_like(one.primal) if one.tangent is None else one.tangent for one in made])
            for one, other in zip(*results):
                self.assertLess((one - other).abs().max().item(), 1e-12)

    def test_in_place_with_a_gradient(self):
        given = self.tensors(ROTARY, torch.float32, requires_grad=True)
        norm = [posenc.Norm(given[2], 1e-6), posenc.Norm(given[3], 1e-5)]
        copies = [given[0] * 1, given[1] * 1]
        made = pt.rotate_(copies, ROTARY, self.AT, norm=norm)
        want = pt.rotate(given[:2], ROTARY, self.AT, norm=norm)
        for one, other in zip(made, want):
            self.same(one.detach(), other.detach())
        for one, other in zip(*(torch.autograd.grad([t.pow(2).sum() for t in all_], given) for all_ in (made, want))):
            self.assertTrue(torch.allclose(one, other, atol=1e-6))
        with self.assertRaisesRegex(RuntimeError, "leaf Variable|leaf variable"):
            pt.rotate_([given[0]], ROTARY, self.AT, norm=norm[:1])

    def test_graphs(self):
        """Traces and compiled graphs have the bits and the gradients of eager calls."""
        from torch.fx.experimental.proxy_tensor import make_fx

        spec = pt.spec(ROTARY)
        given = self.tensors(ROTARY, torch.float32)

        def call(q, k, weight, other):
            norm = [posenc.Norm(weight * 2, 1e-6, True), posenc.Norm(other, 1e-5, True)]
            return torch.cat(pt.rotate([q * 2, k], spec, None, 3, norm=norm), 2) * 3

        def gradients(of):
            leaves = [tensor.clone().requires_grad_() for tensor in given]
            made = of(*leaves)
            return [made.detach(), *torch.autograd.grad(made.pow(2).sum(), leaves)]

        traced = torch.jit.trace(call, given)
        self.assertIn("posenc::norm_rotate", str(traced.graph))
        file = io.BytesIO()
        torch.jit.save(traced, file)
        file.seek(0)
        graphs = [traced, torch.jit.load(file), make_fx(call)(*given), make_fx(call, tracing_mode="fake")(*given)]
        if hasattr(torch, "compile"):
            for backend, dynamic in itertools.product(("eager", "aot_eager"), (False, True)):
                torch._dynamo.reset()
                graphs.append(torch.compile(call, backend=backend, fullgraph=True, dynamic=dynamic))
        want = gradients(call)
        for graph in graphs:
            self.same(graph(*given), want[0])
            for one, other in zip(gradients(graph), want):
                self.assertTrue(torch.allclose(one, other, rtol=1e-5, atol=1e-5 * other.abs().max().item()))
        meta, real = call(*(tensor.to("meta") for tensor in given)), call(*given)
        self.assertEqual((meta.shape, meta.stride(), meta.dtype), (real.shape, real.stride(), real.dtype))

    def test_vmap(self):
        if not hasattr(torch, "func"):
            self.skipTest("SKIPPED: torch without torch.func")
        for over_heads in False, True:
            given = [torch.stack([tensor, tensor * 2 + 1]) for tensor in self.tensors(ROTARY, torch.float32, over_heads)]
            call = self.call(ROTARY, False, over_heads)
            want = [torch.stack(all_) for all_ in zip(*(call(*(tensor[i] for tensor in given)) for i in range(2)))]
            for made, right in zip(torch.func.vmap(call)(*given), want):
                self.same(made, right)
            one = [tensor[0] for tensor in given]
            made = torch.func.vmap(lambda q: call(q, *one[1:])[0])(given[0])
            self.same(made, torch.stack([call(q, *one[1:])[0] for q in given[0]]))
            made = torch.func.grad(lambda w: call(*one[:2], w, one[3])[0].pow(2).sum())(one[2])
            leaf = one[2].clone().requires_grad_()
            want_grad, = torch.autograd.grad(call(*one[:2], leaf, one[3])[0].pow(2).sum(), leaf)
            self.assertTrue(torch.allclose(made, want_grad, rtol=1e-5))

    def test_refusals(self):
        q, k, weight, _ = self.tensors(ROTARY, torch.float32)
        norm = posenc.Norm(weight, 1e-6)
        for error, sentence, given in (
                (TypeError, "norm must be a list with a posenc.Norm, or None, for each tensor", norm),
                (TypeError, "norm must be a list with a posenc.Norm, or None, for each tensor", [norm]),
                (TypeError, "norm must be a list with a posenc.Norm, or None, for each tensor", [norm, weight]),
                (TypeError, "the weight of a norm must be a tensor or None, not <class 'numpy.ndarray'>", [norm, posenc.Norm(weight.numpy(), 1e-6)]),
                (RuntimeError, "plus_one of a norm needs a weight", [posenc.Norm(None, 1e-6, True), None]),
                (RuntimeError, "epsilon", [posenc.Norm(weight, 2.0), norm]),
                (RuntimeError, "must have the shape", [posenc.Norm(weight[:8], 1e-6), norm]),
                (RuntimeError, "must have the shape", [None, posenc.Norm(weight, 1e-6, False, True)._replace(weight=torch.ones(3, 16))]),
                (RuntimeError, "must be of float32, bfloat16 or float16", [posenc.Norm(weight.double(), 1e-6), norm]),
                (RuntimeError, "must be of float32, bfloat16 or float16", [posenc.Norm(torch.ones(16, dtype=torch.int64), 1e-6), None])):
            for grad in False, True:
                tensors = [tensor.clone().requires_grad_(grad) for tensor in (q, k)]
                with self.subTest(sentence, grad=grad), self.assertRaisesRegex(error, sentence):
                    pt.rotate(tensors, ROTARY, self.AT, norm=given)
                tensors = [tensor * 1 for tensor in tensors]
                with self.subTest(sentence, grad=grad), self.assertRaisesRegex(error, sentence):
                    pt.rotate_(tensors, ROTARY, self.AT, norm=given)
                self.same(tensors[0].detach(), q)
        for call in ROTARY.rotate, ROTARY.rotate_:  # posenc's own calls record no gradients
            with self.assertRaisesRegex(ValueError, "norm.weight requires a gradient"):
                call(q.clone(), positions=self.AT, norm=posenc.Norm(weight.clone().requires_grad_(), 1e-6))


@unittest.skipIf(torch is None, "SKIPPED: python3-torch is not installed")
class Modules(unittest.TestCase):
    """NormedRotation in place of the modules of a model."""

    class Llama(torch.nn.Module if torch else object):
        """As in Llama and Qwen3."""

        def __init__(self, count, epsilon=1e-6):
            super().__init__()
            self.weight, self.variance_epsilon = torch.nn.Parameter(torch.from_numpy(numbers(count, seed=3))), epsilon

        def forward(self, x):
            own = x.float()
            own = own * torch.rsqrt(own.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
            return self.weight * own.to(x.dtype)

    class Gemma(torch.nn.Module if torch else object):
        def __init__(self, count, epsilon=1e-6):
            super().__init__()
            self.weight, self.eps = torch.nn.Parameter(torch.from_numpy(numbers(count, seed=4))), epsilon

        def forward(self, x):
            own = x.float()
            own = own * torch.rsqrt(own.pow(2).mean(-1, keepdim=True) + self.eps)
            return (own * (1.0 + self.weight.float())).type_as(x)

    def test_kinds(self):
        """The module finds out what q_norm and k_norm compute."""
        q, k = torch.from_numpy(numbers(2, 3, 5, 16)), torch.from_numpy(numbers(2, 1, 5, 16, seed=2))
        at, rotary = torch.arange(10).view(2, 5) * 9, pt.RotaryEmbedding(ROTARY)
        for kind, over_heads in itertools.product((self.Llama, self.Gemma), (False, True)):
            norms = [kind(16 * x.shape[1] if over_heads else 16) for x in (q, k)]
            module = pt.NormedRotation(ROTARY, *norms)
            made = module(q, k, at)
            normed = []
            for x, norm in zip((q, k), norms):
                flat = x.transpose(1, 2).flatten(2) if over_heads else x
                x = norm(flat).view(2, 5, -1, 16).transpose(1, 2) if over_heads else norm(flat)
                normed.append(x)
            for one, other in zip(made, rotary.rotate(*normed, at)):
                self.assertLess((one - other).abs().max().item(), 3e-6)
                self.assertTrue(one.requires_grad)
            self.assertEqual(list(module.state_dict()), ["q_norm.weight", "k_norm.weight"])
            with torch.no_grad():
                for one, other in zip(module(q, k, module.angles(at)), made):
                    self.assertTrue(torch.equal(one, other))
            for one, other in zip(pt.NormedRotation(rotary, *norms, plus_one=kind is self.Gemma)(q, k, at), made):
                self.assertTrue(torch.equal(one, other))
            gradients = torch.autograd.grad(sum(one.pow(2).sum() for one in made), [norm.weight for norm in norms])
            want = torch.autograd.grad(sum(one.pow(2).sum() for one in rotary.rotate(*normed, at)), [norm.weight for norm in norms])
            for one, other in zip(gradients, want):
                self.assertTrue(torch.allclose(one, other, rtol=1e-4, atol=1e-4))

    def test_a_weight_that_is_replaced(self):
        """The module reads weights in each call, so optimizers, checkpoints and conversions of types do what they should."""
        q, k, at = torch.from_numpy(numbers(1, 3, 1, 16)), torch.from_numpy(numbers(1, 1, 1, 16)), torch.tensor([7])
        module = pt.NormedRotation(ROTARY, self.Llama(16), self.Llama(16))
        module.load_state_dict({"q_norm.weight": torch.ones(16), "k_norm.weight": torch.full((16,), 2.0)})
        with torch.no_grad():
            for dtype in torch.float32, torch.bfloat16:
                module.to(dtype)
                own = [q.to(dtype), k.to(dtype)]
                norm = [posenc.Norm(torch.full((16,), its), 1e-6) for its in (1.0, 2.0)]
                for one, other in zip(module(*own, at), pt.rotate(own, ROTARY, at, token_axis=-2, norm=norm)):
                    self.assertTrue(torch.equal(one, other))

    def test_compiled(self):
        if not hasattr(torch, "compile"):
            self.skipTest("SKIPPED: torch without compile")
        module = pt.NormedRotation(ROTARY, self.Llama(16), self.Gemma(16), plus_one=False)
        q, k, at = torch.from_numpy(numbers(1, 3, 5, 16)), torch.from_numpy(numbers(1, 1, 5, 16)), torch.arange(5)
        for backend in "eager", "aot_eager":
            torch._dynamo.reset()
            for one, other in zip(torch.compile(module, backend=backend, fullgraph=True)(q, k, at), module(q, k, at)):
                self.assertTrue(torch.equal(one, other))

    def test_traced(self):
        module = pt.NormedRotation(ROTARY, self.Llama(16), self.Llama(16)).eval()
        q, k, at = torch.from_numpy(numbers(1, 3, 5, 16)), torch.from_numpy(numbers(1, 1, 5, 16)), torch.arange(5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            traced = torch.jit.trace(module, (q, k, at))
        more = torch.from_numpy(numbers(1, 3, 9, 16)), torch.from_numpy(numbers(1, 1, 9, 16)), torch.arange(9) + 3
        for one, other in zip(traced(*more), module(*more)):
            self.assertTrue(torch.equal(one, other))

    def test_example(self):
        """docs/examples/qwen3_layer.py prints what its comments say."""
        path = os.path.join(os.path.dirname(__file__), "../../../docs/examples/qwen3_layer.py")
        printed = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True).stdout
        with open(path) as file:
            self.assertEqual(printed.splitlines(), re.findall("# prints: (.*)", file.read()))

    def test_refusals(self):
        layer_norm, bare = torch.nn.LayerNorm(16), torch.nn.Identity()
        odd = self.Llama(16)
        odd.forward = lambda x: x
        lacking = self.Llama(16)
        lacking.variance_epsilon = None
        negative, absent = self.Llama(16), self.Llama(16).to("meta")
        negative.variance_epsilon = -1e-6
        for sentence, norm in (
                ("q_norm has the epsilon -1e-06, but epsilon must be 0, or 2\\^-126 .. 1", negative),
                ("q_norm is on the device meta. Move it to the CPU, or pass plus_one", absent),
                ("q_norm must be an RMSNorm: a module with a weight, which may be None, and without a bias", layer_norm),
                ("q_norm must be an RMSNorm: a module with a weight, which may be None, and without a bias", bare),
                ("q_norm must have an epsilon that is a number: variance_epsilon, eps, epsilon", lacking),
                ("q_norm has 24 weights, which is not a multiple of head_dim 16", self.Llama(24)),
                ("q_norm is not an RMSNorm: it does not compute x . weight", odd)):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                pt.NormedRotation(ROTARY, norm, self.Llama(16))
        with self.assertRaisesRegex(ValueError, "k_norm is not an RMSNorm"):
            pt.NormedRotation(ROTARY, self.Llama(16), odd)


if __name__ == "__main__":
    unittest.main()
