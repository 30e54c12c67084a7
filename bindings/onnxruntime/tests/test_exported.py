"""Models that torch.onnx.export makes from posenc.torch return the same bits in ONNX Runtime as in torch, also for other sizes.

The models are those of the folders $POSENC_EXPORTED, which exported.py has written with some torch, and of the torch that
is here.
"""

import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import onnx
import onnxruntime
from models import LIBRARY

SCRIPT = Path(__file__).with_name("exported.py")


class Exported(unittest.TestCase):
    def check(self, folder):
        models = sorted(folder.glob("*.onnx"))
        self.assertGreater(len(models), 25)
        for path in models:
            options = onnxruntime.SessionOptions()
            options.register_custom_ops_library(LIBRARY)
            with self.subTest(path.stem):
                session = onnxruntime.InferenceSession(path, options)
                self.assertIn("posenc", [node.domain for node in onnx.load(path).graph.node])
                for case in sorted(folder.glob(f"{path.stem}.*.npz")):
                    arrays = numpy.load(case)
                    taken = {value.name for value in session.get_inputs()}  # without x, if only its type is used
                    made = session.run(None, {name: arrays[name] for name in arrays if name in taken})
                    self.assertEqual(len(made), sum(name.startswith("out") for name in arrays))
                    for i, own in enumerate(made):
                        if path.stem.startswith("decoder"):  # its products are computed by other libraries
                            numpy.testing.assert_allclose(own, arrays[f"out{i}"], rtol=0, atol=3e-5)
                        else:
                            numpy.testing.assert_array_equal(own, arrays[f"out{i}"], strict=True)

    def test_models_of_this_torch(self):
        if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode:
            self.skipTest("SKIPPED: torch is not installed")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, SCRIPT, folder], check=True)
            self.check(Path(folder))

    def test_refusals(self):
        """Calls that no operator can compute are not exported."""
        try:
            import torch
            from exported import LLAMA3, Call, posenc, pt
        except ImportError:
            self.skipTest("SKIPPED: torch is not installed")
        x, at = torch.zeros(2, 3, 5, 16), torch.arange(5)
        rotate = lambda *given, **more: pt.rotate([given[0]], LLAMA3, *given[1:], token_axis=-2, **more)[0]
        for text, call, *given in (
            ("float64", rotate, x.double()),
            ("float64", lambda x: pt.add(x, posenc.Encoder(16)), x.double()),
            ("float64", lambda at: pt.encode(at, posenc.Encoder(16), torch.float64), at),
            ("positions that are not integers", rotate, x, at / 2),
            ("rotate of 5 axes", rotate, x[None]),
            ("inverse, but without positions", lambda x: rotate(x, inverse=True), x),
        ):
            with self.subTest(text), self.assertRaisesRegex(RuntimeError, text):
                torch.onnx.export(Call(call), tuple(given), io.BytesIO(), custom_opsets={"posenc": 1})

    def test_models_of_other_torches(self):
        folders = [Path(folder) for folder in os.environ.get("POSENC_EXPORTED", "").split(":") if folder]
        if not folders:
            self.skipTest("SKIPPED: POSENC_EXPORTED names no folders of models")
        for folder in folders:
            print("torch", (folder / "torch").read_text())
            self.check(folder)


if __name__ == "__main__":
    unittest.main()
