"""The worktree backend: edits live in checkouts of their own and reach only the optimization branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ceopt_tui.errors import GitError
from ceopt_tui.gitops.application import apply_to_working_tree
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
from ceopt_tui.gitops.tips import verify_tip
from ceopt_tui.gitops.trees import clear_scratch
from ceopt_tui.gitops.worktrees import Worktrees
from ceopt_tui.journal.disk import storage_error

SCRATCH = "scratch"  # beside the checkouts: throw-away indexes


class WorktreeBackend:
    """A `Backend` over git worktrees below the run's state folder."""

    def __init__(self, repository: Repository, folder: Path, name: str) -> None:
        self.repository = str(repository.root)
        self.branch = optimization_branch(name)
        self._repository = replace(repository, scratch=folder.with_name(SCRATCH))
        self._name = name
        self._worktrees = Worktrees(self._repository, folder)

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

    def verify_branch(self, left_at: str, paths: Sequence[str]) -> str:
        return verify_tip(self._repository, self.branch, left_at, paths)

    def keep(self, number: int, branch: str, base_sha: str, texts: Mapping[str, str], message: str) -> str:
        data = {path: text.encode("utf-8") for path, text in texts.items()}
        if done := self._already_kept(base_sha, data):
            delete_experiment(self._repository, branch)
            return done
        start = self._start(base_sha, data)
        tree = self._worktrees.add(branch, start, number)
        try:
            for path, content in data.items():
                _write(tree.path / path, content)
            commit = commit_paths(tree, sorted(data), message)
            if commit is None:
                raise GitError(f"{branch}: git sees no change to commit", "The candidate equals its base.")
            advance(self._repository, self.branch, commit, start)
        finally:
            self._worktrees.remove(tree)
        delete_experiment(self._repository, branch)
        return commit

    def _start(self, base_sha: str, data: Mapping[str, bytes]) -> str:
        """The commit to go on from: the branch's tip where only reports came on top of the base, else the base."""
        tip = self._repository.resolve(self.branch)
        return tip if self._reported_on(tip, base_sha, data) else base_sha

    def _reported_on(self, commit: str, base_sha: str, data: Mapping[str, bytes]) -> bool:
        """Is it the base, or a commit after it that left the files to be changed as they were?"""
        if commit == base_sha:
            return True
        show = self._repository.show
        follows = self._repository.is_ancestor(base_sha, commit)
        return follows and all(show(commit, path) == show(base_sha, path) for path in data)

    def _already_kept(self, base_sha: str, data: Mapping[str, bytes]) -> str | None:
        """The branch's tip when it is this very change on this very base: a kill came between git and the journal."""
        tip = self._repository.resolve(self.branch)
        parent = self._repository.attempt("rev-parse", "--verify", "--quiet", f"{tip}^")  # a first commit has none
        if tip == base_sha or parent.status or not self._reported_on(parent.stdout.decode().strip(), base_sha, data):
            return None
        same = all(self._repository.show(tip, path) == content for path, content in data.items())
        return tip if same else None

    def publish(self, files: Mapping[str, bytes], message: str) -> str:
        return commit_files(self._repository, self.branch, files, message)

    def apply(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        originals, winners = ({path: text.encode() for path, text in side.items()} for side in (before, after))
        apply_to_working_tree(self._repository, originals, winners)

    def clean(self) -> None:
        self._worktrees.clean()
        clear_scratch(self._repository)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise storage_error(error, path) from error
