"""The skin of the app: keeps what the engine said last and posts that something changed. Touches no widget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from ceopt_tui.core.judging_ports import RecordMark, Sheet, SheetOutcome
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Clock, Question
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.ending import EndRequested
from ceopt_tui.engine.skin import Commit
from ceopt_tui.errors import CeoptError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.ui.desk import Desk
from ceopt_tui.ui.messages import PullRequestWanted, QuestionAsked, QuestionGone, RunChanged
from ceopt_tui.ui.overview import Activity
from schemas.keeping_records import WrapUpChosen
from schemas.records import AnyRecord


class StopRequested(CeoptError):
    """The person stopped the run; raised where no call is under way that would be lost."""

    exit_status = ExitStatus.STOPPED


@dataclass(frozen=True)
class Pending:
    """A question and where its answer goes."""

    question: Question
    answer: asyncio.Future[str]


class AppSkin:
    """Watches and answers for one tick. Lives on the event loop, like the engine that calls it."""

    def __init__(self, post: Callable[[Message], object], clock: Clock) -> None:
        self._post = post
        self._clock = clock
        self._began_s = clock.monotonic()
        self.state: RunState | None = None
        self.terms: Terms | None = None
        self.pending: Pending | None = None
        self.desk: Desk | None = None  # a sheet that waits to be scored
        self.commit: Commit | None = None  # puts a record of the person's into the open journal
        self.stopping = False
        self.ending = False
        self._title, self._done, self._total = "", 0, 0

    def opened(self, state: RunState, terms: Terms, commit: Commit | None = None) -> None:
        self.state, self.terms, self.commit = state, terms, commit
        self._began_s = self._clock.monotonic()
        self._post(RunChanged())

    def recorded(self, record: AnyRecord) -> None:
        self._post(RunChanged())
        if isinstance(record, WrapUpChosen) and record.choice == "pull_request":
            self._post(PullRequestWanted())

    def progress(self, title: str, done: int, total: int) -> None:
        """Also the place where a stop takes hold: each line of calls ends here with its own call on record."""
        if self.stopping:
            raise StopRequested("you stopped the run", "Everything measured so far is kept.")
        if self._ends:
            raise EndRequested("you ended the run")
        self._title, self._done, self._total = title, done, total
        self._post(RunChanged())

    async def ask(self, question: Question) -> str:
        if self.stopping:
            raise StopRequested("you stopped the run")
        if self._ends:
            raise EndRequested("you ended the run")
        self.pending = Pending(question, asyncio.get_running_loop().create_future())
        self._post(QuestionAsked())
        try:
            return await self.pending.answer
        finally:
            self.pending = None
            self._post(QuestionGone())

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        """Lays the sheet before the person. When the app is left meanwhile the sheet stays open, marks and all."""
        if self.stopping:
            raise StopRequested("you stopped the run")
        if self._ends:
            raise EndRequested("you ended the run")
        desk = Desk(sheet)
        if desk.complete:  # the run was killed between the last mark and the end of the sheet
            return "done"
        self.desk = desk
        self._post(QuestionAsked())
        try:
            return await desk.outcome(record)
        finally:
            self.desk = None
            self._post(QuestionGone())

    def answer(self, text: str) -> None:
        """Gives the person's answer to the waiting question."""
        if self.pending and not self.pending.answer.done():
            self.pending.answer.set_result(text)

    def stop(self) -> None:
        """Ends the tick once the calls under way are on record."""
        self.stopping = True
        if self.pending and not self.pending.answer.done():
            self.pending.answer.set_exception(StopRequested("you stopped the run at a question"))
        if self.desk is not None:
            self.desk.clear_away(StopRequested("you stopped the run while scoring", "Your scores are kept."))
        self._post(RunChanged())

    def end(self) -> None:
        """Ends the loop once the calls under way are on record; the tick goes on to the report."""
        self.ending = True
        if self.pending and not self.pending.answer.done():
            self.pending.answer.set_exception(EndRequested("you ended the run at a question"))
        if self.desk is not None:
            self.desk.clear_away(EndRequested("you ended the run while scoring"))
        self._post(RunChanged())

    @property
    def _ends(self) -> bool:
        """Was the end asked for and is not on record yet?"""
        return self.ending and (self.state is None or self.state.stopped is None)

    def activity(self) -> Activity:
        """What the engine does at this moment."""
        return Activity(
            working=True,
            stopping=self.stopping or self._ends,
            asking=self._asking(),
            title=self._title,
            done=self._done,
            total=self._total,
            tick_s=self._clock.monotonic() - self._began_s,
        )

    def _asking(self) -> str:
        if self.desk is not None:
            return f"{self.desk.sheet.title} ({len(self.desk.marks)} of {len(self.desk.sheet.items)} done)"
        return self.pending.question.question if self.pending else ""
