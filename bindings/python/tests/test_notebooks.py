"""Tests what published notebooks print, digit by digit, each computed by one line with posenc. Then runs the notebooks in
docs/examples, which are the same notebooks with posenc, cell by cell."""

import ast
import contextlib
import glob
import io
import json
import os
import unittest
import warnings

import numpy
import posenc

ROOT = os.path.join(os.path.dirname(__file__), "../../..")
GOLDEN = os.environ.get("POSENC_GOLDEN", os.path.join(ROOT, "tests/golden"))
EXAMPLES = os.path.join(ROOT, "docs/examples")


def figures(file):
    with open(os.path.join(GOLDEN, file)) as lines:
        return [figure for line in lines if not line.startswith("#") for figure in line.split()]


def printed(array, form):
    return [form % number for number in array.ravel()]


class Notebooks(unittest.TestCase):
    def test_torch_6x10(self):
        pe = posenc.table(10, 6)
        self.assertEqual(printed(pe, "%.4f"), figures("torch_6x10.txt"))

    def test_torch_odd_dim(self):
        pe = posenc.table(20, 11)
        want = figures("torch_11x5.txt")  # the printed table is cut off
        self.assertEqual(printed(pe, "%.4e")[: len(want)], want)

    def test_numpy_6x10(self):
        pe = posenc.table(10, 6, phase_rounding="f32_pow_div")
        with numpy.printoptions(suppress=True):
            self.assertEqual(without_brackets(str(pe)), figures("numpy_6x10.txt"))

    def test_torch_loop_and_sum(self):
        pe = posenc.table(5, 4)
        self.assertEqual(printed(pe, "%.4f"), figures("torch_4x5.txt"))
        x = numpy.array(figures("torch_4x5_embeddings.txt"), "float32").reshape(1, 5, 4)
        posenc.Encoder(4).add_(x)
        self.assertEqual(printed(x, "%.4f"), figures("torch_4x5_sums.txt"))

    def test_embedding_layer(self):
        ids = numpy.random.default_rng(1).integers(0, 1000, (2, 10))
        out = posenc.Encoder(512).embed(ids, numpy.ones((1000, 512), "float32"))
        self.assertEqual((list(ids.shape), list(out.shape)), ([2, 10], [2, 10, 512]))
        self.assertTrue((out == 1 + posenc.table(10, 512)).all())


def without_brackets(text):
    return text.translate(str.maketrans("[](),", "     ")).split()


def run_cell(source, names):
    """Runs a cell. Returns what it prints, and the text of its last expression, as Jupyter shows them."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        shown = None if last is None else eval(compile(last, "<cell>", "eval"), names)
    return out.getvalue(), "" if shown is None else repr(shown)


class Examples(unittest.TestCase):
    """The notebooks in docs/examples, run from top to bottom, print the output that is stored in them."""

    # Output of published notebooks that posenc reproduces.
    GOLDENS = {
        "any_d_model": ["torch_11x5.txt"], "embeddings_plus_encoding": ["torch_4x5.txt", "torch_4x5_embeddings.txt", "torch_4x5_sums.txt"],
        "input_embedding": [], "numpy_table": ["numpy_6x10.txt"], "table_step_by_step": ["torch_6x10.txt"],
    }

    def test_all_are_here(self):
        names = [os.path.basename(file).partition(".")[0] for file in glob.glob(os.path.join(EXAMPLES, "*.ipynb"))]
        self.assertEqual(sorted(names), sorted(self.GOLDENS))

    def run_notebook(self, name):
        file = os.path.join(EXAMPLES, name + ".ipynb")
        self.assertLess(os.path.getsize(file), 10000)
        with open(file) as text:
            cells = [cell for cell in json.load(text)["cells"] if cell["cell_type"] == "code"]
        names, everything = {}, ""
        for i, cell in enumerate(cells):
            source, kept = "".join(cell["source"]), ["", ""]
            for output in cell["outputs"]:
                is_shown = output["output_type"] == "execute_result"
                self.assertTrue(is_shown or output["name"] == "stdout", output)
                kept[is_shown] += "".join(output["data"]["text/plain"] if is_shown else output["text"])
            with self.subTest(name, cell=i + 1), warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(cell["execution_count"], i + 1)
                self.assertEqual(run_cell(source, names), tuple(kept))
            everything += "\n".join(kept) + "\n"
        numbers = " ".join(without_brackets(everything))
        for golden in self.GOLDENS[name]:
            self.assertIn(" ".join(figures(golden)), numbers)

    def test_numpy(self):
        with numpy.printoptions():  # restores the options afterwards
            self.run_notebook("numpy_table")

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("SKIPPED: python3-torch is not installed")
        torch.set_num_threads(1)
        for name in sorted(set(self.GOLDENS) - {"numpy_table"}):
            self.run_notebook(name)


if __name__ == "__main__":
    unittest.main()
