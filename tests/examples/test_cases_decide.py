"""A small repository whose command prints cases: they decide, held-out ones confirm, and a broken one waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from stub_endpoint import StubEndpoint
from test_command_examples import Workshop, carried_out, closed, whole
from triage_project import KEY, git

from ceopt_tui.exits import ExitStatus

ROUTE = '''"""Sends messages to teams."""

RULES = {RULES}


def route(message):
    return next((team for word, team in RULES.items() if word in message), "support")
'''
CHECK = '''"""Prints every message as a case: does it go to the right team?"""

import json
import sys

from route import route

TEAMS = {"invoice": "billing", "parcel": "shipping", "password": "access", "hello": "support"}
WHO = ["Ann", "Bob", "Cid", "Dora", "Eve"]
when = "tonight" if "--held-out" in sys.argv else "today"
cases = {
    f"{word}-{who}-{when}": route(f"{who} asks {when}: {word}") == team
    for word, team in TEAMS.items()
    for who in WHO
}
print(json.dumps({"right": sum(cases.values()) / len(cases), "cases": cases, "errors": 0}))
'''
SPEC = """\
name: route-messages
description: Send every message to the right team
metric:
  primary: {type: hard, name: right, direction: maximize}
  degenerate_gates: [{name: errors, check: "== 0"}]
measurement:
  command: python3 check.py
  per_case: true
  stability: {comparison: {method: evidence}}
  holdout: {command: python3 check.py --held-out}
scope: {mutable: [route.py], immutable: [check.py]}
execution: {mode: serial}
stopping: {max_iterations: 4, max_calls: 40}
"""


def rules(**more: str) -> str:
    return ROUTE.replace("{RULES}", repr({"invoice": "billing", **more}))


NOISE, BREAKS, BETTER = "Send Ann to shipping", "Learn parcels, and lose Eve", "Learn parcels and passwords"
CHANGES = {
    NOISE: whole("route.py", rules(Ann="shipping")),
    BREAKS: whole("route.py", rules(parcel="shipping", password="access", Eve="nobody")),
    BETTER: whole("route.py", rules(parcel="shipping", password="access")),
}


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        running.respond = Workshop(CHANGES)
        yield running


@pytest.fixture
def place(tmp_path: Path, endpoint: StubEndpoint) -> Place:
    root = tmp_path / "repo"
    root.mkdir()
    for name, text in {"route.py": rules(), "check.py": CHECK, "spec.yaml": SPEC}.items():
        (root / name).write_text(text)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    (tmp_path / "home").mkdir()
    models = {"CEOPT_MODEL_STRONG": "openai/gpt-4o", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base}
    return Place(root, tmp_path / "home", {**models, "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.exhaustive
def test_a_good_change_is_kept_noise_is_not_and_one_that_breaks_a_case_waits_for_a_person(
    place: Place, endpoint: StubEndpoint
) -> None:
    workshop = endpoint.respond
    assert isinstance(workshop, Workshop)
    ended = carried_out(place)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.NEEDS_PERSON, "needs_person"), ended.err
    ends = closed(ended)
    assert {number: end["outcome"] for number, end in ends.items()} == {
        1: "reverted",
        2: "deferred_needs_approval",
        3: "kept",
    }
    assert ends[1]["reason"] == "on average no better than the current text"
    assert ends[2]["broken"] == ["hello-Eve-today", "hello-Eve-tonight"]
    assert ends[2]["reason"].startswith("would break hello-Eve-today, hello-Eve-tonight, which always passed")
    assert ends[3]["reason"].startswith("confirmed on the held-out cases")
    assert (ended.last["held_out"]["before"], ended.last["held_out"]["after"]) == (0.5, 1.0)
    report = git(place.root, "show", "optimize/route-messages:docs/optimize/route-messages-report.md")
    assert "on 20 held-out cases, the command repeats itself" in report
    assert "look 2 at the held-out cases: exp-003, level 0.100 after 0 keeps" in report
    told = (*workshop.asked["ideas"], *workshop.asked["edit"], *workshop.asked["reader"])
    assert told and not any("tonight" in asked for asked in told)
    waits = warm().run(place, "status", "spec.yaml")
    assert "would break hello-Eve-today, hello-Eve-tonight" in waits.out


def test_without_a_held_out_command_the_spec_is_refused_with_what_to_add(place: Place) -> None:
    spec = place.root / "spec.yaml"
    spec.write_text(SPEC.replace("  holdout: {command: python3 check.py --held-out}\n", ""))
    refused = warm().run(place, "run", "spec.yaml", "--unattended")
    assert refused.status == ExitStatus.REFUSED
    assert "add `holdout: {command: …}` that prints `cases` of its own" in refused.err
