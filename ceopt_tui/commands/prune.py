"""`ceopt prune SPEC`: a run of its own that tries to do without each rule of the text."""

from __future__ import annotations

from typing import Any

import click

from ceopt_tui.commands.run import start, with_run_options


@click.command("prune")
@with_run_options
def command(**given: Any) -> int:
    """Take rules out of SPEC's text that are not missed: shown on cases to tune on, then once on held-out ones.

    The run is called NAME-prune and has a branch of that name; approve it ahead with `ceopt approve --prune SPEC`.
    """
    return start(**given, prune=True)
