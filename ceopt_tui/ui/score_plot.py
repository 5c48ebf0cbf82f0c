"""Scores over experiments drawn with plain characters: read without colour. Knows no widget and no run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from textual.content import Content

from ceopt_tui.core.charts import Dot, ScoreChart
from ceopt_tui.core.figures import counted, score
from ceopt_tui.ui.marks import word_mark
from ceopt_tui.ui.styled import MUTED, signed

LABEL_CELLS = 7  # of a score at the left
GAP_CELLS = 8  # at most, between two experiments
TICK_CELLS = 10  # at least, between two numbers below the axis
BELOW_ROWS = 3  # axis, numbers, looks
LEAST_ROWS = 3
LOOK = "◆"
CHOSEN = "▲"
BEST_STYLE = "$text-accent"

Spot = tuple[str, str]  # a character and its style
Grid = dict[tuple[int, int], Spot]  # by row and column


def plot(chart: ScoreChart, width: int, height: int, chosen: int | None = None) -> Content:
    """The chart in `width` by `height` cells; `chosen` is the experiment that is pointed at."""
    return Content("\n").join(_lines(_Field(chart, width, height), chosen))


class _Field:
    """Where a score and an experiment stand among the cells."""

    def __init__(self, chart: ScoreChart, width: int, height: int) -> None:
        self.chart = chart
        self.rows = max(LEAST_ROWS, height - BELOW_ROWS)
        room = max(2, width - LABEL_CELLS - 2)
        self.columns = min(room, GAP_CELLS * chart.experiments + 2)
        shown = [value for _, value in chart.best]
        for dot in chart.dots:
            shown += [dot.selection.mean, *([dot.held_out.mean] if dot.held_out else [])]
        self.low, self.high = min(shown), max(shown)
        if self.high - self.low < 1e-9:  # a line in the middle
            self.low, self.high = self.low - chart.span / 10, self.high + chart.span / 10

    def row(self, value: float) -> int:
        """From the top."""
        return round((self.high - value) / (self.high - self.low) * (self.rows - 1))

    def column(self, number: int) -> int:
        """The original stands at 0."""
        return round(number * (self.columns - 1) / max(1, self.chart.experiments))

    def value(self, row: int) -> float:
        """The score that a row stands for."""
        return self.high - (self.high - self.low) * row / (self.rows - 1)


def _lines(field: _Field, chosen: int | None) -> Iterator[Content]:
    grid = _grid(field)
    labelled = {0, field.rows - 1, *([field.rows // 2] if field.rows >= 7 else [])}
    for row in range(field.rows):
        label = score(field.value(row), field.chart.span) if row in labelled else ""
        axis = "┤" if row in labelled else "│"
        spots = (grid.get((row, column), (" ", "")) for column in range(field.columns))
        yield Content.assemble((f"{label:>{LABEL_CELLS}} {axis}", MUTED), *spots)
    yield from _below(field, chosen)


def _grid(field: _Field) -> Grid:
    """What lies on top is put in last: original, best so far, held-out scores, experiments."""
    chart, grid = field.chart, Grid()
    first = field.row(chart.best[0][1])
    grid.update(((first, column), ("·", MUTED)) for column in range(field.columns))
    ends = [*chart.best, (chart.experiments, chart.best[-1][1])]
    for (start, level), (end, after) in pairwise(ends):
        grid.update(_step(field, (start, level), (end, after)))
    for dot in chart.dots:
        if dot.held_out:
            grid[field.row(dot.held_out.mean), field.column(dot.number)] = (LOOK, "bold")
    for dot in sorted(chart.dots, key=lambda dot: dot.kept):
        sign = signed(word_mark(dot.outcome))
        grid[field.row(dot.selection.mean), field.column(dot.number)] = sign
    return grid


def _step(field: _Field, start: tuple[int, float], end: tuple[int, float]) -> Iterator[tuple[tuple[int, int], Spot]]:
    """A level line up to the next keep, then the way to its level."""
    row, after = field.row(start[1]), field.row(end[1])
    column = field.column(end[0])
    for place in range(field.column(start[0]), column + 1):
        yield (row, place), ("─", BEST_STYLE)
    if after != row:
        turn, way = ("┘", "┌") if after < row else ("┐", "└")
        yield (row, column), (turn, BEST_STYLE)
        for between in range(min(row, after) + 1, max(row, after)):
            yield (between, column), ("│", BEST_STYLE)
        yield (after, column), (way, BEST_STYLE)


def _below(field: _Field, chosen: int | None) -> Iterator[Content]:
    """The axis with its numbers, and where the held-out cases were looked at."""
    chart, left = field.chart, " " * LABEL_CELLS
    ticks = _ticks(field)
    axis = ["─"] * field.columns
    for number in ticks:
        axis[field.column(number)] = "┴"
    if chosen is not None:
        axis[field.column(chosen)] = CHOSEN
    yield Content.styled(f"{left} └{''.join(axis)}", MUTED)
    numbers = [" "] * field.columns
    for number in ticks:
        at = min(field.column(number), field.columns - len(str(number)))
        numbers[at : at + len(str(number))] = str(number)
    yield Content.styled(f"{left}  {''.join(numbers).rstrip()}", MUTED)
    looked = [" "] * field.columns
    for dot in chart.dots:
        if dot.held_out:
            looked[field.column(dot.number)] = LOOK
    yield Content.assemble((f"{'looks':>{LABEL_CELLS}}  ", MUTED), ("".join(looked).rstrip(), "bold"))


def _ticks(field: _Field) -> list[int]:
    """Numbers of experiments with room between them, in round steps."""
    most = max(1, field.columns // TICK_CELLS)
    step = next(one for one in _steps() if field.chart.experiments / one <= most)
    return list(range(0, field.chart.experiments + 1, step))


def _steps() -> Iterator[int]:
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10


def headline(chart: ScoreChart) -> str:
    """The chart in a sentence."""
    first, last = chart.best[0][1], chart.best[-1]
    best = f" → best {score(last[1], chart.span)} (exp-{last[0]:03d})" if len(chart.best) > 1 else "; no change kept"
    tried = f"{chart.measured:,} of {counted(chart.experiments, 'idea')} measured"
    return f"original {score(first, chart.span)}{best} on tuning cases; {tried}"


def legend(dots: Sequence[Dot]) -> str:
    """The signs that are in the chart, with their words."""
    marks = {str(word_mark(dot.outcome)): None for dot in dots}
    looks = [f"{LOOK} held-out score"] if any(dot.held_out for dot in dots) else []
    return "   ".join(["─ best so far", "· original", *marks, *looks])


def spoken_dot(dot: Dot, span: float) -> str:
    """One experiment of the chart with its figures."""
    mean, low, high = (score(value, span) for value in (dot.selection.mean, dot.selection.low, dot.selection.high))
    held_out = f"; held-out cases {score(dot.held_out.mean, span)}" if dot.held_out else ""
    return f"{dot.name} {word_mark(dot.outcome)}: {mean} (90%: {low} to {high}) on tuning cases{held_out}"
