"""`ceopt stop [SPEC|NAME]`."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import click

from ceopt_tui.core.outcomes import run_word
from ceopt_tui.core.proposal_words import waiting_sentence
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.ending import end_run, request_end
from ceopt_tui.errors import BusyError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.lock import is_held
from ceopt_tui.looking import FoundRun, find_run, prunes
from ceopt_tui.system_clock import SystemClock


@click.command("stop")
@click.argument("run", required=False)
@click.option("--refuse", is_flag=True, help="Refuse what waits for your decision as well.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, refuse: bool, state_root: Path | None) -> int:
    """End a run for good: it measures the final gain and writes the report.

    A process that works on the run does so once the calls under way are in; else the next `ceopt run` does.
    """
    found = find_run(run, state_root=state_root)
    state = _ended(found, refuse=refuse)
    if state is None:
        return ExitStatus.FINISHED
    assert state.started is not None
    root = f" --state-root {shlex.quote(str(state_root))}" if state_root else ""
    click.echo(f"{found.name}: ended by you; no new experiment will start")
    if waiting := waiting_sentence(state):
        click.echo(f"{waiting}; decide in the app (`ceopt`), or refuse with --refuse", err=True)
    again = "prune" if prunes(found.name, Path(state.started.spec_file)) else "run"
    click.echo(f"to get its report: ceopt {again} {shlex.quote(state.started.spec_file)} --unattended{root}", err=True)
    return ExitStatus.FINISHED


def _ended(found: FoundRun, *, refuse: bool) -> RunState | None:
    """The state of the run once it is ended; None where the process that works on it was asked to, and told so."""
    try:
        return asyncio.run(end_run(found.folder, SystemClock(), refuse=refuse))
    except BusyError:
        state = found.state
        if found.fault or state.started is None or state.tick is None or state.finished is not None:
            raise
        if refuse or state.stopped is None:
            request_end(found.folder, refuse=refuse)
        if not is_held(found.folder):  # it left before it could see the request
            return asyncio.run(end_run(found.folder, SystemClock(), refuse=refuse))
    word = run_word(state.stopped.outcome, ended=True) if state.stopped else "ended by you"
    click.echo(f"{found.name}: {word}; process {state.tick.pid} finishes the calls under way and writes the report")
    return None
