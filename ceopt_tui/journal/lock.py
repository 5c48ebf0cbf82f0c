"""One writer per run. The kernel owns the lock, so it ends with its process; the owner file only tells who it was."""

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from ceopt_tui.errors import BusyError, StorageError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error

LOCK_NAME = "lock"
OWNER_NAME = "lock-owner.json"
PROBE_S = 0.1  # somebody who only asks `is_held` has the lock for far less than this


@dataclass(frozen=True)
class Owner:
    """The process that holds, or held, a run."""

    pid: int
    host: str
    started: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.started}"


class RunLock:
    """A held lock. `previous` is the process that ended without releasing it, to be noted in the journal."""

    def __init__(self, lock: FileLock, owner_file: Path, previous: Owner | None) -> None:
        self._lock = lock
        self._owner_file = owner_file
        self.previous = previous

    @classmethod
    def acquire(cls, folder: Path, *, now: Callable[[], datetime]) -> Self:
        """Takes the lock of the run in `folder` at once or raises BusyError naming the process that has it."""
        owner_file = folder / OWNER_NAME
        lock = FileLock(folder / LOCK_NAME, thread_local=False, fallback_to_soft=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=PROBE_S, poll_interval=PROBE_S / 5)
        except Timeout as error:
            raise _busy(owner_file) from error
        except NotImplementedError as error:
            raise StorageError(
                f"the disk of {folder} cannot lock files", "Choose a folder on a local disk with --state-root."
            ) from error
        except OSError as error:
            raise storage_error(error, folder / LOCK_NAME) from error
        try:
            previous = _read_owner(owner_file)
            owner = Owner(os.getpid(), socket.gethostname(), now().astimezone(UTC).isoformat(timespec="seconds"))
            write_atomic(owner_file, json.dumps(asdict(owner)).encode())
        except BaseException:
            lock.release()
            raise
        return cls(lock, owner_file, previous)

    def release(self) -> None:
        """Gives the lock up; a second call does nothing."""
        if self._lock.is_locked:
            with suppress(OSError):
                self._owner_file.unlink()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_held(folder: Path) -> bool:
    """Does a living process hold the run in `folder`? Takes nothing over; where it cannot be told, an owner counts."""
    path = folder / LOCK_NAME
    if not path.exists() or not (folder / OWNER_NAME).exists():  # given up in order, or never taken
        return False
    lock = FileLock(path, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except (Timeout, NotImplementedError, OSError):
        return True
    lock.release()
    return False


def refuse_if_held(folder: Path) -> None:
    """BusyError, naming the owner, when a living process holds the run in `folder`. Cheap, and takes nothing over."""
    if is_held(folder):
        raise _busy(folder / OWNER_NAME)


def _busy(owner_file: Path) -> BusyError:
    who = _read_owner(owner_file) or "another process"
    hint = "Wait until it ends, or end it for good with `ceopt stop`; a run has one writer at a time."
    return BusyError(f"this run is in use by {who}", hint)


def _read_owner(owner_file: Path) -> Owner | None:
    try:
        found = json.loads(owner_file.read_bytes())
        return Owner(int(found["pid"]), str(found["host"]), str(found["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
