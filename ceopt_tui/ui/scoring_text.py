"""What the scoring screen says: an output with what it answers, the levels, the person's own mark. No widget."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from ceopt_tui.core.figures import counted
from ceopt_tui.core.judging_ports import Level, PersonMark, SheetItem
from ceopt_tui.core.visible import one_line, visible
from ceopt_tui.ui.styled import MUTED, Line, literal_lines
from ceopt_tui.ui.widgets.choices import LIT, UNLIT

OPEN, CLOSED = "▾ ", "▸ "
EMPTY = "(empty)"
SHORT_LINES, SHORT_CHARACTERS = 6, 400  # what stands above the output unfolded, unless the person says otherwise
_HANG = 5  # "▶ 4  "


def folds_at_first(item: SheetItem) -> bool:
    """Is what the output answers too long to stand above it whole?"""
    given = f"{item.input}\n{item.expected or ''}"
    return given.count("\n") >= SHORT_LINES or len(given) > SHORT_CHARACTERS


def output_lines(item: SheetItem, folded: bool) -> list[Line]:
    """The output whole, above it input and expected answer, whole or as one line each."""
    parts = [("Input", item.input), *([("Expected", item.expected)] if item.expected is not None else [])]
    lines = [line for name, text in parts for line in _given(name, text, folded)]
    return [*lines, Line(Content("")), Line(Content.styled("Output", "bold")), *literal_lines(item.output or EMPTY)]


def _given(name: str, text: str, folded: bool) -> list[Line]:
    if not folded:
        return [Line(Content.styled(f"{OPEN}{name}", MUTED)), *literal_lines(text or EMPTY)]
    first, *rest = visible(text).split("\n")
    more = f" … {counted(len(rest), 'more line')}" if rest else ""
    label = f"{CLOSED}{name:<9}"
    return [Line(Content.assemble((label, MUTED), _start(first or EMPTY), (more, MUTED)), len(label))]


def _start(line: str, most: int = 40) -> str:
    return line if len(line) <= most else f"{line[:most]}…"


def level_lines(levels: Sequence[Level], mark: PersonMark | None) -> list[Line]:
    """One level a line: its key and what it means; the one the person gave is lit."""
    lines = []
    for level in levels:
        given = mark is not None and mark.score == level.score
        key, meaning = one_line(level.key), one_line(level.meaning) or f"{level.score:g}"
        start = f"{LIT if given else UNLIT}{key:<3}"
        lines.append(Line(Content.assemble((start, "bold"), (meaning, "bold" if given else "")), _HANG))
    return lines


def own_lines(mark: PersonMark | None, reason: str) -> list[Line]:
    """The person's own word on the output on top."""
    said = []
    if mark is not None:
        said.append("you skipped this one" if mark.score is None else f"your score: {mark.score:g}")
    if reason:
        said.append(f"because: {one_line(reason)}")
    text = " · ".join(said) or "not scored yet"
    return [Line(Content.styled(text, "" if said else MUTED))]


def hint(levels: Sequence[Level], below: int) -> str:
    """Which keys score, and whether the output goes on below the window."""
    keys = [one_line(level.key) for level in levels]
    span = " or ".join(keys) if len(keys) < 3 else f"{keys[0]} to {keys[-1]}"
    more = f"PgDn reads on ({below} more)" if below > 0 else "PgUp PgDn read"
    return f"{span} scores and goes on   {more}"
