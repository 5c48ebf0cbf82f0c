"""What a run that a command measures kept, from its commits: as a diff, and as files to put in place. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.files import report_paths
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.diffs import changed_paths, diff
from ceopt_tui.gitops.repository import Repository

_ABSENT = "000000"  # git's mode of a file that is not there
_PLAIN, _EXECUTABLE = "100644", "100755"


@dataclass(frozen=True)
class ChangedFiles:
    """Bytes of each changed file on both sides, None where it is not there, and those that are made executable."""

    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]
    executable: frozenset[str]


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
    modes = _modes(repository, base, tip)
    paths = list(_paths(repository, state, base, tip))
    odd = [path for path in paths if not _is_content(*modes[path])]
    if odd:
        raise SetupError(
            f"{', '.join(odd)}: a link, a submodule or changed permissions, which are not put in place one by one",
            f"Merge it with git: git merge {tip[:10]}",
        )
    return ChangedFiles(
        {path: None if modes[path][0] == _ABSENT else repository.show(base, path) for path in paths},
        {path: None if modes[path][1] == _ABSENT else repository.show(tip, path) for path in paths},
        frozenset(path for path in paths if modes[path][1] == _EXECUTABLE),
    )


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


def _modes(repository: Repository, base: str, tip: str) -> dict[str, tuple[str, str]]:
    """Git's modes of every changed file before and after."""
    listed = repository.git("diff-tree", "-r", "--no-renames", "--raw", "-z", base, tip).split("\0")[:-1]
    pairs = zip(listed[::2], listed[1::2], strict=True)
    return {path: (facts.split()[0].lstrip(":"), facts.split()[1]) for facts, path in pairs}


def _is_content(before: str, after: str) -> bool:
    """Is a file of its own on both sides where it is there at all, and only its content another?"""
    plain = {before, after} <= {_ABSENT, _PLAIN, _EXECUTABLE}
    return plain and (_ABSENT in {before, after} or before == after)
