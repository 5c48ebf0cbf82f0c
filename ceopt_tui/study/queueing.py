"""Frozen studies that wait for whoever starts `run-next`, such as cron. Two workers never take one row.

A worker holds its row's lock while it measures, and the kernel lets go of it with the process: a row that is running
and has no holder is taken again. The queue's own lock is held for a moment only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from ceopt_tui.core.study.queue import Row, rows_of
from ceopt_tui.errors import BusyError, SetupError, StorageError
from ceopt_tui.journal.disk import JOURNAL_NAME, storage_error
from ceopt_tui.journal.journal import Journal, open_as
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.journal.replay import replay_as
from ceopt_tui.study.freezing import FREEZE_NAME
from ceopt_tui.study.planning import StudyPlan, require_budget, require_registered
from schemas.study_queue import QUEUE_RECORDS, QueueRecord, RowEnded, RowStarted, StudyQueued

PATIENCE_S = 10.0

Now = Callable[[], datetime]


def queue_folder() -> Path:
    """Where this user's queue is kept."""
    return platformdirs.user_state_path("ceopt") / "studies"


class StudyQueue:
    """The queue in one folder."""

    def __init__(self, folder: Path, now: Now) -> None:
        self._folder = folder
        self._now = now

    def rows(self) -> tuple[Row, ...]:
        """Every row there ever was."""
        return rows_of(replay_as(self._folder / JOURNAL_NAME, QUEUE_RECORDS.validate_json).records)

    def add(self, plan: StudyPlan, *, confirmed: bool) -> Row:
        """Puts a study at the end. SetupError and InputError where it is not frozen, too dear, or there already."""
        study = plan.loaded.folder.resolve()
        if not (study / FREEZE_NAME).exists():
            raise SetupError(f"{study} is not frozen", "Run `ceopt study freeze`, and commit what it writes.")
        require_registered(plan)
        require_budget(plan, confirmed=confirmed)
        with self._open() as journal:
            rows = rows_of(journal.replayed.records)
            for row in rows:
                if row.is_open and (row.study, row.output) == (str(study), plan.folder.name):
                    raise SetupError(f"{study} is in the queue already, as row {row.number}")
            number = max((row.number for row in rows), default=0) + 1
            journal.append([StudyQueued(row=number, study=str(study), output=plan.folder.name, confirmed=confirmed)])
        return Row(number, str(study), plan.folder.name, confirmed)

    @contextmanager
    def taken(self) -> Iterator[Row | None]:
        """The next row, for as long as this lasts; None where nothing waits. What is not ended comes again."""
        lock: RunLock | None = None
        with self._open() as journal:
            for row in rows_of(journal.replayed.records):
                if row.is_open and (lock := self._claimed(row)) is not None:
                    journal.append([RowStarted(row=row.number)])
                    break
        if lock is None:
            yield None
            return
        with lock:
            yield row

    def end(self, row: Row, fault: str = "") -> None:
        """Notes how the study of a row ended; with a `fault` it failed."""
        with self._open() as journal:
            journal.append([RowEnded(row=row.number, status="failed" if fault else "done", message=fault)])

    def _claimed(self, row: Row) -> RunLock | None:
        try:
            return RunLock.acquire(self._folder / f"row-{row.number}", now=self._now)
        except BusyError:
            return None

    @contextmanager
    def _open(self) -> Iterator[Journal[QueueRecord]]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._folder / "lock", timeout=PATIENCE_S, thread_local=False, fallback_to_soft=False)
            with lock, open_as(self._folder, QUEUE_RECORDS.validate_json, now=self._now) as journal:
                yield journal
        except Timeout:
            raise BusyError(f"the queue in {self._folder} is held by another process", "Try again.") from None
        except NotImplementedError as error:
            raise StorageError(f"the disk of {self._folder} cannot lock files", "Set XDG_STATE_HOME.") from error
        except OSError as error:
            raise storage_error(error, self._folder) from error
