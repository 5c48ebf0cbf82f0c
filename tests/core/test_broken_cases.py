"""Broken cases, non-inferiority and the A/A floor."""

from __future__ import annotations

import math

import pytest

from ceopt_tui.core.evidence.broken import broken_cases, non_inferior
from ceopt_tui.core.evidence.floor import aa_floor
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting

PASS_FAIL = Setting(span=1)


def test_broken_means_always_passed_and_now_always_fails() -> None:
    reference = {"a": [1, 1, 1], "b": [1, 1, 1], "c": [1, 0, 1], "d": [1, 1], "e": [1, 1, 1]}
    candidate = {"a": [0, 0, 0], "b": [0, 1, 0], "c": [0, 0, 0], "d": [0, 0, 0], "f": [0, 0, 0]}
    assert broken_cases(reference, candidate, 1, PASS_FAIL) == ("a",)


@pytest.mark.parametrize(
    ("now", "as_failure", "as_guard"),
    [
        ([0, 0, 0, 0], True, True),
        ([1, 0, 0, 0], False, True),
        ([1, 0, 1, 0], False, False),
        ([1, 1, 0, 1], False, False),
        ([0, 0], False, False),
    ],
)
def test_a_guard_breaks_when_most_of_its_runs_fail(now: list[float], as_failure: bool, as_guard: bool) -> None:
    reference, candidate = {"a": [1.0] * 4}, {"a": now}
    assert bool(broken_cases(reference, candidate, 1, PASS_FAIL)) is as_failure
    assert bool(broken_cases(reference, candidate, 1, PASS_FAIL, {"a"})) is as_guard


def test_a_guard_that_did_not_always_pass_before_is_none() -> None:
    assert broken_cases({"a": [1, 1, 0]}, {"a": [0, 0, 0]}, 1, PASS_FAIL, {"a"}) == ()


def test_one_run_is_enough_when_deterministic() -> None:
    setting = Setting(span=1, deterministic=True)
    assert broken_cases({"a": [1]}, {"a": [0]}, 1, setting) == ("a",)
    assert broken_cases({"a": [1]}, {"a": [0]}, 1, PASS_FAIL) == ()


def test_lower_is_better() -> None:
    setting = Setting(span=4, maximize=False)
    assert broken_cases({"a": [2, 2, 1]}, {"a": [3, 4, 3]}, 2, setting) == ("a",)


def test_no_worse_within_the_margin() -> None:
    reference = {str(case): [3.0] * 4 for case in range(40)}
    same, worse = dict(reference), {case: [2.7] * 4 for case in reference}
    setting = Setting(span=4)
    assert non_inferior(reference, same, Noise(), setting)
    assert not non_inferior(reference, worse, Noise(), setting)
    assert non_inferior(reference, worse, Noise(), setting, margin=0.5)


def test_nothing_is_shown_by_few_noisy_or_lost_cases() -> None:
    reference = {str(case): [3.0] * 4 for case in range(5)}
    assert not non_inferior(reference, reference, Noise(), Setting(span=4))
    half = {case: [5.0] for case in list(reference)[:3]}
    assert not non_inferior(reference, half, Noise(), Setting(span=4))
    assert not non_inferior({}, {}, Noise(), Setting(span=4))


def test_floor_of_a_judged_set() -> None:
    floor = aa_floor(Noise(sigma_ss=7.0, sigma_df=10, tau_ss=99.0, tau_df=3), Setting(span=4), 10)
    se = math.sqrt((0.16 + 2 * 0.7 / 4) / 10)
    assert (floor.sees_half, floor.sees_most) == (pytest.approx(2.5 * se), pytest.approx(3.5 * se))


def test_floor_of_pass_fail_is_two_cases() -> None:
    assert aa_floor(Noise(), PASS_FAIL, 5).sees_half == 0.4
    with pytest.raises(ValueError, match="held-out"):
        aa_floor(Noise(), PASS_FAIL, 0)
