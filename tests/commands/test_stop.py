"""`ceopt stop`: ends a run that nobody works on; the next tick reports and calls nothing for a text without a keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, git, make_project

from ceopt_tui.journal.lock import RunLock
from ceopt_tui.system_clock import SystemClock

RUN = ("run", "spec.yaml", "--unattended", "--json")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


def test_a_stopped_run_reports_at_its_next_tick_and_stays_ended(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    assert warm().run(place, *RUN).last["outcome"] == "needs_person"
    posts = endpoint.posts
    stopped = warm().run(place, "stop", "spec.yaml")
    assert stopped.status == 0 and stopped.out == "triage: ended by you; no new experiment will start\n"
    assert "ceopt run" in stopped.err
    assert warm().run(place, "stop").status == 0, "to end it twice changes nothing"
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
    assert busy.status == 2 and "in use by" in busy.err
