"""Where changes to code become history: commits put on top of others, and the optimization branch moved to them."""

from __future__ import annotations

from ceopt_tui.errors import GitError
from ceopt_tui.gitops.branches import advance, delete_experiment, optimization_branch
from ceopt_tui.gitops.commits import cherry_pick
from ceopt_tui.gitops.repository import Repository


class GitShelf:
    """A `Shelf` over one repository; no checkout, no index and no branch of the user's is touched."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._repository = repository
        self._branch = optimization_branch(name)

    def combine(self, base_sha: str, commit: str, onto: str, message: str) -> str | None:
        try:
            return cherry_pick(self._repository, base_sha, commit, onto, message) or onto
        except GitError:
            return None

    def keep(self, commit: str, onto: str) -> str:
        tip = self._repository.resolve(f"refs/heads/{self._branch}")
        if tip == commit or self._repository.is_ancestor(commit, tip):
            return tip
        if tip != onto:  # a report was committed meanwhile
            message = self._repository.git("log", "-1", "--format=%B", commit).strip()
            commit = cherry_pick(self._repository, onto, commit, tip, message) or tip
        if commit != tip:
            advance(self._repository, self._branch, commit, tip)
        return commit

    def drop(self, number: int, branch: str) -> None:
        delete_experiment(self._repository, branch)
