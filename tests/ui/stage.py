"""The app on a stage: a real engine and journal on fakes, a list of runs held in memory, a clock that stands still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from fakes import FakeClock, facts
from fakes import terms as fake_terms
from textual.pilot import Pilot
from world import World, helps

from ceopt_tui.core.ports import RunResult
from ceopt_tui.engine.loop import Run, TickResult
from ceopt_tui.engine.session import open_session
from ceopt_tui.engine.skin import Skin
from ceopt_tui.looking import read_state
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.entries import RunEntry
from schemas.evalset import Case

REFRESH_S = 0.05
CALL_S = 1.5  # how far the clock moves with every call
PATIENCE = 300  # turns of the event loop to wait for something before a test fails


@dataclass
class GatedRunner:
    """Answers like the world's runner, but lets calls through only while the gate is open."""

    answer: Callable[[str, Case, int], object]
    clock: FakeClock
    free: int = 10**9  # calls that pass before the gate matters
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    calls: int = 0
    waiting: int = 0

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        self.calls += 1
        if self.calls > self.free:
            self.waiting += 1
            await self.gate.wait()
            self.waiting -= 1
        await asyncio.sleep(0)
        self.clock.advance(CALL_S)
        given = self.answer(next(iter(texts.values())), case, sample)
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, RunResult) else RunResult(str(given), facts=facts())


class Stage:
    """One world as the app sees it."""

    def __init__(self, folder: Path, world: World | None = None, free: int = 10**9) -> None:
        self.clock, self.refresh_s = FakeClock(), REFRESH_S
        self.world = world or World(
            folder / "triage",
            helps("be exact"),
            lines=("be kind", "be exact"),
            approved=False,
            terms=fake_terms(attended=True),
            clock=self.clock,
        )
        self.runner = GatedRunner(self.world.answer, self.clock, free)
        self.where = "/home/me/project"
        self.entry = RunEntry(
            "triage", self.world.folder, RunOptions(Path("spec.yaml"), attended=True), terms=self.world.terms,
            place="spec.yaml",
        )  # fmt: skip
        self.listed: Sequence[RunEntry] = [self.entry]

    # The catalogue

    def entries(self) -> Sequence[RunEntry]:
        return [self.reread(entry) for entry in self.listed]

    def reread(self, entry: RunEntry) -> RunEntry:
        return replace(entry, state=read_state(entry.folder)) if (entry.folder / "journal.jsonl").is_file() else entry

    # The engine

    async def tick(self, options: RunOptions, skin: Skin) -> TickResult:
        world = self.world
        with open_session(world.folder, world.clock, skin.recorded) as session:
            world.state = session.state
            skin.opened(session.state, world.terms, session.recorder.commit)
            terms = replace(world.terms, wrapping=options.wrap_up)
            parts = replace(world.parts(), terms=terms, asker=skin, runner=self.runner)
            return await Run(session, world.inputs(), parts, skin.progress).tick()

    def app(self, first: RunEntry | None = None) -> CeoptApp:
        return CeoptApp(self, self.tick, self.clock, first, refresh_s=self.refresh_s)

    def settled(self, app: CeoptApp) -> bool:
        """Does every call that is under way wait at the gate?"""
        return app.working is not None and self.runner.waiting == self.world.parts().concurrency


@asynccontextmanager
async def on_stage(
    stage: Stage, *, size: tuple[int, int] = (80, 24), first: RunEntry | None = None
) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    """The running app and its pilot; entered in the test itself, as context variables do not leave fixtures."""
    app = stage.app(first)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        pilot.press = partial(_pressed, app, pilot.press)  # type: ignore[method-assign]
        try:
            yield app, pilot
        finally:
            app.cancel_work()
            await app.tick_over()


async def _pressed(app: CeoptApp, press: Callable[..., Awaitable[None]], *keys: str) -> None:
    """As `Pilot.press`, until every key has had its effect."""
    await press(*keys)
    await app.typed_out()


async def until(pilot: Pilot[int], holds: Callable[[], object], what: str = "") -> None:
    """Waits until `holds()`; the engine and the screens take their turns meanwhile."""
    for _ in range(PATIENCE):
        if holds():
            await pilot.pause()
            return
        await asyncio.sleep(0.03)
    raise AssertionError(f"it never came: {what}\n{text_of(pilot.app)}")


def text_of(app: object) -> str:
    """What the screen shows, as plain lines."""
    screen = app.screen  # type: ignore[attr-defined]
    return "\n".join(strip.text.rstrip() for strip in screen._compositor.render_strips())
