"""`ceopt serve [SPEC]`: the app in a browser, on this machine alone unless told otherwise."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from ceopt_tui.commands.amounts import Amount
from ceopt_tui.commands.run import model_pairs
from ceopt_tui.core.visible import one_line
from ceopt_tui.early import PRUNE_SUFFIX

PORT = 8765
HOST = "127.0.0.1"
CEOPT = (sys.executable, "-P", "-c", "from ceopt_tui.cli import main; main()")  # -P: the user's folder holds no ceopt


@click.command("serve")
@click.argument("spec", required=False, type=click.Path(path_type=Path))
@click.option("--open", "opening", is_flag=True, help="Open it in your browser.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0: a free one.",
)
@click.option("--host", default=HOST, show_default=True, help="Address to listen on. Others than this reach it then.")
@click.option("--url", help="How browsers reach it, where that is not --host and --port: a proxy, a name.")
@click.option("--prune", is_flag=True, help="Serve `ceopt prune SPEC` instead.")
@click.option("--max-minutes", type=Amount(), help="Work at most this long each time the run goes on.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Keep the run's state in DIR/<name>.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where replies of models are kept.")
@click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="For example cheap=openai/gpt-5-mini.")
def command(spec: Path | None, opening: bool, port: int, host: str, url: str | None, **of_run: Any) -> int:
    """Work in the browser: `ceopt run SPEC`, or without SPEC the runs of this repository, in a tab.

    Prints an address with a token; without the token nothing is shown. Closing the tab stops the run in order, and
    opening it again goes on where it was. ctrl+c ends the server.
    """
    model_pairs(of_run["models"])
    if spec is None and (of_run["max_minutes"] is not None or any(of_run.values())):
        raise click.UsageError("--prune, --max-minutes, --state-root, --cache-dir and --model go with a SPEC")
    title = _title(spec, prune=of_run["prune"])
    where = importlib.import_module("ceopt_tui.webserver.address")
    listener = where.listening(host, port)
    address = where.address_of(host, listener.getsockname()[1], url)
    words = () if spec is None else _run_words(spec, **of_run)
    program = importlib.import_module("ceopt_tui.webserver.app_process").Program(
        (*CEOPT, *words), Path.cwd(), dict(os.environ)
    )
    status: int = importlib.import_module("ceopt_tui.webserver.serve").serve(
        program, title, listener, address, opening=opening
    )
    return status


def _title(spec: Path | None, *, prune: bool) -> str:
    """What is served, in a word. Raises what is wrong with it, while somebody looks at the terminal."""
    if spec is None:
        root = importlib.import_module("ceopt_tui.gitops.repository").Repository.find(Path.cwd()).root
        return one_line(f"the runs of {root.name}")
    name = importlib.import_module("schemas.loading").load_spec(spec).spec.name
    return one_line(name + (PRUNE_SUFFIX if prune else ""))


def _run_words(
    spec: Path,
    prune: bool,
    max_minutes: float | None,
    state_root: Path | None,
    cache_dir: Path | None,
    models: tuple[str, ...],
) -> tuple[str, ...]:
    """What a person would type after `ceopt` in a terminal."""
    words = ["prune" if prune else "run"]
    words += [] if max_minutes is None else ["--max-minutes", f"{max_minutes:.12g}"]
    for flag, value in (("--state-root", state_root), ("--cache-dir", cache_dir)):
        words += [] if value is None else [flag, str(value)]
    for pair in models:
        words += ["--model", pair]
    return (*words, "--", str(spec))
