"""Literal text that scrolls, for everything a person reads at length."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static


class Reading(VerticalScroll):
    """A scrolling text; what it shows is never markup."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("space", "page_down", "Page down", show=False),
    ]

    def __init__(self, content: Content | str = "", *, id: str, focusable: bool = True) -> None:
        super().__init__(id=id, can_focus=focusable)
        self._content = content if isinstance(content, Content) else Content(content)

    def compose(self) -> ComposeResult:
        yield Static(self._content, markup=False)

    def show(self, content: Content) -> None:
        """Replaces the text."""
        if content != self._content:
            self._content = content
            self.query_one(Static).update(content)
