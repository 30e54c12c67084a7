"""Computes the operators for float64, with torch's own sums and products and posenc's encodings, cosines and sines in float64."""

import torch


def encoding(encoder, positions, first, rows):
    if positions is not None:
        return encoder.encode(positions, dtype=torch.float64)
    return encoder.table(rows, first=first, dtype=torch.float64)


def add(x, encoder, positions, first, scale):
    if x.ndim == 1:  # a single row
        return x * scale + encoding(encoder, positions, first, 1)[0]
    return x * scale + encoding(encoder, positions, first, x.shape[-2])


def embed(ids, table, encoder, positions, first, scale, dtype):
    wrong = ((ids < 0) | (ids >= len(table))).nonzero()
    if len(wrong):
        at = wrong[0].tolist()
        raise ValueError(f"ids{at}: {ids[tuple(at)].item()} is not a row of a table with {len(table)} rows")
    rows = table.double()[ids.long()]
    return add(rows, encoder, positions, first, scale).to(dtype)


def rotate(tensors, rotary, positions, first, scale, inverse, token_axis):
    where = {"positions": positions} if positions is not None else {"tokens": tensors[0].shape[token_axis], "first": first}
    cos, sin = rotary.cache(**where, layout="halves", dtype=torch.float64)
    cos, sin = (table.unsqueeze(-5 - token_axis) * scale for table in (cos, sin))  # the same for all heads
    return [_rotated(tensor, rotary, cos, -sin if inverse else sin) for tensor in tensors]


def _rotated(x, rotary, cos, sin):
    made = x.clone(memory_format=torch.contiguous_format)
    a, b = _pairs(x, rotary, rotary.pairing)
    new_a, new_b = _pairs(made, rotary, rotary.output_pairing)
    new_a.copy_((a * cos - b * sin).view_as(a))
    new_b.copy_((b * cos + a * sin).view_as(b))
    return made


def _pairs(x, rotary, pairing):
    """The first elements of all pairs, and the second elements."""
    turning = x[..., rotary.rotary_offset : rotary.rotary_offset + rotary.rotary_dim]
    return turning.chunk(2, -1) if pairing == "half_split" else (turning[..., 0::2], turning[..., 1::2])
