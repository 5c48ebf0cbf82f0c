"""Differences between two commits, the same whatever the user's diff settings are. Read only."""

from collections.abc import Sequence
from dataclasses import dataclass

from ceopt_tui.gitops.git import refusal
from ceopt_tui.gitops.repository import Repository

_PLAIN = ("-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")


@dataclass(frozen=True)
class FileChange:
    """How many lines one file gained and lost; None for both when it is not text."""

    path: str
    added_lines: int | None
    removed_lines: int | None


def numstat(repository: Repository, a: str, b: str, paths: Sequence[str] = ()) -> list[FileChange]:
    """Changed files between two commits, at or below `paths` (default: all), sorted by path."""
    found = []
    for entry in repository.git("diff-tree", *_PLAIN, "-z", "--numstat", a, b, "--", *paths).split("\0")[:-1]:
        added, removed, path = entry.split("\t", 2)
        binary = added == "-"
        found.append(FileChange(path, None if binary else int(added), None if binary else int(removed)))
    return sorted(found, key=lambda change: change.path)


def changed_paths(repository: Repository, a: str, b: str) -> list[str]:
    """Every path that differs between two commits, sorted."""
    return sorted(repository.git("diff-tree", *_PLAIN, "-z", "--name-only", a, b).split("\0")[:-1])


def diff(repository: Repository, a: str, b: str, paths: Sequence[str] = ()) -> str:
    """The unified diff between two commits; bytes that are no UTF-8 show as replacement characters."""
    args = ("diff-tree", *_PLAIN, "-p", a, b, "--", *paths)
    outcome = repository.attempt(*args)
    if outcome.status:
        raise refusal(args, outcome)
    return outcome.stdout.decode("utf-8", "replace")
