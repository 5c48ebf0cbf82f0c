"""The app on a run of ten thousand experiments: first paint, the list filled, and the longest wait for a key.

`python tests/benchmarks/bench_long_app.py [--experiments N]`; a stall is time in which the app answers nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_long_run import append_all
from textual.pilot import Pilot

from ceopt_tui.looking import all_runs
from ceopt_tui.run_options import RunOptions
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.catalogue import RepositoryCatalogue
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.widgets.table import RowTable

STALL_AIM_S = 0.1
BEAT_S = 0.005
KEYS = ("down", "down", "up", "end", "home", "pagedown", "j", "k")
PATIENCE_S = 120.0


class Heart:
    """Beats in the app's own loop; the most work between two beats is the worst stall, however busy the machine is."""

    def __init__(self) -> None:
        self.worst_s = 0.0
        self._task = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(BEAT_S)
            now = time.thread_time()
            self.worst_s, before = max(self.worst_s, now - before), now

    def stop(self) -> float:
        self._task.cancel()
        return self.worst_s


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> float:
    """Seconds until it holds."""
    began = time.perf_counter()
    while not holds():
        if time.perf_counter() - began > PATIENCE_S:
            raise SystemExit("it never came")
        await asyncio.sleep(BEAT_S)
    return time.perf_counter() - began


def line(what: str, seconds: float, aim_s: float | None = None) -> None:
    aim = "" if aim_s is None else f"   aim {aim_s:.1f} s: {'held' if seconds <= aim_s else 'MISSED'}"
    print(f"{what:<46} {seconds:8.3f} s{aim}")


async def open_run(app: CeoptApp, experiments: int) -> None:
    """From the list of runs into the run, through its whole list, and back."""
    async with app.run_test(size=(100, 30)) as pilot:
        heart = Heart()
        line(
            "the list of runs is there after", await until(pilot, lambda: app.screen.query_one(RowTable).row_count > 0)
        )
        line("worst stall while the journal is read", heart.stop(), STALL_AIM_S)
        heart = Heart()
        await pilot.press("enter")
        await until(pilot, lambda: listed(app) > 0)
        line("work to open the run, up to its first rows", heart.stop())
        heart = Heart()
        line("all its experiments listed after", await until(pilot, lambda: listed(app) == experiments))
        line("worst stall while the list fills", heart.stop(), STALL_AIM_S)
        heart = Heart()
        for key in KEYS * 3:
            await pilot.press(key)
        line("worst stall while keys are pressed", heart.stop(), STALL_AIM_S)
        heart = Heart()
        await asyncio.sleep(5)
        line("worst stall in five idle seconds", heart.stop(), STALL_AIM_S)


def listed(app: CeoptApp) -> int:
    return app.screen.query_one(RowTable).row_count if isinstance(app.screen, RunScreen) else 0


async def nothing(*_: object) -> None:
    """No engine works in this benchmark."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=10_000)
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        root = Path(place)
        for command in (
            ["init", "-q"],
            ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x", "--allow-empty"],
        ):
            subprocess.run(["git", *command], cwd=root, check=True)
        append_all(root / "state" / "long", given.experiments, 4)
        options = RunOptions(spec_path=Path(), attended=True, state_root=root / "state")
        assert len(all_runs(root, state_root=root / "state")) == 1
        app = CeoptApp(RepositoryCatalogue(root, options), nothing, SystemClock())  # type: ignore[arg-type]
        asyncio.run(open_run(app, given.experiments))


if __name__ == "__main__":
    main()
