"""`ceopt calibrate SPEC`."""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from ceopt_tui.command_inputs import refuse_command
from ceopt_tui.errors import InputError, Problem, SetupError
from ceopt_tui.run_options import RunOptions
from ceopt_tui.shell import has_screen
from schemas.loading import load_spec


@click.command("calibrate")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--winner", is_flag=True, help="Score outputs of the original and the final text, mixed and unmarked.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where replies of models are kept.")
def command(spec: Path, winner: bool, state_root: Path | None, cache_dir: Path | None) -> int:
    """Score outputs yourself and see whether the judge of SPEC ranks them as you do.

    Measures and judges the baseline first where that was not done yet. Your scores are kept in the file that
    metric.judge.calibration.labels names, else in NAME.labels.yaml beside the spec; later runs go by them.
    """
    loaded = load_spec(spec)
    if not loaded.spec.is_judged:
        line = loaded.line("metric", "primary", "type")
        text = "no judge scores this metric, so there is nothing to compare yourself with"
        raise InputError([Problem(str(loaded.file), line, "metric.primary.type", text)])
    refuse_command(loaded, "a person scores outputs of texts alone")
    if not has_screen():
        raise SetupError("there is no terminal", "Scoring takes a person at one; start this in a terminal.")
    options = RunOptions(
        spec_path=spec,
        attended=True,
        state_root=state_root,
        cache_dir=cache_dir,
        scoring="blind" if winner else "calibration",
    )
    status: int = importlib.import_module("ceopt_tui.ui.start").open_run(options)
    return status
