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

    _busy = False  # with the file

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
        if self.board is not None and self.unsaved and not self._busy:
            self._busy = True
            self.work(partial(self._write, self.board.draft, then), WRITING)

    async def _write(self, draft: Draft, then: Then | None) -> None:
        try:
            loaded, kept = await asyncio.to_thread(draft.write)
        except CeoptError as error:
            self.post_message(NotDone(str(error), isinstance(error, ChangedOnDiskError)))
        else:
            self.post_message(Written(loaded, kept, then))

    def on_written(self, message: Written) -> None:
        assert self.board is not None
        self._busy = False
        self.board.draft.saved(message.loaded)
        self.notify("Saved." if message.kept else ANEW, timeout=3 if message.kept else 15, markup=False)
        self.changed()
        if message.then is not None:
            self.leave(message.then)

    def on_not_done(self, message: NotDone) -> None:
        self._busy = False
        if not message.elsewhere:
            self.notify(said(message.fault), severity="error", timeout=20, markup=False)
            return

        def picked(place: int | None) -> None:
            if place == 0:
                self.action_reload()

        options = ("take up the file; what I changed stays on top of it", "leave both as they are")
        self.app.push_screen(PickScreen(f"Not saved: {said(message.fault)}.", options), picked)

    def action_reload(self) -> None:
        if self.board is not None and not self._busy:
            self._busy = True
            self.work(self._read, WRITING)

    async def _read(self) -> None:
        try:
            self.post_message(Reread(await asyncio.to_thread(load_evalset, self.path)))
        except CeoptError as error:
            self.post_message(NotDone(str(error)))

    def on_reread(self, message: Reread) -> None:
        assert self.board is not None
        self._busy = False
        both = self.board.draft.take_up(message.loaded)
        self.changed()
        told = f" Changed here and in the file, yours stands: {', '.join(map(one_line, both))}." if both else ""
        self.notify(f"The file is taken up.{told}", timeout=10 if both else 3, markup=False)

    def action_leave_app(self) -> None:
        async def leave() -> None:
            await self.run_action("app.leave")

        self.leave(partial(self.call_later, leave))

    def leave(self, go: Then) -> None:
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
