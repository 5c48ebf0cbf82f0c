"""Follows runs while other processes write them: each look reads only what was added. Reads, and touches nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import StorageError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import collector_paused, replay
from ceopt_tui.looking import FoundRun
from schemas.records import RECORDS

File = tuple[int, int]  # device and number: a fresh start puts another file in the journal's place


class FollowedRun:
    """One run, looked at again and again."""

    def __init__(self, folder: Path, repository: Repository) -> None:
        self._folder, self._repository = folder, repository
        self._path = folder / JOURNAL_NAME
        self._forget()

    def look(self) -> FoundRun:
        """The run as its journal tells it now; one that cannot be read says why and is read anew at the next look."""
        fault = ""
        try:
            self._read_on()
        except FileNotFoundError:
            self._forget()
        except (StorageError, OSError) as error:
            self._forget()
            fault = str(error)
        return FoundRun(self._folder, self._repository, self._state, fault)

    def _forget(self) -> None:
        self._state, self._records = RunState(), 0
        self._file: File | None = None
        self._offset = 0  # behind the last whole line that is in the state

    def _read_on(self) -> None:
        facts = self._path.stat()
        file = (facts.st_dev, facts.st_ino)
        if self._file == file and facts.st_size >= self._offset and self._take_added():
            return
        with collector_paused():
            found = replay(self._path)
            self._state, self._records = fold(found.records), len(found.records)
        self._file, self._offset = file, found.good_bytes

    def _take_added(self) -> bool:
        """Takes in the whole lines that were added; False when they do not follow what is known."""
        with self._path.open("rb") as stream:
            stream.seek(self._offset)
            added = stream.read()
        added = added[: added.rfind(b"\n") + 1]
        try:
            records = [RECORDS.validate_json(line) for line in added.split(b"\n")[:-1]]
        except ValidationError:
            return False
        if any(record.seq != number for number, record in enumerate(records, self._records + 1)):
            return False
        fold(records, self._state)
        self._records, self._offset = self._records + len(records), self._offset + len(added)
        return True


def follow(folders: Callable[[], Sequence[Path]], repository: Repository) -> Callable[[], list[FoundRun]]:
    """How the runs in `folders()` stand at each call; every journal is read once, and then on."""
    followed: dict[Path, FollowedRun] = {}

    def look() -> list[FoundRun]:
        return [followed.setdefault(folder, FollowedRun(folder, repository)).look() for folder in folders()]

    return look
