"""Is a run's branch still where the run left it? Puts back one that is gone; moves none that is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.branches import ensure_branch, refuse_checked_out
from ceopt_tui.gitops.environment import OWN_EMAIL
from ceopt_tui.gitops.repository import Repository

FRESH = "start over with --fresh: the old run is archived, nothing is deleted."


def verify_tip(repository: Repository, branch: str, recorded: str, paths: Sequence[str]) -> str:
    """Sees to it that `branch` is at `recorded`; gives what was done about it, in words, or nothing.

    Commits of ceopt's own may follow, since a kill can come between git and the journal, and others' sparing `paths`.

    SetupError, with what to type, where it is elsewhere, checked out, or gone with its commits.
    """
    known = repository.attempt("rev-parse", "--verify", "--quiet", f"{recorded}^{{commit}}").status == 0
    if not repository.branch_exists(branch):
        if not known:
            raise SetupError(
                f"the branch {branch} is gone, and so is the commit {recorded[:10]} at which this run left it",
                f"Fetch it from where it was pushed, or {FRESH}",
            )
        ensure_branch(repository, branch, recorded)
        return f"the branch {branch} was gone and is put back at {recorded[:10]}, the last commit on record"
    refuse_checked_out(repository, branch)
    tip = repository.resolve(f"refs/heads/{branch}")
    if tip == recorded:
        return ""
    if not known or not repository.is_ancestor(recorded, tip):
        raise _elsewhere(branch, f"is at {tip[:10]}, and this run left it at {recorded[:10]}", tip, recorded, known)
    if foreign := _foreign(repository, recorded, tip, paths):
        what = f"has commits that are not this run's on files it changes, such as {foreign[:10]}"
        raise _elsewhere(branch, what, tip, recorded, known)
    return ""


def _elsewhere(branch: str, what: str, tip: str, recorded: str, known: bool) -> SetupError:
    kept = f"{branch.replace('/', '-')}-moved"
    commands = f"git branch {kept} {tip[:10]} && git branch -f {branch} {recorded}"
    back = f"To go on, keep what is there and put it back: {commands}\nOr "
    return SetupError(f"the branch {branch} {what}", f"{back if known else 'To go on, '}{FRESH}")


def _foreign(repository: Repository, recorded: str, tip: str, paths: Sequence[str]) -> str:
    """A commit after `recorded` that touches `paths` and that ceopt did not make; empty when there is none."""
    if not paths:
        return ""
    listed = repository.git("rev-list", "--format=%ae", f"{recorded}..{tip}", "--", *paths).splitlines()
    commits = zip(listed[::2], listed[1::2], strict=True)
    return next((line.split()[1] for line, email in commits if email != OWN_EMAIL), "")
