"""`ceopt init TARGET`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from ceopt_tui.core.visible import said
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic
from texttargets.init_spec import init_files


@click.command("init")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--failures", type=click.Path(path_type=Path), help="Recorded failures to start from.")
def command(target: Path, failures: Path | None) -> None:
    """Write a spec and an eval set for TARGET; nothing that is there is overwritten."""
    root = Repository.find(target.absolute().parent).root
    project = init_files(target.absolute(), failures, root=root)
    for path, text in project.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode("utf-8"))
        click.echo(f"written: {_from_here(path)}")
    for mention in project.imported.skipped if project.imported else ():
        click.echo(f"skipped {mention}", err=True)
    for note in project.notes:
        click.echo(said(note), err=True)
    spec, evalset = (shlex.quote(_from_here(path)) for path in (project.spec, project.evalset))
    click.echo(f"Next: read both, then `ceopt evalset check {evalset}` and `ceopt run {spec}`.", err=True)


def _from_here(path: Path) -> str:
    """The path as it is written where the user stands."""
    return os.path.relpath(path, Path.cwd())
