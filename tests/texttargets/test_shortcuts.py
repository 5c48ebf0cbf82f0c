"""Thoughtless outputs against a scorer."""

from typing import Any

from pydantic import TypeAdapter

from schemas.checks import Check
from schemas.evalset import Case
from schemas.records import Probed
from texttargets.shortcuts import build_shortcuts, judge_shortcut, probe_scorer

CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def cases(*answers: str | None, **check: Any) -> list[Case]:
    made = CHECK.validate_python(check) if check else None
    return [Case(id=f"c{n}", input=f"question {n}", expected=answer, check=made) for n, answer in enumerate(answers)]


def by_name(probes: tuple[Probed, ...]) -> dict[str, Probed]:
    return {probe.probe: probe for probe in probes}


def test_shortcuts_are_built_from_the_set() -> None:
    empty, constant, copied, other = build_shortcuts(cases("a", "b", "b "))
    assert set(empty.outputs.values()) == {""}
    assert set(constant.outputs.values()) <= {"a", "b", "b "}
    assert copied.outputs["c1"] == "question 1"
    assert other.outputs == {"c0": "b", "c1": "a", "c2": "a"}


def test_a_sound_scorer_passes_every_probe() -> None:
    probes = by_name(probe_scorer(cases("a", "b", "c", "a"), None))
    assert {probe.status for probe in probes.values()} == {"passed"}
    assert (probes["constant output"].score, probes["constant output"].limit) == (0.5, 0.8)


def test_one_answer_that_is_nearly_always_right_fails_the_gate() -> None:
    probe = by_name(probe_scorer(cases("a", "a", "a", "a", "b"), None))["constant output"]
    assert probe.status == "failed"
    scored = "the same answer to every case scores 80% of what good answers do"
    assert probe.detail == f"{scored}; rewarded on c0, c1, c2, c3"


def test_a_check_that_accepts_nothing_or_the_input_is_caught() -> None:
    assert by_name(probe_scorer(cases(None, type="length", maximum=5), None))["empty output"].status == "failed"
    echo = by_name(probe_scorer(cases(None, None, type="contains", values=["question"]), None))
    assert [echo[name].status for name in ("empty output", "copied input")] == ["passed", "failed"]


def test_a_probe_without_material_is_not_run() -> None:
    probes = by_name(probe_scorer(cases(None, None, type="length", minimum=3), None))
    assert probes["answer of another case"].status == "not_run"
    assert probes["answer of another case"].score is None
    assert {probe.status for probe in probe_scorer(cases(None), None)} == {"not_run"}


def test_the_limit_follows_the_score_of_good_outputs() -> None:
    shortcut = build_shortcuts(cases("a", "b"))[0]
    assert judge_shortcut(shortcut, {"c0": 3.0, "c1": 2.6}, best=4.0).status == "passed"
    assert judge_shortcut(shortcut, {"c0": 3.4, "c1": 3.0}, best=4.0).status == "failed"
