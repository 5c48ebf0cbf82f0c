"""Programs, network and reply cache of a process, so wrapped that a `Boundary` counts and interrupts their calls."""

from __future__ import annotations

import errno
import os
import random
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import diskcache
from boundaries import Boundary, Plan, die
from disk_boundary import Disk

LONGEST_GIT_S = 0.008  # most git commands of a run are done after this long
FULL = "echo 'fatal: unable to write file: No space left on device' >&2; exit 128"


def install(plan: Plan) -> None:
    """Wraps the boundary of this process. Once, in a process that ends with what it is asked for."""
    boundary = Boundary(plan)
    Disk(boundary).install()
    _wrap_processes(boundary)
    for name, kind in (("connect", "connect"), ("send", "send"), ("recv", "receive"), ("recv_into", "receive")):
        setattr(socket.socket, name, _networked(boundary, kind, getattr(socket.socket, name)))
    _wrap_cache(boundary)


def _wrap_processes(boundary: Boundary) -> None:
    """Git, which is waited for with `communicate`, and programs of the user's, which asyncio waits for."""

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: Any, *more: Any, **named: Any) -> None:
            is_git = command[0] == "git"
            label = " ".join(_words(command)) if is_git else ""
            self._way = boundary.meets("git" if is_git else "program", label)
            if self._way == "before":
                die()
            if self._way == "killed":
                command = ["sh", "-c", "kill -9 $$"]
            if self._way == "full":
                command = ["sh", "-c", FULL]
            super().__init__(command, *more, **named)
            if self._way == "cut":
                time.sleep(random.Random(str(command)).uniform(0, LONGEST_GIT_S))
                with suppress(ProcessLookupError):  # done already
                    os.killpg(self.pid, signal.SIGKILL)
            if self._way == "after" and not is_git:
                self.wait()
                die()
            if self._way in ("orphan", "cut"):
                die()

        def communicate(self, *more: Any, **named: Any) -> Any:
            result = super().communicate(*more, **named)
            if self._way == "after":
                die()
            return result

    subprocess.Popen = Interrupted  # type: ignore[misc]


def _words(command: list[str]) -> list[str]:
    """The first words of a git command, its settings aside."""
    at = 1
    while command[at] == "-c":
        at += 2
    return command[at : at + 2]


def _networked(boundary: Boundary, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """A method of sockets; nothing to read yet is no call of its own."""

    def wrapped(self: socket.socket, data: Any, *more: Any) -> Any:
        if self.family != socket.AF_INET:
            return real(self, data, *more)
        result = real(self, data, *more) if kind == "receive" else None
        way = boundary.meets(kind, "")
        if way == "before":
            die()
        if way == "reset":
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        if way == "half":
            real(self, bytes(data)[: len(data) // 2], *more)
            die()
        result = result if kind == "receive" else real(self, data, *more)
        if way == "after":
            time.sleep(0.002)  # what was sent is on its way, what was read may be handled
            die()
        return result

    return wrapped


def _wrap_cache(boundary: Boundary) -> None:
    real_set, real_insert = diskcache.Cache.set, diskcache.Cache._row_insert
    halfway = [False]

    def wrapped_insert(self: Any, *more: Any) -> Any:
        result = real_insert(self, *more)
        if halfway[0]:  # the row is in the database, its transaction is open
            die()
        return result

    def wrapped_set(self: Any, *more: Any, **named: Any) -> Any:
        way = boundary.meets("cache write", "")
        if way == "before":
            die()
        if way == "full":
            raise sqlite3.OperationalError("database or disk is full")
        halfway[0] = way == "half"
        result = real_set(self, *more, **named)
        if way == "after":
            die()
        return result

    diskcache.Cache.set, diskcache.Cache._row_insert = wrapped_set, wrapped_insert
