"""Putting the winning text into the user's own files, when they ask for it: the only writes to their working tree."""

from collections.abc import Mapping

from ceopt_tui.errors import CeoptError, GitError, SetupError
from ceopt_tui.gitops.git import attempt
from ceopt_tui.gitops.paths import inside
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic

_HOOKS_S = 600.0


def apply_to_working_tree(repository: Repository, originals: Mapping[str, bytes], winners: Mapping[str, bytes]) -> None:
    """Replaces the content of each file that still holds its original, all or none; one already replaced counts.

    Raises SetupError, with nothing written, naming files that were changed since.
    """
    pending = {}
    for path, winner in winners.items():
        place = inside(repository.root, path)
        if not place.is_file() or place.read_bytes() != winner:
            pending[path] = winner
    changed = set(repository.dirty(sorted(pending)))
    for path in pending:
        place = repository.root / path
        if not place.is_file() or place.read_bytes() != originals[path]:
            changed.add(path)
    if changed:
        raise SetupError(
            f"{', '.join(sorted(changed))}: changed since the run started, so the new text was not written",
            "Commit or undo your change, then apply again; or merge the optimization branch yourself.",
        )
    written: list[str] = []
    try:
        for path, winner in pending.items():
            write_atomic(repository.root / path, winner)
            written.append(path)
    except CeoptError:
        for path in written:
            write_atomic(repository.root / path, originals[path])
        raise


def commit_as_user(repository: Repository, paths: list[str], message: str) -> str | None:
    """Commits `paths` on the user's branch as they would: their identity, hooks and signing; other staged work stays.

    Returns the commit, None when the paths hold nothing new. GitError carries the words of a hook that refused;
    the files keep their content.
    """
    if not repository.dirty(paths):
        return None
    literal = [f":(top,literal){path}" for path in paths]
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
