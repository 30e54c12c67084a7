"""The encoding as exact decimals, for checks of hosts. Slow and simple."""

import decimal

import numpy

decimal.getcontext().prec = 60
PI = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def sine(x):
    x %= 2 * PI
    term = total = x
    k = 1
    while abs(term) > decimal.Decimal(10) ** -50:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def row(position, dim, base=10000):
    """The row at a position: [dim] decimals, interleaved."""
    entries = []
    for column in range(dim):
        exponent = decimal.Decimal(-2 * (column // 2)) / dim
        phase = position * (exponent * decimal.Decimal(base).ln()).exp()
        entries.append(sine(phase + PI / 2 if column % 2 else phase))
    return entries


def misrounded(got, position):
    """How many entries of a row are not the number nearest to the exact value."""
    wrong = 0
    for entry, exact in zip(got, row(position, len(got))):
        error = abs(decimal.Decimal(float(entry)) - exact)
        for direction in (-2, 2):
            neighbour = numpy.nextafter(entry, entry.dtype.type(direction))
            wrong += abs(decimal.Decimal(float(neighbour)) - exact) < error
    return wrong
