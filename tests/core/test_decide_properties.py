"""What holds for every payload: total, repeatable, symmetric in direction, and never in favour of the same text."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from payloads import evidence_spec, payload, snapshot, spec

from ceopt_tui.core.decide import decide, decide_json

KEYS = [
    "spec", "baseline", "candidate", "holdout", "evidence", "claims", "metric", "primary", "name", "type", "direction",
    "target", "objectives", "role", "max_regression", "value", "degenerate_gates", "check", "judge", "scale",
    "minimum_improvement", "measurement", "stability", "mode", "aggregation", "comparison", "method", "ladder",
    "futility", "worse_factor", "after_elapsed_seconds", "gates", "metrics", "samples", "aggregate", "sample_count",
    "elapsed_seconds", "smoke_passed", "cases", "runs", "sigma", "tau", "ss", "df", "c", "looks", "keeps", "errors",
    "score",
]  # fmt: skip
WORDS = [
    "hard",
    "judge",
    "maximize",
    "minimize",
    "ladder",
    "repeat",
    "paired",
    "relative",
    "evidence",
    "== 0",
    "1e3",
    "NaN",
]

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS), st.text(max_size=6), st.just(10**400)
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=25,
)

DECISIONS = {"keep", "promising", "revert", "inconclusive", "censored", "degenerate", "error"}
NEXT = {"none", "smoke", "exploratory", "add_sample", "confirm", "holdout"}


def well_formed(found: dict[str, Any]) -> bool:
    assert found["decision"] in DECISIONS
    assert found["next_measurement"] in NEXT
    assert found["reason"]
    assert found["eligible"] is (found["decision"] in ("keep", "promising"))
    json.dumps(found, allow_nan=False)
    return True


@given(anything)
def test_any_json_gets_a_verdict(value: Any) -> None:
    assert well_formed(decide(value))


@given(st.text(max_size=40))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert json.loads(decide_json(text))["decision"] == "error"


LADDER = spec(stability={"mode": "ladder", "ladder": {"futility": {}}})
PAIRED = spec(stability={"comparison": {"method": "paired"}})
VALID = [
    payload({"samples": [1.0, 2.0]}, {"samples": [3.0, 3.0]}, LADDER),
    payload(1.0, 2.0, PAIRED, holdout={"baseline": snapshot(1), "candidate": snapshot(2)}),
    {
        **payload(
            {"gates": {"errors": 0}, "runs": {"a": [1, 2], "b": [3], "c": [2]}, "cases": {"a": True}},
            {"gates": {"errors": 0}, "runs": {"a": [2], "b": [4], "c": [5]}, "cases": {"a": False}},
            evidence_spec(),
        ),
        "evidence": {"sigma": {"ss": 1, "df": 3}, "tau": {"ss": 1, "df": 3, "c": 2.0}, "looks": 1, "keeps": 0},
        "holdout": {
            "baseline": {"runs": {"d": [2, 2], "e": [1, 2]}},
            "candidate": {"gates": {"errors": 0}, "runs": {"d": [4, 4], "e": [5, 5]}},
        },
    },
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, inner in items for found in places(inner, (*path, key)))]


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data(), st.sampled_from(VALID), anything)
def test_valid_payload_with_one_wrong_place_gets_a_verdict(data: st.DataObject, valid: Any, wrong: Any) -> None:
    found = copy.deepcopy(valid)
    *parents, last = data.draw(st.sampled_from(places(found)[1:]))
    place = found
    for key in parents:
        place = place[key]
    place[last] = wrong
    assert well_formed(decide(found))


numbers = st.floats(-100, 100).map(lambda value: round(value, 3))
samples = st.lists(numbers, min_size=1, max_size=5)
methods = st.sampled_from(["absolute", "relative", "paired"])
modes = st.sampled_from(["stable", "repeat", "ladder"])


@given(samples, samples, methods, modes)
def test_turned_scale_gives_the_same_answer(before: list[float], after: list[float], method: str, mode: str) -> None:
    stability = {"mode": mode, "comparison": {"method": method}, "aggregation": "mean"}
    up = decide(payload({"samples": before}, {"samples": after}, spec(stability=stability)))
    turned = [{"samples": [-value for value in row]} for row in (before, after)]
    down = decide(payload(*turned, spec(stability=stability, direction="minimize")))
    assert up == down


@given(samples, methods, modes)
def test_same_samples_are_never_kept(values: list[float], method: str, mode: str) -> None:
    stability = {"mode": mode, "comparison": {"method": method}}
    found = decide(payload({"samples": values}, {"samples": values}, spec(stability=stability)))
    assert found["decision"] == "inconclusive"


@given(samples, samples, st.floats(0, 2), st.floats(0, 2))
def test_higher_threshold_never_keeps_more(before: list[float], after: list[float], one: float, other: float) -> None:
    def kept(threshold: float) -> bool:
        the_spec = spec(stability={"noise_threshold": threshold})
        return bool(decide(payload({"samples": before}, {"samples": after}, the_spec))["decision"] == "keep")

    assert kept(min(one, other)) >= kept(max(one, other))


rows = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.integers(1, 5), max_size=4), min_size=1)


@given(rows, rows, st.integers(1, 50), st.integers(0, 5))
def test_evidence_on_any_runs(
    selection: dict[str, list[int]], held_out: dict[str, list[int]], looks: int, keeps: int
) -> None:
    def side(found: dict[str, list[int]]) -> dict[str, Any]:
        return {"gates": {"errors": 0}, "runs": found}

    reference = {case: [2, 3] for case in "abcdefgh"}
    asked = payload(side(reference), side(selection), evidence_spec(), evidence={"looks": looks, "keeps": keeps})
    asked["holdout"] = {"baseline": side(reference), "candidate": side(held_out)}
    found = decide(asked)
    assert well_formed(found)
    assert found == decide(json.loads(json.dumps(asked)))
