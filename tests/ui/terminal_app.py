"""The app on a real terminal with an engine on fakes whose calls hang: `python terminal_app.py FOLDER [fault]`."""

from __future__ import annotations

import sys
from pathlib import Path

from stage import Stage
from textual.widget import Widget

from ceopt_tui.cli import run_command
from ceopt_tui.ui.start import run_app


def fall(self: Widget) -> None:
    raise ZeroDivisionError("a widget that divides by nothing: see [/foo] bar")


def main(folder: str, what: str = "") -> int:
    stage = Stage(Path(folder), free=5)
    app = stage.app(stage.entry)
    if what == "fault":
        app.action_help = fall  # type: ignore[method-assign,assignment]
    return run_app(app)
