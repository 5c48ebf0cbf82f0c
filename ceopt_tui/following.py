"""Follows runs while other processes write them: each look reads only what was added. Reads, and touches nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import StorageError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import collector_paused
from ceopt_tui.journal.tail import Position, read_all, read_on
from ceopt_tui.looking import FoundRun


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
        except (StorageError, OSError) as error:
            self._forget()
            fault = str(error)
        return FoundRun(self._folder, self._repository, self._state, fault)

    def _forget(self) -> None:
        self._state = RunState()
        self._position: Position | None = None

    def _read_on(self) -> None:
        found = read_on(self._path, self._position) if self._position else None
        if found is not None:
            added, self._position = found
            fold(added, self._state)
            return
        with collector_paused():
            whole, position = read_all(self._path)
            self._state, self._position = fold(whole.records), position


def follow(folders: Callable[[], Sequence[Path]], repository: Repository) -> Callable[[], list[FoundRun]]:
    """How the runs in `folders()` stand at each call; every journal is read once, and then on."""
    followed: dict[Path, FollowedRun] = {}

    def look() -> list[FoundRun]:
        return [followed.setdefault(folder, FollowedRun(folder, repository)).look() for folder in folders()]

    return look
