"""A new run, set up without a page of documentation: five choices, what they come to, and the files on one key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.new_run import Draft, Outlook
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.messages import RunOpened
from ceopt_tui.ui.new_run_forms import limits_chosen, limits_fields, models_chosen, models_fields
from ceopt_tui.ui.new_run_rows import Row, outlook_text, rows
from ceopt_tui.ui.new_run_source import NewRunSource
from ceopt_tui.ui.screens.form import FormScreen
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.pick_file import FilePickScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.screens.rubric import RubricScreen
from ceopt_tui.ui.styled import cell, lines_of
from ceopt_tui.ui.widgets.reading import Reading
from ceopt_tui.ui.widgets.table import RowTable
from texttargets.importers.preview import preview_lines
from texttargets.init_metric import MEASURES, rubric_for

WORK = "new-run"  # group of its workers
COLUMNS = (("", 1), ("choice", 11), ("what", 200))
NOT_YET = "Not yet: {}"


@dataclass
class FilesFound(Message):
    """Which files could be chosen."""

    step: str
    places: list[str]


@dataclass
class OutlookReady(Message):
    """What a draft comes to."""

    draft: Draft
    outlook: Outlook


@dataclass
class Written(Message):
    """The files are there, and the run can be opened."""

    entry: RunEntry


@dataclass
class NotDone(Message):
    """Why something could not be done."""

    fault: str


class NewRunScreen(Screen[None]):
    """Holds the draft; nothing is on disk until it is written."""

    place: ClassVar[Place] = "new"
    CSS_PATH = "new_run.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("new")

    def __init__(self, source: NewRunSource) -> None:
        super().__init__()
        self._source = source
        self.draft = Draft(source.root)
        self.outlook = Outlook()
        self.busy = False

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield RowTable(COLUMNS, id="choices")
        yield Reading(id="outlook")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(RowTable).show_header = False
        self._show()
        self.query_one(RowTable).move_cursor(row=0)
        self.query_one(RowTable).focus()

    def on_screen_suspend(self) -> None:
        self.app.clear_notifications()  # a step that opens is not covered by a word on the last one

    def _show(self) -> None:
        busy = "  … reading" if self.busy else ""
        title = Content.assemble(("New run", "bold"), f"  {one_line(self._source.where)}", busy)
        self.query_one("#title", Static).update(title)
        found = rows(self.draft, self.outlook)
        self.query_one(RowTable).put([(row.step, _cells(row)) for row in found])
        self.query_one(Reading).show(lines_of(outlook_text(self.draft, self.outlook)))

    def _work(self, work: Callable[[], Awaitable[None]]) -> None:
        self.busy = True
        self._show()
        self.run_worker(work, group=WORK, description=WORK, exclusive=True, exit_on_error=False)

    async def _in_thread(self, ask: Callable[[], Message]) -> None:
        try:
            self.post_message(await asyncio.to_thread(ask))
        except CeoptError as error:
            self.post_message(NotDone(str(error)))

    def on_not_done(self, message: NotDone) -> None:
        self.busy = False
        self._show()
        self.notify(said(message.fault), severity="error", timeout=20, markup=False)

    def _change(self, draft: Draft) -> None:
        """Takes a choice over and finds out what the draft comes to now."""
        self.draft = draft
        source = self._source
        self._work(partial(self._in_thread, lambda: OutlookReady(draft, source.outlook(draft))))

    def on_outlook_ready(self, message: OutlookReady) -> None:
        if message.draft is self.draft:
            self.busy, self.outlook = False, message.outlook
            self._show()

    # The choices

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        choose: dict[str, Callable[[], None]] = {
            "text": partial(self._find, "text"),
            "failures": partial(self._find, "failures"),
            "measure": self._choose_measure,
            "models": self._choose_models,
            "limits": self._choose_limits,
        }
        choose[str(event.row_key.value)]()

    def _find(self, step: str) -> None:
        if not self.busy:
            find = self._source.texts if step == "text" else self._source.failures
            self._work(partial(self._in_thread, lambda: FilesFound(step, find())))

    def on_files_found(self, message: FilesFound) -> None:
        self.busy = False
        self._show()
        question = "Which text is to get better?" if message.step == "text" else "Where is what it got wrong?"

        def picked(path: Path | None) -> None:
            if path is not None and message.step == "text":
                self._change(replace(self.draft, target=path))
            elif path is not None:
                self._change(replace(self.draft, failures=path))

        self.app.push_screen(FilePickScreen(question, self.draft.root, message.places), picked)

    def _choose_measure(self) -> None:
        names = list(MEASURES)

        def picked(place: int | None) -> None:
            if place is None:
                return
            wishes = replace(self.draft.wishes, measure=names[place])
            if wishes.measure == "judge":
                self._write_rubric()
            else:
                self._change(replace(self.draft, wishes=wishes))

        options = [f"{name}: {what}" for name, what in MEASURES.items()]
        self.app.push_screen(PickScreen("When is an output right?", options), picked)

    def _write_rubric(self) -> None:
        evalset = self.outlook.evalset

        def written(text: str | None) -> None:
            if text is not None:
                wishes = replace(self.draft.wishes, measure="judge", rubric=text)
                self._change(replace(self.draft, wishes=wishes))

        draft = self.draft.wishes.rubric or rubric_for(evalset.cases if evalset else ())
        self.app.push_screen(RubricScreen(draft), written)

    def _choose_models(self) -> None:
        def given(values: object) -> None:
            if isinstance(values, dict):
                wishes = replace(self.draft.wishes, models=models_chosen(values))
                self._change(replace(self.draft, wishes=wishes))

        fields = models_fields(self.draft.wishes)
        self.app.push_screen(
            FormScreen("Which models? provider/model, as litellm names them", fields, models_chosen), given
        )

    def _choose_limits(self) -> None:
        def given(values: object) -> None:
            if isinstance(values, dict):
                self._change(replace(self.draft, wishes=limits_chosen(self.draft.wishes, values)))

        check = partial(limits_chosen, self.draft.wishes)
        self.app.push_screen(FormScreen("When is the run to stop?", limits_fields(self.draft.wishes), check), given)

    # What follows from them

    def action_preview(self) -> None:
        if self.outlook.account is None:
            self.notify("Choose the failures first; an eval set is seen with v once the run is there.", markup=False)
            return
        text = said("\n".join(preview_lines(self.outlook.account)))
        left = [f"left out  {said(str(mention))}" for mention in self.outlook.account.skipped]
        self.app.push_screen(ReadingScreen("What is taken from the failures", "\n".join([text, "", *left])))

    def action_spec(self) -> None:
        new = self.outlook.new
        if new is None:
            self.notify("Choose the text first.", markup=False)
            return
        self.app.push_screen(ReadingScreen(f"{new.spec.name}, not written yet", said(new.files[new.spec])))

    def action_write(self) -> None:
        new, source = self.outlook.new, self._source
        if self.busy or new is None or not self.outlook.complete:
            missing = self.outlook.missing[0] if self.outlook.missing else "choose the text to make better"
            self.notify(said(NOT_YET.format(missing)), timeout=10, markup=False)
            return
        self._work(partial(self._in_thread, lambda: Written(source.write(new))))

    def on_written(self, message: Written) -> None:
        self.dismiss()
        self.app.post_message(RunOpened(message.entry, start=True))

    @property
    def unsaved(self) -> bool:
        """Is there a choice that no file holds?"""
        return self.draft.target is not None

    def action_back(self) -> None:
        if not self.unsaved:
            self.dismiss()
            return

        def answered(place: int | None) -> None:
            if place == 1:
                self.dismiss()

        self.app.push_screen(PickScreen("Leave the new run?", ("go on with it", "throw the choices away")), answered)


def _cells(row: Row) -> tuple[Text, ...]:
    return cell(row.sign), cell(row.name), cell(one_line(row.value))
