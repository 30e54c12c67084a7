"""smoke.py SECONDS [SEED]: runs nodes with random attributes, shapes, types and values.

A session may run a node, or refuse it with an error of ONNX Runtime. After anything else the exit status is 1, and a crash ends
the program by a signal. test_bits.py compares results with the C functions.
"""

import faulthandler
import random
import sys
import time

import numpy
from models import run

X, IDS = numpy.ones((2, 5, 64), "float32"), numpy.ones((2, 5), "int64")
NODES = (  # right ones, of which anything may be replaced
    ("RotaryEmbedding", [X], dict(num_heads=4, spec="")), ("RotaryCosSin", [IDS], dict(spec="head_dim=16")),
    ("SinusoidalEncoding", [IDS], dict(spec="dim=16")), ("AddPositions", [X], dict(spec="")), ("EmbedTokens", [IDS, X[0]], dict(spec="")))
WORDS = ("preset=llama3", "preset=fairseq", "base=500000", "base=0", "arithmetic=fast", "pairing=neighbours", "head_dim=8", "head_dim=16",
         "dim=8", "dim=16", "rotary_dim=4", "scaling=yarn", "factors=1:2:3:4 scaling=frequency_factors", "frequencies_f32=1:nan",
         "axes=2 sections=2:2", "axes=5", "layout=sin_cos", "target=?", "position_scale=1e300", "x", "=", "base=", "\0", "é=ü",
         "dim=99999999999999999999")
VALUES = (0, 1, 2, -1, 3.5, float("nan"), "", "1", [1], [1.5], 2**40)
TYPES = ("float32", "float32", "float16", "float64", "int32", "int64", "int64", "uint8", "bool")
ORT_ERRORS = "onnxruntime.capi.onnxruntime_pybind11_state"


def array(r):
    return numpy.full([r.choice((0, 1, 1, 2, 4, 8, 16)) for _ in range(r.randrange(5))], r.choice((0, 1, 5)), r.choice(TYPES))


def one_node(r):
    name, inputs, attributes = r.choice(NODES)
    inputs = [array(r) if r.random() < 0.2 else right for right in inputs] + [array(r) for _ in range(r.choice((0, 0, 0, 1, 2, 5)))]
    attributes = {key: r.choice(VALUES) if r.random() < 0.1 else right for key, right in attributes.items()}
    attributes |= {key: r.choice(VALUES) for key in ("interleaved", "rotary_embedding_dim", "scale", "norm_plus_one", "norm_over_heads")
                   if r.random() < 0.1}
    if r.random() < 0.2:
        attributes["norm_epsilon"] = r.choice(("1e-6", 1e-6, *VALUES))
    if isinstance(attributes["spec"], str):
        attributes["spec"] += " " + " ".join(r.sample(WORDS, r.choice((0, 0, 1, 2))))
    shapes = {i: None for i in range(len(inputs)) if r.random() < 0.4}
    try:
        run(name, inputs, "float32", r.choice((1, 2)), shapes=shapes, **attributes)
    except (TypeError, ValueError):  # onnx cannot store such an attribute
        return 0
    except Exception as error:
        if type(error).__module__ != ORT_ERRORS:
            raise
        return 0
    return 1


if __name__ == "__main__":
    faulthandler.enable()
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    r, end, nodes, done = random.Random(seed), time.monotonic() + float(sys.argv[1]), 0, 0
    while time.monotonic() < end:
        nodes, done = nodes + 1, done + one_node(r)
    print(f"{nodes} nodes, of which {done} ran, seed {seed}")
    assert 0 < done < nodes
