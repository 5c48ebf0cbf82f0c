"""The four parts of a review: summary, diff, cases with both outputs, evidence. One is in sight, all are named."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import DataTable, Static

from ceopt_tui.core.describe import HIDDEN, hides_scores
from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.code_review import code_cases, code_diff, code_evidence
from ceopt_tui.ui.review_cases import (
    CaseChange,
    Material,
    Moved,
    case_changes,
    case_facts,
    kinds,
    output_texts,
    runs_words,
)
from ceopt_tui.ui.review_diff import FileChange, file_changes
from ceopt_tui.ui.review_evidence import evidence_lines
from ceopt_tui.ui.review_material import hidden_cases, read_material
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.styled import LABEL_CELLS, MUTED, Line, cell, fact_lines, lines_of, mark_cell
from ceopt_tui.ui.widgets.changes import Changes
from ceopt_tui.ui.widgets.columns import Columns
from ceopt_tui.ui.widgets.reading import Reading
from ceopt_tui.ui.widgets.table import RowTable

COLUMNS = (("case", 26), ("what", 11), ("side", 10), ("passed before → now", 40))
VIEWS = ("Summary", "Diff", "Cases", "Evidence")
IDS = ("material", "diff", "cases-view", "evidence")
SUMMARY, DIFF, CASES, EVIDENCE = range(1, 5)
NO_CHANGE = "Nothing was changed for it (yet)."
READING = "review-reading"  # the group of its worker


class ReviewBody(Vertical):
    """One experiment of a run as it stands when this is made."""

    DEFAULT_CSS = """
    ReviewBody {
        height: 1fr;
        #tabs { height: 1; padding: 0 2; }
        Reading { height: 1fr; padding: 1 2 0 2; }
        #cases-view { height: 1fr; }
        #cases { height: 1fr; min-height: 4; }
        #case { height: 1fr; max-height: 20; border-top: solid $primary; padding: 0 1; }
        #case:focus { border-top: heavy $accent; }
        #filter { height: 1; padding: 0 1; color: $text-muted; }
    }
    """

    @dataclass
    class Read(Message):
        """Outputs and inputs were read, or could not be."""

        material: Material

    def __init__(
        self, model: RunModel, number: int, summary: Sequence[Line], *, below: Widget | None = None, view: int = SUMMARY
    ) -> None:
        super().__init__(id="review")
        self._model, self._number = model, number
        self._state, self._terms = model.state, model.terms
        self._experiment = self._state.experiments[number]
        self._summary, self._below = summary, below
        cases = code_cases(self._state, self._experiment) if self._state.by_command else None
        self._found = case_changes(self._state, self._terms, self._experiment) if cases is None else cases
        self._hidden = hidden_cases(self._state)
        self._material = Material(note="" if self._state.by_command else "reading the outputs …")
        self._only: Moved | None = None
        self.view = view

    def compose(self) -> ComposeResult:
        yield Static(id="tabs", markup=False)
        yield Reading(self._summary, id="material", below=self._below)
        yield self._diff()
        with Vertical(id="cases-view"):
            yield Static(id="filter", markup=False)
            yield RowTable(COLUMNS, id="cases")
            yield Reading(id="case", below=Columns(id="outputs"))
        yield Reading(lines_of("\n".join(self._evidence())), id="evidence")

    def _evidence(self) -> list[str]:
        if self._state.by_command:
            return code_evidence(self._state, self._experiment)
        return evidence_lines(self._state, self._terms, self._experiment)

    def _diff(self) -> Reading:
        if self._state.by_command:
            return Reading(lines_of(code_diff(self._state, self._number) or NO_CHANGE), id="diff")
        return Reading(id="diff", below=Changes(self._files(), id="changes"))

    def _files(self) -> tuple[FileChange, ...]:
        digest = self._experiment.text_digest
        if digest is None:
            return ()
        return file_changes(self._state.texts[self._experiment.started.base_digest], self._state.texts[digest])

    def on_mount(self) -> None:
        self._list()
        self.go_to(self.view)
        if self._found and not self._state.by_command:  # a command prints no outputs
            work: Callable[[], Awaitable[None]] = self._read
            self.run_worker(work, group=READING, description=READING, exit_on_error=False)

    async def _read(self) -> None:
        entry = self._model.entry
        try:
            read = await asyncio.to_thread(read_material, entry.folder, entry.options, self._state, self._number)
        except CeoptError as error:
            read = Material(note=said(str(error)))
        self.post_message(self.Read(read))

    def on_review_body_read(self, message: Read) -> None:
        message.stop()
        self._material = message.material
        self._show_case()

    # The parts

    def go_to(self, view: int) -> None:
        """Shows one of the parts, counted from 1."""
        self.view = view
        for place, part in enumerate(IDS, 1):
            self.query_one(f"#{part}").display = place == view
        labels = [f"{place} {name}" for place, name in enumerate(VIEWS, 1)]
        labels = [f"[{label}]" if place == view else f" {label} " for place, label in enumerate(labels, 1)]
        parts = [(label, "bold" if place == view else MUTED) for place, label in enumerate(labels, 1)]
        self.query_one("#tabs", Static).update(Content.assemble(*parts))

    @property
    def reading(self) -> Reading:
        """The scrolling text of the part in sight."""
        return self.query_one(f"#{'case' if self.view == CASES else IDS[self.view - 1]}", Reading)

    @property
    def part(self) -> Widget:
        """What takes the keys of the part in sight."""
        return self.query_one(RowTable) if self.view == CASES else self.reading

    # Cases

    def _list(self) -> None:
        shown = [change for change in self._found if self._only in (None, change.moved)]
        table = self.query_one(RowTable)
        table.clear()
        table.put([(f"{change.side}/{change.id}", self._cells(change)) for change in shown])
        table.move_cursor(row=0)
        self.query_one("#filter", Static).update(self._filter_line(len(shown)))
        self._show_case()

    def _filter_line(self, shown: int) -> Content:
        if not self._found:
            if self._state.by_command:
                return Content("The command named no cases for both sides.")
            return Content(f"Cases are {HIDDEN}." if hides_scores(self._state) else "No case was run on it.")
        if self._only is not None:
            return Content(f"{counted(shown, 'case')} of {len(self._found)}; f lists others")
        return Content("  ".join(name for name, _ in kinds(self._found)))

    def _cells(self, change: CaseChange) -> tuple[Text, ...]:
        words = cell(runs_words(change, self._terms))
        return (cell(one_line(change.id)), mark_cell(change.mark), cell(change.side), words)

    @property
    def _selected(self) -> CaseChange | None:
        key = self.query_one(RowTable).selected_key
        return next((change for change in self._found if f"{change.side}/{change.id}" == key), None)

    def _show_case(self) -> None:
        change, panel, outputs = self._selected, self.query_one("#case", Reading), self.query_one(Columns)
        if change is None:
            panel.border_title = "No case"
            panel.show([])
            outputs.show_texts([])
            return
        hidden = change.id in self._hidden
        panel.border_title = Content(f"{one_line(change.id)} {change.mark}")
        facts = case_facts(change, self._material, self._terms, hidden=hidden)
        panel.show(fact_lines((f"{label:<{LABEL_CELLS}}", text) for label, text in facts))
        base, digest = self._experiment.started.base_digest, self._experiment.text_digest or ""
        silent = hidden or self._state.by_command
        outputs.show_texts([] if silent else output_texts(change, self._material, base, digest))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        self._show_case()
        self.query_one("#case", Reading).scroll_home(animate=False)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.query_one("#case", Reading).focus()

    def filter_cases(self) -> None:
        """Asks which cases to list."""
        found = kinds(self._found)

        def picked(place: int | None) -> None:
            if place is not None:
                self._only = found[place - 1][1] if place else None
                self._list()

        self.app.push_screen(PickScreen("List which cases?", ["all cases", *(name for name, _ in found)]), picked)

    @property
    def can_filter(self) -> bool:
        return self.view == CASES and bool(self._found)
