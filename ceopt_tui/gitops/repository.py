"""The user's repository, read only: where it is, what is committed, what is not."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.git import TIMEOUT_S, Outcome, Wait, attempt, git, refusal, wait_until_unlocked
from ceopt_tui.gitops.version import require_git


@dataclass(frozen=True)
class Repository:
    """A repository with a working tree and at least one commit."""

    root: Path
    git_dir: Path  # of this working tree
    git_common_dir: Path  # shared by all its working trees
    wait: Wait = field(default=time.sleep, repr=False, compare=False)
    scratch: Path | None = field(default=None, compare=False)  # for throw-away indexes; else the system's folder

    @classmethod
    def find(cls, path: Path, *, wait: Wait = time.sleep) -> Self:
        """The repository that holds `path`, which need not exist yet. Raises SetupError when there is none."""
        start = path.absolute()
        while not start.is_dir():
            start = start.parent
        require_git(start)
        root, git_dir, common = (
            Path(_located(start, question)) for question in ("--show-toplevel", "--git-dir", "--git-common-dir")
        )
        found = cls(root, git_dir, common, wait)
        if not found.says("rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
            raise SetupError(f"the repository {root} has no commit yet", "Commit the files first, then run ceopt.")
        return found

    def git(self, *args: str, input: bytes | None = None, env: Mapping[str, str] | None = None) -> str:
        """Runs git at the root of the working tree."""
        return git(args, self.root, input=input, env=env, wait=self.wait)

    def attempt(
        self, *args: str, input: bytes | None = None, env: Mapping[str, str] | None = None, timeout_s: float = TIMEOUT_S
    ) -> Outcome:
        """Runs git at the root of the working tree; a refusal is returned, not raised."""
        return attempt(args, self.root, input=input, env=env, timeout_s=timeout_s, wait=self.wait)

    def says(self, *args: str) -> bool:
        """Git's answer to a question: yes for status 0, no for 1. Raises for any other: that is no answer."""
        outcome = self.attempt(*args)
        if outcome.status > 1:
            raise refusal(args, outcome)
        return outcome.status == 0

    def head(self) -> str:
        """The commit the working tree is at."""
        return self.resolve("HEAD")

    def resolve(self, ref: str) -> str:
        """The commit `ref` names."""
        return self.git("rev-parse", "--verify", f"{ref}^{{commit}}").strip()

    def current_branch(self) -> str | None:
        """The branch that is checked out here, None when HEAD is detached."""
        return self.git("branch", "--show-current").rstrip("\n") or None

    def branch_exists(self, branch: str) -> bool:
        """Whether a local branch of this name exists."""
        return self.says("show-ref", "--verify", "--quiet", f"refs/heads/{branch}")

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` can be reached from `older` by going forward."""
        return self.says("merge-base", "--is-ancestor", older, newer)

    def tracked(self, path: str) -> bool:
        """Whether git knows the file at `path`, relative to the root."""
        return self.says("ls-files", "--error-unmatch", "--", path)

    def dirty(self, paths: Sequence[str]) -> list[str]:
        """Files at or below `paths` with staged, unstaged or untracked changes, as written, sorted.

        Waits for a git command that is changing the index, since its outcome decides the answer; GitError names
        the lock when it stays.
        """
        if not paths:
            return []
        wait_until_unlocked(self.git_dir / "index.lock", self.wait)
        # The user's settings decide what is clean: their line endings on disk may rightly differ from the commit.
        args = ["-c", "core.fsmonitor=false", "--no-optional-locks", "status", "--porcelain=v1", "-z", "--no-renames"]
        literal = [f":(top,literal){path}" for path in paths] if "." not in paths else []
        args += ["--untracked-files=all", "--ignore-submodules=none", "--", *literal]
        return sorted(entry[3:] for entry in git(args, self.root, as_user=True, wait=self.wait).split("\0") if entry)

    def show(self, ref: str, path: str) -> bytes:
        """The committed bytes of `path` at `ref`, not converted. Raises GitError when it is not a file there."""
        outcome = self.attempt("cat-file", "blob", f"{ref}:{path}")
        if outcome.status:
            raise GitError(f"{path} is not a file in {ref}: {outcome.stderr.strip()}")
        return outcome.stdout


def _located(start: Path, question: str) -> str:
    outcome = attempt(("rev-parse", "--path-format=absolute", question), start)
    if outcome.status or not outcome.stdout.strip():
        said = outcome.stderr.strip().removeprefix("fatal: ") or "it has no working tree"
        raise SetupError(
            f"{start} is not in a git repository ceopt can use: {said}",
            "ceopt keeps versions of a text in git: run it inside a repository, or make one with git init.",
        )
    return os.fsdecode(outcome.stdout).removesuffix("\n")
