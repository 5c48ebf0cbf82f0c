"""The chart of scores over the experiments: the best text as steps, candidates as dots, held-out looks as squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ceopt_tui.core.charts import Dot, Estimate, ScoreChart
from ceopt_tui.core.figures import score
from ceopt_tui.engine.reporting.markup import Markup, element

LEFT, RIGHT = 13.0, 98.0  # per cent
TOP, BOTTOM, HEIGHT = 16.0, 236.0, 268.0  # pixels
TICKS = 5
FEW = 60  # dots up to which every one shows its interval
SIDE = 8.0  # pixels a held-out square stands beside its dot
DIAMOND, SQUARE = "M-7 0L0 -7L7 0L0 7Z", "M-4 -4H4V4H-4Z"


def draw_scores(chart: ScoreChart) -> tuple[str, str, float, Sequence[Markup]]:
    """Title, what it shows in words, height, shapes."""
    shapes = [*_axes(chart), *_steps(chart)]
    few = len(chart.dots) <= FEW
    for dot in sorted(chart.dots, key=lambda dot: dot.kept):  # what was kept lies on top
        shapes += _dot(chart, dot, whisker=few or dot.kept)
    first, last = (score(chart.best[place][1], chart.span) for place in (0, -1))
    told = (
        f"{chart.measured} measured experiments of {chart.experiments}; on the selection cases the best text went from "
        f"{first} to {last} in {len(chart.best) - 1} steps"
    )
    if len(chart.dots) < chart.measured:
        told += f"; {len(chart.dots)} are drawn, the best of every stretch and all that were kept"
    return "Score over the experiments", told, HEIGHT, shapes


def _across(chart: ScoreChart, number: float) -> str:
    return f"{LEFT + (RIGHT - LEFT) * number / (chart.experiments + 0.5):.2f}%"


def _down(chart: ScoreChart, value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * (value - chart.lowest) / chart.span


def _axes(chart: ScoreChart) -> Iterator[Markup]:
    for tick in range(TICKS):
        value = chart.lowest + chart.span * tick / (TICKS - 1)
        y = _down(chart, value)
        yield element("line", x1=f"{LEFT}%", x2=f"{RIGHT}%", y1=y, y2=y, class_="grid")
        yield element("text", score(value, chart.span), x=0, y=y + 4, class_="small")
    for number in sorted({0, chart.experiments // 2, chart.experiments}):
        name = f"exp-{number:03d}" if number else "original"
        anchor = "end" if number == chart.experiments and number else "middle"
        yield element("text", name, x=_across(chart, number), y=BOTTOM + 22, text_anchor=anchor, class_="small")


def _steps(chart: ScoreChart) -> Iterator[Markup]:
    """Level by level, with a rise where a change was kept."""
    ends = [number for number, _ in chart.best[1:]] + [chart.experiments + 0.5]
    before: float | None = None
    for (number, value), end in zip(chart.best, ends, strict=True):
        x, y = _across(chart, number), _down(chart, value)
        if before is not None:
            yield element("line", x1=x, x2=x, y1=before, y2=y, class_="best")
        yield element("line", x1=x, x2=_across(chart, end), y1=y, y2=y, class_="best")
        before = y


def _dot(chart: ScoreChart, dot: Dot, *, whisker: bool) -> Iterator[Markup]:
    said = f"{dot.name}, {dot.outcome}: {_said(dot.selection, chart.span)} on the selection cases"
    kind = "kept" if dot.kept else "tried"
    if whisker:
        yield _whisker(chart, dot.number, dot.selection, 0.0)
    yield _shape(chart, dot.number, dot.selection.mean, kind, said, 0.0)
    if dot.held_out is not None:
        said = f"{dot.name}, {dot.outcome}: {_said(dot.held_out, chart.span)} on the held-out cases"
        if whisker:
            yield _whisker(chart, dot.number, dot.held_out, SIDE)
        yield _shape(chart, dot.number, dot.held_out.mean, "looked", said, SIDE)


def _said(estimate: Estimate, span: float) -> str:
    return f"{score(estimate.mean, span)} ({score(estimate.low, span)} to {score(estimate.high, span)})"


def _shape(chart: ScoreChart, number: int, value: float, kind: str, said: str, aside: float) -> Markup:
    if kind == "tried":
        told = element("title", said)
        return element("circle", told, cx=_across(chart, number), cy=_down(chart, value), r=3.5, class_=kind)
    form = element("path", element("title", said), d=DIAMOND if kind == "kept" else SQUARE, class_=kind,
                   transform=f"translate({aside:g} 0)")  # fmt: skip
    return _at(chart, number, value, form)


def _whisker(chart: ScoreChart, number: int, estimate: Estimate, aside: float) -> Markup:
    low, high = (_down(chart, value) - _down(chart, estimate.mean) for value in (estimate.low, estimate.high))
    line = element("line", x1=aside, x2=aside, y1=low, y2=high, class_="whisker")
    return _at(chart, number, estimate.mean, line)


def _at(chart: ScoreChart, number: int, value: float, shape: Markup) -> Markup:
    """A shape in pixels around a place that is a percentage across."""
    return element("svg", shape, x=_across(chart, number), y=_down(chart, value), overflow="visible", width=1, height=1)
