"""Checkouts for experiments, only ever directly under one folder and only ever named exp-NNN.

Nothing else is removed, and a checkout that cannot be made is never replaced by the user's own.
"""

import re
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.errors import CeoptError, GitError, SetupError, StorageError
from ceopt_tui.gitops.branches import ARCHIVE, EXPERIMENTS
from ceopt_tui.gitops.git import GitLocked, attempt, git, refusal
from ceopt_tui.gitops.listing import Registered, registered
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import FULL_DISK, is_read_only, storage_error

_OURS = re.compile(r"exp-\d{3,}")
_CHECKOUT_S = 600.0
_HALF_MADE_S = 2.0  # git takes milliseconds from making its entry to writing where the checkout is


@dataclass(frozen=True)
class Worktree:
    """A checkout of `branch`, which started at `base_sha`; files at or below `hidden` are not in it."""

    repository: Repository
    path: Path
    branch: str
    base_sha: str
    number: int
    hidden: tuple[str, ...] = ()


class Worktrees:
    """The experiment checkouts of one run."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        self.repository = repository
        self.folder = folder.resolve()

    def add(self, branch: str, base_sha: str, number: int, hidden: Sequence[str] = ()) -> Worktree:
        """Checks `base_sha` out on `branch` in exp-NNN, without the files at or below `hidden`.

        What a killed run left there goes first. Raises SetupError, naming git's reason, when it cannot be made.
        """
        if not branch.startswith(f"{EXPERIMENTS}/"):
            raise ValueError(f"{branch} is not an experiment's branch")
        tree = Worktree(self.repository, self.folder / f"exp-{number:03d}", branch, base_sha, number, tuple(hidden))
        try:
            self.prune()
            self._make_room(tree.path)
            self._settle(branch, base_sha)
            self._check_out(tree)
        except (OSError, GitError, StorageError) as error:
            self._undo(tree.path)
            raise self._not_made("no separate checkout", tree.path, error) from error
        return tree

    def add_detached(self, sha: str, number: int) -> Worktree:
        """Checks `sha` out in exp-NNN on no branch, to be measured and not to be changed. Raises SetupError."""
        tree = Worktree(self.repository, self.folder / f"exp-{number:03d}", "", sha, number)
        try:
            self.prune()
            self._make_room(tree.path)
            args = ("worktree", "add", "--detach", str(tree.path), sha)
            outcome = self.repository.attempt(*args, timeout_s=_CHECKOUT_S)
            if outcome.status:
                raise refusal(args, outcome)
        except (OSError, GitError, StorageError) as error:
            self._undo(tree.path)
            raise self._not_made("no checkout to measure in", tree.path, error) from error
        return tree

    def remove(self, tree: Worktree) -> None:
        """Removes a checkout of this run; its branch stays. GitError names what could not be removed."""
        self._remove(tree.path)

    def own(self) -> list[Path]:
        """Every checkout of this run that git knows."""
        return [tree.path for tree in registered(self.repository) if self._is_ours(tree.path)]

    def remove_path(self, path: Path) -> None:
        """Removes one of the checkouts that `own` names; GitError for any other path."""
        self._remove(path)

    def clean(self) -> list[str]:
        """Removes every checkout of this run that git knows; returns the paths that had to stay."""
        self._forget_half_made()
        stayed = []
        for path in self.own():
            try:
                self._remove(path)
            except GitError:
                stayed.append(str(path))
        return stayed

    def prune(self) -> list[str]:
        """Forgets checkouts whose folder is gone: this run's, and experiment checkouts left elsewhere; returns them.

        Others stay registered: their folder may only have been moved, or be on a disk that is not there now.
        """
        forgotten = []
        for tree in registered(self.repository)[1:]:
            if tree.gone and (self._is_ours(tree.path) or _is_left_over(tree)):
                self.repository.git("worktree", "remove", "--force", "--force", str(tree.path))
                forgotten.append(str(tree.path))
        return forgotten

    def _forget_half_made(self) -> None:
        """Takes away what a git left that was cut off before it wrote where its checkout is; git lists it nowhere.

        One that is being made this very moment is younger than that.
        """
        for entry in (self.repository.git_common_dir / "worktrees").glob("exp-*"):
            with suppress(OSError):
                old = time.time() - entry.stat().st_mtime > _HALF_MADE_S
                if old and _OURS.fullmatch(entry.name) and _is_half_made(entry):
                    shutil.rmtree(entry)

    def _is_ours(self, path: Path) -> bool:
        return path.parent == self.folder and bool(_OURS.fullmatch(path.name)) and not path.is_symlink()

    def _remove(self, path: Path) -> None:
        if not self._is_ours(path):
            raise GitError(f"{path} is not a checkout of this run, so it stays")
        # Forced twice: a git killed while making a checkout leaves it locked as "initializing".
        args = ("worktree", "remove", "--force", "--force", str(path))
        outcome = self.repository.attempt(*args, timeout_s=_CHECKOUT_S)
        if outcome.status and self._is_severed(path):
            try:
                shutil.rmtree(path)
            except OSError as error:
                raise GitError(f"{path} could not be removed: {error.strerror or error}") from error
            outcome = self.repository.attempt(*args, timeout_s=_CHECKOUT_S)
        if outcome.status:
            raise refusal(args, outcome)

    def _is_severed(self, path: Path) -> bool:
        """Did somebody take away or change what ties this checkout to its repository, so that git leaves it alone?"""
        if not any(tree.path == path for tree in registered(self.repository)):
            return False
        tie = path / ".git"
        try:
            tied = not tie.is_symlink() and tie.read_bytes().startswith(b"gitdir: ") and self._leads_home(tie)
        except OSError:
            return True
        return not tied

    def _leads_home(self, tie: Path) -> bool:
        goal = tie.parent / tie.read_text(errors="surrogateescape").removeprefix("gitdir: ").rstrip("\n")
        return goal.resolve().parent == (self.repository.git_common_dir / "worktrees").resolve()

    def _make_room(self, path: Path) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(tree.path == path for tree in registered(self.repository)):
            self._remove(path)
        if path.is_symlink() or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
            raise GitError(f"{path} exists and git does not know it as a checkout; move it away")

    def _settle(self, branch: str, base_sha: str) -> None:
        """Keeps commits that others made on a left-over branch under a name of the archive before it is reset."""
        if not self.repository.branch_exists(branch):
            return
        tip = self.repository.resolve(f"refs/heads/{branch}")
        committers = self.repository.git("log", "--format=%ce", f"{base_sha}..{tip}").split()
        if set(committers) - {"ceopt@localhost"}:
            kept = f"refs/heads/{ARCHIVE}/{branch.removeprefix(f'{EXPERIMENTS}/')}-{tip[:12]}"
            self.repository.git("update-ref", kept, tip)

    def _check_out(self, tree: Worktree) -> None:
        options = ("--no-checkout",) if tree.hidden else ()
        args = ("worktree", "add", "--no-track", *options, "-B", tree.branch, str(tree.path), tree.base_sha)
        outcome = self.repository.attempt(*args, timeout_s=_CHECKOUT_S)
        if outcome.status:
            raise refusal(args, outcome)
        if tree.hidden:
            self._check_out_the_rest(tree)

    def _check_out_the_rest(self, tree: Worktree) -> None:
        """Skips the hidden files by a bit in this index: a sparse-checkout would write to the user's config."""
        git(["read-tree", "HEAD"], tree.path)
        paths = git(["ls-files", "-z", "--", *tree.hidden], tree.path)
        encoded = paths.encode("utf-8", "surrogateescape")
        git(["update-index", "-z", "--skip-worktree", "--stdin"], tree.path, input=encoded)
        args = ["checkout-index", "--all", "--quiet", "-u"]
        outcome = attempt(args, tree.path, timeout_s=_CHECKOUT_S)
        if outcome.status:
            raise refusal(args, outcome)

    def _not_made(self, what: str, path: Path, error: Exception) -> CeoptError:
        """Why there is none: with a full disk mended or a lock gone the run resumes, all else is the set-up's."""
        if isinstance(error, StorageError | GitLocked):
            return error
        if isinstance(error, OSError) and error.errno in FULL_DISK:
            return storage_error(error, path)
        # git names the file that it could not write and not always why.
        git_dir = self.repository.git_common_dir
        reason = f"{git_dir} is on a read-only disk" if is_read_only(git_dir) else error
        return SetupError(
            f"{what} could be made in {path}: {reason}",
            "ceopt does not work in your own checkout instead. Nothing of yours was changed.",
        )

    def _undo(self, path: Path) -> None:
        """Takes a half-made checkout away if it can; the next start takes away what it cannot."""
        with suppress(GitError, StorageError):
            if self._is_ours(path) and any(tree.path == path for tree in registered(self.repository)):
                self.repository.attempt("worktree", "remove", "--force", "--force", str(path))


def _is_left_over(tree: Registered) -> bool:
    """An experiment's checkout of an older run: named like one, unlocked, and on a disk that is there."""
    name = (tree.branch or "").rpartition("/")[2]
    return bool(_OURS.fullmatch(name)) and not tree.locked and tree.path.parent.is_dir()


def _is_half_made(entry: Path) -> bool:
    """Does git's own entry of a checkout lack its place, and hold no lock but that of its making?"""
    place, lock = entry / "gitdir", entry / "locked"
    placed = place.is_file() and bool(place.read_text().strip())
    return not placed and (not lock.exists() or lock.read_text().strip() in {"", "initializing"})
