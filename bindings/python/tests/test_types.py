"""Tests types: mypy --strict accepts the programs of pages and notebooks, and knows the types of results."""

import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

for needed, package in (("mypy", "mypy"), ("torch", "python3-torch")):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"SKIPPED: {package} is not installed")

ROOT = os.path.join(os.path.dirname(__file__), "../../..")
# In torch 1.13, torch.jit.trace and Tensor.backward have no types, and torch.jit does not export it explicitly.
CONFIGURATION = """
[mypy]
[mypy-pytorch,layer]
disallow_untyped_calls = False
[mypy-torch.*]
implicit_reexport = True
"""
RESULTS = """
from typing import Any, assert_type

import numpy
import posenc
import posenc.torch
import torch

Ndarray = numpy.ndarray[Any, numpy.dtype[Any]]
encoder, rotary = posenc.Encoder(64), posenc.Rotary(64)
x, array = torch.zeros(1, 3, 64), numpy.zeros((3, 64), "float32")
ids, mask = torch.arange(3), torch.zeros(2, 2).bool()

assert_type(posenc.table(3, 64), Ndarray)
assert_type(posenc.table(3, 64, dtype="float16"), Ndarray)
assert_type(posenc.table(3, 64, dtype=torch.float16), torch.Tensor)
assert_type(posenc.encode(ids, 64), torch.Tensor)
assert_type(posenc.encode([1, 2], 64, base=100.0), Ndarray)
assert_type(posenc.encode(ids, 64, dtype="float16"), Ndarray)
assert_type(encoder.table(3, out=array), Ndarray)
assert_type(encoder.encode([1, 2], dtype=torch.bfloat16), torch.Tensor)
assert_type(encoder.encode(ids), torch.Tensor)
assert_type(encoder.encode(7), Ndarray)
assert_type(encoder.add_(x), torch.Tensor)
assert_type(encoder.embed(ids, x[0]), torch.Tensor)
assert_type(encoder.embed([1, 2], array), Ndarray)
assert_type(encoder.frequencies, Ndarray)
assert_type(rotary.rotate_(x), torch.Tensor)
assert_type(rotary.rotate(x, array), tuple[torch.Tensor, Ndarray])
assert_type(rotary.rotate_(array, array), tuple[Ndarray, Ndarray])
assert_type(rotary.rotate(x, x, x), tuple[torch.Tensor, ...])
assert_type(rotary.rotate(x, dtype="float16"), Ndarray)
assert_type(rotary.rotate(array, dtype=torch.float16), torch.Tensor)
assert_type(rotary.rotate(x, out=array), Ndarray)
assert_type(rotary.rotate(array, out=x, slots=[1, 2, 3], slot_axis=-2), torch.Tensor)
assert_type(rotary.rotate(x, x, out=[x, array], slots=[None, [1]], factors=[[1.0], None]), tuple[Any, ...])
assert_type(rotary.rotate_(x, factors=[1.0]), torch.Tensor)
assert_type(rotary.rotate_(x, norm=posenc.Norm(x[0, 0], 1e-6)), torch.Tensor)
assert_type(rotary.rotate(x, array, norm=[posenc.Norm(None, 1e-6, over_heads=True), None]), tuple[torch.Tensor, Ndarray])
assert_type(rotary.rotate(array, norm=posenc.Norm(array[0], 0), dtype=torch.float16), torch.Tensor)
assert_type(rotary.angles(3, first=[1, 2]), posenc.Angles)
assert_type(rotary.angles(positions=ids).positions, Ndarray)
assert_type(rotary.rotate_(x, angles=rotary.angles(3), first_token=1), torch.Tensor)
assert_type(rotary.angles(3).rotary, posenc.Rotary)
assert_type(rotary.cache(3), tuple[Ndarray, Ndarray])
assert_type(rotary.cache(3, dtype=torch.float32), tuple[torch.Tensor, torch.Tensor])
assert_type(rotary.cache(positions=ids, layout="pairs"), torch.Tensor)
assert_type(posenc.grid([(encoder, 0, 3)]), Ndarray)
assert_type(posenc.grid_add_(x, [(encoder, 0, 3)]), torch.Tensor)
assert_type(posenc.positions_from_ids(ids, 1), torch.Tensor)
assert_type(posenc.positions_from_mask(mask), tuple[torch.Tensor, torch.Tensor])
assert_type(posenc.torch.rotate([x], rotary), list[torch.Tensor])
assert_type(posenc.torch.rotate([x], rotary, angles=rotary.angles(3)), list[torch.Tensor])
assert_type(posenc.torch.rotate([x], rotary, norm=[posenc.Norm(x[0, 0], 1e-6)]), list[torch.Tensor])
assert_type(posenc.torch.RotaryEmbedding(rotary).rotate(x, x, ids), tuple[torch.Tensor, torch.Tensor])
assert_type(posenc.torch.RotaryEmbedding(rotary).rotate(x, x, posenc.torch.RotaryEmbedding(rotary).angles(ids)), tuple[torch.Tensor, torch.Tensor])
"""


def programs():
    yield "results", RESULTS
    for name, page in ("readme", "bindings/python/README.md"), ("pytorch", "docs/pytorch.md"):
        with open(os.path.join(ROOT, page)) as file:
            yield name, file.read().split("```python\n", 1)[1].split("```", 1)[0]
    with open(os.path.join(ROOT, "docs/examples/qwen3_layer.py")) as file:
        yield "layer", file.read()
    for notebook in glob.glob(os.path.join(ROOT, "docs/examples/*.ipynb")):
        with open(notebook) as file:
            cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
        yield os.path.basename(notebook).partition(".")[0], "\n".join("".join(cell["source"]) for cell in cells)


class Types(unittest.TestCase):
    def test_strict(self):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, program in programs():
                names.append(name + ".py")
                with open(os.path.join(folder, names[-1]), "w") as file:
                    file.write(program)
            with open(os.path.join(folder, "mypy.ini"), "w") as file:
                file.write(CONFIGURATION)
            made = subprocess.run([sys.executable, "-m", "mypy", "--strict", *names], cwd=folder, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)


if __name__ == "__main__":
    unittest.main()
