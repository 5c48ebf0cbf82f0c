"""One writer on one run's state folder: lock, journal, fold, recorder. Opened before anything can be paid."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ceopt_tui.core.ports import Clock
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.recorder import Observer, Recorder
from ceopt_tui.journal.journal import Journal, torn_copies
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.journal.replay import collector_paused


class Session:
    """An open run: what its journal says, and the only way to add to it."""

    def __init__(self, folder: Path, recorder: Recorder, warnings: list[str]) -> None:
        self.folder = folder
        self.recorder = recorder
        self.warnings = warnings  # to be noted in the journal by the first tick

    @property
    def state(self) -> RunState:
        return self.recorder.state


@contextmanager
def open_session(folder: Path, clock: Clock, observe: Observer) -> Iterator[Session]:
    """Takes the run's lock and replays its journal. BusyError when another process holds it."""
    with RunLock.acquire(folder, now=clock.now) as lock:
        journal = Journal.open(folder, now=clock.now)
        previous = lock.previous
        warnings = [f"taken over from {previous}, which ended without closing the run"] if previous else []
        # Also those of a start that was killed before it could note them; what is on record is not noted again.
        warnings += [f"the journal's last line was cut; it is kept in {copy.name}" for copy in torn_copies(folder)]
        try:
            with collector_paused():
                state = fold(journal.replayed.records)
            yield Session(folder, Recorder(journal, state, observe), warnings)
        finally:
            journal.close()
