"""Decisions by fixed thresholds: what the goldens leave open, the held-out pair, and cases."""

from __future__ import annotations

from typing import Any

import pytest
from payloads import payload, snapshot, spec

from ceopt_tui.core.decide import decide

RELATIVE = {"comparison": {"method": "relative"}}


def with_holdout(before: Any, after: Any, held_before: Any, held_after: Any, the_spec: Any = None) -> dict[str, Any]:
    held_out = {"baseline": snapshot(held_before), "candidate": snapshot(held_after)}
    return decide(payload(before, after, the_spec, holdout=held_out))


def holdout_spec(**more: Any) -> dict[str, Any]:
    found = spec(**more)
    found["measurement"]["holdout"] = {"command": "h"}
    return found


def test_threshold_must_be_passed_not_met() -> None:
    stability = {"noise_threshold": 0.5}
    assert decide(payload(1.0, 1.5, spec(stability=stability)))["decision"] == "inconclusive"
    assert decide(payload(1.0, 1.75, spec(stability=stability)))["decision"] == "keep"


def test_comparison_threshold_goes_before_the_general_one() -> None:
    stability = {"noise_threshold": 0.01, "comparison": {"noise_threshold": 0.9}}
    assert decide(payload(1.0, 1.5, spec(stability=stability)))["decision"] == "inconclusive"


def test_declared_limit_takes_the_place_of_the_threshold() -> None:
    limited = [
        {"name": "cost", "direction": "minimize", "max_regression": {"type": "absolute", "value": 0.1}},
    ]
    the_spec = spec(stability={"noise_threshold": 0.5}, objectives=limited)
    before = snapshot(1.0, metrics={"cost": 1.0})
    found = decide(payload(before, snapshot(2.0, metrics={"cost": 1.2}), the_spec))
    assert (found["decision"], found["violated_objectives"]) == ("revert", ["cost"])
    assert found["comparisons"]["cost"]["verdict"] == "inconclusive"


def test_secondary_objective_never_decides() -> None:
    secondary = [{"name": "cost", "direction": "minimize", "role": "secondary"}]
    before, after = snapshot(1.0, metrics={"cost": 1.0}), snapshot(2.0, metrics={"cost": 9.0})
    found = decide(payload(before, after, spec(objectives=secondary)))
    assert found["decision"] == "keep"
    assert list(found["comparisons"]) == ["score"]


def test_primary_is_required_even_when_listed_as_secondary() -> None:
    listed = [{"name": "score", "direction": "maximize", "role": "secondary", "target": 2.0}]
    found = decide(payload(1.0, 2.0, spec(objectives=listed)))
    assert (found["decision"], found["target_reached"]) == ("keep", True)


def test_repeated_objective_is_refused() -> None:
    twice = [{"name": "cost", "direction": "minimize"}] * 2
    assert decide(payload(1.0, 2.0, spec(objectives=twice)))["decision"] == "error"


@pytest.mark.parametrize(
    ("reference", "value", "decision"),
    [(1.0, 0.8, "censored"), (1.0, 0.9, "revert"), (-1.0, -1.5, "censored"), (-1.0, -1.1, "revert")],
)
def test_futility_by_factor(reference: float, value: float, decision: str) -> None:
    stability = {"mode": "ladder", "ladder": {"futility": {"worse_factor": 1.2}}}
    assert decide(payload(reference, value, spec(stability=stability)))["decision"] == decision


def test_time_alone_stops_only_a_hopeless_candidate() -> None:
    ladder = {"futility": {"worse_factor": 9.0, "after_elapsed_seconds": 10}}
    objectives = [{"name": "cost", "direction": "minimize"}]
    the_spec = spec(stability={"mode": "ladder", "ladder": ladder}, objectives=objectives)
    before = snapshot(1.0, metrics={"cost": 1.0})
    late = {"elapsed_seconds": 11}
    hopeless = payload(before, snapshot(0.9, metrics={"cost": 2.0}, **late), the_spec)
    assert decide(hopeless)["decision"] == "censored"
    hopeful = payload(before, snapshot(0.9, metrics={"cost": 0.5}, **late), the_spec)
    assert decide(hopeful)["decision"] == "revert"
    early = payload(before, snapshot(0.9, metrics={"cost": 2.0}, elapsed_seconds=9), the_spec)
    assert decide(early)["decision"] == "revert"


def test_keep_waits_for_the_held_out_pair() -> None:
    found = decide(payload(1.0, 2.0, holdout_spec()))
    assert (found["decision"], found["next_measurement"], found["eligible"]) == ("promising", "holdout", True)
    half = decide(payload(1.0, 2.0, holdout_spec(), holdout={"baseline": snapshot(1.0)}))
    assert half["next_measurement"] == "holdout"


def test_judge_with_a_confirmation_seed_has_a_holdout() -> None:
    waiting = decide(payload(1.0, 2.0, spec(judge={"confirmation_seed": 7})))
    assert waiting["next_measurement"] == "holdout"
    assert decide(payload(1.0, 2.0, spec(judge={})))["decision"] == "keep"


@pytest.mark.parametrize(
    ("held_after", "decision", "word"),
    [
        (2.0, "keep", "confirmed"),
        (1.0, "inconclusive", "not_confirmed"),
        (0.5, "revert", "regressed"),
        (None, "error", "error"),
    ],
)
def test_held_out_pair_decides(held_after: Any, decision: str, word: str) -> None:
    found = with_holdout(1.0, 2.0, 1.0, held_after, holdout_spec())
    assert (found["decision"], found["next_measurement"]) == (decision, "none")
    assert found["eligible"] is (decision == "keep")
    assert found["holdout"]["verdict"] == word


def test_held_out_regression_within_its_limit_still_confirms_nothing() -> None:
    listed = [{"name": "score", "direction": "maximize", "max_regression": {"type": "absolute", "value": 1.0}}]
    found = with_holdout(1.0, 2.0, 1.0, 0.5, holdout_spec(objectives=listed))
    assert (found["decision"], found["holdout"]["verdict"]) == ("revert", "regressed")


def test_another_objectives_luck_confirms_nothing() -> None:
    objectives = [{"name": "cost", "direction": "minimize"}]
    before = snapshot(1.0, metrics={"cost": 1.0})
    held_out = {"baseline": before, "candidate": snapshot(1.0, metrics={"cost": 0.5})}
    after = snapshot(2.0, metrics={"cost": 1.0})
    found = decide(payload(before, after, holdout_spec(objectives=objectives), holdout=held_out))
    assert found["decision"] == "inconclusive"


def test_held_out_output_passes_the_same_gates() -> None:
    broken = {**snapshot(2.0), "gates": {"errors": 3}}
    held_out = {"baseline": snapshot(1.0), "candidate": broken}
    found = decide(payload(1.0, 2.0, holdout_spec(), holdout=held_out))
    assert (found["decision"], found["violated_objectives"]) == ("degenerate", ["errors"])
    assert found["eligible"] is False


def test_held_out_pair_counts_even_where_none_was_configured() -> None:
    assert with_holdout(1.0, 2.0, 1.0, 0.5)["decision"] == "revert"


def test_losing_candidate_never_asks_for_the_holdout() -> None:
    assert decide(payload(1.0, 0.5, holdout_spec()))["next_measurement"] == "none"


def test_cases_that_changed_are_always_reported() -> None:
    before = snapshot(1.0, cases={"a": True, "b": False, "c": {"passed": True, "score": 1}, "d": True, "e": "yes"})
    after = snapshot(2.0, cases={"a": False, "b": {"passed": True}, "c": {"passed": False}, "d": True, "e": True})
    found = decide(payload(before, after))
    assert (found["decision"], found["regressions"], found["fixed"]) == ("keep", ["a", "c"], ["b"])
    degenerate = decide(payload(before, {**after, "gates": {"errors": 1}}))
    assert (degenerate["decision"], degenerate["regressions"]) == ("degenerate", ["a", "c"])


def test_no_cases_no_lists() -> None:
    assert "regressions" not in decide(payload(snapshot(1.0, cases={"a": True}), 2.0))


def test_smallest_pair_must_clear_the_threshold() -> None:
    stability = {"comparison": {"method": "paired", "relative_threshold": 0.1}}
    before = {"samples": [1.0, 1.0]}
    assert decide(payload(before, {"samples": [2.0, 1.05]}, spec(stability=stability)))["decision"] == "inconclusive"
    assert decide(payload(before, {"samples": [2.0, 1.2]}, spec(stability=stability)))["decision"] == "keep"


def test_share_of_nothing_is_no_share() -> None:
    found = decide(payload(0, 5, spec(stability=RELATIVE)))
    assert (found["decision"], found["rank_score"], found["primary_delta"]) == ("inconclusive", 0, 5)
