#!/usr/bin/env python3
"""Measures which rotation each layer of a model applies, by running huggingface/transformers' own classes.

    measure.py CONFIG.json...         one line of JSON for each configuration
    measure.py --types [TYPE...]      the default configuration of each type of model, or of the named types
    measure.py --anew RECORDS.jsonl   measures each configuration of the file again, and rewrites the file

It needs transformers and torch. The results were recorded with transformers 5.16.0.dev0, commit 0cdd8a190850 of
2026-08-13, and torch 2.14. Weights are not needed, and a model of any size fits into a few gigabytes.

How it works: the text model is built from its configuration. Parameters of more than a million numbers have no values. An
operation on them gives random numbers of the right shape instead. Then the model runs over positions 0 to 10. Each
function named like a rotation (apply_rotary_pos_emb and the like) is watched. When a layer calls one, it is called
again with all unit vectors. This gives the matrix that it multiplies q by, for each position. From the matrices follow
the pairs, the direction, the amplitude and the angles. The head's width, and where in the head the rotation lies, are
seen in the product q k^T, in which the rotated vector must show up.

A line has "config", and "layers" or "error". "layers" has a group for all layers that do the same:

    layers       "0-4,6": their indices, with "stack" if a model has several lists of layers (encoder and decoder)
    rotates      true or false; null for layers that did not run, such as those that wait for an image
    pairing      halves or neighbours, in the order of the input
    direction    1: (a, b) -> (a cos - b sin, b cos + a sin), where a is the lower element; -1: sin has the other sign
    output       the pairing of the output, if it has another order than the input
    head_dim, rotary_dim, offset   the width of the head; how many elements rotate, from which one on
    pairs, frequencies             eight pairs, spread evenly, and the radians for each position
    amplitude    the length that a unit vector gets

"measured" is the number of the first layers that were measured, if not all were. If transformers does not have the code of
a model, the record may name a model of transformers that rotates in the same way. Then the keys of "as" replace the keys of
"config".

"axes" has the axis for each pair, such as "000111222", if positions have several axes. "-" means that no axis rotates the pair.
"""
import argparse
import contextlib
import copy
import functools
import importlib
import inspect
import json
import math
import os
import re
import signal
import sys
import warnings

sys.dont_write_bytecode = True  # beside the sources
warnings.filterwarnings("ignore")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "critical")

import torch
import transformers
from torch import nn
from transformers import CONFIG_MAPPING, MODEL_MAPPING
from transformers.modeling_utils import PreTrainedModel

from rotations import LENGTH, Watcher, rotations_of
from running import WhileRunning, build, random_numbers

TIMEOUT = 240  # seconds
MEMORY = 9 << 30  # bytes
# Help for a model that does not run: values for what its configuration leaves open; vectors instead of tokens.
AIDS = ((), ("values",), ("values", "vectors"))


class Late(Exception):
    pass


# Models and their configurations.


def text_part(config):
    """Finds the configuration of the text model, and the names that lead to it."""
    with contextlib.suppress(ValueError):
        text = config.get_text_config()
        if text is not config:
            return text, path_to(text, config) or []
    for path in ("thinker_config.text_config", "llm_config", "language_config", "text_config", "text_backbone_config",
                 "talker_config.text_config", "talker_config", "decoder"):
        with contextlib.suppress(AttributeError):
            return functools.reduce(getattr, path.split("."), config), path.split(".")
    return config, []


def path_to(part, config):
    for name, value in vars(config).items():
        if value is part:
            return [name]
        if isinstance(value, transformers.PreTrainedConfig) and (path := path_to(part, value)):
            return [name] + path
    return None


def classes_for(config):
    """The classes that can run this configuration, the best first."""
    kind = type(config)
    module = sys.modules[kind.__module__]
    found = MODEL_MAPPING[kind] if kind in MODEL_MAPPING else ()
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    own = []
    for name in sorted(os.listdir(os.path.dirname(module.__file__))):
        if name.startswith("modeling_") and name.endswith(".py"):
            with contextlib.suppress(ImportError):
                code = importlib.import_module(f"{kind.__module__.rsplit('.', 1)[0]}.{name[:-3]}")
                own += [c for c in vars(code).values()
                        if isinstance(c, type) and issubclass(c, PreTrainedModel) and c.__module__ == code.__name__]

    def takes_it(model_class):
        parameter = inspect.signature(model_class.__init__).parameters.get("config")
        return parameter is not None and parameter.annotation in (kind, kind.__name__)

    more = [c for c in own if getattr(c, "config_class", None) is kind and not c.__name__.endswith("PreTrainedModel")]
    if not found and not more:  # config_class then belongs to the whole model
        part = next((word for word in ("Text", "Decoder", "Encoder") if word in kind.__name__), None)
        named = [c for c in own if part and part in c.__name__ and "Vision" not in c.__name__]
        more = [c for c in own if takes_it(c)] or named
    kinds = [r"^(?!.*For).*Model$", r"^(?!.*For).*(Decoder|Encoder)", "CausalLM", "ConditionalGeneration", ""]
    more.sort(key=lambda c: (next(i for i, k in enumerate(kinds) if re.search(k, c.__name__)),
                             bool(re.search("Vision|Audio", c.__name__)), len(c.__name__)))
    takes_tokens = lambda c: {"input_ids", "inputs_embeds"} & set(inspect.signature(c.forward).parameters)
    return [c for c in dict.fromkeys(found + more) if takes_tokens(c)]


def prepare(config, layers):
    """Turns off compiled attention and caches, and reduces the model to at most these layers."""
    for value in vars(config).values():
        if isinstance(value, transformers.PreTrainedConfig):
            prepare(value, layers)
    settings = {"_attn_implementation": "eager", "_experts_implementation": "eager", "use_cache": False, "use_mamba_kernels": False,
                "use_bfloat16": False, "dtype": None, "layerdrop": 0.0}
    for name, value in settings.items():
        if hasattr(config, name):
            with contextlib.suppress(Exception):
                setattr(config, name, value)
    for name in ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "decoder_layers", "encoder_layers"):
        count = vars(config).get(name)
        if layers and isinstance(count, int) and count > layers:
            setattr(config, name, layers)


def fill(config):
    """Sets what a default configuration leaves open, if it has nothing to do with positions."""
    values = {"n_group": 1, "topk_group": 1, "num_experts_per_tok": 2, "n_routed_experts": 4, "num_experts": 4,
              "num_local_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 64, "n_shared_experts": 1, "vocabulary_map": {},
              "routed_scaling_factor": 1.0, "num_key_value_heads": getattr(config, "num_attention_heads", None), "vocab_size": 100,
              "mlp_layer_types": ["dense"] * (getattr(config, "num_hidden_layers", None) or 0)}
    for name, value in values.items():
        if name in vars(config) and getattr(config, name) is None:
            setattr(config, name, value)
    pad, size = getattr(config, "pad_token_id", None), getattr(config, "vocab_size", None)
    if isinstance(pad, int) and size and pad >= size:
        config.pad_token_id = 0


def arguments(model, config, axis, aids):
    """The model's input: tokens without special meaning, at positions 0 to 10."""
    parameters = inspect.signature(model.forward).parameters
    size = getattr(config, "vocab_size", None) or 100
    special = {number for name, value in vars(config).items() if re.search("token_(id|index)", name)
               for number in (value if isinstance(value, (list, tuple)) else [value])}
    plain = [i for i in range(10 if size > 200 else 0, min(size, 200)) if i not in special]
    ids = torch.tensor([[plain[7 * i % len(plain)] for i in range(LENGTH)]])
    width = getattr(config, "hidden_size", None) or getattr(config, "d_model", None) or 64
    states = lambda: torch.randn(1, LENGTH, width, generator=random_numbers)
    takes_ids = "input_ids" in parameters and not ("vectors" in aids and "inputs_embeds" in parameters)
    given = {"input_ids": ids} if takes_ids else {"inputs_embeds": states()}
    if "decoder_input_ids" in parameters:
        given["decoder_input_ids"] = ids
    if "use_cache" in parameters:
        given["use_cache"] = False
    if "values" in aids:
        given.update({name: states() for name in ("encoder_hidden_states", "cross_attention_states") if name in parameters})
        if "image_encoder_embeddings" in parameters:
            given["image_encoder_embeddings"] = torch.randn(1, 1, 4, config.vision_config.embed_dim, generator=random_numbers)
            given["image_attention_mask"] = torch.ones(1, LENGTH, 1, dtype=torch.long)
    if axis is not None:
        positions = torch.zeros(axis[1], 1, LENGTH, dtype=torch.long)
        positions[axis[0]] = torch.arange(LENGTH)
        given["position_ids"] = positions
    return given


def run(model_class, config, aids, axis=None):
    """Builds a model and runs it. Returns the watcher, the number of layers in each list, and the model.

    axis: the index of the axis that moves, and the number of axes."""
    config = copy.deepcopy(config)
    if "values" in aids:
        fill(config)
    model = build(model_class, config)
    stacks = {}
    for name, module in model.named_modules():
        is_inner = any(name.startswith(stack + ".") for stack in stacks)
        if not isinstance(module, nn.ModuleList) or is_inner or re.search("vision|visual|audio|image|pixel|conv|sampl", name):
            continue
        if len(module) and all(any(True for _ in layer.children()) for layer in module):
            stacks[name] = module
    watcher = Watcher(stacks)
    watched = rotations_of(model)
    for owner, name, value in watched:
        is_static = isinstance(value, staticmethod)
        wrapper = watcher.wrap(value.__func__ if is_static else value)
        setattr(owner, name, staticmethod(wrapper) if is_static else wrapper)
    try:
        with torch.no_grad(), WhileRunning(watcher):
            model(**arguments(model, config, axis, aids))
    finally:
        for owner, name, value in watched:
            setattr(owner, name, value)
    return watcher, {stack: len(layers) for stack, layers in stacks.items()}, model


def sections_of(config, model):
    """The number of pairs for each axis of positions, if the configuration or the model says so."""
    rope = getattr(config, "rope_parameters", None) or {}
    for values in [rope] + [value for value in rope.values() if isinstance(value, dict)]:
        for name, value in values.items():
            if "section" in name and value:
                return value
    rotaries = [m for m in model.modules() if re.search(r"^(?!.*(Vision|Audio)).*(Rot|Rope|RoPE)", type(m).__name__)]
    return next((m.mrope_section for m in [config] + rotaries if getattr(m, "mrope_section", None)), None)


def axes_of(model_class, config, aids, count, axes):
    """The axis by which each pair rotates, in the first layer that rotates."""
    found = ["-"] * count
    for axis in range(axes):
        watcher, _, _ = run(model_class, config, aids, (axis, axes))
        rotating = next((r for key in sorted(watcher.rotations) for r in watcher.rotations[key] if r["rotates"]), None)
        if rotating is None:
            continue
        # The list of this run does not have the pairs before the first one that rotates.
        start = rotating["first"] // (2 if rotating["pairing"] == "neighbours" else 1)
        for i, frequency in enumerate(rotating["frequencies"]):
            if frequency:
                if found[start + i] != "-":
                    raise ValueError(f"several axes turn pair {start + i}")
                found[start + i] = str(axis)
    return "".join(found)


def ranges(numbers):
    """A text such as "0-4,6" for indices in ascending order."""
    found = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def six_digits(x):
    return float(f"{x:.6g}")


def describe_layer(rotations):
    rotating = [r for r in rotations if r["rotates"]]
    if not rotating:
        if any(r["rotates"] is None for r in rotations):
            raise ValueError("a rotation is called for fewer than three positions")
        return {"rotates": False}
    # An indexer or a compressor beside the attention may also rotate.
    r = next((r for r in rotating if not re.search("index|compress|cross", r["module"])), rotating[0])
    if "head_dim" not in r:
        raise ValueError("no product has the rotated vector")
    count = len(r["frequencies"])
    shown = sorted({round(i * (count - 1) / 7) for i in range(8)})
    names = ("rotates", "pairing", "direction", "output", "head_dim", "rotary_dim", "offset")
    return {name: r[name] for name in names if name in r} | {"amplitude": six_digits(r["amplitude"]), "pairs": shown,
                     "frequencies": [six_digits(r["frequencies"][i]) for i in shown]}


def measure(config, layers=None):
    """What a model of transformers does, from a configuration as a dictionary."""
    whole = CONFIG_MAPPING[config["model_type"]].from_dict(config)
    text, _ = text_part(whole)
    prepare(text, layers)
    classes = classes_for(text)
    if not classes:
        return {"error": "no class takes tokens"}
    errors = []
    for aids in AIDS:
        for model_class in classes[:4]:
            try:
                watcher, stacks, model = run(model_class, text, aids)
                break
            except Late:
                raise
            except Exception as error:
                errors.append(f"{model_class.__name__}: {type(error).__name__}: {str(error)[:200]}")
        else:
            continue
        break
    else:
        return {"error": "; ".join(dict.fromkeys(errors))}
    groups = {}
    ran = {stack for stack, _ in watcher.ran}
    for stack, count in stacks.items():
        for i in range(count if stack in ran else 0):
            layer = (stack, i)
            found = describe_layer(watcher.rotations.get(layer, [])) if layer in watcher.ran else {"rotates": None}
            groups.setdefault((stack, json.dumps(found)), []).append(i)
    result = {"layers": [{"layers": ranges(indices)} | ({"stack": stack} if len(ran) > 1 else {}) | json.loads(found)
                         for (stack, found), indices in groups.items()]}
    sections = sections_of(text, model)
    rotating = next((g for g in result["layers"] if g["rotates"]), None)
    if sections and rotating:
        result["axes"] = axes_of(model_class, text, aids, rotating["rotary_dim"] // 2, len(sections))
    return result


def in_a_child(function, *args):
    """Runs a function in a separate process, with limits of time and memory."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        import resource

        def stop(*_):
            raise Late(f"more than {TIMEOUT} s")

        signal.signal(signal.SIGALRM, stop)
        signal.alarm(TIMEOUT)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        try:
            with contextlib.redirect_stdout(sys.stderr):
                result = function(*args)
        except BaseException as error:
            result = {"error": f"{type(error).__name__}: {str(error)[:400]}"}
        with os.fdopen(writer, "w") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if text else {"error": f"the process ended with status {status}"}


# How configurations are recorded.

RELATED = re.compile("rope|rotary|pos|alibi|head|hidden|layer|window|theta|yarn|length|type")
UNRELATED = re.compile("quantization_config|compression_config|id2label|label2id|auto_map|architectures|transformers_version|"
                       "_name_or_path|_attn_implementation|task_specific_params|token_id|token_index|dropout|pdrop|initializer|"
                       "_eps|epsilon|_bias|_act$|_coef|_loss|use_cache|tie_|output_|return_dict|suppress|forced_|penalty|"
                       "_beam|ngram|bad_words|temperature|top_[kp]|summary_|torchscript|tokenizer_class|prefix|pruned|problem|"
                       "bf16|fp16|fp32|flash|_fusion|languages|typical_p|is_decoder|add_cross_attention")


def reduced(config):
    """The configuration without keys that have nothing to do with rotaries."""
    return {key: reduced(value) if isinstance(value, dict) else value for key, value in config.items()
            if RELATED.search(key) or not UNRELATED.search(key)}


def default_of(kind):
    """The default configuration. If the text model is only a part, its keys are in that part, as in published files."""
    config = CONFIG_MAPPING[kind]()
    text, path = text_part(config)
    values = reduced(json.loads(json.dumps(text.to_dict(), default=str))) if path else {}
    for name in reversed(path):
        values = {name: values}
        outer = functools.reduce(getattr, path[:path.index(name)], config)
        values["model_type"] = outer.model_type
    return {"model_type": kind} | values


def default_with_sections(kind):
    """The same for a model that does not run without sections: its pairs get three."""
    config = default_of(kind)
    text, path = text_part(CONFIG_MAPPING[kind].from_dict(config))
    rope = json.loads(json.dumps(text.rope_parameters))
    width = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    pairs = (int(width * rope.get("partial_rotary_factor", 1.0)) + 1) // 2
    rope["mrope_section"] = [pairs - 2 * (pairs * 3 // 8), pairs * 3 // 8, pairs * 3 // 8]
    functools.reduce(lambda values, name: values[name], path, config)["rope_parameters"] = rope
    return config


def measure_default(kind):
    """The same with fourteen layers, which are enough for every pattern of layers in defaults."""
    config = default_of(kind)
    result = measure(config, 14)
    if "error" in result:
        with contextlib.suppress(Exception):
            other = default_with_sections(kind)
            with_sections = measure(other, 14)
            if "error" not in with_sections:
                config, result = other, with_sections
    return {"config": config, "measured": 14} | result


def line_of(record):
    return json.dumps(record, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="*", help="files, or types with --types")
    parser.add_argument("--types", action="store_true", help="default configurations of types; of all, if none is named")
    parser.add_argument("--anew", metavar="RECORDS", help="measure the configurations of this file of records anew")
    parser.add_argument("--layers", type=int, help="no more layers than this")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity(50)
    if options.anew:
        with open(options.anew) as file:
            records = [json.loads(line) for line in file]
        with open(options.anew + ".new", "w") as file:
            for record in records:
                if "layers" in record:
                    record = {key: value for key, value in record.items() if key not in ("layers", "axes")} | \
                        in_a_child(measure, record["config"] | record.get("as", {}), record.get("measured"))
                file.write(line_of(record) + "\n")
                file.flush()
        os.replace(options.anew + ".new", options.anew)
        return
    for name in options.config or sorted(CONFIG_MAPPING.keys()):
        if options.types:
            record = in_a_child(measure_default, name)
            record = record if "config" in record else {"config": {"model_type": name}} | record
        else:
            with open(name) as file:
                config = reduced(json.load(file))
            record = {"config": config, "source": name} | ({"measured": options.layers} if options.layers else {})
            record |= in_a_child(measure, config, options.layers)
        print(line_of(record), flush=True)


if __name__ == "__main__":
    main()
