"""configs.py POSENC WORK: tests all that posenc config prints for published configurations, as text and as JSON."""

import json
import math
import pathlib
import subprocess
import sys

posenc, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
failures = 0


def fail(name, got, wanted):
    global failures
    failures += 1
    print(f"FAILED: {name}:\n{got}\nexpected\n{wanted}")


def run(config, *options):
    path = work / "config.json"
    path.write_text(json.dumps(config))
    done = subprocess.run([posenc, "config", "config.json", *options], cwd=work, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def keys_read(config, unread):
    """The keys of a configuration, joined by dots, without `unread`."""
    found = []

    def walk(prefix, value):
        for key, inner in value.items():
            if isinstance(inner, dict):
                walk(f"{prefix}{key}.", inner)
            elif prefix + key not in unread.split():
                found.append(prefix + key)

    walk("", config)
    return "keys read: " + ", ".join(found)


YOURSELF = ", which posenc cannot do: rotate without a norm, and normalize yourself"
NOT_READ = "unknown, because posenc's authors have not read this in the model's code: look there for q_norm and k_norm"


def says(name, config, lines, *options, unread="", norm=NOT_READ):
    """Checks the whole output: the lines, the norm, then the keys that were read, which are all keys except `unread`."""
    wanted = "\n".join([*lines, f"norm of q and k: {norm}", keys_read(config, unread), ""])
    got = run(config, *options)
    if got != (0, wanted, ""):
        fail(name, got, wanted)


def refuses(name, config, sentence, *options):
    got = run(config, *options)
    if got != (2, "", f"posenc: config.json: {sentence}\n"):
        fail(name, got, sentence)


HALVES = "all elements rotate, pairing half_split (i and i + 64), by +p, base"
LLAMA_31 = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 128256,
    "max_position_embeddings": 131072, "rope_theta": 500000.0,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"}}
GEMMA_3 = {
    "model_type": "gemma3",
    "text_config": {
        "model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34, "head_dim": 256, "num_attention_heads": 8,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024, "sliding_window_pattern": 6,
        "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0},
    "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model"}}
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "num_attention_heads": 128, "num_hidden_layers": 61,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "max_position_embeddings": 163840, "rope_theta": 10000,
    "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
                     "original_max_position_embeddings": 4096, "type": "yarn"}}
QWEN2_VL = {
    "model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "num_hidden_layers": 28,
    "max_position_embeddings": 32768, "rope_theta": 1000000.0,
    "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}, "vision_config": {"depth": 32}}
LLAMA_4 = {
    "model_type": "llama4",
    "text_config": {
        "model_type": "llama4_text", "hidden_size": 5120, "head_dim": 128, "num_attention_heads": 40, "num_hidden_layers": 8,
        "max_position_embeddings": 10485760, "rope_theta": 500000.0, "no_rope_layers": [1, 1, 1, 0, 1, 1, 1, 0],
        "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 8192, "rope_type": "llama3"}}}
NANOCHAT = {"model_type": "nanochat", "hidden_size": 1280, "num_attention_heads": 10, "num_hidden_layers": 20,
            "max_position_embeddings": 2048, "rope_theta": 10000.0}
UNKNOWN = {"model_type": "my_model", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128, "num_hidden_layers": 4,
           "rope_theta": 10000.0}


def read():
    says("Llama 3.1", LLAMA_31,
         ["model: llama (transformers, models/llama)",
          f"layers 0-31: head_dim 128, {HALVES} 500000, scaling llama3 (factor 8, original_length 8192, low_freq_factor 1, "
          "high_freq_factor 4), amplitude 1",
          "  spec: head_dim=128 rotary_dim=128 base=500000 scaling=llama3 factor=8 original_length=8192"], unread="vocab_size", norm="none")
    local, wide = (f"  spec: head_dim=256 rotary_dim=256{more}" for more in ("", " base=1000000 scaling=linear factor=8"))
    gemma = "head_dim 256, all elements rotate, pairing half_split (i and i + 128), by +p, base"
    vision = "vision_config.hidden_size vision_config.model_type"
    normed = ("RMSNorm before the rotation, over each head, times 1 + weight, epsilon unknown: the configuration has no number "
              "text_config.rms_norm_eps")
    says("Gemma 3", GEMMA_3,
         ["model: gemma3_text (transformers, models/gemma3)",
          f"layers 0-4, 6-10, 12-16, 18-22, 24-28, 30-33: {gemma} 10000, no scaling, amplitude 1", local,
          f"layers 5, 11, 17, 23, 29: {gemma} 1000000, scaling linear (factor 8), amplitude 1", wide], unread=vision, norm=normed)
    says("Gemma 3, a layer", GEMMA_3,
         ["model: gemma3_text (transformers, models/gemma3)",
          f"layer 5: {gemma} 1000000, scaling linear (factor 8), amplitude 1", wide], "--layer", "5", unread=vision, norm=normed)
    says("Gemma 3, a type of layer", GEMMA_3,
         ["model: gemma3_text (transformers, models/gemma3)",
          f"layers of the type sliding_attention: {gemma} 10000, no scaling, amplitude 1", local],
         "--layer-type", "sliding_attention", unread=vision, norm=normed)
    says("DeepSeek V3", DEEPSEEK_V3,
         ["model: deepseek_v3 (transformers, models/deepseek_v3)",
          "layers 0-60: head_dim 192, elements 128-191 rotate, pairing neighbours (2i and 2i + 1) written as half_split, by +p, "
          "base 10000, scaling yarn (factor 40, original_length 4096, beta_fast 32, beta_slow 1, truncate 1, mscale 1, "
          "mscale_all_dim 1), amplitude 1",
          "  spec: head_dim=192 rotary_dim=64 rotary_offset=128 pairing=neighbours output_pairing=half_split scaling=yarn factor=40 "
          "original_length=4096 mscale_all_dim=1"])
    says("Qwen2-VL", QWEN2_VL,
         ["model: qwen2_vl_text (transformers, models/qwen2_vl)",
          f"layers 0-27: head_dim 128, {HALVES} 1000000, no scaling, amplitude 1, 3 axes (consecutive, pairs 16 + 24 + 24)",
          "  spec: head_dim=128 rotary_dim=128 base=1000000 sections=16:24:24"],
         unread="vision_config.depth")
    says("Llama 4", LLAMA_4,
         ["model: llama4_text (transformers, models/llama4)",
          "layers 0-2, 4-6: head_dim 128, all elements rotate, pairing neighbours (2i and 2i + 1), by +p, base 500000, "
          "scaling llama3 (factor 16, original_length 8192, low_freq_factor 1, high_freq_factor 1), amplitude 1",
          "  spec: head_dim=128 rotary_dim=128 pairing=neighbours base=500000 scaling=llama3 factor=16 original_length=8192 "
          "high_freq_factor=1",
          "layers 3, 7: no rotary embedding: the list of layers that rotate has 0 there"],
         norm="unknown, because the model normalizes q and k only if text_config.use_qk_norm is true, and the configuration does not say so")
    says("nanochat", NANOCHAT,
         ["model: nanochat (transformers, models/nanochat)",
          "layers 0-19: head_dim 128, all elements rotate, pairing half_split (i and i + 64), by -p, base 10000, no scaling, "
          "amplitude 1", "  spec: head_dim=128 rotary_dim=128 position_scale=-1"],
         norm="RMSNorm after the rotation" + YOURSELF)
    code, out, err = run({"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12})
    if (code, err) != (0, "") or "all layers: no rotary embedding: " not in out or "keys read: model_type\n" not in out or "norm" in out:
        fail("BERT", (code, out, err), "no rotary")
    unknown = ["model: unknown; its pairing is the one that you state, and the rest is taken for granted: it rotates by +p,",
               "  along one axis and in all layers, and rotates whole heads unless partial_rotary_factor is given"]
    says("an unknown model", UNKNOWN, [*unknown, f"layers 0-3: head_dim 128, {HALVES} 10000, no scaling, amplitude 1", "  spec: head_dim=128 rotary_dim=128"],
         "--pairing", "half_split")
    says("a layer of an unknown model", UNKNOWN,
         [*unknown, "layer 2: head_dim 128, all elements rotate, pairing neighbours (2i and 2i + 1), by +p, base 10000, no "
                    "scaling, amplitude 1", "  spec: head_dim=128 rotary_dim=128 pairing=neighbours"], "--pairing", "neighbours", "--layer", "2")
    says("an unknown model as a known one", UNKNOWN,
         ["model: llama (transformers, models/llama)", f"layers 0-3: head_dim 128, {HALVES} 10000, no scaling, amplitude 1",
          "  spec: head_dim=128 rotary_dim=128"],
         "--model-type", "llama", norm="none")


def norms():
    sizes = {"hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 1}
    epsilon = "epsilon 1e-06 (rms_norm_eps)"
    before = "RMSNorm before the rotation, over each head, times weight, " + epsilon
    gguf = {"general.architecture": "glm4moe", "glm4moe.embedding_length": 256, "glm4moe.attention.head_count": 4,
            "glm4moe.block_count": 1, "glm4moe.attention.layer_norm_rms_epsilon": 1e-6}
    for config, norm, kind in (
        ({"model_type": "qwen3"}, before, "before"),
        ({"model_type": "olmo2"}, f"RMSNorm before the rotation, over all heads of a token, times weight, {epsilon}", "before"),
        ({"model_type": "gemma3_text"}, f"RMSNorm before the rotation, over each head, times 1 + weight, {epsilon}", "before"),
        ({"model_type": "lfm2", "norm_eps": 0.25}, "RMSNorm before the rotation, over each head, times weight, epsilon 0.25 (norm_eps)", "before"),
        ({"model_type": "qwen3", "rms_norm_eps": "1e-6"},
         "RMSNorm before the rotation, over each head, times weight, epsilon unknown: the configuration has no number rms_norm_eps", "before"),
        ({"model_type": "glm4_moe", "use_qk_norm": True}, before, "before"),
        ({"model_type": "glm4_moe", "use_qk_norm": False}, "none, because use_qk_norm is false", "none"),
        ({"model_type": "glm4_moe"},
         "unknown, because the model normalizes q and k only if use_qk_norm is true, and the configuration does not say so", "unknown"),
        ({"model_type": "olmoe", "clip_qkv": None}, "RMSNorm before the rotation, over all heads of a token, times weight, " + epsilon, "before"),
        ({"model_type": "olmoe", "clip_qkv": 8.0}, "RMSNorm before the rotation, and between them a limit (clip_qkv)" + YOURSELF, "clipped"),
        ({"model_type": "hunyuan_v1_dense", "head_dim": 64}, "RMSNorm after the rotation" + YOURSELF, "after"),
        ({"model_type": "chameleon"}, "LayerNorm before the rotation" + YOURSELF, "layer_norm"),
        ({"model_type": "phi", "qk_layernorm": False}, "none, because qk_layernorm is false", "none"),
        ({"model_type": "mistral"}, "none", "none"),
        ({"model_type": "olmo"}, NOT_READ, "unknown"),
        ({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text", **sizes, "rope_theta": 5e6, "rms_norm_eps": 1e-5}, "rms_norm_eps": 1},
         "RMSNorm before the rotation, over each head, times weight, epsilon 1e-05 (text_config.rms_norm_eps)", "before"),
        (gguf, "RMSNorm before the rotation, over each head, times weight, epsilon 1e-06 (glm4moe.attention.layer_norm_rms_epsilon), "
               "if the file has the tensors attn_q_norm and attn_k_norm", "before"),
        ({**gguf, "general.architecture": "hunyuan-moe", "hunyuan-moe.embedding_length": 256, "hunyuan-moe.attention.head_count": 4},
         "RMSNorm after the rotation" + YOURSELF, "after"),
    ):
        if "text_config" not in config and config is not gguf and "model_type" in config:
            config = {**sizes, "rms_norm_eps": 1e-6, **config}
        code, out, err = run(config)
        if (code, err) != (0, "") or f"\nnorm of q and k: {norm}\nkeys read: " not in out:
            fail(config, (code, out, err), norm)
        code, out, err = run(config, "--format", "json")
        if code != 0:  # built without RapidJSON, or failed above
            continue
        got = json.loads(out)["norm"]
        if (got["kind"], got["text"]) != (kind, norm) or ("epsilon" in got) != (kind == "before"):
            fail(config, got, kind)


def refuse():
    state = ("pass as model_type a known model type that rotates in the same way, or as pairing half_split or neighbours if this model rotates by +p along one axis in all "
             "layers, and rotates whole heads unless partial_rotary_factor is given (--model-type, --pairing)")
    refuses("an unknown model", UNKNOWN, f'posenc does not know the model type "my_model": {state}')
    refuses("a misspelt model", {**LLAMA_31, "model_type": "lama"},
            f'posenc does not know the model type "lama" (do you mean llama?): {state}')
    refuses("an unknown architecture", {"general.architecture": "my_model"},
            'posenc does not know the architecture "my_model": pass as model_type a known architecture that rotates in the same way '
            "(--model-type)", "--pairing", "neighbours")
    refuses("no model", {"hidden_size": 64}, f"model_type is missing: {state}")
    refuses("a known model that no spec describes", {"model_type": "lightglue"},  # so no option is named
            "a model of the type lightglue has a rotary for which posenc makes no spec: its frequencies are learned")
    refuses("a layer too far", GEMMA_3, "layer is 99, but layers are 0 to 33", "--layer", "99")
    refuses("an unknown type of layer", GEMMA_3, 'the model has no layer of the type "moving": a layer is full_attention or '
            "sliding_attention", "--layer-type", "moving")
    refuses("no type of layer", GEMMA_3, "layer_type must be null or the name of a type of layer, and not an empty string", "--layer-type", "")
    refuses("no type of model", GEMMA_3, "model_type, which replaces the one of the configuration, must be null or the name of a model, and "
            "not an empty string", "--model-type", "")
    refuses("a string", {**LLAMA_31, "rope_theta": "500000"},
            'rope_theta is "500000", but must be a number')
    refuses("an unknown scaling", {**LLAMA_31, "rope_scaling": {"rope_type": "stretched", "factor": 2}},
            'rope_scaling.rope_type is "stretched", but posenc knows default, linear, dynamic, yarn, longrope, llama3 and '
            "proportional")
    refuses("an unknown key", {**LLAMA_31, "rope_frobnication": True},
            "rope_frobnication is true, and posenc does not know what that key does to the rotary embedding")
    code, out, err = run({**LLAMA_4, "text_config": {**LLAMA_4["text_config"], "no_rope_layers": [1, 1, 1, 0]}})
    if (code, out) != (2, "") or not err.startswith("posenc: config.json: layers 4-7: text_config.no_rope_layers is [1, 1, 1, 0], "):
        fail("some layers are refused", (code, out, err), "layers 4-7, and no others printed")
    done = subprocess.run([posenc, "config", "config.json", "--layer", "-2"], cwd=work, capture_output=True, check=False)
    if done.returncode != 2 or b"--layer: '-2' is not an integer from 0 to " not in done.stderr:
        fail("a negative layer", done, "an integer from 0")


def as_json():
    with_epsilon = {**GEMMA_3, "text_config": {**GEMMA_3["text_config"], "rms_norm_eps": 1e-6}}
    code, out, err = run(with_epsilon, "--format", "json")
    if "RapidJSON" in err:
        print("left out: JSON, without which this posenc was built")
        return
    got = json.loads(out)
    radians = [group.pop("radians") for group in got["groups"]]
    for group in got["groups"]:
        if "head_dim 256, all elements rotate" not in group.pop("text"):
            fail("Gemma 3 as JSON", out, "the text")
        if not group.pop("spec").startswith("head_dim=256 rotary_dim=256"):
            fail("Gemma 3 as JSON", out, "the spec")
    whole = {"rotates": True, "head_dim": 256, "rotary_offset": 0, "rotary_dim": 256, "pairing": "half_split",
             "output_pairing": "half_split", "direction": 1, "amplitude": 1.0, "axes": 1, "axis_order": "consecutive", "sections": []}
    wanted = {
        "model_type": "gemma3_text", "source": "transformers, models/gemma3",
        "groups": [{"layers": [i for i in range(34) if i % 6 != 5], "base": 10000.0, "scaling": {"name": "none"}, **whole},
                   {"layers": [5, 11, 17, 23, 29], "base": 1000000.0, "scaling": {"name": "linear", "factor": 8.0}, **whole}],
        "norm": {"kind": "before", "over_heads": False, "plus_one": True, "epsilon_key": "text_config.rms_norm_eps", "epsilon": 1e-6,
                 "condition": "", "text": "RMSNorm before the rotation, over each head, times 1 + weight, epsilon 1e-06 "
                                          "(text_config.rms_norm_eps)"},
        "keys_read": keys_read(with_epsilon, "text_config.rms_norm_eps vision_config.hidden_size vision_config.model_type")[11:].split(", ")}
    if (code, err, got) != (0, "", wanted):
        fail("Gemma 3 as JSON", got, wanted)
    for row, base, factor in zip(radians, (1e4, 1e6), (1, 8)):
        for i in range(128):
            if not math.isclose(row[i], base ** (-i / 128) / factor, rel_tol=1e-14):
                fail("radians", row[i], i)
    sections = json.loads(run(QWEN2_VL, "--format", "json")[1])["groups"][0]
    if (sections["axes"], sections["axis_order"], sections["sections"]) != (3, "consecutive", [16, 24, 24]):
        fail("Qwen2-VL as JSON", sections, "16, 24, 24")
    group = json.loads(run(NANOCHAT, "--format", "json")[1])["groups"][0]
    if (group["direction"], group["layers"]) != (-1, list(range(20))):
        fail("nanochat as JSON", group, "backwards")
    group = json.loads(run(DEEPSEEK_V3, "--format", "json")[1])["groups"][0]
    if (group["pairing"], group["output_pairing"], group["rotary_offset"]) != ("neighbours", "half_split", 128):
        fail("DeepSeek V3 as JSON", group, "neighbours, half_split")
    still = json.loads(run(LLAMA_4, "--format", "json")[1])["groups"][1]
    if still != {"layers": [3, 7], "rotates": False,
                 "text": "no rotary embedding: the list of layers that rotate has 0 there"}:
        fail("Llama 4 as JSON", still, "no rotary")
    source = json.loads(run({"model_type": "phi3small", "hidden_size": 4096, "num_attention_heads": 32}, "--format", "json")[1])["source"]
    if source != "mlx-lm, models/phi3small.py":  # the whole source is longer than the report's member
        fail("Phi-3-small as JSON", source, "a source that is not cut off")
    escaped = {"model_type": "gemma3_text", "head_dim": 32, "num_hidden_layers": 1, "layer_types": ["\u202e\x1b\u009b"],
               "rope_parameters": {"\u202e\x1b\u009b": {"rope_theta": 7}}}
    refuses("a hostile type of layer", escaped, r'layer_types.0 is "\xe2\x80\xae\x1b\xc2\x9b", but a layer of this model is full_attention or '
            "sliding_attention", "--format", "json")


work.mkdir(parents=True, exist_ok=True)
read()
norms()
refuse()
as_json()
sys.exit(f"{failures} failures" if failures else 0)
