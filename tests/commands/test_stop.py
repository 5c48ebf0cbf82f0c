"""`ceopt stop`: ends a run, at work or not; the report is written, and calls nothing for a text without a keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from click.testing import CliRunner
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, git, make_project

from ceopt_tui.commands import status, stop
from ceopt_tui.engine.ending import REQUEST_NAME, request_end
from ceopt_tui.errors import BusyError
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.system_clock import SystemClock

RUN = ("run", "spec.yaml", "--unattended", "--json")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel(opening=True)) as running:
        yield running


def test_a_stopped_run_reports_at_its_next_tick_and_stays_ended(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    assert warm().run(place, *RUN).last["outcome"] == "needs_person"
    posts = endpoint.posts
    stopped = warm().run(place, "stop", "spec.yaml")
    assert stopped.status == 0 and stopped.out == "triage: ended by you; no new experiment will start\n"
    assert "ceopt run" in stopped.err
    assert warm().run(place, "stop").status == 0, "to end it twice changes nothing"
    stands = warm().run(place, "status").out
    assert stands.startswith("triage: waiting\n") and "ended by you; the next `ceopt run`" in stands
    assert "waits for a person" not in stands and "Approve with" not in stands
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (0, "finished", "person")
    assert git(place.root, "show", "optimize/triage:docs/optimize/triage-report.md").startswith(
        "# triage: ended by you"
    )
    assert "finished, ended by you" in warm().run(place, "status").out
    assert warm().run(place, *RUN).last["outcome"] == "person" and endpoint.posts == posts
    again = warm().run(place, "stop", "triage")
    assert again.status == 2 and "has ended already" in again.err


def test_nothing_to_end_and_a_run_at_work_are_said(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    assert warm().run(place, "stop", "spec.yaml").status == 2
    warm().run(place, "approve", "spec.yaml")
    unbegun = warm().run(place, "stop", "spec.yaml")
    assert unbegun.status == 2 and "has not begun" in unbegun.err
    folder = place.root / ".context" / "ceopt" / "triage"
    with RunLock.acquire(folder, now=SystemClock().now):
        busy = warm().run(place, "stop", "spec.yaml")
    assert busy.status == 75 and "in use by" in busy.err


@pytest.fixture
def at_work(endpoint: StubEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """An approved run, in whose folder commands are typed."""
    place = make_project(tmp_path, endpoint.api_base)
    warm().run(place, "approve", "spec.yaml")
    monkeypatch.chdir(place.root)
    return place


def typed(*command: str) -> str:
    module = {"stop": stop, "status": status}[command[0]]
    result = CliRunner().invoke(module.command, list(command[1:]), standalone_mode=False)
    assert result.exception is None, result.exception
    return result.stdout


def test_a_run_at_work_is_ended_from_outside_and_writes_its_report(at_work: Place, endpoint: StubEndpoint) -> None:
    said: list[str] = []
    endpoint.delay_s = 1.0  # time to type the three while the first calls are under way

    def ending() -> bool:
        if endpoint.posts > 3 and not said:
            said.extend((typed("stop"), typed("status"), typed("stop")))
        return False

    ended = warm().run_until(ending, at_work, *RUN)
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (0, "finished", "person"), ended.err
    assert endpoint.posts < 20, "the calls under way are the last of the baseline"
    assert said[0].startswith("triage: ended by you; process ") and said[0] == said[2]
    assert "wraps it up once the calls under way are in: ended by you" in said[1]
    stopped = next(event for event in ended.events if event["event"] == "stopped")
    assert (stopped["by"], stopped["outcome"]) == ("person", "person")
    assert "ended by you" in git(at_work.root, "show", "optimize/triage:docs/optimize/triage-report.md").splitlines()[0]
    assert not (at_work.root / ".context" / "ceopt" / "triage" / REQUEST_NAME).exists()


def test_a_request_that_came_after_the_process_left_is_taken_up_by_the_next(
    at_work: Place, endpoint: StubEndpoint
) -> None:
    assert warm().run(at_work, *RUN, "--max-ticks", "1").status == 75
    posts, folder = endpoint.posts, at_work.root / ".context" / "ceopt" / "triage"
    request_end(folder, refuse=True)
    ended = warm().run(at_work, *RUN)
    assert (ended.status, ended.last["outcome"], endpoint.posts) == (0, "person", posts)
    request_end(folder, refuse=False)
    late = warm().run(at_work, "stop")
    assert late.status == 2 and not (folder / REQUEST_NAME).exists()


def test_a_run_that_has_ended_and_is_held_is_not_asked_again(at_work: Place) -> None:
    warm().run(at_work, *RUN)
    folder = at_work.root / ".context" / "ceopt" / "triage"
    with RunLock.acquire(folder, now=SystemClock().now), pytest.raises(BusyError):
        CliRunner().invoke(stop.command, [], standalone_mode=False, catch_exceptions=False)
    assert not (folder / REQUEST_NAME).exists()
