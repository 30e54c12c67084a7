#!/usr/bin/env python3
"""core_names.py SOURCE: the core names no model, framework or file format.

The core computes formulas, which never change. What models and frameworks do with them changes every month, so it is described in
src/models and in docs. A comment in the core says what a thing means, not who uses it. Two kinds of names are allowed: names of
formulas (Llama 3's scaling), and citations. A citation says where a formula was read, or names the model by which people know an
order of axes or a layout of caches.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
ROOMS = "api call frequency kernel number spec"
HEADERS = "grid.h grid_c.h posenc.h posenc_c.h rotary.h rotary_angles_c.h rotary_c.h rotary_cache_c.h rotary_norm_c.h rotary_slots_c.h types.h"

# Names of models also come from the rows of src/models.
NAMES = """
    audiocraft caffe comfyui ctranslate detectron diffusers espnet executorch exllama fairseq flax ggml gguf huggingface hugging jax
    json jupyter keras litgpt llamafile lucidrains maxtext mlx mmcv mmdet mxnet npy npz numpy onnx openvino paddle protobuf pytorch
    safetensors sglang tensorflow tensorrt tensor2tensor tflite timm toml torch transformers vllm yaml
    cosmos croco ddpm detr dino dit dust3r edm ernie flux gpt jepa ltx mae marian nerf neox pixart sana sdxl swin vggt wan whisper
"""

# Model families whose name is an ordinary word in the core. Names of one or two letters are ignored too, unless they have a
# digit, as t5 does.
ORDINARY = """
    align big bit command conditional data diffusion embedding emu encoder fast fine got mask modern new pop step switch table time
    transformer video
"""

# Formulas that have no other name. They may appear anywhere.
FORMULAS = [
    r"Llama ?3|LLAMA3",  # the scaling of Llama 3
    r"Qwen_?Ntk",        # the NTK scaling whose factor is a power of two less 1
]

# The places where formulas were read: a file and words in it. Every citation must be there.
CITATIONS = [
    ("include/posenc/rotary_c.h", '"RoFormer", section 3.2.2'),                      # the rotation, from a paper
    ("include/posenc/rotary_c.h", "and so on: Qwen2-VL."),                           # orders of axes, which people know by models
    ("include/posenc/rotary_c.h", "else axis 0: Qwen3-VL."),
    ("include/posenc/rotary_c.h", "follow: ERNIE 4.5 VL."),
    ("include/posenc/rotary_c.h", "w_(k + axes), ...: Pixtral."),
    ("include/posenc/rotary_c.h", "exponent_dim must be 0. Vision towers, DINOv3, FLUX."),
    ("include/posenc/rotary_c.h", "else the last axis: ggml's IMROPE."),
    ("include/posenc/rotary_cache_c.h", "cosines and sines. ONNX Runtime"),          # orders of caches
    ("include/posenc/rotary_cache_c.h", "[cos_0 cos_1 ... | cos_0 cos_1 ...]. transformers"),
    ("include/posenc/rotary_cache_c.h", "[cos_0 cos_1 ... | sin_0 sin_1 ...]. vLLM"),
    ("include/posenc/rotary_cache_c.h", "[cos_0 sin_0 cos_1 sin_1 ...]. ggml"),
    ("src/frequency/formula.h", "tensor2tensor's get_timing_signal_1d"),             # the frequencies between two timescales
    ("src/frequency/scaling.cc", "Qwen 1's modeling_qwen.py, get_ntk_alpha"),        # the factor of that NTK scaling
    ("src/frequency/scaling.cc", "transformers' modeling_rope_utils.py"),            # amplitudes of YaRN and LongRoPE
    ("src/frequency/scaling.cc", "transformers' _compute_dynamic_ntk_parameters"),   # the factor of dynamic NTK
]


def families():
    """The first word of each model type in src/models, with digits and without: llama4_text gives llama4 and llama."""
    names = set()
    for file in (SOURCE / "src/models").glob("*.inc"):
        rows = re.sub(r"//.*", "", file.read_text())
        for row in re.findall(r'^POSENC_(?:MODEL|SIZES)\(\s*((?:"[^"]*"\s*)+)', rows, re.M):
            for name in re.sub(r'"\s*"|"', "", row).lower().split():
                names.update((re.match("[a-z]*", name).group(), re.match("[a-z0-9]*", name).group()))
    if "llama" not in names:
        sys.exit("src/models/*.inc: no rows of models were found")
    return {name for name in names if len(name) > 2 or re.fullmatch("[a-z]+[0-9]+", name)}


def words(line):
    """All words in a line, in lower case: QwenVl2 gives qwenvl2, qwenvl and qwen. A hexadecimal number gives none."""
    for word in re.findall("[A-Za-z0-9]+", re.sub(r"0x[0-9A-Fa-f.]+(p[+-]?\d+)?", " ", line)):
        yield word.lower()
        for part in re.findall("[A-Za-z]+", word):
            yield part.lower()
            yield from (piece.lower() for piece in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", part))


def main():
    names = (families() | set(NAMES.split())) - set(ORDINARY.split())
    files = [file for room in ROOMS.split() for file in sorted((SOURCE / "src" / room).iterdir())]
    files += [SOURCE / "include/posenc" / header for header in HEADERS.split()]
    faults, cited = [], set()
    for file in files:
        path = file.relative_to(SOURCE).as_posix()
        text = file.read_text()
        in_name = sorted(names.intersection(words(file.name)))
        faults += [f"{path}: {', '.join(in_name)}"] if in_name else []
        for citation in (entry for entry in CITATIONS if entry[0] == path):
            phrase = r"\s+(?://\s+)?".join(map(re.escape, citation[1].split()))  # a comment may break it
            text, count = re.subn(phrase, lambda match: "\n" * match.group().count("\n"), text)
            cited.update([citation] * count)
        for number, line in enumerate(text.splitlines(), 1):
            line = re.sub("|".join(FORMULAS), "", line, flags=re.I)
            found = sorted(names.intersection(words(line)))
            faults += [f"{path}:{number}: {', '.join(found)}"] if found else []
    stale = [f"{path}: {words!r} is not there: remove it from CITATIONS" for path, words in CITATIONS
             if (path, words) not in cited]
    if faults:
        print("The core names models, frameworks or file formats. Say what the thing means, and put the name into src/models or\n"
              "docs. If it is the name of a formula, or says where one was read, add it to FORMULAS or CITATIONS in\n"
              "tests/core_names.py; if it is an ordinary word, to ORDINARY.")
    print("\n".join(faults + stale) or "The core names no model, framework or file format.")
    return bool(faults or stale)


if __name__ == "__main__":
    sys.exit(main())
