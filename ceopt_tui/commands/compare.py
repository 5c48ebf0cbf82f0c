"""`ceopt compare RUN RUN`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ceopt_tui.core.describe import hides_scores
from ceopt_tui.core.run_comparison import compare_runs, verdict_lines
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import StorageError
from ceopt_tui.looking import FoundRun, find_run

LABEL_CELLS = 9


@click.command("compare")
@click.argument("first")
@click.argument("second")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the runs' state is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(first: str, second: str, state_root: Path | None, as_json: bool) -> None:
    """Two runs side by side, by spec or name, and whether their scores can be compared."""
    pair = [find_run(name, state_root=state_root) for name in (first, second)]
    for one in pair:
        if one.fault:
            raise StorageError(one.fault)
    found = compare_runs(pair[0].state, pair[1].state)
    if as_json:
        runs = [_figures(one) for one in pair]
        click.echo(json.dumps({"comparable": found.comparable, "why_not": found.why_not, "runs": runs}))
        return
    rows = [("Run", pair[0].name, pair[1].name), *found.rows]
    width = max(len(one_line(left)) for _, left, _ in rows)
    for label, left, right in rows:
        click.echo(said(f"{label:<{LABEL_CELLS}} {one_line(left):<{width}}  {one_line(right)}").rstrip())
    click.echo("\n" + said("\n".join(verdict_lines(found))))


def _figures(found: FoundRun) -> dict[str, object]:
    state, hidden = found.state, hides_scores(found.state)
    gain, baseline, started = state.gain, state.baseline, state.started
    held_out = None
    if gain is not None and not hidden:
        held_out = {"before": gain.before, "after": gain.after, "interval": [gain.low, gain.high]}
    return {
        "name": found.name,
        "status": found.status,
        "outcome": state.finished.outcome if state.finished else None,
        "baseline": baseline.mean if baseline is not None and not hidden else None,
        "held_out": held_out,
        "kept": len(state.keeps),
        "experiments": len(state.experiments),
        "calls": state.spend.calls,
        "usd": state.spend.usd if state.spend.usd_known else None,
        "models": {role: bound.model for role, bound in state.models.items()},
        "measurement_digest": started.measurement_digest if started else None,
    }
