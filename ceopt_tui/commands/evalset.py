"""`ceopt evalset check EVALSET` and `ceopt evalset edit EVALSET`."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import click

from ceopt_tui.core.visible import said
from ceopt_tui.errors import InputError, SetupError
from ceopt_tui.evalset_runs import open_runs
from ceopt_tui.exits import ExitStatus
from ceopt_tui.shell import has_screen
from schemas.loading import check_file, load_evalset
from texttargets.evalset_check import evalset_report
from texttargets.evalset_view import report_json, report_text, without_words_of


@click.group("evalset")
def command() -> None:
    """Look at an eval set, or edit it."""


@command.command("check")
@click.argument("evalset", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=7, show_default=True, help="Seed of the split to preview.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the state of runs is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def check(evalset: Path, seed: int, state_root: Path | None, as_json: bool) -> int:
    """Floor, duplicates, leaks, checks that say nothing, what the set can detect, and harder cases to add.

    Exit 2 when something has to be put right before a run; a set that is only too small yet is a finding. What the
    held-out cases of an open run say stays hidden.
    """
    cases = load_evalset(evalset).evalset
    runs = open_runs(evalset, [case.id for case in cases.cases], state_root=state_root)
    hidden = {case_id for run in runs for case_id in run.split.holdout}
    report = without_words_of(evalset_report(cases, seed=seed), hidden)
    if hidden:
        names = ", ".join(run.name for run in runs)
        told = "what its held-out cases say is hidden, and no harder cases are proposed"
        click.echo(said(f"note: {names} is open: {told}"), err=True)
    click.echo(json.dumps(report_json(report), ensure_ascii=False) if as_json else said(report_text(report)))
    return ExitStatus.FINISHED if report.sound else ExitStatus.REFUSED


@command.command("edit")
@click.argument("file", type=click.Path(path_type=Path))
def edit(file: Path) -> int:
    """Read and edit the cases of an eval set, or of the one a spec names, in the app.

    Cases that are not touched keep every byte of theirs.
    """
    if not has_screen():
        raise SetupError("no terminal to edit on", "`ceopt evalset check FILE` says how the set stands.")
    if problems := check_file(file):
        raise InputError(problems)
    status: int = importlib.import_module("ceopt_tui.ui.start").open_evalset(file)
    return status
