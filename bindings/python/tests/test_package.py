"""Tests the installed package: the module exports only its own symbols; types, help and pickling work."""

import copy
import fractions
import glob
import importlib.metadata
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest

import numpy
import posenc

MODULE, = glob.glob(os.path.join(os.path.dirname(posenc.__file__), "_posenc.*so"))
STUBGEN = os.environ.get("POSENC_STUBGEN", "")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Package(unittest.TestCase):
    def test_the_library_is_inside(self):
        needed = output("ldd", MODULE)
        self.assertNotIn("hwy", needed)
        self.assertNotIn("posenc.so", needed)
        shown = [line.split()[-1] for line in output("nm", "-D", "--defined-only", MODULE).splitlines()]
        self.assertEqual(shown, ["PyInit__posenc"])

    def test_version(self):
        self.assertEqual(importlib.metadata.version("posenc"), posenc.version)

    def test_targets(self):
        targets = posenc.targets()
        self.assertEqual(targets[-1].name, "REFERENCE")
        self.assertEqual([t.name for t in targets if t.best], [posenc.Encoder(4).target])
        tables = [posenc.table(70, 64, target=t.name).tobytes() for t in targets if t.runnable]
        self.assertEqual(len(set(tables)), 1)
        print(posenc.version, [t.name for t in targets if t.runnable])

    def test_presets(self):
        for name, preset in posenc.presets().items():
            self.assertTrue(preset.formula and preset.source, name)
            own = {"frequencies": range(1, 17)} if name in ("gaussian_fourier", "edm_fourier") else {}
            try:
                made = posenc.Encoder.preset(name, 32, **own)
            except ValueError as error:
                self.assertIn("freq", str(error), name)
                continue
            self.assertEqual(made.table(3).shape, (3, 32))
        for name in posenc.rotary_presets():
            try:
                posenc.Rotary.preset(name, 128)
            except ValueError as error:
                self.assertRegex(str(error), "head_dim|factor|length|section", name)

    def test_objects(self):
        encoder = posenc.Encoder(8, preset="fairseq", frequencies=[1, 2, 3, 4])
        again = pickle.loads(pickle.dumps(encoder))
        self.assertTrue((again.table(9) == encoder.table(9)).all())
        self.assertIs(copy.deepcopy(encoder), encoder)
        self.assertEqual(repr(posenc.Encoder(8, base=100.0)), "posenc.Encoder.from_spec('dim=8 base=100')")
        rotary = pickle.loads(pickle.dumps(posenc.Rotary.preset("llama3", 128)))
        self.assertEqual(repr(rotary), "posenc.Rotary.from_spec('head_dim=128 rotary_dim=128 base=500000 "
                         "scaling=llama3 factor=8 original_length=8192')")
        self.assertEqual((rotary.head_dim, rotary.amplitude, len(rotary.frequencies)), (128, 1.0, 64))

    def test_specs(self):
        """The text of a spec, which is ONNX's attribute `spec` too."""
        listed = numpy.array([0.5, 0.1], "float32")
        for made, text in ((posenc.Encoder(8, base=7.5, nan_rows=True), "dim=8 base=7.5 nan_rows=1"),
                           (posenc.Encoder(8, padding_position=0, target=None), "dim=8 padding_position=0"),
                           (posenc.Rotary(4, frequencies=listed), "head_dim=4 frequencies_f32=0.5:0.1"),
                           (posenc.Rotary(4, frequencies=[0.5, 0.1]), "head_dim=4 frequencies=0.5:0.1"),
                           (posenc.Rotary(4, axes=2, sections=[1, 1]), "head_dim=4 sections=1:1"),
                           (posenc.Rotary(4, base=fractions.Fraction(5)), "head_dim=4 base=5"),
                           (posenc.Rotary(4, base=numpy.float32(5e5)), "head_dim=4 base=500000")):
            noun = type(made)
            self.assertEqual((made.spec, noun.from_spec(text).spec), (text, text))
            self.assertEqual(repr(made), f"posenc.{noun.__name__}.from_spec('{text}')")
            self.assertEqual(repr(eval(repr(made))), repr(made))
        self.assertEqual(posenc.Rotary.from_spec("head_dim=8 sections=1:2:1", axes=1, sections=()).spec, "head_dim=8")
        for error, sentence, call in (
                (ValueError, "spec: base=x: the value must be a number", lambda: posenc.Encoder.from_spec("dim=8 base=x")),
                (ValueError, "spec: theta=1: the name must be a member", lambda: posenc.Rotary.from_spec("theta=1")),
                (ValueError, "dim", lambda: posenc.Encoder.from_spec("")),
                (TypeError, "text", lambda: posenc.Encoder.from_spec(8)),
                (TypeError, "preset", lambda: posenc.Encoder.from_spec("dim=8", preset="detr"))):
            self.assertRaisesRegex(error, sentence, call)

    def test_help(self):
        for noun in (posenc, posenc.Encoder, posenc.Encoder.add_, posenc.Encoder.encode, posenc.Encoder.embed,
                     posenc.Rotary, posenc.Rotary.rotate_, posenc.Rotary.cache, posenc.grid, posenc.encode):
            self.assertGreater(len(noun.__doc__.splitlines()), 3, noun)

    def test_readme(self):
        with open(os.path.join(os.path.dirname(__file__), "..", "README.md")) as file:
            text = file.read()
        program, printed = (text.split(f"```{language}\n", 1)[1].split("```", 1)[0] for language in ("python", "text"))
        self.assertEqual(output(sys.executable, "-c", program), printed)
        for page in "README.md", "docs/rotary.md":
            with open(os.path.join(os.path.dirname(__file__), "../../..", page)) as file:
                program = file.read().split("```python\n", 1)[1].split("```", 1)[0]
            self.assertEqual(output(sys.executable, "-c", program), re.search("# prints (.*)", program)[1] + "\n")

    def test_stub_is_of_this_module(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "_posenc.pyi")
            if not os.path.exists(STUBGEN):
                self.skipTest("SKIPPED: POSENC_STUBGEN does not name nanobind's stubgen.py")
            patterns = os.path.join(os.path.dirname(__file__), "../stub.patterns")
            output(sys.executable, STUBGEN, "-q", "-P", "-p", patterns, "-m", "posenc._posenc", "-o", made)
            with open(made) as new, open(os.path.join(os.path.dirname(posenc.__file__), "_posenc.pyi")) as kept:
                self.assertEqual(new.read(), kept.read(), "run bindings/python/make-stub")
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(posenc.__file__), "py.typed")))


if __name__ == "__main__":
    unittest.main()
