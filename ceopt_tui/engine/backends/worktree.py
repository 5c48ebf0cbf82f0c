"""The worktree backend: edits live in checkouts of their own and reach only the optimization branch.

The user's working tree, index and branch are never touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ceopt_tui.errors import GitError
from ceopt_tui.gitops.branches import advance, ensure_branch, optimization_branch
from ceopt_tui.gitops.commits import commit_paths
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.worktrees import Worktrees


class WorktreeBackend:
    """Where candidates become commits."""

    def __init__(self, repository: Repository, folder: Path, name: str) -> None:
        self.repository = repository
        self.name = name
        self.branch = optimization_branch(name)
        self._worktrees = Worktrees(repository, folder)

    def prepare(self, base_sha: str) -> None:
        """Makes the optimization branch and proves that a worktree can be made; SetupError when not."""
        ensure_branch(self.repository, self.branch, base_sha)
        trial = self._worktrees.add(f"optimize-exp/{self.name}/trial", base_sha, 0)
        self._worktrees.remove(trial)

    def keep(self, number: int, branch: str, base_sha: str, texts: Mapping[str, str], message: str) -> str:
        """Commits the texts on the experiment's branch and moves the optimization branch to it; gives the commit."""
        tree = self._worktrees.add(branch, base_sha, number)
        try:
            for path, text in texts.items():
                (tree.path / path).write_bytes(text.encode("utf-8"))
            commit = commit_paths(tree, sorted(texts), message)
            if commit is None:
                raise GitError("nothing to commit: the candidate equals its base", "This is a fault of ceopt.")
            advance(self.repository, self.branch, commit, base_sha)
        finally:
            self._worktrees.remove(tree)
        return commit

    def clean(self) -> None:
        """Removes worktrees a killed run left behind."""
        self._worktrees.clean()
