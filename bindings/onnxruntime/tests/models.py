"""Makes models with a single node, and runs them in ONNX Runtime with posenc's operators."""

import os

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

LIBRARY = os.environ["POSENC_ONNXRUNTIME"]
TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "bfloat16": TensorProto.BFLOAT16}
OPSETS = [helper.make_opsetid("", 20), helper.make_opsetid("posenc", 1), helper.make_opsetid("com.microsoft", 1)]
onnxruntime.set_default_logger_severity(4)


def model(nodes, inputs, outputs, initializers=()):
    """A model. inputs and outputs are {name: (type, shape)}; the shape None is unknown."""
    values = [[helper.make_tensor_value_info(name, *of) for name, of in of_all.items()] for of_all in (inputs, outputs)]
    graph = helper.make_graph(list(nodes), "test", *values, list(initializers))
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=9)


def session(made, threads=1):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.force_spinning_stop", "1")  # otherwise its threads slow other sessions down
    options.register_custom_ops_library(LIBRARY)
    return onnxruntime.InferenceSession(made.SerializeToString(), options)


def run(name, inputs, dtype, threads=1, domain="posenc", shapes=None, plain=(), **attributes):
    """The output of a node. The inputs are arrays, or None for an input that is left out.

    NumPy does not have bfloat16. For this type the model itself converts its float32 inputs, exactly, except the inputs in
    `plain`.
    shapes: the shapes that the model states, instead of the shapes of the arrays.
    """
    nodes, names, stated, given = [], [], {}, {}
    for i, array in enumerate(inputs):
        names.append("" if array is None else f"in{i}")
        if array is None:
            continue
        given[names[i]] = array
        stated[names[i]] = (helper.np_dtype_to_tensor_dtype(array.dtype), (shapes or {}).get(i, array.shape))
        if dtype == "bfloat16" and array.dtype == "float32" and i not in plain:
            nodes.append(helper.make_node("Cast", [names[i]], [f"cast{i}"], to=TensorProto.BFLOAT16))
            names[i] = f"cast{i}"
    nodes.append(helper.make_node(name, names, ["result"], name="here", domain=domain, **attributes))
    out, out_type = "result", TYPES[dtype]
    if dtype == "bfloat16":
        nodes.append(helper.make_node("Cast", ["result"], ["floats"], to=TensorProto.FLOAT))
        out, out_type = "floats", TensorProto.FLOAT
    made = model(nodes, stated, {out: (out_type, None)})
    return session(made, threads).run([out], given)[0]


def random(dtype, *shape, seed=1):
    """Ordinary numbers of a type. Numbers of bfloat16 are in a float32 array."""
    numbers = (
        numpy.random.default_rng(seed).standard_normal(shape).astype("float16" if dtype == "float16" else "float32")
    )
    if dtype == "bfloat16":
        numbers = (numbers.view("uint32") & 0xFFFF0000).astype("uint32").view("float32")
    return numbers


def bits(array):
    return array.view({2: "uint16", 4: "uint32"}[array.itemsize])
