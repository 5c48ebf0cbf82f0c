"""Runs a program of the user's: a time limit, one process group, its words kept short.

Knows neither proposals nor measurements. Whatever happens, also a kill of ceopt itself, nothing of the group runs on
and the folders go.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

# What a program needs to start and to speak the user's language; no key, no address of a model.
SURROUNDINGS = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
MOST_PRINTED_BYTES = 64_000_000
TAIL_BYTES = 64_000
BEAT_S = 0.5
GRACE_S = 2.0
OVERTIME = "took longer than"

# A second process of the group waits for the end of a pipe that ceopt alone holds open, so that a program cannot
# outlive a ceopt that was killed. It is nobody's child, or a program that waits for all its children would wait for it.
_GUARDED = """\
exec 3<&0 </dev/null
( { trap '' TERM; read -r _ <&3; kill -TERM 0; sleep 1; rm -rf -- "$2"; kill -KILL 0; } >/dev/null 2>&1 & )
exec 3<&-
exec /bin/sh -c "$1"
"""


@dataclass(frozen=True)
class Workplace:
    """The folders of one run: asked and answered is in `request`, the program's own files go to `scratch`."""

    root: Path

    @property
    def request(self) -> Path:
        return self.root / "request"

    @property
    def scratch(self) -> Path:
        return self.root / "scratch"


@dataclass(frozen=True)
class Ended:
    """How the program ended. `fault` says what ceopt ended it for; the ends of what it printed are kept."""

    status: int
    stdout: str
    stderr: str
    elapsed_s: float
    fault: str = ""
    overtime: bool = False


@contextmanager
def workplace() -> Iterator[Workplace]:
    """Fresh folders that only this user may read, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ceopt-request-", ignore_cleanup_errors=True) as root:
        place = Workplace(Path(root))
        place.request.mkdir()
        place.scratch.mkdir()
        yield place


def program_environment(environ: Mapping[str, str], named: Iterable[str]) -> dict[str, str]:
    """The surroundings of a program, and the variables its user named for it."""
    return {name: environ[name] for name in (*SURROUNDINGS, *named) if name in environ}


async def run_program(
    command: str,
    place: Workplace,
    environment: Mapping[str, str],
    *,
    timeout_s: float,
    beat: Callable[[], None] = lambda: None,
    cwd: Path | None = None,
    kept_bytes: int = TAIL_BYTES,
) -> Ended:
    """Runs a shell command in `cwd`, the request folder where none is given, and keeps the ends of what it prints.

    `beat` is called about twice a second; what it raises ends the run. Raises OSError where no shell can be started.
    """
    reading, writing = os.pipe()
    out, err = place.root / "stdout", place.root / "stderr"
    try:
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", _GUARDED, "ceopt", command, str(place.root)),
                stdin=reading,
                stdout=stdout,
                stderr=stderr,
                cwd=cwd or place.request,
                env={**environment, "TMPDIR": str(place.scratch)},
                start_new_session=True,
            )
        began_s = asyncio.get_running_loop().time()
        try:
            fault = await _watch(process, (out, err), timeout_s, beat)
            await _stop(process, gently=bool(fault))
        except BaseException:
            await _stop(process, gently=True)
            raise
        elapsed_s = asyncio.get_running_loop().time() - began_s
        printed, said = _tail(out, kept_bytes), _tail(err, TAIL_BYTES)
        return Ended(process.returncode or 0, printed, said, elapsed_s, fault, overtime=fault.startswith(OVERTIME))
    finally:
        os.close(reading)
        os.close(writing)


async def _watch(
    process: asyncio.subprocess.Process, printed: tuple[Path, Path], timeout_s: float, beat: Callable[[], None]
) -> str:
    """Waits for the end of the program, or gives the reason to end it."""
    loop = asyncio.get_running_loop()
    limit_s, end = loop.time() + timeout_s, asyncio.create_task(process.wait())
    try:
        while True:
            left_s = limit_s - loop.time()
            done, _ = await asyncio.wait({end}, timeout=max(0.0, min(BEAT_S, left_s)))
            if done:
                return ""
            if left_s <= 0:
                return f"{OVERTIME} {timeout_s:g} s and was ended"
            if sum(path.stat().st_size for path in printed) > MOST_PRINTED_BYTES:
                return f"printed more than {MOST_PRINTED_BYTES // 1_000_000} MB and was ended"
            beat()
    finally:
        end.cancel()


async def _stop(process: asyncio.subprocess.Process, *, gently: bool) -> None:
    """Ends the whole group; the guard is part of it, so the number cannot be another's by now."""
    if gently:
        _signal(process, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE_S)
    _signal(process, signal.SIGKILL)
    await process.wait()


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the latter of a group of zombies, on macOS
        os.killpg(process.pid, number)


def _tail(path: Path, kept_bytes: int) -> str:
    with path.open("rb") as printed:
        printed.seek(max(0, path.stat().st_size - kept_bytes))
        return printed.read().decode("utf-8", "replace")
