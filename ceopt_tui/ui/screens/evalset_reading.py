"""Reads an eval set and keeps what is known of it up to date in the background: findings, and what open runs hold out.

What runs hold out is known before the first case is shown. Draws nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.message import Message
from textual.screen import Screen

from ceopt_tui.core.visible import said
from ceopt_tui.errors import CeoptError
from ceopt_tui.evalset_edit import open_draft
from ceopt_tui.evalset_runs import OpenRun, open_runs
from ceopt_tui.ui.aside import aside
from ceopt_tui.ui.evalset_board import EvalSetBoard
from ceopt_tui.ui.evalset_rows import held_by
from schemas.evalset import Case
from texttargets.evalset_check import EvalsetReport, evalset_report

SETTLE_S = 0.2  # several changes in a row are examined once
LARGE, SETTLE_LARGE_S = 500, 1.0  # cases of a set whose examination is felt in the keys, so it waits for a pause
READING = "evalset-reading"  # groups of workers
EXAMINING = "evalset-examining"

Looks = Callable[[Path, list[str]], tuple[OpenRun, ...]]


@dataclass
class Opened(Message):
    """The file was read, or could not be."""

    board: EvalSetBoard | None
    fault: str = ""


@dataclass
class Examined(Message):
    """What is known of the cases as they were a moment ago."""

    report: EvalsetReport | None
    runs: tuple[OpenRun, ...]
    cases: tuple[Case, ...]  # as they were


class EvalSetReadingScreen(Screen[None]):
    """One eval set file. `looks` finds the open runs that measure on it."""

    def __init__(self, path: Path, *, seed: int = 7, share: float | None = None, looks: Looks = open_runs) -> None:
        super().__init__()
        self.path = path
        self._seed, self._share = seed, share
        self._looks = looks
        self.board: EvalSetBoard | None = None
        self._stale = False  # is there something to examine?
        self._at_it = False  # is it being examined?
        self._report: EvalsetReport | None = None
        self._reported: tuple[Case, ...] = ()  # the cases that the report is about
        self._waiting: list[Callable[[], object]] = []  # what waits until this screen is on top again
        self.busy = "reading"  # what is at work on the set, for people

    def work(self, work: Callable[[], Awaitable[None]], group: str) -> None:
        self.run_worker(work, group=group, description=group, exit_on_error=False)

    async def _open(self) -> None:
        """The runs are known before the first case is shown."""
        try:
            self.post_message(Opened(await aside(self._opened)))
        except CeoptError as error:
            self.post_message(Opened(None, fault=str(error)))

    def _opened(self) -> EvalSetBoard:
        draft = open_draft(self.path)
        board = EvalSetBoard(draft, held_by(self._looks(self.path, [case.id for case in draft.evalset.cases])))
        board.refresh()
        return board

    def on_opened(self, message: Opened) -> None:
        if message.board is None:
            self.app.notify(said(message.fault), severity="error", timeout=20, markup=False)
            self.when_on_top(self.dismiss)
            return
        self.board, self.busy = message.board, "checking"
        self.show()
        self._examine()

    def when_on_top(self, act: Callable[[], object]) -> None:
        """Acts now, or once what lies over this screen is gone: nothing comes up under a person's fingers."""
        if self.app.screen is self:
            act()
        else:
            self._waiting.append(act)

    def on_screen_resume(self) -> None:
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            self.when_on_top(act)

    def _look(self) -> None:
        if not self._at_it:
            self._examine()

    def _examine(self) -> None:
        """Looks at set and runs again in the background; what changes meanwhile is looked at after that."""
        if self.board is None:
            return
        self._stale = True
        if not self._at_it:
            self._at_it = True
            self.work(partial(self._examining, self.board), EXAMINING)

    async def _examining(self, board: EvalSetBoard) -> None:
        try:
            while self._stale:
                while self._stale:
                    self._stale = False
                    await asyncio.sleep(SETTLE_S if len(board.draft.entries) < LARGE else SETTLE_LARGE_S)
                await self._examined(board)
        finally:
            self._at_it = False

    async def _examined(self, board: EvalSetBoard) -> None:
        evalset = board.draft.evalset
        if evalset.cases != self._reported:
            self._report = await aside(partial(evalset_report, evalset, seed=self._seed, share=self._share))
            self._reported = evalset.cases
        runs = await aside(partial(self._looks, self.path, [case.id for case in evalset.cases]))
        self.post_message(Examined(self._report, runs, evalset.cases))

    def on_examined(self, message: Examined) -> None:
        board = self.board
        if board is None:
            return
        if self.busy == "checking" and message.cases == board.cases:
            self.busy = ""
            self.show()
        if (message.report, held_by(message.runs)) != (board.report, board.held):
            board.report, board.held = message.report, held_by(message.runs)
            self.show()

    def show(self) -> None:
        """Brings the keys up to the board; a screen that draws it does the rest."""
        self.refresh_bindings()
