"""`ceopt schedule SPEC`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from ceopt_tui.commands.asking import has_terminal
from ceopt_tui.commands.run import model_pairs
from ceopt_tui.core.plan.setting_up import approved
from ceopt_tui.core.visible import visible
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.inputs import Project, terms_of
from ceopt_tui.journal.folders import claim, refuse_foreign
from ceopt_tui.looking import read_state
from ceopt_tui.run_options import RunOptions
from ceopt_tui.schedule.ci import workflow, workflow_id
from ceopt_tui.schedule.cron import cron_line
from ceopt_tui.schedule.installing import (
    Change,
    cron_installed,
    cron_removed,
    systemd_installed,
    systemd_removed,
    workflow_installed,
    workflow_removed,
)
from ceopt_tui.schedule.interval import Interval
from ceopt_tui.schedule.job import Job, job_id
from ceopt_tui.schedule.planning import planned_job
from ceopt_tui.schedule.systemd import units
from ceopt_tui.schedule.user_units import units_folder
from ceopt_tui.schedule.variables import Needed, missing_from, needed_variables, open_to_others
from ceopt_tui.version import VERSION
from ceopt_tui.wiring import project_of
from judges.user_config import user_config_file


@click.command("schedule")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(["cron", "systemd", "ci"]), default="cron", show_default=True)
@click.option("--every", default="30m", show_default=True, help="Between two starts: 15m, 2h, 1d.")
@click.option("--max-minutes", type=click.IntRange(min=1), help="How long a start may work; else 5/6 of the interval.")
@click.option("--max-ticks", type=click.IntRange(min=1), help="How many experiments a start may decide.")
@click.option("--install", is_flag=True, help="Put it into your crontab, systemd units or workflows.")
@click.option("--remove", is_flag=True, help="Take it out again.")
@click.option("--yes", is_flag=True, help="Change it without asking.")
@click.option("--env-file", type=click.Path(path_type=Path), help="Where the job finds its keys.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
@click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="As for `ceopt run`.")
@click.option("--approve", metavar="DIGEST", help="As for `ceopt run`: where no approval is on record.")
@click.option("--prune", is_flag=True, help="The run of `ceopt prune`.")
def command(
    spec: Path,
    kind: str,
    every: str,
    max_minutes: int | None,
    max_ticks: int | None,
    install: bool,
    remove: bool,
    yes: bool,
    env_file: Path | None,
    state_root: Path | None,
    models: tuple[str, ...],
    approve: str | None,
    prune: bool,
) -> None:
    """Start SPEC unattended again and again: prints a cron line, a systemd timer or a CI job, or installs it."""
    if install and remove:
        raise click.UsageError("--install and --remove exclude each other")
    if remove:
        _carry_out(_removal(kind, spec.resolve(), prune), yes, done="removed", nothing=f"not installed ({kind})")
        return
    pairs = model_pairs(models)
    options = RunOptions(spec, state_root=state_root, models=pairs, approve=approve, prune=prune, max_ticks=max_ticks)
    project, interval = project_of(options), Interval.parse(every)
    job = planned_job(project, options, interval, max_minutes or interval.work_minutes, env_file, ci=kind == "ci")
    needed = needed_variables(project.spec, options.environ, user_config_file(), options.models, elsewhere=kind == "ci")
    if install:
        whose = {"repository_root": project.repository.root, "git_common_dir": project.repository.git_common_dir}
        refuse_foreign(job.state, **whose)
        change = _installation(kind, job, needed)
        if _carry_out(change, yes, done="installed", nothing="already installed") and kind != "ci":
            claim(job.state, **whose)  # before the job's log makes a folder there that git would see
    else:
        click.echo(_printed(job, kind, needed), nl=False)
    for line in _advice(project, job, kind, needed, options):
        click.echo(line, err=True)


def _installation(kind: str, job: Job, needed: Needed) -> Change:
    if kind == "ci":
        return workflow_installed(job, workflow(job, needed, VERSION))
    return cron_installed(job, os.environ) if kind == "cron" else systemd_installed(job, os.environ)


def _removal(kind: str, spec: Path, prune: bool) -> Change:
    """Needs no more of the spec than its place."""
    if kind == "ci":
        root = Repository.find(spec.parent).root.resolve()
        return workflow_removed(root, workflow_id(spec, root, prune=prune))
    job = job_id(spec, prune=prune)
    return cron_removed(job, os.environ) if kind == "cron" else systemd_removed(job, os.environ)


def _printed(job: Job, kind: str, needed: Needed) -> str:
    if kind == "cron":
        return f"{cron_line(job)}\n"
    if kind == "ci":
        return workflow(job, needed, VERSION)
    folder = units_folder(os.environ)
    return "\n".join(f"# {folder / name}\n{text}" for name, text in units(job).items())


def _carry_out(change: Change, yes: bool, *, done: str, nothing: str) -> bool:
    """Shows the change, asks where there is somebody to ask, makes it; says whether it was made."""
    if change.is_none:
        click.echo(nothing)
        return False
    click.echo(visible(change.diff), nl=False)
    if not yes:
        if not has_terminal():
            raise SetupError("nothing was changed: there is no terminal to ask in", "Add --yes.")
        if not click.confirm("Make this change?", err=True):
            click.echo("nothing was changed")
            return False
    told = change.make()
    click.echo(done)
    for line in told:
        click.echo(visible(line), err=True)
    return True


def _advice(project: Project, job: Job, kind: str, needed: Needed, options: RunOptions) -> Iterator[str]:
    """What else has to be there before the job works."""
    if kind == "ci":
        yield from _ci_advice(needed, approved=options.approve is not None)
        return
    file = job.environment_file
    if missing := missing_from(file, needed):
        yield f"still to be set in {file}, one NAME='value' a line, chmod 600: {', '.join(missing)}"
    if open_to_others(file):
        yield f"{file} can be read by others: chmod 600 {file}"
    terms = terms_of(project, attended=False, usd_per_run=None)
    if options.approve is None and not approved(read_state(job.state), terms, "spec"):
        yield "not approved yet: `ceopt approve` it, else the job measures the baseline and waits for you"
    if kind == "systemd":
        yield "it starts while you are logged in; `loginctl enable-linger` keeps it going after that"
    yield f"log: {job.log}"


def _ci_advice(needed: Needed, *, approved: bool) -> Iterator[str]:
    if needed.keys:
        yield f"secrets to be set in the CI: {', '.join(needed.keys)}"
    if needed.settings:
        yield f"variables to be set in the CI: {', '.join(needed.settings)}"
    if not approved:
        yield "not approved: add --approve DIGEST (`ceopt run SPEC --dry-run` prints it), else it measures and waits"
    yield "the state travels in the CI's cache: whoever may read that may read your cases and outputs"
