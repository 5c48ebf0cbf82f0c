"""Order agreement of a judge with a person, and the gate on it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.evidence.agreement import order_agreement

PERSON = [1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 1.0, 5.0]


def test_lenient_judge_keeps_the_order() -> None:
    found = order_agreement(PERSON, [score + 1 for score in PERSON])
    assert (found.verdict, found.order, found.lenience, found.within_one) == ("pass", 1.0, 1.0, 1.0)
    assert (found.low, found.high) == (1.0, 1.0)


def test_judge_that_always_says_three_gets_one_half() -> None:
    found = order_agreement(PERSON, [3.0] * 10)
    assert (found.verdict, found.order) == ("fail", 0.5)
    assert found.within_one == 0.6
    assert found.kappa == 0.0
    assert found.disagreements == (0, 4, 8)


def test_between_the_bars_more_scores_are_asked_for() -> None:
    person = [1.0, 2.0, 3.0, 4.0, 5.0] * 2
    judge = [2.0, 1.0, 3.0, 5.0, 2.0, 2.0, 3.0, 2.0, 4.0, 3.0]
    found = order_agreement(person, judge)
    assert found.order is not None
    assert 0.65 <= found.order < 0.8
    assert (found.verdict, "10 more" in found.reason) == ("unclear", True)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.order < found.high <= 1


@pytest.mark.parametrize(
    ("person", "pass_fail", "said"),
    [
        (PERSON[:9], False, "9 scores"),
        ([1.0, 2.0] * 5, False, "2 different"),
        ([1.0] * 8 + [0.0] * 2, True, "3 passes"),
        ([1.0] * 12, True, "3 passes"),
        ([], False, "0 scores"),
    ],
)
def test_too_little_to_judge_by(person: list[float], pass_fail: bool, said: str) -> None:
    found = order_agreement(person, person, pass_fail=pass_fail)
    assert found.verdict == "cannot_be_judged"
    assert said in found.reason
    assert found.low is None


def test_one_sided_scores_are_undefined_not_perfect() -> None:
    found = order_agreement([1.0] * 12, [1.0] * 12, pass_fail=True)
    assert (found.order, found.kappa, found.pairs) == (None, None, 0)


def test_three_values_in_ten_scores_are_pairs_enough() -> None:
    mostly_alike = [1.0, 2.0, *[3.0] * 8]
    assert order_agreement(mostly_alike, mostly_alike).verdict == "pass"


def test_pass_fail_gate() -> None:
    person = [1.0] * 6 + [0.0] * 4
    assert order_agreement(person, person, pass_fail=True).verdict == "pass"


def test_empty_lists_have_no_numbers() -> None:
    found = order_agreement([], [])
    assert (found.order, found.kappa, found.within_one, found.lenience) == (None, None, None, None)


def test_lists_of_different_length() -> None:
    with pytest.raises(ValueError, match="2 scores"):
        order_agreement([1.0, 2.0], [1.0])


def test_own_minimum() -> None:
    judge = [1.0, 3.0, 2.0, 4.0, 5.0, 2.0, 3.0, 4.0, 1.0, 5.0]
    strict = order_agreement(PERSON, judge, minimum=0.99)
    assert strict.verdict == "unclear"


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=10, max_size=20), st.randoms())
def test_order_of_items_makes_no_difference(scores: list[tuple[int, int]], rng: random.Random) -> None:
    first = order_agreement([float(h) for h, _ in scores], [float(j) for _, j in scores])
    rng.shuffle(scores)
    again = order_agreement([float(h) for h, _ in scores], [float(j) for _, j in scores])
    assert (again.order, again.pairs, again.verdict) == (first.order, first.pairs, first.verdict)
    assert again.kappa == pytest.approx(first.kappa)
