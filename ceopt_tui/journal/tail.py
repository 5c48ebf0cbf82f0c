"""Reading on in a journal that another process writes: whole lines behind a known place. Changes nothing on disk."""

from __future__ import annotations

from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path

from pydantic import ValidationError

from ceopt_tui.journal.reading import read_record
from ceopt_tui.journal.replay import Replay, replay
from schemas.records import AnyRecord

NO_FILE = (0, 0)


@dataclass(frozen=True)
class Position:
    """How far a journal was read: in which file, its bytes, its records."""

    file: tuple[int, int]  # device and number: a fresh start puts another file in the journal's place
    offset: int = 0
    records: int = 0


def read_all(path: Path) -> tuple[Replay[AnyRecord], Position]:
    """The whole journal, empty where there is none, and where it ends. StorageError when it cannot be trusted."""
    file = _file(path)  # before it is read: another one in its place is then seen as another one
    found = replay(path)
    return found, Position(file, found.good_bytes, len(found.records))


def read_on(path: Path, position: Position) -> tuple[list[AnyRecord], Position] | None:
    """The records behind `position` and where they end; None when they do not follow it, so that all has to be read.

    Raises OSError when the journal cannot be read.
    """
    if _file(path) != position.file:
        return None
    if position.file == NO_FILE:
        return [], position
    with path.open("rb") as stream:
        if stream.seek(0, SEEK_END) < position.offset:
            return None
        stream.seek(position.offset)
        added = stream.read()
    added = added[: added.rfind(b"\n") + 1]
    try:
        records = [read_record(line) for line in added.split(b"\n")[:-1]]
    except ValidationError:
        return None
    if any(record.seq != number for number, record in enumerate(records, position.records + 1)):
        return None
    return records, Position(position.file, position.offset + len(added), position.records + len(records))


def _file(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return NO_FILE
    return facts.st_dev, facts.st_ino
