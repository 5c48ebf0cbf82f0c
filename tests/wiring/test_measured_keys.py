"""Every key of a spec: does a change of it leave the logged measurements what they are, or not?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from ceopt_tui.measured_keys import BY_CONTENT, FREE, FREE_OF_MODEL, measured_spec
from ceopt_tui.support import keys_without_effect
from schemas.spec import Spec

CHECKED: dict[str, Any] = {
    "name": "triage",
    "description": "Route a message",
    "target": {"files": ["prompt.md"]},
    "evalset": {"file": "evals.yaml"},
    "metric": {"primary": {"type": "hard", "name": "pass_rate", "direction": "maximize"}},
}
JUDGE = {"rubric": "rubric.md", "scoring": {"primary": "quality"}, "max_total_cost_usd": 2}
JUDGED = {
    **CHECKED,
    "metric": {"primary": {"type": "judge", "name": "quality", "direction": "maximize"}, "judge": JUDGE},
}


def spec(values: dict[str, Any], **changes: Any) -> Spec:
    return Spec.model_validate({**values, **changes})


def judged(**changes: Any) -> Spec:
    return spec(JUDGED, metric={**JUDGED["metric"], "judge": {**JUDGE, **changes}})


def same(before: Spec, after: Spec) -> bool:
    return measured_spec(before) == measured_spec(after)


FREELY = [
    {"description": "Route it well"},
    {"constraints": ["never guess"]},
    {"stopping": {"max_iterations": 9, "max_calls": 50, "max_total_cost_usd": 1, "plateau_iterations": 2}},
    {"proposer": {"kind": "mechanical", "edits": 2}},
    {"execution": {"mode": "serial"}},
    {"coverage": "off"},
    {"runner": {"timeout_s": 5, "retries": 0}},
    {"models": {"cheap": {"usd_per_mtok": {"in": 1, "out": 2}, "concurrency": 2}}},
    {"metric": {"primary": {**CHECKED["metric"]["primary"], "target": 0.9}}},
    {"metric": {"primary": {**CHECKED["metric"]["primary"], "baseline": 0.3}}},
    {"metric": {**CHECKED["metric"], "judge": JUDGE}},
    {"target": {"files": ["prompt.md"], "protect": ["Rules"], "max_tokens": 900, "max_growth": 2}},
    {"measurement": {"timeout_seconds": 5, "stability": {"mode": "repeat", "repeat_count": 3}}},
    {"caution": "normal", "runner": {"kind": "chat", "model": "cheap"}, "evalset": {"file": "evals.yaml", "seed": 7}},
]
BOUND = [
    {"target": {"files": ["other.md"]}},
    {"target": {"files": ["prompt.md"], "role": "user"}},
    {"target": {"files": ["prompt.md"], "syntax": "jinja"}},
    {"evalset": {"file": "other.yaml"}},
    {"evalset": {"file": "evals.yaml", "holdout": 0.3}},
    {"evalset": {"file": "evals.yaml", "seed": 8}},
    {"runner": {"model": "strong"}},
    {"runner": {"params": {"temperature": 1}}},
    {"runner": {"repeats": 3}},
    {"models": {"cheap": {"model": "openai/gpt-4o-mini"}}},
    {"models": {"cheap": {"api_base": "http://127.0.0.1:9/v1"}}},
    {"models": {"cheap": {"params": {"temperature": 1}}}},
    {"caution": "high"},
    {"allow_broken": True},
    {"max_unscored": 0.4},
    {"scope": {"mutable": ["prompt.md"], "immutable": ["checks.py"]}},
    {"metric": {"primary": {**CHECKED["metric"]["primary"], "name": "accuracy"}}},
]


@pytest.mark.parametrize("change", FREELY, ids=str)
def test_what_says_when_to_stop_or_who_has_ideas_is_free(change: dict[str, Any]) -> None:
    assert same(spec(CHECKED), spec(CHECKED, **change))


@pytest.mark.parametrize("change", BOUND, ids=str)
def test_what_a_score_comes_from_is_bound(change: dict[str, Any]) -> None:
    assert not same(spec(CHECKED), spec(CHECKED, **change))


@pytest.mark.parametrize(
    ("change", "free"),
    [
        ({"calibration": {"waived": "no person here"}}, True),
        ({"exemplars": {"good": ["a"], "bad": ["b"]}}, True),
        ({"max_total_cost_usd": 9}, True),
        ({"confirmation_seed": 3}, True),
        ({"minimum_improvement": 0.1}, True),
        ({"model": "strong"}, False),
        ({"batch_size": 2}, False),
        ({"sample_size": 4}, False),
        ({"scale": "0-1"}, False),
        ({"pass_at": 3}, False),
        ({"scoring": {"primary": "quality", "secondary": ["tone"]}}, False),
    ],
    ids=str,
)
def test_of_a_judge_price_and_who_checked_it_are_free(change: dict[str, Any], free: bool) -> None:
    assert same(judged(), judged(**change)) is free


def keys(model: type[BaseModel], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        place = (*above, field.alias or name)
        yield place
        for inner in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from keys(inner, place)


def test_every_key_that_is_named_is_one_of_the_spec() -> None:
    known = set(keys(Spec))
    named = {*FREE, *BY_CONTENT, *keys_without_effect(spec(CHECKED)), *keys_without_effect(spec(JUDGED))}
    assert named <= known, named - known
    assert {("models", "usd_per_mtok"), ("models", "concurrency")} == {("models", key) for key in FREE_OF_MODEL}
