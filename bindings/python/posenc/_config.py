"""Configurations of models: files of them, and what posenc makes of all layers."""

import json
import math
import os
import re
from typing import Any, List, NamedTuple, Optional

from posenc import _posenc
from posenc._posenc import Rotary

_LONGEST_FILE = 64 << 20  # bytes; some files never end


class LayerGroup(NamedTuple):
    """Layers with the same rotary embedding, or with the same reason for none."""

    layers: Optional[List[int]]  # None: all of them, or those of the type that was asked for
    rotary: Optional[Rotary]  # None: they do not rotate
    text: str  # the rotary embedding in words, or the reason


class Config(NamedTuple):
    """What posenc makes of a model's configuration. print() shows the lines of the command `posenc config`."""

    model_type: str  # the type under which posenc knows the model; "" if it does not
    source: str  # the code in which that was read
    groups: List[LayerGroup]
    read: List[str]  # the keys that count
    text: str  # the lines

    def __str__(self) -> str:
        return self.text


def config(
    config: Any, *, layer: Optional[int] = None, layer_type: Optional[str] = None, model_type: Optional[str] = None,
    pairing: Optional[str] = None
) -> Config:
    """What posenc makes of a model's configuration, for each group of layers with the same rotary embedding.

    config      a dict, a path or an object, as in Rotary.from_config()
    layer       only this layer, by its number, or
    layer_type  only layers of this type
    model_type  the model's type or architecture, if it is not the configuration's
    pairing     half_split or neighbours, of a model that posenc does not know

    If one of the layers is refused, it is an exception, as in Rotary.from_config().
    """
    its_type, source, groups, read, text = _posenc.config(config, layer, layer_type, model_type, pairing)
    return Config(its_type, source, [LayerGroup(*group) for group in groups], read, text)


def _number(text):
    """The double that digits are. The command refuses numbers beyond doubles too."""
    value = float(text)
    if math.isinf(value):
        raise OverflowError(f"{text[:20]} is too big for a double")
    return value


def read(path):
    """The object that a file of JSON has. A ValueError names the file, and the line and the column of what is wrong."""
    name = os.fsdecode(path)
    with open(path, "rb") as file:
        data = file.read(_LONGEST_FILE + 1)
    if len(data) > _LONGEST_FILE:
        raise ValueError(f"{name} has more than 64 MiB")
    try:
        text = data.decode("utf-8-sig")
        made = json.loads(text, parse_int=_number, parse_float=_number)
        if re.search(r"\\u[dD][89a-fA-F]", text):
            json.dumps(made, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise ValueError(f"{name}:{error.lineno}:{error.colno}: not JSON as posenc reads it: {what}") from None
    except OverflowError as error:
        raise ValueError(f"{name}: not JSON as posenc reads it: {error}") from None
    except RecursionError:
        raise ValueError(f"{name}: more than 64 levels of dictionaries and lists") from None
    except UnicodeDecodeError as error:
        before = data[:error.start].decode("utf-8", "replace").split("\n")
        raise ValueError(f"{name}:{len(before)}:{len(before[-1]) + 1}: not JSON as posenc reads it: no UTF-8") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise ValueError(f"{name}: not JSON as posenc reads it: {half} is half a surrogate pair") from None
    if not isinstance(made, dict):
        at = len(text) - len(text.lstrip(" \t\r\n"))
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        raise ValueError(f"{name}:{line}:{column}: a configuration is an object, {{ ... }}, and this is something else")
    return made
