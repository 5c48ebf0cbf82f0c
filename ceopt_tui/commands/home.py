"""`ceopt` without a command: the app on the runs of this repository."""

from __future__ import annotations

import importlib

from ceopt_tui.errors import SetupError
from ceopt_tui.shell import has_screen


def open_home() -> int:
    """Opens the app; SetupError where there is no terminal, before anything heavy is loaded."""
    if not has_screen():
        raise SetupError("no terminal; use --unattended", "`ceopt status` lists the runs of this repository.")
    status: int = importlib.import_module("ceopt_tui.ui.start").open_home()
    return status
