"""Every rule that ends a run, by the real command: its own word in the `stopped` event, a sentence, an exit status."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, label, make_project

RUN = ("run", "spec.yaml", "--unattended", "--json")
Answer = Callable[[str, int], str]


def helped(text: str, number: int) -> str:
    return TriageModel().answer(text, number)


def unmoved(text: str, number: int) -> str:
    """What the text says changes nothing: one case of three passes."""
    return label(number) if number % 3 == 0 else "no idea"


def blind(text: str, number: int) -> str:
    return "no idea"


def restless(text: str, number: int) -> str:
    """Every text passes other cases, none of them more."""
    draw = hashlib.sha256(f"{text}:{number // 2}".encode()).digest()[0]
    return label(number) if draw % 2 == number % 2 else "no idea"


def moody() -> Answer:
    """Never the same twice, whatever is asked."""
    calls = count()
    return lambda text, number: label(number) if next(calls) % 3 else "no idea"


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        yield running


def project(folder: Path, endpoint: StubEndpoint, answer: Answer, **spec: Any) -> Place:
    model = TriageModel()
    model.answer = answer  # type: ignore[method-assign]
    endpoint.respond = model
    place = make_project(folder, endpoint.api_base, **spec)
    warm().run(place, "approve", "spec.yaml")
    return place


def stop(ended: Ended) -> tuple[str, str]:
    (stopped,) = (event for event in ended.events if event["event"] == "stopped")
    return stopped["outcome"], stopped["reason"]


ROOM = "target_reached: false, max_iterations: 100, plateau_iterations: 100"
RULES = {
    "max_iterations": (unmoved, "max_iterations: 1", "no_improvement", "1 experiment: the limit is reached"),
    "max_hours": (unmoved, "max_hours: 0.000001", "no_improvement", "0.0 hours of work: the limit is reached"),
    "max_wall_hours": (
        unmoved, "max_wall_hours: 0.000001", "no_improvement", "0.0 hours by the calendar: the limit is reached"
    ),
    "plateau": (unmoved, "plateau_iterations: 2", "no_improvement", "2 experiments in a row without a keep: the limit"),
    "budget": (
        moody(), "max_calls: 125", "inconclusive", "the cap leaves no room for another experiment and the final report"
    ),
    "no_ideas": (restless, ROOM, "no_improvement", "the proposer has no further ideas for this text"),
    "saturated": (helped, "target_reached: false", "improved", "the text now passes every selection case"),
}  # fmt: skip


@pytest.mark.parametrize("word", RULES)
def test_a_rule_that_ends_the_loop_has_its_word(word: str, endpoint: StubEndpoint, tmp_path: Path) -> None:
    answer, stopping, outcome, reason = RULES[word]
    ended = warm().run(project(tmp_path, endpoint, answer, stopping=stopping), *RUN)
    assert stop(ended)[0] == word and reason in stop(ended)[1]
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (0, "finished", outcome), ended.err
    assert ended.last["reason"] == stop(ended)[1] and ended.last["pending_waits"] == []


def test_a_target_that_the_baseline_meets_costs_nothing_more(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint, unmoved)
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text("utf-8").replace("direction: maximize", "direction: maximize, target: 0.3"), "utf-8")
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN)
    assert stop(ended)[0] == "target_reached" and "meets the target 30%" in stop(ended)[1]
    assert (ended.status, ended.last["experiments"], endpoint.posts) == (0, 0, 40)


def test_a_harness_that_sees_no_change_is_a_stop_of_its_own(endpoint: StubEndpoint, tmp_path: Path) -> None:
    ended = warm().run(project(tmp_path, endpoint, blind, stopping=ROOM), *RUN)
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (3, "stopped", "no_movement")
    assert stop(ended)[0] == "no_movement" and "every case scores the same" in stop(ended)[1]
    assert ended.last["experiments"] == 2


def test_a_person_who_ends_it_gets_the_report(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint, unmoved, stopping=ROOM)
    assert warm().run(place, *RUN, "--max-ticks", "1").status == 75
    assert warm().run(place, "stop", "spec.yaml").status == 0
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (0, "finished", "person")
    assert ended.last["reason"] == "you ended the run" and ended.last["experiments"] == 1
    assert warm().run(place, "report").out.startswith("# triage: ended by you\n")


def test_expected_answers_that_fail_their_own_check_are_no_verdict_on_the_text(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = project(tmp_path, endpoint, helped)
    evalset = place.root / "evals" / "triage.yaml"
    evalset.write_text(
        evalset.read_text("utf-8").replace("}", ", check: {type: regex, pattern: '^nothing$'}}"), "utf-8"
    )
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN)
    assert stop(ended)[0] == ended.last["outcome"] == "too_few_cases"
    assert "the checks of" in ended.last["reason"] and ended.last["experiments"] == 0
