"""Tests posenc.torch's operators: they have the bits of posenc's calls, and right gradients; torch can trace, compile, export,
batch and differentiate them like its own operators."""

import io
import unittest
import warnings

import posenc

try:
    import torch
    import posenc.torch as pt
    from posenc._posenc import eager_add, eager_rotate
except ImportError:
    raise unittest.SkipTest("SKIPPED: python3-torch is not installed")

torch.set_num_threads(1)
DIM = 16
ENCODER, ROTARY = posenc.Encoder(DIM), posenc.Rotary(DIM)
MIXED = posenc.Rotary(DIM, pairing="neighbours", output_pairing="half_split", amplitude=1.25, rotary_dim=8)
E, R = pt.spec(ENCODER), pt.spec(ROTARY)
FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def ulp(numbers):
    """The ulp of float32 at each number."""
    return torch.tensor(2.0, dtype=torch.float64) ** (numbers.abs().clamp_min(2.0**-126).log2().floor() - 23)


# References: the same computations in double, with torch's own operators.


def sines(positions):
    phases = positions.double()[..., None] * 10000.0 ** (-torch.arange(0, DIM, 2).double() / DIM)
    return torch.stack([phases.sin(), phases.cos()], -1).flatten(-2)


def add(x, positions, scale):
    return x * scale + sines(positions)


def embed(ids, table, positions, scale):
    return table[ids] * scale + sines(positions)


def rotate(x, positions, scale):
    """Rotates x [..., tokens, heads, DIM], with half-split pairs."""
    phases = positions.double()[..., None, None] * 10000.0 ** (-torch.arange(0, DIM, 2).double() / DIM)
    cos, sin = (torch.cat([table, table], -1) for table in (phases.cos(), phases.sin()))
    a, b = x.chunk(2, -1)
    return (x * cos + torch.cat([-b, a], -1) * sin) * scale


POSITIONS = torch.tensor([[0, 1, 7, 100, 4095], [3, -2, 2, 131071, 9]])
IDS = torch.tensor([[1, 4, 1, 1, 0], [4, 4, 2, 1, 1]])


def random(*shape, seed=1, **options):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **options)


class Operators(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual(one.dtype, other.dtype)
        self.assertTrue(torch.equal(one, other))


class Results(Operators):
    """Results have the bits of Encoder and Rotary, called directly and through torch's dispatcher."""

    def both(self, call, *tensors):
        """The result of a call, which must be the same with and without a gradient."""
        plain = call(*tensors)
        recorded = call(*(t.detach().requires_grad_() if t.is_floating_point() else t for t in tensors))
        for one, other in zip(*((made if isinstance(made, (list, tuple)) else [made]) for made in (plain, recorded))):
            self.same(one, other)
            self.assertEqual(one.stride(), other.stride())
        return plain

    def test_add(self):
        for dtype in FLOATS:
            for shape in (5, DIM), (2, 5, DIM), (3, 2, 5, DIM), (1, DIM), (0, DIM), (200, 5, DIM), (3, 70, 5, DIM):
                x = random(*shape).to(dtype)
                same = x.clone()
                self.same(self.both(lambda x: pt.add(x, ENCODER, first=9, scale=3.0), x), ENCODER.add_(x.clone(), first=9, scale=3.0))
                self.same(x, same)
                self.same(pt.add_(x, E), ENCODER.add_(same))
                if shape[-2] == 5:
                    self.same(self.both(lambda x: pt.add(x, E, POSITIONS[0]), x), ENCODER.add_(x.clone(), positions=POSITIONS[0]))
            x = random(2, 5, DIM).to(dtype)
            self.same(self.both(lambda x: pt.add(x, E, POSITIONS), x), ENCODER.add_(x.clone(), positions=POSITIONS))

    def test_strides(self):
        want = ENCODER.add_(random(40, 5, DIM, seed=2))
        x = random(40, 5, DIM, seed=2)
        for strided in (x.transpose(0, 1).contiguous().transpose(0, 1), x.transpose(1, 2).contiguous().transpose(1, 2),
                        torch.cat([x, x], -1)[..., :DIM], torch.stack([x, x], -1)[..., 0]):
            self.same(self.both(lambda x: pt.add(x, E), strided), want)
        self.same(pt.add(x[:1].expand(40, 5, DIM), E), ENCODER.add_(x[:1].repeat(40, 1, 1)))
        turned = x.transpose(0, 1).contiguous().transpose(0, 1)
        for positions in POSITIONS[0], POSITIONS[:1].repeat(40, 1):  # Encoder itself does not take these positions for such an x
            want_there = ENCODER.add_(x.clone(), positions=positions)
            self.same(self.both(lambda x: pt.add(x, E, positions), turned), want_there)
        flat = x.reshape(-1)
        for overlapping in flat.unfold(0, DIM, 1), *(flat.as_strided((2, 5, DIM), (*s, 1)) for s in ((3, 1), (1, 3))):
            self.same(self.both(lambda x: pt.add(x, E), overlapping), ENCODER.add_(overlapping.contiguous()))
        same = pt.add(x.transpose(0, 1).contiguous().transpose(0, 1), E)
        self.assertEqual(same.stride(), (DIM, 40 * DIM, 1))  # torch's own sums keep the strides, too
        q = random(2, 5, 3, DIM)
        want, = pt.rotate([q], R)
        for strided in (q.transpose(1, 2).contiguous().transpose(1, 2), q.transpose(2, 3).contiguous().transpose(2, 3), torch.cat([q, q], -1)[..., :DIM]):
            self.same(self.both(lambda q: pt.rotate([q], R)[0], strided), want)
        self.same(pt.rotate([q[:, :, :1].expand(2, 5, 3, DIM)], R)[0], want[:, :, :1].expand(2, 5, 3, DIM))

    def test_embed(self):
        for dtype in FLOATS:
            table = random(5, DIM).to(dtype)
            for to in (None, torch.float32):
                self.same(self.both(lambda table: pt.embed(IDS, table, ENCODER, scale=4.0, dtype=to), table),
                          ENCODER.embed(IDS, table, scale=4.0, dtype=to))
            self.same(self.both(lambda table: pt.embed(IDS.int(), table, E, POSITIONS), table), ENCODER.embed(IDS, table, positions=POSITIONS))

    def test_rotate(self):
        for rotary in ROTARY, MIXED:
            for dtype in FLOATS:
                for heads in 4, 400:
                    q, k = random(2, 5, heads, DIM).to(dtype), random(2, 5, 1, DIM, seed=2).to(dtype)
                    want = rotary.rotate_(q.clone(), k.clone(), first=3, scale=0.5)
                    for one, other in zip(self.both(lambda q, k: pt.rotate([q, k], rotary, None, 3, 0.5), q, k), want):
                        self.same(one, other)
                    want = rotary.rotate_(q.clone(), k.clone(), positions=POSITIONS, inverse=True)
                    for one, other in zip(self.both(lambda q, k: pt.rotate([q, k], rotary, POSITIONS, inverse=True), q, k), want):
                        self.same(one, other)
                    q, k = q.transpose(1, 2), k.transpose(1, 2)
                    want = rotary.rotate_(q.clone(), k.clone(), token_axis=-2)
                    for one, other in zip(self.both(lambda q, k: pt.rotate([q, k], rotary, token_axis=-2), q, k), want):
                        self.same(one, other)
                    self.same(pt.rotate_([q], rotary, token_axis=-2)[0], want[0])

    def test_tables(self):
        for dtype in (*FLOATS, torch.float64):
            self.same(pt.encode(POSITIONS, ENCODER, dtype), ENCODER.encode(POSITIONS, dtype=dtype))
            for layout in "halves", "halves_twice", "duplicated":
                for one, other in zip(pt.cos_sin(POSITIONS, R, layout, dtype), ROTARY.cache(positions=POSITIONS, layout=layout, dtype=dtype)):
                    self.same(one, other)
        axes = posenc.Rotary(DIM, axes=2, sections=[3, 5])
        self.assertEqual(pt.cos_sin(POSITIONS, axes)[0].shape, (5, DIM))

    def test_texts(self):
        """The text of an encoder or a rotary makes an equal one, with copies of its lists."""
        for made in (posenc.Encoder(DIM, preset="fairseq", base=7), posenc.Encoder(4, frequencies=torch.tensor([0.1, 3])),
                     posenc.Encoder(4, frequencies=[0.1, 3]), posenc.Rotary(4, frequencies=torch.tensor([0.1, 3]), phase_rounding="f32_inv_freq"),
                     posenc.Rotary(128, preset="qwen2_vl", sections=[20, 22, 22]),
                     posenc.Rotary(8, axes=2, sections=[2, 2], axis_order="axial", frequencies=[0.1, 3, 1, 0.2])):
            again = pt._kernels.parse(pt.spec(made))
            self.assertEqual(pt.spec(again), pt.spec(made))
            self.assertTrue((again.frequencies == made.frequencies).all())


class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, call, types, args=(), kwargs=None):
        return call(*args, **kwargs or {})


class Eager(Operators):
    """The fast functions for a decode step: they return the same bits and strides as the dispatcher, and have no other effect."""

    def test_add(self):
        for dtype in FLOATS:
            for shape, positions in (((1, 1, DIM), None), ((1, 1, DIM), [[9]]), ((1, 1, DIM), [9.5]), ((5, DIM), [0, 7, 3, 3, -2]), ((2, 5, DIM), None), ((DIM,), None),
                                     ((1, 1, 5, DIM), [[[0, 7, 3, 3, -2]]]), ((64, 16, DIM), None)):
                x = random(*shape).to(dtype)
                at = None if positions is None else torch.tensor(positions)
                for x in x, x.transpose(0, -2).contiguous().transpose(0, -2) if len(shape) > 1 and shape[0] == 1 else x:
                    same, arguments = x.clone(), (at, 0 if positions else 77, 2.0)
                    made = eager_add(x, ENCODER, *arguments)
                    self.same(made, torch.ops.posenc.add(x, E, *arguments))
                    self.assertEqual(made.stride(), torch.ops.posenc.add(x, E, *arguments).stride())
                    self.same(x, same)

    def test_rotate(self):
        for dtype in FLOATS:
            for axis in -2, -3:
                for batch, tokens, positions in (((1,), 1, None), ((1,), 1, [[777]]), ((1,), 1, [7.5]), ((), 5, [0, 7, 3, 3, -2]), ((2, 3), 5, None),
                                                 ((2,), 5, [0, 7, 3, 3, -2]), ((1,), 5, [[0, 7, 3, 3, -2]])):
                    q, k = (random(*batch, *((heads, tokens) if axis == -2 else (tokens, heads)), DIM).to(dtype) for heads in (4, 1))
                    at = None if positions is None else torch.tensor(positions)
                    for tensors in (q, k), (q,), (q.transpose(-2, -3), k.transpose(-2, -3)) if tokens == 1 else (q,):
                        arguments = at, 0 if positions else 777, 0.5, True, axis
                        if tensors[0].shape[axis] != tokens:
                            arguments = *arguments[:-1], -5 - axis
                        same = [tensor.clone() for tensor in tensors]
                        made = eager_rotate(tensors, MIXED, *arguments)
                        for one, other in zip(made, torch.ops.posenc.rotate(list(tensors), pt.spec(MIXED), *arguments)):
                            self.same(one, other)
                            self.assertEqual(one.stride(), other.stride())
                        for one, other in zip(tensors, same):
                            self.same(one, other)

    def test_others(self):
        """Any other call takes the general path."""
        x, q, p, axes = random(1, DIM), random(1, 1, 1, DIM), torch.tensor([3]), posenc.Rotary(DIM, axes=2, sections=[3, 5])
        add, rotate = [x, ENCODER, p, 0, 1.0], [(q,), ROTARY, p, 0, 1.0, False, -3]
        of_x = (x.clone().requires_grad_(), torch.nn.Parameter(x), x.to("meta"), x.to_sparse(), x.double(), x.int(), torch.zeros(1, 7), torch.zeros(()), random(3, DIM),
                torch.zeros(0, DIM), x[:0], torch._neg_view(x), random(1, 2 * DIM)[:, ::2], x.numpy(), None, x.cfloat(), random(2, 1, DIM), random(1, 1 << 15).view(-1, DIM))
        of_positions = (p.float().requires_grad_(), p.to("meta"), p.to(torch.int8), torch.tensor(3), torch.tensor([3, 3]), torch.tensor([[3, 3]]), [3], 3, torch.tensor([float("nan")]), torch.tensor([2**31 + 1]))
        for i, others in enumerate((of_x, (ROTARY, E, None), of_positions, (1, -1, True, None, 2**64, p), (None, "1", 1, p))):
            for other in others:
                self.assertIsNone(eager_add(*add[:i], other, *add[i + 1:]), (i, other))
        self.assertIsNotNone(eager_add(*add))
        of_tensors = [((), [], [q], q, None, (random(1, 1025, DIM),), (q, None), (q, random(2, 1, DIM)), (q, q.half()), (q[..., :-1],), (random(2, DIM),))] + [[(other,) for other in (
            q.clone().requires_grad_(), q.to("meta"), q.to_sparse(), q.double(), torch._neg_view(q), q.numpy(), random(1, 2 * DIM, 1).transpose(1, 2)[..., ::2], q[:0], random(0, 1, DIM))]]
        for others in of_tensors:
            for other in others:
                self.assertIsNone(eager_rotate(other, *rotate[1:]), other)
        of_rotary = (ENCODER, R, axes, None)
        for i, others in enumerate((of_rotary, of_positions, (1, -1, True, None, 2**64, p), (0.0, float("nan"), None, 1, [1.0]), (0, None, p), (-1, -4, None, -3.0, 2**64, p)), 1):
            for other in others:
                self.assertIsNone(eager_rotate(*rotate[:i], other, *rotate[i + 1:]), (i, other))
        self.assertIsNotNone(eager_rotate(*rotate))
        self.assertIsNone(eager_add(x, ENCODER, None, 2**31 + 1, 1.0))
        self.assertIsNone(eager_rotate((random(2, 1, 1, DIM),), ROTARY, torch.tensor([[3], [4]]), *rotate[3:]))

    def test_while_torch_is_at_work(self):
        from torch.autograd import forward_ad

        x, q, seen = random(1, DIM), random(1, 1, 1, DIM), []

        def both(*_):
            seen.append((eager_add(x, ENCODER, None, 0, 1.0), eager_rotate((q,), ROTARY, None, 0, 1.0, False, -3)))
            return x

        torch.jit.trace(both, x, check_trace=False)
        from torch.fx.experimental.proxy_tensor import make_fx

        make_fx(both)(x)
        with forward_ad.dual_level():
            both()
        try:
            import functorch

            getattr(torch, "func", functorch).vmap(lambda y: (both(), y)[1])(x)
        except ImportError:
            both()
        with Mode():
            both()
        self.assertGreaterEqual(len(seen), 5)
        self.assertEqual({(type(a), type(b)) for a, b in seen}, {(type(None),) * 2})


class Gradients(Operators):
    """Gradients are within an ulp of float32 of the adjoint, computed in double."""

    def near(self, call, reference, *tensors, bits=None):
        """Compares the gradients of a call with the gradients of a reference. Finite differences check the reference itself."""
        doubles = [tensor.double().requires_grad_() for tensor in tensors]
        self.assertTrue(torch.autograd.gradcheck(reference, doubles))
        floats = [tensor.detach().requires_grad_() for tensor in tensors]
        made, want = call(*floats), reference(*doubles)
        gradient = random(*want.shape, seed=5)
        made.backward(gradient)
        want.backward(gradient.double())
        for one, other in zip(floats, doubles):
            error = (one.grad.double() - other.grad).abs() / ulp(other.grad)
            self.assertLessEqual(error.max().item(), bits or 0.5 + 1e-6)

    def test_add(self):
        for scale in 1.0, 3.0:
            self.near(lambda x: pt.add(x, E, POSITIONS, scale=scale), lambda x: add(x, POSITIONS, scale), random(2, 5, DIM))

    def test_add_in_place(self):
        def call(x):
            x = x * 1
            version = x._version
            self.assertIs(pt.add_(x, E, POSITIONS, scale=3.0), x)
            self.assertGreater(x._version, version)
            return x

        self.near(call, lambda x: add(x, POSITIONS, 3.0), random(2, 5, DIM))

    def test_embed(self):
        """The gradient of a row that is used seven times is a sum that is rounded once."""
        self.near(lambda table: pt.embed(IDS, table, E, POSITIONS, scale=1.5), lambda table: embed(IDS, table, POSITIONS, 1.5), random(5, DIM))

    def test_short_types(self):
        """Sums just above or below the midpoint of two numbers, so close that float32 cannot represent them."""
        for dtype in torch.bfloat16, torch.float16:
            ulp, least = torch.finfo(dtype).eps, 2.0**-24
            table = torch.zeros(1, DIM, dtype=dtype, requires_grad=True)
            signs = torch.tensor([1, -1, 1, -1] * 4, dtype=dtype)
            gradient = torch.tensor([1, ulp / 2, least], dtype=dtype)[:, None] * signs
            gradient[2, :2] *= -1
            pt.embed(torch.tensor([0, 0, 0]), table, E).backward(gradient)
            self.assertEqual(table.grad[0, :4].tolist(), [1, -1, 1 + ulp, -1 - ulp])

    def test_rotate(self):
        for scale in 1.0, 0.3:
            for positions in POSITIONS, POSITIONS[1]:
                self.near(lambda q: pt.rotate([q], R, positions, scale=scale)[0], lambda q: rotate(q, positions, scale), random(2, 5, 3, DIM))
                self.near(lambda q, k: torch.cat(pt.rotate([q, k], R, positions), 2), lambda q, k: rotate(torch.cat([q, k], 2), positions, 1.0),
                          random(2, 5, 3, DIM), random(2, 5, 1, DIM, seed=3))

    def test_rotate_in_place(self):
        def call(q, k):
            both = torch.cat([q, k], 2)  # q and k become views of it
            version = both._version
            views = both[:, :, :3], both[:, :, 3:]
            pt.rotate_(views, R, POSITIONS)
            self.assertGreater(both._version, version)
            return both

        self.near(call, lambda q, k: rotate(torch.cat([q, k], 2), POSITIONS, 1.0), random(2, 5, 3, DIM), random(2, 5, 1, DIM, seed=3))

    def test_pairings(self):
        """A Rotary that writes other pairs than it reads, with an amplitude, a part of a head, and several axes."""
        for rotary in (MIXED, posenc.Rotary(DIM, output_pairing="neighbours"), posenc.Rotary(DIM, pairing="neighbours"),
                       posenc.Rotary(192, preset="deepseek_v3", amplitude=1.5), posenc.Rotary(DIM, axes=2, sections=[3, 5])):
            dim = rotary.head_dim
            positions = POSITIONS if rotary.axes == 2 else POSITIONS[1]
            basis = torch.eye(dim)[:, None].expand(dim, 5, dim)[:, :, None]  # [dim, tokens, heads, dim]: columns of the matrix
            matrix = pt.rotate([basis], rotary, positions)[0][:, :, 0].double()  # rounded, so the comparison needs a bound
            x, gradient = random(1, 5, 1, dim, requires_grad=True), random(1, 5, 1, dim, seed=2)
            pt.rotate([x], rotary, positions)[0].backward(gradient)
            want = torch.einsum("dte,te->td", matrix, gradient[0, :, 0].double())
            self.assertLess((x.grad[0, :, 0] - want).abs().max().item(), 2e-6)

    def test_second(self):
        """Gradients can be differentiated again."""
        x, v = random(2, 5, 3, DIM, requires_grad=True), random(2, 5, 3, DIM, seed=2, requires_grad=True)
        first, = torch.autograd.grad(pt.rotate([x], R, POSITIONS)[0], x, v, create_graph=True)
        second, = torch.autograd.grad(first, v, v.detach())
        self.same(second, ROTARY.rotate(v.detach(), positions=POSITIONS))
        table, v = random(5, DIM, requires_grad=True), random(2, 5, DIM, seed=2, requires_grad=True)
        first, = torch.autograd.grad(pt.embed(IDS, table, E, scale=2.0), table, v, create_graph=True)
        second, = torch.autograd.grad(first, v, table.detach())
        self.same(second, table.detach()[IDS] * 2)
        for short in torch.uint8, torch.int16:
            first, = torch.autograd.grad(pt.embed(IDS.to(short), table, E, scale=2.0), table, v, create_graph=True)
            self.same(torch.autograd.grad(first, v, table.detach())[0], second)
        x, v = random(5, DIM, requires_grad=True), random(5, DIM, seed=2, requires_grad=True)
        first, = torch.autograd.grad(pt.add(x, E, scale=2.0), x, v, create_graph=True)
        self.same(torch.autograd.grad(first, v, x.detach())[0], 2 * x.detach())

    def test_batched(self):
        """Many gradients in one call are the same as a loop over them."""
        q, table = random(2, 5, 3, DIM, requires_grad=True), random(5, DIM, requires_grad=True)
        for call, of in ((lambda q: pt.rotate([q * 2, q], R, POSITIONS)[0][:1, :2], q), (lambda q: pt.add(q[0, :, 0], E, scale=2.0), q), (lambda table: pt.embed(IDS, table, E)[0], table)):
            want = torch.autograd.functional.jacobian(call, of)
            for strategy in "reverse-mode", "forward-mode":
                self.same(torch.autograd.functional.jacobian(call, of, vectorize=True, strategy=strategy), want)
        made = pt.rotate([q], R)[0]
        gradients = random(7, *made.shape, seed=5)
        both, = torch.autograd.grad(made, q, gradients, is_grads_batched=True, retain_graph=True)
        self.same(both, torch.stack([torch.autograd.grad(made, q, one, retain_graph=True)[0] for one in gradients]))

    def test_what_needs_none(self):
        """backward() does not compute gradients for a frozen tensor, or for a tensor that the loss does not use."""
        from torch.utils._python_dispatch import TorchDispatchMode

        class Calls(TorchDispatchMode):
            def __torch_dispatch__(self, call, types, args=(), kwargs=None):
                if "posenc" in str(call):
                    seen.append(len(args[0]))
                return call(*args, **kwargs or {})

        for frozen, used, want in (("q", "qk", 1), ("k", "qk", 1), ("", "q", 1), ("", "qk", 2), ("q", "q", 0)):
            q, k = random(2, 5, 3, DIM), random(2, 5, 1, DIM, seed=2)
            tensors = {"q": q, "k": k}
            for name, tensor in tensors.items():
                tensor.requires_grad_(name not in frozen)
            made = dict(zip("qk", pt.rotate([q, k], R)))
            loss, seen = sum(made[name].sum() for name in used), []
            if not want:
                loss = loss + k.sum() * 0
            with Calls():
                loss.backward()
            self.assertEqual(sum(seen), want)
            for name, tensor in tensors.items():
                self.assertEqual(tensor.grad is not None, name not in frozen and (name in used or not want))

    def test_padding(self):
        """padding_idx has the same effect as in torch's embedding, on first and second gradients."""
        theirs = torch.nn.functional.embedding
        for padding in 1, 4, None:
            grads = []
            for call in (lambda table: pt.embed(IDS, table, E, scale=2.0, padding_idx=padding), lambda table: theirs(IDS, table, padding) * 2.0):
                table, v = random(5, DIM, requires_grad=True), random(2, 5, DIM, seed=2, requires_grad=True)
                first, = torch.autograd.grad(call(table), table, v, create_graph=True)
                second, = torch.autograd.grad(first, v, table.detach())
                grads.append((first.detach(), second))
            for one, other in zip(*grads):
                self.assertTrue(torch.allclose(one, other, atol=1e-6))
            self.assertTrue(padding is None or not grads[0][0][padding].any())
        for padding in -1, 5:
            with self.assertRaisesRegex(RuntimeError, f"padding_idx {padding} is not a row of the table"):
                pt.embed(IDS, random(5, DIM), E, padding_idx=padding)

    def test_tangents(self):
        from torch.autograd import forward_ad

        x, tangent = random(2, 5, DIM), random(2, 5, DIM, seed=2)
        table = random(5, DIM)
        with forward_ad.dual_level():
            for call, of, want in ((lambda x: pt.add(x, E, scale=2.0), x, 2 * tangent), (lambda x: pt.rotate([x], R, token_axis=-2)[0], x, ROTARY.rotate(tangent, token_axis=-2)),
                                   (lambda table: pt.embed(IDS, table, E, scale=2.0), table, 2 * tangent[0][IDS])):
                made = call(forward_ad.make_dual(of, tangent if of is x else tangent[0]))
                self.same(forward_ad.unpack_dual(made).tangent, want)

    def test_tangent_of_one(self):
        """Only one of several tensors has a tangent. The tangents of the others are zeros, or missing."""
        from torch.autograd import forward_ad

        q, k, tangent = random(2, 3, DIM), random(2, 1, DIM, seed=2), random(2, 3, DIM, seed=3)
        with forward_ad.dual_level():
            for at in 0, 1:
                tensors = [q, k]
                tensors[at] = forward_ad.make_dual(tensors[at], tangent[:, : tensors[at].shape[1]])
                made = [forward_ad.unpack_dual(one) for one in pt.rotate(tensors, R)]
                self.same(made[at].tangent, ROTARY.rotate(tangent[:, : tensors[at].shape[1]].contiguous()))
                self.assertTrue(made[1 - at].tangent is None or not made[1 - at].tangent.any())
                for one, value in zip(made, (q, k)):
                    self.same(one.primal, ROTARY.rotate(value))

    def test_positions(self):
        positions = torch.ones(5, requires_grad=True)
        for call in (lambda: pt.add(random(5, DIM), E, positions), lambda: pt.encode(positions, E), lambda: pt.cos_sin(positions, R),
                     lambda: pt.embed(IDS, random(5, DIM), E, positions), lambda: pt.rotate([random(5, 1, DIM)], R, positions),
                     lambda: pt.add_(random(5, DIM), E, positions), lambda: pt.rotate_([random(5, 1, DIM)], R, positions)):
            with self.assertRaisesRegex(RuntimeError, "positions requires a gradient"):
                call()

    def test_autocast(self):
        """Autocast does not change types, as for torch's own sums and embeddings."""
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for dtype in FLOATS:
                x = random(2, 5, DIM, requires_grad=True)
                made = pt.add(x.to(dtype), E)
                self.same(made.detach(), ENCODER.add_(x.detach().to(dtype)))
                self.assertEqual(pt.rotate([x.to(dtype)], R, token_axis=-2)[0].dtype, dtype)
                made.sum().backward()
                self.assertTrue((x.grad == 1).all())


# Functions that are traced, compiled and exported, each with tensors for its arguments.
def _in_place(x):
    x = x * 2
    pt.add_(x, E)
    return x * 3


def _rotate_in_place(q):
    q = q * 2
    pt.rotate_([q[:, :1], q[:, 1:]], R, token_axis=-2)  # views
    return q * 3


GRAPHS = {
    "add": (lambda x: pt.add(x * 2, E, scale=2.0) * 3, random(2, 5, DIM)),
    "add, positions": (lambda x, p: pt.add(x * 2, E, p) * 3, random(2, 5, DIM), POSITIONS),
    "add_": (_in_place, random(2, 5, DIM)),
    "embed": (lambda ids, table: pt.embed(ids, table * 2, E) * 3, IDS, random(5, DIM)),
    "encode": (lambda x, p: x + pt.encode(p * 2, E), random(2, 5, DIM), POSITIONS),
    "rotate": (lambda q, k: torch.cat(pt.rotate([q * 2, k], R, None, 3), 2) * 3, random(2, 5, 3, DIM), random(2, 5, 1, DIM, seed=3)),
    "rotate, positions": (lambda q, p: pt.rotate([q * 2], R, p)[0] * 3, random(2, 5, 3, DIM), POSITIONS),
    "rotate_": (_rotate_in_place, random(2, 3, 5, DIM)),
    "cos, sin": (lambda x, p: x + pt.cos_sin(p * 2, R)[0] + pt.cos_sin(p, R)[1], random(2, 5, DIM), POSITIONS),
}


class Graphs(Operators):
    def gradients(self, call, tensors):
        leaves = [t.detach().clone().requires_grad_() if t.is_floating_point() else t for t in tensors]
        made = call(*leaves)
        made.backward(random(*made.shape, seed=7))
        return [made.detach(), *(leaf.grad for leaf in leaves if leaf.is_floating_point())]

    def all_same(self, ones, others):
        for one, other in zip(ones, others):
            self.same(one, other)

    def test_trace(self):
        for name, (call, *tensors) in GRAPHS.items():
            with self.subTest(name):
                traced = torch.jit.trace(call, tensors)
                self.assertRegex(str(traced.graph), "posenc::" + name.partition(",")[0].replace("cos", "cos_sin"))
                self.same(traced(*tensors), call(*tensors))
                self.all_same(self.gradients(traced, tensors), self.gradients(call, tensors))
                file = io.BytesIO()
                torch.jit.save(traced, file)
                file.seek(0)
                self.same(torch.jit.load(file)(*tensors), call(*tensors))

    def test_traced_first(self):
        """A size does not become a constant in the trace: positions begin where the cache of keys ends."""
        axes = posenc.Rotary(DIM, axes=2, sections=(4, 4))
        calls = {
            "add": lambda x, cache: pt.add(x, E, first=cache.shape[1], scale=2.0),
            "add, a row": lambda x, cache: pt.add(x[0, 0], E, first=cache.shape[1] - 1),
            "add_": lambda x, cache: pt.add_(x * 1, E, first=cache.size(1) + 3),
            "embed": lambda x, cache: pt.embed((x[..., 0] > 0).long(), x[0], E, first=cache.shape[1]),
            "rotate": lambda x, cache: pt.rotate([x], R, first=cache.shape[1], token_axis=-2)[0],
            "rotate, axes": lambda x, cache: pt.rotate([x[:, :, None]], axes, first=cache.shape[1], inverse=True)[0],
            "rotate_": lambda x, cache: pt.rotate_([x * 1], R, first=cache.shape[1], token_axis=-2)[0],
            "module": lambda x, cache: pt.SinusoidalPositionalEncoding(DIM)(x, first=cache.shape[1]),
        }
        for name, call in calls.items():
            for grad in False, True:
                with self.subTest(name, grad=grad), torch.set_grad_enabled(grad), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    traced = torch.jit.trace(call, (random(2, 5, DIM), torch.zeros(2, 7)))
                    for rows, past in (5, 7), (3, 0), (1, 4000):
                        x, cache = random(2, rows + (name == "embed"), DIM, requires_grad=grad), torch.zeros(2, past)
                        self.same(traced(x, cache), call(x, cache))
        with self.assertRaisesRegex(TypeError, "first must be an integer"):
            torch.jit.trace(lambda x: pt.add(x, E, first=x[0, 0]), random(5, DIM))

    def test_make_fx(self):
        from torch.fx.experimental.proxy_tensor import make_fx

        modes = ("real", "fake", "symbolic") if hasattr(torch, "compile") else ("real", "fake")
        for name, (call, *tensors) in GRAPHS.items():
            for mode in modes:
                with self.subTest(name, mode=mode):
                    graph = make_fx(call, tracing_mode=mode)(*tensors)
                    self.assertIn("posenc", str([node.target for node in graph.graph.nodes]))
                    self.same(graph(*tensors), call(*tensors))

    def test_symbolic_trace(self):
        graph = torch.fx.symbolic_trace(lambda x: pt.add(x, E))
        self.same(graph(random(3, DIM)), ENCODER.add_(random(3, DIM)))

    def test_meta(self):
        """Meta tensors get the shapes, strides and types of real tensors, and nothing is computed."""
        for name, (call, *tensors) in GRAPHS.items():
            with self.subTest(name):
                made, want = call(*(tensor.to("meta") for tensor in tensors)), call(*tensors)
                self.assertEqual((made.device.type, made.shape, made.stride(), made.dtype), ("meta", want.shape, want.stride(), want.dtype))

    def compiled(self, backend):
        if not hasattr(torch, "compile"):
            self.skipTest("SKIPPED: torch without compile")
        for name, (call, *tensors) in GRAPHS.items():
            for dynamic in False, True:
                with self.subTest(name, dynamic=dynamic):
                    torch._dynamo.reset()
                    graph = torch.compile(call, backend=backend, fullgraph=True, dynamic=dynamic)
                    self.same(graph(*tensors), call(*tensors))
                    self.all_same(self.gradients(graph, tensors), self.gradients(call, tensors))

    def test_eager(self):
        self.compiled("eager")

    def test_aot_eager(self):
        self.compiled("aot_eager")

    def test_inductor(self):
        if hasattr(torch, "compile"):
            try:
                torch.compile(lambda x: x * 2 + 1, backend="inductor")(torch.ones(3))
            except Exception as error:
                self.skipTest(f"SKIPPED: inductor has no compiler: {str(error)[:60]!r}")
        self.compiled("inductor")

    def test_export(self):
        if not hasattr(torch, "export"):
            self.skipTest("SKIPPED: torch without export")

        class Module(torch.nn.Module):
            def __init__(self, call):
                super().__init__()
                self.call = call

            def forward(self, *tensors):
                return self.call(*tensors)

        for name, (call, *tensors) in GRAPHS.items():
            for strict in True, False:
                with self.subTest(name, strict=strict):
                    program = torch.export.export(Module(call), tuple(tensors), strict=strict)
                    self.assertIn("posenc.", str(program.graph))
                    file = io.BytesIO()
                    torch.export.save(program, file)
                    file.seek(0)
                    self.same(torch.export.load(file).module()(*tensors), call(*tensors))

    def test_opcheck(self):
        """Runs torch's own tests of operators: schemas, fake tensors, autograd, AOT."""
        if not hasattr(torch.library, "opcheck"):
            self.skipTest("SKIPPED: torch without opcheck")
        ops, at = torch.ops.posenc, (None, 0, 2.0)
        for grad in False, True:
            x, q, table = (random(*shape, requires_grad=grad) for shape in ((2, 5, DIM), (2, 5, 3, DIM), (5, DIM)))
            for op, arguments in ((ops.add, (x, E, *at)), (ops.add, (x, E, POSITIONS, 0, 1.0)), (ops.embed, (IDS, table, E, *at, None, 1)),
                                  (ops.scatter, (x, IDS, 5, 2.0, 1)), (ops.rotate, ([q], R, *at, False, -3)), (ops.encode, (POSITIONS, E, torch.float32)),
                                  (ops.cos_sin, (POSITIONS, R, "halves", torch.float32))):
                with self.subTest(str(op), grad=grad):
                    torch.library.opcheck(op, arguments)
        for op, arguments in (ops.add_, (random(2, 5, DIM), E, *at)), (ops.rotate_, (random(2, 5, 3, DIM), R, *at, False, -3)):
            with self.subTest(str(op)):
                torch.library.opcheck(op, arguments)


class Onnx(Operators):
    """torch.onnx.export must refuse what it cannot export. bindings/onnxruntime tests what it exports."""

    def exported(self, call, *tensors, **more):
        class Calls(torch.nn.Module):
            def forward(self, *tensors):
                return call(*tensors)

        module = call if isinstance(call, torch.nn.Module) else Calls()
        file = io.BytesIO()
        if hasattr(torch, "compile"):
            more["dynamo"] = False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(module, tensors, file, opset_version=16, custom_opsets={"posenc": 1}, **more)
        return file.getvalue()

    def test_in_place(self):
        for call in (lambda x: pt.add_(x * 1, E) * 2, lambda x: pt.rotate_([x * 1], R, token_axis=-2)[0] * 2):
            for context in torch.no_grad, torch.enable_grad, torch.inference_mode:
                with context():
                    x = random(5, 3, DIM)
                    with self.assertRaisesRegex(RuntimeError, "call add or rotate, and use what they return"):
                        self.exported(call, x)
                    traced = torch.jit.trace(call, x)
                    self.same(traced(x), call(x))
                    with self.assertRaisesRegex(RuntimeError, "call add or rotate, and use what they return|failed in the TorchScript"):  # torch 1.13 does not give the reason
                        self.exported(traced, x)

    def test_traced_first(self):
        for call in (lambda x: pt.add(x, E, first=x.shape[0]), lambda x: pt.rotate([x], R, first=x.shape[0], token_axis=-2)[0]):
            self.assertIn(b"Range", self.exported(call, random(5, DIM), dynamic_axes={"x": {0: "rows"}}, input_names=["x"]))

    def test_module_without_first(self):
        """torch.onnx.export passes defaults. A number would become an input of the model, which ONNX Runtime then requires."""
        for module, given in (pt.SinusoidalPositionalEncoding(DIM), random(2, 5, DIM)), (pt.InputEmbedding(97, DIM), IDS):
            made = self.exported(module.eval(), given)
            self.assertIn(b"posenc", made)
            self.assertNotIn(b"first", made)
            self.same(module(given, first=None), module(given, first=0))

    def test_scales(self):
        """In torch a scale is a double, but the ONNX attribute is a float32."""
        for call, node in ((lambda scale: lambda x: pt.add(x, E, scale=scale), b"AddPositions"),
                           (lambda scale: lambda x: pt.embed(IDS, x, E, scale=scale), b"EmbedTokens"),
                           (lambda scale: lambda x: pt.rotate([x], R, scale=scale, token_axis=-2)[0], b"RotaryEmbedding")):
            for scale in 0.1, 2**0.5:
                with self.assertRaisesRegex(RuntimeError, "not a float32: "):
                    self.exported(call(scale), random(5, DIM))
            with self.assertRaisesRegex(RuntimeError, "the scale 0.1, which is not a float32: 0.10000000149011612 is the nearest one"):
                self.exported(call(0.1), random(5, DIM))
            for scale in 0.10000000149011612, 4, 1.0:
                self.assertIn(node, self.exported(call(scale), random(5, DIM)))

class Transforms(Operators):
    def setUp(self):
        try:
            import functorch

            self.func = getattr(torch, "func", functorch)
        except ImportError:
            self.skipTest("SKIPPED: torch without functorch")
        warnings.simplefilter("ignore")

    def need_2(self):
        if not hasattr(torch, "func"):
            self.skipTest("SKIPPED: functorch of torch 1.13 takes no function with a gradient of its own")

    def test_vmap_of_one_tensor(self):
        self.same(self.func.vmap(lambda x: pt.add(x, E, scale=2.0))(random(4, 5, DIM)), ENCODER.add_(random(4, 5, DIM), scale=2.0))
        self.same(self.func.vmap(lambda p: pt.encode(p, E))(POSITIONS), ENCODER.encode(POSITIONS))

    def test_vmap(self):
        """vmap is the same as a loop over the batch, for every choice of arguments that have a batch."""
        self.need_2()
        three = torch.stack([POSITIONS, POSITIONS + 1, POSITIONS + 2])
        p = POSITIONS[0]
        q, k = random(3, 2, 5, 4, DIM), random(3, 2, 5, 1, DIM, seed=2)
        axes = posenc.Rotary(DIM, axes=2, sections=[3, 5])
        several = torch.stack([three, three * 2], 1)  # [3, axes, 2, 5]
        cases = [
            (lambda x: pt.add(x, E, scale=2.0), (0,), random(3, 5, DIM)),
            (lambda x: pt.add(x, E), (2,), random(2, 5, 3, DIM)),
            (lambda x: pt.add(x, E, p), (0,), random(3, 2, 5, DIM)),
            (lambda x, p: pt.add(x, E, p), (0, 0), random(3, 2, 5, DIM), three),
            (lambda x, p: pt.add(x, E, p), (0, 0), random(3, 2, 5, DIM), three[:, 0]),
            (lambda x, p: pt.add(x, E, p), (None, 0), random(2, 5, DIM), three),
            (lambda x, p: pt.add(x, E, p), (0, None), random(3, 2, 5, DIM), POSITIONS),
            (lambda ids, t: pt.embed(ids, t, E, p), (0, None), torch.stack([IDS, IDS, IDS * 0]), random(5, DIM)),
            (lambda ids, t: pt.embed(ids, t, E), (None, 0), IDS, random(3, 5, DIM)),
            (lambda ids, t: pt.embed(ids, t, E), (0, 1), torch.stack([IDS, IDS, IDS * 0]), random(5, 3, DIM)),
            (lambda q: pt.rotate([q], R)[0], (0,), q),
            (lambda q: pt.rotate([q], R, token_axis=-2)[0], (0,), random(3, 5, DIM)),
            (lambda q, k: tuple(pt.rotate([q, k], R, POSITIONS)), (0, 0), q, k),
            (lambda q, k: tuple(pt.rotate([q, k], R, p)), (0, None), q, k[0]),
            (lambda q, p: pt.rotate([q], R, p)[0], (0, 0), q, three),
            (lambda q, p: pt.rotate([q], axes, p)[0], (0, 0), q, several),
            (lambda q, p: pt.rotate([q], axes, p)[0], (0, 0), q, several[:, :, 0]),
            (lambda q, p: pt.rotate([q], axes, p)[0], (None, 0), q[0], several),
            (lambda p: pt.cos_sin(p, axes)[1], (0,), several),
            (lambda p: pt.cos_sin(p, R)[0], (1,), POSITIONS),
        ]
        for i, (call, dims, *tensors) in enumerate(cases):
            with self.subTest(i):
                made = self.func.vmap(call, in_dims=dims)(*tensors)
                ones = [call(*(t if d is None else t.select(d, b) for t, d in zip(tensors, dims)))
                        for b in range(max(t.shape[d] for t, d in zip(tensors, dims) if d is not None))]
                if not isinstance(made, tuple):
                    made, ones = (made,), [(one,) for one in ones]
                for j, one in enumerate(made):
                    self.same(one, torch.stack([some[j] for some in ones]))

    def test_gradients(self):
        self.need_2()
        x, table = random(4, 5, DIM), random(5, DIM)
        self.assertTrue((self.func.grad(lambda x: pt.add(x, E, scale=2.0).sum())(x) == 2).all())
        self.assertTrue((self.func.vmap(self.func.grad(lambda x: pt.add(x, E, scale=2.0).sum()))(x) == 2).all())
        each = self.func.vmap(self.func.grad(lambda t, ids: pt.embed(ids, t, E).sum()), in_dims=(None, 0))(table, IDS)
        for made, ids in zip(each, IDS):
            self.same(made[:, 0], ids.bincount(minlength=5).float())
        padded = lambda t, ids: pt.embed(ids, t, E, padding_idx=1).sum()
        each = self.func.vmap(self.func.grad(padded), in_dims=(None, 0))(table, IDS)
        tables = table.expand(2, 5, DIM).clone()
        both = self.func.grad(lambda tables: self.func.vmap(padded)(tables, IDS).sum())(tables)
        for made in (*zip(each, IDS), *zip(both, IDS)):
            self.same(made[0][:, 0], made[1].bincount(minlength=5).float() * torch.tensor([1.0, 0, 1, 1, 1]))
        value, tangent = self.func.jvp(lambda x: pt.rotate([x], R, token_axis=-2)[0], (x,), (x * 2,))
        self.same(value, ROTARY.rotate(x, token_axis=-2))
        self.same(tangent, ROTARY.rotate(x * 2, token_axis=-2))
        for at in 0, 1:
            value, tangent = self.func.jvp(lambda q: pt.rotate((q, x[:1]), R, token_axis=-2)[at], (x,), (x * 2,))
            self.same(value, ROTARY.rotate((x, x[:1])[at], token_axis=-2))
            self.same(tangent, torch.zeros(1, 5, DIM) if at else ROTARY.rotate(x * 2, token_axis=-2))
        jacobian = self.func.jacfwd(lambda q: pt.rotate((q, x[0, :2]), R, token_axis=-2)[0])(x[0, :2])
        self.same(jacobian, self.func.jacrev(lambda q: pt.rotate([q], R, token_axis=-2)[0])(x[0, :2]))
        hessian = self.func.hessian(lambda x: (pt.rotate([x], R, token_axis=-2)[0] ** 2).sum() / 2)(x[0, :2])
        self.assertTrue(torch.allclose(hessian.reshape(2 * DIM, 2 * DIM), torch.eye(2 * DIM), atol=1e-6))

        for padding, counts in (None, [2, 6, 1, 0, 0]), (1, [2, 0, 1, 0, 0]):  # how often each row is used
            loss = lambda t: (pt.embed(torch.tensor([1, 0, 1, 1, 2, 1, 0, 1, 1]), t, E, padding_idx=padding) ** 2).sum() / 2
            hessian = self.func.hessian(loss)(table).reshape(5 * DIM, 5 * DIM)
            self.same(hessian, torch.tensor(counts).float().repeat_interleave(DIM).diag())

    def test_functionalize(self):
        for name, (call, *tensors) in GRAPHS.items():
            with self.subTest(name):
                self.same(self.func.functionalize(call)(*tensors), call(*tensors))

    def test_in_place(self):
        self.need_2()
        self.assertTrue((self.func.grad(lambda x: _in_place(x).sum())(random(5, DIM)) == 6).all())
        self.same(self.func.vmap(_in_place)(random(4, 5, DIM)), _in_place(random(4, 5, DIM)))


class Refusals(Operators):
    """Wrong calls raise the errors that torch's operators raise, directly and through the dispatcher. Nothing is written."""

    def refused(self, error, text, call, x):
        for leaf in x, x.detach().clone().requires_grad_() if x.is_floating_point() and x._base is None else x:
            before = leaf.detach().clone()
            with self.assertRaisesRegex(error, text):
                call(leaf)
            if not leaf.is_meta:
                self.assertTrue(torch.equal(leaf.detach(), before))

    def test_tensors(self):
        for x, text in ((torch.zeros(3, 7), "x must have 16 columns"), (torch.zeros(()), "x must have 16 columns"), (torch.zeros(3, DIM, dtype=torch.int32), "x must be of float32.* not .*int32"),
                        (torch.zeros(3, DIM, dtype=torch.cfloat), "x (is of a type|must be of)"), (torch.zeros(3, DIM).to_sparse(), "x must be a strided tensor|posenc::")):
            if x.layout == torch.strided:
                self.refused(RuntimeError, text, lambda x: pt.add(x, E), x)
                self.refused(RuntimeError, text if not x.requires_grad else "", lambda x: pt.add_(x, E), x)
            else:
                with self.assertRaisesRegex(RuntimeError, text):
                    pt.add_(x, E)
        for q, text in ((torch.zeros(3, 2, 7), "q must have 16 columns"), (torch.zeros(3, DIM), "q must have at least 3 axes"), (torch.zeros(3, 2, DIM, dtype=torch.int32), "q must be of float32")):
            self.refused(RuntimeError, text, lambda q: pt.rotate([q], R), q)
            self.refused(RuntimeError, text, lambda q: pt.rotate_([q], R), q)
        q = torch.zeros(3, 2, DIM)
        for k, text in ((torch.zeros(4, 2, DIM), "k must have as many tokens as q"), (torch.zeros(3, 2, DIM).half(), "k must be of the same type as q")):
            self.refused(RuntimeError, text, lambda q: pt.rotate([q, k], R), q)
            self.refused(RuntimeError, text, lambda q: pt.rotate_([q, k], R), q)
        for table, text in ((torch.zeros(3, 7), "table must have 16 columns"), (torch.zeros(DIM), "table must have two axes"), (torch.zeros(3, DIM).int(), "table must be of float32")):
            self.refused(RuntimeError, text, lambda table: pt.embed(IDS, table, E), table)

    def test_layouts(self):
        def dense(tensor):
            return tensor if tensor.layout == torch.strided else tensor.to_dense()

        for convert in torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr, torch.Tensor.to_mkldnn:
            x, q = convert(torch.ones(3, DIM)), torch.ones(3, 2, DIM)
            k = q.flatten(1).to_sparse_csr() if convert is torch.Tensor.to_sparse_csr else convert(q)
            for name, call, written in (("x", lambda: pt.add(x, E), x), ("x", lambda: pt.add_(x, E), x), ("table", lambda: pt.embed(IDS[:, :3], x, E), x),
                                        ("k", lambda: pt.rotate([q, k], R), k), ("k", lambda: pt.rotate_([q, k], R), q), ("q", lambda: pt.rotate([k], R), k)):
                with self.assertRaisesRegex(RuntimeError, f"^{name} must be a strided tensor, not torch.(sparse_coo|sparse_csr|_mkldnn)"):
                    call()
                self.assertTrue((dense(written) == 1).all())

    def test_ids(self):
        table = torch.zeros(5, DIM)
        for ids, error, text in ((torch.tensor([0, 5]), IndexError, r"ids\[1\]"), (torch.tensor([-1]), IndexError, r"ids\[0\]"), (torch.tensor([1.0]), RuntimeError, "ids must be integers"),
                                 (torch.tensor([True]), RuntimeError, "ids")):
            self.refused(error, text, lambda table: pt.embed(ids, table, E), table)

    def test_positions(self):
        x = torch.zeros(2, 3, DIM)
        for positions, text in ((torch.zeros(4), "positions must have the shape"), (torch.zeros(3, 2), "positions must have the shape"), (torch.zeros(3).bool(), "positions"),
                                (torch.tensor([0.0, float("nan"), 1.0]), r"positions\[1\]"),
                                (torch.tensor([0, 1, 2**31 + 1]), r"positions\[2\]"),
                                (torch.tensor([0, float("-inf"), 2]), r"positions"), (torch.zeros(3, dtype=torch.cfloat), "positions must be numbers"),
                                (torch.zeros(3, device="meta"), "positions is on (meta|another device)")):
            self.refused(RuntimeError, text, lambda x: pt.add(x, E, positions), x)
            with self.assertRaisesRegex(RuntimeError, text):
                pt.add_(x, E, positions)
            self.refused(RuntimeError, text, lambda x: pt.rotate([x], R, positions, token_axis=-2) if positions.shape != (3, 2) else pt.add(x, E, positions), x)
            self.assertFalse(x.any())
        self.refused(RuntimeError, "first and positions exclude each other", lambda x: pt.add(x, E, torch.zeros(3), 1), x)
        self.refused(RuntimeError, "first", lambda x: pt.add(x, E, first=2**31 - 1), x)
        self.refused(RuntimeError, "first", lambda x: pt.add(x, E, first="a"), x)
        for several in [1, 2], torch.tensor([1, 2]), None:  # the same for calls of every size, with and without gradients
            for rows in 3, 600:
                x = torch.zeros(2, rows, DIM)
                self.refused(RuntimeError, "first", lambda x: pt.add(x, E, first=several), x)
                self.refused(RuntimeError, "first", lambda x: pt.rotate([x], R, first=several, token_axis=-2), x)
        self.same(pt.add(x, E, first=torch.tensor(3)), pt.add(x, E, first=3))
        for rows in 3, 2000:
            with self.assertRaisesRegex(RuntimeError, "^x is on another device"):  # the meta device stands for a GPU
                pt._kernels.add(torch.zeros(rows, DIM, device="meta"), E, None, 0, 1.0)
        self.refused(RuntimeError, "scale", lambda x: pt.add(x, E, scale="a"), x)

    def test_fractions_and_negative(self):
        """Fractions and negative numbers are positions like any others."""
        p = torch.tensor([0.5, -3.0, -0.25])
        self.same(pt.add(torch.zeros(3, DIM, requires_grad=True), E, p).detach(), ENCODER.encode(p))

    def test_in_place(self):
        for call in (lambda x: pt.add_(x, E), lambda x: pt.rotate_([x], R, token_axis=-2)):
            leaf = torch.ones(3, 2, DIM, requires_grad=True)
            several = leaf.detach().clone().requires_grad_() * 1
            for refused in leaf, leaf[:2], several.unbind(1)[0][:, None]:
                with self.assertRaisesRegex(RuntimeError, "leaf Variable that requires grad|multiple views"):
                    call(refused)
                self.assertTrue((refused == 1).all())
            expanded = torch.ones(2, DIM).expand(3, 2, DIM)
            for refused in expanded, torch.ones(2, DIM, requires_grad=True).mul(1).expand(3, 2, DIM):
                with self.assertRaisesRegex(RuntimeError, "^stride of the batch|^q|single memory location|leaf"):
                    call(refused)
                self.assertTrue((refused == 1).all())
            with torch.no_grad():
                call(leaf)
            self.assertFalse((leaf == 1).all())

    def test_all_or_none(self):
        """If one tensor is wrong, the tensors before it are unchanged."""
        shared = torch.ones(3, 2, DIM)
        several = torch.ones(3, 2, 2, DIM, requires_grad=True).mul(1).unbind(2)[0]
        for grad in False, True:
            for k, text in ((torch.ones(3, 2, DIM, requires_grad=True), "leaf Variable"),
                            (torch.ones(3, 1, DIM).expand(3, 2, DIM), "^k"), (torch.ones(3, DIM, 2).mT, "^k"),
                            (several, "multiple views"), (None, "overlap")):
                q = torch.ones(3, 2, DIM, requires_grad=grad) * 1
                with self.assertRaisesRegex(RuntimeError, text):
                    pt.rotate_([q, q if k is None else k], R, token_axis=-2)
                self.assertTrue((q == 1).all())
        for none in torch.ones(0, 1, DIM), torch.ones(3, 0, DIM), torch.ones(2, 0, 1, DIM):  # the last one has a stride of 0
            pt.rotate_([none.requires_grad_() * 1, none.detach()], R)
        q = torch.ones(3, 2, DIM, requires_grad=True) * 1
        both = pt.rotate_([q, shared], R, token_axis=-2)  # one of them has no gradient
        self.same(both[0].detach(), both[1])
        self.assertFalse(shared.requires_grad)

    def test_types_that_are_taken(self):
        """Messages name all types that are accepted."""
        x, table = torch.ones(3, DIM, dtype=torch.int32), torch.ones(3, DIM)
        for call in (lambda: pt.add(x, E), lambda: pt.add_(x, E), lambda: pt.rotate([x], R, token_axis=-2),
                     lambda: pt.rotate_([x], R, token_axis=-2), lambda: pt.embed(IDS % 3, x, E)):
            with self.assertRaisesRegex(RuntimeError, "must be of float32, float16, bfloat16 or float64, not torch.int32"):
                call()
        for dtype in torch.int32, torch.float16:
            with self.assertRaisesRegex(RuntimeError, "dtype must be the table's, float32 or float64, not torch"):
                pt.embed(IDS % 3, table, E, dtype=dtype)

    def test_overlap(self):
        """Overlapping tensors are refused for each type. Tensors may share memory, but not elements."""
        for dtype in *FLOATS, torch.float64:
            with self.subTest(dtype):
                memory = torch.ones(6 * 2 * DIM, dtype=dtype)
                q = memory[: 2 * 2 * DIM].view(2, 2, DIM)
                for k in q, memory[DIM : 5 * DIM].view(2, 2, DIM), torch.ones(2, 1, DIM, dtype=dtype).expand(2, 2, DIM):
                    with self.assertRaisesRegex(RuntimeError, "overlap|^k"):
                        pt.rotate_([q, k], R)
                    self.assertTrue((memory == 1).all())
                fused = memory.view(2, 3, 2, DIM)
                for made in pt.rotate_(fused.unbind(1)[:2], R):
                    self.same(made, pt.rotate([torch.ones(2, 2, DIM, dtype=dtype)], R)[0])
                self.assertTrue((fused[:, 2] == 1).all())

    def test_others(self):
        for thing in [1.0], None, "x", numpy_ones():
            for call in (lambda: pt.add(thing, E), lambda: pt.add_(thing, E), lambda: pt.encode(thing, E), lambda: pt.embed(thing, torch.zeros(3, DIM), E)):
                with self.assertRaises((RuntimeError, TypeError)):
                    call()
        for text in "", "[]", '["Encoder", 0, {}]', '["Encoder", 16, {"no": 1}]', "x":
            with self.assertRaises((RuntimeError, TypeError, ValueError)):
                pt.add(torch.zeros(3, DIM), text)

    def test_versions(self):
        """backward() refuses to use a tensor that has been overwritten."""
        x = torch.ones(3, DIM, requires_grad=True)
        y = x * 2
        z = y * y
        pt.add_(y, E)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            z.sum().backward()


def numpy_ones():
    import numpy

    return numpy.ones((3, DIM), "float32")


if __name__ == "__main__":
    unittest.main()
