"""posenc for models of PyTorch: operators that torch can record, differentiate and transform, and modules made from them.

    import posenc.torch
    self.pos = posenc.torch.SinusoidalPositionalEncoding(512, dropout=0.1)   # x + PE, as PositionalEncoding in notebooks
    self.rotary = posenc.torch.RotaryEmbedding.from_config(model.config)     # as RotaryEmbedding in transformers and vLLM
    self.rotation = posenc.torch.NormedRotation(rotary, self.q_norm, self.k_norm)  # as Qwen3 and Gemma 3 normalize and rotate
    posenc.torch.patch(model)                                                # replaces such modules in a model

Functions take tensors in the CPU's memory, and an Encoder or a Rotary or its text (`spec`).

A wrong argument raises RuntimeError with the name of the argument. An id that is not a row of the table raises IndexError. An
object that is not a tensor, an encoder or a dtype raises TypeError. In each of these cases nothing has been written.

Positions have no gradient, and are refused if they require one. An eager call that needs no gradient goes directly to the
Encoder or the Rotary. Every other call goes to an operator: torch.ops.posenc.add and so on.
"""

from posenc.torch._kernels import spec
from posenc.torch._modules import (
    EncodingTable, InputEmbedding, LayerTypeRotaryEmbedding, NormedRotation, RotaryEmbedding, SinusoidalPositionalEncoding
)
from posenc.torch._operators import add, add_, cos_sin, embed, encode, rotate, rotate_
from posenc.torch._patch import Replacement, patch, unpatch

try:
    from posenc.torch import _onnx
except (ImportError, AttributeError):  # this torch has no TorchScript exporter
    pass

__all__ = [
    "EncodingTable", "InputEmbedding", "LayerTypeRotaryEmbedding", "NormedRotation", "Replacement", "RotaryEmbedding",
    "SinusoidalPositionalEncoding", "add", "add_", "cos_sin", "embed", "encode", "patch", "rotate", "rotate_", "spec", "unpatch",
]
