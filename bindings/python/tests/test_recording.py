"""Tests that nothing is lost silently when torch records: gradients, versions, traces, transforms, fake tensors."""

import unittest
import warnings

import numpy
import posenc

try:
    import torch
except ImportError:
    raise unittest.SkipTest("SKIPPED: python3-torch is not installed")

ENCODER, ROTARY = posenc.Encoder(8), posenc.Rotary(8)
WEIGHT = torch.ones(8, 3)


def ones(*shape):
    return numpy.ones(shape, "float32")


def grid_axes():
    return [(ENCODER, 0, 3)]


# All calls that write into a tensor x [3, 8].
WRITES = {
    "add_": lambda x: ENCODER.add_(x),
    "add_, scale": lambda x: ENCODER.add_(x, scale=2),
    "add_, positions": lambda x: ENCODER.add_(x, positions=[1, 2, 3]),
    "add_, first": lambda x: ENCODER.add_(x[:, None], first=[1, 2, 3]),
    "rotate_": lambda x: ROTARY.rotate_(x[:, None]),
    "rotate_, k": lambda x: ROTARY.rotate_(ones(3, 2, 8), x[:, None]),
    "rotate_, positions": lambda x: ROTARY.rotate_(x, positions=[1, 2, 3], token_axis=-2),
    "rotate_, each": lambda x: ROTARY.rotate_(x[:, None, None], positions=[[1], [2], [3]]),
    "grid_add_": lambda x: posenc.grid_add_(x, grid_axes()),
    "encode": lambda x: ENCODER.encode([1, 2, 3], out=x),
    "table": lambda x: ENCODER.table(3, out=x),
    "embed": lambda x: ENCODER.embed([0, 1, 1], ones(2, 8), out=x),
    "embed, positions": lambda x: ENCODER.embed([0, 1, 1], ones(2, 8), positions=[1, 2, 3], out=x),
    "grid": lambda x: posenc.grid(grid_axes(), out=x),
    "posenc.encode": lambda x: posenc.encode([1, 2, 3], 8, out=x),
    "posenc.table": lambda x: posenc.table(3, 8, out=x),
}

# All calls that read numbers from a tensor t [3], and the name of the argument.
READS = {
    "encode": ("positions", lambda t: ENCODER.encode(t)),
    "encode, list": ("positions", lambda t: ENCODER.encode([[t[0]], [t[1]]])),
    "posenc.encode": ("positions", lambda t: posenc.encode(t, 8)),
    "add_, positions": ("positions", lambda t: ENCODER.add_(ones(3, 8), positions=t)),
    "add_, scale": ("scale", lambda t: ENCODER.add_(ones(3, 8), scale=t[0])),
    "embed, table": ("table", lambda t: ENCODER.embed([0, 1], t[:, None].expand(3, 8).contiguous())),
    "embed, positions": ("positions", lambda t: ENCODER.embed([0, 1, 0], ones(2, 8), positions=t)),
    "embed, scale": ("scale", lambda t: ENCODER.embed([0, 1, 0], ones(2, 8), scale=t[0])),
    "rotate_, positions": ("positions", lambda t: ROTARY.rotate_(ones(3, 2, 8), positions=t)),
    "rotate": ("q", lambda t: ROTARY.rotate(t[:, None, None].expand(3, 1, 8).contiguous())),
    "rotate_, scale": ("scale", lambda t: ROTARY.rotate_(ones(3, 2, 8), scale=t[0])),
    "rotate_, scales": ("scale", lambda t: ROTARY.rotate_(ones(3, 2, 8), scale=[t[0]])),
    "cache": ("positions", lambda t: ROTARY.cache(positions=t)),
    "grid": ("positions", lambda t: posenc.grid([(ENCODER, 0, t)])),
    "grid_add_": ("positions", lambda t: posenc.grid_add_(ones(3, 8), [(ENCODER, 0, t)])),
    "grid_add_, scale": ("scale", lambda t: posenc.grid_add_(ones(3, 8), grid_axes(), scale=t[0])),
    "frequencies": ("frequencies", lambda t: posenc.Encoder(6, frequencies=t)),
    "frequencies, list": ("frequencies", lambda t: posenc.Encoder(6, frequencies=list(t))),
    "base": ("base", lambda t: posenc.Encoder(6, base=1 + t[0])),
    "rotary's frequencies": ("frequencies", lambda t: posenc.Rotary(6, frequencies=t)),
    "factors": ("factors", lambda t: posenc.Rotary(6, factors=t, scaling="frequency_factors")),
    "rotary's factor": ("factor", lambda t: posenc.Rotary(6, factor=t[0], scaling="linear")),
}

# All calls that return a tensor without taking one.
MAKES = {
    "table": lambda: ENCODER.table(3, dtype=torch.float32),
    "encode": lambda: ENCODER.encode([1, 2, 3], dtype=torch.bfloat16),
    "embed": lambda: ENCODER.embed([1], numpy.ones((2, 8), "float32"), dtype=torch.float32),
    "cache": lambda: ROTARY.cache(3, dtype=torch.float32),
    "grid": lambda: posenc.grid(grid_axes(), dtype=torch.float64),
    "posenc.table": lambda: posenc.table(3, 8, dtype=torch.float32),
    "of NumPy": lambda: ENCODER.table(3),
}


def numbers():
    return torch.tensor([1.0, 2.0, 3.0])


class Recording(unittest.TestCase):
    def refused(self, error, text, call, *arguments):
        with self.assertRaisesRegex(error, text):
            call(*arguments)


class Gradients(Recording):
    def test_written(self):
        """Tensors that require a gradient are refused while gradients are recorded, whether they are leaves or not."""
        for call, write in WRITES.items():
            with self.subTest(call=call):
                leaf = torch.ones(3, 8, requires_grad=True)
                for x in (leaf, torch.nn.Parameter(torch.ones(3, 8)), leaf * 1):
                    self.refused(ValueError, "^(x|q|k|out) requires a gradient, and posenc records none: ", write, x)
                    self.assertTrue((x == 1).all())
                    self.assertEqual(x._version, 0)

    def test_read(self):
        for call, (name, read) in READS.items():
            with self.subTest(call=call):
                self.refused(ValueError, f"{name} requires a gradient", read, numbers().requires_grad_())

    def test_without_gradients(self):
        """While nothing is recorded, parameters are accepted like other tensors."""
        for without in torch.no_grad, torch.inference_mode:
            for call, write in WRITES.items():
                with self.subTest(call=call):
                    with without():
                        x, parameter = torch.ones(3, 8), torch.nn.Parameter(torch.ones(3, 8))
                        write(x)
                        write(parameter)
                    self.assertFalse((parameter == 1).all())
                    self.assertTrue(torch.equal(parameter.detach(), x))
            for call, (_, read) in READS.items():
                with self.subTest(call=call):
                    with without():
                        read(torch.nn.Parameter(numbers()))
        parameter = torch.nn.Parameter(torch.ones(3, 8))
        torch.no_grad()(ENCODER.add_)(parameter)
        self.assertEqual(parameter._version, 1)

    def test_what_is_right(self):
        """The calls that messages recommend are right."""
        x, table = torch.randn(3, 8, requires_grad=True), torch.randn(5, 8, requires_grad=True)
        with self.assertRaisesRegex(ValueError, r"x \+ encoder.table\(..., dtype=x.dtype\), which torch records"):
            ENCODER.add_(x)
        y = x + ENCODER.table(3, dtype=x.dtype)
        self.assertTrue(torch.equal(y.detach(), ENCODER.add_(x.detach().clone())))
        y.sum().backward()
        self.assertTrue((x.grad == 1).all())

        with self.assertRaisesRegex(ValueError, r"x \+ posenc.grid\(..., dtype=x.dtype\)"):
            posenc.grid_add_(x, grid_axes())
        y = x + posenc.grid(grid_axes(), dtype=x.dtype)
        self.assertTrue(torch.equal(y.detach(), posenc.grid_add_(x.detach().clone(), grid_axes())))

        ids = torch.tensor([4, 0, 4])
        with self.assertRaisesRegex(ValueError, r"embedding\(ids, table\) \+ encoder.table\(..., dtype=table.dtype\)"):
            ENCODER.embed(ids, table)
        y = torch.nn.functional.embedding(ids, table) + ENCODER.table(3, dtype=table.dtype)
        self.assertTrue(torch.equal(y.detach(), ENCODER.embed(ids, table.detach())))

        with self.assertRaisesRegex(ValueError, r"q \* cos \+ rotate_half\(q\) \* sin.*rotary.cache\(..., layout=\"duplicated\"\)"):
            ROTARY.rotate_(x[:, None])
        cos, sin = ROTARY.cache(3, layout="duplicated", dtype=x.dtype)
        a, b = x.chunk(2, -1)
        y = x * cos + torch.cat((-b, a), -1) * sin
        want = ROTARY.rotate_(x.detach().clone()[:, None])[:, 0]
        self.assertLess((y.detach() - want).abs().max().item(), 1e-6)
        x.grad = None
        weight = torch.randn(3, 8)
        (y * weight).sum().backward()
        back = ROTARY.rotate_(weight.clone()[:, None], inverse=True)[:, 0]
        self.assertLess((x.grad - back).abs().max().item(), 1e-6)

    def test_versions(self):
        """backward() notices that a tensor that it needs was overwritten, by each of the calls."""
        weight = WEIGHT.clone().requires_grad_()
        for call, write in WRITES.items():
            with self.subTest(call=call):
                x = torch.ones(3, 8)
                y = (x @ weight).sum()
                write(x)
                self.assertEqual(x._version, 1)
                self.refused(RuntimeError, "modified by an inplace operation", y.backward)
                base = torch.ones(6, 8)
                y = (base @ weight).sum()
                write(base[1:4].detach())  # a view shares the counter
                self.refused(RuntimeError, "modified by an inplace operation", y.backward)
        x = torch.ones(3, 8)
        (x @ weight).sum().backward()  # a tensor that is only read has not changed
        for call, (_, read) in READS.items():
            with self.subTest(call=call):
                t = numbers()
                read(t)
                self.assertEqual(t._version, 0)

    def test_versions_of_refused_calls(self):
        x = torch.ones(3, 8)
        for refused in (
            lambda: ENCODER.add_(x, positions=[0, 1, 2**40]),
            lambda: ENCODER.add_(x, positions=[0, 1]),
            lambda: ROTARY.rotate_(x[:, None], first=2**40),
            lambda: ENCODER.table(3, first=2**40, out=x),
            lambda: ENCODER.encode([0, 1, float("nan")], out=x),
            lambda: posenc.grid([(ENCODER, 0, [0, 1, 2**40])], out=x),
            lambda: posenc.grid_add_(x, [(ENCODER, 0, [0, 1, 2**40])]),
        ):
            with self.assertRaises(ValueError):
                refused()
            self.assertEqual(x._version, 0)

    def test_inference_tensors(self):
        """Inference tensors can be written, inside inference_mode and outside: they have no version, and take no part in gradients."""
        with torch.inference_mode():
            x, normal = ENCODER.table(3, dtype=torch.float32), torch.ones(3, 8)
            ENCODER.add_(x)
        ENCODER.add_(x)
        self.assertTrue(torch.allclose(x, 3 * ENCODER.table(3, dtype=torch.float32)))
        normal = torch.ones(3, 8)
        with torch.inference_mode():
            ENCODER.add_(normal)
        self.assertEqual(normal._version, 1)

    def test_views_made_without_gradients(self):
        leaf = torch.ones(6, 8, requires_grad=True)
        with torch.no_grad():
            view = leaf[:3]
            ENCODER.add_(view)
        self.assertEqual(leaf._version, 1)
        self.refused(ValueError, "x requires a gradient", ENCODER.add_, view)
        first, second = torch.ones(6, 8).split(3)
        ENCODER.add_(second)
        self.assertEqual((first._version, first.sum().item()), (1, 24))

    def test_forward_mode(self):
        import torch.autograd.forward_ad as forward_ad

        with forward_ad.dual_level():
            for call, write in WRITES.items():
                with self.subTest(call=call):
                    write(torch.ones(3, 8))
                    self.refused(ValueError, "^(x|q|k|out) has a tangent", write,
                                 forward_ad.make_dual(torch.ones(3, 8), torch.ones(3, 8)))
            for call, (name, read) in READS.items():
                with self.subTest(call=call):
                    read(numbers())
                    self.refused(ValueError, f"{name} has a tangent", read, forward_ad.make_dual(numbers(), numbers()))


class Traces(Recording):
    def traced(self, work, x):
        class Module(torch.nn.Module):
            def forward(self, x):
                work(x)
                return x * 1

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the test's own Python code on tensors would warn
            return torch.jit.trace(Module(), x, check_trace=False)

    def test_trace(self):
        for call, write in WRITES.items():
            with self.subTest(call=call):
                self.refused(RuntimeError, "torch.jit.trace is recording", self.traced, write, torch.ones(3, 8))
        for call, (_, read) in READS.items():
            with self.subTest(call=call):
                self.refused(RuntimeError, "torch.jit.trace is recording", self.traced, read, numbers())
        for call, make in MAKES.items():
            with self.subTest(call=call):
                self.refused(RuntimeError, "torch.jit.trace is recording", self.traced, lambda x, make=make: make(), numbers())

    def test_what_is_right(self):
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("pe", ENCODER.table(9, dtype=torch.float32))

            def forward(self, x):
                return x + self.pe[: x.shape[0]]

        traced = torch.jit.trace(Module(), torch.ones(3, 8))
        self.assertTrue(torch.equal(traced(torch.ones(5, 8)), 1 + ENCODER.table(5, dtype=torch.float32)))
        ENCODER.add_(torch.ones(3, 8))  # tracing has ended

    def test_make_fx(self):
        try:
            from torch.fx.experimental.proxy_tensor import make_fx
        except ImportError:
            self.skipTest("SKIPPED: torch without make_fx")
        for mode in "real", "fake", "symbolic":
            for call, write in WRITES.items():
                with self.subTest(call=call):
                    self.refused(RuntimeError, "is recording|with symbolic sizes", make_fx(write, tracing_mode=mode), torch.ones(3, 8))
            for call, make in MAKES.items():
                with self.subTest(call=call):
                    self.refused(RuntimeError, "is recording", make_fx(lambda x: (make(), x)[1], tracing_mode=mode), numbers())

    def test_fake_tensors(self):
        try:
            from torch._subclasses import FakeTensorMode
        except ImportError:
            self.skipTest("SKIPPED: torch without fake tensors")
        with FakeTensorMode():
            fake, t = torch.ones(3, 8), numbers()
            self.refused(RuntimeError, "FakeTensorMode is recording", ENCODER.add_, fake)
        for call, write in WRITES.items():
            with self.subTest(call=call):
                self.refused(ValueError, "^(x|q|k|out) is a .*FakeTensor, whose elements posenc cannot reach", write, fake)
        for call, (name, read) in READS.items():
            with self.subTest(call=call):
                self.refused(ValueError, f"^{name} is a .*FakeTensor|axes.*positions is a .*FakeTensor", read, t)

    def test_symbolic_trace(self):
        """torch.fx: a call with a proxy is refused. A call without one is a constant in the graph."""
        with self.assertRaisesRegex(TypeError, "Proxy"):
            torch.fx.symbolic_trace(lambda x: ENCODER.add_(x))
        with self.assertRaisesRegex(TypeError, "Proxy"):
            torch.fx.symbolic_trace(lambda x: ENCODER.encode(x))
        with self.assertRaisesRegex(TypeError, "Proxy"):
            torch.fx.symbolic_trace(lambda x: ENCODER.add_(torch.ones(3, 8), scale=x))
        graph = torch.fx.symbolic_trace(lambda x: x + ENCODER.table(3, dtype=torch.float32))
        self.assertTrue(torch.equal(graph(torch.ones(3, 8)), 1 + ENCODER.table(3, dtype=torch.float32)))

    def test_compile(self):
        """torch.compile breaks its graph at calls of posenc, and runs them."""
        if not hasattr(torch, "compile"):
            self.skipTest("SKIPPED: torch without compile")

        @torch.compile(backend="eager")
        def compiled(x):
            x = x * 2
            ENCODER.add_(x)
            return x + ENCODER.table(len(x), dtype=torch.float32) + posenc.table(3, 8, dtype=torch.float32)

        got = compiled(torch.ones(3, 8))
        self.assertTrue(torch.allclose(got, 2 + 3 * ENCODER.table(3, dtype=torch.float32)))


class Transforms(Recording):
    def setUp(self):
        try:
            import functorch  # in torch 1.13; torch 2 has torch.func

            self.func = getattr(torch, "func", functorch)
        except ImportError:
            self.skipTest("SKIPPED: torch without functorch")

    def transforms(self):
        yield "vmap", lambda work: self.func.vmap(work)
        yield "grad", lambda work: self.func.grad(lambda x: (work(x), x.sum())[1])
        yield "jvp", lambda work: lambda x: self.func.jvp(work, (x,), (torch.ones_like(x),))
        yield "functionalize", lambda work: self.func.functionalize(work)

    def test_all(self):
        text = "is inside a transform of torch.func"
        for name, transform in self.transforms():
            some = (lambda x: x.expand(4, *x.shape).contiguous()) if name == "vmap" else (lambda x: x)
            for call, write in WRITES.items():
                with self.subTest(call=call):
                    self.refused(ValueError, "^(x|q|k|out) " + text, transform(lambda x, write=write: (write(x), x)[1]),
                                 some(torch.ones(3, 8)))
            for call, (argument, read) in READS.items():
                with self.subTest(call=call):
                    self.refused(ValueError, f"{argument} {text}", transform(lambda x, read=read: (read(x), x)[1]),
                                 some(numbers()))

    def test_tables(self):
        """Tables that are made without a tensor are constants, and right."""
        want = ENCODER.table(3, dtype=torch.float32)

        def work(x):
            return x * 2 + ENCODER.table(3, dtype=torch.float32)

        gradient = self.func.grad(lambda x: work(x).sum())(torch.ones(3, 8))
        self.assertTrue((gradient == 2).all())
        self.assertTrue(torch.equal(self.func.vmap(work)(torch.ones(4, 3, 8))[2], 2 + want))
        value, tangent = self.func.jvp(work, (torch.ones(3, 8),), (torch.ones(3, 8),))
        self.assertTrue(torch.equal(value, 2 + want) and (tangent == 2).all())
        self.assertTrue(torch.equal(self.func.functionalize(work)(torch.ones(3, 8)), 2 + want))

    def test_captured(self):
        """A tensor from outside the transform may be read but not written, as with torch's own in-place operators."""
        captured = torch.ones(3)
        table = ENCODER.encode(captured)
        self.func.grad(lambda x: (self.assertTrue(torch.equal(ENCODER.encode(captured), table)), x.sum())[1])(torch.ones(3))
        for call, write in WRITES.items():
            with self.subTest(call=call):
                captured = torch.ones(3, 8)
                self.refused(ValueError, "^(x|q|k|out) is inside a transform",
                             self.func.grad(lambda x, write=write: (write(captured), x.sum())[1]), torch.ones(3))
                self.assertTrue((captured == 1).all())


class Subclasses(Recording):
    def test_plain(self):
        class Named(torch.Tensor):
            pass

        x = torch.ones(3, 8).as_subclass(Named)
        self.assertIs(ENCODER.add_(x), x)
        self.assertEqual(x._version, 1)
        self.assertFalse((x == 1).all())

    def test_wrappers(self):
        class Wrapper(torch.Tensor):
            @staticmethod
            def __new__(cls, inner):
                return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                raise AssertionError(func)

        for write in (WRITES[name] for name in ("add_", "rotate_, positions", "table", "encode", "embed", "grid", "grid_add_")):
            self.refused(ValueError, "is a .*Wrapper, whose elements posenc cannot reach", write, Wrapper(torch.ones(3, 8)))

    def test_without_elements(self):
        self.refused(ValueError, "x has no elements in memory", ENCODER.add_, torch._efficientzerotensor((3, 8)))
        self.refused(ValueError, "positions has no elements in memory", ENCODER.encode, torch._efficientzerotensor((3,)))


if __name__ == "__main__":
    unittest.main()
