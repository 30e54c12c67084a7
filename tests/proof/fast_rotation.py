#!/usr/bin/env python3
"""Can POSENC_FAST with G = 1 have a sum above 2 + 2 v if hypot(a, b) is below 2? For src/proof/rotation.md, "POSENC_FAST".

v is 2^-24. The page leaves one kind of case, for each k >= 1: a sine s just above 2^-k, and an element b just below 2 * 2^-k. The
sum of the rounded products is then a c + b s, where hypot(a, b) is within 0.5 * 4^-k v of 2. The program goes through all such a,
b, s and c, and prints the largest sum for each k. It fails if a sum exceeds 2 + 2 v.
"""

import math
import sys

ONE = 2**24
V = 1 / ONE


def rounded(x):
    """x > 0 rounded to float. x has at most 53 digits."""
    ulp = 2.0 ** (math.frexp(x)[1] - 24)
    return round(x / ulp) * ulp


def angles(k, reach):
    """All sines s = 2^-k .. 2^-k + reach, as floats, each with the cosines, in units of v, that its angles may have."""
    ulp = 2.0**-k * 2 * V
    for n in range(int(reach / ulp) + 4):
        s = 2.0**-k + n * ulp
        ends = (s - 0.501 * ulp, s + 0.501 * ulp)  # a little more than rounds to s
        yield s, {round(math.sqrt(1 - end * end) / V) for end in ends}


def largest(k):
    """The largest (sum - 2) / v for this k, and how many sums there are."""
    slack = 0.5 * 4.0**-k  # 2 - hypot(a, b) is less, in units of v
    reach = 1.2 * math.sqrt(2 * slack * V)  # the two angles differ by less
    found = list(angles(k, reach))
    worst, count = -math.inf, 0
    ulp = 2.0 ** (1 - k) * V  # of b
    for n in range(ONE - 1, ONE - int(2 * reach / ulp) - 8, -1):
        b = n * ulp
        # a is m * 2 v. In units of 4^(1 - k) v^2, a^2 is 4^k m^2, b^2 is n^2, and their sum must be below 4^k 2^48.
        rest = 4**k * ONE * ONE - n * n
        m = math.isqrt((rest - 1) // 4**k)
        while (rest - m * m * 4**k) * 4 / (4**k * ONE) <= 4.04 * slack:  # (4 - a^2 - b^2) / v
            for s, cosines in found:
                product = rounded(b * s)
                for c in cosines:
                    count += 1
                    worst = max(worst, ((rounded(m * 2 * V * (c * V)) - 2) + product) / V)
            m -= 1
    return worst, count


failed = False
for k in range(1, 13):
    worst, count = largest(k)
    print(f"k = {k}: {count} sums" + (f", the largest is 2 + {worst} v" if count else ""))
    failed |= worst > 2
sys.exit(failed)
