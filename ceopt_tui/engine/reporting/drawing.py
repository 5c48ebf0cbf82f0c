"""Charts as inline SVG that fits any width without a script: places across are percentages, all else is pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ceopt_tui.core.charts import CaseChart, Chart, CoverageChart, ScoreChart, ShareChart
from ceopt_tui.core.coverage_words import LOST_MARK, MARKS
from ceopt_tui.core.figures import change, score
from ceopt_tui.core.visible import fitted, said
from ceopt_tui.engine.reporting.markup import Markup, element, joined
from ceopt_tui.engine.reporting.score_drawing import draw_scores
from ceopt_tui.engine.reporting.spending import share_figure

ROW = 38  # pixels of a bar with its label above it
LABEL = 34  # columns of a label; a phone shows no more
SHARES = {"experiment": "Experiments by outcome", "call": "Calls by role", "USD": "US dollars by role"}
_MARKED = 40  # columns of a map from which on a mark would not fit into its cell


def draw(chart: Chart, name: str) -> Markup:
    """The chart as one SVG element; `name` is its own in the page."""
    match chart:
        case ScoreChart():
            title, told, height, shapes = draw_scores(chart)
        case CaseChart():
            title, told, height, shapes = _cases(chart)
        case ShareChart():
            title, told, height, shapes = _shares(chart)
        case CoverageChart():
            title, told, height, shapes = _coverage(chart)
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", told, id=f"{name}-told"),
        *shapes,
        role="img",
        aria_labelledby=f"{name}-title {name}-told",
        width="100%",
        height=height,
        class_="chart",
    )


Drawn = tuple[str, str, float, Sequence[Markup]]  # title, what it shows in words, height, shapes


def _shares(chart: ShareChart) -> Drawn:
    most = max((share.value or 0.0 for share in chart.shares), default=0.0)
    shapes: list[Markup] = []
    for place, share in enumerate(chart.shares):
        top = place * ROW
        shapes.append(_label(top, share.name, "", share_figure(chart.unit, share.value)))
        shapes.append(_track(top))
        if share.value and most:
            shapes.append(element("rect", x=0, y=top + 22, width=f"{100 * share.value / most:.2f}%", height=8,
                                  class_="bar"))  # fmt: skip
    told = "; ".join(f"{share.name}: {share_figure(chart.unit, share.value)}" for share in chart.shares)
    return SHARES[chart.unit], told, len(chart.shares) * ROW, shapes


def _label(top: float, name: str, side: str, figure: str) -> Markup:
    shown = fitted(said(name), LABEL - len(side)).rstrip()
    return joined(
        element("text", shown + side, x=0, y=top + 15),
        element("text", figure, x="100%", y=top + 15, text_anchor="end", class_="figure"),
    )


def _track(top: float) -> Markup:
    return element("rect", x=0, y=top + 22, width="100%", height=8, class_="track")


def _cases(chart: CaseChart) -> Drawn:
    shapes = [shape for place, _ in enumerate(chart.bars) for shape in _case(chart, place)]
    better = sum(bar.gain > 0 for bar in chart.bars)
    told = (
        f"{better} of the cases shown are better now, {len(chart.bars) - better} worse; {chart.same} are the same"
        + (f"; {chart.left_out} that moved less are left out" if chart.left_out else "")
    )
    return "The final text against the original, case by case", told, len(chart.bars) * ROW, shapes


def _case(chart: CaseChart, place: int) -> Iterator[Markup]:
    """A line from the score before, a ring, to the score now, a disc."""
    bar, top = chart.bars[place], place * ROW
    side = "held out" if bar.held_out else "selection"
    figures = f"{score(bar.before, chart.span)} → {score(bar.after, chart.span)}"
    yield _label(top, bar.case, f" ({side})", figures)
    yield _track(top)
    before, after = (1 + 98 * (value - chart.lowest) / chart.span for value in (bar.before, bar.after))
    kind = "better" if bar.gain > 0 else "worse"
    yield element("line", x1=f"{before:.2f}%", x2=f"{after:.2f}%", y1=top + 26, y2=top + 26, class_=f"move {kind}")
    yield element("circle", cx=f"{before:.2f}%", cy=top + 26, r=4, class_="ring")
    told = f"{bar.case}, {side}: {figures}, {change(bar.gain, chart.span)}"
    yield element("circle", element("title", told), cx=f"{after:.2f}%", cy=top + 26, r=5, class_=f"disc {kind}")


_LEFT, _CELL = 16.0, 16  # per cent for the names of rules; pixels of a row


def _coverage(chart: CoverageChart) -> Drawn:
    width = (100 - _LEFT) / max(len(chart.cases), 1)
    shapes: list[Markup] = []
    for place, (name, status, effects) in enumerate(chart.rows):
        top = place * _CELL
        shapes.append(element("text", fitted(said(name), 14).rstrip(), x=0, y=top + 12, class_="small"))
        shapes.append(element("rect", x=f"{_LEFT}%", y=top + 1, width=f"{100 - _LEFT}%", height=_CELL - 2,
                              class_="track"))  # fmt: skip
        at = 0
        for effect, cells in groupby(effects):
            count = len(list(cells))
            if effect != "same":
                shapes += _cells(effect, at, count, top, width, f"{name}, {status}")
            at += count
    told = f"{len(chart.rows)} rules by {len(chart.cases)} cases; the table below has a mark for every case"
    return "Which cases notice when a rule is gone", told, max(len(chart.rows), 1) * _CELL, shapes


def _cells(effect: str | None, at: int, count: int, top: float, width: float, name: str) -> Iterator[Markup]:
    kind = effect or "lost"
    left = _LEFT + at * width
    yield element("rect", element("title", f"{name}: {kind}"), x=f"{left:.3f}%", y=top + 1,
                  width=f"{count * width:.3f}%", height=_CELL - 2, class_=f"cell {kind}")  # fmt: skip
    if (100 - _LEFT) / width <= _MARKED:
        for place in range(count):
            middle = f"{left + (place + 0.5) * width:.3f}%"
            mark = MARKS[effect] if effect else LOST_MARK
            yield element("text", mark, x=middle, y=top + 12, text_anchor="middle", class_="mark")
