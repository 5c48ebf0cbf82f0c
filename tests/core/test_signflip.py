"""The exact sign-flip test: published vectors, brute force, and lists too long for any table."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.evidence.signflip import signflip_p


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ((1, 1, 0, 2, -1, 1), 0.15625),
        ((1, 1, 1, 1, 1), 0.03125),
        ((1, 1, 1, 1, -1), 0.1875),
        ((2, 1, 1, 0, 0, 0, 1, 1), 0.03125),
        ((0, 0, 0), 1.0),
        ((), 1.0),
        ((-1,), 1.0),
        ((0.1 + 0.2, 0.3, -0.3), 0.5),
    ],
)
def test_vectors(differences: tuple[float, ...], p: float) -> None:
    assert signflip_p(differences) == p


def brute_force(differences: list[Fraction]) -> float:
    observed = sum(differences)
    kept = [abs(value) for value in differences if value]
    sums = [
        sum(sign * value for sign, value in zip(signs, kept, strict=True))
        for signs in product((1, -1), repeat=len(kept))
    ]
    return sum(total >= observed for total in sums) / len(sums)


@given(st.lists(st.tuples(st.integers(-16, 16), st.sampled_from([1, 2, 3, 4, 12])), max_size=9))
def test_equals_brute_force(pairs: list[tuple[int, int]]) -> None:
    fractions = [Fraction(top, bottom) for top, bottom in pairs]
    assert signflip_p([float(value) for value in fractions]) == brute_force(fractions)


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=30), st.randoms())
def test_order_makes_no_difference(differences: list[float], random: object) -> None:
    shuffled = list(differences)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert signflip_p(differences) == signflip_p(shuffled)


def test_continuous_scores_of_many_cases() -> None:
    rising = [number / 211 for number in range(1, 301)]
    assert signflip_p(rising) < 1e-9
    assert signflip_p([-value for value in rising]) > 1 - 1e-9
    balanced = [value if number % 2 else -value for number, value in enumerate(rising)]
    assert signflip_p(balanced) == pytest.approx(0.5, abs=0.02)
