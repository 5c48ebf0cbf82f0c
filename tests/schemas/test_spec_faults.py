"""Whatever stands in a spec or an eval set, it is either read or refused with problems a person can find."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ceopt_tui.errors import InputError, Problem
from schemas.evalset import EvalSet
from schemas.loading import load_evalset, load_spec, parse, parse_spec
from schemas.scalars import Plain
from schemas.yaml_dump import dump

DATA = Path(__file__).parents[1] / "data" / "schemas"
SPECS = [load_spec(DATA / f"{name}.yaml").document.data for name in ("smallest", "hard_code", "judged_code")]
CASES = load_evalset(DATA / "triage.yaml").document.data

WORDS = st.sampled_from(
    ["", "a", "null", "5", "-1", "1e9", "true", "judge", "chat", "evidence", "..", "/x", ".git", "=> 1"]
)
SCALARS = WORDS | WORDS.map(Plain) | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(["type", "name", "file", "files", "kind", "judge", "model", "checks", "x"])
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


def places(data: Any) -> list[list[str | int]]:
    """Every path of nested data."""
    children: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        children = list(data.items())
    elif isinstance(data, list):
        children = list(enumerate(data))
    return [[key, *rest] for key, value in children for rest in ([], *places(value))]


def refused(reading: Callable[[], object]) -> list[Problem] | None:
    try:
        reading()
    except InputError as error:
        return error.problems
    return None


def put(data: Any, path: list[str | int], value: Any) -> Any:
    changed = copy.deepcopy(data)
    here = changed
    for part in path[:-1]:
        here = here[part]
    here[path[-1]] = value
    return changed


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_spec_is_read_or_refused(data: st.DataObject) -> None:
    spec = data.draw(st.sampled_from(SPECS))
    for _ in range(data.draw(st.integers(1, 3))):
        spec = put(spec, data.draw(st.sampled_from(places(spec))), data.draw(ANYTHING))
    problems = refused(lambda: parse_spec(spec))
    assert problems is None or (problems and all(problem.message for problem in problems))


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_damaged_eval_set_is_read_or_refused_with_lines(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(CASES)))
    value = data.draw(
        ANYTHING.filter(lambda value: value == value and "inf" not in str(value) and "nan" not in str(value))
    )
    try:
        text = dump(put(CASES, path, value))
    except ValueError:
        return
    problems = refused(lambda: parse(EvalSet, text.encode(), "f"))
    assert problems is None or (problems and all(problem.line > 0 for problem in problems))
