"""The app with a word on each kind of screen, for whoever meets it for the first time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from textual.screen import Screen
from textual.widgets import Static

from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.screens.question import QuestionScreen

GUIDE = "guide"
_NUMBER = re.compile(r"-\d+$")  # of the experiment that a question is about


class TourApp(CeoptApp):
    """Shows the note of a screen's place, or of what it asks, above it."""

    notes: Mapping[str, str] = {}

    def on_mount(self) -> None:  # beside that of the class below it, which Textual calls too
        self.screen_change_signal.subscribe(self, self._guide)

    def _guide(self, screen: Screen[Any]) -> None:
        about = (
            _NUMBER.sub("", screen.question.id) if isinstance(screen, QuestionScreen) else getattr(screen, "place", "")
        )
        note = self.notes.get(about)
        if note and not screen.query(f"#{GUIDE}"):
            self.call_after_refresh(screen.mount, Static(note, id=GUIDE, markup=False), before=0)
