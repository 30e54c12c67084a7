"""Names for the types of arguments and results, for signatures and type checkers."""

from typing import TYPE_CHECKING, Any, TypeVar

#: An array in the CPU's memory: NumPy's, torch's, or with DLPack or the buffer protocol.
Array = Any
#: A number, a list of numbers, or an array.
Numbers = Any
#: A dtype of NumPy or torch, or its name.
DType = Any

if TYPE_CHECKING:
    import numpy
    import torch

    Tensor = torch.Tensor
    TensorDType = torch.dtype
    Ndarray = numpy.ndarray[Any, numpy.dtype[Any]]
    NdarrayDType = str | type | numpy.dtype[Any] | None
else:  # nothing here imports them
    Ndarray = NdarrayDType = Tensor = TensorDType = Any

#: What is given and comes back; one more of them.
A = TypeVar("A")
B = TypeVar("B")
