"""The fold of the queue's journal."""

from __future__ import annotations

import pytest

from ceopt_tui.core.study.queue import rows_of
from ceopt_tui.errors import StorageError
from schemas.study_queue import QueueRecord, RowEnded, RowStarted, StudyQueued


def queued(number: int) -> StudyQueued:
    return StudyQueued(row=number, study=f"/studies/{number}", output="run")


@pytest.mark.parametrize(
    ("records", "status", "is_open"),
    [
        ([], "queued", True),
        ([RowStarted(row=1)], "running", True),
        ([RowStarted(row=1), RowStarted(row=1)], "running", True),
        ([RowStarted(row=1), RowEnded(row=1, status="done")], "done", False),
        ([RowStarted(row=1), RowEnded(row=1, status="failed", message="no key")], "failed", False),
    ],
)
def test_a_row_is_what_was_last_said_of_it(records: list[QueueRecord], status: str, is_open: bool) -> None:
    first, second = rows_of([queued(1), queued(2), *records])
    assert (first.status, first.is_open, second.status) == (status, is_open, "queued")
    assert first.message == ("no key" if status == "failed" else "")


def test_a_row_that_never_began_is_a_fault_of_the_journal() -> None:
    with pytest.raises(StorageError, match="the row 3, which never began"):
        rows_of([queued(1), RowStarted(row=3)])
