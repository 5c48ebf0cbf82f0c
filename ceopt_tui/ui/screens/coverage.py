"""The coverage screen: which rules the cases guard, as a heat map; where there is no map it says how to make one."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Footer, Input, Static

from ceopt_tui.core.coverage_words import LEGEND
from ceopt_tui.core.describe import HIDDEN
from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.coverage_map import MapFilter, MapRow, cell_facts, facets, map_rows, summary_text
from ceopt_tui.ui.coverage_map_source import MapSource
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.coverage_measuring import CoverageMeasuringScreen
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.styled import fact_lines, lines_of
from ceopt_tui.ui.widgets.coverage_grid import CoverageGrid
from ceopt_tui.ui.widgets.reading import Reading
from schemas.coverage import Coverage

NONE_YET = """\
No coverage map of this text yet.

ceopt cannot miss what it has no case for: an edit that loses a rule nobody tests looks harmless. A coverage map takes \
each rule of the text away in turn, runs the selection cases, and shows which cases notice. Rules that no case guards \
are then protected from edits, and for each of them a case to write is proposed.

Press m to see what it would run and cost; nothing is sent before you say yes. In a shell:

    ceopt coverage SPEC"""
STALE = "! of another text or other cases: rules new to it are protected; m: again"
UNKNOWN = "! the spec is not where it was: unknown whether this is still the text"
WORDS = "words in a rule, or in the name of a case that it moves; enter keeps the list, esc clears it"
STAY = "The measurement is under way. Leave? It stops; replies that came in are kept for the next start."
OF_MAP = ("next_moved", "filter", "search", "ideas")


class CoverageScreen(CoverageMeasuringScreen):
    """The coverage of one text."""

    place: ClassVar[Place] = "coverage"
    CSS_PATH = "coverage.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("coverage")

    def __init__(self, name: str, source: MapSource) -> None:
        super().__init__(source)
        self._whose = one_line(name)
        self._rows: tuple[MapRow, ...] = ()
        self._filter = MapFilter()

    def compose(self) -> ComposeResult:
        with Horizontal(id="title"):
            yield Static(Content.styled(f"Coverage of {self._whose}", "bold"), id="name", markup=False)
            yield Static(id="size", markup=False)
        yield Static(id="shown", markup=False)
        yield CoverageGrid(id="map")
        yield Reading(lines_of("Reading the map …"), id="lesson")
        yield Input(placeholder=WORDS, id="word", classes="hidden")
        yield Reading(id="cell")
        yield Static(id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self._lay_out()
        self.read()

    # What is on the screen

    @property
    def coverage(self) -> Coverage | None:
        """The map, where it may be seen."""
        return None if self.found is None or self.found.hidden else self.found.coverage

    def show(self) -> None:
        self._rows = map_rows(self.coverage) if self.coverage else ()
        self._filter = MapFilter()
        self._lay_out()
        if self._rows:
            self._list()
            self.query_one(CoverageGrid).focus()
        else:
            lesson = self.query_one("#lesson", Reading)
            lesson.show(lines_of(self._lesson()))
            lesson.focus()
        self.show_work()

    def _lay_out(self) -> None:
        for part in ("#shown", "#map", "#cell"):
            self.query_one(part).display = bool(self._rows)
        self.query_one("#lesson").display = not self._rows

    def _lesson(self) -> str:
        if self.fault:
            return said(self.fault)
        hidden = self.found is not None and self.found.hidden
        return f"The map tells how the judge scores: {HIDDEN}." if hidden else NONE_YET

    def _list(self) -> None:
        coverage, words = self.coverage, self._filter.words
        assert coverage is not None
        shown = [row for row in self._rows if self._filter.takes(row)]
        size = f"{counted(len(self._rows), 'rule')}, {counted(len(coverage.cases), 'case')}"
        self.query_one("#size", Static).update(size)
        of_all = f"{counted(len(shown), 'rule')}: {words}" if words else "  ".join(name for name, _ in facets(coverage))
        self.query_one("#shown", Static).update(Content(of_all))
        self.query_one(CoverageGrid).show(shown, len(coverage.cases))
        self._show_cell()

    def on_coverage_grid_moved(self, event: CoverageGrid.Moved) -> None:
        event.stop()
        self._show_cell()

    def _show_cell(self) -> None:
        grid, panel, coverage = self.query_one(CoverageGrid), self.query_one("#cell", Reading), self.coverage
        row = grid.row
        if coverage is None or row is None:
            panel.border_title = "No rule"
            panel.show([])
            return
        case = coverage.cases[grid.column]
        panel.border_title = Content(f"{row.place}, case {grid.column + 1}: {one_line(case)}")
        panel.show(fact_lines(cell_facts(coverage, row, case)))
        panel.scroll_home(animate=False)

    def show_work(self) -> None:
        lines = [f"… {self.busy}" if self.busy else ""]
        if self._rows and self.found is not None:
            lines += [{True: "", False: STALE, None: UNKNOWN}[self.found.current], LEGEND]
        hint = self.query_one("#hint", Static)
        hint.display = any(lines)
        hint.update(Content("\n".join(filter(None, lines))))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense now is not offered."""
        if action == "measure":
            return not self.busy and not (self.found is not None and self.found.hidden)
        return bool(self._rows) if action in OF_MAP else True

    # Filter, search, the cases to write

    def action_filter(self) -> None:
        found = facets(self.coverage) if self.coverage else []

        def picked(place: int | None) -> None:
            if place is not None:
                self._narrow(replace(self._filter, status=found[place - 1][1] if place else None))

        self.app.push_screen(PickScreen("Show which rules?", ["all rules", *(name for name, _ in found)]), picked)

    def _narrow(self, wanted: MapFilter) -> None:
        if wanted != self._filter and self._rows:
            self._filter = wanted
            self._list()

    def action_search(self) -> None:
        self.query_one(Input).value = self._filter.text
        self._ask(True)

    def _ask(self, asked: bool) -> None:
        word = self.query_one(Input)
        word.set_class(not asked, "hidden")
        (word if asked else self.query_one(CoverageGrid)).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if not self.query_one(Input).has_class("hidden"):
            self._narrow(replace(self._filter, text=event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._ask(False)

    def action_next_moved(self) -> None:
        self.query_one(CoverageGrid).go_to_next_moved()

    def action_ideas(self) -> None:
        if self.coverage is not None:
            self.app.push_screen(ReadingScreen(f"Coverage of {self._whose}", summary_text(self.coverage)))

    def action_back(self) -> None:
        if not self.query_one(Input).has_class("hidden"):
            self._ask(False)
            self._narrow(replace(self._filter, text=""))
        elif self._filter != MapFilter():
            self._narrow(MapFilter())
        elif self.measuring:
            self.app.push_screen(ConfirmScreen(STAY, "stop it and leave", "stay"), self._left)
        else:
            self.dismiss()

    def _left(self, yes: bool | None) -> None:
        if yes:
            self.stop_measuring()
            self.dismiss()
