"""The worktree backend: edits live in checkouts of their own and reach only the optimization branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ceopt_tui.errors import GitError
from ceopt_tui.gitops.branches import (
    advance,
    delete_experiment,
    ensure_branch,
    experiment_branch,
    optimization_branch,
    refuse_clashes,
    refuse_elsewhere,
)
from ceopt_tui.gitops.commits import commit_files, commit_paths
from ceopt_tui.gitops.exactness import refuse_altered
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.worktrees import Worktrees


class WorktreeBackend:
    """A `Backend` over git worktrees below the run's state folder."""

    def __init__(self, repository: Repository, folder: Path, name: str) -> None:
        self.repository = str(repository.root)
        self.branch = optimization_branch(name)
        self._repository = repository
        self._name = name
        self._worktrees = Worktrees(repository, folder)

    def head(self) -> str:
        return self._repository.head()

    def dirty(self, paths: Sequence[str]) -> Sequence[str]:
        return self._repository.dirty(paths)

    def prepare(self, base_sha: str, paths: Sequence[str]) -> None:
        refuse_clashes(self._repository, self._name)
        refuse_elsewhere(self._repository, self.branch, base_sha)
        refuse_altered(self._repository, paths)
        trial = self._worktrees.add(experiment_branch(self._name, 0), base_sha, 0)
        self._worktrees.remove(trial)
        delete_experiment(self._repository, trial.branch)
        ensure_branch(self._repository, self.branch, base_sha)

    def keep(self, number: int, branch: str, base_sha: str, texts: Mapping[str, str], message: str) -> str:
        data = {path: text.encode("utf-8") for path, text in texts.items()}
        if done := self._already_kept(base_sha, data):
            delete_experiment(self._repository, branch)
            return done
        tree = self._worktrees.add(branch, base_sha, number)
        try:
            for path, content in data.items():
                (tree.path / path).write_bytes(content)
            commit = commit_paths(tree, sorted(data), message)
            if commit is None:
                raise GitError(f"{branch}: git sees no change to commit", "The candidate equals its base.")
            advance(self._repository, self.branch, commit, base_sha)
        finally:
            self._worktrees.remove(tree)
        delete_experiment(self._repository, branch)
        return commit

    def _already_kept(self, base_sha: str, data: Mapping[str, bytes]) -> str | None:
        """The branch's tip when it is this very change on this very base: a kill came between git and the journal."""
        tip = self._repository.resolve(self.branch)
        if tip == base_sha:
            return None
        parent = self._repository.attempt("rev-parse", "--verify", "--quiet", f"{tip}^")  # a first commit has none
        if parent.status or parent.stdout.decode().strip() != base_sha:
            return None
        same = all(self._repository.show(tip, path) == content for path, content in data.items())
        return tip if same else None

    def publish(self, files: Mapping[str, bytes], message: str) -> str:
        return commit_files(self._repository, self.branch, files, message)

    def clean(self) -> None:
        self._worktrees.clean()
