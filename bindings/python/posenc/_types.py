"""Names for the types of arguments, for signatures and type checkers."""

from typing import Any

#: An array in the CPU's memory: NumPy's, torch's, or with DLPack or the buffer protocol.
Array = Any
#: A number, a list of numbers, or an array.
Numbers = Any
#: A dtype of NumPy or torch, or its name.
DType = Any
