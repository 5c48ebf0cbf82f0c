"""Payloads that cannot be decided: a verdict with a reason, never an exception and never a guess."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from payloads import evidence_spec, payload, runs, snapshot, spec

from ceopt_tui.core.decide import decide, decide_json

MISSING = object()


def changed(path: str, value: Any, original: dict[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(original)
    *parents, last = path.split(".")
    place: Any = found
    for key in parents:
        place = place.setdefault(key, {})
    if value is MISSING:
        place.pop(last, None)
    else:
        place[last] = value
    return found


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("spec", MISSING, "no spec"),
        ("spec", 3, "spec"),
        ("baseline", MISSING, "baseline"),
        ("candidate", None, "candidate"),
        ("candidate", [], "candidate"),
        ("spec.metric.primary.name", MISSING, "metric.primary.name"),
        ("spec.metric.primary.direction", "up", "maximize, minimize"),
        ("spec.metric.primary.type", MISSING, "hard, judge"),
        ("spec.metric.primary.target", "soon", "target"),
        ("spec.metric.degenerate_gates", {"errors": 0}, "degenerate_gates"),
        ("spec.metric.degenerate_gates", ["errors"], "degenerate_gates"),
        ("spec.metric.degenerate_gates", [{"name": "errors", "check": "about 0"}], "errors"),
        ("spec.metric.degenerate_gates", [{"name": "errors", "check": "== none"}], "errors"),
        ("spec.metric.objectives", ["cost"], "objectives"),
        ("spec.metric.objectives", [{"name": "c", "direction": "minimize", "role": "some"}], "role"),
        (
            "spec.metric.objectives",
            [{"name": "c", "direction": "minimize", "max_regression": {"type": "relative"}}],
            "value",
        ),
        ("spec.measurement.stability.mode", "often", "mode"),
        ("spec.measurement.stability.aggregation", 3, "aggregation"),
        ("spec.measurement.stability.noise_threshold", -1, "noise_threshold"),
        ("spec.measurement.stability.comparison.method", "magic", "method"),
        ("spec.measurement.stability.ladder.futility", {"worse_factor": 1}, "worse_factor"),
        ("candidate.smoke_passed", "yes", "smoke_passed"),
        ("candidate.gates", [1], "gates"),
        ("candidate.metrics.score", MISSING, "score"),
        ("candidate.metrics.score", None, "score"),
        ("candidate.metrics.score", "fast", "score"),
        ("candidate.metrics.score", True, "score"),
        ("candidate.metrics.score", float("nan"), "score"),
        ("candidate.metrics.score", 10**400, "score"),
        ("candidate.metrics.score", "9" * 500, "score"),
        ("candidate.metrics.score", {"samples": 3}, "score"),
        ("candidate.metrics.score", {"samples": [1, None]}, "score"),
        ("candidate.metrics.score", {"samples": [], "aggregate": None}, "score"),
        ("candidate.metrics.score", 1.7e308, "too large"),
    ],
)
def test_what_is_wrong_is_named(path: str, value: Any, said: str) -> None:
    found = decide(changed(path, value, payload(-1.7e308 if said == "too large" else 1.0, 2.0)))
    assert (found["decision"], found["next_measurement"], found["eligible"]) == ("error", "none", False)
    assert said in found["reason"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("baseline.runs", MISSING, "baseline has no runs"),
        ("baseline.runs", {"s0": [], "s1": []}, "no score"),
        ("candidate.runs", MISSING, "candidate has no runs"),
        ("candidate.runs.s0", 4, "not a list"),
        ("candidate.runs.s0", [6], "off the scale"),
        ("spec.metric.judge.scale", "low to high", "scale"),
        ("spec.metric.judge.scale", "5-1", "scale"),
        ("spec.caution", "none", "caution"),
        ("claims", "cost", "claims"),
        ("evidence.looks", -1, "looks"),
        ("evidence.groups", ["s0"], "groups"),
        ("evidence.holdout_looks", 3, "holdout_looks"),
    ],
)
def test_what_is_wrong_with_evidence_is_named(path: str, value: Any, said: str) -> None:
    scored = [[3.0, 3.0]] * 6
    found = decide(changed(path, value, payload(runs("s", scored), runs("s", scored), evidence_spec())))
    assert found["decision"] == "error"
    assert said in found["reason"]


def test_missing_other_objective_is_an_error_by_evidence_too() -> None:
    the_spec = evidence_spec(objectives=[{"name": "tokens", "direction": "minimize"}])
    found = decide(payload(runs("s", [[3.0]] * 6), runs("s", [[4.0]] * 6), the_spec))
    assert (found["decision"], "tokens" in found["reason"]) == ("error", True)


@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 100_000, "[]", "null", '"spec"', "1e999"])
def test_text_that_is_no_payload(text: str) -> None:
    found = json.loads(decide_json(text))
    assert found["decision"] == "error"
    assert found["reason"]


def test_decide_json_is_one_line_of_strict_json() -> None:
    answer = decide_json(json.dumps(payload(1.0, 2.0)))
    assert "\n" not in answer
    assert json.loads(answer)["decision"] == "keep"


@pytest.mark.parametrize(
    ("check", "value", "holds"),
    [
        (">= 0.9", 0.9, True), (">= 0.9", 0.8, False), ("<=1", 1, True), ("<=1", 1.1, False), ("== 1", 1, True),
        ("== 1", 0, False), ("!= 0", 1, True), ("!= 0", 0, False), ("> -1e-3", 0, True), ("> 0", 0, False),
        ("<.5", 0.4, True), ("<.5", 0.5, False),
    ],
)  # fmt: skip
def test_gates_compare(check: str, value: float, holds: bool) -> None:
    candidate = {**snapshot({"samples": [2.5, 2.5]}), "gates": {"g": value}}
    verdict = decide(payload("1", candidate, spec(gates=[{"name": "g", "check": check}])))
    assert verdict["decision"] == ("keep" if holds else "degenerate")


def test_numbers_may_be_text_and_booleans_count_in_gates() -> None:
    gates = [{"name": "g", "check": "== 1"}, {"name": "h", "check": ">= 0.5"}]
    candidate = {**snapshot({"samples": [" 2.5 ", "25e-1"]}), "gates": {"g": True, "h": "0.5"}}
    assert decide(payload("1", candidate, spec(gates=gates)))["decision"] == "keep"
