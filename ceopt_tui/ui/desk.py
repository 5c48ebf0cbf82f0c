"""A scoring sheet on a person's desk: which output lies on top, and marks on their way to the journal.

Knows no widget and no score of a judge. The engine's task records; the screen only waits for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ceopt_tui.core.judging_ports import PersonMark, RecordMark, Sheet, SheetItem, SheetOutcome
from ceopt_tui.errors import CeoptError


@dataclass(frozen=True)
class Given:
    """A mark that waits to be recorded."""

    item_id: str
    mark: PersonMark
    recorded: asyncio.Future[None]


class Desk:
    """One sheet while a person scores it; it stays where it is when its screen is left and opened again."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.marks = {item.id: sheet.marks[item.id] for item in sheet.items if item.id in sheet.marks}
        self.place = self._first_unmarked() or 0
        self.over = self.complete  # no further mark is taken
        self._steps: asyncio.Queue[Given | SheetOutcome | CeoptError] = asyncio.Queue()

    @property
    def item(self) -> SheetItem:
        """The output on top."""
        return self.sheet.items[self.place]

    @property
    def own_mark(self) -> PersonMark | None:
        """What the person said of the output on top."""
        return self.marks.get(self.item.id)

    @property
    def complete(self) -> bool:
        return len(self.marks) == len(self.sheet.items)

    @property
    def scored(self) -> int:
        return sum(mark.score is not None for mark in self.marks.values())

    def _first_unmarked(self) -> int | None:
        return next((place for place, item in enumerate(self.sheet.items) if item.id not in self.marks), None)

    # The person's side

    async def give(self, mark: PersonMark) -> bool:
        """Returns once the mark is on record; False when it will not be, because the run has ended meanwhile."""
        if self.over:
            return False
        given = Given(self.item.id, mark, asyncio.get_running_loop().create_future())
        self._steps.put_nowait(given)
        await asyncio.wait({given.recorded})
        if given.recorded.cancelled():
            return False
        self.marks[given.item_id] = mark
        return True

    def go_on(self) -> None:
        """Lays the next output on top; behind the last one the sheet is done."""
        first = self._first_unmarked()
        if self.place + 1 < len(self.sheet.items):
            self.place += 1
        elif first is not None:
            self.place = first
        else:
            self.end("done")

    def go_back(self) -> None:
        self.place = max(0, self.place - 1)

    def end(self, outcome: SheetOutcome) -> None:
        """The person is through with the sheet."""
        if not self.over:
            self.over = True
            self._steps.put_nowait(outcome)

    # The engine's side

    def clear_away(self, error: CeoptError) -> None:
        """Ends the waiting for the person with this error; the sheet stays open."""
        self.over = True
        self._steps.put_nowait(error)

    async def outcome(self, record: RecordMark) -> SheetOutcome:
        """Records every mark as it is given, until the person is through."""
        given: Given | None = None
        try:
            while True:
                step = await self._steps.get()
                if isinstance(step, CeoptError):
                    raise step
                if isinstance(step, str):
                    return step
                given = step
                await record(given.item_id, given.mark)
                given.recorded.set_result(None)
        finally:
            self.over = True
            self._give_up(given)

    def _give_up(self, given: Given | None) -> None:
        """Whoever waits for a record that will not come is told so."""
        left = [given]
        while not self._steps.empty():
            step = self._steps.get_nowait()
            left.append(step if isinstance(step, Given) else None)
        for one in left:
            if one is not None:
                one.recorded.cancel()
