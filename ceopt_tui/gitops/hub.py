"""A repository elsewhere that workers share with this one: refs pushed, fetched, deleted by name. Asks nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

from ceopt_tui.errors import GitError
from ceopt_tui.gitops.git import Outcome, refusal
from ceopt_tui.gitops.repository import Repository

NETWORK_S = 120.0
INCOMING = "refs/ceopt/incoming"
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SIGN_IN = ("could not read Username", "could not read Password", "Authentication failed", "Permission denied")


def _without_password(address: str) -> str:
    """What signs in is every machine's own; over HTTP a bare name may be a token too."""
    parts = urlsplit(address)
    user, at, host = parts.netloc.rpartition("@")
    name = "" if parts.scheme in {"http", "https"} else user.partition(":")[0]
    return urlunsplit(parts._replace(netloc=f"{name}{at if name else ''}{host}"))


class Hub:
    """One remote of a repository. GitError names it where it cannot be reached or wants somebody to sign in."""

    def __init__(self, repository: Repository, remote: str) -> None:
        self.remote = remote
        self._repository = repository

    @property
    def address(self) -> str:
        """Where the remote is, for a worker that clones it: without a password, and no path from here on."""
        known = self._repository.attempt("remote", "get-url", self.remote)
        address = known.stdout.decode("utf-8", "replace").strip() if known.status == 0 else self.remote
        if _SCHEME.match(address):
            return _without_password(address)
        local = self._repository.root / address
        return str(local.resolve()) if local.is_dir() else address

    def push(self, commit: str, branch: str) -> bool:
        """Makes `branch` at the hub, never moving one that is there; False where another commit is there already."""
        if self.branches(branch).get(branch, commit) != commit:
            return False
        args = ("push", "--quiet", self.remote, f"{commit}:refs/heads/{branch}")
        outcome = self._repository.attempt(*args, timeout_s=NETWORK_S)
        if outcome.status and ("rejected" in outcome.stderr or "already exists" in outcome.stderr):
            return False
        self._refuse(args, outcome)
        return True

    def fetch(self, branch: str) -> str | None:
        """The commit of a branch at the hub, brought here; None where there is no such branch."""
        commit = self.branches(branch).get(branch)
        if commit is None:
            return None
        args = ("fetch", "--quiet", "--no-tags", self.remote, f"+refs/heads/{branch}:{INCOMING}/{branch}")
        self._refuse(args, self._repository.attempt(*args, timeout_s=NETWORK_S))
        return commit

    def branches(self, pattern: str) -> Mapping[str, str]:
        """Branches at the hub that match, with their commits."""
        args = ("ls-remote", "--heads", self.remote, f"refs/heads/{pattern}")
        outcome = self._repository.attempt(*args, timeout_s=NETWORK_S)
        self._refuse(args, outcome)
        lines = (line.split("\t") for line in outcome.stdout.decode("utf-8", "replace").splitlines())
        return {ref.removeprefix("refs/heads/"): commit for commit, ref in lines}

    def delete(self, branch: str, commit: str) -> None:
        """Deletes a branch at the hub as long as it is at `commit`."""
        lease = f"--force-with-lease=refs/heads/{branch}:{commit}"
        self._repository.attempt("push", "--quiet", lease, self.remote, f":refs/heads/{branch}", timeout_s=NETWORK_S)

    def _refuse(self, args: Sequence[str], outcome: Outcome) -> None:
        if not outcome.status:
            return
        if any(words in outcome.stderr for words in _SIGN_IN):
            raise GitError(
                f"the hub {self.remote} wants somebody to sign in, and nobody is asked: {outcome.stderr.strip()}",
                "Give git a credential helper or a key for it; `git ls-remote` must work without a question.",
            )
        raise refusal(args, outcome)
