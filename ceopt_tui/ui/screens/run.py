"""The run screen: fills itself from the run's state while the engine works, at most a few times a second."""

from __future__ import annotations

import gc
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from ceopt_tui.core.describe import hides_scores
from ceopt_tui.core.plan.own_ideas import takes_ideas
from ceopt_tui.core.ports import Clock
from ceopt_tui.core.visible import one_line
from ceopt_tui.ui.commands import Place, bindings_for, commands_of
from ceopt_tui.ui.files_at_hand import files_of
from ceopt_tui.ui.marks import Mark, outcome_mark, waits_for_you
from ceopt_tui.ui.messages import (
    AnswerWanted,
    CopyWanted,
    CoverageWanted,
    EndWanted,
    EvalSetWanted,
    FilesWanted,
    IdeaWanted,
    PullRequestWanted,
    ReportWanted,
    RereadWanted,
    RunWanted,
    StartOverWanted,
    StopWanted,
    ThemesWanted,
    WrapUpWanted,
)
from ceopt_tui.ui.overview import mark_of, overview
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.chart import ChartScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.screens.review import ReviewScreen
from ceopt_tui.ui.styled import cell, fact_lines, lines_of, mark_cell, marked
from ceopt_tui.ui.viewmodel import ExperimentRow, candidate_diff, detail, experiment_row, experiment_words, run_diff
from ceopt_tui.ui.widgets.reading import Prose, Reading
from ceopt_tui.ui.widgets.search_line import SearchLine
from ceopt_tui.ui.widgets.table import RowTable

COLUMNS = (("experiment", 10), ("outcome", 14), ("tried", 28), ("why", 120))
REREAD_S = 2.0  # how often an idle screen looks whether the journal has grown
SLICE = 100  # rows put into the list at once: more would be felt as a stall
SLICE_PAUSE_S = 0.02  # between two slices, for keys


class RunScreen(Screen[None]):
    """One run, live."""

    place: ClassVar[Place] = "run"
    CSS_PATH = "run.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("run")

    def __init__(self, model: RunModel, clock: Clock, refresh_s: float) -> None:
        super().__init__()
        self.model = model
        self._clock = clock
        self._refresh_s = refresh_s
        self._listing = ("", False)  # the run whose experiments are listed, and whether their scores are hidden
        self._listed = 0  # experiments in the list
        self._open: set[int] = set()  # of these, the ones whose outcome may still change
        self._changed = True
        self._filling = False  # more rows of a long list are on their way
        self._offered: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        with Horizontal(id="title"):
            yield Static(Content.styled(one_line(self.model.entry.name), "bold"), id="name", markup=False)
            yield Static(id="status", markup=False)
        yield Prose(id="facts")
        table = RowTable(COLUMNS, id="experiments")
        yield table
        yield SearchLine(table, lambda: experiment_words(self.model.state))
        yield Reading(id="detail")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(RowTable).focus()
        self.redraw()
        self.set_interval(self._refresh_s, self._tick)
        self.set_interval(REREAD_S, self._follow)

    def on_unmount(self) -> None:
        gc.unfreeze()

    def changed(self) -> None:
        """The run has moved on; the next tick of the screen shows it."""
        self._changed = True

    def on_screen_resume(self) -> None:
        self._changed = True

    def _tick(self) -> None:
        """What lies over this screen would be drawn anew with it, so it waits until it is on top again."""
        if self.is_attached and self.app.screen is self and (self._changed or self.model.working):
            self.redraw()

    def redraw(self) -> None:
        """Brings every part of the screen up to the state."""
        self._changed = False
        state, activity = self.model.state, self.model.activity
        with self.app.batch_update():
            self.query_one("#status", Static).update(self._status(mark_of(state, activity)))
            lines = fact_lines(overview(state, self.model.terms, activity, self._clock.now()))
            self.query_one("#facts", Prose).show(lines)
            self._list_experiments()
            self._show_detail()
        offered = tuple(self.check_action(command.action, ()) for command in commands_of("run"))
        if offered != self._offered:
            self._offered = offered
            self.refresh_bindings()

    def _status(self, mark: Mark) -> Content:
        finished = self.model.state.finished
        return marked(mark) if finished is None else marked(mark) + "  " + marked(outcome_mark(finished.outcome))

    def _follow(self) -> None:
        """Another process may go on with a run that is idle here, or archive it and start over."""
        if not self.model.working:
            self.post_message(RereadWanted())

    def _list_experiments(self) -> None:
        table, experiments = self.query_one(RowTable), self.model.state.experiments
        started = self.model.state.started
        hidden = hides_scores(self.model.state)
        listing = (started.run_id if started else "", hidden)
        if listing != self._listing:  # the run was started over, or its scores may be seen now
            table.clear()
            self._listed, self._open, self._listing = 0, set(), listing
        upto = min(len(experiments), self._listed + SLICE)
        numbers = [*self._open, *range(self._listed + 1, upto + 1)]
        rows = [experiment_row(experiments[number], hidden=hidden) for number in numbers]
        table.put([(str(row.number), _cells(row)) for row in rows], more=upto < len(experiments))
        parked = {proposal.number for proposal in self.model.state.waiting.proposals}
        self._open = {number for number in numbers if not experiments[number].closed or number in parked}
        self._listed = upto
        if upto < len(experiments) and not self._filling:
            self._filling = True
            gc.freeze()  # rows stay; to scan all of them for garbage again and again would be felt as stalls
            self.set_timer(SLICE_PAUSE_S, self._list_more)

    def _list_more(self) -> None:
        self._filling = False
        if self.is_attached:
            self._list_experiments()

    @property
    def selected(self) -> int | None:
        """Number of the experiment under the cursor."""
        key = self.query_one(RowTable).selected_key
        return int(key) if key else None

    def _show_detail(self) -> None:
        panel, number = self.query_one("#detail", Reading), self.selected
        if number is None:
            panel.border_title = "No experiment yet"
            panel.show(lines_of(WAITING_FOR_CODE if self.model.state.by_command else WAITING_FOR_FIRST))
            return
        known = detail(self.model.state, number)
        panel.border_title = Content(known.title)
        panel.show([*fact_lines(known.facts), *(lines_of(known.diff) if known.diff else ())])

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        self._show_detail()
        self.query_one("#detail", Reading).scroll_home(animate=False)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_review()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Commands that make no sense now are not offered."""
        model = self.model
        idle = model.idle(self._clock.now())
        allowed = {
            "answer": model.activity.asking != "" or (idle and waits_for_you(model.state)),
            "wrap_up": model.ended,
            "pull_request": bool(model.state.keeps),
            "go_on": idle,
            "stop": model.working,
            "end": (model.working or idle) and model.state.started is not None and model.state.stopped is None,
            "start_over": model.state.started is not None and not model.working and model.commit is not None,
            "diff": self._listed > 0,
            "copy": model.entry.options is not None,
            "find": self._listed > 0,
            "chart": not model.state.by_command,
            "best": bool(model.state.keeps),
            "own_idea": model.commit is not None and takes_ideas(model.state),
            "themes": bool(model.state.judging.groupings) and not model.state.scores_hidden,
        }
        return allowed.get(action, True)

    def action_back(self) -> None:
        self.dismiss()

    def action_answer(self) -> None:
        """A question of an earlier day is asked again by the run itself."""
        self.post_message(AnswerWanted() if self.model.activity.asking else RunWanted())

    def action_go_on(self) -> None:
        self.post_message(RunWanted())

    def action_wrap_up(self) -> None:
        self.post_message(WrapUpWanted())

    def action_pull_request(self) -> None:
        self.post_message(PullRequestWanted())

    def action_stop(self) -> None:
        self.post_message(StopWanted())

    def action_end(self) -> None:
        self.post_message(EndWanted())

    def action_start_over(self) -> None:
        self.post_message(StartOverWanted())

    def action_report(self) -> None:
        self.post_message(ReportWanted())

    def action_review(self) -> None:
        number = self.selected
        if number is not None:
            self.app.push_screen(ReviewScreen(self.model, number))

    def action_diff(self) -> None:
        number = self.selected
        if number is not None:
            diff = candidate_diff(self.model.state, number)
            text = diff or "This experiment has no change to show (yet)."
            self.app.push_screen(ReadingScreen(detail(self.model.state, number).title, text))

    def action_copy(self) -> None:
        if self.model.entry.options is not None:
            self.post_message(CopyWanted(self.model.entry.options.resume_command(), "the command to go on"))

    def action_open_file(self) -> None:
        self.post_message(FilesWanted(files_of(self.model.entry, self.model.state, self.selected)))

    def action_find(self) -> None:
        self.query_one(SearchLine).open()

    def action_chart(self) -> None:
        self.app.push_screen(ChartScreen(self.model))

    def action_evalset(self) -> None:
        self.post_message(EvalSetWanted(self.model.entry))

    def action_coverage(self) -> None:
        entry = self.model.entry
        self.post_message(CoverageWanted(entry.name, entry.options, entry.folder))

    def action_themes(self) -> None:
        self.post_message(ThemesWanted())

    def action_own_idea(self) -> None:
        self.post_message(IdeaWanted())

    def action_best(self) -> None:
        name = one_line(self.model.entry.name)
        self.app.push_screen(ReadingScreen(f"{name}: {_BEST[self.model.state.by_command]}", run_diff(self.model.state)))


def _cells(row: ExperimentRow) -> tuple[Text, ...]:
    return cell(row.name), mark_cell(row.outcome), cell(row.tried), cell(row.reason)


_BEST = {False: "the best text against the original", True: "what was kept, change by change"}
WAITING_FOR_CODE = (
    "Experiments appear here as they are tried: each is one change of the code, measured by the command beside what is "
    "best so far."
)
WAITING_FOR_FIRST = (
    "Experiments appear here as they are tried: each is one change of the text, measured beside the current best "
    "on the same cases."
)
