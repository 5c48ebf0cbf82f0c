"""The queue of studies as its journal tells it. Reads no file, and knows no process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ceopt_tui.errors import StorageError
from schemas.study_queue import QueueRecord, StudyQueued

Status = Literal["queued", "running", "done", "failed"]


@dataclass(frozen=True)
class Row:
    """One study in the queue."""

    number: int
    study: str
    output: str
    confirmed: bool
    status: Status = "queued"
    message: str = ""

    @property
    def is_open(self) -> bool:
        """Is it still to come to an end?"""
        return self.status in ("queued", "running")


def rows_of(records: Iterable[QueueRecord]) -> tuple[Row, ...]:
    """All rows, the oldest first. Raises StorageError where the records cannot be those of one queue."""
    rows: dict[int, Row] = {}
    for record in records:
        if isinstance(record, StudyQueued):
            rows[record.row] = Row(record.row, record.study, record.output, record.confirmed)
            continue
        if record.row not in rows:
            raise StorageError(f"record {record.seq} of the queue speaks of the row {record.row}, which never began")
        if record.kind == "row_started":
            rows[record.row] = replace(rows[record.row], status="running")
        else:
            rows[record.row] = replace(rows[record.row], status=record.status, message=record.message)
    return tuple(rows.values())
