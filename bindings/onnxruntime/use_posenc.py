#!/usr/bin/env python3
"""Replaces the RotaryEmbedding nodes of com.microsoft and ai.onnx in an ONNX model by posenc's, which need no caches.

use_posenc.py model.onnx new.onnx --config config.json
use_posenc.py model.onnx new.onnx --base 500000
use_posenc.py model.onnx new.onnx --preset llama3 --set factor=32

The caches in the model must be the caches that the configuration, the base or the preset makes, up to rounding. If they are not,
nothing is written. Needs the packages onnx, numpy and posenc.
"""

import argparse
import sys

import numpy
import onnx
import posenc
from google.protobuf.message import DecodeError
from onnx import helper, numpy_helper

OTHERS = {"com.microsoft": (1, 2, 3), "": (3, 1, 2), "ai.onnx": (3, 1, 2)}  # which inputs are position ids, cosines and sines


class Unfit(ValueError):
    """A node cannot be replaced by posenc's."""


def inner_graphs(node):
    for attribute in node.attribute:
        yield from [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs


def is_other(node):
    return node.op_type == "RotaryEmbedding" and node.domain in OTHERS


def turns_within(node):
    """Whether a node rotates as a part of something else, such as GroupQueryAttention with do_rotary."""
    return any(a.name == "do_rotary" and a.i == 1 for a in node.attribute) or node.op_type == "GemmaRotaryEmbedding"


def left(model):
    """Descriptions of the nodes in a rewritten model that still rotate by caches."""

    def walk(nodes):
        for node in nodes:
            for inner in inner_graphs(node):
                yield from walk(inner.node)
            if turns_within(node):
                yield f"node '{node.name or node.output[0]}' ({node.op_type})"

    return [text for part in (model.graph, *model.functions) for text in walk(part.node)]


def rotates(nodes):
    return any(is_other(node) or any(rotates(inner.node) for inner in inner_graphs(node)) for node in nodes)


class Scope:
    """The tensors and nodes to which the nodes of a graph can refer."""

    def __init__(self, graph, outer=None):
        self.outer = outer
        self.tensors = {tensor.name: tensor for tensor in graph.initializer}
        self.producers = {name: node for node in graph.node for name in node.output}
        self.types = {value.name: value.type.tensor_type.elem_type for value in (*graph.input, *graph.value_info)}
        self.casts = {}  # new Cast nodes for rewritten nodes, by the name of the input

    def find(self, kind, name):
        return getattr(self, kind).get(name) or (self.outer.find(kind, name) if self.outer else None)

    def constant(self, name):
        """The constant array with this name, or None if the model computes it."""
        tensor, node = self.find("tensors", name), self.find("producers", name)
        if tensor is None and node is not None and node.op_type == "Constant":
            tensor = next((a.t for a in node.attribute if a.name == "value"), None)
        return None if tensor is None else numpy_helper.to_array(tensor)

    def as_int64(self, name):
        """The name of the position ids as int64, which posenc needs. (The indices of a Gather may be int32.)"""
        if self.find("types", name) == onnx.TensorProto.INT64:
            return name
        if name not in self.casts:
            cast = helper.make_node("Cast", [name], [f"{name}_as_int64_for_posenc"], to=onnx.TensorProto.INT64)
            self.casts[name] = cast
        return self.casts[name].output[0]

    def gather(self, name):
        """The names of the table and the indices, if a Gather of whole rows computes `name`; otherwise None."""
        node = self.find("producers", name)
        if node is None or node.op_type != "Gather" or any(a.name == "axis" and a.i != 0 for a in node.attribute):
            return None
        return node.input[0], node.input[1]


def excess(rotary, cos, sin):
    """How much caches [rows, pairs] of float16 or float32 differ from a rotary, beyond what rounding can explain."""
    if cos.shape[1] != rotary.rotary_dim // 2:
        return numpy.inf
    expected = rotary.cache(len(cos), dtype="float64")
    # Rounding w and the product p * w to float changes a phase by up to 2^-23 * p. Another base would change it by more than
    # four times as much.
    phases = numpy.arange(len(cos))[:, None] * 2.0**-21
    allowed = phases + 4 * float(numpy.finfo(cos.dtype).eps)
    differences = [numpy.abs(own.astype("float64") - right) - allowed for own, right in zip((cos, sin), expected)]
    return max(float(difference.max(initial=0.0)) for difference in differences)


def positions_and_caches(node, scope):
    """The name of the position ids, or "" if they are 0, 1, ... in each sequence; and the caches, as arrays [rows, pairs]."""
    order = OTHERS[node.domain]
    position, cos, sin = (node.input[i] if i < len(node.input) else "" for i in order)
    if not position and (gathered := scope.gather(cos)):
        table, position = gathered
        if scope.gather(sin) is None or scope.gather(sin)[1] != position:
            raise Unfit("its cosines and sines are gathered by different indices")
        cos, sin = table, scope.gather(sin)[0]
    tables = [scope.constant(name) for name in (cos, sin)]
    if any(table is None for table in tables):
        raise Unfit("its caches are computed by the model, not stored in it")
    if tables[0].ndim == 3:  # [batch, tokens, pairs], without position ids
        for table in tables:
            if (table != table[:1]).any():
                raise Unfit("its caches differ between the sequences of a batch")
        tables = [table[0] for table in tables]
    if tables[0].ndim != 2 or tables[0].shape != tables[1].shape:
        raise Unfit(f"its caches have the shapes {[list(table.shape) for table in tables]}")
    if not all(numpy.issubdtype(table.dtype, numpy.floating) and numpy.isfinite(table).all() for table in tables):
        raise Unfit("its caches must be finite numbers of float32 or float16, and are not")
    return position, tables


def replace(node, scope, rotaries, arithmetic, head_dim):
    position, (cos, sin) = positions_and_caches(node, scope)
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    rotary_dim = attributes.get("rotary_embedding_dim", 0)
    if rotary_dim == 0:
        head_dim = 2 * cos.shape[1]
    elif head_dim is None:
        raise Unfit(f"{rotary_dim} elements of each head rotate, but the model does not say how many a head has: use --head-dim")
    fits = [(excess(made, cos, sin), made) for made in (rotary(head_dim, rotary_dim) for rotary in rotaries)]
    least, rotary = min(fits, key=lambda fit: fit[0])
    if least > 0.0:
        raise Unfit(
            f"its caches {list(cos.shape)} differ by {least:.2g} more than rounding explains from the caches of {rotary}"
            if least < numpy.inf
            else f"its caches have {cos.shape[1]} pairs, and {rotary} has {rotary.rotary_dim // 2}"
        )
    if rotary.axes != 1:
        raise Unfit(f"its positions have one axis, but {rotary} takes positions with {rotary.axes} axes")
    if rotary.head_dim != head_dim:
        raise Unfit(f"its heads have {head_dim} elements, but the heads of {rotary} have {rotary.head_dim}")
    ones = numpy.ones((1, 1, head_dim), "float32")
    if (rotary.rotate(ones, first=1)[..., rotary.rotary_dim :] != 1).any():
        raise Unfit(f"it rotates the first elements of each head, but {rotary} rotates others")
    heads = {name: attributes[name] for name in ("num_heads",) if name in attributes}
    words = (word for word in rotary.spec.split() if not word.startswith(("pairing=", "output_pairing=")))
    spec = " ".join(words) + (f" arithmetic={arithmetic}" if arithmetic != "exact" else "")
    new = helper.make_node(
        "RotaryEmbedding",
        [node.input[0], scope.as_int64(position)] if position else [node.input[0]],
        list(node.output),
        name=node.name,
        domain="posenc",
        interleaved=attributes.get("interleaved", 0),
        spec=spec,
        **heads,
    )
    node.CopyFrom(new)


def rewrite_graph(graph, outer, rotaries, arithmetic, head_dim):
    scope, count, inserted = Scope(graph, outer), 0, []
    for i, node in enumerate(graph.node):
        casts = len(scope.casts)
        for inner in inner_graphs(node):
            count += rewrite_graph(inner, scope, rotaries, arithmetic, head_dim)
        if is_other(node):
            try:
                replace(node, scope, rotaries, arithmetic, head_dim)
            except Unfit as unfit:
                raise Unfit(f"node '{node.name or node.output[0]}': {unfit}") from None
            count += 1
            inserted += [(i, cast) for cast in list(scope.casts.values())[casts:]]
    for i, cast in reversed(inserted):
        graph.node.insert(i, cast)
    return count


def names_used(graph):
    used = {value.name for value in graph.output}
    for node in graph.node:
        used.update(node.input)
        for inner in inner_graphs(node):
            used |= names_used(inner)
    return used


def drop_unused(graph, before):
    """Removes the caches, and the nodes that gathered them: everything that was read `before` (a set of names) and is not read now."""
    for node in graph.node:
        for inner in inner_graphs(node):
            drop_unused(inner, before)
    while True:
        unused = before - names_used(graph)
        idle = [n for n in graph.node if n.op_type in ("Constant", "Gather") and unused.issuperset(n.output)]
        for node in idle:
            graph.node.remove(node)
        if not idle:
            break
    for tensor in [t for t in graph.initializer if t.name in unused]:
        graph.initializer.remove(tensor)
        for value in [v for v in graph.input if v.name == tensor.name]:
            graph.input.remove(value)


def rewrite(model, rotaries, arithmetic="exact", head_dim=None):
    """Rewrites a ModelProto, and returns the number of nodes that it replaced.

    rotaries    functions (head_dim, rotary_dim) that return a posenc.Rotary; rotary_dim is 0 if all elements of a head rotate.
                Each node gets the Rotary that fits its caches
    arithmetic  "exact" or "fast", as in posenc.Rotary
    head_dim    elements of a head; needed if nodes have a rotary_embedding_dim, because then the caches do not tell it

    Raises Unfit, a ValueError, if a node cannot be replaced.
    """
    for function in model.functions:
        if rotates(function.node):
            raise Unfit(f"the function '{function.name}' has a RotaryEmbedding: inline the function first (onnx.inliner)")
    before = names_used(model.graph)
    count = rewrite_graph(model.graph, None, rotaries, arithmetic, head_dim)
    drop_unused(model.graph, before)
    if count and not any(opset.domain == "posenc" for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid("posenc", 1))
    return count


def whole(rotary, head_dim):
    """If `rotary` rotates `head_dim` elements, a Rotary whose heads have only these elements; otherwise `rotary`."""
    if rotary.rotary_dim != head_dim or rotary.head_dim == head_dim:
        return rotary
    return posenc.Rotary.from_spec(rotary.spec, head_dim=head_dim, rotary_offset=0)


def rotaries_of_config(path, pairing=None):
    """Functions as in rewrite(), one for each different Rotary of a model's layers.

    `pairing` is needed for a model that posenc does not know.
    """
    try:
        made = [posenc.Rotary.from_config(path, pairing=pairing)]
    except ValueError:  # layers differ, and some may not rotate
        groups = posenc.config(path, pairing=pairing).groups
        for refused in (group.text for group in groups if group.text.startswith("refused: ")):
            raise ValueError(f"{path}: {refused}") from None
        made = [group.rotary for group in groups if group.rotary]
        if not made:
            raise
    return [
        lambda head_dim, part, rotary=rotary: rotary if part else whole(rotary, head_dim)
        for rotary in {str(rotary): rotary for rotary in made}.values()
    ]


def number_or_word(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", help="the model's config.json")
    source.add_argument("--base", type=float, help="base of the frequencies (rope_theta), for a model without scaling")
    source.add_argument("--preset", help="one of posenc.rotary_presets()")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="with --preset: set a member of the spec"
    )
    parser.add_argument(
        "--pairing", choices=("half_split", "neighbours"), help="with --config: pairing of a model that posenc does not know"
    )
    parser.add_argument("--arithmetic", choices=("exact", "fast"), default="exact")
    parser.add_argument("--head-dim", type=int, help="number of elements in a head, if not all of them rotate")
    given = parser.parse_args()
    try:
        if given.config:
            rotaries = rotaries_of_config(given.config, given.pairing)
        else:
            members = {name: number_or_word(value) for name, _, value in (word.partition("=") for word in given.set)}
            own = {"preset": given.preset} if given.preset else {"base": given.base}
            own.update(members)
            rotaries = [lambda head_dim, part: posenc.Rotary(head_dim, **({"rotary_dim": part} if part else {}), **own)]
        model = onnx.load(given.model)
        count = rewrite(model, rotaries, given.arithmetic, given.head_dim)
        others = left(model)
        if count == 0:
            within = "".join(f"; {text} rotates by its own caches" for text in others)
            raise ValueError("the model has no RotaryEmbedding of com.microsoft or ai.onnx" + within)
        is_large = model.ByteSize() >= 2**31 - 1  # too large for one protobuf message
        onnx.save(model, given.out, save_as_external_data=is_large)
    except (OSError, TypeError, ValueError, DecodeError) as error:
        sys.exit(f"use_posenc.py: {error}")
    print(f"{count} nodes are posenc's")
    for text in others:
        print(f"{text} rotates by its own caches, as before")


if __name__ == "__main__":
    main()
