"""An example killed in the middle ends the same and measures nothing twice; a raised limit takes it up again."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Place, warm
from stub_endpoint import StubEndpoint
from test_command_examples import SORTS, Workshop, closed, copied
from triage_project import git

from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay

pytestmark = pytest.mark.exhaustive

ARGUMENTS = ("run", "spec.yaml", "--unattended", "--json")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        running.respond = Workshop(SORTS, objection="return sorted(values)")
        yield running


@pytest.fixture
def place(tmp_path: Path, endpoint: StubEndpoint) -> Place:
    place = copied("fewer-comparisons", tmp_path, endpoint)
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text() + "models: {reader: {model: openai/gpt-4o-mini}}\n")
    approved = warm().run(place, "approve", "spec.yaml")
    assert approved.status == 0, approved.err
    return place


def journal_of(place: Place) -> Path:
    return place.root / ".context" / "ceopt" / "fewer-comparisons"


def holds(place: Place, kind: str, count: int) -> bool:
    """Are so many records of a kind in the journal's bytes? Read without the lock, while it is being written."""
    path = journal_of(place) / JOURNAL_NAME
    return path.is_file() and path.read_bytes().count(f'"kind":"{kind}"'.encode()) >= count


def samples(place: Place) -> Counter[Any]:
    return Counter(
        (one.commit, one.experiment, one.pairing, one.workload, one.arm, one.sample)
        for one in replay(journal_of(place) / JOURNAL_NAME).records
        if one.kind == "command_measured"
    )


def test_kill_9_at_every_stage_of_the_run(place: Place) -> None:
    stages = (
        ("command_measured", 1),
        ("change_made", 1),
        ("command_measured", 4),
        ("winner_read", 1),
        ("committed", 1),
    )
    for kind, count in stages:
        killed = warm().run_until(lambda kind=kind, count=count: holds(place, kind, count), place, *ARGUMENTS)
        assert killed.status == -signal.SIGKILL, killed.err
    ended = warm().run(place, *ARGUMENTS)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), ended.err
    assert set(samples(place).values()) == {1}
    assert (ended.last["held_out"]["before"], ended.last["held_out"]["after"]) == (7970, 3985)
    assert git(place.root, "log", "--format=%s", "main..optimize/fewer-comparisons").splitlines() == [
        "optimize(fewer-comparisons): report",
        "optimize(fewer-comparisons): Stop where the rest is in order",
    ]
    assert git(place.root, "worktree", "list").count("\n") == 1
    assert "optimize-exp" not in git(place.root, "branch", "--list")


def test_a_raised_limit_takes_an_ended_run_up_again(place: Place) -> None:
    spec = place.root / "spec.yaml"
    whole = spec.read_text()
    spec.write_text(whole.replace("max_iterations: 4", "max_iterations: 1"))
    assert warm().run(place, "approve", "spec.yaml").status == 0
    first = warm().run(place, *ARGUMENTS)
    assert (first.status, first.last["experiments"]) == (ExitStatus.FINISHED, 1), first.err
    again = warm().run(place, *ARGUMENTS)
    assert [event["event"] for event in again.events] == ["finished"], "nothing changed, so nothing is done"
    spec.write_text(whole)
    assert warm().run(place, "approve", "spec.yaml").status == 0
    ended = warm().run(place, *ARGUMENTS)
    assert (ended.status, ended.last["experiments"], ended.last["kept"]) == (ExitStatus.FINISHED, 4, 1), ended.err
    assert set(closed(ended)) == {2, 3, 4}
    assert warm().run(place, "diff", "fewer-comparisons").out.count("+++ b/") == 1, "the report is no part of it"
