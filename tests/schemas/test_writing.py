"""Files that ceopt writes for people load again as what was written, and say no more than they must."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from schemas.checks import Check
from schemas.evalset import Case, EvalSet
from schemas.loading import load_evalset, load_spec
from schemas.writing import evalset_yaml, minimal_spec_yaml
from schemas.yaml_strict import load

ANY_CHECK: TypeAdapter[Check] = TypeAdapter(Check)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(lambda text: text.strip() != "")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
CHECKS: list[dict[str, Any]] = [
    {"type": "exact"},
    {"type": "contains", "values": ["a", " "], "ignore_case": True},
    {"type": "regex", "pattern": "^\\d{4}$"},
    {"type": "json_schema", "schema": {"type": "object", "required": ["a"]}},
    {"type": "number", "tolerance": 0.5},
    {"type": "length", "maximum": 3, "unit": "words"},
    {"type": "all", "checks": [{"type": "normalized"}, {"type": "none_of", "values": ["no"]}]},
]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    return Case(
        id=draw(WORD),
        input=draw(TEXT | st.dictionaries(TEXT, JSON, max_size=3)),
        expected=draw(st.none() | TEXT | st.dictionaries(TEXT, JSON, max_size=2)),
        observed=draw(st.none() | TEXT),
        tags=tuple(draw(st.lists(WORD, max_size=2))),
        check=draw(st.none() | st.sampled_from(CHECKS).map(ANY_CHECK.validate_python)),
        kind=draw(st.sampled_from(["failure", "guard"])),
        split=draw(st.sampled_from([None, "selection", "holdout"])),
    )


@given(st.lists(cases(), min_size=1, max_size=3), st.none() | st.sampled_from(CHECKS))
@settings(max_examples=40, deadline=None)
def test_every_eval_set_reads_back_as_itself(items: list[Case], check: dict[str, Any] | None) -> None:
    shared = ANY_CHECK.validate_python(check) if check else None
    evalset = EvalSet(name="any", check=shared, cases=tuple(items))
    assert EvalSet.model_validate(load(evalset_yaml(evalset), "f").data) == evalset


def test_a_written_eval_set_is_loaded_from_disk(tmp_path: Path) -> None:
    items = tuple(
        Case(id=str(place), input="x\ny\n", expected="1.10", check=ANY_CHECK.validate_python(check))
        for place, check in enumerate(CHECKS)
    )
    path = tmp_path / "e.yaml"
    path.write_text(evalset_yaml(EvalSet(name="x", cases=items)), encoding="utf-8")
    assert load_evalset(path).evalset.cases == items


def test_a_case_is_written_as_a_person_would() -> None:
    case = Case(id="a-1", input="Wo ist mein Paket?\nEs eilt.", expected="delivery", tags=("de",))
    assert evalset_yaml(EvalSet(name="triage", cases=(case,))) == (
        "name: triage\n"
        "cases:\n"
        "  - id: a-1\n"
        "    input: |-\n"
        "      Wo ist mein Paket?\n"
        "      Es eilt.\n"
        "    expected: delivery\n"
        "    tags: [de]\n"
    )


def test_a_first_spec_is_small_serial_and_capped(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    text = minimal_spec_yaml(
        "support-triage",
        "Route a message: to the right queue",
        {"files": ["prompts/triage.md"]},
        {"file": "evals/triage.yaml"},
        sections={"runner": {"model": "local/small"}},
    )
    path.write_text(text, encoding="utf-8")
    spec = load_spec(path).spec
    assert spec.description == "Route a message: to the right queue"
    assert spec.runner.model == "local/small"
    assert spec.execution.mode == "serial"
    assert (spec.stopping.max_iterations, spec.stopping.max_hours, spec.user_cost_cap_usd) == (4, 1, 5)
    assert text.startswith("# ")
    assert "degenerate_gates" not in text
    assert "max_concurrent" not in text, "a key without effect"


def test_a_first_judged_spec_samples_little(tmp_path: Path) -> None:
    metric = {
        "primary": {"type": "judge", "name": "score", "direction": "maximize"},
        "judge": {"rubric": "5: good\n1: bad\n", "scoring": {"primary": "score"}, "batch_size": 2},
    }
    path = tmp_path / "spec.yaml"
    path.write_text(minimal_spec_yaml("x", "y", {"files": ["a.md"]}, {"file": "e.yaml"}, metric=metric))
    judge = load_spec(path).spec.metric.judge
    assert judge is not None
    assert (judge.sample_size, judge.batch_size, judge.max_total_cost_usd) == (10, 2, 5)


@pytest.mark.parametrize("name", ["no", "1e3", "007"])
def test_names_that_look_like_other_values_stay_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(minimal_spec_yaml(name, name, {"files": [name]}, {"file": name + ".yaml"}))
    spec = load_spec(path).spec
    assert (spec.name, spec.description, spec.scope.mutable) == (name, name, (name,))
