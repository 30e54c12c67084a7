"""torch_op_test.py LIBRARY: tests posenc::sinusoidal from Python, and compares it with the code of the PyTorch tutorials."""

import math
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

import exact

ROWS, DIM = 5000, 512


def recipe():
    position = torch.arange(ROWS).unsqueeze(1)
    frequencies = torch.exp(torch.arange(0, DIM, 2) * (-math.log(10000.0) / DIM))
    pe = torch.zeros(ROWS, DIM)
    pe[:, 0::2] = torch.sin(position * frequencies)
    pe[:, 1::2] = torch.cos(position * frequencies)
    return pe


torch.ops.load_library(sys.argv[1])
ours = torch.ops.posenc.sinusoidal(torch.arange(ROWS), DIM)
assert ours.dtype == torch.float32 and tuple(ours.shape) == (ROWS, DIM)

checked = [0, 1, 2, 100, 1234, 4999]
wrong = sum(exact.misrounded(ours[p].numpy(), p) for p in checked)
wrong_in_recipe = sum(exact.misrounded(recipe()[p].numpy(), p) for p in checked)
print(f"not correctly rounded, of {len(checked) * DIM} entries: posenc {wrong}, the recipe {wrong_in_recipe}")
assert wrong == 0 and wrong_in_recipe > 0

difference = (recipe() - ours).abs().max().item()
print(f"the recipe differs by up to {difference:.3g}")
assert difference <= ROWS * 12 * 2**-24  # the error of a phase of 5000 in float

for dtype in (torch.bfloat16, torch.float16):
    narrow = torch.ops.posenc.sinusoidal(torch.arange(ROWS, dtype=torch.int32), DIM, dtype=dtype)
    assert narrow.dtype == dtype and (narrow.float() - ours).abs().max().item() <= 2**-8
try:
    torch.ops.posenc.sinusoidal(torch.tensor([2**31 + 1]), DIM)
    raise AssertionError("a position out of range is refused")
except RuntimeError as error:
    print("refused:", str(error).splitlines()[0])
