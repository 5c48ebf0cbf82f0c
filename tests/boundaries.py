"""Interrupts a process at one chosen call of its boundary: disk, git, network or reply cache.

`install` wraps those calls in the process it is called in, which ceopt_zygote does for a run whose environment asks
for it. The program under test knows nothing of it.
"""

from __future__ import annotations

import errno
import io
import json
import os
import random
import signal
import socket
import sqlite3
import stat
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import diskcache

VARIABLE = "CEOPT_TEST_INTERRUPTION"
LONGEST_GIT_S = 0.008  # most git commands of a run are done after this long

# What can be done to a call of each kind. `before`, `half`, `after`: this process is killed there. `lost`: it is
# killed, and what was not yet made durable is gone. `orphan`, `cut`: it is killed while git works, git goes on or
# dies too. All others: the call fails and the process lives on.
WAYS: dict[str, tuple[str, ...]] = {
    "journal write": ("before", "half", "full", "read-only"),
    "file write": ("half", "full"),
    "file created": ("before", "full", "read-only"),
    "folder made": ("before", "full", "read-only"),
    "fsync": ("before", "lost", "broken"),
    "rename": ("before", "after", "read-only"),
    "removal": ("before", "read-only"),
    "truncation": ("before", "after"),
    "git": ("before", "orphan", "cut", "after", "killed", "full"),
    "connect": ("before", "reset"),
    "send": ("before", "half", "after", "reset"),
    "receive": ("before", "after", "reset"),
    "cache write": ("before", "half", "after", "full"),
}
DEADLY = frozenset({"before", "half", "after", "lost", "orphan", "cut"})


@dataclass(frozen=True)
class Point:
    """The `nth` call (from 1) of a kind, and what is done to it."""

    kind: str
    nth: int
    way: str

    def __str__(self) -> str:
        return f"{self.kind} {self.nth}, {self.way}"


@dataclass(frozen=True)
class Plan:
    """What a process meets: at most one interruption. Disk calls count below `root`; `trace` hears of every call."""

    root: str
    trace: str
    point: Point | None = None

    def environ(self) -> dict[str, str]:
        return {VARIABLE: json.dumps(asdict(self))}


def plan_in(environ: dict[str, str]) -> Plan | None:
    """The plan a test put into the environment, which the program then does not see."""
    text = environ.pop(VARIABLE, None)
    if text is None:
        return None
    values = json.loads(text)
    point = values["point"]
    return Plan(values["root"], values["trace"], Point(**point) if point else None)


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


class Boundary:
    """Counts calls and interrupts one of them; a disk that was full or read-only once stays so."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._root = plan.root + os.sep
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._trace = os.open(plan.trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._write = os.write
        self.full = False
        self.read_only = False

    def meets(self, kind: str, label: str) -> str | None:
        """Counts one call; gives what is to be done to it, if anything."""
        with self._lock:
            self._counts[kind] += 1
            point = self._plan.point
            hit = point is not None and (point.kind, point.nth) == (kind, self._counts[kind])
            self._write(self._trace, f"{'!' if hit else ' '}{kind}\t{label}\n".encode("utf-8", "surrogateescape"))
            return point.way if point is not None and hit else None

    def below(self, path: Any) -> Path | None:
        """The path where it is inside the place under test."""
        name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - what is wrapped here is what Path calls
        return Path(name) if name.startswith(self._root) else None

    def disk(self, kind: str, path: Path, call: Callable[[], Any], half: Callable[[], Any] | None = None) -> Any:
        """One call that changes the disk; `half` is its first half, where it has one."""
        way = self.meets(kind, path.name)
        if way in ("before", "lost"):
            die()
        if way == "half" and half is not None:
            half()
            die()
        if way == "full":
            self.full = True
            if half is not None:
                return half()
        if way == "read-only":
            self.read_only = True
        if way == "broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self.read_only:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        if self.full and kind not in ("fsync", "rename", "removal", "truncation"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        result = call()
        if way == "after":
            die()
        return result


def install(plan: Plan) -> None:
    """Wraps the boundary of this process. Once, in a process that ends with what it is asked for."""
    boundary = Boundary(plan)
    memory = Memory(boundary)
    _wrap_files(boundary, memory)
    _wrap_names(boundary, memory)
    _wrap_git(boundary)
    _wrap_network(boundary)
    _wrap_cache(boundary)


class Memory:
    """What a power cut would take: bytes and names since the last fsync."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._durable_bytes: dict[Path, int] = {}
        self._renamed: dict[Path, tuple[Path, bytes | None]] = {}

    def opened(self, path: Path) -> None:
        self._durable_bytes.setdefault(path, path.stat().st_size)

    def renames(self, target: Path) -> None:
        self._renamed[target.parent] = (target, target.read_bytes() if target.is_file() else None)

    def fsync(self, path: Path, call: Callable[[], Any]) -> None:
        """An fsync that may come too late."""
        way = self._boundary.meets("fsync", path.name)
        if way == "before":
            die()
        if way == "lost":
            self._lose(path)
            die()
        if way == "broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        call()
        if path.is_dir():
            self._renamed.pop(path, None)
        else:
            self._durable_bytes[path] = path.stat().st_size

    def _lose(self, path: Path) -> None:
        if not path.is_dir():
            os.truncate(path, min(self._durable_bytes.get(path, 0), path.stat().st_size))
        elif path in self._renamed:
            target, before = self._renamed[path]
            if before is None:
                target.unlink()
            else:
                target.write_bytes(before)


def _named(descriptor: int, boundary: Boundary) -> Path | None:
    """The path of an open file or folder below the root."""
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return boundary.below(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115
    return None


def _wrap_files(boundary: Boundary, memory: Memory) -> None:
    write, fsync, ftruncate, opens, fdopen = os.write, os.fsync, os.ftruncate, os.open, os.fdopen

    def wrapped_write(descriptor: int, data: Any) -> int:
        path = _named(descriptor, boundary)
        if path is None:
            return write(descriptor, data)
        kind = "journal write" if path.name == "journal.jsonl" else "file write"
        half = bytes(data)[: len(data) // 2]
        written: int = boundary.disk(kind, path, lambda: write(descriptor, data), lambda: write(descriptor, half))
        return written

    def wrapped_fsync(descriptor: int) -> None:
        path = _named(descriptor, boundary)
        memory.fsync(path, lambda: fsync(descriptor)) if path is not None else fsync(descriptor)

    def wrapped_ftruncate(descriptor: int, length: int) -> None:
        path = _named(descriptor, boundary)
        if path is None:
            return ftruncate(descriptor, length)
        boundary.disk("truncation", path, lambda: ftruncate(descriptor, length))
        return None

    def wrapped_open(path: Any, flags: int, *more: Any, **named: Any) -> int:
        inside = None if isinstance(path, int) else boundary.below(path)
        if inside is None or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return opens(path, flags, *more, **named)
        if flags & os.O_CREAT and not inside.exists():
            descriptor: int = boundary.disk("file created", inside, lambda: opens(path, flags, *more, **named))
        else:
            if boundary.read_only:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            descriptor = opens(path, flags, *more, **named)
        memory.opened(inside)
        return descriptor

    class Raw(io.FileIO):
        """The unbuffered end of a file object that was opened for writing."""

        def write(self, data: Any) -> int:
            return wrapped_write(self.fileno(), data)

    def wrapped_fdopen(descriptor: int, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode != "wb" or _named(descriptor, boundary) is None:
            return fdopen(descriptor, mode, *more, **named)
        return io.BufferedWriter(Raw(descriptor, "wb"))

    os.write, os.fsync, os.ftruncate = wrapped_write, wrapped_fsync, wrapped_ftruncate
    os.open, os.fdopen = wrapped_open, wrapped_fdopen
    io_open = io.open

    def wrapped_io_open(file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode != "wb" or isinstance(file, int) or boundary.below(file) is None:
            return io_open(file, mode, *more, **named)
        return io.BufferedWriter(Raw(wrapped_open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), "wb"))

    io.open = wrapped_io_open


def _wrap_names(boundary: Boundary, memory: Memory) -> None:
    def one_path(kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(path: Any, *more: Any, **named: Any) -> Any:
            inside = boundary.below(path) if "dir_fd" not in named else None
            if inside is None or (kind == "folder made") == os.path.lexists(path):
                return real(path, *more, **named)
            return boundary.disk(kind, inside, lambda: real(path, *more, **named))

        return wrapped

    def two_paths(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(source: Any, target: Any, **named: Any) -> Any:
            inside = boundary.below(target)
            if inside is None:
                return real(source, target, **named)
            memory.renames(inside)
            return boundary.disk("rename", inside, lambda: real(source, target, **named))

        return wrapped

    os.rename, os.replace = two_paths(os.rename), two_paths(os.replace)
    os.mkdir = one_path("folder made", os.mkdir)
    os.unlink, os.rmdir = one_path("removal", os.unlink), one_path("removal", os.rmdir)


def _wrap_git(boundary: Boundary) -> None:
    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: Any, *more: Any, **named: Any) -> None:
            self._way = boundary.meets("git", " ".join(_words(command))) if command[0] == "git" else None
            if self._way == "before":
                die()
            if self._way == "killed":
                command = ["sh", "-c", "kill -9 $$"]
            if self._way == "full":
                command = ["sh", "-c", "echo 'fatal: unable to write file: No space left on device' >&2; exit 128"]
            super().__init__(command, *more, **named)
            if self._way == "cut":
                time.sleep(random.Random(str(command)).uniform(0, LONGEST_GIT_S))
                os.killpg(self.pid, signal.SIGKILL)
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


def _wrap_network(boundary: Boundary) -> None:
    def wrap(name: str, kind: str) -> None:
        real = getattr(socket.socket, name)

        def wrapped(self: socket.socket, data: Any, *more: Any) -> Any:
            if self.family != socket.AF_INET:
                return real(self, data, *more)
            if kind == "receive":
                result = real(self, data, *more)  # nothing to read yet is no call of its own
                way = boundary.meets(kind, "")
            else:
                result, way = None, boundary.meets(kind, "")
            if way == "before":
                die()
            if way == "reset":
                raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
            if way == "half":
                real(self, bytes(data)[: len(data) // 2], *more)
                die()
            result = real(self, data, *more) if kind != "receive" else result
            if way == "after":
                time.sleep(0.002)  # what was sent is on its way, what was read may be handled
                die()
            return result

        setattr(socket.socket, name, wrapped)

    for name, kind in (("connect", "connect"), ("send", "send"), ("recv", "receive"), ("recv_into", "receive")):
        wrap(name, kind)


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
