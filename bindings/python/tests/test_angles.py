"""Angles: rotating by them has the bits of rotating at their positions, with NumPy and torch; wrong uses are refused."""

import copy
import gc
import itertools
import pickle
import threading
import time
import unittest
import warnings

import numpy
import posenc

try:
    import torch
    import posenc.torch as pt
except ImportError:
    torch = None

ROTARIES = (posenc.Rotary(16), posenc.Rotary(16, arithmetic="fast"), posenc.Rotary(16, axes=2, sections=[3, 5]),
            posenc.Rotary(24, rotary_dim=8, rotary_offset=4, pairing="neighbours", output_pairing="half_split", amplitude=1.25))
ROTARY = ROTARIES[0]


def numbers(*shape, seed=1, dtype="float32"):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)


class Angles(unittest.TestCase):
    def same(self, made, want):
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape))
        self.assertEqual(made.tobytes(), want.tobytes())

    def test_bits(self):
        """For runs, lists and several sequences, of all types, from any token on."""
        for rotary, dtype in itertools.product(ROTARIES, ("float32", "float16")):
            q, k = numbers(2, 5, 3, rotary.head_dim, dtype=dtype), numbers(2, 5, 1, rotary.head_dim, seed=2, dtype=dtype)
            run = rotary.angles(9, first=1000)
            for first_token in 0, 1, 4:
                want = rotary.rotate(q, k, first=1000 + first_token, scale=[0.5, 2.0])
                made = rotary.rotate(q, k, angles=run, first_token=first_token, scale=[0.5, 2.0])
                for one, other in zip(made, want):
                    self.same(one, other)
                in_place = q.copy()
                self.assertIs(rotary.rotate_(in_place, angles=run, first_token=first_token, inverse=True), in_place)
                self.same(in_place, rotary.rotate(q, first=1000 + first_token, inverse=True))
            each = numpy.arange(2 * 8).reshape(2, 8) * 10.5 - 7  # sequences of 8 tokens, at other positions each
            if rotary.axes == 2:
                each = numpy.stack([each, each[::-1] * 3])
            for positions in each, each.astype("float32"), each.tolist(), (2 * each).astype("int32"):
                angles = rotary.angles(positions=positions)
                positions = numpy.asarray(positions)
                for first_token in 0, 3:
                    want = rotary.rotate(q, k, positions=positions[..., first_token:first_token + 5])
                    for one, other in zip(rotary.rotate(q, k, angles=angles, first_token=first_token), want):
                        self.same(one, other)
                    made = rotary.rotate(q.swapaxes(1, 2), angles=angles, first_token=first_token, token_axis=-2)
                    self.same(made.swapaxes(1, 2), want[0])
            firsts = rotary.angles(5, first=[7, 2**31 - 5])
            self.same(rotary.rotate(q, angles=firsts), rotary.rotate(q, first=[7, 2**31 - 5]))

    def test_empty(self):
        angles = ROTARY.angles(0)
        self.assertEqual(ROTARY.rotate(numbers(0, 3, 16), angles=angles).shape, (0, 3, 16))
        self.assertEqual(ROTARY.rotate(numbers(2, 0, 3, 16), angles=ROTARY.angles(positions=numpy.zeros((2, 7)))).shape, (2, 0, 3, 16))
        self.assertEqual(angles.positions.shape, (0,))

    def test_positions(self):
        """A copy of the positions; what the caller does to the array afterwards changes nothing."""
        for rotary, lead in (ROTARY, ()), (ROTARIES[2], (2,)):
            made = rotary.angles(3, first=-1).positions
            self.same(made, numpy.broadcast_to(numpy.arange(-1, 2), (*lead, 3)))
            for kind, its in ("int32", "int64"), ("int64", "int64"), ("float32", "float64"), ("float64", "float64"), ("float16", "float64"):
                given = numpy.arange(24).astype(kind).reshape(2, 12)[:, ::2] / numpy.array(1, kind)
                given = given.astype(kind)
                angles, q = rotary.angles(positions=given), numbers(*given.shape[1 if lead else 0:], 2, 16)
                want, kept = rotary.rotate(q, positions=given), given.astype(its)
                given[:] = 77
                self.same(angles.positions, kept)
                self.same(rotary.rotate(q, angles=angles), want)

    def test_the_rotary_lives(self):
        """Angles keep their Rotary alive, and a Rotary that is gone leaves no angles behind that another one would take."""
        q = numbers(2, 3, 16)
        want = posenc.Rotary(16, base=77.0).rotate(q, first=5)
        angles = posenc.Rotary(16, base=77.0).angles(2, first=5)
        gc.collect()
        others = [posenc.Rotary(16, base=78.0) for _ in range(100)]  # would take freed memory
        self.same(angles.rotary.rotate(q, angles=angles), want)
        self.assertEqual(angles.rotary.spec, "head_dim=16 base=77")
        for other in others:
            self.assertRaisesRegex(ValueError, "another rotary", other.rotate, q, angles=angles)

    def test_objects(self):
        angles = ROTARY.angles(positions=[[1, 2], [3, 4]])
        self.assertIs(angles.rotary, ROTARY)
        self.assertIs(copy.deepcopy(angles), angles)
        self.assertEqual(repr(angles), "<posenc.Angles of tokens [2, 2]>")
        self.assertRaisesRegex(TypeError, "cannot be pickled", pickle.dumps, angles)
        self.assertRaises(TypeError, posenc.Angles)
        self.assertRaises(AttributeError, setattr, angles, "rotary", ROTARY)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for use in (lambda new: ROTARY.rotate(numbers(2, 1, 16), angles=new)), (lambda new: new.positions), repr:
                self.assertRaises(TypeError, use, posenc.Angles.__new__(posenc.Angles))

    def test_refusals(self):
        q, two, axes, batch = numbers(2, 3, 16), ROTARY.angles(2), ROTARIES[2], numbers(2, 2, 1, 16)
        twin = posenc.Rotary.from_spec(ROTARY.spec)
        for error, sentence, call in (
                (ValueError, "these angles were made with another rotary", lambda: twin.rotate_(q, angles=two)),
                (ValueError, "first_token must be 0 or more, and first_token . tokens at most", lambda: ROTARY.rotate_(q, angles=ROTARY.angles(1))),
                (ValueError, "first_token must be 0 or more, and first_token . tokens at most", lambda: ROTARY.rotate_(q, angles=two, first_token=1)),
                (ValueError, "first_token must be 0 or more, and first_token . tokens at most", lambda: ROTARY.rotate_(q, angles=two, first_token=-1)),
                (ValueError, "first_token must be 0 or more",  # the token after the last one is another sequence's
                 lambda: ROTARY.rotate_(batch, angles=ROTARY.angles(positions=[[1, 2], [3, 4]]), first_token=1)),
                (ValueError, "first_token does not fit", lambda: ROTARY.rotate_(q, angles=two, first_token=2**63)),
                (TypeError, "first_token must be an integer", lambda: ROTARY.rotate_(q, angles=two, first_token=0.0)),
                (ValueError, "first_token needs angles", lambda: ROTARY.rotate_(q, first_token=1)),
                (ValueError, "angles exclude first and positions", lambda: ROTARY.rotate_(q, angles=two, first=0)),
                (ValueError, "angles exclude first and positions", lambda: ROTARY.rotate_(q, angles=two, positions=[0, 1])),
                (TypeError, "angles must be what rotary.angles\\(\\) returns, not int", lambda: ROTARY.rotate_(q, angles=3)),
                (TypeError, "angles must be what", lambda: ROTARY.rotate_(q, angles=numpy.arange(2))),
                (ValueError, "positions of angles must have the shape \\[2\\], not \\[2, 1\\]",
                 lambda: ROTARY.rotate_(q, angles=ROTARY.angles(positions=[[1], [2]]))),
                (ValueError, "positions of angles must have the shape \\[3\\], the same for all sequences, or \\[2, 3\\], not \\[3, 3\\]",
                 lambda: ROTARY.rotate_(numbers(2, 3, 1, 16), angles=ROTARY.angles(positions=[[1, 2, 3]] * 3))),
                (ValueError, "k must have the same axes before tokens",
                 lambda: ROTARY.rotate_(numbers(2, 2, 1, 16), numbers(1, 2, 1, 16), angles=ROTARY.angles(positions=[[1, 2], [3, 4]]))),
                (ValueError, "k must have as many tokens as q", lambda: ROTARY.rotate_(q, numbers(1, 3, 16), angles=two)),
                (ValueError, "overlaps|overlap", lambda: ROTARY.rotate_(q, q, angles=two)),
                (TypeError, "angles needs either tokens or positions", lambda: ROTARY.angles()),
                (TypeError, "angles needs either tokens or positions", lambda: ROTARY.angles(1, positions=[1])),
                (ValueError, "first and positions exclude", lambda: ROTARY.angles(first=1, positions=[1])),
                (ValueError, "positions must have an axis of tokens", lambda: ROTARY.angles(positions=7)),
                (ValueError, "positions\\[1\\]: each position must be", lambda: ROTARY.angles(positions=[1, 2**32])),
                (ValueError, "tokens from first on: the positions from first_position on", lambda: ROTARY.angles(2, first=2**31)),
                (ValueError, "tokens from first\\[1\\] on: each position", lambda: ROTARY.angles(2, first=[0, 2**31])),
                (TypeError, "first must be integers, not float", lambda: ROTARY.angles(2, first=[1.0])),
                (TypeError, "tokens must be an integer", lambda: ROTARY.angles(2.0)),
                (ValueError, "tokens must not be negative", lambda: ROTARY.angles(-1)),
                (ValueError, "too large for the address space", lambda: ROTARY.angles(2**62)),
                (ValueError, "too large for the address space", lambda: ROTARY.angles(2**62, first=[0])),
                (MemoryError, "", lambda: ROTARY.angles(2**48)),
                (MemoryError, "", lambda: ROTARY.angles(2**50, first=[0])),
                (MemoryError, "", lambda: ROTARY.angles(2**48, first=numpy.zeros(2**20, "int32"))),
                (ValueError, "positions must have the shape \\[2, ...\\], not \\[3\\]", lambda: axes.angles(positions=[1, 2, 3])),
                (TypeError, "unexpected keyword argument at", lambda: ROTARY.angles(1, at=3)),
                (TypeError, "too many arguments", lambda: ROTARY.angles(1, 2))):
            before = q.copy(), batch.copy()
            with self.assertRaisesRegex(error, sentence):
                call()
            self.assertTrue((q == before[0]).all() and (batch == before[1]).all(), sentence)

    def test_threads(self):
        """Threads share angles, and making and using them releases the interpreter's lock."""
        rotary = posenc.Rotary(128)
        angles, q = rotary.angles(64, first=100000), numbers(64, 8, 128)
        want, wrong = rotary.rotate(q, first=100000), []

        def work():
            for _ in range(30):
                if not (rotary.rotate(q, angles=angles) == want).all():
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        slow, many = posenc.Rotary(128, target="REFERENCE"), numpy.ones((400, 8, 128), "float32")
        all_ = slow.angles(400)
        for call in lambda: rotary.angles(100000), lambda: slow.rotate_(many, angles=all_):
            counted, stop = [0], threading.Event()

            def count():
                while not stop.is_set():
                    counted[0] += 1
                    time.sleep(0.0005)

            counter = threading.Thread(target=count)
            counter.start()
            while not counted[0]:
                time.sleep(0.001)
            before = counted[0]
            call()
            during = counted[0] - before
            stop.set()
            counter.join()
            print(f"counted {during} times during a call")
            self.assertGreater(during, 5)


@unittest.skipIf(torch is None, "SKIPPED: python3-torch is not installed")
class OfTorch(unittest.TestCase):
    def same(self, made, want):
        self.assertEqual((made.dtype, made.shape), (want.dtype, want.shape))
        self.assertTrue(torch.equal(made, want))

    def tensors(self, rotary, dtype, **options):
        maker = torch.Generator().manual_seed(1)
        return [torch.randn(2, 5, heads, rotary.head_dim, generator=maker).to(dtype).requires_grad_(**options) for heads in (3, 1)]

    def test_bits(self):
        """Of all types; float64, which torch rotates, and tensors with gradients are rotated at the positions."""
        for rotary, dtype in itertools.product(ROTARIES, (torch.float32, torch.float16, torch.bfloat16, torch.float64)):
            q, k = self.tensors(rotary, dtype, requires_grad=False)
            run, one = rotary.angles(9, first=1000), [q[:1], k[:1]]
            lead = (2,) if rotary.axes == 2 else ()
            at = torch.arange(16).reshape(2, 8).expand(*lead, 2, 8) * 10.5 - 7
            for tensors, angles, where in ((q, k), run, {"first": 1003}), (one, run, {"first": 1003}), ((q, k), rotary.angles(positions=at), {"positions": at[..., 3:]}):
                want = pt.rotate(tensors, rotary, **where, scale=0.5)
                for its in rotary, pt.spec(rotary), posenc.Rotary.from_spec(rotary.spec):
                    for made, other in zip(pt.rotate(tensors, its, angles=angles, first_token=3, scale=0.5), want):
                        self.same(made, other)
                copies = [tensor.clone() for tensor in tensors]
                self.assertIs(pt.rotate_(copies, rotary, angles=angles, first_token=3, scale=0.5), copies)
                for made, other in zip(copies, want):
                    self.same(made, other)
                for made, other in zip(pt.rotate([t.clone().requires_grad_() for t in tensors], rotary, angles=angles, first_token=3, scale=0.5), want):
                    self.assertTrue(made.requires_grad)
                    self.same(made.detach(), other)

    def test_posenc_itself(self):
        """posenc.Rotary takes tensors without gradients."""
        q, k = self.tensors(ROTARY, torch.bfloat16, requires_grad=False)
        self.same(ROTARY.rotate(q, angles=ROTARY.angles(5, first=3)), ROTARY.rotate(q, first=3))
        with self.assertRaisesRegex(ValueError, "k requires a gradient"):
            ROTARY.rotate(q, k.requires_grad_(), angles=ROTARY.angles(5))
        version = q._version
        ROTARY.rotate_(q, angles=ROTARY.angles(5))
        self.assertGreater(q._version, version)

    def test_gradients(self):
        for rotary in ROTARIES:
            for angles, where in (rotary.angles(7, first=9), {"first": 11}),:
                results = []
                for arguments in {"angles": angles, "first_token": 2}, where:
                    tensors = self.tensors(rotary, torch.float32, requires_grad=True)
                    q, k = pt.rotate(tensors, rotary, **arguments, scale=1.5)
                    results.append(torch.autograd.grad((q * q * q).sum() + k.sum(), tensors, create_graph=True))
                    results[-1] += torch.autograd.grad(results[-1][0].pow(2).sum(), tensors[0])
                for made, want in zip(*results):
                    self.same(made, want)
        double = self.tensors(ROTARY, torch.float64, requires_grad=True)
        angles = ROTARY.angles(5, first=3)
        self.assertTrue(torch.autograd.gradcheck(lambda *tensors: pt.rotate(tensors, ROTARY, angles=angles), double))
        leaf, = self.tensors(ROTARY, torch.float32, requires_grad=True)[:1]
        made, = pt.rotate_([leaf * 1], ROTARY, angles=angles)
        self.same(torch.autograd.grad(made.sum(), leaf)[0], pt.rotate([torch.ones_like(leaf)], ROTARY, first=3, inverse=True)[0])

    def test_module(self):
        for rotary in ROTARIES:
            module, (q, k) = pt.RotaryEmbedding(rotary), (t.transpose(1, 2) for t in self.tensors(rotary, torch.float32, requires_grad=False))
            places = [torch.arange(5), torch.arange(5)[None] + 7, torch.arange(10).view(2, 5) * 3]
            if rotary.axes == 2:
                places += [torch.arange(10).view(2, 1, 5), torch.arange(20).view(2, 2, 5)]
            for position_ids in places:
                angles = module.angles(position_ids)
                for wrong in False, True:
                    for made, want in zip(module.rotate(q, k, angles, inverse=wrong), module.rotate(q, k, position_ids, inverse=wrong)):
                        self.same(made, want)
                self.same(module.rotate(q.clone().requires_grad_(), k, angles)[0].detach(), module.rotate(q, k, position_ids)[0])

    def test_refusals(self):
        q, k = self.tensors(ROTARY, torch.float32, requires_grad=False)
        angles, other = ROTARY.angles(5), posenc.Rotary(16, base=7.0)
        short = ROTARY.angles(4)
        for tensors in (q, k), (q.double(), k.double()), (q.clone().requires_grad_(), k):
            for error, sentence, arguments in (
                    (RuntimeError, "these angles were made with another rotary", [other, None, 0, 1.0, False, -3, angles]),
                    (RuntimeError, "first_token must be 0 or more, and first_token . tokens at most", [ROTARY, None, 0, 1.0, False, -3, angles, 1]),
                    (RuntimeError, "first_token must be 0 or more, and first_token . tokens at most", [ROTARY, None, 0, 1.0, False, -3, short]),
                    (RuntimeError, "first_token needs angles", [ROTARY, None, 0, 1.0, False, -3, None, 1]),
                    (RuntimeError, "angles exclude first and positions", [ROTARY, None, 1, 1.0, False, -3, angles]),
                    (RuntimeError, "angles exclude first and positions", [ROTARY, torch.arange(5), 0, 1.0, False, -3, angles]),
                    (RuntimeError, "must have the shape", [ROTARY, None, 0, 1.0, False, -3, ROTARY.angles(positions=torch.zeros(3, 5))]),
                    (TypeError, "angles must be a posenc.Angles", [ROTARY, None, 0, 1.0, False, -3, torch.arange(5)])):
                before = [tensor.detach().clone() for tensor in tensors]
                for call in pt.rotate, pt.rotate_:
                    with self.assertRaisesRegex(error, sentence):
                        call([t * 1 if t.requires_grad else t for t in tensors], *arguments)
                for tensor, its in zip(tensors, before):
                    self.same(tensor.detach(), its)
        with self.assertRaisesRegex(RuntimeError, "torch.jit.trace is recording, and angles would be constants of the record"):
            torch.jit.trace(lambda x: pt.rotate([x], ROTARY, angles=angles)[0], q)
        with self.assertRaisesRegex(RuntimeError, "torch.jit.trace is recording"):
            torch.jit.trace(lambda x: pt.rotate([x], ROTARY, angles=ROTARY.angles(positions=torch.arange(5)))[0], q)
        module = pt.RotaryEmbedding(ROTARY)
        self.assertRaisesRegex(TypeError, "position_ids must be a tensor", module.angles, [1, 2])
        self.assertRaisesRegex(RuntimeError, "positions\\[0\\]: each position", module.angles, torch.tensor([2**40]))
        self.assertRaisesRegex(RuntimeError, "another rotary", module.rotate, q, k, other.angles(5))


if __name__ == "__main__":
    unittest.main()
