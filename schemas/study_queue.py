"""What the journal of the queue of studies holds: who waits, who was begun, how it ended."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from schemas.record import Record


class StudyQueued(Record):
    """A row: a frozen study, and the output it goes to. `confirmed`: it may run up to its budget."""

    kind: Literal["study_queued"] = "study_queued"
    row: int
    study: str  # absolute path of its folder
    output: str
    confirmed: bool = False


class RowStarted(Record):
    """A worker took the row; it holds the row's lock until it ends."""

    kind: Literal["row_started"] = "row_started"
    row: int


class RowEnded(Record):
    """The study came to its end, or to what a person must look at."""

    kind: Literal["row_ended"] = "row_ended"
    row: int
    status: Literal["done", "failed"]
    message: str = ""


QueueRecord = Annotated[StudyQueued | RowStarted | RowEnded, Field(discriminator="kind")]
QUEUE_RECORDS: TypeAdapter[QueueRecord] = TypeAdapter(QueueRecord)
