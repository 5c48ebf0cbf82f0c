"""The list of an eval set's cases with one of them in full, and how it stands; changes nothing.

What runs hold out is known before the first case is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, Static

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.evalset_edit import Draft, open_draft
from ceopt_tui.evalset_runs import OpenRun, open_runs
from ceopt_tui.ui.evalset_board import EvalSetBoard
from ceopt_tui.ui.evalset_rows import CaseRow, held_by, standing, warnings
from ceopt_tui.ui.styled import MUTED, Line, cell, mark_cell
from ceopt_tui.ui.widgets.columns import Columns
from ceopt_tui.ui.widgets.reading import Reading
from ceopt_tui.ui.widgets.table import RowTable
from schemas.evalset import Case
from texttargets.evalset_check import EvalsetReport, evalset_report

COLUMNS = (("case", 18), ("kind", 7), ("side", 11), ("look at", 10), ("input", 60), ("tags", 40))
LABEL_CELLS = 12  # as the labels of the fields below
SLICE = 200  # rows put into the list at once: more would be felt as a stall
SETTLE_S = 0.2  # several changes in a row are examined once
LOOK_S = 5.0  # how often it looks whether a run has opened or ended
READING = "evalset-reading"  # groups of workers
EXAMINING = "evalset-examining"

Looks = Callable[[Path, list[str]], tuple[OpenRun, ...]]


@dataclass
class Opened(Message):
    """The file was read, or could not be."""

    draft: Draft | None
    runs: tuple[OpenRun, ...] = ()
    fault: str = ""


@dataclass
class Examined(Message):
    """What is known of the cases as they were a moment ago."""

    report: EvalsetReport | None
    runs: tuple[OpenRun, ...]


class EvalSetListScreen(Screen[None]):
    """One eval set file, read. `looks` finds the open runs that measure on it."""

    def __init__(self, path: Path, *, seed: int = 7, share: float | None = None, looks: Looks = open_runs) -> None:
        super().__init__()
        self.path = path
        self._seed, self._share = seed, share
        self._looks = looks
        self.board: EvalSetBoard | None = None
        self._in_table: tuple[str, ...] = ()
        self._rows_in_table: dict[str, CaseRow] = {}
        self.cursor: str | None = None  # the case to go to once it is listed
        self._stale = False  # is there something to examine?
        self._at_it = False  # is it being examined?
        self._report: EvalsetReport | None = None
        self._reported: tuple[Case, ...] = ()  # the cases that the report is about

    def compose(self) -> ComposeResult:
        with Horizontal(id="title"):
            yield Static(Content.styled(f"Eval set {one_line(self.path.name)}", "bold"), id="name", markup=False)
            yield Static(id="unsaved", markup=False)
        yield Static("Reading the cases …", id="filter", markup=False)
        yield RowTable(COLUMNS, id="cases")
        yield Reading(id="detail", below=Columns(id="texts"))
        yield Input(id="word", classes="hidden")
        yield Static(id="standing", markup=False)
        yield Static(id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(RowTable).focus()
        self.work(self._open, READING)
        self.set_interval(LOOK_S, self._examine)

    def work(self, work: Callable[[], Awaitable[None]], group: str) -> None:
        self.run_worker(work, group=group, exit_on_error=False)

    async def _open(self) -> None:
        """The runs are known before the first case is shown."""
        try:
            draft = await asyncio.to_thread(open_draft, self.path)
            runs = await asyncio.to_thread(self._looks, self.path, [case.id for case in draft.evalset.cases])
        except CeoptError as error:
            self.post_message(Opened(None, fault=str(error)))
        else:
            self.post_message(Opened(draft, runs))

    def on_opened(self, message: Opened) -> None:
        if message.draft is None:
            self.app.notify(said(message.fault), severity="error", timeout=20, markup=False)
            self.dismiss()
            return
        self.board = EvalSetBoard(message.draft, held_by(message.runs))
        self.show()
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
                await asyncio.sleep(SETTLE_S)
                self._stale = False
                await self._examined(board)
        finally:
            self._at_it = False

    async def _examined(self, board: EvalSetBoard) -> None:
        evalset = board.draft.evalset
        if evalset.cases != self._reported:
            self._report = await asyncio.to_thread(evalset_report, evalset, seed=self._seed, share=self._share)
            self._reported = evalset.cases
        runs = await asyncio.to_thread(self._looks, self.path, [case.id for case in evalset.cases])
        self.post_message(Examined(self._report, runs))

    def on_examined(self, message: Examined) -> None:
        board = self.board
        if board is not None and (message.report, held_by(message.runs)) != (board.report, board.held):
            board.report, board.held = message.report, held_by(message.runs)
            self.show()

    # What is on the screen

    def show(self) -> None:
        """Brings every part up to the board."""
        board = self.board
        if board is None or not self.is_attached:
            return
        board.refresh()
        with self.app.batch_update():
            self._show_lines(board)
            self._list(board)
            self._show_detail()
        self.refresh_bindings()

    def _show_lines(self, board: EvalSetBoard) -> None:
        words = board.filter.words
        of_all = f"{counted(len(board.listed), 'case')} of {len(board.cases):,}: {words}" if words else "all cases"
        self.query_one("#filter", Static).update(Content(of_all))
        self.query_one("#unsaved", Static).update("* not saved" if board.unsaved else "saved")
        report = board.report
        self.query_one("#standing", Static).update(Content(standing(report)) if report else "")
        names = ", ".join(map(one_line, board.held.runs))
        lines = [f"! {names} is open: held-out cases are hidden and cannot be changed"] if names else []
        first, *more = (warnings(report) if report else []) or [""]
        lines += [f"! {first}" + (f" (c shows {len(more)} more)" if more else "")] if first else []
        hint = self.query_one("#hint", Static)
        hint.display = bool(lines)
        hint.update(Content("\n".join(lines)))

    def _list(self, board: EvalSetBoard) -> None:
        """Puts the next slice into the table; the cursor stays on its case, wherever that stands now."""
        table = self.query_one(RowTable)
        if board.listed[: len(self._in_table)] != self._in_table:
            self.cursor = self.cursor or table.selected_key
            table.clear()
            self._in_table, self._rows_in_table = (), {}
        before, upto = len(self._in_table), board.listed[: len(self._in_table) + SLICE]
        row = table.cursor_row if before else 0
        rows = [board.rows[case_id] for case_id in upto]
        table.put([(row.id, _cells(row)) for row in rows if row != self._rows_in_table.get(row.id)])
        self._in_table, self._rows_in_table = upto, {row.id: row for row in rows}
        if self.cursor in upto:
            row, self.cursor = upto.index(self.cursor), None
        table.move_cursor(row=row)
        if len(upto) < len(board.listed):
            self.call_after_refresh(self._list_more)
        else:
            self.cursor = None

    def _list_more(self) -> None:
        if self.board is not None and self.is_attached:
            self._list(self.board)

    @property
    def selected(self) -> Case | None:
        """The case under the cursor."""
        if self.board is None or not self.is_mounted:
            return None
        return self.board.draft.case(self.query_one(RowTable).selected_key)

    def _show_detail(self) -> None:
        board, case, panel = self.board, self.selected, self.query_one("#detail", Reading)
        if board is None or case is None:
            panel.border_title = "No case"
            panel.show([])
            self.query_one(Columns).show_texts([])
            return
        panel.border_title = Content(one_line(case.id))
        panel.show(
            [
                Line(Content.assemble((f"{label:<{LABEL_CELLS}}", MUTED), text), LABEL_CELLS)
                for label, text in board.facts(case)
            ]
        )
        self.query_one(Columns).show_texts(board.texts(case))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        self._show_detail()
        self.query_one("#detail", Reading).scroll_home(animate=False)
        self.refresh_bindings()

    def changed(self) -> None:
        """The cases are no longer what they were."""
        self.show()
        self._examine()


def _cells(row: CaseRow) -> tuple[Text, ...]:
    look = mark_cell(row.look) if row.look.sign else cell("")
    return (cell(one_line(row.id)), cell(row.kind), cell(row.side), look, cell(row.excerpt), cell(row.tags))
