"""Modules: sinusoidal encodings and rotary embeddings in place of those of notebooks, transformers and vLLM."""

import math
import operator
import warnings
from typing import Any

import torch
from torch import Tensor, nn

from posenc import Encoder, Rotary
from posenc._posenc import eager_rotate
from posenc.torch._kernels import LAYOUTS, spec
from posenc.torch._operators import add, cos_sin, embed, encode, is_compiling, rotate

_TABLES = ("pe", "pos_encoding", "positional_encoding", "encoding")  # buffers of those that keep a table
_LARGEST_DIFFERENCE = 0.01  # from a checkpoint's table; phases in float32 are wrong by 0.001 at position 10,000


class _Encoding(nn.Module):
    """Has an encoder, and takes the tables of old checkpoints out of what is loaded.

    difference  from the table of the last checkpoint that had one: the largest of any entry; None before
    """

    def __init__(self, dim, preset, members):
        super().__init__()
        if preset is not None:
            members["preset"] = preset
        self.encoder = Encoder(dim, **members)
        self.spec = spec(self.encoder)
        self.difference = None

    def _load_from_state_dict(self, state_dict, prefix, metadata, strict, missing, unexpected, errors):
        own = {prefix + name for name in self.state_dict()}  # of a subclass, which has more
        for key in [key for key in state_dict if key.startswith(prefix) and key not in own]:
            if key.rpartition(".")[2] in self._tables:
                self._compare(key, state_dict.pop(key), errors)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, unexpected, errors)

    _tables = _TABLES
    batch_first = True  # inputs are [batch, rows, ...]

    def _compare(self, key, table, errors):
        rows, dim = table.detach().cpu().double(), self.encoder.dim
        if rows.shape[-1:] != (dim,) or sum(size != 1 for size in rows.shape[:-1]) > 1:
            errors.append(f"{key} has the shape {list(table.shape)}, and should have {dim} columns")
            return
        if rows.ndim == 3 and rows.shape[0] != rows.shape[1] and (rows.shape[1] == 1) == self.batch_first:
            warnings.warn(f"{key} has the shape {list(table.shape)}, which belongs to inputs {self._other_axes}")
        rows = rows.reshape(-1, dim)
        differences = (rows - self.encoder.table(len(rows), dtype=torch.float64)).abs()
        self.difference = differences.max().item() if len(rows) else 0.0
        if not self.difference <= _LARGEST_DIFFERENCE:
            row, column = divmod(differences.nan_to_num(math.inf).argmax().item(), dim)
            warnings.warn(f"{key} differs from {self.encoder} by {self.difference:.2g} in row {row}, column {column}: "
                          "the model was trained with another encoding, perhaps another preset")

    _other_axes = "[rows, batch]: transpose them"

    def extra_repr(self):
        scale = f", scale={self.scale}" if hasattr(self, "scale") else ""
        return repr(self.encoder).partition(".")[2] + scale


def _length(max_len):
    try:
        return max_len if max_len is None else operator.index(max_len)
    except TypeError:  # dropout, which comes before it in some notebooks' classes
        raise TypeError(f"max_len must be an integer or None, not {max_len!r}: pass dropout by its name") from None


class SinusoidalPositionalEncoding(_Encoding):
    """x * scale + encoding, for x [batch, rows, d_model] of any number of rows; then dropout.

    d_model, dropout, max_len  as notebooks' PositionalEncoding has them; inputs longer than max_len are refused
    preset, members            of posenc.Encoder
    batch_first                False: x is [rows, batch, d_model]

    It keeps no table. A checkpoint's `pe` or `pos_encoding` is compared (`difference`), and otherwise ignored.
    """

    def __init__(
        self, d_model: int, max_len: int | None = None, dropout: float = 0.0, preset: str | None = None,
        batch_first: bool = True, scale: float = 1.0, **members: Any
    ) -> None:
        super().__init__(d_model, preset, members)
        self.max_len, self.batch_first, self.scale = _length(max_len), batch_first, float(scale)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, positions: Tensor | None = None, first: int = 0) -> Tensor:
        """At the positions first .. first + rows - 1, or at positions [rows] or [batch, rows] of any values."""
        if not self.batch_first:
            if x.ndim != 3:
                raise RuntimeError(f"x must be [rows, batch, d_model]; its shape is {list(x.shape)}")
            x = x.transpose(0, 1)
        if self.max_len is not None and x.shape[-2] > self.max_len:
            raise RuntimeError(f"x has {x.shape[-2]} rows, and max_len is {self.max_len}")
        made = add(x, self.spec, positions, first, self.scale)
        made = made if self.batch_first else made.transpose(0, 1)
        return self.dropout(made) if self.training else made

    @property
    def _other_axes(self):
        axes = "rows, batch" if self.batch_first else "batch, rows"
        return f"[{axes}, d_model]: if yours are so, pass batch_first={not self.batch_first}"

    def extra_repr(self):
        return f"{super().extra_repr()}, batch_first={self.batch_first}"


class InputEmbedding(_Encoding):
    """embedding(ids) * scale + encoding, in one pass, for ids [batch, rows]: [batch, rows, d_model]; then dropout.

    scale        1; "Attention Is All You Need" has d_model**0.5
    padding_idx  as in nn.Embedding: a row that is 0 and gets no gradient

    Otherwise as SinusoidalPositionalEncoding. `embedding` is an nn.Embedding; a checkpoint's only weight is loaded into
    it, whatever its name.
    """

    def __init__(
        self, vocab: int, d_model: int, max_len: int | None = None, dropout: float = 0.0, preset: str | None = None,
        scale: float = 1.0, padding_idx: int | None = None, **members: Any
    ) -> None:
        super().__init__(d_model, preset, members)
        self.max_len, self.scale = _length(max_len), float(scale)
        self.embedding = nn.Embedding(vocab, d_model, padding_idx)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, positions: Tensor | None = None, first: int = 0) -> Tensor:
        if self.max_len is not None and ids.shape[-1] > self.max_len:
            raise RuntimeError(f"ids has {ids.shape[-1]} rows, and max_len is {self.max_len}")
        its = self.embedding
        if its.max_norm is not None or its.scale_grad_by_freq or its.sparse:
            raise RuntimeError("embedding must have no max_norm, scale_grad_by_freq or sparse, which posenc has not")
        made = embed(ids, its.weight, self.spec, positions, first, self.scale, padding_idx=its.padding_idx)
        return self.dropout(made) if self.training else made

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        weights = [key for key in state_dict if key.startswith(prefix) and key.endswith("weight")]
        if len(weights) == 1:
            state_dict[prefix + "embedding.weight"] = state_dict.pop(weights[0])
        super()._load_from_state_dict(state_dict, prefix, *arguments)


class EncodingTable(_Encoding):
    """The rows of an encoding by their numbers, as a frozen nn.Embedding with sines has them (Whisper's encoder)."""

    _tables = ("weight",)

    def __init__(self, rows: int, dim: int, preset: str | None = None, **members: Any) -> None:
        super().__init__(dim, preset, members)
        self.num_embeddings, self.embedding_dim = rows, dim
        self.register_buffer("_like", torch.empty(0), persistent=False)  # has the model's dtype

    def forward(self, positions: Tensor) -> Tensor:
        return encode(positions, self.spec, self._like.dtype)

    @property
    def weight(self) -> Tensor:
        return self(torch.arange(self.num_embeddings))


class RotaryEmbedding(nn.Module):
    """Cosines and sines as the modules of transformers give them, and rotations as those of vLLM.

    rotary    a posenc.Rotary
    per_axis  cos and sin of each axis of a position, [axes, ...], as Qwen2-VL's module has them, whose model chooses
              among them; None: if sections are consecutive
    move      for tensors on another device: positions are copied to the CPU, cos and sin from there
    layout    of cos and sin: halves_twice [..., rotary_dim]; halves [..., rotary_dim / 2], as gpt-oss has them;
              duplicated, each twice by the rotary's pairing, as Cohere has them
    """

    def __init__(
        self, rotary: Rotary, per_axis: bool | None = None, move: bool = False, layout: str = "halves_twice"
    ) -> None:
        super().__init__()
        if layout not in LAYOUTS:
            raise ValueError(f"layout must be {', '.join(LAYOUTS)}, not {layout!r}")
        self.rotary, self.move, self.layout = rotary, move, layout
        self.head_dim, self.axes = rotary.head_dim, rotary.axes  # which torch.compile cannot ask a Rotary for
        members = rotary.__reduce__()[0].keywords
        if per_axis is None:
            per_axis = rotary.axes > 1 and rotary.axis_order == "consecutive"
        self.per_axis = per_axis
        one = {**members, "axes": 1, "sections": (0,) * rotary.axes} if per_axis else members
        self.spec, self._cos_sin_spec = spec(rotary), spec(Rotary(rotary.head_dim, **one))

    @classmethod
    def from_config(
        cls, config: Any, layer: int | None = None, layer_type: str | None = None, model_type: str | None = None,
        per_axis: bool | None = None, move: bool = False, layout: str = "halves_twice", **overrides: Any
    ) -> "RotaryEmbedding":
        """Of a model's configuration, as posenc.Rotary.from_config, which also says what pairing and overrides are for."""
        rotary = Rotary.from_config(config, layer=layer, layer_type=layer_type, model_type=model_type, **overrides)
        return cls(rotary, per_axis, move, layout)

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        """Old checkpoints of transformers have inv_freq."""
        key = prefix + "inv_freq"
        kept = state_dict.pop(key, None)
        own = torch.from_numpy(self.rotary.frequencies)
        if kept is not None and not (kept.shape == own.shape and torch.allclose(kept.cpu().double(), own, 0.01, 0)):
            warnings.warn(f"{key} has other frequencies than {self.rotary}, which are kept")
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def forward(self, x: Tensor, position_ids: Tensor, key: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """transformers' forward(x, position_ids): cos and sin [..., rotary_dim] (or as `layout` says) of x's dtype, for
        positions [batch, rows] or [axes, batch, rows].

        vLLM's forward(positions, query, key): query and key [..., heads * head_dim] or [..., heads, head_dim], rotated,
        for positions [tokens] or [axes, tokens].
        """
        if key is not None or not x.is_floating_point():
            return self._rotate_flat(x, position_ids, key)
        positions = position_ids
        if self.move:
            positions = positions.cpu()
        cos, sin = cos_sin(positions, self._cos_sin_spec, self.layout, x.dtype)
        return (cos.to(x.device), sin.to(x.device)) if self.move else (cos, sin)

    def rotate(
        self, q: Tensor, k: Tensor, position_ids: Tensor, token_axis: int = -2, inverse: bool = False
    ) -> tuple[Tensor, Tensor]:
        """q and k [batch, heads, rows, head_dim], or for token_axis -3 [batch, rows, heads, head_dim], rotated.

        position_ids  [rows], [1, rows] or [batch, rows], one for all axes of a position; or [axes, 1, rows] or
                      [axes, batch, rows]
        inverse       turns back
        """
        if position_ids is not None and not is_compiling():  # which would mean positions from 0 on
            made = eager_rotate((q, k), self.rotary, position_ids, 0, 1.0, inverse, token_axis)
            if made is not None:
                return made
        for name, given in ("q", q), ("k", k), ("position_ids", position_ids):
            if not isinstance(given, Tensor):
                raise TypeError(f"{name} must be a tensor, not {type(given)}")
        positions = self._positions(position_ids, q.shape[:-3])
        q, k = rotate((q, k), self.spec, positions, inverse=inverse, token_axis=token_axis)
        return q, k

    def _positions(self, positions, batch):
        """The same as [rows] or [batch, rows]. Axes of a position come before; if there are none, all have it."""
        axes = self.axes
        if axes > 1 and positions.ndim <= len(batch) + 1:
            positions = positions.expand(axes, *positions.shape)
        lead = (axes,) if axes > 1 else ()
        own = positions.shape[len(lead):-1]
        if own == batch or not own:
            return positions
        if own.numel() == 1:
            return positions.reshape(*lead, positions.shape[-1])
        return positions.expand(*lead, *batch, positions.shape[-1]) if 1 in own else positions

    def _rotate_flat(self, positions, query, key):
        if self.axes > 1 and positions.ndim == 1:
            positions = positions.expand(self.axes, *positions.shape)
        tokens = positions.shape if self.axes == 1 else positions.shape[1:]
        given = [query] if key is None else [query, key]
        heads = [math.prod(tensor.shape[len(tokens) :]) // self.head_dim for tensor in given]  # -1 needs elements
        flat = [tensor.reshape(*tokens, count, self.head_dim) for tensor, count in zip(given, heads)]
        made = [new.reshape(old.shape) for new, old in zip(rotate(flat, self.spec, positions), given)]
        return made[0], None if key is None else made[1]

    def extra_repr(self):
        return repr(self.rotary).partition(".")[2]


class LayerTypeRotaryEmbedding(nn.ModuleDict):
    """A RotaryEmbedding for each type of layer, in one module as transformers 5 has them (Gemma 3)."""

    def forward(self, x: Tensor, position_ids: Tensor, layer_type: str | None = None) -> tuple[Tensor, Tensor]:
        if layer_type not in self:
            raise ValueError(f"layer_type must be one of {list(self)}, not {layer_type!r}")
        return self[layer_type](x, position_ids)
