"""What a run that a command measures kept, from its commits: as a diff, and as files to put in place. Reads only."""

from __future__ import annotations

from collections.abc import Iterator

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.files import report_paths
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.diffs import changed_paths, diff
from ceopt_tui.gitops.file_changes import ChangedFiles, files_between
from ceopt_tui.gitops.repository import Repository


def kept_diff(repository: Repository, state: RunState) -> str:
    """All kept changes at once, against the commit the run began at; empty where nothing was kept."""
    base, tip = _base(state), _tip(state)
    paths = list(_paths(repository, state, base, tip))
    return diff(repository, base, tip, paths) if paths else ""


def experiment_diff(state: RunState, number: int) -> str:
    """One experiment's change against the commit it was made on, kept or not."""
    change = state.commands.changes.get(number)
    if change is None:
        raise SetupError(f"experiment {number} has no candidate", f"There are {len(state.experiments)}.")
    return change.diff


def changed_files(repository: Repository, state: RunState, proposal: int | None = None) -> ChangedFiles:
    """What applying the run would put in place: all it kept, or what it kept and the change of a waiting proposal."""
    base, tip = _base(state), _tip(state) if proposal is None else _proposed(state, proposal)
    assert state.started is not None
    return files_between(repository, base, tip, report_paths(state.started.name))


def _base(state: RunState) -> str:
    assert state.started is not None
    return state.started.base_sha


def _tip(state: RunState) -> str:
    return state.keeps[-1].commit if state.keeps else _base(state)


def _proposed(state: RunState, number: int) -> str:
    """The commit of a parked change."""
    waiting = [parked.number for parked in state.waiting.proposals]
    if number not in waiting:
        names = ", ".join(state.experiments[one].name for one in waiting) or "none"
        raise SetupError(f"no proposal of that number waits; there are: {names}")
    return state.commands.changes[number].commit


def _paths(repository: Repository, state: RunState, base: str, tip: str) -> Iterator[str]:
    """Changed files but for ceopt's own report, which is on the branch where a run went on after it."""
    assert state.started is not None
    own = report_paths(state.started.name)
    return (path for path in changed_paths(repository, base, tip) if path not in own)
