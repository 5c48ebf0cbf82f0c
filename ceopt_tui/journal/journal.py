"""The journal of one run: records are appended, made durable and read back before anyone relies on them.

One writer, one thread: hold the run's lock while a journal is open. Never rewrites a line.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import JOURNAL_NAME, storage_error, sync_folder
from ceopt_tui.journal.reading import read_record
from ceopt_tui.journal.replay import R, Replay, replay_as
from schemas.records import AnyRecord, Record

_TORN = f"{JOURNAL_NAME}.torn-"


class Journal(Generic[R]):
    """An open journal. `replayed` is what it held when it was opened, `torn_copy` where a cut last line went."""

    def __init__(
        self,
        path: Path,
        replayed: Replay[R],
        torn_copy: Path | None,
        now: Callable[[], datetime],
        read: Callable[[bytes], R],
    ) -> None:
        self.path = path
        self.replayed = replayed
        self.torn_copy = torn_copy
        self._now = now
        self._read = read
        self._seq = len(replayed.records)
        self._end = replayed.good_bytes
        self._refusal: StorageError | None = None  # why it was closed: whoever appends next hears the same
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)

    @staticmethod
    def open(folder: Path, *, now: Callable[[], datetime]) -> "Journal[AnyRecord]":
        """The journal of a run, as `open_as` opens it."""
        return open_as(folder, read_record, now=now)

    def append(self, records: Sequence[Record]) -> list[R]:
        """Numbers, dates and stores `records` in one write; returns them as a later replay will see them.

        Raises ValueError, with nothing written, for a record that could not be read back (lone surrogates, or
        not-a-number where a number is required; elsewhere that is stored as null). Raises StorageError when the
        disk refuses: the journal is then closed for good, and its file ends where it ended before.
        """
        if self._descriptor is None:
            raise self._refusal or StorageError(f"{self.path} is closed", "Resume the run.")
        if not records:
            return []
        at = self._now().astimezone(UTC).isoformat()
        stored: list[R] = []
        lines: list[bytes] = []
        for seq, record in enumerate(records, start=self._seq + 1):
            line, as_read = self._line(record.model_copy(update={"seq": seq, "at": at}))
            lines.append(line)
            stored.append(as_read)
        self._write(self._descriptor, b"".join(lines))
        self._seq += len(records)
        return stored

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> "Journal[R]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _line(self, record: Record) -> tuple[bytes, R]:
        try:
            line = record.model_dump_json().encode()
            return line + b"\n", self._read(line)
        except ValueError as error:  # pydantic's validation and serialization errors both are
            raise ValueError(f"a {type(record).__name__} record cannot be stored: {error}") from error

    def _write(self, descriptor: int, data: bytes) -> None:
        try:
            self._check_length(descriptor, self._end)
            written = os.write(descriptor, data)
            while written < len(data):  # the disk took part of it: writing on tells why
                written += os.write(descriptor, data[written:])
            os.fsync(descriptor)
            self._check_length(descriptor, self._end + len(data))
            if os.pread(descriptor, len(data), self._end) != data:
                raise StorageError(f"{self.path} does not hold what was just written to it", "Check its disk.")
        except OSError as error:
            self._cut_back(descriptor)
            self._refusal = storage_error(error, self.path)
            raise self._refusal from error
        except StorageError as error:
            self._refusal = error
            self.close()
            raise
        self._end += len(data)

    def _check_length(self, descriptor: int, expected_bytes: int) -> None:
        found = os.fstat(descriptor)
        if found.st_nlink == 0:
            raise StorageError(f"{self.path} was deleted while the run was writing it")
        if found.st_size != expected_bytes:
            raise StorageError(
                f"{self.path} is {found.st_size} bytes long where {expected_bytes} are expected",
                "Something else wrote to it. Stop that, then resume the run.",
            )

    def _cut_back(self, descriptor: int) -> None:
        """After a refused write the file ends at its last good record; if even that fails replay drops the rest."""
        with suppress(OSError):
            os.ftruncate(descriptor, self._end)
            os.fsync(descriptor)
        self.close()


def open_as(folder: Path, read: Callable[[bytes], R], *, now: Callable[[], datetime]) -> Journal[R]:
    """Opens or creates `folder`/journal.jsonl, whose lines hold what `read` makes of them, for appending.

    A last line cut by a crash is copied beside the journal and cut off. Raises StorageError on other damage.
    """
    path = folder / JOURNAL_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replayed = replay_as(path, read)
        torn_copy = _set_torn_tail_aside(path, replayed.torn, replayed.good_bytes, now()) if replayed.torn else None
        journal = Journal(path, replayed, torn_copy, now, read)
        sync_folder(folder)
    except OSError as error:
        raise storage_error(error, path) from error
    return journal


def torn_copies(folder: Path) -> list[Path]:
    """Every cut last line that was ever set aside in `folder`, by time."""
    return sorted(folder.glob(f"{_TORN}*"))


def _set_torn_tail_aside(path: Path, torn: bytes, good_bytes: int, moment: datetime) -> Path:
    stem = f"{_TORN}{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    copy, number = path.with_name(stem), 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{stem}-{number}")
    write_atomic(copy, torn)
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.ftruncate(descriptor, good_bytes)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return copy
