"""What the engine tells whoever is watching, and asks them. Headless and app implement it; neither decides anything."""

from __future__ import annotations

from typing import Protocol

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.run import RunState
from schemas.records import AnyRecord


class Skin(Protocol):
    """The observer and questioner of one tick. All calls come on the event loop's thread and must be quick."""

    def opened(self, state: RunState, terms: Terms) -> None:
        """The run's state as its journal tells it; the same object changes with every record."""

    def recorded(self, record: AnyRecord) -> None:
        """A record is on disk and in the state."""

    def progress(self, title: str, done: int, total: int) -> None:
        """How far a measurement or a download is; may be dropped.

        A CeoptError raised here during a measurement ends the tick once the calls under way are on record.
        """

    async def ask(self, question: Question) -> str:
        """One of the question's options; `refuse: reason` may carry a reason. NeedsPersonError where nobody is."""
