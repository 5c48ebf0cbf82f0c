"""The working trees git has registered, of the user and of ceopt. Read only."""

from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.gitops.repository import Repository


@dataclass(frozen=True)
class Registered:
    """One working tree; the first of a listing is the main one."""

    path: Path
    branch: str | None
    locked: bool

    @property
    def gone(self) -> bool:
        """Whether its folder was deleted behind git's back."""
        return not (self.path / ".git").exists()


def registered(repository: Repository) -> list[Registered]:
    """Every working tree of the repository, the main one first."""
    found = []
    for entry in repository.git("worktree", "list", "--porcelain", "-z").split("\0\0"):
        facts = dict(line.partition(" ")[::2] for line in entry.split("\0") if line)
        if "worktree" in facts:
            branch = facts["branch"].removeprefix("refs/heads/") if "branch" in facts else None
            found.append(Registered(Path(facts["worktree"]), branch, "locked" in facts))
    return found


def where_checked_out(repository: Repository, branch: str) -> Path | None:
    """The folder in which `branch` is checked out, if any."""
    return next((tree.path for tree in registered(repository) if tree.branch == branch and not tree.gone), None)
