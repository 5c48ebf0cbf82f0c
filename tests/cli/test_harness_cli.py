"""Checks that say nothing and cases that ask too little, by the real command in a real repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ceopt_process import Place, warm
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import CONTRACT, LABELS, PROMPT, TriageModel, git, make_project

RUN = ("run", "spec.yaml", "--unattended", "--json")
PLAIN = ("run", "spec.yaml", "--unattended")
DRAFTED = "The parcel came, the invoice did not: who is to be asked?"
FULL_TEXT = f"{PROMPT}\n{CONTRACT}: {', '.join(LABELS)}.\n".encode()
ANYTHING = "{type: regex, pattern: '.*'}"


class Model(TriageModel):
    """Also writes cases, when it is asked for cases."""

    def __call__(self, body: dict[str, Any]) -> Reply:
        if "You write test cases" in body["messages"][0]["content"]:
            return completion(json.dumps({"cases": [{"why": "both", "input": DRAFTED, "expected": "billing"}]}))
        return super().__call__(body)


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=Model()) as running:
        yield running


def with_cases(place: Place, *lines: str) -> str:
    """Adds cases to the eval set and commits it; gives the file as it was."""
    path = place.root / "evals" / "triage.yaml"
    before = path.read_text(encoding="utf-8")
    path.write_text(before + "".join(f"  - {{{line}}}\n" for line in lines), encoding="utf-8")
    git(place.root, "commit", "--quiet", "--all", "--message", "cases")
    return before


def unchecked(number: int, side: str) -> str:
    case = f"id: any{number}, input: 'Case {number}: hello {number * 7919}'"
    return f"{case}, split: {side}, check: {ANYTHING}"


def test_cases_whose_check_accepts_anything_leave_the_run_and_are_named(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    with_cases(place, unchecked(300, "selection"), unchecked(301, "holdout"))
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["outcome"]) == (0, "improved"), ended.err
    (examined,) = [event for event in ended.events if event["event"] == "harness_examined"]
    assert [one["case_id"] for one in examined["flagged"]] == ["any300", "any301"]
    runs = [event["case_id"] for event in ended.events if event["event"] == "case_run"]
    assert runs.count("any300") == 4 and "any301" not in runs
    left_out = "2 of 22 cases left out: their checks cannot tell outputs apart"
    assert left_out in warm().run(place, "status", "triage").out
    report = warm().run(place, "report", "triage").out
    assert left_out in report and "- any301 (held out): its check accepts whatever comes out: all" in report
    log: Any = yaml.safe_load(warm().run(place, "log", "triage").out)
    assert [one["case"] for one in log["harness_flagged"]] == ["any300", "any301"]


def test_too_few_cases_left_end_the_run_and_a_mended_check_begins_it_anew(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = make_project(tmp_path, endpoint.api_base, cases=8)
    path = place.root / "evals" / "triage.yaml"
    sound = path.read_text(encoding="utf-8")
    words = sound.splitlines(keepends=True)
    words[2:7] = [line.replace("}", f", check: {ANYTHING}}}") for line in words[2:7]]
    path.write_text("".join(words), encoding="utf-8")
    git(place.root, "commit", "--quiet", "--all", "--message", "broken checks")
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *PLAIN)
    assert ended.status == 0 and "finished: too few cases" in ended.out, ended.out + ended.err
    assert "3 cases left, needs at least 5: the checks of" in ended.err
    path.write_text(sound, encoding="utf-8")
    git(place.root, "commit", "--quiet", "--all", "--message", "mended")
    warm().run(place, "approve", "spec.yaml")
    again = warm().run(place, *RUN)
    assert again.last["outcome"] != "too_few_cases", again.err
    (examined,) = [event for event in again.events if event["event"] == "harness_examined"]
    assert examined["flagged"] == []


def test_a_text_that_passes_everything_is_told_what_to_add(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base, prompt=FULL_TEXT)
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *PLAIN)
    assert ended.status == 0 and "already at the maximum; add harder cases" in ended.err
    told = [line for line in ended.err.splitlines() if line.startswith("harder case to add: ")]
    assert any("ask nearly alike" in line or "Write a case" in line for line in told)
    report = warm().run(place, "report", "triage").out
    assert "## Harder cases to add" in report and "written by a model" not in report


def test_a_model_drafts_cases_that_are_marked_and_added_to_nothing(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base, prompt=FULL_TEXT, proposer="llm")
    place.environ["CEOPT_MODEL_STRONG"] = "openai/gpt-4o"
    evalset = (place.root / "evals" / "triage.yaml").read_bytes()
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["outcome"]) == (0, "no_headroom"), ended.err
    assert [body["model"] for body in endpoint.bodies].count("gpt-4o") == 1
    report = warm().run(place, "report", "triage").out
    assert "By openai/gpt-4o: written by a model, not confirmed by anyone" in report and DRAFTED in report
    assert (place.root / "evals" / "triage.yaml").read_bytes() == evalset
    (call,) = [body for body in endpoint.bodies if body["model"] == "gpt-4o"]
    sent = json.dumps(call["messages"])
    (frozen,) = [event for event in ended.events if event["event"] == "split_frozen"]
    asked: Any = yaml.safe_load(evalset.decode())
    inputs = {case["id"]: case["input"] for case in asked["cases"]}
    assert not any(inputs[case] in sent for case in frozen["holdout"])
    assert sum(inputs[case] in sent for case in frozen["selection"]) > 4


def test_evalset_check_says_the_same_before_anything_is_paid(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    with_cases(place, unchecked(300, "selection"))
    ended = warm().run(place, "evalset", "check", "evals/triage.yaml")
    told = " ".join(ended.out.split())
    assert ended.status == 0
    assert "warning: any300: its check accepts whatever comes out" in told and "a run leaves the case out" in told
    assert endpoint.posts == 0
