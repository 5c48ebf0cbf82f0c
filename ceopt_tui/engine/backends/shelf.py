"""Where changes to code become history: commits put on top of others, and the optimization branch moved to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.application import apply_to_working_tree
from ceopt_tui.gitops.branches import advance, delete_experiment, optimization_branch
from ceopt_tui.gitops.commits import cherry_pick
from ceopt_tui.gitops.diffs import changed_paths
from ceopt_tui.gitops.file_changes import files_between
from ceopt_tui.gitops.repository import Repository


class GitShelf:
    """A `Shelf` over one repository; no checkout, no index and no branch of the user's is touched but by `apply`."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._branch = optimization_branch(name)

    def combine(self, base_sha: str, commit: str, onto: str, message: str) -> str | None:
        if self._changed(base_sha, commit) & self._changed(base_sha, onto):
            return None
        return cherry_pick(self._repository, base_sha, commit, onto, message) or onto

    def keep(self, commit: str, onto: str) -> str:
        tip = self._repository.resolve(f"refs/heads/{self._branch}")
        if tip == commit or self._repository.is_ancestor(commit, tip):
            return tip
        if tip != onto and self._repository.is_ancestor(onto, tip):
            if not self._changed(onto, commit) & self._changed(commit, tip):
                return tip  # repeated on top of a report before a kill
            message = self._repository.git("log", "-1", "--format=%B", commit).strip()
            commit = cherry_pick(self._repository, onto, commit, tip, message) or tip
        if commit != tip:
            advance(self._repository, self._branch, commit, tip)
        return commit

    def apply(self, base_sha: str, commit: str, leave: Collection[str]) -> Sequence[str]:
        files = files_between(self._repository, base_sha, commit, leave)
        apply_to_working_tree(self._repository, files.before, files.after, files.executable)
        return sorted(files.after)

    def drop(self, number: int, branch: str) -> None:
        with suppress(SetupError):  # somebody has it checked out: it stays theirs
            delete_experiment(self._repository, branch)

    def _changed(self, older: str, newer: str) -> set[str]:
        return set(changed_paths(self._repository, older, newer))
