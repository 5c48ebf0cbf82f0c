"""Reading a journal back: every record, or the reason it cannot be trusted. Changes nothing on disk."""

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.disk import storage_error
from ceopt_tui.journal.reading import read_record
from schemas.records import RECORD_VERSION, AnyRecord, Record

R = TypeVar("R", bound=Record)
MANY_OBJECTS = 100_000
_NEWER = {"union_tag_invalid", "extra_forbidden"}


@dataclass(frozen=True)
class Replay(Generic[R]):
    """The records of a journal in order; `torn` is the end of a write that never finished."""

    records: list[R]
    good_bytes: int  # length of the part that holds the records
    torn: bytes | None = None


def replay(path: Path) -> Replay[AnyRecord]:
    """Reads the journal of a run at `path`; one that does not exist has no records.

    A last line that was cut short was never acknowledged and is left out. Any other damage raises StorageError.
    """
    return replay_as(path, read_record)


def replay_as(path: Path, read: Callable[[bytes], R]) -> Replay[R]:
    """Like `replay`, for a journal whose lines hold what `read` makes of them; it raises ValidationError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Replay([], 0)
    except OSError as error:
        raise storage_error(error, path) from error
    good = data.rfind(b"\n") + 1
    lines = data[:good].split(b"\n")[:-1]
    if good == len(data) and lines and not _is_json(lines[-1]):
        good -= len(lines.pop()) + 1
    torn = data[good:] or None
    with collector_paused():
        records = [_record(path, number, line, read) for number, line in enumerate(lines, start=1)]
    return Replay(records, good, torn)


def _record(path: Path, number: int, line: bytes, read: Callable[[bytes], R]) -> R:
    try:
        record = read(line)
    except ValidationError as error:
        raise _refusal(path, number, line, error) from error
    if record.v > RECORD_VERSION:
        raise _newer(path, number, f"record version {record.v}")
    if record.seq != number:
        raise StorageError(
            f"{path}, line {number}: record {record.seq} stands where record {number} belongs",
            "Lines were removed, repeated or moved. Restore the file from a backup, or start afresh with --fresh.",
        )
    return record


def _refusal(path: Path, number: int, line: bytes, error: ValidationError) -> StorageError:
    first = error.errors(include_url=False)[0]
    if _is_json(line):
        version = json.loads(line).get("v", RECORD_VERSION)
        if isinstance(version, int) and version > RECORD_VERSION:
            return _newer(path, number, f"record version {version}")
        if first["type"] in _NEWER:
            return _newer(path, number, first["msg"])
    place = ".".join(str(part) for part in first["loc"])
    return StorageError(
        f"{path}, line {number}: damaged ({f'{place}: ' if place else ''}{first['msg']})",
        "Only a last line can be cut by a crash; this is other damage. "
        "Restore the file from a backup, or start afresh with --fresh, which keeps the old folder.",
    )


def _newer(path: Path, number: int, what: str) -> StorageError:
    return StorageError(
        f"{path}, line {number}: written by a newer ceopt ({what})", "Upgrade ceopt to go on with this run."
    )


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keeps the cyclic collector from scanning many small objects that all stay alive: half the time of reading.

    Of a long run it is also told to leave alone what is there by then: a scan of it all would stop every thread.
    """
    was_enabled = gc.isenabled()
    before = gc.get_count()[0]
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] - before > MANY_OBJECTS:
            gc.freeze()
        if was_enabled:
            gc.enable()
