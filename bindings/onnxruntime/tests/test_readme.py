"""The program in README.md prints what README.md says."""

import contextlib
import io
import re
import unittest
from pathlib import Path

from models import LIBRARY

README = Path(__file__).resolve().parents[1] / "README.md"


class Readme(unittest.TestCase):
    def test_program(self):
        program, printed = re.search(
            r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", README.read_text(), re.S
        ).groups()
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(program.replace("build/onnxruntime/libposenc_onnxruntime.so", LIBRARY), {})
        self.assertEqual(out.getvalue(), printed)


if __name__ == "__main__":
    unittest.main()
