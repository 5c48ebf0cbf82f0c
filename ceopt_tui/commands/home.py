"""`ceopt` without a command: the app on the runs of this repository."""

from __future__ import annotations

import importlib
import sys

from ceopt_tui.errors import SetupError


def open_home() -> int:
    """Opens the app; SetupError where there is no terminal, before anything heavy is loaded."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SetupError("no terminal; use --unattended", "`ceopt status` lists the runs of this repository.")
    status: int = importlib.import_module("ceopt_tui.ui.start").open_home()
    return status
