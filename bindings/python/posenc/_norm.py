"""The norm of a tensor before its rotation."""

from typing import NamedTuple

from posenc import _types


class Norm(NamedTuple):
    """RMSNorm before a rotation. Element i of a head, x_i, becomes x_i g_i / sqrt(mean(x^2) + epsilon), rounded to float32.

    Rotary.rotate and rotate_ take a Norm as `norm`. Elements that do not rotate are normalized, too, and count in the mean.

    weight      [head_dim] float32, float16 or bfloat16: g_i. With over_heads [heads, head_dim] or [heads * head_dim]. None means
                that all weights are 1. Each call reads the array anew
    epsilon     0, or 2^-126 .. 1, such as 1e-6. Only the fast arithmetic rounds it to float32
    plus_one    True: g_i is 1 + weight (Gemma). It needs a weight
    over_heads  True: one mean over all heads of a token (OLMo 2); then heads * head_dim is at most 65,536
    """

    weight: _types.Array
    epsilon: float
    plus_one: bool = False
    over_heads: bool = False
