"""One way of showing figures: counts, rates, differences, p-values."""

from __future__ import annotations

import pytest

from ceopt_tui.core.figures import change, counted, p_value, percent, rounded, score


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (92.5, 0, "93"),
        (0.925, 2, "0.93"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (0.9249999999999999, 2, "0.93"),
        (-0.4, 0, "0"),
        (-0.001, 2, "0.00"),
        (0, 0, "0"),
    ],
)
def test_a_half_is_rounded_away_from_zero(value: float, digits: int, shown: str) -> None:
    assert rounded(value, digits) == shown


def test_a_rate_is_the_same_wherever_it_is_shown() -> None:
    assert percent(0.925) == score(0.925, 1) == score(37 / 40, 1) == "93%"
    assert score(0.125, 1) == "13%" and change(0.125, 1) == "+13 points"
    assert (score(0.756, 1), score(3.456, 4)) == ("76%", "3.46")
    assert (change(0.052, 1), change(-0.5, 4), change(-0.01, 1), change(0.01, 1)) == (
        "+5 points",
        "-0.50",
        "-1 point",
        "+1 point",
    )
    assert (change(-0.0, 1), change(-0.001, 4)) == ("+0 points", "+0.00")


def test_nearly_all_is_not_all_and_next_to_nothing_is_not_nothing() -> None:
    assert [percent(share) for share in (0, 0.004, 0.006, 0.994, 0.996, 1)] == [
        "0%",
        "<1%",
        "1%",
        "99%",
        ">99%",
        "100%",
    ]


def test_one_is_singular() -> None:
    assert [counted(count, "case") for count in (0, 1, 2, 1200)] == ["0 cases", "1 case", "2 cases", "1,200 cases"]
    assert (counted(1, "reply", "replies"), counted(2, "reply", "replies")) == ("1 reply", "2 replies")


def test_a_small_p_is_never_nothing() -> None:
    assert [p_value(p) for p in (0.0, 0.0004, 0.0009, 0.001, 0.0125, 1.0)] == [
        "p < 0.001", "p < 0.001", "p < 0.001", "p = 0.001", "p = 0.013", "p = 1.000"
    ]  # fmt: skip
    assert p_value(0.03125, "exact p") == "exact p = 0.031"
