"""`ceopt report [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.engine.files import REPORT_NAME
from ceopt_tui.errors import SetupError
from ceopt_tui.looking import find_run


@click.command("report")
@click.argument("run", required=False)
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, state_root: Path | None) -> None:
    """The report of a run that has ended, as Markdown."""
    found = find_run(run, state_root=state_root)
    path = found.folder / REPORT_NAME
    if not path.is_file():
        raise SetupError(f"{found.name} has no report yet: it is {found.state.status}", "`ceopt status` says more.")
    click.echo(path.read_text(encoding="utf-8"), nl=False)
