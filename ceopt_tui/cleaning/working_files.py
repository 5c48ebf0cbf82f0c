"""Working files of one run: which can go, which stay and why; and taking away those that were shown.

Removes single files by their known names and checkouts through the worktree module; nothing by a pattern, nothing
behind a link, nothing while another process works on the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ceopt_tui.cleaning.inventory import Inventory, Thing, size_of
from ceopt_tui.cleaning.own_folders import OWN_FOLDERS, own_things, remove_own
from ceopt_tui.core.ports import Clock
from ceopt_tui.engine.bound_files import COPIES_NAME, REPLACED
from ceopt_tui.engine.digest import DIGEST_NAME
from ceopt_tui.engine.ending import REQUEST_NAME
from ceopt_tui.engine.files import PAGE_NAME, REPORT_NAME
from ceopt_tui.engine.log_view import LOG_NAME
from ceopt_tui.engine.wrapping_up import PULL_REQUEST_NAME
from ceopt_tui.errors import CeoptError, SetupError
from ceopt_tui.gitops.branches import EXPERIMENTS, branches, optimization_branch
from ceopt_tui.gitops.worktrees import Worktrees
from ceopt_tui.journal.atomic import working_name
from ceopt_tui.journal.disk import JOURNAL_NAME, storage_error, sync_folder
from ceopt_tui.journal.folders import REPOSITORY_NAME, refuse_foreign
from ceopt_tui.journal.journal import torn_copies
from ceopt_tui.journal.lock import LOCK_NAME, OWNER_NAME, RunLock
from ceopt_tui.looking import FoundRun
from ceopt_tui.run_places import BENCH, WORKTREES
from ceopt_tui.schedule.job import LOG_NAME as SCHEDULE_LOG_NAME

CHECKOUTS = {WORKTREES, BENCH}
KEPT = {
    JOURNAL_NAME: "the run itself",
    LOG_NAME: "the log, readable",
    "spec.yaml": "the spec as it was read",
    COPIES_NAME: "spec and eval set as they were measured by",
    REPLACED: "files of yours that copies replaced",
    REPORT_NAME: "the report",
    PAGE_NAME: "the report as a page",
    PULL_REQUEST_NAME: "the text for your pull request",
    "labels.yaml": "scores that you gave",
    "coverage.json": "what each rule is worth, paid for",
    SCHEDULE_LOG_NAME: "what scheduled starts said",
    REPOSITORY_NAME: "says whose state this is",
    LOCK_NAME: "keeps two processes apart",
    OWNER_NAME: "keeps two processes apart",
}
TORN = "the cut end of a journal that was torn"
# Files that are made again from the journal when they are needed, and what a killed write may leave beside any other.
WORKING = {DIGEST_NAME: "made again when a proposer needs it", REQUEST_NAME: "came too late"} | {
    working_name(name): "a write that was cut off" for name in (*KEPT, DIGEST_NAME, f"{JOURNAL_NAME}.torn-")
}
UNKNOWN = "ceopt did not name it, so it may be yours"
LINK = "a link: what is behind it may be yours"


def take_inventory(found: FoundRun) -> Inventory:
    """What a cleaning of this run would do. SetupError when the state is another repository's or cannot be read."""
    if found.fault:
        raise SetupError(f"nothing of {found.name} is removed: {found.fault}")
    repository, folder = found.repository, found.folder
    refuse_foreign(folder, repository_root=repository.root, git_common_dir=repository.git_common_dir)
    goes: list[Thing] = []
    stays: list[Thing] = []
    named = KEPT | {path.name: TORN for path in torn_copies(folder)}
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            stays.append(Thing(str(path), LINK))
        elif path.name in CHECKOUTS and path.is_dir():
            ours, others = _checkouts(found, path)
            goes += ours
            stays += others
        elif path.name in OWN_FOLDERS and path.is_dir():
            ours, others = own_things(path, found.state, UNKNOWN)
            goes += ours
            stays += others
        elif path.name in WORKING and path.is_file():
            goes.append(Thing(str(path), WORKING[path.name], size_of(path)))
        else:
            stays.append(Thing(str(path), named.get(path.name, UNKNOWN), size_of(path)))
    return Inventory(goes, [*stays, *_branches(found)])


def refuse_unfinished(found: FoundRun) -> None:
    """SetupError while the run is not at its end: what looks left over may be in use when it goes on."""
    if found.status != "finished":
        raise SetupError(
            f"{found.name} is {found.status.replace('_', ' ')}, so everything stays",
            "End it with `ceopt stop`, or add --unfinished: what it needs is then made again.",
        )


def remove(found: FoundRun, shown: Sequence[Thing], clock: Clock) -> list[Thing]:
    """Takes away what was shown, under the run's lock; gives what had to stay all the same, and why.

    BusyError while another process works on the run.
    """
    stayed = []
    with RunLock.acquire(found.folder, now=clock.now):
        still = {thing.name for thing in take_inventory(found).goes}
        for thing in shown:
            try:
                why = _removed(found, Path(thing.name)) if thing.name in still else "changed meanwhile"
            except CeoptError as error:
                why = error.message
            if why:
                stayed.append(Thing(thing.name, why))
        sync_folder(found.folder)
    return stayed


def _checkouts(found: FoundRun, place: Path) -> tuple[list[Thing], list[Thing]]:
    """Checkouts of this run, then the folder itself when nothing else is in it; and what git does not know there."""
    own = set(Worktrees(found.repository, place).own())
    children = {path: path.resolve() for path in sorted(place.iterdir()) if not path.is_symlink()}
    goes = [
        Thing(
            str(path),
            "a checkout of an experiment that was cut off"
            if place.name == WORKTREES
            else "a checkout that was measured in",
            size_of(path),
        )
        for path, real in children.items()
        if real in own
    ]
    others = [path for path in sorted(place.iterdir()) if children.get(path) not in own]
    stays = [Thing(str(path), LINK if path.is_symlink() else UNKNOWN) for path in others]
    if not stays:
        goes.append(Thing(str(place), "empty without them" if goes else "empty"))
    return goes, stays


def _branches(found: FoundRun) -> Iterator[Thing]:
    main = optimization_branch(found.name)
    for branch in branches(found.repository):
        if branch == main:
            yield Thing(f"branch {branch}", "what the run kept")
        elif branch.startswith(f"{EXPERIMENTS}/{found.name}/"):
            yield Thing(f"branch {branch}", "the next start of the run settles it")


def _own_folders(found: FoundRun) -> set[Path]:
    return {found.folder / name for name in OWN_FOLDERS}


def _removed(found: FoundRun, path: Path) -> str:
    """Removes one thing of the inventory; why it stays, if it does."""
    try:
        if path.parent == found.folder and path.name in WORKING:
            path.unlink()
        elif path.name in CHECKOUTS and path.parent == found.folder:
            path.rmdir()
        elif own := next((one for one in (path, path.parent) if one in _own_folders(found)), None):
            remove_own(own, path)
        else:
            Worktrees(found.repository, path.parent).remove_path(path.resolve())
    except OSError as error:
        return storage_error(error, path).message
    return ""
