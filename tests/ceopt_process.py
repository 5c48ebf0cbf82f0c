"""`ceopt` as people and cron start it: real processes with an environment of their own and no terminal.

`Cold` starts a fresh interpreter. `Warm` forks each run off one interpreter that has loaded everything already, so
that dozens of runs, and kills in the middle of them, cost a tenth of a second each instead of seconds.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CEOPT = Path(sys.executable).with_name("ceopt")
ZYGOTE = Path(__file__).with_name("ceopt_zygote.py")
SEARCH_PATH = os.environ["PATH"]
LIMIT_S = 60.0


@dataclass(frozen=True)
class Ended:
    """A process that has ended: negative status means a signal."""

    status: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every line of stdout as JSON; a line that is not JSON is an error."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]


@dataclass
class Place:
    """Where a user works: a repository, a home of their own, and what their environment holds."""

    root: Path
    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    def environment(self, **more: str) -> dict[str, str]:
        return {"PATH": SEARCH_PATH, "HOME": str(self.home), **self.environ, **more}


def cold(place: Place, *args: str, env: Mapping[str, str] | None = None) -> Ended:
    """One run in a fresh interpreter, stdin from /dev/null, no controlling terminal."""
    done = subprocess.run(
        [CEOPT, *args],
        cwd=place.root,
        env=place.environment() if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        start_new_session=True,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@functools.cache
def warm() -> Warm:
    """The one loaded interpreter of a test session."""
    loaded = Warm()
    atexit.register(loaded.close)
    return loaded


class Warm:
    """Forks runs off a loaded interpreter, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, ZYGOTE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": SEARCH_PATH, "HOME": "/nonexistent"},
            start_new_session=True,
        )
        assert self._read() == {"ready": True}

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(10)

    def run(self, place: Place, *args: str, env: Mapping[str, str] | None = None) -> Ended:
        """One run to its end."""
        return self.run_until(None, place, *args, env=env)

    def run_until(
        self,
        reached: Callable[[], bool] | None,
        place: Place,
        *args: str,
        env: Mapping[str, str] | None = None,
        number: int = signal.SIGKILL,
        ignored: Sequence[int] = (),
    ) -> Ended:
        """One run, sent a signal as soon as `reached()` holds, if it has not ended by then.

        `ignored` are the signals it is started to ignore. What it prints goes to `out` and `err` in the user's home;
        where a test has put a pipe or a device there, nothing is read back.
        """
        out, err = place.home / "out", place.home / "err"
        environment = place.environment() if env is None else dict(env)
        order: dict[str, Any] = {"args": args, "cwd": str(place.root), "env": environment, "out": str(out)}
        order |= {"err": str(err), "ignored": [int(one) for one in ignored]}
        self._write(order)
        pid, limit = self._read()["pid"], time.monotonic() + LIMIT_S
        if reached is not None:
            while not reached() and time.monotonic() < limit and _alive(pid):
                time.sleep(0.001)
            if _alive(pid):
                os.kill(pid, number)
        status = self._read()["status"]
        said = [path.read_text(encoding="utf-8") if path.is_file() else "" for path in (out, err)]
        return Ended(status, *said)

    def _write(self, order: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def _alive(pid: int) -> bool:
    """Still running; a zombie that its parent has not fetched yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
