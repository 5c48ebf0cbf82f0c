"""`ceopt diff [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.command_changes import experiment_diff, kept_diff
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.text_diff import text_diff
from ceopt_tui.errors import SetupError
from ceopt_tui.looking import FoundRun, find_run


@click.command("diff")
@click.argument("run", required=False)
@click.option("--experiment", type=int, metavar="N", help="The candidate of exp-N, kept or not.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, experiment: int | None, state_root: Path | None) -> None:
    """What a run changed, from the original to its best state; or one experiment's candidate against its base."""
    found = find_run(run, state_root=state_root)
    if found.state.started is None:
        raise SetupError("this run has not started yet")
    shown = _of_code(found, experiment) if found.state.by_command else _of_texts(found.state, experiment)
    click.echo(shown or "no change", nl=not shown)


def _of_code(found: FoundRun, experiment: int | None) -> str:
    return kept_diff(found.repository, found.state) if experiment is None else experiment_diff(found.state, experiment)


def _of_texts(state: RunState, experiment: int | None) -> str:
    if experiment is None:
        return text_diff(state.texts[state.original_digest], state.best_texts)
    one = state.experiments.get(experiment)
    if one is None or one.text_digest is None:
        raise SetupError(f"experiment {experiment} has no candidate", f"There are {len(state.experiments)}.")
    return text_diff(state.texts[one.started.base_digest], state.texts[one.text_digest])
