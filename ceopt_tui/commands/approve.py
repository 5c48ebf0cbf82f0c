"""`ceopt approve SPEC`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import click

from ceopt_tui.agent_clis.sandbox import find_sandbox
from ceopt_tui.approval import command_lines, reading_line, text_lines
from ceopt_tui.command_approval import command_approval_lines
from ceopt_tui.command_models import resolve_command_models
from ceopt_tui.core.plan.forecast import plan_lines
from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import SetupError
from ceopt_tui.inputs import digests, split_of
from ceopt_tui.journal.folders import claim, state_folder
from ceopt_tui.models import models_if_known, reader_of
from ceopt_tui.pricing import priced_terms
from ceopt_tui.project import Project
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import approve_ahead, refuse_unmapped_pruning
from ceopt_tui.runner_agent import agent_run_lines
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.wiring import coverage_lines, project_of


@click.command("approve")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
@click.option("--prune", is_flag=True, help="Approve the run of `ceopt prune`.")
def command(spec: Path, state_root: Path | None, prune: bool) -> None:
    """Approve SPEC and its caps ahead of an unattended run; the baseline will not be asked about."""
    options = RunOptions(spec_path=spec, prune=prune, state_root=state_root)
    project = project_of(options)
    refuse_unmapped_pruning(project)
    root = project.repository.root
    folder = state_folder(project.spec.name, root, state_root=state_root, environ=os.environ)
    claim(folder, repository_root=root, git_common_dir=project.repository.git_common_dir)
    with open_session(folder, SystemClock(), lambda _record: None) as session:
        asyncio.run(approve_ahead(session, project))
    for line in _plan(project, options):
        click.echo(line, err=True)
    click.echo(f"approved {digests(project)[0]}")
    click.echo("The spec, its eval set and its caps are approved; the baseline will not be asked about.", err=True)


def _plan(project: Project, options: RunOptions) -> Iterator[str]:
    """What was approved, in words."""
    if project.by_command:
        yield from command_approval_lines(project, resolve_command_models(project, options))
        return
    models = models_if_known(project, os.environ)
    task, proposer, judge = (models.task, models.proposer, models.judge) if models else (None, None, None)
    terms = priced_terms(project, task, proposer, judge, attended=False)
    yield from plan_lines(split_of(project), terms)
    yield from agent_run_lines(project.spec, sandboxed=bool(find_sandbox(os.environ).program))
    yield reading_line(_reader(project, options, proposer))
    yield from (*command_lines(project), *text_lines(project), *coverage_lines(project))


def _reader(project: Project, options: RunOptions, proposer: ResolvedModel | None) -> ResolvedModel | None:
    """The model that would read, as far as one can be named now; a start says what is missing."""
    try:
        return reader_of(project.spec, options, proposer, lambda _warning: None)
    except SetupError:
        return None
