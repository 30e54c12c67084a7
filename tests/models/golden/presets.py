#!/usr/bin/env python3
"""presets.py > presets.txt: computes what presets write and how they rotate, from their sources' formulas in decimals.

It uses nothing of posenc. Rows are as in tests/golden/formulas.txt, with `preset` and, for encodings, the source's `rounding`. A
preset of an encoding has no other settings: its columns follow the source's code, written here by hand. A preset of rotary
embeddings is compared with the settings beside it; `+factor` is set after the preset.

Bases, factors and lengths come from the sources that docs/rotary-presets.md and docs/conventions.md name for each preset.
"""

import math
import pathlib
import sys

sys.dont_write_bytecode = True  # not among the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))

import formulas
from formulas import D, DIMS, POSITIONS, listed, print_rotary, print_row, sine_cosine, stepped

# Presets of encoders: what each column holds (a sine, a cosine, a zero or the position), and its frequency.

def sines(ws):
    return [("sine", w) for w in ws]


def cosines(ws):
    return [("cosine", w) for w in ws]


def by_turns(ws):
    return [column for w in ws for column in (("sine", w), ("cosine", w))]


def padded(columns, d):
    return columns + [("zero", 0)] * (d - len(columns))


def paper(d):
    """pos / 10000^(2 (j // 2) / d) for each column j, sine where j is even"""
    return by_turns([D(10000) ** (D(-2 * i) / d) for i in range((d + 1) // 2)])[:d]


def tutorial(d):
    """exp(arange(0, d, 2) * (-log(10000) / d))"""
    return by_turns([(D(k) * (-D(10000).ln() / d)).exp() for k in range(0, d, 2)])[:d]


def tatp22(d):
    """channels = ceil(d / 2) * 2; 1 / 10000^(arange(0, channels, 2) / channels)"""
    channels = math.ceil(d / 2) * 2
    return by_turns([1 / D(10000) ** (D(k) / channels) for k in range(0, channels, 2)])[:d]


def paper_in_halves(d):
    """sin(enc[:, 0::2]), then cos(enc[:, 1::2]) of the paper's"""
    return paper(d)[0::2] + paper(d)[1::2]


def timing_signal(d):
    """n = d // 2; exp(arange(n) * -(log(10000) / max(n - 1, 1)))"""
    ws = [(-i * D(10000).ln() / max(d // 2 - 1, 1)).exp() for i in range(d // 2)]
    return padded(sines(ws) + cosines(ws), d)


def marian(d):
    """n = d / 2, perhaps not whole; exp(i % int(n) * -log(10000) / (n - 1)), a sine for i < int(n)"""
    def w(i):
        return D(1) if i % max(d // 2, 1) == 0 else D(10000) ** (-D(i % (d // 2)) / (D(d) / 2 - 1))
    return sines(w(i) for i in range(d // 2)) + cosines(w(i) for i in range(d // 2, d))


def musicgen(d):
    """half = d // 2; cos, then sin of positions / 10000^(arange(half) / (half - 1))"""
    ws = [D(10000) ** (-D(i) / max(d // 2 - 1, 1)) for i in range(d // 2)]
    return padded(cosines(ws) + sines(ws), d)


def half_periods(d):
    """half = d // 2; exp(-log(10000) * arange(half) / half)"""
    return [(-D(10000).ln() * i / (d // 2)).exp() for i in range(d // 2)]


def timestep(d):
    return padded(cosines(half_periods(d)) + sines(half_periods(d)), d)


def grid_axis(d):
    return padded(sines(half_periods(d)) + cosines(half_periods(d)), d)



def bands(d):
    """Frequencies that the caller lists."""
    return stepped(f"-7.75+2.8125*{d // 2}")


def fourier(d):
    ws = listed(bands(d))
    return padded(sines(ws) + cosines(ws), d)


def fourier_cosines_first(d):
    ws = listed(bands(d))
    return padded(cosines(ws) + sines(ws), d)


def nerf(d):
    """[x], then sin and cos of x * 2^linspace(0, N - 1, N)"""
    return ([("position", 0)] + by_turns([2**i for i in range(d // 2)]))[:d]


def nerf_paper(d):
    """sin(2^0 pi p), cos(2^0 pi p), sin(2^1 pi p) ..."""
    return by_turns([2**i for i in range((d + 1) // 2)])[:d]


def pixel_bands(d):
    """2^linspace(0, log2(224) - 1, n) * pi"""
    ws = [D(224 // 2) ** (D(i) / max(d // 2 - 1, 1)) for i in range(d // 2)]
    return padded(sines(ws) + cosines(ws), d)


PRESETS = {  # the source's columns and phase rounding, the position that it calls 0, and the factor of positions
    "attention_is_all_you_need": (paper, ""), "annotated_transformer": (tutorial, "f32_exp"),
    "pytorch_tutorial": (tutorial, "f32_exp"), "opennmt_py": (tutorial, "f32_exp"), "d2l": (paper, "f32_pow_div"),
    "keras_hub": (paper, ""), "hf_distilbert": (paper, "f64_pow_div"), "tatp22": (tatp22, "f32_inv_freq"),
    "conformer": (tutorial, "f32_exp"), "tensorflow_tutorial": (paper_in_halves, ""),
    "hf_marian": (paper_in_halves, "f64_pow_div"), "transformer_xl": (paper_in_halves, "f32_inv_freq"),
    "tensor2tensor": (timing_signal, "f32_log_increment"), "tensor2tensor_nd": (timing_signal, "f32_log_increment"),
    "maxtext": (timing_signal, "f32_log_increment"), "flax": (timing_signal, ""),
    "opennmt_tf": (timing_signal, "f32_exp", 1), "ctranslate2": (timing_signal, "f32_log_increment", 1),
    "fairseq": (timing_signal, "f32_exp"), "hf_speech_to_text": (timing_signal, "f32_exp"),
    "hf_m2m_100": (timing_signal, "f32_exp"), "whisper": (timing_signal, "f32_exp"),
    "gemma_cpp": (timing_signal, "f32_log_increment"), "marian": (marian, "f32_log_increment"),
    "ddpm": (timing_signal, "f32_exp"), "diffusers_timestep": (timing_signal, "f32_log_div"),
    "diffusers_unet": (timestep, "f32_log_div"), "guided_diffusion": (timestep, "f32_log_div"),
    "stable_diffusion": (timestep, "f32_log_div"), "dit": (timestep, "f32_log_div"), "flux": (timestep, "", 0, 1000),
    "ggml_timestep": (timestep, "f32_log_div"), "stable_diffusion_cpp": (timestep, "f64_inv_freq"),
    "edm": (timestep, ""), "edm_song": (timing_signal, ""), "wan": (timestep, "f64_pow_mul"),
    "gaussian_fourier": (fourier, "", 0, 1, "turns"), "edm_fourier": (fourier_cosines_first, "", 0, 1, "turns"),
    "nerf": (nerf, ""), "nerf_paper": (nerf_paper, "", 0, 1, "half_turns"),
    "pixel_bands": (pixel_bands, "", 0, 1, "half_turns"), "linear_pixel_bands": (fourier, "", 0, 1, "half_turns"),
    "mae": (grid_axis, "f32_inv_freq"), "timm": (grid_axis, "f32_inv_freq"), "diffusers_2d": (grid_axis, ""),
    "diffusers_3d": (grid_axis, ""), "detr": (paper, "f32_pow_div", 1), "detr_normalized": (paper, "", 0, 1, "turns"),
    "xlnet": (paper_in_halves, "f32_inv_freq"), "musicgen": (musicgen, "f32_pow_div"),
}
PADDED = ("fairseq", "hf_speech_to_text", "hf_m2m_100")  # the row for their position 1 is zero


def entries(columns, p, unit="radians"):
    for j in formulas.ends(len(columns)):
        kind, w = columns[j]
        sine, cosine = sine_cosine(w, p, unit)
        yield f"c{j}", {"sine": sine, "cosine": cosine, "zero": D(0), "position": D(p)}[kind]


def print_presets_of_encoders():
    for k, (name, row) in enumerate(PRESETS.items()):
        source, rounding, first, factor, unit = row + ("", 0, 1, "radians")[len(row) - 1:]
        for n, d in enumerate(DIMS):
            p = (1, 2)[n % 2] if name in PADDED else POSITIONS[(k + n) % len(POSITIONS)]
            settings = {"preset": name, "rounding": rounding or "none", "dim": d, "at": p}
            if source in (fourier, fourier_cosines_first):
                if d == 1:
                    continue  # a list with one entry, which no column shows
                settings["frequencies"] = bands(d)
            if source is nerf_paper and d > 60:
                continue  # a frequency is above 2^31
            zero = name in PADDED and p == 1
            columns = [("zero", 0)] * d if zero else source(d)
            print_row("encoder", settings, dict(entries(columns, (D(p) + first) * factor, unit)))


# Presets of rotary embeddings.

NEIGHBOURS = "pairing=neighbours"
TO_HALVES = "pairing=neighbours output_pairing=half_split"
QWEN2_VL = "axis_order=consecutive axes=3 sections="
TWO_AXES = "axis_order=axial axes=2 sections="
THREE_AXES = NEIGHBOURS + " axis_order=axial axes=3 sections="
LLAMA3 = "scaling=llama3 original_length=8192 factor="
YARN = "scaling=yarn factor={} original_length={} mscale={} mscale_all_dim={}"
LONGROPE = ("scaling=longrope factor=32 length=131072 original_length=4096 "
            "+factors=1+0.0625*48 +long_factors=1.5+1*48 +length=")
ROTARY_PRESETS = {  # name: head_dim, rotary_dim, base and the rest; if rotary_dim is negative, the last elements rotate
    "rope": (64, 64, 10000, NEIGHBOURS), "gpt_j": (256, 64, 10000, NEIGHBOURS), "codegen": (256, 64, 10000, NEIGHBOURS),
    "gpt_neox": (96, 24, 10000), "llama": (128, 128, 10000), "codellama": (128, 128, 1000000),
    "llama3": (128, 128, 500000, LLAMA3 + "8"), "llama3_2": (64, 64, 500000, LLAMA3 + "32"),
    "llama4": (128, 128, 500000, NEIGHBOURS), "llama4_vision": (88, 88, 10000, f"{NEIGHBOURS} {TWO_AXES}22:22"),
    "llama4_scout": (128, 128, 500000, f"{NEIGHBOURS} {LLAMA3}16 high_freq_factor=1"),
    "mistral": (128, 128, 10000), "mistral_v0_2": (128, 128, 1000000), "mixtral": (128, 128, 1000000),
    "ministral3": (128, 128, 1000000, YARN.format(16, 16384, 1, 1)),
    "mistral4": (128, -64, 10000, f"{TO_HALVES} {YARN.format(128, 8192, 1, 1)}"),
    "pixtral": (64, 64, 10000, "axis_order=split axes=2 sections=16:16"),
    "qwen": (128, 128, 10000, "scaling=qwen_ntk length=8192 original_length=8192",
             "scaling=qwen_ntk length=8192 original_length=8192 +length=20000"),
    "qwen2": (128, 128, 1000000), "yarn_qwen2_5": (128, 128, 1000000, YARN.format(4, 32768, 1, 0)),
    "qwen3": (128, 128, 1000000), "qwen2_vl": (128, 128, 1000000, QWEN2_VL + "16:24:24"),
    "qwen2_vl_vision": (80, 80, 10000, TWO_AXES + "20:20"),
    "qwen3_vl": (128, 128, 5000000, "axis_order=interleaved axes=3 sections=24:20:20"), "phi": (64, 32, 10000),
    "qwen3_5": (256, 64, 10000000, "axis_order=interleaved axes=3 sections=11:11:10"),
    "phi_2": (80, 32, 10000), "phi3": (96, 96, 10000), "phi4": (128, 128, 250000),
    "phi3_longrope": (96, 96, 10000, LONGROPE + "4096", LONGROPE + "131072"), "gemma": (256, 256, 10000),
    "gemma2": (256, 256, 10000), "gemma3_local": (256, 256, 10000),
    "gemma3_global": (256, 256, 1000000, "scaling=linear factor=8"), "gemma4_local": (256, 256, 10000),
    "gemma4_global": (512, 512, 1000000, "scaling=proportional proportion=0.25"),
    "deepseek_v2": (192, -64, 10000, f"{NEIGHBOURS} {YARN.format(40, 4096, 0.707, 0.707)}"),
    "deepseek_v3": (192, -64, 10000, f"{TO_HALVES} {YARN.format(40, 4096, 1, 1)}"),
    "deepseek_v3_2": (192, -64, 10000, f"{TO_HALVES} {YARN.format(40, 4096, 1, 1)}"),
    "deepseek_v3_2_indexer": (128, 64, 10000, YARN.format(40, 4096, 1, 1)),
    "deepseek_v4": (512, -64, 10000, NEIGHBOURS),
    "deepseek_v4_compressed": (512, -64, 160000,
                               f"{NEIGHBOURS} scaling=yarn factor=16 original_length=65536 amplitude=1"),
    "kimi_k2": (192, -64, 50000, f"{TO_HALVES} beta_fast=1 {YARN.format(32, 4096, 1, 1)}"),
    "gpt_oss": (64, 64, 150000, f"truncate=0 {YARN.format(32, 4096, 1, 0)}"), "grok1": (128, 128, 10000),
    "grok1_yarn_log": (128, 128, 10000, "scaling=yarn_log +factor=16 +original_length=8192"),
    "telechat3": (128, 128, 1000000, YARN.format(4, 8192, 0.7, 0)), "chatglm": (128, 64, 10000, NEIGHBOURS),
    "glm": (128, 64, 10000, NEIGHBOURS), "glm4": (128, 64, 10000, NEIGHBOURS),
    "glm4_moe": (128, 64, 1000000), "glm5": (256, -64, 1000000, TO_HALVES),
    "glm5_indexer": (128, 64, 1000000, TO_HALVES),
    "glm4v": (128, 64, 10000, f"{NEIGHBOURS} {QWEN2_VL}8:12:12"), "ernie": (128, 128, 500000, NEIGHBOURS),
    "ernie_vl": (128, 128, 500000, f"{NEIGHBOURS} axis_order=alternating axes=3 sections=20:22:22"),  # time, y, x
    "baichuan": (128, 128, 10000), "cohere": (128, 128, 8000000, NEIGHBOURS), "cohere2": (128, 128, 50000, NEIGHBOURS),
    "dinov3": (64, 64, 100, f"unit=turns {TWO_AXES}16:16"), "falcon": (64, 64, 10000), "falcon3": (256, 256, 1000042),
    "granite": (128, 128, 10000), "helium": (128, 128, 100000, NEIGHBOURS),
    "hunyuan_vl": (128, 128, 10000, "scaling=ntk factor=1000 axis_order=consecutive axes=4 sections=16:16:16:16"),
    "internlm2": (128, 128, 1000000, "scaling=dynamic_ntk factor=2 length=32768 original_length=32768",
                  "scaling=dynamic_ntk factor=2 length=32768 original_length=32768 +length=100000"),
    "minimax_m2": (128, 64, 5000000),
    "modernbert_global": (64, 64, 160000), "modernbert_local": (64, 64, 10000), "nomic_bert": (64, 64, 1000),
    "olmo": (128, 128, 10000), "olmo2": (128, 128, 500000), "smollm3": (128, 128, 2000000), "stablelm": (80, 20, 10000),
    "starcoder2": (128, 128, 100000),
    "cogvideox": (64, 64, 10000, THREE_AXES + "8:12:12"),
    "cosmos3": (128, 128, 5000000, "axis_order=interleaved axes=3 sections=24:20:20"),
    "flux1": (128, 128, 10000, THREE_AXES + "8:28:28"),
    "flux2": (128, 128, 2000, f"{NEIGHBOURS} axis_order=axial axes=4 sections=16:16:16:16"),
    "hunyuan_image": (128, 128, 256, f"{NEIGHBOURS} {TWO_AXES}32:32"),
    "hunyuan_video": (128, 128, 256, THREE_AXES + "8:28:28"), "lumina2": (96, 96, 10000, THREE_AXES + "16:16:16"),
    "qwen_image": (128, 128, 10000, THREE_AXES + "8:28:28"), "wan_video": (128, 128, 10000, THREE_AXES + "22:21:21"),
    "z_image": (128, 128, 256, THREE_AXES + "16:24:24"),
}


def print_presets_of_rotaries():
    for name, (head_dim, r, base, *more) in ROTARY_PRESETS.items():
        part = f"rotary_dim={abs(r)}" + f" rotary_offset={head_dim + r}" * (r < 0)
        for words in more or [""]:
            print_rotary(f"preset={name} head_dim={head_dim} {part} base={base} {words}")


if __name__ == "__main__":
    print("# Made by presets.py.")
    print_presets_of_encoders()
    print_presets_of_rotaries()
