"""The app with a word on each kind of screen, for whoever meets it for the first time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.screen import Screen
from textual.widgets import Static

from ceopt_tui.ui.app import CeoptApp

GUIDE = "guide"


class TourApp(CeoptApp):
    """Shows the note of a screen's place above it."""

    notes: Mapping[str, str] = {}

    def on_mount(self) -> None:  # beside that of the class below it, which Textual calls too
        self.screen_change_signal.subscribe(self, self._guide)

    def _guide(self, screen: Screen[Any]) -> None:
        note = self.notes.get(getattr(screen, "place", ""))
        if note and not screen.query(f"#{GUIDE}"):
            self.call_after_refresh(screen.mount, Static(note, id=GUIDE, markup=False), before=0)
