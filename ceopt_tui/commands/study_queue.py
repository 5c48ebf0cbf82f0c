"""`ceopt study enqueue`, `run-next` and `queue`: studies that wait for cron."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import BusyError, CeoptError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.study.measuring import measure
from ceopt_tui.study.places import DEFAULT_OUTPUT
from ceopt_tui.study.planning import plan_study, require_budget
from ceopt_tui.study.queueing import StudyQueue, queue_folder
from ceopt_tui.study.starting import Surroundings
from ceopt_tui.system_clock import SystemClock


@click.command("enqueue")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--output", default=DEFAULT_OUTPUT, show_default=True, help="Name of the results, below artifacts/.")
@click.option("--confirm", is_flag=True, help="Run up to the budget although the estimate is above it.")
def enqueue(study: Path, output: str, confirm: bool) -> int:
    """Put a frozen STUDY into the queue, for `ceopt study run-next`."""
    row = _queue().add(plan_study(study, os.environ, output), confirmed=confirm)
    click.echo(said(f"row {row.number}: {row.study}, into {row.output}"))
    return ExitStatus.FINISHED


@click.command("queue")
def queue() -> int:
    """List the studies of the queue: queued, running, done or failed."""
    rows = _queue().rows()
    for row in rows:
        why = f" ({one_line(row.message)})" if row.message else ""
        click.echo(said(f"{row.number:>4}  {row.status:<8} {row.study}, into {row.output}{why}"))
    if not rows:
        click.echo("nothing was queued yet: ceopt study enqueue STUDY")
    return ExitStatus.FINISHED


@click.command("run-next")
def run_next() -> int:
    """Run the next study of the queue, as cron would; ends with 0 where nothing waits.

    A study whose worker was killed comes again and goes on where it was.
    """
    waiting, clock = _queue(), SystemClock()
    with waiting.taken() as row:
        if row is None:
            click.echo("nothing waits in the queue")
            return ExitStatus.FINISHED
        click.echo(said(f"row {row.number}: {row.study}, into {row.output}"))
        around = Surroundings(os.environ, clock, lambda text: click.echo(said(text), err=True), _progress)
        try:
            plan = plan_study(Path(row.study), os.environ, row.output)
            require_budget(plan, confirmed=row.confirmed)
            ended = asyncio.run(measure(plan, around))
        except BusyError:
            raise  # somebody measures it by hand: it stays in the queue
        except CeoptError as error:
            waiting.end(row, error.message)
            raise
        waiting.end(row)
    for path in ended.written:
        click.echo(said(f"report: {path}"))
    return ExitStatus.FINISHED


def _queue() -> StudyQueue:
    return StudyQueue(queue_folder(), SystemClock().now)


def _progress(done: int, total: int) -> None:
    """A worker without a person says nothing on the way."""
