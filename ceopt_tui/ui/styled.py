"""Plain lines as styled content. The text is taken literally; styles only underline what signs already say."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.content import Content

from ceopt_tui.ui.marks import Mark, Tone

TONES: dict[Tone, str] = {
    "good": "$text-success",
    "bad": "$text-error",
    "unsure": "$text-warning",
    "alarm": "$text-error bold",
    "busy": "$text-accent",
    "quiet": "",
}
_TABLE_TONES: dict[Tone, str] = {"alarm": "bold", "good": "bold", "busy": "italic"}
_DIFF_STARTS = frozenset(" +-@\\")
_DIFF = (("+++", "bold"), ("---", "bold"), ("@@", "$text-accent"), ("+", "$text-success"), ("-", "$text-error"))


def marked(mark: Mark) -> Content:
    """A sign with its word."""
    return Content.styled(str(mark), TONES[mark.tone])


def cell(text: str) -> Text:
    """A table cell with exactly this text, cut at the column's end."""
    return Text(text, no_wrap=True, overflow="ellipsis", end="")


def mark_cell(mark: Mark) -> Text:
    """A table cell with a sign and its word."""
    return Text(str(mark).strip(), style=_TABLE_TONES.get(mark.tone, ""), no_wrap=True, overflow="ellipsis", end="")


def facts(pairs: Iterable[tuple[str, str]], width: int = 8) -> Content:
    """Labels and sentences, one a line."""
    lines = [Content.assemble((f"{label:<{width}}", "$text-muted"), text) for label, text in pairs]
    return Content("\n").join(lines)


def lines_of(text: str) -> Content:
    """Text for reading; lines of a diff in it and headings of Markdown stand out."""
    styled, in_diff = [], False
    for line in text.split("\n"):
        in_diff = line.startswith("--- ") or (in_diff and line[:1] in _DIFF_STARTS)
        styled.append(Content.styled(line, _style(line, in_diff)))
    return Content("\n").join(styled)


def _style(line: str, in_diff: bool) -> str:
    if in_diff:
        return next((style for start, style in _DIFF if line.startswith(start)), "")
    return "bold" if line.startswith("#") else ""
