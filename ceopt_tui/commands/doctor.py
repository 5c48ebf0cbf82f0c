"""`ceopt doctor`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click
import platformdirs

from ceopt_tui.core.masking import mask, secrets_in
from ceopt_tui.doctor.finding import Finding
from ceopt_tui.doctor.machine import examine_machine
from ceopt_tui.doctor.models import examine_models, try_models
from ceopt_tui.exits import ExitStatus
from ceopt_tui.inputs import project_findings
from ceopt_tui.system_clock import SystemClock
from judges.user_config import user_config_file
from schemas.loading import LoadedSpec, load_spec


@click.command("doctor")
@click.argument("spec", required=False, type=click.Path(path_type=Path))
@click.option("--no-calls", is_flag=True, help="Do not ask the models anything.")
def command(spec: Path | None, no_calls: bool) -> int:
    """Look at what a run needs, and ask each configured model one question. Exit 2 when a run would stop at it.

    With SPEC the roles are those of the spec; without, the task and the judge on `cheap` and the proposer on `strong`.
    """
    loaded = load_spec(spec) if spec else None
    cache = platformdirs.user_cache_path("ceopt") / "replies"
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    findings = list(_shown(examine_machine(Path.cwd(), cache, os.environ, is_terminal=is_terminal)))
    if loaded is not None:
        findings += _shown(_spec_findings(loaded))
    resolved, models = examine_models(os.environ, user_config_file(), loaded.spec if loaded else None)
    findings += _shown(resolved)
    if models and not no_calls:
        findings += _shown(asyncio.run(try_models(models, SystemClock(), secrets_in(os.environ))))
    wrong = sum(finding.level == "wrong" for finding in findings)
    click.echo(f"{wrong} of {len(findings)} would stop a run" if wrong else "nothing would stop a run")
    return ExitStatus.REFUSED if wrong else ExitStatus.FINISHED


def _spec_findings(loaded: LoadedSpec) -> Iterable[Finding]:
    """What is wrong with the spec and the files it names."""
    problems, _ = project_findings(loaded)
    yield from (Finding("wrong", "spec", str(problem)) for problem in problems)
    if not problems:
        yield Finding("ok", "spec", str(loaded.file))


def _shown(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Prints each as soon as it is known."""
    for finding in findings:
        text = mask(finding.text).replace("\n", "\n" + " " * 32)
        click.echo(f"{finding.level:<6} {finding.subject:<24} {text}")
        yield finding
