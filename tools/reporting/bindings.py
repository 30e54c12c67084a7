"""The figures in the pages of the bindings, made from the records of their benchmarks."""

import json

from reporting.blocks import replace
from reporting.page import filled, plain_target, wrapped
from reporting.rows import day, short


def setting(record):
    """The sentence that names the run."""
    context = record["context"]
    target = [plain_target(record["target"])] if "target" in record else []
    return ", ".join([context["cpu"], *target, record["versions"], day(context)])


def milliseconds(seconds):
    return f"{1e3 * seconds:.2g} ms"


def microseconds(seconds):
    return f"{1e6 * seconds:.2g}" if seconds < 99.5e-6 else f"{1e6 * seconds:.0f}"


def python(record):
    """For bindings/python/README.md."""
    times = record["seconds"]
    ours = times["encoder.table"]
    recipes = {"encoder.table": "`encoder.table(5000)`", "torch_recipe": "torch's recipe", "numpy_recipe": "NumPy's recipe"}
    tables = filled(["a table of 5000 x 512, float32", "time", "times as long as `encoder.table`"],
                    [[label, milliseconds(times[name]), f"{times[name] / ours:.2g}" if name != "encoder.table" else ""]
                     for name, label in recipes.items() if name in times])
    calls = {"table(1)": "`encoder.table(1)`", "encode": "`encoder.encode(positions)`",
             "encode_out": "`encoder.encode(positions, out=array)`", "add_": "`encoder.add_(array)`",
             "add_tensor": "`encoder.add_(tensor)`",
             "posenc.encode": "`posenc.encode(positions, 512)`, which looks up the encoder of an earlier call"}
    single = filled(["a call for 1 x 512", "microseconds"],
                    [[label, microseconds(times[name])] for name, label in calls.items() if name in times])
    said = wrapped(f"`tests/bench.py` measured these times in one run with one thread: {setting(record)}. They are the best of "
                   "7 rounds or more.")
    text = f"{said}\n\n{tables}\n\n{single}"
    if "sum_of_one" not in times:
        return text
    return text + "\n\n" + filled(["a call of `posenc.torch`", "posenc", "torch"], [
        ["a sum for [8, 512, 512] float32", milliseconds(times["sum_of_many"]), f"`x + table`: {milliseconds(times['torch_sum_of_many'])}"],
        ["a sum for one token", f"{microseconds(times['sum_of_one'])} us",
         f"`x + table[:, n:n + 1]`: {microseconds(times['torch_sum_of_one'])} us"],
        ["`rotate` for one token, 32 heads of q and 8 of k", f"{microseconds(times['rotate_one'])} us", ""]])


def npm(record):
    """For bindings/web/README.md."""
    times, sizes = record["seconds"], record["bytes"]
    labels = {"plain JavaScript": "the plain loop, into an existing array", "write, float32": "`write`, float32, into an existing array",
              "write, bfloat16": "`write`, bfloat16", "write, double": "`write`, double", "add, float32": "`add`, float32",
              "plain, to a new array": "the plain loop, into a new array", "posenc.table, to a new array": "`table`, into a new array"}
    table = filled(["5000 x 512", "ms", "GB/s", "times as fast as the plain loop"],
                   [[label, f"{1e3 * times[name]:.2g}", f"{sizes[name] / times[name] / 1e9:.2g}",
                     f"{times['plain JavaScript'] / times[name]:.2g}"] for name, label in labels.items()])
    return wrapped(f"`node bindings/web/bench.mjs` measured this in one run: {setting(record)}. "
                   "The plain loop calls `Math.sin` and `Math.cos`, with frequencies computed before.") + "\n\n" + table


def onnxruntime(record):
    """For bindings/onnxruntime/README.md."""
    names = ("exact", "fast", "exact target=AVX2", "fast target=AVX2")

    def time(seconds):
        return f"{1e6 * seconds:.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:.2g} ms"

    lines = []
    for row in record["rows"]:
        theirs = row["seconds"]["ONNX Runtime"]
        lines.append([str(row["tokens"]), str(row["threads"]), time(theirs),
                      *(f"{time(row['seconds'][name])} ({theirs / row['seconds'][name]:.2f})" for name in names)])
    table = filled(["tokens", "threads", "ONNX Runtime", "posenc, exact", "posenc, fast", "posenc, exact, AVX2", "posenc, fast, AVX2"],
                   lines)
    return wrapped(f"All times are from one run: {setting(record)}.") + "\n\n" + table


def onnxruntime_errors(record):
    """For bindings/onnxruntime/README.md."""
    names = {"exporter's caches": "ONNX Runtime, an exporter's caches (all in float)",
             "right caches": "ONNX Runtime, correctly rounded caches", "exact": "posenc, exact", "fast": "posenc, fast"}
    return filled(["position", *names.values()],
                  [[position, *(short(errors[name]) for name in names)] for position, errors in record["errors"].items()])


def ggml(record):
    """For docs/ggml.md."""
    said = wrapped(f"All figures are from one run of `tests/cross/run-ggml --times` with one thread: {setting(record)}.")
    errors = filled(["largest error of float32 elements between -1 and 1", "ggml", "posenc, fast", "posenc, exact"],
                    [[where, *(short(of[way]) for way in ("ggml", "fast", "exact"))] for where, of in record["errors"].items()])
    sizes = list(dict.fromkeys(size for of in record["seconds"].values() for size in of))

    def faster(seconds, way):
        ratio = seconds["ggml"] / seconds[way]
        return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"

    def name(node):
        mode, kind = node.split(", ")
        return f"`{mode}`, {kind}"

    speeds = filled(["node", *(f"{way}, {size}" for way in ("exact", "fast") for size in sizes)],
                    [[name(node), *(faster(of[size], way) for way in ("exact", "fast") for size in sizes)]
                     for node, of in record["seconds"].items()])
    return (f"{said}\n\n{errors}\n\n" + wrapped("The next table has the speed of posenc's node divided by the speed of ggml's node, for "
            "[128, 32 heads, n tokens] in place. Where a figure is above 1, posenc is faster.") + f"\n\n{speeds}")


# The record in docs: the pages, their block, and what makes it.
BLOCKS = {"speed_python.json": [("bindings/python/README.md", "speed", python)],
          "speed_npm.json": [("bindings/web/README.md", "speed", npm)],
          "speed_ggml.json": [("docs/ggml.md", "speed", ggml)],
          "speed_onnxruntime.json": [("bindings/onnxruntime/README.md", "speed", onnxruntime),
                                     ("bindings/onnxruntime/README.md", "errors", onnxruntime_errors)]}


def pages(root):
    """The text of each page that has figures of a binding."""
    texts = {}
    for name, blocks in BLOCKS.items():
        record = json.loads((root / "docs" / name).read_text(encoding="utf-8"))
        for page, block, make in blocks:
            text = texts.get(root / page) or (root / page).read_text(encoding="utf-8")
            texts[root / page] = replace(text, "report", block, make(record))
    return texts
