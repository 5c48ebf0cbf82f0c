"""Putting the winning text into the user's own files, when they ask for it: the only writes to their working tree."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from ceopt_tui.errors import CeoptError, GitError, SetupError
from ceopt_tui.gitops.git import attempt
from ceopt_tui.gitops.paths import inside
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error, sync_folder

_HOOKS_S = 600.0


def apply_to_working_tree(
    repository: Repository,
    originals: Mapping[str, bytes | None],
    winners: Mapping[str, bytes | None],
    executable: Collection[str] = (),
) -> None:
    """Replaces the content of each file that still holds its original, all or none; one already replaced counts.

    None is a file that is not there. Of the files that are new, those in `executable` may be run.
    Raises SetupError, with nothing written, naming files that were changed since.
    """
    pending = {path: winner for path, winner in winners.items() if not holds(inside(repository.root, path), winner)}
    changed = set(repository.dirty(sorted(pending)))
    changed |= {path for path in pending if not holds(repository.root / path, originals[path])}
    if changed:
        raise SetupError(
            f"{', '.join(sorted(changed))}: changed since the run started, so the new text was not written",
            "Commit or undo your change, then apply again; or merge the optimization branch yourself.",
        )
    written: list[str] = []
    try:
        for path, winner in pending.items():
            _put(repository.root / path, winner, executable=path in executable)
            written.append(path)
    except CeoptError:
        for path in written:
            _put(repository.root / path, originals[path])
        raise


def holds(place: Path, content: bytes | None) -> bool:
    """Is this the content of the file there, or, for None, is nothing there?"""
    if content is None:
        return not os.path.lexists(place)
    return place.is_file() and place.read_bytes() == content


def _put(place: Path, content: bytes | None, *, executable: bool = False) -> None:
    try:
        if content is None:
            place.unlink()
            sync_folder(place.parent)
            return
        fresh = not place.exists()
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, content)
        if fresh and executable:
            mode = place.stat().st_mode
            place.chmod(mode | (mode & 0o444) >> 2)  # whoever may read it may run it
    except OSError as error:
        raise storage_error(error, place) from error


def commit_as_user(repository: Repository, paths: list[str], message: str) -> str | None:
    """Commits `paths` on the user's branch as they would: their identity, hooks and signing; other staged work stays.

    Returns the commit, None when the paths hold nothing new. GitError carries the words of a hook that refused;
    the files keep their content.
    """
    if not repository.dirty(paths):
        return None
    literal = [f":(top,literal){path}" for path in paths]
    if fresh := [f":(top,literal){path}" for path in paths if _is_unknown(repository, path)]:
        add = ["add", "--intent-to-add", "--", *fresh]  # git commits no file that it has never heard of
        if (outcome := attempt(add, repository.root, as_user=True, wait=repository.wait)).status:
            raise GitError(f"git did not add {', '.join(paths)}: {outcome.stderr.strip()}")
    args = ["commit", "--quiet", "--only", "--file=-", "--", *literal]
    text = (message.rstrip() + "\n").encode()
    outcome = attempt(args, repository.root, input=text, as_user=True, timeout_s=_HOOKS_S, wait=repository.wait)
    if outcome.status:
        said = outcome.stderr.strip() or outcome.stdout.decode("utf-8", "replace").strip()
        raise GitError(
            f"git did not commit {', '.join(paths)}: {said}",
            "The new text is in your files and on the optimization branch; commit it when that is settled.",
        )
    return repository.head()


def _is_unknown(repository: Repository, path: str) -> bool:
    return os.path.lexists(repository.root / path) and not repository.tracked(path)
