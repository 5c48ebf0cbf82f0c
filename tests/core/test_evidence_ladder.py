"""Every rung of the evidence ladder."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.evidence.ladder import TOO_FEW_CASES, Evidence, decide_holdout, decide_selection
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting

CASES = tuple("abcdefgh")
REFERENCE = {case: [3.0, 3.0, 2.0, 4.0] for case in CASES}
NOISE = Noise(sigma_ss=60.0, sigma_df=100)
JUDGED = Setting(span=4)


def select(candidate: dict[str, list[float]], setting: Setting = JUDGED, total: int = 16, **more: Any) -> Evidence:
    return decide_selection(REFERENCE, candidate, NOISE, setting, cases=CASES, total_cases=total, **more)


def look(candidate: dict[str, list[float]], setting: Setting = JUDGED, total: int = 16, number: int = 1) -> Evidence:
    return decide_holdout(REFERENCE, candidate, NOISE, setting, cases=CASES, look=number, keeps=0, total_cases=total)


def every(score: float, runs: int = 1, cases: tuple[str, ...] = CASES) -> dict[str, list[float]]:
    return {case: [score] * runs for case in cases}


def says(found: Evidence) -> tuple[str, str, str]:
    return found.step, found.decision, found.next_measurement


@pytest.mark.parametrize(
    ("score", "decision", "following"), [(3.5, "inconclusive", "add_sample"), (2.5, "revert", "none")]
)
def test_first_cases(score: float, decision: str, following: str) -> None:
    found = select(every(score, cases=CASES[:4]))
    assert says(found) == ("exploratory", decision, following)
    assert found.tau is None


@pytest.mark.parametrize(
    ("score", "sweeps", "decision", "following"),
    [
        (5.0, 1, "promising", "confirm"),
        (3.4, 1, "inconclusive", "add_sample"),
        (3.3, 2, "inconclusive", "add_sample"),
        (3.3, 3, "inconclusive", "none"),
        (3.1, 1, "revert", "none"),
        (3.0, 1, "revert", "none"),
        (2.0, 1, "revert", "none"),
    ],
)
def test_full_sweeps(score: float, sweeps: int, decision: str, following: str) -> None:
    assert says(select(every(score, sweeps))) == ("add_sample", decision, following)


def test_only_the_first_full_sweep_enters_the_pool() -> None:
    mixed = {case: [5.0 if case in "abc" else 3.0] for case in CASES}
    first = select(mixed)
    assert first.tau == pytest.approx((7.5, 7, 7 * 1.25))
    assert first.tau2 == NOISE.with_sweep(first.tau).tau2(4)  # type: ignore[arg-type]
    second = select({case: scores * 2 for case, scores in mixed.items()})
    assert second.tau is None
    assert second.tau2 == NOISE.tau2(4)


def test_four_cases_or_fewer_skip_the_exploratory_step() -> None:
    few = CASES[:4]
    found = decide_selection(REFERENCE, every(5.0, cases=few), NOISE, JUDGED, cases=few, total_cases=9)
    assert says(found) == ("add_sample", "promising", "confirm")
    assert found.tentative


@pytest.mark.parametrize(("total", "tentative"), [(5, True), (10, True), (11, False)])
def test_keep_on_few_cases_is_tentative(total: int, tentative: bool) -> None:
    assert look(every(5.0, 4), total=total).tentative is tentative


def test_fewer_than_five_cases_decide_nothing() -> None:
    assert says(select(every(5.0), total=4)) == ("add_sample", "inconclusive", "none")
    found = look(every(5.0, 4), total=4)
    assert (found.decision, found.reason) == ("inconclusive", TOO_FEW_CASES)


def test_lost_cases_are_measured_again_not_judged() -> None:
    lost = {**every(5.0), "a": [], "b": []}
    found = select(lost)
    assert says(found) == ("add_sample", "error", "add_sample")
    assert found.lost == ("a", "b")
    assert says(select({**every(5.0), "a": []}))[1] == "promising"
    assert says(select({**every(5.0, cases=CASES[:4]), "a": []})) == ("exploratory", "error", "exploratory")
    assert says(look({**every(5.0, 4), "a": [], "b": []})) == ("holdout", "error", "holdout")


def test_nothing_measured_yet() -> None:
    found = select({})
    assert (found.decision, found.n, found.p) == ("error", 0, 1.0)


@pytest.mark.parametrize(
    ("score", "runs", "step", "decision", "following"),
    [
        (4.0, 2, "confirm", "promising", "holdout"),
        (3.1, 2, "confirm", "inconclusive", "none"),
        (2.0, 2, "confirm", "revert", "none"),
        (4.0, 4, "holdout", "keep", "none"),
        (3.1, 4, "holdout", "inconclusive", "none"),
        (2.0, 4, "holdout", "revert", "none"),
    ],
)
def test_held_out_steps(score: float, runs: int, step: str, decision: str, following: str) -> None:
    assert says(look(every(score, runs))) == (step, decision, following)


def test_bar_that_has_risen_refuses_what_the_first_look_keeps() -> None:
    candidate = every(3.4, 4)
    first, last = look(candidate), look(candidate, number=60)
    assert (first.decision, last.decision) == ("keep", "inconclusive")
    assert first.z == last.z


def test_deterministic_selection_is_one_sweep() -> None:
    setting = Setting(span=1, deterministic=True)
    reference = {case: [0.0] for case in CASES}
    candidate = {case: [float(case in "abc")] for case in CASES}
    found = decide_selection(reference, candidate, Noise(), setting, cases=CASES, total_cases=16)
    assert says(found) == ("add_sample", "promising", "confirm")
    assert found.signflip_p == 0.125
    weak = {case: [float(case == "a")] for case in CASES}
    assert says(decide_selection(reference, weak, Noise(), setting, cases=CASES, total_cases=16))[2] == "none"


@pytest.mark.parametrize(("fixed", "decision"), [("abc", "inconclusive"), ("abcd", "keep")])
def test_deterministic_keep_needs_the_exact_test(fixed: str, decision: str) -> None:
    reference = {case: [0.0] for case in CASES}
    candidate = {case: [float(case in fixed)] for case in CASES}
    setting = Setting(span=1, deterministic=True)
    found = decide_holdout(reference, candidate, Noise(), setting, cases=CASES, look=1, keeps=0, total_cases=16)
    assert says(found) == ("holdout", decision, "none")
    assert found.p < 0.10


def test_sign_pattern_is_shown_from_four_changed_cases_on() -> None:
    assert select({**every(3.0), **every(5.0, cases=CASES[:3])}).signflip_p is None
    assert select({**every(3.0), **every(5.0, cases=CASES[:4])}).signflip_p == 0.0625


rows = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=4)


@given(st.dictionaries(st.sampled_from(CASES), rows))
def test_identical_runs_are_never_kept(runs: dict[str, list[float]]) -> None:
    selection = decide_selection(runs, runs, NOISE, JUDGED, cases=CASES, total_cases=16)
    assert selection.decision in ("revert", "error")
    held_out = decide_holdout(runs, runs, NOISE, JUDGED, cases=CASES, look=1, keeps=0, total_cases=16)
    assert held_out.decision in ("inconclusive", "error")


@given(st.permutations(CASES), st.fixed_dictionaries(dict.fromkeys(CASES, rows)))
def test_order_of_cases_makes_no_difference(order: list[str], runs: dict[str, list[float]]) -> None:
    shuffled = {case: runs[case] for case in order}
    again = decide_selection(REFERENCE, shuffled, NOISE, JUDGED, cases=order, total_cases=16)
    assert again == select(runs)


@given(st.fixed_dictionaries(dict.fromkeys(CASES, rows)), st.integers(1, 40))
def test_caution_never_makes_a_keep_easier(runs: dict[str, list[float]], number: int) -> None:
    kept = [
        look(runs, Setting(span=4, caution=caution), number=number).decision == "keep"
        for caution in ("high", "normal", "low")
    ]
    assert kept == sorted(kept)
