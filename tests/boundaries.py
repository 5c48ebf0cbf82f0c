"""Where and how a process is interrupted: one chosen call of its boundary with disk, git, network or reply cache.

`interruption.install` puts it into the process of a run whose environment asks for it; the program knows nothing of it.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

VARIABLE = "CEOPT_TEST_INTERRUPTION"

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
    "program": ("before", "orphan", "cut", "after"),
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
