"""`ceopt log [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.core.masking import mask
from ceopt_tui.engine.log_view import log_document
from ceopt_tui.looking import find_run
from schemas.yaml_dump import dump


@click.command("log")
@click.argument("run", required=False)
@click.option("--last", type=click.IntRange(min=0), metavar="N", help="Only the last N experiments.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, last: int | None, state_root: Path | None) -> None:
    """The run's log as YAML, made from its journal now."""
    found = find_run(run, state_root=state_root)
    copy = found.folder / "spec.yaml"
    spec = copy.read_text(encoding="utf-8-sig") if copy.is_file() else ""
    click.echo(mask(dump(log_document(found.state, spec, last))), nl=False)
