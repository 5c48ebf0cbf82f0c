"""The longest wait for a key where there is much to hold up the app: 2,000 cases to edit, an endpoint that hangs.

`python tests/benchmarks/bench_stalls.py [--cases N]`; the list of 10,000 experiments is in `bench_long_app.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench_long_app import STALL_AIM_S, Heart, line, nothing, until
from stub_endpoint import StubEndpoint
from textual.pilot import Pilot
from triage_project import make_project

from ceopt_tui.going_on import go_on
from ceopt_tui.run_options import RunOptions
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.catalogue import NoRuns, RepositoryCatalogue
from ceopt_tui.ui.screens.evalset import EvalSetScreen
from ceopt_tui.ui.screens.question import QuestionScreen
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.widgets.table import RowTable
from schemas.evalset import Case, EvalSet
from schemas.writing import evalset_yaml

MOVING = ("down", "down", "end", "home", "pagedown", "j", "k", "up")
EDITING = ("g", "down", "g", "u", "slash", *"parcel", "enter", "escape", "down")


async def press(pilot: Pilot[int], what: str, keys: tuple[str, ...]) -> None:
    heart = Heart()
    for key in keys:
        await pilot.press(key)
    await asyncio.sleep(1)
    line(what, heart.stop(), STALL_AIM_S)


async def edit(file: Path, cases: int) -> None:
    """A large eval set: read, walked through, edited, searched, examined meanwhile."""
    app = CeoptApp(NoRuns(str(file.parent)), nothing, SystemClock(), evalset=file)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 30)) as pilot:
        heart = Heart()
        await until(pilot, lambda: isinstance(app.screen, EvalSetScreen) and rows(app) == cases)
        line(f"worst stall while {cases:,} cases are read", heart.stop(), STALL_AIM_S)
        await press(pilot, "worst stall while one walks through them", MOVING * 3)
        await press(pilot, "worst stall while cases are edited and searched", EDITING * 2)


async def wait_for_nothing(folder: Path) -> None:
    """A run whose endpoint takes every request and answers none."""
    with StubEndpoint("hang") as endpoint:
        place = make_project(folder, endpoint.api_base)
        options = RunOptions(place.root / "spec.yaml", attended=True, environ=dict(place.environ))
        app = CeoptApp(RepositoryCatalogue(place.root, options), go_on, SystemClock())
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: rows(app) > 0)
            heart = Heart()
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, QuestionScreen))
            line("worst stall while a run is opened", heart.stop(), STALL_AIM_S)
            heart = Heart()
            await pilot.press("down", "enter")
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and endpoint.posts > 0)
            line("worst stall until its first call has left", heart.stop(), STALL_AIM_S)
            await press(pilot, "worst stall while every call hangs", MOVING * 3)
            app.cancel_work()
            await app.tick_over()


def rows(app: CeoptApp) -> int:
    return next((table.row_count for table in app.screen.query(RowTable)), 0)


def many_cases(count: int) -> EvalSet:
    """Letters of a few dozen words, no two alike."""
    source = random.Random(7)
    words = ["".join(source.choices("abcdefghijklmnopqrst", k=6)) for _ in range(2_000)] + ["parcel"]
    cases = [
        Case(id=f"c{at}", input=" ".join(source.choices(words, k=30)), expected=source.choice(("yes", "no")))
        for at in range(count)
    ]
    return EvalSet(name="many", cases=tuple(cases))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2_000)
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        file = Path(place) / "many.yaml"
        file.write_text(evalset_yaml(many_cases(given.cases)), encoding="utf-8")
        asyncio.run(edit(file, given.cases))
        asyncio.run(wait_for_nothing(Path(place) / "run"))


if __name__ == "__main__":
    main()
