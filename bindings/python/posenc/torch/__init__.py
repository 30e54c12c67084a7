"""posenc in models of PyTorch: operators that torch records, differentiates and transforms, and modules made of them.

    import posenc.torch
    self.pos = posenc.torch.SinusoidalPositionalEncoding(512, dropout=0.1)   # x + PE, as notebooks' PositionalEncoding
    self.rotary = posenc.torch.RotaryEmbedding.from_config(model.config)     # transformers' and vLLM's RotaryEmbedding
    posenc.torch.patch(model)                                                # puts such modules into a model

Functions take tensors in the CPU's memory, and an Encoder or Rotary or its text (`spec`). Wrong arguments are a
RuntimeError with the argument's name, an id that is no row of the table an IndexError, what is no tensor, encoder or
dtype a TypeError; then nothing has been written.
An eager call that needs no gradient goes straight to the Encoder or Rotary; every other goes to the operators
torch.ops.posenc.add and so on. Positions have no gradient, and are refused if they require one.
"""

from posenc.torch._kernels import spec
from posenc.torch._modules import (
    EncodingTable, InputEmbedding, LayerTypeRotaryEmbedding, RotaryEmbedding, SinusoidalPositionalEncoding
)
from posenc.torch._operators import add, add_, cos_sin, embed, encode, rotate, rotate_
from posenc.torch._patch import Replacement, patch, unpatch

try:
    from posenc.torch import _onnx
except (ImportError, AttributeError):  # a torch without the exporter of TorchScript
    pass

__all__ = [
    "EncodingTable", "InputEmbedding", "LayerTypeRotaryEmbedding", "Replacement", "RotaryEmbedding",
    "SinusoidalPositionalEncoding", "add", "add_", "cos_sin", "embed", "encode", "patch", "rotate", "rotate_", "spec", "unpatch",
]
