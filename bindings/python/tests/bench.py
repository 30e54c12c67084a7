"""bench.py: the package beside the recipes of notebooks, best of several, all in one run; then single calls, and a decode
step of posenc.torch beside torch's own."""

import argparse
import json
import math
import platform
import time

import numpy
import posenc

try:
    import torch
    import posenc.torch
except ImportError:
    torch = None

ROWS, DIM = 5000, 512


def torch_recipe():
    position = torch.arange(ROWS).unsqueeze(1).float()
    frequencies = torch.exp(torch.arange(0, DIM, 2).float() * (-math.log(10000.0) / DIM))
    pe = torch.zeros(ROWS, DIM)
    pe[:, 0::2] = torch.sin(position * frequencies)
    pe[:, 1::2] = torch.cos(position * frequencies)
    return pe


def numpy_recipe():
    position = numpy.arange(ROWS, dtype="float32")[:, None]
    denominator = numpy.power(10000, numpy.arange(0, DIM, 2, dtype="float32") / DIM)
    phases = position / denominator
    return numpy.stack([numpy.sin(phases), numpy.cos(phases)], axis=2).reshape(ROWS, DIM)


def best(work, times=1, rounds=15):
    least = math.inf
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(times):
            work()
        least = min(least, (time.perf_counter() - started) / times)
    return least


def one_token(say):
    """What a model does for each token, and for 8 sequences of 512 before the first."""
    x, many, table = torch.zeros(1, 1, DIM), torch.zeros(8, 512, DIM), posenc.table(ROWS, DIM, dtype=torch.float32)[None]
    q, k, position = torch.randn(1, 32, 1, 128), torch.randn(1, 8, 1, 128), torch.tensor([[777]])
    layer = posenc.torch.SinusoidalPositionalEncoding(DIM).eval()
    rotary = posenc.torch.RotaryEmbedding(posenc.Rotary(128, preset="llama3"))
    with torch.no_grad():
        say("torch_sum_of_one", "x + table[:, 77:78]", best(lambda: x + table[:, 77:78], 5000))
        say("sum_of_one", "layer(x, first=77)", best(lambda: layer(x, first=77), 5000))
        say("rotate_one", "rotary.rotate(q, k, position)", best(lambda: rotary.rotate(q, k, position), 5000))
        say("torch_sum_of_many", f"many + table[:, :512], of 8 x 512 x {DIM}", best(lambda: many + table[:, :512], 5, 50))
        say("sum_of_many", "layer(many)", best(lambda: layer(many), 5, 50))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="a file for the times, which tools/report reads")
    arguments = parser.parse_args()
    encoder, positions, row = posenc.Encoder(DIM), numpy.array([7]), numpy.zeros((1, DIM), "float32")
    versions = [f"Python {platform.python_version()}", f"NumPy {numpy.__version__}"]
    if torch:
        torch.set_num_threads(1)
        versions.append(f"torch {torch.__version__}")
    seconds = {}

    def say(name, call, time):
        seconds[name] = time
        print(f"{call:40} {1e6 * time:10.2f} microseconds", flush=True)

    print(f"target {encoder.target}; {', '.join(versions)}")
    say("encoder.table", f"encoder.table({ROWS})", best(lambda: encoder.table(ROWS)))
    say("numpy_recipe", "NumPy's recipe for the same table", best(numpy_recipe))
    if torch:
        say("torch_recipe", "torch's recipe for the same table", best(torch_recipe))
    say("table(1)", "encoder.table(1)", best(lambda: encoder.table(1), 5000, 7))
    say("encode", "encoder.encode(positions)", best(lambda: encoder.encode(positions), 5000, 7))
    say("encode_out", "encoder.encode(positions, out=out)", best(lambda: encoder.encode(positions, out=row), 5000, 7))
    say("add_", "encoder.add_(x)", best(lambda: encoder.add_(row), 5000, 7))
    say("posenc.encode", f"posenc.encode(positions, {DIM})", best(lambda: posenc.encode(positions, DIM), 5000, 7))
    if torch:
        x = torch.zeros(1, DIM)
        say("add_tensor", "encoder.add_(tensor)", best(lambda: encoder.add_(x), 5000, 7))
        one_token(say)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"target": encoder.target, "versions": ", ".join(versions), "seconds": seconds}, file)


if __name__ == "__main__":
    main()
