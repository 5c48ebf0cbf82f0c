"""The file behind the list of cases: saving, taking up what another program wrote, leaving with nothing lost.

Disk and YAML are worked on off the event loop; what a person changes meanwhile stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.message import Message

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.evalset_edit import ChangedOnDiskError, Draft
from ceopt_tui.evalset_merge import TakenUp
from ceopt_tui.ui.screens.evalset_list import EvalSetListScreen
from ceopt_tui.ui.screens.pick import PickScreen
from schemas.evalset import Case
from schemas.loading import LoadedEvalSet, load_evalset

WRITING = "evalset-writing"  # group of its worker
ANEW = "Saved; the file had to be written anew, so comments in it are gone."

Then = Callable[[], object]


@dataclass
class Written(Message):
    """The file holds what it was to hold; `kept` says that all else in it is as it was."""

    loaded: LoadedEvalSet
    kept: bool
    then: Then | None


@dataclass
class Reread(Message):
    """The file as it is now."""

    loaded: LoadedEvalSet


@dataclass
class NotDone(Message):
    """The file could not be written or read; `elsewhere` says that another program wrote it."""

    fault: str
    elsewhere: bool = False


class EvalSetFileScreen(EvalSetListScreen):
    """An eval set file that can be written."""

    _at_file = False  # is it being written or read?
    _next: tuple[Then | None] | None = None  # what to do behind the saving that waits for it

    @property
    def unsaved(self) -> bool:
        return self.board is not None and self.board.unsaved

    def editable(self) -> Case | None:
        """The case under the cursor, where it may be seen and changed."""
        board, case = self.board, self.selected
        if board is not None and case is not None and board.held.hides(case.id):
            self.notify(board.held.sentence(case.id), timeout=10, markup=False)
            return None
        return case

    def edit(self, case_id: str, **values: Any) -> None:
        assert self.board is not None
        if self.board.held.hides(case_id):  # a run has opened since the person began
            self.notify(self.board.held.sentence(case_id), timeout=10, markup=False)
            return
        try:
            changed = self.board.draft.change(case_id, **values)
        except CeoptError as error:
            self.notify(said(str(error)), severity="error", timeout=10, markup=False)
            return
        if changed:
            self.changed()

    def action_save(self) -> None:
        self._save(None)

    def _save(self, then: Then | None) -> None:
        if self._at_file:
            self._next = (then,)
        elif self.board is not None and self.unsaved:
            self._begin("saving")
            self.work(partial(self._write, self.board.draft, then), WRITING)
        elif then is not None:
            then()

    def _begin(self, what: str) -> None:
        self._at_file, self.busy = True, what
        self.show()

    def _end(self) -> None:
        """What the file was worked on for is over; whether the set is still being checked, the next look says."""
        self._at_file, self.busy = False, "checking"
        self.changed()

    async def _write(self, draft: Draft, then: Then | None) -> None:
        try:
            loaded, kept = await asyncio.to_thread(draft.write)  # waited for, when the app ends meanwhile
        except CeoptError as error:
            self.post_message(NotDone(str(error), isinstance(error, ChangedOnDiskError)))
        else:
            self.post_message(Written(loaded, kept, then))

    def on_written(self, message: Written) -> None:
        assert self.board is not None
        self.board.draft.saved(message.loaded)
        self.notify("Saved." if message.kept else ANEW, timeout=3 if message.kept else 15, markup=False)
        self._end()
        following, self._next = self._next, None
        if following is not None:
            self._save(*following)
        elif message.then is not None and self.app.screen is self:  # else the person has gone on meanwhile
            self.ask_to_leave(message.then)

    def on_not_done(self, message: NotDone) -> None:
        self._next = None
        self._end()
        if not message.elsewhere:
            self.notify(said(message.fault), severity="error", timeout=20, markup=False)
            return

        def picked(place: int | None) -> None:
            if place == 0:
                self.action_reload()

        options = ("take up the file; what I changed stays on top of it", "leave both as they are")
        question = PickScreen(f"Not saved: {said(message.fault)}.", options)
        self.when_on_top(lambda: self.app.push_screen(question, picked))

    def action_reload(self) -> None:
        if self.board is not None and not self._at_file:
            self._begin("reading")
            self.work(self._read, WRITING)

    async def _read(self) -> None:
        try:
            self.post_message(Reread(await asyncio.to_thread(load_evalset, self.path)))
        except CeoptError as error:
            self.post_message(NotDone(str(error)))

    def on_reread(self, message: Reread) -> None:
        assert self.board is not None
        taken = self.board.draft.take_up(message.loaded)
        self._end()
        told = _told(taken)
        self.notify(f"The file is taken up.{told}", timeout=10 if told else 3, markup=False)

    def action_leave_app(self) -> None:
        async def leave() -> None:
            await self.run_action("app.leave")

        self.ask_to_leave(partial(self.call_later, leave))

    def ask_to_leave(self, go: Then) -> None:
        """Goes; asks before that while changes are not saved."""
        if not self.unsaved:
            go()
            return

        def picked(place: int | None) -> None:
            if place == 0:
                self._save(go)
            elif place == 1:
                self._forget(go)

        options = ("save, then leave", "leave without saving")
        self.app.push_screen(PickScreen("There are changes that are not saved.", options), picked)

    def _forget(self, go: Then) -> None:
        assert self.board is not None
        self.board.draft.forget()
        go()


def _told(taken: TakenUp) -> str:
    both = ", ".join(map(one_line, taken.both))
    told = f" Changed here and in the file, yours stands: {both}." if both else ""
    for old, new in taken.renamed.items():
        told += f" The file has another case {one_line(old)} by now: yours is {one_line(new)}."
    return told
