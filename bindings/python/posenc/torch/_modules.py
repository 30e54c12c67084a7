"""Torch modules for sinusoidal encodings and rotary embeddings. They replace the modules of notebooks, transformers and vLLM."""

import math
import operator
import warnings
from typing import Any

import torch
from torch import Tensor, nn

from posenc import Angles, Encoder, Norm, Rotary
from posenc._posenc import eager_rotate
from posenc.torch import _kernels
from posenc.torch._kernels import LAYOUTS, spec
from posenc.torch._operators import add, cos_sin, embed, encode, is_compiling, rotate

_TABLES = ("pe", "pos_encoding", "positional_encoding", "encoding")  # names of buffers in which other modules keep a table
_LARGEST_DIFFERENCE = 0.01  # from a checkpoint's table; with phases in float32 an entry is off by 0.001 at position 10,000


class _Encoding(nn.Module):
    """The base class of modules with an encoder. When a checkpoint with a table is loaded, the table is compared and dropped.

    difference  the largest difference of an entry from the last table that was loaded; None if there was none
    """

    def __init__(self, dim, preset, members):
        super().__init__()
        if preset is not None:
            members["preset"] = preset
        self.encoder = Encoder(dim, **members)
        self.spec = spec(self.encoder)
        self.difference = None

    def _load_from_state_dict(self, state_dict, prefix, metadata, strict, missing, unexpected, errors):
        own = {prefix + name for name in self.state_dict()}  # a subclass may have more entries
        for key in [key for key in state_dict if key.startswith(prefix) and key not in own]:
            if key.rpartition(".")[2] in self._tables:
                self._compare(key, state_dict.pop(key), errors)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, unexpected, errors)

    _tables = _TABLES
    batch_first = True  # whether inputs are [batch, rows, ...]

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
                          "the model was trained with another encoding, perhaps with another preset")

    _other_axes = "[rows, batch]: transpose them"

    def extra_repr(self):
        scale = f", scale={self.scale}" if hasattr(self, "scale") else ""
        return self.encoder.spec + scale


def _length(max_len):
    try:
        return max_len if max_len is None else operator.index(max_len)
    except TypeError:  # probably dropout, which comes first in the classes of some notebooks
        raise TypeError(f"max_len must be an integer or None, not {max_len!r}: pass dropout by its name") from None


class SinusoidalPositionalEncoding(_Encoding):
    """Computes x * scale + encoding, for x [batch, rows, d_model] with any number of rows, and then applies dropout.

    d_model          number of columns
    max_len          inputs with more rows raise RuntimeError; None: no limit
    dropout          probability, as in torch.nn.Dropout
    preset, members  arguments of posenc.Encoder
    batch_first      if False, x is [rows, batch, d_model]

    The module has no table. If a checkpoint contains one (`pe` or `pos_encoding`), it is compared with the encoding and not
    loaded; the attribute `difference` is the largest difference.
    """

    def __init__(
        self, d_model: int, max_len: int | None = None, dropout: float = 0.0, preset: str | None = None,
        batch_first: bool = True, scale: float = 1.0, **members: Any
    ) -> None:
        super().__init__(d_model, preset, members)
        self.max_len, self.batch_first, self.scale = _length(max_len), batch_first, float(scale)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, positions: Tensor | None = None, first: int | None = None) -> Tensor:
        """Returns a tensor of x's shape and dtype, for the positions first .. first + rows - 1.

        first      None means 0. It is the default, because torch.onnx.export makes an input of a default that is a number
        positions  instead of first: [rows] or [batch, rows], integers or floats
        """
        if not self.batch_first:
            if x.ndim != 3:
                raise RuntimeError(f"x must be [rows, batch, d_model]; its shape is {list(x.shape)}")
            x = x.transpose(0, 1)
        if self.max_len is not None and x.shape[-2] > self.max_len:
            raise RuntimeError(f"x has {x.shape[-2]} rows, and max_len is {self.max_len}")
        first = 0 if first is None else first
        made = add(x, self.spec, positions, first, self.scale)
        made = made if self.batch_first else made.transpose(0, 1)
        return self.dropout(made) if self.training else made

    @property
    def _other_axes(self):
        axes = "rows, batch" if self.batch_first else "batch, rows"
        return f"[{axes}, d_model]: if your inputs have this shape, pass batch_first={not self.batch_first}"

    def extra_repr(self):
        return f"{super().extra_repr()}, batch_first={self.batch_first}"


class InputEmbedding(_Encoding):
    """Computes embedding(ids) * scale + encoding in one pass, and then applies dropout.

    ids are [batch, rows], and the result is [batch, rows, d_model].

    vocab        number of rows of the embedding
    scale        the default is 1; "Attention Is All You Need" uses d_model**0.5
    padding_idx  as in nn.Embedding: this row is 0 and gets no gradient

    The other arguments are the same as for SinusoidalPositionalEncoding. The attribute `embedding` is an nn.Embedding. If a
    checkpoint has a single weight for this module, it is loaded into `embedding`, whatever its name.
    """

    def __init__(
        self, vocab: int, d_model: int, max_len: int | None = None, dropout: float = 0.0, preset: str | None = None,
        scale: float = 1.0, padding_idx: int | None = None, **members: Any
    ) -> None:
        super().__init__(d_model, preset, members)
        self.max_len, self.scale = _length(max_len), float(scale)
        self.embedding = nn.Embedding(vocab, d_model, padding_idx)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, positions: Tensor | None = None, first: int | None = None) -> Tensor:
        if self.max_len is not None and ids.shape[-1] > self.max_len:
            raise RuntimeError(f"ids has {ids.shape[-1]} rows, and max_len is {self.max_len}")
        its = self.embedding
        if its.max_norm is not None or its.scale_grad_by_freq or its.sparse:
            raise RuntimeError("embedding must have no max_norm, scale_grad_by_freq or sparse, which posenc does not support")
        first = 0 if first is None else first
        made = embed(ids, its.weight, self.spec, positions, first, self.scale, padding_idx=its.padding_idx)
        return self.dropout(made) if self.training else made

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        weights = [key for key in state_dict if key.startswith(prefix) and key.endswith("weight")]
        if len(weights) == 1:
            state_dict[prefix + "embedding.weight"] = state_dict.pop(weights[0])
        super()._load_from_state_dict(state_dict, prefix, *arguments)


class EncodingTable(_Encoding):
    """Returns rows of an encoding by their numbers, as a frozen nn.Embedding of sines does (in Whisper's encoder, for example).

    Takes positions [...] and returns [..., dim], of the dtype to which the model has been moved.
    """

    _tables = ("weight",)

    def __init__(self, rows: int, dim: int, preset: str | None = None, **members: Any) -> None:
        super().__init__(dim, preset, members)
        self.num_embeddings, self.embedding_dim = rows, dim
        self.register_buffer("_like", torch.empty(0), persistent=False)  # follows the dtype of the model

    def forward(self, positions: Tensor) -> Tensor:
        return encode(positions, self.spec, self._like.dtype)

    @property
    def weight(self) -> Tensor:
        return self(torch.arange(self.num_embeddings))


class RotaryEmbedding(nn.Module):
    """Returns cosines and sines as the modules of transformers do, and rotates as the modules of vLLM do.

    rotary    a posenc.Rotary
    per_axis  whether cos and sin are [axes, ...], with all pairs for each axis of a position, as in Qwen2-VL; the model then
              chooses pairs of each axis. None means True if there are several axes in consecutive sections
    move      if tensors are on another device: copy positions to the CPU, and cos and sin back to that device
    layout    of cos and sin: halves_twice [..., rotary_dim], where the second half repeats the first; halves
              [..., rotary_dim / 2], as in gpt-oss; duplicated [..., rotary_dim], where both elements of a pair have the same
              value, as in Cohere
    """

    def __init__(
        self, rotary: Rotary, per_axis: bool | None = None, move: bool = False, layout: str = "halves_twice"
    ) -> None:
        super().__init__()
        if layout not in LAYOUTS:
            raise ValueError(f"layout must be {', '.join(LAYOUTS)}, not {layout!r}")
        self.rotary, self.move, self.layout = rotary, move, layout
        self.head_dim, self.axes = rotary.head_dim, rotary.axes  # torch.compile cannot read these from a Rotary
        if per_axis is None:
            per_axis = rotary.axes > 1 and rotary.axis_order == "consecutive"
        self.per_axis = per_axis
        one = {"axes": 1, "sections": ()} if per_axis else {}
        self.spec, self._cos_sin_spec = spec(rotary), Rotary.from_spec(rotary.spec, **one).spec

    @classmethod
    def from_config(
        cls, config: Any, layer: int | None = None, layer_type: str | None = None, model_type: str | None = None,
        per_axis: bool | None = None, move: bool = False, layout: str = "halves_twice", **overrides: Any
    ) -> "RotaryEmbedding":
        """The module for a model's configuration. posenc.Rotary.from_config() describes the arguments and the errors."""
        rotary = Rotary.from_config(config, layer=layer, layer_type=layer_type, model_type=model_type, **overrides)
        return cls(rotary, per_axis, move, layout)

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        """Drops inv_freq, which old checkpoints of transformers contain, after comparing it."""
        key = prefix + "inv_freq"
        kept = state_dict.pop(key, None)
        own = torch.from_numpy(self.rotary.frequencies)
        if kept is not None and not (kept.shape == own.shape and torch.allclose(kept.cpu().double(), own, 0.01, 0)):
            warnings.warn(f"{key} has other frequencies than {self.rotary}; the module keeps its own")
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def forward(self, x: Tensor, position_ids: Tensor, key: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Takes the arguments of transformers or of vLLM.

        forward(x, position_ids), as in transformers: returns cos and sin [..., rotary_dim], or in the shape that `layout` says,
        of x's dtype. position_ids are [batch, rows] or [axes, batch, rows].

        forward(positions, query, key), as in vLLM: returns rotated query and key. They are [..., heads * head_dim] or
        [..., heads, head_dim], and positions are [tokens] or [axes, tokens]. key may be None.
        """
        if key is not None or not x.is_floating_point():
            return self._rotate_flat(x, position_ids, key)
        positions = position_ids
        if self.move:
            positions = positions.cpu()
        cos, sin = cos_sin(positions, self._cos_sin_spec, self.layout, x.dtype)
        return (cos.to(x.device), sin.to(x.device)) if self.move else (cos, sin)

    def angles(self, position_ids: Tensor) -> Angles:
        """Computes the cosines and sines of a step once. rotate() takes them in place of position_ids, in each layer.

        position_ids  as for rotate()
        """
        if not isinstance(position_ids, Tensor):
            raise TypeError(f"position_ids must be a tensor, not {type(position_ids)}")
        positions = self._positions(position_ids.cpu() if self.move else position_ids, position_ids.shape[-2:-1])
        return _kernels.angles(self.rotary, positions.squeeze(-2) if positions.ndim > 1 else positions)

    def rotate(
        self, q: Tensor, k: Tensor, position_ids: Tensor | Angles, token_axis: int = -2, inverse: bool = False,
        norm: tuple[Norm | None, Norm | None] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Returns q and k, rotated.

        q, k          [batch, heads, rows, head_dim]; with token_axis -3 [batch, rows, heads, head_dim]
        position_ids  [rows], [1, rows] or [batch, rows]; with several axes also [axes, 1, rows] or [axes, batch, rows]. Without
                      the axis `axes`, a position is the same on all axes. Or angles() of these ids: the bits are the same
        inverse       rotates backwards
        norm          a posenc.Norm for q, and one for k: RMSNorm before the rotation (class NormedRotation has modules for it)
        """
        angles = position_ids if type(position_ids) is Angles else None
        if position_ids is not None and not is_compiling():  # for eager_rotate, None would mean positions from 0 on
            positions = position_ids if angles is None else None
            made = eager_rotate((q, k), self.rotary, positions, 0, 1.0, inverse, token_axis, angles, 0, norm)
            if made is not None:
                return made
        if angles is not None:
            q, k = rotate((q, k), self.rotary, inverse=inverse, token_axis=token_axis, angles=angles, norm=norm)
            return q, k
        for name, given in ("q", q), ("k", k), ("position_ids", position_ids):
            if not isinstance(given, Tensor):
                raise TypeError(f"{name} must be a tensor, not {type(given)}")
        positions = self._positions(position_ids, q.shape[:-3])
        q, k = rotate((q, k), self.spec, positions, inverse=inverse, token_axis=token_axis, norm=norm)
        return q, k

    def _positions(self, positions, batch):
        """Positions as [rows] or [batch, rows], with `axes` in front if there are several axes. Positions without this axis are
        repeated for all axes."""
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
        heads = [math.prod(tensor.shape[len(tokens) :]) // self.head_dim for tensor in given]  # reshape cannot compute it for an empty tensor
        flat = [tensor.reshape(*tokens, count, self.head_dim) for tensor, count in zip(given, heads)]
        made = [new.reshape(old.shape) for new, old in zip(rotate(flat, self.spec, positions), given)]
        return made[0], None if key is None else made[1]

    def extra_repr(self):
        return self.rotary.spec


class NormedRotation(nn.Module):
    """Normalizes q and k by RMSNorm and rotates them, in one pass, as the attention of Qwen3, Gemma 3 or OLMo 2 does.

    rotary          a posenc.Rotary, or a RotaryEmbedding
    q_norm, k_norm  the modules with which the attention normalizes q and k. Each has the attribute weight, which may be None, and
                    an epsilon, in the attribute variance_epsilon, eps or epsilon. They become submodules, so their weights are
                    trained and loaded. If a weight has more than head_dim elements, there is one mean over all heads of a token
    plus_one        True: elements are multiplied by 1 + weight (Gemma). False: by the weight. None: posenc calls the modules with
                    a few numbers to find out. Then they must be on the CPU, and their weights must be set

    Raises ValueError if a module is not such a norm.
    """

    def __init__(self, rotary: Rotary | RotaryEmbedding, q_norm: nn.Module, k_norm: nn.Module, plus_one: bool | None = None) -> None:
        super().__init__()
        self.rotary = rotary if isinstance(rotary, RotaryEmbedding) else RotaryEmbedding(rotary)
        self.q_norm, self.k_norm = q_norm, k_norm
        self._kinds = tuple(_kind_of_norm(name, module, self.rotary.head_dim, plus_one)
                            for name, module in (("q_norm", q_norm), ("k_norm", k_norm)))

    def angles(self, position_ids: Tensor) -> Angles:
        """The same as RotaryEmbedding.angles(). forward() takes them in place of position_ids."""
        return self.rotary.angles(position_ids)

    def forward(
        self, q: Tensor, k: Tensor, position_ids: Tensor | Angles, token_axis: int = -2, inverse: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Returns q and k, normalized and rotated. The arguments are the same as for RotaryEmbedding.rotate(). q and k are what the
        projections write, before any norm."""
        norm = (Norm(self.q_norm.weight, *self._kinds[0]), Norm(self.k_norm.weight, *self._kinds[1]))
        return self.rotary.rotate(q, k, position_ids, token_axis, inverse, norm)


_EPSILONS = ("variance_epsilon", "eps", "epsilon")  # names for epsilon in norms: Llama's, Gemma's and torch's, others


def _kind_of_norm(name, module, head_dim, plus_one):
    """epsilon, plus_one and over_heads of a norm."""
    weight = getattr(module, "weight", module)  # the weight may be None, but must be there
    if weight is module or getattr(module, "bias", None) is not None:
        raise ValueError(f"{name} must be an RMSNorm: a module with a weight, which may be None, and without a bias")
    epsilon = next((getattr(module, its) for its in _EPSILONS if hasattr(module, its)), None)
    if type(epsilon) not in (int, float):
        raise ValueError(f"{name} must have an epsilon that is a number: {', '.join(_EPSILONS)}")
    if not (epsilon == 0 or 2**-126 <= epsilon <= 1):
        raise ValueError(f"{name} has the epsilon {epsilon}, but epsilon must be 0, or 2^-126 .. 1")
    count = head_dim if weight is None else weight.numel()
    if count % head_dim:
        raise ValueError(f"{name} has {count} weights, which is not a multiple of head_dim {head_dim}")
    if plus_one is None:
        plus_one = _is_plus_one(name, module, weight, epsilon, count)
    return float(epsilon), plus_one, count > head_dim


def _is_plus_one(name, module, weight, epsilon, count):
    """Calls a norm to find out whether it multiplies by the weight or by 1 + weight."""
    if weight is not None and weight.device.type != "cpu":
        raise ValueError(f"{name} is on the device {weight.device}. Move it to the CPU, or pass plus_one")
    like = torch.ones(()) if weight is None else weight.detach()
    x = torch.linspace(-2, 3, 2 * count).reshape(2, count).to(like.device, like.dtype)
    with torch.no_grad():
        made = module(x).double()
    x = x.double()
    x = x * (x.square().mean(-1, keepdim=True) + epsilon).rsqrt()
    factors = like.double() if weight is None else like.double().reshape(count)
    for plus_one in (False,) if weight is None else (False, True):
        if torch.allclose(made, x * (factors + plus_one), 0.02, 0.02):
            return plus_one
    raise ValueError(f"{name} is not an RMSNorm: it does not compute x * weight / sqrt(mean(x^2) + {epsilon:g}), nor with 1 + weight. "
                     "If its weights are not set yet, pass plus_one")


class LayerTypeRotaryEmbedding(nn.ModuleDict):
    """Has a RotaryEmbedding for each type of layer, in one module, as transformers 5 does (for Gemma 3, for example).

    forward(x, position_ids, layer_type) calls the RotaryEmbedding of this type. Raises ValueError if there is none.
    """

    def forward(self, x: Tensor, position_ids: Tensor, layer_type: str | None = None) -> tuple[Tensor, Tensor]:
        if layer_type not in self:
            raise ValueError(f"layer_type must be one of {list(self)}, not {layer_type!r}")
        return self[layer_type](x, position_ids)
