"""`ceopt check FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.core.visible import said
from ceopt_tui.exits import ExitStatus
from ceopt_tui.inputs import project_findings
from schemas.loading import check_file, is_evalset_file, load_spec


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> int:
    """Check a spec, with the files it names, or an eval set: every problem with file, line and key."""
    problems = check_file(file)
    notes: list[str] = []
    if not problems and not is_evalset_file(file):
        problems, notes = project_findings(load_spec(file))
    for line in (*(str(problem) for problem in problems), *(f"note: {note}" for note in notes)):
        click.echo(said(line))
    if not problems:
        click.echo(f"{file}: no problems")
    return ExitStatus.REFUSED if problems else ExitStatus.FINISHED
