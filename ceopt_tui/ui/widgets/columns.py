"""Texts side by side under their labels, or below one another where there is no room. The texts are literal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.content import Content

from ceopt_tui.ui.styled import MUTED, Line, laid_out, literal_lines
from ceopt_tui.ui.widgets.reading import Prose

SIDE_BY_SIDE_FROM = 95  # cells of the widget, not of the terminal
GAP = 2
NOTHING = Content("")

Labelled = tuple[str, str]


class Columns(Prose):
    """One column for every text; in a narrow place each text behind its label."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._texts: Sequence[Labelled] = ()
        self._shown: tuple[int, Content] | None = None

    def show_texts(self, texts: Sequence[Labelled]) -> None:
        """Replaces the texts."""
        if texts == self._texts:
            return
        self._texts, self._shown = texts, None
        self._lines = [Line(NOTHING)] if texts else []
        self.refresh(layout=True)

    def _at(self, width: int) -> Content:
        if self._shown is None or self._shown[0] != width:
            rows = _beside if width >= SIDE_BY_SIDE_FROM else _stacked
            self._shown = (width, Content("\n").join(rows(self._texts, width)))
        return self._shown[1]


def _beside(texts: Sequence[Labelled], width: int) -> Iterator[Content]:
    column = (width - (len(texts) - 1) * GAP) // max(1, len(texts))
    cells = [[Content.styled(label, MUTED), *_wrapped(text, column)] for label, text in texts]
    for parts in zip_longest(*cells, fillvalue=NOTHING):
        *first, last = parts
        yield Content("").join([*(part + Content(" " * (column + GAP - part.cell_length)) for part in first), last])


def _stacked(texts: Sequence[Labelled], width: int) -> Iterator[Content]:
    indent = max((len(label) for label, _ in texts), default=0) + GAP
    for label, text in texts:
        first, *rest = _wrapped(text, max(1, width - indent))
        yield Content.styled(f"{label:<{indent}}", MUTED) + first
        yield from (Content(" " * indent) + line for line in rest)


def _wrapped(text: str, width: int) -> list[Content]:
    return laid_out(literal_lines(text), width).split("\n", allow_blank=True)
