"""Names for the types of arguments, for signatures and type checkers."""

from typing import Any, Literal

#: An array in the CPU's memory: NumPy's, torch's, or with DLPack or the buffer protocol.
Array = Any
#: A number, a list of numbers, or an array.
Numbers = Any
#: A dtype of NumPy or torch, or its name.
DType = Any

Layout = Literal["interleaved", "sin_cos", "cos_sin", "interleaved_cos_sin"]
PhaseRounding = Literal[
    "none", "f32_pow_div", "f32_exp", "f32_log_div", "f32_inv_freq", "f32_iterated", "f64_inv_freq", "f64_pow_div",
    "f64_pow_mul", "f32_list", "f32_log_increment",
]
Unit = Literal["radians", "half_turns", "turns"]
OddColumn = Literal["half_pair", "zero_last", "zero_middle", "cosine_last"]
Pairing = Literal["half_split", "neighbours"]
OutputPairing = Literal["half_split", "neighbours", "same"]
Arithmetic = Literal["exact", "fast"]
Scaling = Literal[
    "none", "linear", "ntk", "dynamic_ntk", "qwen_ntk", "mixed_ntk", "yarn", "yarn_log", "longrope", "llama3",
    "proportional", "frequency_factors",
]
AxisOrder = Literal["consecutive", "interleaved", "alternating", "split", "axial", "imrope"]
CacheLayout = Literal["halves", "duplicated", "cos_sin", "pairs"]
