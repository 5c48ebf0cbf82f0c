"""How long ceopt takes to start, beside what Python itself and litellm take on the same machine in the same minute.

`python tests/benchmarks/bench_startup.py [--rounds N]`; each figure is the best of its rounds, taken in turns.
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

CEOPT = shutil.which("ceopt", path=str(Path(sys.executable).parent)) or "ceopt"
VERSION_AIM = 3.0  # times a bare Python …
EXTRA_S = 0.1  # … and this much on top
FIRST_SCREEN_LIMIT_S = 60.0
SCREEN_ON = b"\x1b[?1049h"
PAINTED = b"ceopt"  # in the header of the first screen
QUIT = b"\x11"  # ctrl+q


def process_s(*command: str) -> float:
    """Seconds until the command has ended."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def first_screen_s(repository: str) -> float:
    """Seconds until the app, started on a terminal, has painted its first screen; then it is closed."""
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repository)
        os.execvpe(CEOPT, [CEOPT], {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"})
    seen = b""
    while PAINTED not in seen.partition(SCREEN_ON)[2]:
        left_s = FIRST_SCREEN_LIMIT_S - (time.perf_counter() - began)
        if left_s <= 0 or not select.select([terminal], [], [], left_s)[0]:
            raise TimeoutError(f"no screen within {FIRST_SCREEN_LIMIT_S:.0f} s")
        if not (written := _read(terminal)):
            raise RuntimeError(f"the app ended before its first screen: {seen.decode(errors='replace')[-500:]}")
        seen += written
    took_s = time.perf_counter() - began
    os.write(terminal, QUIT)
    while _read(terminal):
        pass
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        raise RuntimeError(f"the app ended with status {status}")
    return took_s


def _read(terminal: int) -> bytes:
    """What the app has written; nothing when it has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def measure(repository: str, rounds: int) -> dict[str, float]:
    """Best seconds of each start."""
    starts: dict[str, Callable[[], float]] = {
        "python -c pass": lambda: process_s(sys.executable, "-c", "pass"),
        "ceopt --version": lambda: process_s(CEOPT, "--version"),
        "first screen": lambda: first_screen_s(repository),
        "import textual": lambda: process_s(sys.executable, "-c", "import textual.app"),
        "import litellm": lambda: process_s(sys.executable, "-c", "import litellm"),
    }
    taken: dict[str, list[float]] = {name: [] for name in starts}
    for _ in range(rounds):
        for name, start in starts.items():
            taken[name].append(start())
    return {name: min(times) for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    with TemporaryDirectory() as repository:
        process_s("git", "init", "--quiet", repository)
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
        process_s("git", "-C", repository, *identity, "commit", "--quiet", "--allow-empty", "--message", "bench")
        best = measure(repository, given.rounds)
    aim_s = VERSION_AIM * best["python -c pass"] + EXTRA_S
    print(f"start-up   best of {given.rounds}: " + ", ".join(f"{name} {took_s:.2f} s" for name, took_s in best.items()))
    print(f"           ceopt --version {best['ceopt --version']:.2f} s, aim: {aim_s:.2f} s (3 × python + 0.1 s)")
    print(
        f"           first screen {best['first screen']:.2f} s, "
        f"{best['first screen'] / best['import textual']:.1f} × importing textual alone; "
        f"importing litellm alone would take {best['import litellm']:.2f} s"
    )


if __name__ == "__main__":
    main()
