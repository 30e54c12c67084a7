#!/usr/bin/env python3
"""rotary_presets.py > rotary_presets.inc: what presets of rotary embeddings turn by, rounded to double.

In decimals of 60 digits, from the published formulas and what the sources set in them; nothing of posenc's:

default       Su et al., arXiv:2104.09864; transformers, modeling_llama.py, LlamaRotaryEmbedding
linear        transformers, modeling_rope_utils.py, _compute_linear_scaling_rope_parameters
ntk           vLLM, xdrope.py: base * alpha^(r / (r - 2))
dynamic_ntk   transformers, modeling_rope_utils.py, _compute_dynamic_ntk_parameters
qwen_ntk      Qwen-7B, modeling_qwen.py, get_ntk_alpha
yarn          Peng et al., arXiv:2309.00071; transformers, modeling_rope_utils.py, _compute_yarn_parameters
yarn_log      SGLang, grok.py, ScalingRotaryEmbedding: logarithms of frequencies are blended
longrope      transformers, modeling_rope_utils.py, _compute_longrope_parameters
llama3        transformers, modeling_rope_utils.py, _compute_llama3_parameters
proportional  transformers, modeling_rope_utils.py, _compute_proportional_rope_parameters
axial         transformers, modeling_llama4.py, modeling_qwen2_vl.py, modeling_dinov3_vit.py: one each axis
split         transformers, modeling_pixtral.py: the even pairs of one schedule, then the odd ones
amplitudes    where yarn and longrope are; 0.07: vLLM, telechat3_scaling_rope.py; 1 where mscale equals
              mscale_all_dim: get_mscale's ratio in _compute_yarn_parameters

Bases, factors and lengths are those of the sources in docs/rotary.md, preset by preset.
"""

import decimal
import math
import textwrap
from decimal import Decimal as D

decimal.getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459")


def default(base, r):
    return [D(base) ** (D(-2 * i) / r) for i in range(r // 2)]


def linear(base, r, factor):
    return [w / factor for w in default(base, r)]


def ntk(base, r, alpha):
    return default(base * D(alpha) ** (D(r) / (r - 2)), r)


def dynamic_ntk(base, r, factor, length, original):
    length = max(length, original)
    return ntk(base, r, D(factor) * length / original - (factor - 1))


def qwen_ntk(base, r, length, original):
    doublings = math.ceil((D(length) / original).ln() / D(2).ln() + 1)
    return ntk(base, r, max(2**doublings - 1, 1))


def yarn_ramp(base, r, original, truncate, beta_fast=32, beta_slow=1):
    def pair(beta):
        return r * (original / (2 * PI * beta)).ln() / (2 * D(base).ln())

    low, high = pair(beta_fast), pair(beta_slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(D(low), D(0)), min(D(high), D(r - 1))
    return [min(max((i - low) / (high - low), D(0)), D(1)) for i in range(r // 2)]


# Scalings that blend return their ramp as well.
def yarn(base, r, factor, original, truncate=True):
    ramp = yarn_ramp(base, r, original, truncate)
    return [w / factor * m + w * (1 - m) for w, m in zip(default(base, r), ramp)], ramp


def yarn_log(base, r, factor, original):
    ramp = yarn_ramp(base, r, original, True)
    return [(w.ln() - m * D(factor).ln()).exp() for w, m in zip(default(base, r), ramp)], ramp


def llama3(base, r, factor, low, high, original):
    def smooth(w):
        return min(max((original * w / (2 * PI) - low) / (high - low), D(0)), D(1))

    ramp = [smooth(w) for w in default(base, r)]
    return [(1 - s) * w / factor + s * w for w, s in zip(default(base, r), ramp)], ramp


def longrope(base, r, factors):
    return [w / factor for w, factor in zip(default(base, r), factors)]


def proportional(base, r, share):
    turning = int(share * r // 2)
    edge = [D("0.5") if i in (turning - 1, turning) else D(0) for i in range(r // 2)]
    return [w if i < turning else D(0) for i, w in enumerate(default(base, r))], edge


def axial(base, r, axes=2):
    return default(base, r // axes) * axes


def split(base, r):
    return default(base, r)[0::2] + default(base, r)[1::2]


def yarn_amplitude(factor, coefficient=D("0.1")):
    return coefficient * D(factor).ln() + 1


def longrope_amplitude(factor, original):
    return (1 + D(factor).ln() / D(original).ln()).sqrt()


PLAIN = {  # name: base, rotary_dim
    "rope": (10000, 64), "gpt_j": (10000, 64), "codegen": (10000, 64), "gpt_neox": (10000, 24),
    "llama": (10000, 128), "codellama": (1000000, 128), "llama4": (500000, 128), "mistral": (10000, 128),
    "mistral_v0_2": (1000000, 128), "mixtral": (1000000, 128), "qwen2": (1000000, 128),
    "qwen3": (1000000, 128), "qwen2_vl": (1000000, 128), "qwen3_vl": (5000000, 128), "phi": (10000, 32),
    "phi_2": (10000, 32), "phi3": (10000, 96), "phi4": (250000, 128), "gemma": (10000, 256),
    "gemma2": (10000, 256), "gemma3_local": (10000, 256), "gemma4_local": (10000, 256), "grok1": (10000, 128),
    "chatglm": (10000, 64), "glm": (10000, 64), "glm4": (10000, 64), "glm4v": (10000, 64),
    "ernie": (500000, 128), "ernie_vl": (500000, 128), "baichuan": (10000, 128), "cohere": (8000000, 128),
    "cohere2": (50000, 128), "falcon": (10000, 64), "falcon3": (1000042, 256), "granite": (10000, 128),
    "helium": (100000, 128), "modernbert_global": (160000, 64), "modernbert_local": (10000, 64),
    "nomic_bert": (1000, 64), "olmo": (10000, 128), "olmo2": (500000, 128), "smollm3": (2000000, 128),
    "stablelm": (10000, 20), "starcoder2": (100000, 128),
}
SHORT_FACTORS = [1 + D(i) / 16 for i in range(48)]  # as the test has them
LONG_FACTORS = [D("1.5") + i for i in range(48)]


def rows():
    """name, length (0 where it has no say), amplitude, frequencies and perhaps their ramp."""
    for name, (base, r) in PLAIN.items():
        yield name, 0, 1, default(base, r)
    yield "llama3", 0, 1, *llama3(500000, 128, 8, 1, 4, 8192)
    yield "llama3_2", 0, 1, *llama3(500000, 64, 32, 1, 4, 8192)
    yield "llama4_vision", 0, 1, axial(10000, 88)
    yield "ministral3", 0, 1, *yarn(1000000, 128, 16, 16384)
    yield "mistral4", 0, 1, *yarn(10000, 64, 128, 8192)
    yield "pixtral", 0, 1, split(10000, 64)
    yield "qwen", 8192, 1, qwen_ntk(10000, 128, 8192, 8192)
    yield "qwen", 20000, 1, qwen_ntk(10000, 128, 20000, 8192)
    yield "yarn_qwen2_5", 0, yarn_amplitude(4), *yarn(1000000, 128, 4, 32768)
    yield "qwen2_vl_vision", 0, 1, axial(10000, 80)
    yield "phi3_longrope", 4096, longrope_amplitude(32, 4096), longrope(10000, 96, SHORT_FACTORS)
    yield "phi3_longrope", 131072, longrope_amplitude(32, 4096), longrope(10000, 96, LONG_FACTORS)
    yield "gemma3_global", 0, 1, linear(1000000, 256, 8)
    yield "gemma4_global", 0, 1, *proportional(1000000, 512, D("0.25"))
    yield "deepseek_v2", 0, 1, *yarn(10000, 64, 40, 4096)
    yield "deepseek_v3", 0, 1, *yarn(10000, 64, 40, 4096)
    yield "gpt_oss", 0, yarn_amplitude(32), *yarn(150000, 64, 32, 4096, truncate=False)
    yield "grok1_yarn_log", 0, 1, *yarn_log(10000, 128, 16, 8192)
    yield "telechat3", 0, yarn_amplitude(4, D("0.07")), *yarn(1000000, 128, 4, 8192)
    yield "dinov3", 0, 1, [2 * PI * w for w in axial(100, 64)]
    yield "hunyuan_vl", 0, 1, ntk(10000, 128, 1000)
    yield "internlm2", 32768, 1, dynamic_ntk(1000000, 128, 2, 32768, 32768)
    yield "internlm2", 100000, 1, dynamic_ntk(1000000, 128, 2, 100000, 32768)


# The first and last pairs, those where axes may meet, and a ramp's first, middle and last.
def pairs_to_show(n, ramp):
    blended = [i for i, m in enumerate(ramp) if 0 < m < 1]
    ends = {blended[k] for k in (0, len(blended) // 2, -1)} if blended else set()
    return sorted({0, 1, n // 2 - 1, n // 2, n - 2, n - 1} | ends)


print("// Made by rotary_presets.py: name, length, amplitude, and radians a step of some pairs.")
for name, length, amplitude, frequencies, *ramp in rows():
    pairs = pairs_to_show(len(frequencies), ramp[0] if ramp else [])
    shown = ", ".join(f"{{{i},_{float(frequencies[i]).hex()}}}" for i in pairs)
    line = f'{{"{name}", {length}, {float(amplitude).hex()}, {{{shown}}}}},'
    print(textwrap.fill(line, 110, subsequent_indent=" ").replace(",_", ", "))
