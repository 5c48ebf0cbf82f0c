"""`ceopt` on a real terminal, with an engine on fakes whose calls hang: `python terminal_app.py FOLDER [fault]`."""

from __future__ import annotations

import sys
from pathlib import Path

from stage import Stage

from ceopt_tui import cli
from ceopt_tui.ui import start


def fall() -> None:
    raise ZeroDivisionError("a widget that divides by nothing: see [/foo] bar")


def main(folder: str, what: str = "") -> None:
    stage = Stage(Path(folder), free=5)

    def open_home() -> int:
        app = stage.app(stage.entry)
        if what == "fault":
            app.action_help = fall  # type: ignore[method-assign]
        return start.run_app(app)

    start.open_home = open_home
    cli.main([])


if __name__ == "__main__":
    main(*sys.argv[1:])
