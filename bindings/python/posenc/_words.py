"""Writes an Encoder or a Rotary as the text of the attribute `spec` of the operators in bindings/onnxruntime: NAME=VALUE ..."""

import numpy

from posenc import Encoder, Rotary


def words(made: Encoder | Rotary, but: tuple[str, ...] = ()) -> str:
    """The arguments that an Encoder or a Rotary was made with, except the names in `but`.

    Raises ValueError if an argument cannot be written as text.
    """
    make, (dim,) = made.__reduce__()  # functools.partial(posenc.Rotary, base=...)
    said = ["head_dim" if make.func is Rotary else "dim"], [str(dim)]
    for name, value in make.keywords.items():
        if value is None or name in but:
            continue
        is_float32_list = numpy.ndim(value) > 0 and getattr(value, "dtype", None) == numpy.float32
        said[0].append(name + "_f32" * is_float32_list)
        said[1].append(_text(name, value))
    return " ".join(map("=".join, zip(*said)))


def _text(name, value):
    if isinstance(value, (str, bool, int, float)):
        return value if isinstance(value, str) else repr(int(value) if isinstance(value, bool) else value)
    numbers = numpy.asarray(value)
    if numbers.dtype.kind not in "iuf":
        raise ValueError(f"{name} cannot be written as text in an ONNX model")
    return ":".join(map(repr, numbers.reshape(-1).tolist()))
