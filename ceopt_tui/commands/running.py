"""What `ceopt run` does once it is known that nobody else holds the run: look, open the app, or one headless tick."""

from __future__ import annotations

import asyncio
import importlib
import json
import signal
from collections.abc import Iterator

import click

from ceopt_tui.command_inputs import scope_lines
from ceopt_tui.core.describe import money
from ceopt_tui.core.masking import secrets_in
from ceopt_tui.core.visible import said, visible
from ceopt_tui.effective import effective_config
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.errors import CeoptError, SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.going_on import go_on, restore
from ceopt_tui.headless import HeadlessSkin, finish_refused, refused
from ceopt_tui.inputs import Project, caps_of, digests, split_of
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import refuse_unmapped_pruning
from ceopt_tui.shell import has_screen, heeded
from ceopt_tui.support import notes
from ceopt_tui.wiring import project_of


def run(options: RunOptions, *, as_json: bool, restored: bool = False) -> int:
    """The run of these options, in the app or headless; `restored` puts its files back first. Gives the exit status."""
    if restored:
        _restore(options, as_json=as_json and not options.attended)
    if not options.attended:
        return run_headless(
            options, HeadlessSkin(as_json=as_json, secrets=secrets_in(options.environ), wake=options.wake)
        )
    if as_json:
        raise click.UsageError("--json goes with --unattended")
    if not has_screen():
        raise SetupError("no terminal; use --unattended")
    status: int = importlib.import_module("ceopt_tui.ui.start").open_run(options)
    return status


def _restore(options: RunOptions, *, as_json: bool) -> None:
    try:
        places = restore(options)
    except CeoptError as error:
        if as_json:
            finish_refused(error)
        raise
    for place in places:
        click.echo(f"put back: {visible(place)}; yours is kept in the state folder", err=True)


def look(options: RunOptions, show_config: bool) -> int:
    """What a run would do, without doing any of it."""
    project = project_of(options)
    refuse_unmapped_pruning(project)
    if show_config:
        click.echo(json.dumps(effective_config(project, options), indent=2, ensure_ascii=False))
    for line in scope_lines(project) if project.by_command else _text_lines(project):
        click.echo(said(line), err=show_config)
    click.echo(f"caps: {json.dumps(caps_of(project.spec))}", err=show_config)
    for note in notes(project.loaded):
        click.echo(f"note: {note}", err=True)
    click.echo(f"digest to approve: {digests(project)[0]}", err=show_config)
    return ExitStatus.FINISHED


def _text_lines(project: Project) -> Iterator[str]:
    split = split_of(project)
    yield f"target: {', '.join(project.texts)}"
    yield f"cases: {len(split.selection)} to tune on, {len(split.holdout)} held out"


def run_headless(options: RunOptions, skin: HeadlessSkin) -> int:
    """One tick without a screen; gives the exit status, also for signals."""
    caught: list[int] = []

    def stop(number: int, task: asyncio.Task[TickResult]) -> None:
        caught.append(number)
        task.cancel()

    async def ticking() -> TickResult:
        task: asyncio.Task[TickResult] | None = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number in heeded((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
            loop.add_signal_handler(number, stop, number, task)
        return await go_on(options, skin)

    try:
        result = asyncio.run(ticking())
    except asyncio.CancelledError:
        signals = {signal.SIGTERM: ExitStatus.TERMINATED, signal.SIGHUP: ExitStatus.HANGUP}
        exit_status = signals.get(signal.Signals(caught[0]) if caught else signal.SIGINT, ExitStatus.INTERRUPTED)
        result = TickResult("waiting", "interrupted", f"stopped by a signal; {money(skin.state)}", exit_status)
    except CeoptError as error:
        if skin.as_json:  # scripts get their last line also for a run that could not start
            skin.finish(refused(error), options.resume_command())
        raise
    skin.finish(result, options.resume_command())
    return result.exit_status
