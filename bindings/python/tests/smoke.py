"""smoke.py SECONDS [SEED]: calls all functions of the package with random arguments of all kinds.

A call may return, or raise TypeError, ValueError or MemoryError (and in posenc.torch torch's errors). After any other exception
the exit status is 1, and a crash ends the program by a signal. A refused call has not written anything. Results are compared
elsewhere: test_bits.py compares with the C functions, and tests/fuzz compares these with MPFR.
"""

import faulthandler
import random
import resource
import sys
import time
import warnings

import numpy
import posenc

try:
    import torch, posenc.torch
except ImportError:
    torch = None

E, R = posenc.Encoder(8), posenc.Rotary(8)
x = lambda *shape: numpy.ones((*shape, 8), "float32")
t = lambda *shape: torch.ones(*shape, 8)
CALLS = {  # with right arguments, each of which may be replaced by any value
    posenc.Encoder: lambda: [8], posenc.Rotary: lambda: [8], posenc.Rotary.from_config: lambda: [{"model_type": "llama", "head_dim": 8}],
    posenc.encode: lambda: [[0, 1.5], 8], posenc.table: lambda: [3, 8], posenc.grid: lambda: [[(E, 0, 3)]],
    posenc.grid_add_: lambda: [x(3), [(E, 0, 3)]], posenc.positions_from_ids: lambda: [[[5, 1]], 1],
    posenc.positions_from_mask: lambda: [numpy.zeros((2, 3), bool)], E.encode: lambda: [numpy.arange(3)], E.table: lambda: [3],
    E.add_: lambda: [x(2)], E.embed: lambda: [[0, 1], x(2)], R.rotate: lambda: [x(2, 1)], R.rotate_: lambda: [x(2, 1), x(2, 3)],
    R.cache: lambda: [3], R.angles: lambda: [3]}
if torch:
    p = posenc.torch
    CALLS |= {p.encode: lambda: [torch.arange(3), E], p.add: lambda: [t(2), E], p.add_: lambda: [t(2), E], p.cos_sin: lambda: [torch.arange(3), R],
              p.embed: lambda: [torch.arange(2), t(2), E], p.rotate: lambda: [[t(2, 1)], R], p.rotate_: lambda: [[t(2, 1)], R]}
NAMES = ("first positions scale dtype out layout preset base axes sections frequencies factors target nan_rows padding_position "
         "prefix_rows token_axis slot_axis slots inverse angles first_token norm tokens past phase_rounding scaling unheard_of").split()
VALUES = [0, 1, 3, 8, -1, 0.5, 1e300, 2**31, 2**63, 2**70, -(2**63), float("nan"), True, None, 1j, "", "fairseq", "sin_cos", "\0", "\ud800",
          b"abcd", [], [1.5, 2], [None], {}, {"model_type": "llama", "head_dim": 8}, object(), [(E, 0, 3)], E, R, R.angles(2), posenc.Norm(x(), 1e-6), posenc.Norm(None, 7),
          [posenc.Norm(x(), 1e-6, True), None]]
TYPES = ("float32", "float32", "float16", "float64", "int64", "int32", "int8", "uint64", "longdouble", "bool", "complex64", ">f4", "O", "S3")


OTHERS = {posenc.Rotary.from_config: (OSError,)}  # a file that is not there
OF_TORCH = (RuntimeError, IndexError)  # its errors


def value(r):
    if r.random() < 0.5:
        return r.choice(VALUES)
    shape = [r.choice((0, 1, 2, 3)) for _ in range(r.randrange(4))] + [8] * (r.random() < 0.7)
    if torch and r.random() < 0.3:
        made = torch.ones(shape, dtype=r.choice((torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.bool)))
        return r.choice((made, made, made.to("meta"), made.to_sparse(), made.requires_grad_() if made.is_floating_point() else made))
    made = numpy.ones(shape, r.choice(TYPES))
    return r.choice((made, made, made.T, made[::-1] if made.ndim else made, numpy.broadcast_to(made, (2, *shape))))


def one_call(r):
    call = r.choice(list(CALLS))
    arguments = [value(r) if r.random() < 0.3 else right for right in CALLS[call]() + r.choice(([], [], [], [1]))]
    named = {name: value(r) for name in r.sample(NAMES, r.choice((0, 0, 0, 1, 2)))}
    before = [repr(each) for each in (*arguments, *named.values())]
    try:
        call(*arguments, **named)
    except (TypeError, ValueError, MemoryError, *OTHERS.get(call, OF_TORCH if "torch" in call.__module__ else ())):
        assert before == [repr(each) for each in (*arguments, *named.values())], (call, arguments, named)
        return 0
    return 1


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # so that large arrays raise MemoryError
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    r, until, calls, done = random.Random(seed), time.monotonic() + float(sys.argv[1]), 0, 0
    while time.monotonic() < until:
        calls, done = calls + 1, done + one_call(r)
    print(f"seed {seed}: {calls} calls, {done} of them done")
    assert 0 < done < calls
