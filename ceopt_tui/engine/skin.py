"""What the engine tells whoever is watching, and asks them. Headless and app implement it; neither decides anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from ceopt_tui.core.judging_ports import RecordMark, Sheet, SheetOutcome
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.run import RunState
from schemas.records import AnyRecord

Commit = Callable[[AnyRecord], Awaitable[None]]


class Skin(Protocol):
    """The observer and questioner of one tick. All calls come on the event loop's thread and must be quick."""

    def opened(self, state: RunState, terms: Terms, commit: Commit | None = None) -> None:
        """The run's state as its journal tells it; the same object changes with every record.

        `commit` puts what a person says unasked (their word on a theme) on record while the tick lasts.
        """

    def recorded(self, record: AnyRecord) -> None:
        """A record is on disk and in the state."""

    def progress(self, title: str, done: int, total: int) -> None:
        """How far a measurement or a download is; may be dropped.

        A CeoptError raised here during a measurement ends the tick once the calls under way are on record;
        EndRequested ends the loop alone, and the run is wrapped up.
        """

    async def ask(self, question: Question) -> str:
        """One of the question's options; `refuse: reason` may carry a reason. NeedsPersonError where nobody is."""

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        """Lets a person score a sheet; every mark is on record before the next output is shown.

        NeedsPersonError where nobody is.
        """
