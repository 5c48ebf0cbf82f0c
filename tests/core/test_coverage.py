"""What the removal of a rule is worth: golden verdicts, and the noise that they rest on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.coverage import RuleEffect, bar, bar_of_doubt, case_variances, rule_effects, touchy_cases
from ceopt_tui.core.statistics import normal_cdf

TEN = [f"c{number}" for number in range(10)]
WHOLE = {case: [1.0] if case < "c5" else [0.0] for case in TEN}  # five pass, five fail


def without(**changed: float) -> dict[str, list[float]]:
    return {case: [changed.get(case, WHOLE[case][0])] for case in TEN}


def effect(runs: dict[str, list[float]], **settings: object) -> RuleEffect:
    return rule_effects(WHOLE, {"rule": runs}, cases=TEN, span=1, **settings)["rule"]  # type: ignore[arg-type]


def test_the_bar_leaves_a_whole_rule_five_percent() -> None:
    assert bar(10) == pytest.approx(2.6086, abs=1e-4)
    assert bar(1) == pytest.approx(1.96, abs=1e-3)
    assert 11 * (1 - normal_cdf(bar(10))) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("changed", "status", "why"),
    [
        ({}, "uncovered", "no case moves without it"),
        ({"c0": 0.0}, "covered", "1 case lost without it"),
        ({"c0": 0.0, "c1": 0.0}, "covered", "2 cases lost without it"),
        ({"c7": 1.0}, "harmful", "1 case won without it"),
        ({"c0": 0.0, "c7": 1.0}, "contradicted", "1 case lost without it, 1 case won without it"),
    ],
)
def test_a_repeating_runner_needs_one_case(changed: dict[str, float], status: str, why: str) -> None:
    found = effect(without(**changed))
    assert (found.status, found.why) == (status, why)
    assert {case for case, seen in found.cases.items() if seen.effect != "same"} == set(changed)


def test_the_numbers_of_one_lost_case() -> None:
    found = effect(without(c0=0.0))
    assert found.cases["c0"].z == pytest.approx(-10)  # −1 over the prior's tenth of the scale
    assert found.mean == pytest.approx(-0.1)
    assert found.z == pytest.approx(-1.0)  # the spread of −1 and nine zeros is √0.1, over √10


def test_a_metric_to_minimise_turns_the_signs() -> None:
    assert effect(without(c0=0.0), maximize=False).status == "harmful"
    assert effect(without(c7=1.0), maximize=False).status == "covered"


def test_an_unsteady_case_must_move_further_than_it_moves_by_itself() -> None:
    whole = {"steady": [1.0] * 4, "unsteady": [1.0, 0.0, 1.0, 1.0]}
    other = {"steady": [1.0] * 4, "unsteady": [0.0, 1.0, 1.0, 0.0]}
    moved = {"steady": [0.0, 0.0, 1.0, 0.0], "unsteady": [0.0, 0.0, 1.0, 0.0]}
    found = rule_effects(whole, {"other": other, "moved": moved}, cases=["steady", "unsteady"], span=1)
    assert found["other"].status == "uncovered"
    effects = {case: seen.effect for case, seen in found["moved"].cases.items()}
    assert effects == {"steady": "loses", "unsteady": "same"}


def test_the_variance_of_a_case_is_pooled_over_texts_and_shrunk() -> None:
    texts = [{"a": [0.0, 1.0], "b": [1.0, 1.0]}, {"a": [1.0, 1.0], "b": [1.0]}]
    variances = case_variances(texts, ["a", "b", "c"])
    pooled = 0.5 / 3  # one half of a square over three degrees of freedom
    assert variances["a"] == pytest.approx((0.5 + 4 * pooled) / (2 + 4))
    assert variances["b"] == pytest.approx((0.0 + 4 * pooled) / (1 + 4))
    assert variances["c"] == pytest.approx(pooled)


def test_many_small_losses_count_together() -> None:
    whole = {case: [4.0] * 4 for case in TEN}
    less = {case: [3.5, 3.5, 4.0, 3.0] for case in TEN}
    more = {case: [4.5, 4.5, 4.0, 5.0] for case in TEN}
    found = rule_effects(whole, {"less": less, "more": more}, cases=TEN, span=4)
    assert not any(seen.effect == "loses" for seen in found["less"].cases.values())
    assert (found["less"].status, found["less"].why) == ("covered", "the cases together do worse without it")
    assert (found["more"].status, found["more"].why) == ("harmful", "the cases together do better without it")
    squared = 0.16 + 1 / 9 * (1 / 4 + 1 / 4)  # the prior's (4 / 10)²; one square over nine degrees of freedom a case
    assert found["less"].z == pytest.approx(-0.5 / math.sqrt(squared / 10))


def test_lost_cases_are_named_and_too_many_decide_nothing() -> None:
    runs = without(c0=0.0)
    del runs["c8"]
    runs["c9"] = []
    found = effect(runs)
    assert (found.status, found.lost) == ("covered", ("c8", "c9"))
    del runs["c7"]
    found = effect(runs)
    assert (found.status, found.why) == ("unmeasured", "3 of 10 cases without a score")
    assert (found.mean, dict(found.cases)) == (None, {})
    assert effect({}).status == "unmeasured"
    assert effect(runs, max_lost=0.3).status == "covered"


def test_a_case_without_a_score_leaves_open_whether_it_is_what_the_rule_is_for() -> None:
    for changed in ({}, {"c7": 1.0}):  # else uncovered, or harmful
        runs = without(**changed)
        del runs["c0"], runs["c1"]  # a fifth, which is not yet too many
        found = effect(runs)
        assert (found.status, found.lost) == ("unclear", ("c0", "c1"))
        assert found.why == "no case is lost without it but those without a score: 2 cases"


TWENTY = [f"n{number:02d}" for number in range(20)]


def unsteady(**dips: int) -> dict[str, list[float]]:
    """Twenty cases that pass eight of ten runs, but for those named: so many fewer."""
    return {case: [float(run < 8 - dips.get(case, 0)) for run in range(10)] for case in TWENTY}


def of_dips(**dips: int) -> RuleEffect:
    return rule_effects(unsteady(), {"rule": unsteady(**dips)}, cases=TWENTY, span=1)["rule"]


def test_a_dip_short_of_the_bar_is_a_doubt_and_a_clear_one_a_guard() -> None:
    assert bar_of_doubt(20) == pytest.approx(2.2602, abs=1e-4)
    shallow, deep, clear = of_dips(n03=1), of_dips(n03=6), of_dips(n03=8)
    assert [found.status for found in (shallow, deep, clear)] == ["uncovered", "unclear", "covered"]
    assert -bar(20) < deep.cases["n03"].z < -bar_of_doubt(20)
    assert deep.why.startswith("1 case may be lost without it: too unsteady to tell")


def test_what_wins_while_a_case_dips_is_not_called_harmful() -> None:
    whole = {**unsteady(), "won": [0.0] * 10}
    gone = {**unsteady(n03=6), "won": [1.0] * 10}
    found = rule_effects(whole, {"rule": gone}, cases=[*TWENTY, "won"], span=1)["rule"]
    assert found.cases["won"].effect == "wins" and found.status == "unclear"


def test_the_deepest_dips_are_worth_more_runs_unless_the_rule_is_guarded() -> None:
    assert of_dips(n01=4, n02=6, n05=4, n07=4, n09=1).worth_more_runs == ("n02", "n01", "n05")
    assert of_dips(n03=8, n05=4).worth_more_runs == ()
    assert of_dips().worth_more_runs == ()


def test_cases_that_a_blank_line_moves_count_for_no_rule() -> None:
    whole = {"a": [1.0, 1.0, 1.0], "b": [1.0, 0.0, 1.0]}
    gone = {"a": [1.0], "b": [0.0, 0.0, 0.0]}
    found = rule_effects(whole, {"rule": gone}, cases=["a", "b"], span=1, neutral_copies=True)["rule"]
    assert found.cases["b"].effect == "touchy"
    assert (found.status, found.mean) == ("uncovered", 0.0)
    every = rule_effects({"b": whole["b"]}, {"rule": gone}, cases=["b"], span=1, neutral_copies=True)["rule"]
    assert (every.status, every.why) == ("unmeasured", "a blank line moves every case")
    assert every.cases["b"].effect == "touchy"


def test_a_case_is_touchy_when_a_third_of_its_texts_disagree() -> None:
    steady, moving = {"a": [1.0, 1.0]}, {"a": [1.0, 0.0]}
    assert touchy_cases([steady, steady, moving], "a") == {"a"}
    assert touchy_cases([steady, steady, steady, moving], "a") == frozenset()
    assert touchy_cases([steady, {"a": [1.0]}, {}], "ab") == frozenset()


RUNS = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=4)


@given(st.dictionaries(st.sampled_from(TEN), RUNS, min_size=1), st.dictionaries(st.sampled_from(TEN), RUNS))
def test_losing_and_winning_mirror_each_other(whole: dict[str, list[float]], gone: dict[str, list[float]]) -> None:
    one = rule_effects(whole, {"rule": gone}, cases=TEN, span=1)["rule"]
    other = rule_effects(whole, {"rule": gone}, cases=TEN, span=1, maximize=False)["rule"]
    mirrored = {
        "covered": {"harmful", "unclear"},
        "harmful": {"covered"},
        "uncovered": {"uncovered", "unclear"},
        "unclear": {"covered", "uncovered", "unclear"},  # a dip is a doubt, a rise is none
    }
    assert other.status in mirrored.get(one.status, {one.status})
    assert {case: -seen.z for case, seen in one.cases.items()} == {case: seen.z for case, seen in other.cases.items()}
    assert set(one.cases).isdisjoint(one.lost)
    if one.status != "unmeasured":
        assert set(one.cases) | set(one.lost) == set(TEN)


def test_the_same_text_is_always_uncovered() -> None:
    found = rule_effects(WHOLE, {1: WHOLE, 2: WHOLE}, cases=TEN, span=1)
    assert [one.status for one in found.values()] == ["uncovered", "uncovered"]
