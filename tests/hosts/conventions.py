"""Compares a framework's code with posenc's preset for it: frequencies, phases bit by bit, and values. Also reports how far the
exact encoding is from the framework's."""

import decimal
import sys

try:
    import numpy
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)

import exact
import numpy_ctypes

F32, F64 = numpy.float32, numpy.float64
INTERLEAVED, SIN_COS = 0, 2  # posenc_layout
(NONE, F32_POW_DIV, F32_EXP, F32_LOG_DIV, F32_LOG_INCREMENT, F32_INV_FREQ, F32_ITERATED, F32_LIST, F64_INV_FREQ,
 F64_POW_DIV, F64_POW_MUL) = range(11)  # posenc_phase_rounding
ROUNDING_NAMES = ("none", "f32_pow_div", "f32_exp", "f32_log_div", "f32_log_increment", "f32_inv_freq",
                  "f32_iterated", "f32_list", "f64_inv_freq", "f64_pow_div", "f64_pow_mul")
DIVIDES = (F32_POW_DIV, F64_POW_DIV)

# The table of distances has a column for each of these positions and the next NEIGHBOURS - 1.
PLACES = (0, 10, 100, 1000, 10000, 100000, 1000000)
NEIGHBOURS = 32


def all_positions():
    """All positions of the table, which float32 represents exactly."""
    return numpy.unique(numpy.concatenate([numpy.arange(p, p + NEIGHBOURS) for p in PLACES])).astype(F32)


def nearest(real, dtype):
    """A decimal, rounded to the nearest number of a type."""
    guess = dtype(float(real))
    around = (guess, numpy.nextafter(guess, dtype(-numpy.inf)), numpy.nextafter(guess, dtype(numpy.inf)))
    return min(around, key=lambda x: abs(decimal.Decimal(float(x)) - real))


def real(x):
    return decimal.Decimal(float(x))


def recipe_frequencies(rounding, base, exponent_dim, count, min_timescale=1):
    """The factors or divisors of phases, as docs/conventions.md defines them."""
    log_base = decimal.Decimal(base).ln()

    def power(exponent, dtype):
        return nearest((real(exponent) * log_base).exp(), dtype)

    def frequency(i):
        ratio = decimal.Decimal(2 * i) / real(exponent_dim)
        if rounding == F32_POW_DIV:
            return power(nearest(ratio, F32), F32)
        if rounding == F32_EXP:
            rate = nearest(-log_base / real(exponent_dim), F32)
            return nearest(real(nearest(2 * i * real(rate), F32)).exp(), F32)
        if rounding == F32_LOG_DIV:
            product = nearest(real(nearest(-log_base, F32)) * i, F32)
            return nearest(real(nearest(real(product) / real(exponent_dim / 2), F32)).exp(), F32)
        if rounding == F32_LOG_INCREMENT:
            increment = nearest((decimal.Decimal(base) / real(min_timescale)).ln(), F32)
            rate = nearest(real(increment) / real(exponent_dim / 2), F32)
            return nearest(real(min_timescale) * real(nearest(real(nearest(-i * real(rate), F32)).exp(), F32)), F32)
        if rounding == F32_INV_FREQ:
            return nearest(1 / real(power(nearest(ratio, F32), F32)), F32)
        if rounding == F64_INV_FREQ:
            return nearest(real(nearest(1 / real(power(nearest(ratio, F64), F64)), F64)), F32)
        if rounding == F64_POW_DIV:
            return power(nearest(ratio, F64), F64)
        assert rounding == F64_POW_MUL
        return power(nearest(-ratio, F64), F64)

    return numpy.array([frequency(i) for i in range(count)])


def columns(spec, pairs):
    """The columns of all sines and of all cosines. There may be one cosine less."""
    whole = spec.dim - (1 if spec.dim % 2 and spec.odd_column else 0)
    if spec.layout == INTERLEAVED:
        return range(0, whole, 2), range(1, whole, 2)
    first, second = range(pairs), range(pairs, whole)
    return (first, second) if spec.layout == SIN_COS else (second, first)


def ulps(got, want):
    """How many floats `got` and `want` are apart."""
    def place(x):
        bits = numpy.ascontiguousarray(x, F32).view(numpy.int32).astype(numpy.int64)
        return numpy.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    return numpy.abs(place(got) - place(want))


def same_phases(rows, spec, phases, which):
    """[positions, pairs] booleans: whether rows of doubles are the sines and cosines of these phases."""
    # Twice the error of a sine in NumPy, and less than the difference that a neighbouring float makes.
    tolerance = 2.0**-49
    agree = numpy.ones(phases.shape, bool)
    for function, places in zip((numpy.sin, numpy.cos), columns(spec, phases.shape[1])):
        want = function(phases[:, : len(places)].astype(F64))
        agree[:, : len(places)] &= numpy.abs(rows[:, places] - want) <= tolerance * numpy.abs(want)
    return agree[:, which]


def check_phases(encoder, positions, phases, which):
    """Checks that all phases agree, and that no phase would agree if it were the next float."""
    rows = encoder.write_at(positions, "float64")
    if phases.dtype == F64:
        return check_phases_of_doubles(rows, encoder.spec, phases, which)
    agree = same_phases(rows, encoder.spec, phases, which)
    assert agree.all(), f"{(~agree).sum()} of {agree.size} phases differ"
    for direction in (-numpy.inf, numpy.inf):
        neighbours = numpy.nextafter(phases, F32(direction))
        told_apart = ~same_phases(rows, encoder.spec, neighbours, which)
        assert (told_apart | (phases[:, which] == 0)).all()
    return agree.size


def check_phases_of_doubles(rows, spec, phases, which):
    """Does the same for phases that are doubles, with a sample: rows must be the correctly rounded sines of these phases."""
    sines, cosines = columns(spec, phases.shape[1])
    count = 0
    for r in range(0, len(rows), 7):
        for i in numpy.flatnonzero(which)[:: max(1, which.sum() // 16)]:
            phase = real(phases[r, i])
            assert rows[r, sines[i]] == nearest(exact.sine(phase), F64)
            if i < len(cosines):
                assert rows[r, cosines[i]] == nearest(exact.sine(phase + exact.PI / 2), F64)
            count += 1
    return count


def check_values(values, rows, spec, which):
    """Compares a framework's values with correctly rounded ones for the same phases. Returns the largest distance in floats."""
    sines, cosines = columns(spec, len(which))
    pairs = numpy.flatnonzero(which)
    places = [sines[i] for i in pairs] + [cosines[i] for i in pairs if i < len(cosines)]
    if spec.dim % 2 and spec.odd_column:
        places.append(spec.dim - 1)
    worst = ulps(values[:, places], rows[:, places]).max()
    assert worst <= 2  # the framework's sines have an error of up to 1.5 ULP, or 1
    return worst


class Report:
    def __init__(self, library):
        self._library = library
        self._distances = []

    def check(self, name, preset, dim, formula, base=10000, positions=None, **members):
        """formula(positions) gives the framework's frequencies or divisors [pairs], its phases [positions, pairs], and its
        rows [positions, dim]."""
        library = self._library
        at = all_positions() if positions is None else positions
        frequencies, phases, values = (numpy.asarray(x) for x in formula(at))
        assert values.shape == (len(at), dim) and values.dtype == F32
        rounding = library.preset_rounding(preset)
        line = f"{name}: preset {preset}, dim {dim}"
        spec = library.spec(dim, preset)
        if spec.has_padding:
            padding = at == spec.padding_position
            assert padding.any() and (values[padding] == 0).all()
            at, phases, values = at[~padding], phases[~padding], values[~padding]

        if rounding != NONE:
            encoder = numpy_ctypes.Encoder(library, dim, preset, phase_rounding=rounding, base=base, **members)
            exponent_dim = encoder.spec.exponent_dim or dim
            recipe = recipe_frequencies(rounding, base, exponent_dim, len(frequencies),
                                        members.get("min_timescale", 1))
            assert recipe.dtype == frequencies.dtype
            which = recipe == frequencies
            assert (numpy.abs(recipe / frequencies.astype(F64) - 1) <= 4 * numpy.finfo(recipe.dtype).eps).all()
            compared = check_phases(encoder, at, phases, which)
            worst = check_values(values, encoder.write_at(at), encoder.spec, which)
            line += (f"; {ROUNDING_NAMES[rounding]}: {(~which).sum()} of {len(which)} frequencies differ in the last"
                     f" bit, {compared} phases of the others are the same, values within {worst} ULP")

        if rounding not in DIVIDES and frequencies.dtype == F32:
            own = numpy.ascontiguousarray(frequencies)
            of_list = {name: value for name, value in members.items() if name != "min_timescale"}
            listed = numpy_ctypes.Encoder(library, dim, preset, phase_rounding=F32_LIST, **of_list,
                                          frequencies_f32=own.ctypes.data, frequency_count=len(own))
            every = numpy.ones(len(own), bool)
            compared = check_phases(listed, at, phases, every)
            worst = check_values(values, listed.write_at(at), listed.spec, every)
            line += f"; with its own list all {compared} phases are the same, values within {worst} ULP"
        assert ";" in line, "nothing was compared"
        print(line)

        if positions is None:
            rows = numpy_ctypes.Encoder(library, dim, preset, base=base, **members).write_at(at, "float64")
            distance = numpy.abs(values - rows).max(axis=1)
            self._distances.append((name, [distance[(at >= p) & (at < p + NEIGHBOURS)].max() for p in PLACES]))

    def print_distances(self):
        print(f"\nLargest distance from the real numbers at each position and the {NEIGHBOURS - 1} after it:")
        print("| | " + " | ".join(f"{p:,}" for p in PLACES) + " |")
        for name, distances in self._distances:
            print(f"| {name} | " + " | ".join(f"{d:.1e}" for d in distances) + " |")
        # Exact rows are rounded once. A framework's phases have an error of a few units in the last place of a float.
        for name, distances in self._distances:
            assert all(d <= 2.0**-20 * (p + NEIGHBOURS) for p, d in zip(PLACES, distances)), name
