"""Names for the types of arguments and results, for signatures and type checkers."""

from typing import TYPE_CHECKING, Any, TypeVar

#: An array in the CPU's memory: of NumPy, of torch, or any object with DLPack or the buffer protocol.
Array = Any
#: A number, a list of numbers, or an array.
Numbers = Any
#: A dtype of NumPy or torch, or the name of a dtype.
DType = Any

if TYPE_CHECKING:
    import numpy
    import torch

    Tensor = torch.Tensor
    TensorDType = torch.dtype
    Ndarray = numpy.ndarray[Any, numpy.dtype[Any]]
    NdarrayDType = str | type | numpy.dtype[Any] | None
else:  # importing posenc must not import torch
    Ndarray = NdarrayDType = Tensor = TensorDType = Any

#: The type of an argument that the function also returns. B is a second one.
A = TypeVar("A")
B = TypeVar("B")
