"""`ceopt run SPEC`: its options. What they do is imported only when nobody else holds the run."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ceopt_tui.commands.amounts import Amount
from ceopt_tui.early import PRUNE_SUFFIX, refuse_if_busy
from ceopt_tui.errors import BusyError
from ceopt_tui.shell import outliving_its_streams

OPTIONS = (
    click.argument("spec", type=click.Path(path_type=Path)),
    click.option("--unattended", is_flag=True, help="No screen, no questions; parks where a person is needed."),
    click.option("--json", "as_json", is_flag=True, help="One event a line on stdout."),
    click.option("--max-minutes", type=Amount(), help="Work at most this long, then wait (exit 75)."),
    click.option(
        "--max-ticks", type=click.IntRange(min=1), help="Decide at most this many experiments, then wait (exit 75)."
    ),
    click.option("--state-root", type=click.Path(path_type=Path), help="Keep the run's state in DIR/<name>."),
    click.option("--cache-dir", type=click.Path(path_type=Path), help="Where replies of models are kept."),
    click.option("--fresh", is_flag=True, help="Archive an old run of this name and start over."),
    click.option("--restore", is_flag=True, help="Put spec, eval set and rubric back as this run was measured by."),
    click.option("--approve", metavar="DIGEST", help="Approve exactly this spec ahead of an unattended run."),
    click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="For example cheap=openai/gpt-5-mini."),
    click.option("--show-config", is_flag=True, help="Print every setting in force and stop."),
    click.option("--dry-run", is_flag=True, help="Read and check everything, call no model, write nothing."),
)


def with_run_options(command: Callable[..., int]) -> Callable[..., int]:
    """The arguments of every command that runs a spec."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command("run")
@with_run_options
def command(**given: Any) -> int:
    """Run SPEC: in the app, or headless with --unattended."""
    return start(**given)


def start(unattended: bool, show_config: bool, dry_run: bool, **given: Any) -> int:
    """Starts the run, or goes on with it; gives the exit status."""
    if not unattended or show_config or dry_run:
        return _start(unattended=unattended, show_config=show_config, dry_run=dry_run, **given)
    with outliving_its_streams():
        return _start(unattended=True, show_config=False, dry_run=False, **given)


def _start(
    spec: Path,
    unattended: bool,
    as_json: bool,
    max_minutes: float | None,
    max_ticks: int | None,
    state_root: Path | None,
    cache_dir: Path | None,
    fresh: bool,
    restore: bool,
    approve: str | None,
    models: tuple[str, ...],
    show_config: bool,
    dry_run: bool,
    prune: bool = False,
) -> int:
    pairs = model_pairs(models)
    if fresh and restore:
        raise click.UsageError("--fresh and --restore exclude each other")
    if not (show_config or dry_run):
        try:
            refuse_if_busy(spec, state_root, os.environ, suffix=PRUNE_SUFFIX if prune else "")
        except BusyError as error:
            if as_json and unattended:
                importlib.import_module("ceopt_tui.headless").finish_refused(error)
            raise
    running = importlib.import_module("ceopt_tui.commands.running")
    options = importlib.import_module("ceopt_tui.run_options").RunOptions(
        spec_path=spec,
        attended=not unattended,
        state_root=state_root,
        cache_dir=cache_dir,
        fresh=fresh,
        approve=approve,
        max_minutes=max_minutes,
        max_ticks=max_ticks,
        prune=prune,
        as_json=as_json,
        models=pairs,
    )
    if show_config or dry_run:
        status: int = running.look(options, show_config)
    else:
        status = running.run(options, as_json=as_json, restored=restore)
    return status


def model_pairs(models: tuple[str, ...]) -> dict[str, str]:
    """ROLE=MODEL of the command line, by role."""
    pairs = {}
    for text in models:
        role, equals, model = text.partition("=")
        if not (role and equals and model):
            raise click.BadParameter(f"{text!r} is not ROLE=MODEL, for example cheap=openai/gpt-5-mini")
        pairs[role] = model
    return pairs
