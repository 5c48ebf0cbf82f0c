"""`ceopt tour`."""

from __future__ import annotations

import importlib

import click


@click.command("tour")
def command() -> int:
    """Look around in the app, on a real run with recorded replies: no key, no download, nothing is left behind."""
    status: int = importlib.import_module("ceopt_tui.ui.start").open_tour()
    return status
