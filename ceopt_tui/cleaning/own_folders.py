"""Folders of a run with files that ceopt names by itself: throw-away indexes, and what went to workers and came back.

Every file is listed and removed by its own name. Whatever else lies beside it may be somebody's: it stays, and its
folder with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ceopt_tui.cleaning.inventory import Thing, size_of
from ceopt_tui.command_run import DISPATCHED, RESULTS
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.backends.worktree import SCRATCH
from ceopt_tui.gitops.trees import INDEX_FILES, INDEX_PREFIX

OWN_FOLDERS = frozenset({SCRATCH, DISPATCHED, RESULTS})
_WHY = {
    SCRATCH: "an index that was cut off",
    DISPATCHED: "what a worker elsewhere was given",
    RESULTS: "the copy of a worker's result, which is in the journal",
}
_SUFFIX = {DISPATCHED: "json", RESULTS: "yaml"}
LATER = "what workers elsewhere delivered; in use until the run has ended"


def own_things(folder: Path, state: RunState, unknown: str) -> tuple[list[Thing], list[Thing]]:
    """What of one of these folders goes, the folder last if nothing else is in it; and what stays, as `unknown`."""
    if folder.name != SCRATCH and state.finished is None:
        return [], [Thing(str(folder), LATER, size_of(folder))]
    own = set(_own(folder, state))
    found = sorted(folder.iterdir())
    goes = [Thing(str(path), _WHY[folder.name], size_of(path)) for path in found if path in own]
    stays = [Thing(str(path), unknown, size_of(path)) for path in found if path not in own]
    if not stays:
        goes.append(Thing(str(folder), "empty without them" if goes else "empty"))
    return goes, stays


def remove_own(folder: Path, path: Path) -> None:
    """Removes one thing of `own_things`. OSError where it is not as it was listed."""
    if path == folder:
        path.rmdir()
    elif folder.name == SCRATCH:
        for name in INDEX_FILES:
            (path / name).unlink(missing_ok=True)
        path.rmdir()
    else:
        path.unlink()


def _own(folder: Path, state: RunState) -> Sequence[Path]:
    if folder.name == SCRATCH:
        return [path for path in folder.iterdir() if path.name.startswith(INDEX_PREFIX) and _is_index(path)]
    named = [folder / f"exp-{number:03d}.{_SUFFIX[folder.name]}" for number in state.experiments]
    return [path for path in named if path.is_file() and not path.is_symlink()]


def _is_index(path: Path) -> bool:
    """A folder with an index and nothing else."""
    if path.is_symlink() or not path.is_dir():
        return False
    return all(one.name in INDEX_FILES and one.is_file() and not one.is_symlink() for one in path.iterdir())
