#!/usr/bin/env python3
"""formulas.py > formulas.txt: computes what encoders write and how rotaries rotate, from the published formulas in decimals.

It uses nothing of posenc. Each row of formulas.txt has a noun (encoder or rotary), the text of a spec (src/spec/text.h says how it
is written), and results. An encoder's results are columns `c7`. A rotary's results are its amplitude `A` and, for some pairs,
radians for each position `w7`, cosine `c7` and sine `s7`, all rounded to double. The elements of a head 1, 2, 3 ... after rotation
are `e7`, rounded to float. `at` is the position, or the positions on the axes of a rotary, with colons between them. (The rows in
tests/models/golden/presets.txt are of presets.) In this script, 1+0.25*3 is short for the list 1:1.25:1.5.

Scalings:

linear        transformers, modeling_rope_utils.py, _compute_linear_scaling_rope_parameters
ntk           vLLM, xdrope.py: base * alpha^(r / (r - 2))
dynamic_ntk   transformers, modeling_rope_utils.py, _compute_dynamic_ntk_parameters
qwen_ntk      Qwen-7B, modeling_qwen.py, get_ntk_alpha
mixed_ntk     vLLM, ntk_scaling_rope.py: base * f, and frequencies over f^(2 / r)
yarn          Peng et al., arXiv:2309.00071; transformers, modeling_rope_utils.py, _compute_yarn_parameters
yarn_log      SGLang, grok.py, ScalingRotaryEmbedding: logarithms of frequencies are blended
longrope      transformers, modeling_rope_utils.py, _compute_longrope_parameters
llama3        transformers, modeling_rope_utils.py, _compute_llama3_parameters
proportional  transformers, modeling_rope_utils.py, _compute_proportional_rope_parameters
frequency_factors  ggml, ops.cpp, ggml_rope_cache_init: theta / freq_factors[i]

Axes: transformers, modeling_qwen2_vl.py (consecutive), modeling_qwen3_vl.py, apply_interleaved_mrope (interleaved),
modeling_ernie4_5_vl_moe.py (alternating), modeling_pixtral.py (split), modeling_dinov3_vit.py (axial); ggml, ops.cpp,
ggml_mrope_cache_init (imrope).
"""

import decimal
import math
import re
from decimal import Decimal as D
from fractions import Fraction as Q

decimal.getcontext().prec = 80
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707")


def rounded(x, digits, least):
    """x rounded to `digits` binary digits, with at most -least of them behind the point; ties to even."""
    x = Q(x)
    if x == 0:
        return 0.0
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= Q(2) ** exponent > abs(x)
    quantum = Q(2) ** max(exponent - digits + 1, least)
    return float(round(x / quantum) * quantum)


def f32(x):
    return rounded(x, 24, -149)


def f64(x):
    return rounded(x, 53, -1074)


def product(x, y):
    return f32(Q(x) * Q(y))


def quotient(x, y):
    return f32(Q(x) / Q(y))


def sine_cosine(w, p, unit="radians"):
    """The sine and cosine of p times w, which is in radians, half turns or turns. Exact at quarter turns."""
    x = D(w) * D(p)
    if unit != "radians":
        quarters = x * (4 if unit == "turns" else 2) % 4
        if quarters % 1 == 0:
            return [(D(0), D(1)), (D(1), D(0)), (D(0), D(-1)), (D(-1), D(0))][int(quarters) % 4]
        x = quarters * PI / 2
    x %= 2 * PI
    parts, term, k = [D(0), D(0)], D(1), 0  # for the cosine and the sine
    while abs(term) > D("1e-90"):
        parts[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = term * x / k
    return parts[1], parts[0]


def hexadecimal(x):
    """x as a double. The double must round to each narrower type as x itself does."""
    nearest = f64(x)
    for digits, least in (24, -149), (11, -24), (8, -133):
        assert rounded(nearest, digits, least) == rounded(x, digits, least)
    return nearest.hex()


def listing(numbers):
    """The text of a list."""
    return ":".join(repr(x).removesuffix(".0") for x in numbers)


def listed(text):
    """The numbers of a list."""
    return [float(x) for x in text.split(":")]


def stepped(text):
    """The list 1:1.25:1.5 for 1+0.25*3."""
    first, step, count = text.replace("+", " ").replace("*", " ").split()
    return listing(float(first) + float(step) * i for i in range(int(count)))


def settings_of(words):
    """Turns "base=10000 ..." into {"base": 10000, ...}."""
    def value(text):
        if "*" in text:
            return stepped(text)
        try:
            return float(text) if set(text) & set(".e") else int(text)
        except ValueError:
            return text
    return {name: value(text) for name, text in (word.split("=") for word in words.split())}


def print_row(noun, settings, results):
    words = {**settings, **{name: hexadecimal(x) for name, x in results.items()}}
    print(noun, *(f"{name}={value}" for name, value in words.items()))


# Encoders.

def columns_of(s):
    """What each column holds, as the pictures of posenc_layout and posenc_odd_column show it."""
    n = s["dim"] - s.get("input_first", 0)
    layout, odd = s.get("layout", "interleaved"), s.get("odd_column", "half_pair") if n % 2 else ""
    half = odd == "half_pair"
    if layout.startswith("interleaved"):
        kinds = ("cosine", "sine") if layout.endswith("cos_sin") else ("sine", "cosine")
        row = [(kind, i) for i in range(n // 2 + half) for kind in kinds][:n // 2 * 2 + half]
    else:
        first, last = [("sine", i) for i in range(n // 2 + half)], [("cosine", i) for i in range(n // 2)]
        if layout == "cos_sin":
            first, last = last, first
        row = first + [("zero", 0)] * (odd == "zero_middle") + last
    row += {"zero_last": [("zero", 0)], "cosine_last": [("cosine", 0)]}.get(odd, [])
    return [("position", 0)] * (n < s["dim"]) + row


def frequency_of(s, i):
    scale, least = D(s.get("position_scale", 1)), D(s.get("min_timescale", 1))
    if "frequencies" in s:
        return scale * D(listed(s["frequencies"])[i])
    return scale * least * (D(s.get("base", 10000)) / least) ** (D(-2 * i) / D(s.get("exponent_dim", 0) or s["dim"]))


def rounded_phase(s, i, p):
    """The phase, rounded step by step as in NumPy, PyTorch, diffusers, transformers, ggml, gemma.cpp, Wan and tensor2tensor."""
    base, d, name = s.get("base", 10000), s.get("exponent_dim", 0) or s["dim"], s["phase_rounding"]
    if name.startswith("f64_pow"):
        power = f64(D(base) ** D(f64(Q(-2 * i if name == "f64_pow_mul" else 2 * i) / Q(d))))
        phase = f64(Q(p) * Q(power)) if name == "f64_pow_mul" else f64(Q(p) / Q(power))
        return f64(Q(phase) * Q(s.get("position_scale", 1)))
    power = f32(D(f32(base)) ** D(quotient(2 * i, f32(d))))
    phase = f32(p)
    if name == "f32_pow_div":
        phase = quotient(phase, power)
    elif name == "f32_iterated":
        for _ in range(i):
            phase = product(phase, f32(D(f32(base)) ** D(quotient(-2, f32(d)))))
    else:
        w = {
            "f32_exp": lambda: f32(D(product(2 * i, f32(-D(base).ln() / D(d)))).exp()),
            "f32_log_div": lambda: f32(D(quotient(product(f32(-D(base).ln()), i), f32(Q(d) / 2))).exp()),
            "f32_inv_freq": lambda: quotient(1, power),
            "f64_inv_freq": lambda: f32(f64(1 / Q(f64(D(base) ** D(f64(Q(2 * i) / Q(d))))))),
            "f32_list": lambda: f32(listed(s["frequencies"])[i]),
            "f32_log_increment": lambda: product(f32(s.get("min_timescale", 1)), f32(D(product(
                i, -quotient(f32((D(base) / D(s.get("min_timescale", 1))).ln()), f32(Q(d) / 2)))).exp())),
        }[name]()
        phase = product(phase, w)
    return product(f32(s["position_scale"]), phase) if "position_scale" in s else phase


def ends(d):
    """The first two columns, the last two, and the columns where halves meet."""
    return sorted({0, 1, d // 2 - 1, d // 2, d // 2 + 1, d - 2, d - 1} & set(range(d)))


def print_encoder(words, shown=None):
    s = settings_of(words)
    p = f64(Q(s["at"]) + s.get("position_offset", 0))
    results = {}
    for j, (kind, i) in enumerate(columns_of(s)):
        if shown is not None and j not in shown:
            continue
        if "phase_rounding" in s:
            sine, cosine = sine_cosine(1, rounded_phase(s, i, p))
        else:
            sine, cosine = sine_cosine(frequency_of(s, i), p, s.get("unit", "radians"))
        value = {"sine": sine, "cosine": cosine, "zero": D(0), "position": D(p)}[kind]
        results[f"c{j}"] = D(0) if s["at"] == s.get("padding_position") else value
    print_row("encoder", s, results)


# What frameworks write, at dims from 1 to 65. n is the number of pairs. Listed frequencies come from a caller.
USUAL_ENCODERS = """

exponent_dim={2 * ((d + 1) // 2)}
layout=sin_cos
layout=sin_cos exponent_dim={2 * max(n - 1, 1)} odd_column=zero_last
layout=sin_cos exponent_dim={2 * max(n - 1, 1)} odd_column=zero_last position_offset=1
layout=sin_cos exponent_dim={2 * max(n - 1, 1)} odd_column=zero_last padding_position=1
layout=sin_cos exponent_dim={d - 2 if d > 2 else d} odd_column=cosine_last
layout=cos_sin exponent_dim={2 * max(n - 1, 1)} odd_column=zero_last
layout=cos_sin exponent_dim={2 * max(n, 1)} odd_column=zero_last
layout=cos_sin exponent_dim={2 * max(n, 1)} odd_column=zero_last position_scale=1000
layout=sin_cos exponent_dim={2 * max(n, 1)} odd_column=zero_last
layout=sin_cos frequencies=-7.75+2.8125*{max(n, 1)} unit=turns odd_column=zero_last
layout=cos_sin frequencies=-7.75+2.8125*{max(n, 1)} unit=turns odd_column=zero_last
layout=sin_cos frequencies=-7.75+2.8125*{max(n, 1)} unit=half_turns odd_column=zero_last
base=2 exponent_dim=-2 input_first=1
base=2 exponent_dim=-2 unit=half_turns
base=112 exponent_dim={-2 * max(n - 1, 1)} layout=sin_cos unit=half_turns odd_column=zero_last
position_offset=1
unit=turns
"""
DIMS = (1, 2, 3, 5, 8, 54, 65)
POSITIONS = (3, 0.75, -1234, 8191.5, 1, 999.375, 2147483646, -0.25)


def print_usual_encoders():
    for k, line in enumerate(USUAL_ENCODERS.split("\n")[1:-1]):
        for j, d in enumerate(DIMS):
            words = re.sub(r"\{(.*?)\}", lambda match: str(eval(match[1], {"d": d, "n": d // 2, "max": max})), line)
            s = settings_of(f"dim={d} {words}")
            last = max((i for kind, i in columns_of(s) if kind in ("sine", "cosine")), default=0)
            if abs(frequency_of(s, last)) * UNITS[s.get("unit", "radians")] > 2**31:
                continue
            at = (1, 2)[j % 2] if "padding" in words else POSITIONS[(k + j) % len(POSITIONS)]
            print_encoder(f"dim={d} {words} at={at}", ends(d))


def print_encoders():
    for layout in ("interleaved", "sin_cos", "cos_sin", "interleaved_cos_sin"):
        print_encoder(f"dim=6 layout={layout} at=5")
        for odd in ("half_pair", "zero_last", "zero_middle", "cosine_last"):
            if odd != "zero_middle" or not layout.startswith("interleaved"):
                print_encoder(f"dim=5 layout={layout} odd_column={odd} at=2.5")
                print_encoder(f"dim=6 layout={layout} odd_column={odd} input_first=1 position_offset=-2 at=7.3")
    for unit in ("radians", "half_turns", "turns"):
        print_encoder(f"dim=8 base=2 exponent_dim=-2 unit={unit} at=0.625")
        print_encoder(f"dim=6 base=7.25 unit={unit} position_scale=-0.3 at=1000000000")
        print_encoder(f"dim=6 frequencies=0.5+0.125*3 unit={unit} at=3")
    for least in (0.3, 3.0):
        print_encoder(f"dim=6 min_timescale={least} base=5000 exponent_dim=4 at=77")
    for at in (8, 9):
        print_encoder(f"dim=5 padding_position=9 position_offset=3 at={at}")
    for name in ("f32_pow_div", "f32_exp", "f32_log_div", "f32_inv_freq", "f32_iterated", "f64_inv_freq", "f64_pow_div",
                 "f64_pow_mul", "f32_list", "f32_log_increment"):
        words = f"dim=12 phase_rounding={name} " + "frequencies=0.9375+-0.0625*6 " * (name == "f32_list")
        print_encoder(words + "at=4095")
        print_encoder(words + "base=500000.1 exponent_dim=10.7 at=-131071.6")
        print_encoder(words + "base=31.7 position_scale=0.7 at=16777217")
    print_encoder("dim=12 phase_rounding=f32_log_increment min_timescale=0.3 at=4095")


# Rotaries.

UNITS = {"radians": D(1), "half_turns": PI, "turns": 2 * PI}


def original(s):
    return D(s["original_length"])


def listed_frequencies(s):
    text = s.get("frequencies") or s.get("frequencies_f32")
    return listed(text) if text else []


def stretched_base(s, r):
    base, f = D(s.get("base", 10000)), D(s.get("factor", 1))
    scaling = s.get("scaling")
    if scaling == "mixed_ntk":
        return base * f
    if scaling == "dynamic_ntk":
        f = f * max(D(s["length"]), original(s)) / original(s) - (f - 1)
    elif scaling == "qwen_ntk":
        doublings = next(n for n in range(-99, 99) if 2**D(n) >= D(s["length"]) / original(s))
        f = max(2**D(doublings + 1) - 1, D(1))
    elif scaling != "ntk":
        return base
    return base * f ** (D(r) / (r - 2)) if r > 2 else base


def yarn_ramp(s, r, i):
    def pair(beta):
        return r * (original(s) / (2 * PI * D(beta))).ln() / (2 * D(s.get("base", 10000)).ln())

    low, high = pair(s.get("beta_fast", 32)), pair(s.get("beta_slow", 1))
    if s.get("truncate", 1):
        low, high = D(math.floor(low)), D(math.ceil(high))
    low, high = max(low, D(0)), min(high, D(r - 1))
    if low == high:
        high += D("0.001")
    return min(max((i - low) / (high - low), D(0)), D(1))


def llama3_ramp(s, w):
    low, high = D(s.get("low_freq_factor", 1)), D(s.get("high_freq_factor", 4))
    turns = original(s) * abs(w) / (2 * PI)
    return D(turns > low) if low == high else min(max((turns - low) / (high - low), D(0)), D(1))


def scaled(s, r, i, entry, w):
    """The scaled frequency with index i and this entry of lists, in radians. Also how far it is blended, or 0."""
    f = D(s.get("factor", 1))
    scaling = s.get("scaling")
    if scaling == "linear":
        return w / f, 0
    if scaling == "mixed_ntk":
        return w / f ** (D(2) / r), 0
    if scaling == "yarn":
        m = yarn_ramp(s, r, i)
        return w / f * m + w * (1 - m), m
    if scaling == "yarn_log":
        m = yarn_ramp(s, r, i)
        return (w.ln() - m * f.ln()).exp(), m
    if scaling == "llama3":
        m = llama3_ramp(s, w)
        return (1 - m) * w / f + m * w, m
    if scaling == "proportional":
        turning = math.floor(f64(Q(s["proportion"]) * r) / 2)
        return (w / f if i < turning else D(0)), D("0.5") if i in (turning - 1, turning) else 0
    if scaling in ("longrope", "frequency_factors"):
        is_long = scaling == "longrope" and s["length"] > s["original_length"]
        return w / D(listed(s["long_factors" if is_long else "factors"])[entry]), 0
    return w, 0


def amplitude_of(s):
    f = D(s.get("factor", 1))
    if "amplitude" in s:
        return D(s["amplitude"])
    if f > 1 and s.get("scaling") == "longrope":
        return (1 + f.ln() / original(s).ln()).sqrt()
    if s.get("scaling") == "yarn":
        log = f.ln() if f > 1 else D(0)
        terms = [log / 10 * D(s.get(name, default)) + 1 for name, default in (("mscale", 1), ("mscale_all_dim", 0))]
        return D(s.get("amplitude_factor", 1)) * terms[0] / terms[1]
    return D(1)


def axes_of(s, n):
    """The axis of each pair, by slices as in the sources."""
    sections = [int(count) for count in s.get("sections", str(n)).split(":")]
    order = s.get("axis_order", "consecutive")
    if order == "interleaved":
        axes = [0] * n
        for k, count in enumerate(sections[1:], 1):
            axes[k:count * len(sections):len(sections)] = [k] * count
        return axes
    if order == "alternating":
        return [k for _ in range(sections[1]) for k in range(1, len(sections))] + [0] * sections[0]
    if order == "imrope":  # sections t, h, w: 3 * section and the remainder of the sector
        last = len(sections) - 1
        return [i % last if i < last * sections[i % last] else last for i in range(n)]
    return [k for k, count in enumerate(sections) for _ in range(count)]


def pairs_of(s, r):
    """For each pair: its entry in lists, its frequency in radians, and how far that is blended, or 0."""
    n, axes = r // 2, axes_of(s, r // 2)
    order, unit = s.get("axis_order"), UNITS[s.get("unit", "radians")]
    entries_of = list(range(n))
    if order == "split":
        entries_of = [i for k in range(max(axes) + 1) for i in range(k, n, max(axes) + 1)]
    for pair, entry in enumerate(entries_of):
        i, dim = entry, r
        if order == "axial":  # each axis alone
            i, dim = axes[:pair].count(axes[pair]), 2 * axes.count(axes[pair])
        if listed_frequencies(s):
            w = D(listed_frequencies(s)[entry])
        else:
            w = stretched_base(s, dim) ** (D(-2 * i) / D(s.get("exponent_dim", 0) or dim))
        w, ramp = scaled(s, dim, i, entry, unit * w)
        yield entry, w * D(s.get("position_scale", 1)), ramp


def rounded_rotary_phase(s, r, pair, i, p):
    """The phase, rounded step by step as in transformers, ggml, MLX and gemma.cpp."""
    axes, is_axial = axes_of(s, r // 2), s.get("axis_order") == "axial"
    if is_axial:
        j, r = axes[:pair].count(axes[pair]), 2 * axes.count(axes[pair])
    name, base, f = s["phase_rounding"], s.get("base", 10000), s.get("factor", 1)
    numerator, d = 2 * (j if is_axial else i), s.get("exponent_dim", 0) or r
    if name == "f32_iterated":
        t = f32(p)
        for _ in range(pair):
            t = product(t, f32(D(f32(base)) ** D(quotient(-2, f32(d)))))
        if s.get("scaling") == "frequency_factors":
            return quotient(t, f32(listed(s["factors"])[i]))
        return product(quotient(1, f32(f)), t)
    if name == "f32_exp":
        rate = quotient(f32(D(f32(base)).ln()), f32(Q(f32(d)) / 2))
        return product(product(f32(p), f32(f64(1 / Q(f)))), f32(D(product(-i, rate)).exp()))
    if listed_frequencies(s):
        w = f32(listed_frequencies(s)[i])
    elif name == "f32_inv_freq":
        w = quotient(1, f32(D(f32(base)) ** D(quotient(numerator, f32(d)))))
    else:
        w = f32(f64(1 / Q(f64(D(base) ** D(f64(Q(numerator) / Q(d)))))))
    return product(f32(p), quotient(w, f32(f)))


def places(pairing, offset, n, i):
    return (offset + i, offset + i + n) if pairing == "half_split" else (offset + 2 * i, offset + 2 * i + 1)


def print_rotary(words):
    """Prints the results for some pairs: the first and the last, pairs where axes may meet, and the first, middle and last of a ramp."""
    settings = settings_of(words)
    s = {name.lstrip("+"): value for name, value in settings.items()}
    offset = s.get("rotary_offset", 0)
    r = s.get("rotary_dim", s["head_dim"] - offset)
    n, axes, pairs = r // 2, axes_of(s, r // 2), list(pairs_of(s, r))
    positions = [1000.25, 3, -17.5, 0.625][:s.get("axes", 1)]
    blended = [pair for pair, (_, _, m) in enumerate(pairs) if 0 < m < 1]
    ends = {blended[k] for k in (0, len(blended) // 2, -1)} if blended else set()
    shown = range(n) if n <= 10 else sorted(({0, 1, n // 2 - 1, n // 2, n - 2, n - 1} | ends) & set(range(n)))
    amplitude = D(f64(amplitude_of(s)))
    results, elements = {"A": amplitude}, {e: D(e + 1) for e in (0, s["head_dim"] - 1)}
    pairing = s.get("pairing", "half_split")
    output = s.get("output_pairing", "same").replace("same", pairing)
    for pair in range(n):
        i, w, _ = pairs[pair]
        if pair in shown:
            results[f"w{pair}"] = w
        if pair not in shown and not {0, s["head_dim"] - 1} & set(places(output, offset, n, pair)):
            continue
        p = positions[axes[pair]]
        if "phase_rounding" in s:
            sine, cosine = sine_cosine(1, rounded_rotary_phase(s, r, pair, i, p))
        elif s.get("unit", "radians") != "radians":
            sine, cosine = sine_cosine((w / (2 * PI)).quantize(D("1e-70")), p, "turns")
        else:
            sine, cosine = sine_cosine(w, p)
        if pair in shown:
            results[f"c{pair}"], results[f"s{pair}"] = amplitude * cosine, amplitude * sine
        a, b = (e + 1 for e in places(pairing, offset, n, pair))
        x, y = places(output, offset, n, pair)
        elements[x], elements[y] = amplitude * (a * cosine - b * sine), amplitude * (b * cosine + a * sine)
    settings["at"] = ":".join(map(str, positions))
    results |= {f"e{e}": D(f32(x)) for e, x in sorted(elements.items())}
    print_row("rotary", settings, results)


def print_rotaries():
    for line in USUAL_ROTARIES.strip().split("\n"):
        print_rotary(line)
    for line in ROTARIES.strip().split("\n"):
        for row in line.split(";"):
            print_rotary(row)
    for scaling in "yarn", "yarn_log":
        for more in ("factor=4 base=30 original_length=1e12",  # high above r - 1
                     "factor=4 original_length=150 truncate=0 mscale=0.5 mscale_all_dim=0.25",  # low below 0
                     "factor=40 original_length=6 amplitude=1.1",  # low and high 0
                     "factor=40 original_length=4096 mscale=0.707 amplitude_factor=1.1",
                     "factor=0.5 original_length=4096 amplitude_factor=0.7",
                     "factor=16 original_length=8192 beta_fast=8 beta_slow=2.5 exponent_dim=70",
                     "factor=0.5 base=1e6 original_length=4096 unit=turns",
                     "factor=8 original_length=1000 frequencies=0.5+0.125*32"):
            print_rotary(f"head_dim=64 scaling={scaling} {more}")
    for name in "f32_inv_freq", "f32_iterated", "f32_exp", "f64_inv_freq":
        for more in ("", "base=500000.1", "base=0.3 exponent_dim=33.3", "exponent_dim=-100.1", "scaling=linear factor=2.7",
                     "scaling=linear factor=8 base=1e6", "axis_order=interleaved axes=3 sections=6:4:4"):
            print_rotary(f"head_dim=28 phase_rounding={name} {more}")
    for name in "f32_inv_freq", "f64_inv_freq":
        print_rotary(f"head_dim=20 phase_rounding={name} axis_order=split axes=2 sections=5:5 exponent_dim=20.7")
        print_rotary(f"head_dim=20 phase_rounding={name} axis_order=axial axes=2 sections=3:7")
    for more in "", "scaling=linear factor=2.7", "axis_order=split axes=2 sections=7:7":
        print_rotary(f"head_dim=28 phase_rounding=f32_inv_freq frequencies_f32=0.5+0.125*14 {more}")
    print_rotary("head_dim=28 phase_rounding=f32_iterated scaling=frequency_factors factors=1.125+0.375*14")


# What models use.
USUAL_ROTARIES = """
head_dim=64 base=10000 pairing=neighbours
head_dim=96 rotary_dim=24 base=10000
head_dim=128 base=10000
head_dim=128 base=500000 scaling=llama3 original_length=8192 factor=8
head_dim=64 base=500000 scaling=llama3 original_length=8192 factor=32
head_dim=88 base=10000 pairing=neighbours axis_order=axial axes=2 sections=22:22
head_dim=128 base=500000 pairing=neighbours scaling=llama3 original_length=8192 factor=16 high_freq_factor=1
head_dim=128 base=1000000 scaling=yarn factor=16 original_length=16384 mscale=1 mscale_all_dim=1
head_dim=128 rotary_dim=64 rotary_offset=64 base=10000 pairing=neighbours output_pairing=half_split scaling=yarn factor=128 original_length=8192 mscale=1 mscale_all_dim=1
head_dim=64 base=10000 axis_order=split axes=2 sections=16:16
head_dim=128 base=10000 scaling=qwen_ntk length=8192 original_length=8192
head_dim=128 base=10000 scaling=qwen_ntk length=20000 original_length=8192
head_dim=128 base=1000000 scaling=yarn factor=4 original_length=32768 mscale=1 mscale_all_dim=0
head_dim=128 base=1000000 axis_order=consecutive axes=3 sections=16:24:24
head_dim=80 base=10000 axis_order=axial axes=2 sections=20:20
head_dim=128 base=5000000 axis_order=interleaved axes=3 sections=24:20:20
head_dim=256 rotary_dim=64 base=10000000 axis_order=interleaved axes=3 sections=11:11:10
head_dim=96 base=10000 scaling=longrope factor=32 length=4096 original_length=4096 factors=1+0.0625*48 long_factors=1.5+1*48
head_dim=96 base=10000 scaling=longrope factor=32 length=131072 original_length=4096 factors=1+0.0625*48 long_factors=1.5+1*48
head_dim=256 base=1000000 scaling=linear factor=8
head_dim=512 base=1000000 scaling=proportional proportion=0.25
head_dim=192 rotary_dim=64 rotary_offset=128 base=10000 pairing=neighbours scaling=yarn factor=40 original_length=4096 mscale=0.707 mscale_all_dim=0.707
head_dim=192 rotary_dim=64 rotary_offset=128 base=10000 pairing=neighbours output_pairing=half_split scaling=yarn factor=40 original_length=4096 mscale=1 mscale_all_dim=1
head_dim=128 rotary_dim=64 base=10000 scaling=yarn factor=40 original_length=4096 mscale=1 mscale_all_dim=1
head_dim=512 rotary_dim=64 rotary_offset=448 base=10000 pairing=neighbours
head_dim=512 rotary_dim=64 rotary_offset=448 base=160000 pairing=neighbours scaling=yarn factor=16 original_length=65536 amplitude=1
head_dim=192 rotary_dim=64 rotary_offset=128 base=50000 pairing=neighbours output_pairing=half_split beta_fast=1 scaling=yarn factor=32 original_length=4096 mscale=1 mscale_all_dim=1
head_dim=64 base=150000 truncate=0 scaling=yarn factor=32 original_length=4096 mscale=1 mscale_all_dim=0
head_dim=128 base=10000 scaling=yarn_log factor=16 original_length=8192
head_dim=128 base=1000000 scaling=yarn factor=4 original_length=8192 mscale=0.7 mscale_all_dim=0
head_dim=256 rotary_dim=64 rotary_offset=192 base=1000000 pairing=neighbours output_pairing=half_split
head_dim=128 rotary_dim=64 base=1000000 pairing=neighbours output_pairing=half_split
head_dim=128 rotary_dim=64 base=10000 pairing=neighbours axis_order=consecutive axes=3 sections=8:12:12
head_dim=128 base=500000 pairing=neighbours axis_order=alternating axes=3 sections=20:22:22
head_dim=64 base=100 unit=turns axis_order=axial axes=2 sections=16:16
head_dim=128 base=10000 scaling=ntk factor=1000 axis_order=consecutive axes=4 sections=16:16:16:16
head_dim=128 base=1000000 scaling=dynamic_ntk factor=2 length=32768 original_length=32768
head_dim=128 base=1000000 scaling=dynamic_ntk factor=2 length=100000 original_length=32768
head_dim=64 base=10000 pairing=neighbours axis_order=axial axes=3 sections=8:12:12
head_dim=128 base=10000 pairing=neighbours axis_order=axial axes=3 sections=8:28:28
head_dim=128 base=2000 pairing=neighbours axis_order=axial axes=4 sections=16:16:16:16
head_dim=128 base=256 pairing=neighbours axis_order=axial axes=2 sections=32:32
head_dim=96 base=10000 pairing=neighbours axis_order=axial axes=3 sections=16:16:16
head_dim=128 base=10000 pairing=neighbours axis_order=axial axes=3 sections=22:21:21
head_dim=128 base=256 pairing=neighbours axis_order=axial axes=3 sections=16:24:24
"""
ROTARIES = """
head_dim=64 exponent_dim=-80.5; head_dim=64 position_scale=-0.7; head_dim=64 base=0.01; head_dim=64 amplitude=1.25
head_dim=64 unit=half_turns; head_dim=64 unit=turns; head_dim=64 frequencies=0.5+0.125*32 unit=turns
head_dim=64 frequencies=0.5+0.125*32; head_dim=64 frequencies_f32=0.5+0.125*32 scaling=linear factor=3
head_dim=96 rotary_dim=30 rotary_offset=5 output_pairing=neighbours scaling=linear factor=2.7
head_dim=2 scaling=ntk factor=0.7; head_dim=4 scaling=ntk factor=0.7; head_dim=96 scaling=ntk factor=0.7
head_dim=2 scaling=mixed_ntk factor=4; head_dim=4 scaling=mixed_ntk factor=4; head_dim=96 scaling=mixed_ntk factor=4
head_dim=64 scaling=dynamic_ntk factor=2.5 length=1000 original_length=4096
head_dim=64 scaling=dynamic_ntk factor=2.5 length=4097 original_length=4096
head_dim=64 scaling=dynamic_ntk factor=2.5 length=10001.5 original_length=4096
head_dim=64 scaling=qwen_ntk length=100 original_length=2048; head_dim=64 scaling=qwen_ntk length=2048 original_length=2048
head_dim=64 scaling=qwen_ntk length=2049 original_length=2048; head_dim=64 scaling=qwen_ntk length=4096 original_length=2048
head_dim=64 scaling=qwen_ntk length=8191 original_length=2048
head_dim=64 scaling=qwen_ntk length=3000.7 original_length=2048
head_dim=96 scaling=longrope factor=32 length=4096 original_length=4096 factors=1+0.0625*48 long_factors=1.125+0.375*48
head_dim=96 scaling=longrope factor=32 length=4097 original_length=4096 factors=1+0.0625*48 long_factors=1.125+0.375*48
head_dim=96 scaling=longrope factor=1 length=9999 original_length=4096 factors=1+0.0625*48 long_factors=1.125+0.375*48
head_dim=128 scaling=llama3 factor=16 original_length=8192 base=500000 high_freq_factor=1
head_dim=128 scaling=llama3 factor=16 original_length=8192 base=500000 low_freq_factor=0.5 high_freq_factor=9
head_dim=128 scaling=llama3 factor=16 original_length=8192 base=500000 unit=turns
head_dim=128 scaling=llama3 factor=16 original_length=8192 base=500000 position_scale=0.3
head_dim=128 scaling=llama3 factor=16 original_length=8192 frequencies=-0.0625+0.0078125*64 high_freq_factor=90
head_dim=40 scaling=proportional factor=2 proportion=0; head_dim=40 scaling=proportional factor=2 proportion=0.3
head_dim=40 scaling=proportional factor=2 proportion=1; head_dim=96 scaling=frequency_factors factors=1.125+0.375*48
head_dim=16 axis_order=consecutive axes=3 sections=2:3:3
head_dim=16 axis_order=consecutive axes=4 sections=1:0:5:2
head_dim=20 axis_order=interleaved axes=3 sections=4:3:3; head_dim=20 axis_order=interleaved axes=3 sections=6:2:2
head_dim=20 axis_order=alternating axes=3 sections=4:3:3; head_dim=18 axis_order=alternating axes=2 sections=3:6
head_dim=10 axis_order=split axes=2 sections=3:2
head_dim=16 axis_order=split axes=3 sections=3:3:2 frequencies=0.5+0.125*8
head_dim=20 axis_order=split axes=3 sections=4:3:3 scaling=llama3 factor=8 original_length=8192
head_dim=16 axis_order=axial axes=4 sections=1:4:2:1 scaling=linear factor=1.7
head_dim=16 axis_order=axial axes=2 sections=3:5 unit=turns base=100
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=ntk factor=3
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=ntk factor=4 base=16 unit=turns
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=dynamic_ntk factor=2 length=10000 original_length=4096
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=qwen_ntk length=9000 original_length=2048
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=mixed_ntk factor=4
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=yarn factor=8 original_length=300
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=yarn factor=8 original_length=300 truncate=0
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=yarn_log factor=4 original_length=300 unit=half_turns
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=proportional factor=2 proportion=0.5
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=frequency_factors factors=1.125+0.375*10
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=longrope factor=32 length=5000 original_length=4096 factors=1+0.0625*10 long_factors=1.5+1*10
head_dim=20 axis_order=axial axes=3 sections=3:5:2 scaling=yarn factor=8 original_length=300 frequencies=0.5+0.125*10
head_dim=128 pairing=neighbours axis_order=axial axes=3 sections=8:28:28 scaling=yarn factor=2 original_length=64
head_dim=128 pairing=neighbours axis_order=axial axes=3 sections=22:21:21 scaling=ntk factor=3
head_dim=20 axis_order=imrope axes=4 sections=4:2:2:2; head_dim=20 axis_order=imrope axes=4 sections=4:3:3:0
head_dim=16 axis_order=imrope axes=2 sections=5:3
"""


if __name__ == "__main__":
    print("# Made by formulas.py.")
    print_usual_encoders()
    print_encoders()
    print_rotaries()
