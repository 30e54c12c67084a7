"""bench.py: the package beside the recipes of notebooks, best of several, all in one run; then single calls, and a decode
step of posenc.torch beside torch's own."""

import math
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


def one_token():
    """What a model does for each token, and for 8 sequences of 512 before the first."""
    x, many, table = torch.zeros(1, 1, DIM), torch.zeros(8, 512, DIM), posenc.table(ROWS, DIM, dtype=torch.float32)[None]
    q, k, position = torch.randn(1, 32, 1, 128), torch.randn(1, 8, 1, 128), torch.tensor([[777]])
    layer = posenc.torch.SinusoidalPositionalEncoding(DIM).eval()
    rotary = posenc.torch.RotaryEmbedding(posenc.Rotary(128, preset="llama3"))
    with torch.no_grad():
        print("a token")
        for name, work in {
            "x + table[:, 77:78]": lambda: x + table[:, 77:78],
            "layer(x, first=77)": lambda: layer(x, first=77),
            "rotary.rotate(q, k, position)": lambda: rotary.rotate(q, k, position),
        }.items():
            print(f"  {name:34} {1e6 * best(work, 5000, 15):5.2f} microseconds")
        theirs, ours = best(lambda: many + table[:, :512], 5, 50), best(lambda: layer(many), 5, 50)
        print(f"8 x 512 x {DIM}: {1e3 * ours:.3f} ms, {ours / theirs:.2f} of x + table[:, :512]")


def main():
    encoder, positions, row = posenc.Encoder(DIM), numpy.array([7]), numpy.zeros((1, DIM), "float32")
    if torch:
        torch.set_num_threads(1)
    ours = best(lambda: encoder.table(ROWS))
    print(f"{ROWS} x {DIM}, float32, {encoder.target}")
    print(f"  posenc         {1e3 * ours:7.3f} ms")
    for name, recipe in (("NumPy's recipe", numpy_recipe), ("torch's recipe", torch_recipe if torch else None)):
        if recipe:
            theirs = best(recipe)
            print(f"  {name} {1e3 * theirs:7.3f} ms, {theirs / ours:.1f} times that")
    print(f"1 x {DIM}")
    for name, work in {
        "encoder.table(1)": lambda: encoder.table(1),
        "encoder.encode(positions)": lambda: encoder.encode(positions),
        "encoder.encode(positions, out=out)": lambda: encoder.encode(positions, out=row),
        "encoder.add_(x)": lambda: encoder.add_(row),
        "posenc.encode(positions, 512)": lambda: posenc.encode(positions, DIM),
    }.items():
        print(f"  {name:34} {1e6 * best(work, 5000, 7):5.2f} microseconds")
    if torch:
        x = torch.zeros(1, DIM)
        print(f"  {'encoder.add_(tensor)':34} {1e6 * best(lambda: encoder.add_(x), 5000, 7):5.2f} microseconds")
        one_token()


if __name__ == "__main__":
    main()
