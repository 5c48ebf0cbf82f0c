"""`comparison.method: evidence` through the payload: from nothing measured to a keep, and what stops one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from payloads import Json, evidence_spec, payload, runs, spec

from ceopt_tui.core.decide import decide

REFERENCE = [[3.0, 3.0, 2.0, 4.0]] * 8
POOL = {"sigma": {"ss": 60.0, "df": 100}, "tau": {"ss": 0, "df": 0, "c": 0}, "looks": 1, "keeps": 0}


def every(score: float, count: int = 1, cases: int = 8) -> list[list[float]]:
    return [[score] * count] * cases


def ask(
    candidate: list[list[float]], held_out: list[list[float]] | None = None, the_spec: Json | None = None, **more: Any
) -> Json:
    """The verdict on selection runs and, once there are any, held-out runs, as JSON would carry it."""
    asked = payload(runs("s", REFERENCE), runs("s", candidate), the_spec or evidence_spec(), evidence=POOL)
    if held_out is not None:
        asked["holdout"] = {"baseline": runs("h", REFERENCE), "candidate": runs("h", held_out)}
    asked.update(more)
    found: Json = json.loads(json.dumps(decide(asked), allow_nan=False))
    return found


def says(found: Json) -> tuple[str, str]:
    return found["decision"], found["next_measurement"]


def test_from_nothing_to_a_keep() -> None:
    assert says(ask([])) == ("inconclusive", "exploratory")
    assert says(ask(every(4.0, cases=4))) == ("inconclusive", "add_sample")
    promising = ask(every(4.0))
    assert says(promising) == ("promising", "confirm")
    assert (promising["eligible"], promising["improved_objectives"]) == (True, ["score"])
    assert says(ask(every(4.0), [])) == ("promising", "confirm")
    assert says(ask(every(4.0), every(4.0, 2))) == ("promising", "holdout")
    kept = ask(every(4.0), every(4.0, 4))
    assert says(kept) == ("keep", "none")
    assert (kept["eligible"], kept["primary_delta"], kept["rank_score"]) == (True, 1.0, pytest.approx(1 / 3))
    assert (kept["holdout"]["step"], kept["holdout"]["level"], kept["broken"]) == ("holdout", 0.1, [])
    assert "tentative" not in kept["reason"]


def test_a_second_sweep_adds_nothing_to_the_pool_of_the_look() -> None:
    once, twice = ask(every(4.0), every(4.0, 4)), ask(every(4.0, 2), every(4.0, 4))
    assert says(once) == says(twice) == ("keep", "none")
    assert once["evidence"]["tau"] is not None and twice["evidence"]["tau"] is None
    # The first candidate's own sweep, as even as can be, makes its look a little surer.
    assert once["holdout"]["tau2"] < twice["holdout"]["tau2"]


def test_few_selection_cases_skip_the_first_step() -> None:
    asked = payload(runs("s", REFERENCE[:4]), runs("s", []), evidence_spec())
    assert says(decide(asked)) == ("inconclusive", "add_sample")


@pytest.mark.parametrize(
    ("held_out", "decision"), [(every(3.1, 4), "inconclusive"), (every(2.0, 4), "revert"), (every(2.0, 2), "revert")]
)
def test_held_out_cases_decide(held_out: list[list[float]], decision: str) -> None:
    found = ask(every(4.0), held_out)
    assert (*says(found), found["eligible"]) == (decision, "none", False)


def test_lost_held_out_cases_are_measured_again() -> None:
    assert says(ask(every(4.0), [*every(4.0, 4, 6), [], []])) == ("error", "holdout")


def test_lost_selection_cases_claim_nothing() -> None:
    found = ask([*every(4.0, cases=6), [], []])
    assert says(found) == ("error", "add_sample")
    assert (found["improved_objectives"], found["primary_delta"], found["rank_score"]) == ([], None, 0)


def test_losing_on_selection_never_reads_the_held_out_pair() -> None:
    found = ask(every(2.0), every(5.0, 4))
    assert says(found) == ("revert", "none")
    assert "holdout" not in found
    assert found["comparisons"]["score"]["verdict"] == "regressed"


def test_later_looks_ask_for_more() -> None:
    candidate = every(3.4, 4)
    selection = every(3.6)
    assert says(ask(selection, candidate))[0] == "keep"
    assert says(ask(selection, candidate, evidence={**POOL, "looks": 60}))[0] == "inconclusive"
    counted = {"sigma": POOL["sigma"], "holdout_looks": [{"look": number} for number in range(60)]}
    assert says(ask(selection, candidate, evidence=counted))[0] == "inconclusive"
    assert says(ask(selection, candidate, evidence={**POOL, "looks": 60, "keeps": 30}))[0] == "keep"


def test_without_a_pool_the_payloads_own_repeats_are_the_noise() -> None:
    found = ask(every(4.0), evidence=None)
    assert found["evidence"]["sigma2"] == pytest.approx(2 / 3)
    assert ask(every(4.0), every(4.0, 4), evidence=None)["holdout"]["sigma2"] == pytest.approx(32 / (24 + 24 + 24))


def test_keep_on_few_cases_says_so() -> None:
    asked = payload(runs("s", REFERENCE[:5]), runs("s", every(5.0, cases=5)), evidence_spec(), evidence=POOL)
    asked["holdout"] = {"baseline": runs("h", REFERENCE[:5]), "candidate": runs("h", every(5.0, 4, 5))}
    found = decide(asked)
    assert (found["decision"], "tentative" in found["reason"]) == ("keep", True)


def test_four_cases_keep_nothing() -> None:
    found = ask(every(5.0), every(5.0, 4), evidence={**POOL, "total_cases": 4})
    assert says(found) == ("inconclusive", "none")


def test_held_out_output_passes_the_same_gates() -> None:
    held_out = {"baseline": runs("h", REFERENCE), "candidate": {**runs("h", every(5.0, 2)), "gates": {"errors": 2}}}
    found = ask(every(4.0), holdout=held_out)
    assert (*says(found), found["holdout"]["verdict"]) == ("degenerate", "none", "degenerate")


def test_smoke_run_comes_first_where_there_is_one() -> None:
    smoke = evidence_spec(stability={"ladder": {"smoke_command": "x"}})
    assert says(ask([], the_spec=smoke)) == ("inconclusive", "smoke")
    assert says(ask(every(2.0), the_spec=smoke)) == ("revert", "none")
    passed = payload(runs("s", REFERENCE), {**runs("s", []), "smoke_passed": True}, smoke)
    assert says(decide(passed)) == ("inconclusive", "exploratory")


def test_broken_case_needs_a_person() -> None:
    reference = [[5.0] * 4, *REFERENCE[:7]]
    broken = [[3.0] * 4, *every(5.0, 4, 7)]
    pair = {"baseline": runs("h", reference), "candidate": runs("h", broken)}
    attended = ask(every(4.0), holdout=pair)
    assert (attended["decision"], attended["broken"]) == ("keep", ["h0"])
    alone = ask(every(4.0), holdout=pair, unattended=True)
    assert (*says(alone), alone["eligible"]) == ("inconclusive", "none", False)
    assert "h0" in alone["reason"]
    allowed = ask(every(4.0), holdout=pair, unattended=True, the_spec=evidence_spec(allow_broken=True))
    assert allowed["decision"] == "keep"


def test_changed_cases_of_both_sets_are_reported() -> None:
    before, after = {"cases": {"a": True}}, {"cases": {"a": False}}
    asked = payload({**runs("s", REFERENCE), **before}, {**runs("s", every(4.0)), **after}, evidence_spec())
    asked["holdout"] = {
        "baseline": {**runs("h", REFERENCE), **before},
        "candidate": {**runs("h", every(4.0, 4)), **after},
    }
    found = decide(asked)
    assert (found["regressions"], found["holdout"]["regressions"]) == (["a"], ["a"])


def test_lower_is_better_for_pass_fail() -> None:
    the_spec = spec(target={"files": ["p.md"]}, direction="minimize")
    reference = runs("s", [[1, 1, True, 1]] * 8)
    found = decide(payload(reference, runs("s", [[0]] * 8), the_spec))
    assert (found["decision"], found["primary_delta"]) == ("promising", 1.0)
    assert decide(payload(runs("s", [[0.0] * 4] * 8), runs("s", [[0]] * 8), the_spec))["rank_score"] == 0


def test_scale_and_pass_mark_of_the_judge() -> None:
    percent = evidence_spec(judge={"scale": "0-100", "pass_at": 80})
    assert says(ask(every(40.0), the_spec=percent)) == ("promising", "confirm")
    two_levels = evidence_spec(judge={"scale": "0-1"})
    assert ask(every(1.0), the_spec=two_levels)["decision"] == "error"


def test_near_duplicates_weigh_as_one() -> None:
    found = ask(every(4.0), evidence={**POOL, "groups": [["s0", "s1", "s2"]]})
    assert found["evidence"]["n"] == 6


def test_deterministic_payload_takes_single_runs() -> None:
    found = ask(every(4.0), every(4.0), evidence={**POOL, "deterministic": True})
    assert says(found) == ("keep", "none")


def test_target_needs_every_case_and_every_objective() -> None:
    tokens = [{"name": "tokens", "direction": "minimize", "target": 50}]
    the_spec = evidence_spec(objectives=tokens)
    the_spec["metric"]["primary"]["target"] = 4

    def reached(candidate: list[list[float]], length: int) -> bool:
        before = {**runs("s", REFERENCE), "metrics": {"tokens": 100}}
        after = {**runs("s", candidate), "metrics": {"tokens": length}}
        return bool(decide(payload(before, after, the_spec))["target_reached"])

    assert reached(every(4.0), 50)
    assert not reached(every(4.0), 51)
    assert not reached(every(3.9), 50)
    assert not reached(every(5.0, cases=4), 50)
    alone = evidence_spec()
    alone["metric"]["primary"]["target"] = 4
    assert ask(every(4.0), the_spec=alone)["target_reached"]
    assert not ask(every(4.0))["target_reached"]
