"""`ceopt run SPEC`."""

from __future__ import annotations

import asyncio
import importlib
import json
import signal
import sys
from pathlib import Path
from typing import Literal

import click

from ceopt_tui.core.describe import money
from ceopt_tui.core.masking import secrets_in
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.errors import CeoptError, NeedsPersonError, SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.headless import HeadlessSkin
from ceopt_tui.inputs import caps_of, digests, open_project, split_of
from ceopt_tui.run_options import RunOptions
from ceopt_tui.support import notes
from ceopt_tui.wiring import run_tick


@click.command("run")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--unattended", is_flag=True, help="No screen, no questions; parks where a person is needed.")
@click.option("--json", "as_json", is_flag=True, help="One event a line on stdout.")
@click.option("--max-minutes", type=click.FloatRange(min=0), help="Work at most this long, then wait (exit 75).")
@click.option("--state-root", type=click.Path(path_type=Path), help="Keep the run's state in DIR/<name>.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where replies of models are kept.")
@click.option("--fresh", is_flag=True, help="Archive an old run of this name and start over.")
@click.option("--approve", metavar="DIGEST", help="Approve exactly this spec ahead of an unattended run.")
@click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="For example cheap=openai/gpt-5-mini.")
@click.option("--show-config", is_flag=True, help="Print every setting in force and stop.")
@click.option("--dry-run", is_flag=True, help="Read and check everything, call no model, write nothing.")
def command(
    spec: Path,
    unattended: bool,
    as_json: bool,
    max_minutes: float | None,
    state_root: Path | None,
    cache_dir: Path | None,
    fresh: bool,
    approve: str | None,
    models: tuple[str, ...],
    show_config: bool,
    dry_run: bool,
) -> int:
    """Run SPEC: in the app, or headless with --unattended."""
    if show_config or dry_run:
        return _look(spec, show_config)
    options = RunOptions(
        spec_path=spec,
        attended=not unattended,
        state_root=state_root,
        cache_dir=cache_dir,
        fresh=fresh,
        approve=approve,
        max_minutes=max_minutes,
        models=_pairs(models),
    )
    if unattended:
        return run_headless(options, HeadlessSkin(as_json=as_json, secrets=secrets_in(options.environ)))
    if as_json:
        raise click.UsageError("--json goes with --unattended")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SetupError("no terminal; use --unattended")
    status: int = importlib.import_module("ceopt_tui.ui.start").open_run(options)
    return status


def _pairs(models: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in models:
        role, equals, model = text.partition("=")
        if not (role and equals and model):
            raise click.BadParameter(f"{text!r} is not ROLE=MODEL, for example cheap=openai/gpt-5-mini")
        pairs[role] = model
    return pairs


def _look(spec: Path, show_config: bool) -> int:
    """What a run would do, without doing any of it."""
    project = open_project(spec)
    if show_config:
        click.echo(json.dumps(project.spec.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False))
    split = split_of(project)
    click.echo(f"target: {', '.join(project.texts)}", err=show_config)
    click.echo(f"cases: {len(split.selection)} to tune on, {len(split.holdout)} held out", err=show_config)
    click.echo(f"caps: {json.dumps(caps_of(project.spec))}", err=show_config)
    for note in notes(project.loaded):
        click.echo(f"note: {note}", err=True)
    click.echo(f"digest to approve: {digests(project)[0]}", err=show_config)
    return ExitStatus.FINISHED


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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop, number, task)
        return await run_tick(options, skin)

    try:
        result = asyncio.run(ticking())
    except asyncio.CancelledError:
        signals = {signal.SIGTERM: ExitStatus.TERMINATED, signal.SIGHUP: ExitStatus.HANGUP}
        exit_status = signals.get(signal.Signals(caught[0]) if caught else signal.SIGINT, ExitStatus.INTERRUPTED)
        result = TickResult("waiting", "interrupted", f"stopped by a signal; {money(skin.state)}", exit_status)
    except CeoptError as error:
        if skin.as_json:  # scripts get their last line also for a run that could not start
            status: Literal["blocked", "stopped"] = "blocked" if isinstance(error, NeedsPersonError) else "stopped"
            skin.finish(TickResult(status, "refused", str(error), error.exit_status), options.resume_command())
        raise
    skin.finish(result, options.resume_command())
    return result.exit_status
