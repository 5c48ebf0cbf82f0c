"""`ceopt stop [SPEC|NAME]`."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import click

from ceopt_tui.core.proposal_words import waiting_sentence
from ceopt_tui.engine.ending import end_run
from ceopt_tui.looking import find_run, prunes
from ceopt_tui.system_clock import SystemClock


@click.command("stop")
@click.argument("run", required=False)
@click.option("--refuse", is_flag=True, help="Refuse what waits for your decision as well.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, refuse: bool, state_root: Path | None) -> None:
    """End a run for good that nobody works on. The next `ceopt run` measures the final gain and writes the report."""
    found = find_run(run, state_root=state_root)
    state = asyncio.run(end_run(found.folder, SystemClock(), refuse=refuse))
    assert state.started is not None
    root = f" --state-root {shlex.quote(str(state_root))}" if state_root else ""
    click.echo(f"{found.name}: ended by you; no new experiment will start")
    if waiting := waiting_sentence(state):
        click.echo(f"{waiting}; decide in the app (`ceopt`), or refuse with --refuse", err=True)
    again = "prune" if prunes(found.name, Path(state.started.spec_file)) else "run"
    click.echo(f"to get its report: ceopt {again} {shlex.quote(state.started.spec_file)} --unattended{root}", err=True)
