"""Reads configuration files of models, and defines posenc.config(), which shows how posenc understands all layers."""

import json
import math
import os
import re
from typing import Any, List, NamedTuple, Optional

from posenc import _posenc
from posenc._posenc import Rotary

_LONGEST_FILE = 64 << 20  # in bytes; some files, such as /dev/zero, never end


class LayerGroup(NamedTuple):
    """Layers that have the same rotary embedding, or that have none for the same reason."""

    layers: Optional[List[int]]  # the numbers of the layers; None: all layers, or all layers of the requested type
    rotary: Optional[Rotary]  # None if the layers do not rotate
    text: str  # describes the rotary embedding, or says why the layers do not rotate


class Config(NamedTuple):
    """How posenc understands a model's configuration. print() shows the same lines as the command `posenc config`."""

    model_type: str  # the type under which posenc knows the model; "" if posenc does not know it
    source: str  # the code of the model from which posenc knows it
    groups: List[LayerGroup]
    read: List[str]  # the keys from which posenc reads the rotary embedding
    norm: str  # how the model normalizes q and k, in words; "" if no layer rotates
    text: str  # the lines that print() shows

    def __str__(self) -> str:
        return self.text


def config(
    config: Any, *, layer: Optional[int] = None, layer_type: Optional[str] = None, model_type: Optional[str] = None,
    pairing: Optional[str] = None
) -> Config:
    """Returns how posenc understands a model's configuration: a group for all layers with the same rotary embedding.

    config      a dict, a path or an object, as for Rotary.from_config()
    layer       number of a layer: only this layer is read
    layer_type  type of layers: only layers of this type are read
    model_type  replaces the model type or architecture in the configuration
    pairing     half_split or neighbours, for a model that posenc does not know

    Raises the same errors as Rotary.from_config() if posenc refuses one of the layers.
    """
    its_type, source, groups, read, norm, text = _posenc.config(config, layer, layer_type, model_type, pairing)
    return Config(its_type, source, [LayerGroup(*group) for group in groups], read, norm, text)


def _number(text):
    """Parses a number as a double. Raises OverflowError if it is too large. (The command refuses such numbers, too.)"""
    value = float(text)
    if math.isinf(value):
        raise OverflowError(f"{text[:20]} is too big for a double")
    return value


class _KeyTwice(Exception):
    pass


def _dict_of(pairs):
    """Makes a dict of an object in JSON. Raises _KeyTwice if the object has a key twice. (The command refuses that, too.)"""
    made = {}
    for key, value in pairs:
        if key in made:
            raise _KeyTwice(key)
        made[key] = value
    return made


def read(path):
    """Reads a JSON file, which must be an object. Raises a ValueError that names the file, and the line and column of the error."""
    name = os.fsdecode(path)
    with open(path, "rb") as file:
        data = file.read(_LONGEST_FILE + 1)
    if len(data) > _LONGEST_FILE:
        raise ValueError(f"{name} has more than 64 MiB")
    try:
        text = data.decode("utf-8-sig")
        made = json.loads(text, parse_int=_number, parse_float=_number, object_pairs_hook=_dict_of)
        if re.search(r"\\u[dD][89a-fA-F]", text):
            json.dumps(made, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise ValueError(f"{name}:{error.lineno}:{error.colno}: not JSON as posenc reads it: {what}") from None
    except _KeyTwice as error:
        raise ValueError(f"{name}: the key {error} is given twice: give it once") from None
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
