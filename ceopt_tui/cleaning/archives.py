"""Archived runs: their state folders and branches, listed; and removing one that somebody named in full."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from ceopt_tui.cleaning.inventory import Thing, size_of
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.branches import ARCHIVE, branches, delete_archived
from ceopt_tui.gitops.listing import registered
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import storage_error, sync_folder
from ceopt_tui.journal.folders import archives, refuse_foreign, runs_folder


def archived_things(repository: Repository, state_root: Path | None, environ: Mapping[str, str]) -> list[Thing]:
    """Every archived state folder and branch of this repository, each under the name it is removed by."""
    root = runs_folder(repository.root, state_root=state_root, environ=environ)
    found = [Thing(path.name, "state of an earlier run", size_of(path)) for path in archives(root)]
    for branch in branches(repository):
        if branch.startswith(f"{ARCHIVE}/"):
            sha = repository.resolve(f"refs/heads/{branch}")
            found.append(Thing(branch, f"branch at {sha[:12]}"))
    return found


def named_things(things: list[Thing], names: tuple[str, ...]) -> list[Thing]:
    """The things of these names. SetupError for a name that is not listed: nothing is guessed or expanded."""
    by_name = {thing.name: thing for thing in things}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise SetupError(
            f"nothing archived is called {', '.join(unknown)}", "`ceopt clean --archived` lists the names."
        )
    return [by_name[name] for name in dict.fromkeys(names)]


def remove_archived(repository: Repository, thing: Thing, state_root: Path | None, environ: Mapping[str, str]) -> None:
    """Removes one archived state folder or branch for good. CeoptError says why it stays."""
    if thing.name.startswith(f"{ARCHIVE}/"):
        delete_archived(repository, thing.name)
        return
    root = runs_folder(repository.root, state_root=state_root, environ=environ)
    folder = next((path for path in archives(root) if path.name == thing.name), None)
    if folder is None:
        raise SetupError(f"{thing.name} is gone already")
    refuse_foreign(folder, repository_root=repository.root, git_common_dir=repository.git_common_dir)
    real = folder.resolve()
    inside = next((tree.path for tree in registered(repository) if tree.path.is_relative_to(real)), None)
    if inside is not None:
        raise SetupError(f"{folder} stays: git has a checkout in it, {inside}", f"git worktree remove {inside}")
    try:
        shutil.rmtree(folder)
        sync_folder(root)
    except OSError as error:
        raise storage_error(error, folder) from error
