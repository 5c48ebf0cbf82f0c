"""`ceopt report [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.engine.files import PAGE_NAME, REPORT_NAME
from ceopt_tui.errors import SetupError
from ceopt_tui.looking import FoundRun, find_run


@click.command("report")
@click.argument("run", required=False)
@click.option("--html", "as_page", is_flag=True, help="Print where the page with the charts is, instead.")
@click.option("--open", "opened", is_flag=True, help="Open that page in the browser.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, as_page: bool, opened: bool, state_root: Path | None) -> None:
    """The report of a run that has ended, as Markdown; or the page with its charts."""
    found = find_run(run, state_root=state_root)
    if as_page or opened:
        path = _written(found, PAGE_NAME)
        click.echo(path)
        if opened and click.launch(path.as_uri()):
            raise SetupError("no browser could be opened", f"Open {path} yourself.")
        return
    click.echo(_written(found, REPORT_NAME).read_text(encoding="utf-8"), nl=False)


def _written(found: FoundRun, name: str) -> Path:
    path = found.folder / name
    if path.is_file():
        return path
    if (found.folder / REPORT_NAME).is_file():
        raise SetupError(f"{found.name} has no page: its report was written before there were any", "Leave out --html.")
    raise SetupError(f"{found.name} has no report yet: it is {found.state.status}", "`ceopt status` says more.")
