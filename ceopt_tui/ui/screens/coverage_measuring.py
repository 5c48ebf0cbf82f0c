"""Reads the coverage map of a text, and measures it: plan and price first, then in the background, with its progress.

A measurement started here is the one of `ceopt coverage SPEC`; cancelled it goes on from kept replies the next time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual.message import Message
from textual.screen import Screen

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.coverage_map_source import FoundMap, MapSource
from ceopt_tui.ui.screens.confirm import ConfirmScreen

READING, MEASURING = "coverage-reading", "coverage-measuring"  # groups of workers
MEASURES = "measuring"


@dataclass
class MapRead(Message):
    """The map was read, or could not be."""

    found: FoundMap | None
    fault: str = ""


@dataclass
class Priced(Message):
    """What a measurement would run and cost."""

    lines: list[str]


@dataclass
class Went(Message):
    """A measurement is so far; only the latest matters."""

    title: str
    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Went)


@dataclass
class Measured(Message):
    """The measurement has ended, whole or with a fault."""

    fault: str = ""


class CoverageMeasuringScreen(Screen[None]):
    """What is known of a text's coverage; the screen built on it shows it."""

    def __init__(self, source: MapSource) -> None:
        super().__init__()
        self._source = source
        self.found: FoundMap | None = None
        self.fault = ""  # why nothing was found
        self.busy = ""  # with what, while the map is read, priced or measured

    def show(self) -> None:
        """The map, or what is known of it, has changed."""

    def show_work(self) -> None:
        """What is being done has changed."""

    def read(self) -> None:
        """Takes up the file in the background."""
        self._work(self._read, READING, "reading the map")

    @property
    def measuring(self) -> bool:
        """Would something be cut short now?"""
        return self.busy.startswith(MEASURES)

    def stop_measuring(self) -> None:
        self.workers.cancel_group(self, MEASURING)

    def _work(self, work: Callable[[], Awaitable[None]], group: str, busy: str) -> None:
        self.busy = busy
        self.show_work()
        self.run_worker(work, group=group, description=group, exit_on_error=False)

    async def _read(self) -> None:
        try:
            self.post_message(MapRead(await asyncio.to_thread(self._source.read)))
        except CeoptError as error:
            self.post_message(MapRead(None, str(error)))

    def on_map_read(self, message: MapRead) -> None:
        self.busy, self.found, self.fault = "", message.found, message.fault
        self.show()

    def action_measure(self) -> None:
        self._work(self._price, MEASURING, "reading spec, text and cases")

    async def _price(self) -> None:
        try:
            self.post_message(Priced(await self._source.price()))
        except CeoptError as error:
            self.post_message(Measured(str(error)))

    def on_priced(self, message: Priced) -> None:
        self.busy = ""
        self.show_work()

        def confirmed(yes: bool | None) -> None:
            if yes:
                self._work(self._measure, MEASURING, MEASURES)
            self.refresh_bindings()

        question = "\n".join([*map(said, message.lines), "", "Start measuring?"])
        self.app.push_screen(ConfirmScreen(question, "start", "leave it"), confirmed)

    async def _measure(self) -> None:
        def progress(title: str, done: int, total: int) -> None:
            self.post_message(Went(title, done, total))

        try:
            await self._source.measure(progress)
        except CeoptError as error:
            self.post_message(Measured(str(error)))
        else:
            self.post_message(Measured())

    def on_went(self, message: Went) -> None:
        self.busy = f"{MEASURES}: {message.done:,} of {counted(message.total, 'run')} ({one_line(message.title)})"
        self.show_work()

    def on_measured(self, message: Measured) -> None:
        self.busy = ""
        if message.fault:
            self.notify(said(message.fault), severity="error", timeout=20, markup=False)
            self.show_work()
        else:
            self.read()
