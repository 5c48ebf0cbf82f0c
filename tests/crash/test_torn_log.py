"""A journal cut in the middle of a line and a damaged view: what was whole stays, what is lost is kept and named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel
from whole_run import RUN, Ending, approved, ending, journal_bytes, records, state_of

from ceopt_tui.engine.log_view import LOG_NAME
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal

pytestmark = pytest.mark.crash

CLOSED = b'"kind":"experiment_closed"'
GARBAGE = b"experiments:\n  - id: exp-001\n    outcome: 'ke"


@pytest.fixture
def finished(tmp_path: Path) -> Iterator[tuple[Place, Ending]]:
    """A run of two experiments that has ended."""
    with StubEndpoint(respond=TriageModel(opening=True)) as endpoint:
        place = approved(tmp_path, endpoint, cases=20)
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["experiments"]) == (0, 2), ended.last["reason"]
        yield place, ending(place, ended)


def cut_in_the_second_experiment(place: Place) -> bytes:
    """Cuts the journal in the record that closed exp-002; returns the torn end."""
    whole = journal_bytes(place)
    start = whole.rindex(b"\n", 0, whole.rindex(CLOSED)) + 1
    (state_of(place) / JOURNAL_NAME).write_bytes(whole[: start + 60])
    return whole[start : start + 60]


def test_a_torn_journal_keeps_what_was_whole_and_ends_the_same(finished: tuple[Place, Ending]) -> None:
    place, expected = finished
    torn = cut_in_the_second_experiment(place)
    (state_of(place) / LOG_NAME).write_bytes(GARBAGE)
    first = journal_bytes(place).removesuffix(torn)
    assert first.count(CLOSED) == 1
    ended = warm().run(place, *RUN)
    assert ended.status == 0, ended.err
    # The branch had its report before the tear; the one of now, with other costs, stands on top of it.
    assert replace(ending(place, ended), branch=()) == replace(expected, branch=())
    assert journal_bytes(place).startswith(first)
    (copy,) = state_of(place).glob("journal.jsonl.torn-*")
    assert copy.read_bytes() == torn
    assert any(copy.name in note["text"] for note in records(place, "noted"))
    view = (state_of(place) / LOG_NAME).read_text(encoding="utf-8")
    assert view.count("id: exp-001\n") == view.count("id: exp-002\n") == 1


@pytest.mark.exhaustive
def test_a_tear_is_noted_also_when_the_start_that_found_it_was_killed(finished: tuple[Place, Ending]) -> None:
    place, _ = finished
    cut_in_the_second_experiment(place)
    with Journal.open(state_of(place), now=lambda: datetime(2026, 1, 2, tzinfo=UTC)) as journal:
        assert journal.torn_copy is not None
    for _ in range(2):
        assert warm().run(place, *RUN).status == 0
    assert sum(journal.torn_copy.name in note["text"] for note in records(place, "noted")) == 1


def test_a_view_that_a_kill_left_behind_the_journal_is_written_again(finished: tuple[Place, Ending]) -> None:
    place, _ = finished
    view, posted = state_of(place) / LOG_NAME, journal_bytes(place)
    whole = view.read_bytes()
    view.write_bytes(GARBAGE)
    os.utime(view, (0, 0))
    assert warm().run(place, *RUN).status == 0
    assert view.read_bytes() == whole
    assert journal_bytes(place) == posted
