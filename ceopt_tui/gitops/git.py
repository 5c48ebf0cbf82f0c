"""Running git: no prompts, no terminal, a time limit, and errors in git's own words. Knows no repository."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from ceopt_tui.errors import GitError, SetupError, StorageError
from ceopt_tui.gitops.environment import OWN_SETTINGS, own_environment, user_environment
from ceopt_tui.journal.disk import FULL_DISK, ROOM, is_full

TIMEOUT_S = 60.0
LOCK_WAIT_S = 5.0
_LOCK_POLL_S = 0.25
_TERM_GRACE_S = 2.0
_FULL = tuple(os.strerror(number) for number in FULL_DISK)
_LOCKED = re.compile(r"Unable to create '(.+?\.lock)': File exists")

Wait = Callable[[float], None]


@dataclass(frozen=True)
class Outcome:
    """How one git command ended; `full` where it failed and the disk it works on has no room left."""

    status: int
    stdout: bytes
    stderr: str
    full: bool = False


class Options(TypedDict, total=False):
    """How a command is run; what is left out is as `attempt` has it."""

    input: bytes | None
    timeout_s: float
    env: Mapping[str, str] | None
    as_user: bool
    wait: Wait


def git(args: Sequence[str], cwd: Path, **options: Unpack[Options]) -> str:
    """Runs git and returns its standard output; bytes that are no UTF-8 survive as surrogates.

    Raises GitError when git refuses, takes too long or meets a lock that stays; StorageError when the disk is full;
    SetupError when git is not installed.
    """
    outcome = attempt(args, cwd, **options)
    if outcome.status:
        raise refusal(args, outcome)
    return os.fsdecode(outcome.stdout)


async def git_async(args: Sequence[str], cwd: Path, *, timeout_s: float = TIMEOUT_S) -> str:
    """`git` beside the event loop. A cancelled caller does not stop git midway: that would leave its locks behind."""
    return await asyncio.to_thread(git, args, cwd, timeout_s=timeout_s)


def attempt(
    args: Sequence[str],
    cwd: Path,
    *,
    input: bytes | None = None,
    timeout_s: float = TIMEOUT_S,
    env: Mapping[str, str] | None = None,
    as_user: bool = False,
    wait: Wait = time.sleep,
) -> Outcome:
    """Like `git`, for callers to whom a refusal is an answer: returns the status instead of raising for it.

    `as_user` keeps the user's hooks, signing, identity and conversions. Raises GitError for a git that was killed:
    it has answered nothing.
    """
    settings = () if as_user else OWN_SETTINGS
    command = ["git", *(part for setting in settings for part in ("-c", setting)), *args]
    environment = (user_environment if as_user else own_environment)(os.environ) | dict(env or {})
    waited_s = 0.0
    while True:
        outcome = _run(command, cwd, input, timeout_s, environment)
        if outcome.status < 0:
            raise refusal(args, outcome)
        held = _LOCKED.search(outcome.stderr) if outcome.status else None
        if held is None:
            return outcome
        if waited_s >= LOCK_WAIT_S:
            raise locked(Path(held[1]))
        wait(_LOCK_POLL_S)
        waited_s += _LOCK_POLL_S


def wait_until_unlocked(lock: Path, wait: Wait = time.sleep) -> None:
    """Returns once `lock` is gone; raises GitError naming it when it stays. Never deletes it."""
    waited_s = 0.0
    while os.path.lexists(lock):
        if waited_s >= LOCK_WAIT_S:
            raise locked(lock)
        wait(_LOCK_POLL_S)
        waited_s += _LOCK_POLL_S


class GitLocked(GitError):
    """A lock of git is held, or was left behind by a git that was killed: the same start works once it is gone."""


def locked(lock: Path) -> GitLocked:
    """The error for a lock of git that another process holds or left behind."""
    return GitLocked(
        f"{lock} exists: another git command is at work, or one was killed",
        "If no git command is running in this repository, delete that file and run ceopt again.",
    )


def refusal(args: Sequence[str], outcome: Outcome) -> GitError | StorageError:
    """The error for a git command that refused, in git's words; StorageError where the disk did."""
    ending = f"it was ended by signal {-outcome.status}" if outcome.status < 0 else f"exit status {outcome.status}"
    said = outcome.stderr.strip() or os.fsdecode(outcome.stdout).strip() or ending
    message = f"git {_name(args)}: {said}"
    if outcome.full or any(words in outcome.stderr for words in _FULL):
        return StorageError(f"no space left: {message}", ROOM)
    return GitError(message)


def _name(args: Sequence[str]) -> str:
    return next((part for part in args if not part.startswith("-") and "=" not in part), "")


def _run(
    command: Sequence[str], cwd: Path, input: bytes | None, timeout_s: float, environment: Mapping[str, str]
) -> Outcome:
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # git and ssh would open the terminal itself, past any redirection
        )
    except OSError as error:
        if shutil.which("git", path=environment.get("PATH")) is None:
            raise SetupError("git is not installed, or not on the PATH", "Install git, then run ceopt again.") from None
        raise GitError(f"git cannot run in {cwd}: {error.strerror}") from error
    with process:
        try:
            stdout, stderr = process.communicate(input, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise GitError(f"git {_name(command[1:])} took longer than {timeout_s:g} s and was stopped") from None
        except BaseException:
            _stop(process)
            raise
    full = process.returncode != 0 and is_full(cwd)  # git says that it could not write, and not always why
    return Outcome(process.returncode, stdout, stderr.decode("utf-8", "replace"), full)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends git with what it started; a terminated git removes its lock files, a killed one does not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TERM_GRACE_S)
