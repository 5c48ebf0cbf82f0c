"""Files a measurement needs beside the commit, copied from the user's working tree into a checkout."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from ceopt_tui.errors import SetupError, StorageError
from ceopt_tui.gitops.paths import inside
from ceopt_tui.gitops.worktrees import Worktree


def share(tree: Worktree, paths: Sequence[str]) -> None:
    """Copies each file or folder of `paths` to the same place in the checkout.

    Raises SetupError for a path that is absolute, leads out with .., holds a link, or is missing.
    """
    for path in paths:
        source = inside(tree.repository.root, path)
        target = inside(tree.path, path)
        if not source.exists():
            raise SetupError(f"the shared file {path} does not exist")
        _refuse_links(source)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target)
        except (OSError, shutil.Error) as error:
            raise StorageError(f"the shared file {path} cannot be copied: {error}") from error


def _refuse_links(source: Path) -> None:
    for found in source.rglob("*") if source.is_dir() else ():
        if found.is_symlink():
            raise SetupError(f"the shared folder {source} holds a link, {found}", "Share files only.")
