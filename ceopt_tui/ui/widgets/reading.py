"""Literal lines that follow the width they get, alone or in a scrolling panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from ceopt_tui.ui.styled import Line, laid_out


class Prose(Widget):
    """Lines wrapped with hanging indents to the width the widget has."""

    DEFAULT_CSS = "Prose { height: auto; }"

    def __init__(self, lines: Sequence[Line] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines = lines
        self._laid_out: tuple[int, Content] | None = None

    def show(self, lines: Sequence[Line]) -> None:
        """Replaces the text."""
        if lines != self._lines:
            self._lines, self._laid_out = lines, None
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._at(width).plain.count("\n") + 1 if self._lines else 0

    def render(self) -> Content:
        return self._at(self.content_size.width)

    def _at(self, width: int) -> Content:
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = (width, laid_out(self._lines, width))
        return self._laid_out[1]


class Reading(VerticalScroll):
    """A scrolling text; what it shows is never markup."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("space", "page_down", "Page down", show=False),
    ]

    def __init__(self, lines: Sequence[Line] = (), *, id: str, below: Widget | None = None) -> None:
        super().__init__(id=id)
        self._first = lines
        self._below = below

    def compose(self) -> ComposeResult:
        yield Prose(self._first)
        if self._below is not None:
            yield self._below

    def show(self, lines: Sequence[Line]) -> None:
        """Replaces the text."""
        self.query(Prose).first().show(lines)
