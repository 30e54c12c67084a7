"""RotaryEmbedding beside ONNX Runtime's own, of com.microsoft; best of many rounds."""

import argparse
import json
import math
import platform
import time

import numpy
import onnxruntime
import posenc
from models import helper, model, random, run, session

HEADS, DIM, ROWS = 32, 128, 131072
SIZES = (1, 48, 512, 4096)


def caches():
    """As exporters make them: all in float."""
    frequencies = (1.0 / 10000.0 ** (numpy.arange(0, DIM, 2, dtype="float32") / numpy.float32(DIM))).astype("float32")
    phases = numpy.arange(ROWS, dtype="float32")[:, None] * frequencies
    return numpy.cos(phases), numpy.sin(phases)


def chain(length, shape, domain, **attributes):
    """A model of so many rotations, one of the other's result: a call of the model costs more than a small rotation."""
    names = ["x", *(f"y{i}" for i in range(length))]
    more = ["cos", "sin"] if domain == "com.microsoft" else []
    nodes = [
        helper.make_node(
            "RotaryEmbedding", [names[i], "ids", *more], [names[i + 1]], domain=domain, num_heads=HEADS, **attributes
        )
        for i in range(length)
    ]
    inputs = {"x": (1, shape), "ids": (7, [1]), **{name: (1, [ROWS, DIM // 2]) for name in more}}
    made = model(nodes, inputs, {names[-1]: (1, shape)})
    made.graph.value_info.extend(helper.make_tensor_value_info(name, 1, shape) for name in names[1:-1])
    return made


def times(size, threads, tables):
    length, x = max(2, min(16, 2048 // size)), random("float32", 1, size, HEADS * DIM)
    given = {"x": x, "ids": numpy.array([100])}
    with_caches = {**given, "cos": tables[0], "sin": tables[1]}
    runs = {"ONNX Runtime": (session(chain(length, x.shape, "com.microsoft"), threads), with_caches)}
    for name in ("exact", "fast", "exact target=AVX2", "fast target=AVX2"):
        spec = f"head_dim={DIM} arithmetic={name}"
        runs[name] = (session(chain(length, x.shape, "posenc", spec=spec), threads), given)
    best = dict.fromkeys(runs, math.inf)
    for _ in range(max(100, 40000 // size // length)):
        for name, (of, arguments) in runs.items():
            started = time.perf_counter()
            of.run(None, arguments)
            best[name] = min(best[name], (time.perf_counter() - started) / length)
    return best


def errors(position, tables):
    """The largest difference from the right values, of correctly rounded doubles, in 1024 heads."""
    x = random("float32", 1024, 1, DIM, seed=9)
    cos, sin = (table.astype("longdouble") for table in posenc.Rotary(DIM).cache(positions=[position], dtype="float64"))
    a, b = x[..., : DIM // 2].astype("longdouble"), x[..., DIM // 2 :].astype("longdouble")
    right = numpy.concatenate([a * cos - b * sin, b * cos + a * sin], -1)
    inputs = [x.reshape(1, 1, -1), numpy.array([position])]
    theirs = {"exporter's caches": tables, "right caches": posenc.Rotary(DIM).cache(ROWS)}
    results = {
        name: run("RotaryEmbedding", [*inputs, *of], "float32", domain="com.microsoft", num_heads=1024)
        for name, of in theirs.items()
    }
    for arithmetic in ("exact", "fast"):
        results[arithmetic] = run("RotaryEmbedding", inputs, "float32", num_heads=1024, spec="arithmetic=" + arithmetic)
    return {name: float(numpy.abs(result.reshape(x.shape) - right).max()) for name, result in results.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--json", help="a file for the times, which tools/report reads")
    arguments = parser.parse_args()
    tables, target, rows = caches(), posenc.Rotary(DIM).target, []
    print(f"ONNX Runtime {onnxruntime.__version__}, posenc {posenc.version} {target}")
    for size in SIZES:
        for threads in arguments.threads:
            best = times(size, threads, tables)
            rows.append({"tokens": size, "threads": threads, "seconds": dict(best)})
            own = best.pop("ONNX Runtime")
            print(
                f"{threads} threads, [1, {size}, {HEADS} x {DIM}]: ONNX Runtime {1e3 * own:.4f} ms",
                *(f"{name} {1e3 * t:.4f} ms, {own / t:.2f} times as fast" for name, t in best.items()),
                sep="; ",
                flush=True,
            )
    worst = {position: errors(position, tables) for position in (100, 131071)}
    for position, of in worst.items():
        print(f"position {position}:", *(f"{name} {error:.2g}" for name, error in of.items()), sep="  ")
    if arguments.json:
        versions = f"ONNX Runtime {onnxruntime.__version__}, Python {platform.python_version()}"
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"target": target, "versions": versions, "rows": rows, "errors": worst}, file)


if __name__ == "__main__":
    main()
