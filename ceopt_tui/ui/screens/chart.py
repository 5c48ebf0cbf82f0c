"""Scores over the experiments of a run as a chart; a person walks from one experiment to the next."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from ceopt_tui.core.charts import Dot, ScoreChart, score_chart
from ceopt_tui.core.describe import HIDDEN, hides_scores
from ceopt_tui.core.visible import one_line
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.score_plot import headline, legend, plot, spoken_dot
from ceopt_tui.ui.screens.review import ReviewScreen
from ceopt_tui.ui.styled import lines_of
from ceopt_tui.ui.widgets.reading import Prose

REDRAW_S = 1.0  # how often the chart of a run at work is made anew
NOT_YET = "There is no score yet: the baseline comes first."
NO_SPEC = "The spec of this run is not where it was, so nothing says which way its scores count."
NOTHING_CHOSEN = "← → go from one measured experiment to the next, enter opens it"


class ScorePlot(Widget):
    """The chart in whatever room there is."""

    DEFAULT_CSS = "ScorePlot { height: 1fr; }"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._chart: ScoreChart | None = None
        self._chosen: int | None = None

    def show(self, chart: ScoreChart | None, chosen: int | None) -> None:
        """Replaces what is drawn."""
        if (chart, chosen) != (self._chart, self._chosen):
            self._chart, self._chosen = chart, chosen
            self.refresh()

    def render(self) -> Content:
        if self._chart is None:
            return Content("")
        return plot(self._chart, self.content_size.width, self.content_size.height, self._chosen)


class ChartScreen(Screen[None]):
    """Original, best so far, every measured experiment with the sign of its outcome, the looks at held-out cases."""

    place: ClassVar[Place] = "chart"
    CSS_PATH = "chart.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("chart")

    def __init__(self, model: RunModel) -> None:
        super().__init__()
        self.model = model
        self._chart: ScoreChart | None = None
        self._chosen: int | None = None  # number of the experiment that is pointed at

    def compose(self) -> ComposeResult:
        name = one_line(self.model.entry.name)
        yield Static(Content.assemble((name, "bold"), "  score over experiments"), id="title", markup=False)
        yield Prose(id="headline")
        yield ScorePlot(id="plot")
        yield Prose(id="legend")
        yield Prose(id="dot")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.redraw()
        self.set_interval(REDRAW_S, self._follow)

    def _follow(self) -> None:
        if self.model.working:
            self.redraw()

    def redraw(self) -> None:
        """Brings the chart up to the state of the run."""
        state, terms = self.model.state, self.model.terms
        hidden = hides_scores(state)
        self._chart = None if hidden or terms is None else score_chart(state, terms)
        chart, dot = self._chart, self._dot
        said = f"The judge's scores are {HIDDEN}." if hidden else NO_SPEC if terms is None else NOT_YET
        self.query_one("#headline", Prose).show(lines_of(headline(chart) if chart else said))
        self.query_one("#plot", ScorePlot).show(chart, self._chosen)
        self.query_one("#legend", Prose).show(lines_of(legend(chart.dots)) if chart else [])
        about = spoken_dot(dot, chart.span) if chart and dot else NOTHING_CHOSEN if chart and chart.dots else ""
        self.query_one("#dot", Prose).show(lines_of(about) if about else [])
        self.refresh_bindings()

    @property
    def _dot(self) -> Dot | None:
        dots = self._chart.dots if self._chart else ()
        return next((dot for dot in dots if dot.number == self._chosen), None)

    def action_walk(self, step: int) -> None:
        """To the measured experiment before or after the one pointed at; the first time to the last one."""
        dots = self._chart.dots if self._chart else ()
        if not dots:
            return
        dot = self._dot
        at = len(dots) - 1 if dot is None else dots.index(dot) + step
        self._chosen = dots[min(max(at, 0), len(dots) - 1)].number
        self.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "walk":
            return bool(self._chart and self._chart.dots)
        return action != "review" or self._dot is not None

    def action_review(self) -> None:
        if self._chosen is not None:
            self.app.push_screen(ReviewScreen(self.model, self._chosen))

    def action_back(self) -> None:
        self.dismiss()
