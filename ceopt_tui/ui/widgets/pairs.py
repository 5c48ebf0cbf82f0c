"""Two views of the same things side by side, or below one another where there is no room. The text is literal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.content import Content

from ceopt_tui.ui.styled import Line, laid_out, literal_lines
from ceopt_tui.ui.widgets.reading import Prose

SIDE_BY_SIDE_FROM = 90  # cells of the widget, not of the terminal
GAP = 2
INDENT = 2
NOTHING = Content("")

Pair = tuple[str, str, str]  # heading, left, right


class Pairs(Prose):
    """Heading, left and right as three columns; in a narrow place the heading with both below it."""

    def __init__(self, pairs: Sequence[Pair], *, id: str | None = None) -> None:
        super().__init__([Line(NOTHING)] if pairs else [], id=id)
        self._pairs = pairs
        self._shown: tuple[int, Content] | None = None

    def _at(self, width: int) -> Content:
        if self._shown is None or self._shown[0] != width:
            rows = _beside if width >= SIDE_BY_SIDE_FROM else _stacked
            lines = [line for pair in self._pairs for line in (NOTHING, *rows(pair, width))]
            self._shown = (width, Content("\n").join(lines))
        return self._shown[1]


def _beside(pair: Pair, width: int) -> Iterator[Content]:
    column = (width - 2 * GAP) // 3
    cells = [_wrapped(text, column) for text in pair]
    for parts in zip_longest(*cells, fillvalue=NOTHING):
        *first, last = parts
        yield Content("").join([*(part + Content(" " * (column + GAP - part.cell_length)) for part in first), last])


def _stacked(pair: Pair, width: int) -> Iterator[Content]:
    heading, left, right = pair
    yield from _wrapped(heading, width)
    for text in (left, right):
        for line in _wrapped(text, width - INDENT):
            yield Content(" " * INDENT) + line


def _wrapped(text: str, width: int) -> list[Content]:
    return laid_out(literal_lines(text), width).split("\n", allow_blank=True)
