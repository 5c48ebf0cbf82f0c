"""The exact paired sign-flip test: how often would random signs give a sum at least this large?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

_FINEST = 5040  # a mean of up to ten runs is a multiple of 1 / 5040 of a whole score
_MOST_BITS = 1 << 24  # of the packed counts below; only long lists of continuous scores come near


def signflip_p(differences: Sequence[float]) -> float:
    """Exact one-sided p. Zero differences carry no information and drop out; with none left p is 1.

    Flipping signs at random is drawing a subset of the sizes, and a sum at least as large as observed is a subset
    sum at least as large as the sum of the positive differences.
    """
    signed = _whole([value for value in map(_simple, differences) if value])
    if not signed:
        return 1.0
    # One big number holds the number of subsets for every sum, in slots wide enough for all 2^n of them.
    width = len(signed) + 2
    subsets = 1
    for value in signed:
        subsets += subsets << (abs(value) * width)
    reached = subsets >> (sum(value for value in signed if value > 0) * width)
    as_large = reached % ((1 << width) - 1)  # the sum of all slots, as digits sum modulo base - 1
    return float(Fraction(as_large, 1 << len(signed)))


def _simple(value: float) -> Fraction:
    """The simple fraction a mean of a few scores stands for: 0.1 + 0.2 and 0.3 are one size, not two."""
    return Fraction(value).limit_denominator(_FINEST)


def _whole(values: list[Fraction]) -> list[int]:
    """Whole numbers in the same proportions; continuous scores are rounded where the table would grow too long."""
    if not values:
        return []
    scale = lcm(*(value.denominator for value in values))
    scaled = [int(value * scale) for value in values]
    divisor = gcd(*scaled)
    size = sum(map(abs, scaled)) // divisor * (len(scaled) + 2)
    if size <= _MOST_BITS:
        return [value // divisor for value in scaled]
    coarse = Fraction(_MOST_BITS, size * divisor)
    return [number for number in (round(value * coarse) for value in scaled) if number]
