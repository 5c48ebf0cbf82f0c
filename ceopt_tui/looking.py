"""Finds a run and reads its journal without touching it, for every command and screen that only looks."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.early import PRUNE_SUFFIX
from ceopt_tui.errors import CeoptError, SetupError, StorageError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.folders import runs, runs_folder
from ceopt_tui.journal.lock import is_held
from ceopt_tui.journal.replay import collector_paused
from ceopt_tui.journal.tail import Position, read_all
from schemas.loading import load_spec


@dataclass(frozen=True)
class FoundRun:
    """A run as its journal tells it now."""

    folder: Path
    repository: Repository
    state: RunState
    fault: str = ""  # why its journal cannot be read
    position: Position | None = None  # how far it was read

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def ended_since(self) -> bool:
        """Was it ended by a person while nobody worked on it? What its last start waited for then counts no more."""
        stopped, tick = self.state.stopped, self.state.last_tick
        if stopped is None or tick is None or self.state.finished or self.state.status == "running":
            return False
        return stopped.seq > tick.seq

    @property
    def status(self) -> str:
        """As the journal says, but a run that was killed is `cut_off` and not running."""
        status = "waiting" if self.ended_since else self.state.status
        return "cut_off" if status == "running" and not at_work(self.state, self.folder) else status


def all_runs(start: Path, *, state_root: Path | None = None, environ: Mapping[str, str] = os.environ) -> list[FoundRun]:
    """Every run of the repository that holds `start`, by name."""
    repository = Repository.find(start)
    root = runs_folder(repository.root, state_root=state_root, environ=environ)
    return [_found(folder, repository) for folder in runs(root)]


def _found(folder: Path, repository: Repository) -> FoundRun:
    """One run; a damaged journal is that run's fault alone."""
    try:
        state, position = read_run(folder)
        return FoundRun(folder, repository, state, position=position)
    except StorageError as error:
        return FoundRun(folder, repository, RunState(), fault=str(error))


def read_state(folder: Path) -> RunState:
    """The state a run's journal folds to. Reads only; another process may be writing."""
    return read_run(folder)[0]


def read_run(folder: Path) -> tuple[RunState, Position]:
    """The same, and how far it was read."""
    with collector_paused():
        found, position = read_all(folder / JOURNAL_NAME)
        return fold(found.records), position


def at_work(state: RunState, folder: Path) -> bool:
    """Does another process work on the run? The journal says that a tick began, the lock that its process lives."""
    if state.status != "running" or state.tick is None or not is_held(folder):
        return False
    return (state.tick.pid, state.tick.host) != (os.getpid(), socket.gethostname())


def prunes(name: str, spec: Path) -> bool:
    """Is the run of this name the one that takes rules out of the text of `spec`, not the one that improves it?"""
    if not name.endswith(PRUNE_SUFFIX):
        return False
    try:
        return load_spec(spec).spec.name == name.removesuffix(PRUNE_SUFFIX)
    except (OSError, CeoptError):
        return False


def find_run(
    spec_or_name: str | None, *, state_root: Path | None = None, environ: Mapping[str, str] = os.environ
) -> FoundRun:
    """The run a user means by a spec, by a run's name, or by nothing when there is just one."""
    start, name = Path.cwd(), spec_or_name
    if spec_or_name is not None and Path(spec_or_name).is_file():
        loaded = load_spec(Path(spec_or_name))
        start, name = loaded.file.resolve().parent, loaded.spec.name
    found = all_runs(start, state_root=state_root, environ=environ)
    names = ", ".join(run.name for run in found)
    if name is None and len(found) == 1:
        return found[0]
    if name is None:
        raise SetupError("which run? " + (f"There are: {names}" if found else "There is none here yet"), _hint(found))
    match = next((run for run in found if run.name == name), None)
    if match is None:
        raise SetupError(f"there is no run {name!r} here; there are: {names or 'none'}", _hint(found))
    return match


def _hint(found: list[FoundRun]) -> str:
    return "Name one of them." if found else "Start one with `ceopt run SPEC`."
