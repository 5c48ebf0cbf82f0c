"""The home screen: the runs of this repository and the specs that have none yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from ceopt_tui.core.ports import Clock
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.files_at_hand import files_of
from ceopt_tui.ui.messages import (
    CoverageWanted,
    EvalSetWanted,
    FilesWanted,
    NewRunWanted,
    ReloadWanted,
    RunOpened,
    StudiesWanted,
)
from ceopt_tui.ui.screens.compare import CompareScreen
from ceopt_tui.ui.styled import cell, lines_of, mark_cell
from ceopt_tui.ui.viewmodel import RunRow, run_row
from ceopt_tui.ui.widgets.reading import Reading
from ceopt_tui.ui.widgets.search_line import SearchLine
from ceopt_tui.ui.widgets.table import RowTable

COLUMNS = (("run", 15), ("status", 11), ("outcome", 16), ("kept", 8), ("spent", 10), ("when", 40))
EMPTY = """\
No run here yet.

ceopt makes an instruction text better, with proof: it measures the text on failures you recorded, tries changes, \
and keeps one only if it also wins on cases it was never tuned on.

You need a prompt in this repository and a file of what it got wrong. Press n to set a run up; `ceopt init PROMPT \
--failures FILE` does the same in a shell. Nothing is called or paid before you approve it.

Nothing at hand? `ceopt demo` makes a small repository and improves its prompt with a model on this machine, no key \
needed."""
HINT = "n sets up a new run"


class HomeScreen(Screen[None]):
    """Lists the runs; opens one."""

    place: ClassVar[Place] = "home"
    CSS_PATH = "home.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("home")

    def __init__(self, where: str, clock: Clock) -> None:
        super().__init__()
        self._where = where
        self._clock = clock
        self._entries: dict[str, RunEntry] = {}
        self._marked = ""  # the key of the run that another is to be compared with

    def compose(self) -> ComposeResult:
        yield Static(Content.assemble(("ceopt", "bold"), f"  {one_line(self._where)}"), id="title", markup=False)
        table = RowTable(COLUMNS, id="runs")
        yield table
        yield SearchLine(table, self._texts)
        yield Static(HINT, id="hint", markup=False)
        yield Reading(lines_of("Reading the runs …"), id="lesson")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._show_list(False)

    def on_screen_resume(self) -> None:
        self.post_message(ReloadWanted())

    def _show_list(self, listed: bool) -> None:
        for part, displayed in (("#runs", listed), ("#hint", listed), ("#lesson", not listed)):
            self.query_one(part).display = displayed

    def show(self, entries: Sequence[RunEntry], fault: str) -> None:
        """Shows these runs, or what to do where there is none."""
        table, lesson = self.query_one(RowTable), self.query_one("#lesson", Reading)
        self._entries = {entry.key: entry for entry in entries}
        self._show_list(bool(entries))
        if not entries:
            lesson.show(lines_of(said(fault) if fault else EMPTY))
            lesson.focus()
            return
        for gone in [key.value for key in table.rows if key.value not in self._entries]:
            table.remove_row(str(gone))
        first = table.row_count == 0
        rows = [run_row(entry, self._clock.now()) for entry in entries]
        table.put([(row.key, _cells(row)) for row in rows])
        if first:
            table.move_cursor(row=0)
        if not self.query_one(SearchLine).display:
            table.focus()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        entry = self._entries.get(str(event.row_key.value))
        about = "" if entry is None else entry.fault or (f"enter starts {entry.place}" if entry.place else "")
        self.query_one("#hint", Static).update(Content(said(one_line(about)) or HINT))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        key = self.query_one(RowTable).selected_key
        if key in self._entries:
            entry = self._entries[key]
            if entry.fault:
                self.notify(said(entry.fault), severity="error", timeout=20, markup=False)
                return
            self.post_message(RunOpened(entry, start=entry.state.started is None))

    def action_evalset(self) -> None:
        key = self.query_one(RowTable).selected_key
        if key in self._entries:
            self.post_message(EvalSetWanted(self._entries[key]))

    def action_coverage(self) -> None:
        key = self.query_one(RowTable).selected_key
        if key in self._entries:
            entry = self._entries[key]
            self.post_message(CoverageWanted(entry.name, entry.options, entry.folder))

    def _texts(self) -> Iterator[tuple[str, str]]:
        for key, entry in self._entries.items():
            row = run_row(entry, self._clock.now())
            yield key, f"{row.name} {row.status} {row.outcome}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("find", "open_file", "compare") or bool(self._entries)

    def action_compare(self) -> None:
        """The first time marks a run; on another one shows both; on the same one takes the mark back."""
        key = self.query_one(RowTable).selected_key or ""
        first, second = self._entries.get(self._marked), self._entries.get(key)
        if second is None or first is second:
            self._marked = ""
        elif second.state.started is None:
            self.notify("Nothing of it has been measured yet.", markup=False)
        elif first is None:
            self._marked = key
            self.notify(f"{one_line(second.name)} is marked; go to another run and compare again.", markup=False)
        else:
            self._marked = ""
            names = f"{one_line(first.name)} and {one_line(second.name)}"
            self.app.push_screen(CompareScreen(names, (first, second)))

    def action_open_file(self) -> None:
        entry = self._entries.get(self.query_one(RowTable).selected_key or "")
        if entry is not None:
            self.post_message(FilesWanted(files_of(entry, entry.state)))

    def action_find(self) -> None:
        self.query_one(SearchLine).open()

    def action_new_run(self) -> None:
        self.post_message(NewRunWanted())

    def action_studies(self) -> None:
        self.post_message(StudiesWanted())

    def action_reload(self) -> None:
        self.post_message(ReloadWanted())


def _cells(row: RunRow) -> tuple[Text, ...]:
    marks = (mark_cell(row.status), mark_cell(row.outcome))
    return (cell(row.name), *marks, cell(row.kept), cell(row.spend), cell(row.when))
