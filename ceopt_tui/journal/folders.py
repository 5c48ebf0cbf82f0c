"""Where a run keeps its state, and to which repository that state belongs. Deletes nothing, asks git nothing."""

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ceopt_tui.errors import SetupError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import JOURNAL_NAME, storage_error, sync_folder

REPOSITORY_NAME = "repository"
STATE_ROOT_VARIABLE = "CEOPT_STATE_ROOT"
COMPOSED = "ceopt"  # below the folder that the variable names
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ARCHIVED = re.compile(rf"{_NAME.pattern}\.archived-\d{{8}}T\d{{6}}Z(-\d+)?")
_NAME_LENGTH = 64


def check_name(name: str) -> str:
    """Returns `name` when it is lower-case kebab-case and so safe in paths and branch names, else raises SetupError."""
    if not _NAME.fullmatch(name) or len(name) > _NAME_LENGTH:
        raise SetupError(
            f"the name {name!r} is not lower-case kebab-case of at most {_NAME_LENGTH} characters",
            "Use small letters, digits and single hyphens between them, such as support-triage.",
        )
    return name


def runs_folder(repository_root: Path, *, state_root: Path | None, environ: Mapping[str, str]) -> Path:
    """The folder that holds one state folder per run name."""
    if state_root is not None:
        return state_root.absolute()
    if composed := environ.get(STATE_ROOT_VARIABLE):
        return Path(composed).absolute() / COMPOSED
    return repository_root / ".context" / "ceopt"


def state_folder(name: str, repository_root: Path, *, state_root: Path | None, environ: Mapping[str, str]) -> Path:
    """The state folder of the run `name`; nothing is created."""
    return runs_folder(repository_root, state_root=state_root, environ=environ) / check_name(name)


def claim(folder: Path, *, repository_root: Path, git_common_dir: Path) -> None:
    """Creates the state folder, binds it to one repository and hides it from that repository's git.

    Raises SetupError when it belongs to another repository.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise SetupError(f"{folder} is in the way: it is not a folder", "Move it, or use --state-root.") from error
    except OSError as error:
        raise storage_error(error, folder) from error
    found = refuse_foreign(folder, repository_root=repository_root, git_common_dir=git_common_dir)
    _hide_from_git(folder, repository_root, git_common_dir)
    mine = _owner(git_common_dir)
    if found != mine:
        write_atomic(folder / REPOSITORY_NAME, mine)


def refuse_foreign(folder: Path, *, repository_root: Path, git_common_dir: Path) -> bytes | None:
    """SetupError when the state in `folder` belongs to another repository; else what its mark says, if it has one."""
    marker = folder / REPOSITORY_NAME
    try:
        found = marker.read_bytes() if marker.exists() else None
    except OSError as error:
        raise storage_error(error, marker) from error
    # State inside the repository moves with it; elsewhere another path means another repository.
    if found not in (None, _owner(git_common_dir)) and not _is_inside(folder, repository_root):
        raise SetupError(
            f"{folder} belongs to another repository: {os.fsdecode(found or b'').strip()}",
            "Give this run another name, or another --state-root.",
        )
    return found


def archive(folder: Path, moment: datetime) -> Path:
    """Moves an old state folder beside itself so that its name is free; returns where it is now."""
    stem = f"{folder.name}.archived-{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    target, number = folder.with_name(stem), 1
    while target.exists():
        number += 1
        target = folder.with_name(f"{stem}-{number}")
    try:
        folder.rename(target)
        sync_folder(folder.parent)
    except OSError as error:
        raise storage_error(error, folder) from error
    return target


def runs(root: Path) -> list[Path]:
    """State folders with a journal directly under `root`, by name; archived ones are not runs."""
    return _states(root, _NAME)


def archives(root: Path) -> list[Path]:
    """Archived state folders directly under `root`, by name."""
    return _states(root, _ARCHIVED)


def _states(root: Path, named: re.Pattern[str]) -> list[Path]:
    """Folders that hold a journal and are no links."""
    try:
        children = sorted(root.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise storage_error(error, root) from error
    return [
        child
        for child in children
        if named.fullmatch(child.name) and not child.is_symlink() and (child / JOURNAL_NAME).is_file()
    ]


def _owner(git_common_dir: Path) -> bytes:
    return os.fsencode(git_common_dir) + b"\n"


def _hide_from_git(folder: Path, repository_root: Path, git_common_dir: Path) -> None:
    if not _is_inside(folder, repository_root):
        return
    relative = folder.resolve().parent.relative_to(repository_root.resolve())
    # The folder of all runs when it is ceopt's own, else just this run: the rest may be the user's.
    hidden = relative if relative.parts[-2:] == (".context", "ceopt") else relative / folder.name
    pattern = b"/" + re.sub(rb"([\\*?\[\] ])", rb"\\\1", os.fsencode(hidden)) + b"/"
    exclude = (git_common_dir / "info" / "exclude").resolve()
    try:
        exclude.parent.mkdir(exist_ok=True)
        present = exclude.read_bytes() if exclude.exists() else b""
    except OSError as error:
        raise storage_error(error, exclude) from error
    if pattern not in present.splitlines():
        separator = b"" if not present or present.endswith(b"\n") else b"\n"
        write_atomic(exclude, present + separator + pattern + b"\n")


def _is_inside(folder: Path, repository_root: Path) -> bool:
    return folder.resolve().is_relative_to(repository_root.resolve())
