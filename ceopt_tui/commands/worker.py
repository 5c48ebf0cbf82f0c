"""`ceopt worker`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from ceopt_tui.core.visible import said
from ceopt_tui.remote.payload import read_payload
from ceopt_tui.worker_run import work


@click.command("worker")
@click.option("--recipe", required=True, type=click.Path(path_type=Path), help="The experiment's file; - for stdin.")
@click.option("--hub", help="The git address to fetch from and push to, where it is another than the recipe names.")
@click.option("--work", "folder", type=click.Path(path_type=Path, file_okay=False), help="Empty folder to work in.")
def command(recipe: Path, hub: str | None, folder: Path | None) -> None:
    """Carry out one experiment here: clone, edit, measure in pairs, push the result. Decides nothing."""
    data = sys.stdin.buffer.read() if str(recipe) == "-" else recipe.read_bytes()
    payload = read_payload(data)
    if hub:
        payload = replace(payload, hub=hub)
    with tempfile.TemporaryDirectory(prefix="ceopt-worker-", dir=folder, ignore_cleanup_errors=True) as place:
        ref = asyncio.run(work(payload, Path(place), os.environ))
    click.echo(said(ref))
