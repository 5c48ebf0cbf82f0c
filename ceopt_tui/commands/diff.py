"""`ceopt diff [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.engine.text_diff import text_diff
from ceopt_tui.errors import SetupError
from ceopt_tui.looking import find_run


@click.command("diff")
@click.argument("run", required=False)
@click.option("--experiment", type=int, metavar="N", help="The candidate of exp-N, kept or not.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, experiment: int | None, state_root: Path | None) -> None:
    """What a run changed, original against its best text; or one experiment's candidate against its base."""
    state = find_run(run, state_root=state_root).state
    if state.started is None:
        raise SetupError("this run has not started yet")
    before, after = state.texts[state.original_digest], state.best_texts
    if experiment is not None:
        one = state.experiments.get(experiment)
        if one is None or one.text_digest is None:
            raise SetupError(f"experiment {experiment} has no candidate", f"There are {len(state.experiments)}.")
        before, after = state.texts[one.started.base_digest], state.texts[one.text_digest]
    click.echo(text_diff(before, after) or "no change", nl=not text_diff(before, after))
