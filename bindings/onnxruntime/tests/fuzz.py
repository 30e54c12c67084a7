"""fuzz.py SECONDS [SEED]: runs nodes with random attributes, shapes, types and values.

A session may refuse a node with an error of ONNX Runtime. If the attributes are right, the node must return the same bits as
posenc's Python package, or be refused if the package refuses the same call. After anything else the exit status is 1, and a
crash ends the program by a signal.
"""

import faulthandler
import random
import sys
import time

import numpy
import posenc
from models import bits, run

NAMES = ("RotaryEmbedding", "RotaryCosSin", "SinusoidalEncoding", "AddPositions", "EmbedTokens")
WORDS = (
    "preset=llama3",
    "preset=fairseq",
    "preset=gpt_neox",
    "base=500000",
    "base=0",
    "arithmetic=fast",
    "arithmetic=exact",
    "pairing=neighbours",
    "head_dim=8",
    "head_dim=16",
    "dim=8",
    "dim=16",
    "rotary_dim=4",
    "scaling=linear factor=2",
    "scaling=yarn",
    "factors=1:2:3",
    "factors=1:2:3:4 scaling=frequency_factors",
    "frequencies=1:2:3:4",
    "frequencies_f32=1:nan",
    "axes=2 sections=2:2",
    "axes=5",
    "layout=sin_cos",
    "nan_rows=1",
    "padding_position=1",
    "target=REFERENCE",
    "target=?",
    "position_scale=1e300",
    "position_scale=0.5",
    "x",
    "=",
    "base=",
    "dim=99999999999999999999",
    "odd_column=cosine_last",
    "long_factors=1",
    "sections=1:1:1:1:1",
    "amplitude=1e-300",
    "position_offset=-5",
    "\0",
    "é=ü",
    "input_first=1",
)
VALUES = (0, 1, 2, -1, 3.5, float("nan"), "", "1", [1], [1.5], 2**40)
INTEGERS = (0, 1, 5, 7, 99, -1, 131071, 2**31, -(2**31), 2**31 + 1, 2**40, 2**63 - 1, -(2**63))
TYPES = ("float32", "float16", "float64", "int32", "int64", "uint8", "bool")
ORT_ERRORS = "onnxruntime.capi.onnxruntime_pybind11_state"


def shape(r, most_axes=4):
    return tuple(r.choice((0, 1, 1, 2, 3, 4, 8, 16)) for _ in range(r.randrange(most_axes + 1)))


def array(r, of, kind):
    if kind.startswith("int"):
        if r.random() < 0.6:
            start = r.choice((0, 3, 4000))
            return (start + numpy.arange(numpy.prod(of, dtype="int64"))).reshape(of).astype(kind)
        limits = numpy.iinfo(kind)
        return numpy.array(
            [min(max(r.choice(INTEGERS), limits.min), limits.max) for _ in range(int(numpy.prod(of)))], kind
        ).reshape(of)
    numbers = numpy.random.default_rng(r.randrange(2**32)).standard_normal(of) * r.choice((1, 1, 100, 1e30))
    if r.random() < 0.1:
        numbers = numpy.where(numpy.abs(numbers) < 0.5, numpy.nan, numbers)
    with numpy.errstate(over="ignore", invalid="ignore"):
        return numpy.asarray(numbers).astype(kind)


def wild(r):
    """A random value of any kind."""
    count = r.choice((1, 2, 3, 4))
    inputs = [None if i and r.random() < 0.2 else array(r, shape(r), r.choice(TYPES)) for i in range(count)]
    attributes = {
        name: r.choice(VALUES)
        for name in ("num_heads", "interleaved", "rotary_embedding_dim", "scale")
        if r.random() < 0.3
    }
    if r.random() < 0.9:
        attributes["spec"] = " ".join(r.sample(WORDS, r.choice((0, 1, 1, 2, 3))))
    shapes = {i: None for i in range(count) if r.random() < 0.4}
    return (
        lambda: run(
            r.choice(NAMES), inputs, r.choice(("float32", "float16")), r.choice((1, 2)), shapes=shapes, **attributes
        ),
        None,
    )


def rotary(r):
    """A random rotation, and the same call of the package."""
    dtype, threads = r.choice(("float32", "float16")), r.choice((1, 3))
    batch, tokens, heads, dim = r.choice((1, 2)), r.randrange(1, 40), r.choice((1, 2, 5)), r.choice((8, 16, 128))
    arguments = {
        "base": r.choice((1e4, 5e5)),
        "arithmetic": r.choice(("exact", "fast")),
        "pairing": r.choice(("half_split", "neighbours")),
    }
    if r.random() < 0.3:
        arguments["rotary_dim"] = dim // 2
    spec = " ".join(f"{name}={value}" for name, value in arguments.items())
    x, positions, cache = (
        array(r, (batch, tokens, heads, dim), dtype),
        array(r, (batch, tokens), "int64"),
        array(r, (3, arguments.get("rotary_dim", dim) // 2), dtype),
    )
    first = x.swapaxes(1, 2).copy()
    own = r.choice(
        (
            lambda: run("RotaryEmbedding", [first, positions], dtype, threads, spec=spec).swapaxes(1, 2).copy(),
            lambda: run(
                "RotaryEmbedding",
                [x.reshape(batch, tokens, heads * dim), cache, cache, positions],
                dtype,
                threads,
                num_heads=heads,
                spec=spec,
            ).reshape(x.shape),
        )
    )
    return own, lambda: posenc.Rotary(dim, **arguments).rotate(x, positions=positions)


def rows(r):
    """A random call of another operator, and the same call of the package."""
    dtype, batch, tokens, dim = (
        r.choice(("float32", "float16")),
        r.choice((1, 2)),
        r.randrange(1, 200),
        r.choice((8, 31, 64)),
    )
    positions = array(r, (batch, tokens), r.choice(("int64", "int32")))
    encoder, spec, name = posenc.Encoder(dim, layout="sin_cos"), f"dim={dim} layout=sin_cos", r.choice(NAMES[1:])
    like = None if dtype == "float32" else array(r, (1,), dtype)
    if name == "RotaryCosSin":
        own = posenc.Rotary(2 * dim, preset="llama3")
        return (
            lambda: run(name, [positions, like], dtype, 2, spec=f"head_dim={2 * dim} preset=llama3"),
            lambda: own.cache(positions=positions, layout="cos_sin", dtype=dtype),
        )
    if name == "SinusoidalEncoding":
        return lambda: run(name, [positions, like], dtype, 2, spec=spec), lambda: encoder.encode(positions, dtype=dtype)
    table, ids = array(r, (9, dim), dtype), numpy.random.default_rng(r.randrange(2**32)).integers(0, 9, (batch, tokens))
    inputs = [table[ids], positions] if name == "AddPositions" else [ids, table, positions]
    return (
        lambda: run(name, inputs, dtype, 2, spec=spec, scale=1.5),
        lambda: encoder.add_(table[ids].copy(), positions=positions, scale=1.5),
    )


def outcome(call):
    """The result of a call, or None if it refuses."""
    try:
        return call()
    except (TypeError, ValueError):  # the package refuses, or onnx cannot store such an attribute
        return None
    except Exception as error:
        if type(error).__module__ != ORT_ERRORS:
            raise
        return None


def main():
    faulthandler.enable()
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    r, end, done, refused = random.Random(seed), time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        call, package = r.choice((wild, rotary, rows))(r)
        own, right = outcome(call), package and outcome(package)
        done, refused = done + 1, refused + (own is None)
        if package is None:
            continue
        assert (own is None) == (right is None), (done, own, right)
        assert own is None or own.shape == right.shape and (bits(own) == bits(right)).all(), (done, own, right)
    print(f"{done} nodes, of which {refused} were refused, seed {seed}")


if __name__ == "__main__":
    main()
