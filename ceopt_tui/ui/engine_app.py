"""An app with one engine: the worker a run is carried out in, how it is started, stopped and left behind."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from textual.app import App
from textual.worker import Worker, WorkerState

from ceopt_tui.core.ports import Clock
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.engine.ending import end_run
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.skin import Skin
from ceopt_tui.errors import CeoptError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.run_options import RunOptions
from ceopt_tui.shell import heeded
from ceopt_tui.ui.messages import RunChanged, TickEnded
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.skin import AppSkin

ENGINE = "engine"  # the group of its worker

SIGNALS = {
    signal.SIGTERM: ExitStatus.TERMINATED,
    signal.SIGHUP: ExitStatus.HANGUP,
    signal.SIGINT: ExitStatus.INTERRUPTED,
}

Work = Callable[[], Awaitable[object]]  # not yet a coroutine: a worker that never starts leaves none behind
Tick = Callable[[RunOptions, Skin], Awaitable[TickResult]]


class EngineApp(App[int]):
    """At most one run is at work. The worker is the app's, so no screen that closes ends it."""

    def __init__(self, tick: Tick, clock: Clock) -> None:
        super().__init__()
        self._tick = tick
        self.clock = clock
        self._leaving: int | None = None
        self._ticking: asyncio.Future[TickResult] | None = None
        self.working: RunModel | None = None
        self.last: RunModel | None = None  # the run that was worked on last
        self.fault: BaseException | None = None  # what ended the app, if it was no person

    def start(self, model: RunModel, *, ending: bool = False, wrap_up: bool = False) -> None:
        """Sets the engine to work on a run; `ending` puts its end on record first, so that it is only wrapped up.

        `wrap_up`: it has ended, and the person chooses what comes of it.
        """
        if self._leaving is not None:  # nobody would be there to answer, and the process would wait for its end
            return
        if self.working is not None:
            self.notify(f"{one_line(self.working.entry.name)} is at work; stop it first.", markup=False)
            return
        if model.entry.options is None:
            self.notify("The spec of this run is not where it was.", severity="error", markup=False)
            return
        self.working = self.last = model
        options = replace(model.entry.options, wrap_up=wrap_up)
        work: Work = partial(self._work, model, options, ending)
        model.begin(AppSkin(self.post_message, self.clock))
        self.post_message(RunChanged())
        self.run_worker(
            work, name=model.entry.name, group=ENGINE, description=ENGINE, exclusive=True, exit_on_error=False
        )

    async def _work(self, model: RunModel, options: RunOptions, ending: bool) -> TickResult:
        """Carries out one tick. However often the worker is cancelled, the tick is cancelled once and ends in order."""
        assert model.skin is not None
        if ending:
            await end_run(model.entry.folder, self.clock)
        self._ticking = asyncio.ensure_future(self._tick(options, model.skin))
        try:
            return await asyncio.shield(self._ticking)
        except asyncio.CancelledError:
            self._ticking.cancel()
            await self.tick_over()
            raise

    async def tick_over(self) -> None:
        """Returns when the tick, if there is one, has its end on record."""
        if self._ticking is not None and not self._ticking.done():
            await asyncio.wait({self._ticking})

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """The one place where the end of a worker is dealt with."""
        model = self.working
        if event.worker.group != ENGINE or model is None or event.state in (WorkerState.PENDING, WorkerState.RUNNING):
            return
        self.working = None
        if event.state is WorkerState.SUCCESS:
            assert event.worker.result is not None
            model.end(event.worker.result)
        elif event.state is WorkerState.CANCELLED:
            model.end(TickResult("waiting", "interrupted", "interrupted", ExitStatus.INTERRUPTED))
        elif isinstance(event.worker.error, CeoptError):
            error = event.worker.error
            model.end(TickResult("stopped", "refused", str(error), error.exit_status))
            self.notify(said(str(error)), title="The run could not go on", severity="error", timeout=20, markup=False)
        else:
            self.fault = event.worker.error
            self.exit(ExitStatus.FAULT, return_code=ExitStatus.FAULT)
        self.post_message(TickEnded())
        if self._leaving is not None:
            self.exit(self._leaving, return_code=self._leaving)

    def cancel_work(self) -> None:
        """Ends the tick now; its end is still put on record."""
        self.workers.cancel_group(self, ENGINE)

    def on_hung_up(self) -> None:
        self.leave(ExitStatus.HANGUP)

    def heed_signals(self) -> None:
        """Has the signals of this process end the app in order, each with its status."""
        loop = asyncio.get_running_loop()
        for number in heeded(SIGNALS):
            loop.add_signal_handler(number, self.leave, SIGNALS[number])

    def leave(self, status: int) -> None:
        """Ends the app with this status once the engine has put the end of its tick on record."""
        again, self._leaving = self._leaving is not None, status
        if self.working is None or again:  # asked again, the person does not wait
            self.exit(status, return_code=status)
        else:
            self.cancel_work()

    def _handle_exception(self, error: Exception) -> None:
        self.fault = self.fault or error
        super()._handle_exception(error)
