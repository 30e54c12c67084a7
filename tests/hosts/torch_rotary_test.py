"""torch_rotary_test.py LIBRARY: tests posenc::rotary_ from Python, and compares it with rotate_half of transformers."""

import os
import sys

try:
    import torch
except ImportError:
    print("SKIPPED: python3-torch is not installed")
    sys.exit(77)
if not os.path.exists(sys.argv[1]):
    print("SKIPPED: no operator was built, libtorch-dev is not installed")
    sys.exit(77)

BATCH, Q_HEADS, K_HEADS, TOKENS, DIM, BASE = 2, 32, 8, 50, 128, 500000.0
TYPES = (torch.float32, torch.bfloat16, torch.float16)

torch.ops.load_library(sys.argv[1])
rotary_ = torch.ops.posenc.rotary_


def rotate_half(x, positions, dtype=torch.float64):
    """x * cos + rotate_half(x) * sin as in transformers, computed in a type. positions [batch, 1, tokens, 1]."""
    inv_freq = 1.0 / (BASE ** (torch.arange(0, DIM, 2, dtype=dtype) / DIM))
    phases = torch.cat((positions.to(dtype) * inv_freq,) * 2, -1)
    x1, x2 = x.to(dtype).chunk(2, -1)
    return x.to(dtype) * phases.cos() + torch.cat((-x2, x1), -1) * phases.sin()


def error(got, want):
    return (got.double() - want).abs()


def is_rounded(got, want):
    """Checks that got is within half a unit in the last place of want, plus want's error. Numbers may be subnormal."""
    info = torch.finfo(got.dtype)
    half_ulp = torch.clamp(want.abs(), min=info.tiny) * (info.eps / 2)
    return bool((error(got, want) <= half_ulp + 1e-9).all())


def heads_first(heads, dtype):
    return torch.randn(BATCH, heads, TOKENS, DIM).to(dtype)


torch.manual_seed(1)
run = torch.arange(131000, 131000 + TOKENS)
padded = torch.stack((run, torch.arange(TOKENS) - 7))  # each sequence has other positions
for dtype in TYPES:
    for positions in (run, run.int(), padded):
        q, k = heads_first(Q_HEADS, dtype), heads_first(K_HEADS, dtype)
        at = positions.expand(BATCH, TOKENS)[:, None, :, None]
        want_q, want_k = rotate_half(q, at), rotate_half(k, at)

        # Layouts: [batch, heads, tokens, d] without gaps, views of [batch, tokens, heads, d], and slices of one projection.
        tokens_first = [x.transpose(1, 2).contiguous() for x in (q, k)]
        fused = torch.cat([x.flatten(2) for x in tokens_first] + [torch.ones(BATCH, TOKENS, DIM).to(dtype)], -1)
        slices = fused.unflatten(-1, (Q_HEADS + K_HEADS + 1, DIM)).transpose(1, 2)
        rotary_(q, k, positions, base=BASE)
        rotary_(*[x.transpose(1, 2) for x in tokens_first], positions, base=BASE)
        rotary_(slices[:, :Q_HEADS], slices[:, Q_HEADS:-1], positions, base=BASE)

        assert is_rounded(q, want_q) and is_rounded(k, want_k)
        for x, other in zip((q, k), tokens_first):
            assert torch.equal(x, other.transpose(1, 2))
        assert torch.equal(slices[:, :-1], torch.cat((q, k), 1)) and (slices[:, -1] == 1).all()

        one = [x.clone() for x in (slices[:, :Q_HEADS, 3:4], slices[:, Q_HEADS:-1, 3:4])]
        rotary_(*one, positions[..., 3:4], base=BASE, inverse=True)  # one token is rotated back
        assert error(one[0], rotate_half(slices[:, :Q_HEADS, 3:4], -at[:, :, 3:4])).max() <= 8 * torch.finfo(dtype).eps

q = heads_first(Q_HEADS, torch.float32)
k, at = q.clone(), run[None, None, :, None]
theirs = error(rotate_half(q, at, torch.float32), rotate_half(q, at)).max().item()
want = rotate_half(q, at)
rotary_(q, k, run, base=BASE)
ours = error(q, want).max().item()
print(f"largest error in float32 at 131000: posenc {ours:.3g}, rotate_half in float32 {theirs:.3g}")
assert torch.equal(q, k) and ours <= 2**-22 and theirs > 1e-3

far = run.clone()
far[-1] = 2**31 + 1
before = q.clone()
for arguments in (
    (q, k, far),  # its last position is out of range
    (q, k, run[:-1]),
    (q, k, run.double() + 0.5),  # not a type that the operator takes
    (q, q, run),
    (q, k[..., :64], run),
    (q[..., ::2], k[..., ::2], run),  # elements of a head are not neighbours
    (q[:, :1].expand(BATCH, 4, TOKENS, DIM), k, run),  # heads on top of each other
    (q.double(), k.double(), run),
):
    try:
        rotary_(*arguments, base=BASE)
        raise AssertionError("is refused")
    except RuntimeError as refusal:
        print("refused:", str(refusal).splitlines()[0])
    assert torch.equal(q, before) and torch.equal(k, before)
try:
    rotary_(q, k, run, preset="no such model")
    raise AssertionError("is refused")
except RuntimeError as refusal:
    print("refused:", str(refusal).splitlines()[0])
