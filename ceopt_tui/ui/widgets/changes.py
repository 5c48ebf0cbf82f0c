"""A comparison of two texts, side by side where there is room, else one below the other. The text is literal.

Removed words stand in [- -], added ones in {+ +}, as in a word diff of git: colour only repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.content import Content

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, visible
from ceopt_tui.ui.review_diff import FileChange, Piece, RuleChange
from ceopt_tui.ui.styled import MUTED, Line
from ceopt_tui.ui.widgets.reading import Prose

SIDE_BY_SIDE_FROM = 94  # cells of the widget: a terminal of 100 columns
LINE_CELLS, SIGN_CELLS = 5, 2
GAP = 2
NOTHING = Content("")
REMOVED, ADDED = "$text-error", "$text-success"
UNCHANGED = "Both texts are the same."


class Changes(Prose):
    """Files with their changed rules; the layout follows the width."""

    def __init__(self, files: Sequence[FileChange] = (), *, id: str | None = None) -> None:
        super().__init__([Line(NOTHING)], id=id)
        self._files = files
        self._drawn: tuple[int, Content] | None = None

    def _at(self, width: int) -> Content:
        if self._drawn is None or self._drawn[0] != width:
            lines = list(_lines(self._files, width)) or [Content(UNCHANGED)]
            self._drawn = (width, Content("\n").join(lines))
        return self._drawn[1]


def _lines(files: Sequence[FileChange], width: int) -> Iterator[Content]:
    row = _beside if width >= SIDE_BY_SIDE_FROM else _stacked
    for place, file in enumerate(files):
        if place:
            yield NOTHING
        yield Content.styled(one_line(file.path), "bold")
        for change in file.changes:
            if change.kind == "skipped":
                yield Content.styled(f"{'':{LINE_CELLS}}… {counted(change.skipped, 'rule')} unchanged", MUTED)
            else:
                yield from row(change, width)


def _beside(change: RuleChange, width: int) -> Iterator[Content]:
    column = (width - GAP) // 2
    sides = (_before(change, column), _after(change, column))
    for left, right in zip_longest(*sides, fillvalue=NOTHING):
        yield left + Content(" " * (column + GAP - left.cell_length)) + right


def _stacked(change: RuleChange, width: int) -> Iterator[Content]:
    if change.kind != "same":
        yield from _before(change, width)
    yield from _after(change, width)


def _before(change: RuleChange, width: int) -> list[Content]:
    sign = "-" if change.kind in ("changed", "removed") else " "
    return _side(change.before, change.line_before, sign, REMOVED, ("[-", "-]"), width, whole=change.kind == "removed")


def _after(change: RuleChange, width: int) -> list[Content]:
    sign = "+" if change.kind in ("changed", "added") else " "
    return _side(change.after, change.line_after, sign, ADDED, ("{+", "+}"), width, whole=change.kind == "added")


def _side(
    pieces: Sequence[Piece],
    line: int | None,
    sign: str,
    style: str,
    marks: tuple[str, str],
    width: int,
    *,
    whole: bool,
) -> list[Content]:
    """One side of a row: line number and sign, the text hanging from them."""
    if line is None:
        return []
    base = style if whole else "" if sign != " " else MUTED
    shown = Content.assemble(*(part for piece in pieces for part in _piece(piece, style, marks, base)))
    room = max(1, width - LINE_CELLS - SIGN_CELLS)
    folded = [part for text in _without_last_blanks(shown) for part in (text.wrap(room) if text else [text])]
    head = Content.styled(f"{line:>{LINE_CELLS - 1}} ", MUTED) + Content.styled(
        f"{sign} ", style if sign != " " else ""
    )
    below = Content(" " * LINE_CELLS) + Content.styled(f"{sign} ", style if sign != " " else "")
    return [(below if place else head) + part for place, part in enumerate(folded)]


def _piece(piece: Piece, style: str, marks: tuple[str, str], base: str) -> Iterator[tuple[str, str]]:
    """A piece in its marks; line ends around its words stay outside of them, one that is nothing else is shown."""
    if not piece.changed:
        yield visible(piece.text), base
        return
    shown = visible(piece.text.replace("\r\n", "␍\n"))
    words = shown.strip("\n") if shown.strip() else shown.replace("\n", "↵")
    before, _, after = shown.partition(words) if shown.strip() else ("", "", "")
    yield before, base
    yield f"{marks[0]}{words}{marks[1]}", f"{style} bold"
    yield after, base


def _without_last_blanks(shown: Content) -> list[Content]:
    lines = shown.split("\n", allow_blank=True)
    while len(lines) > 1 and not lines[-1].plain.strip():
        lines.pop()
    return lines
