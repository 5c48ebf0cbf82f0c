"""`ceopt status [SPEC|NAME]`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ceopt_tui.core.describe import HIDDEN, experiment_line, hides_scores, money, outcome_sentence, span_of
from ceopt_tui.core.figures import counted, score
from ceopt_tui.core.outcomes import run_word
from ceopt_tui.core.visible import said
from ceopt_tui.looking import FoundRun, all_runs, find_run

SHOWN = 8


@click.command("status")
@click.argument("run", required=False)
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(run: str | None, state_root: Path | None, as_json: bool) -> None:
    """Where a run stands; without a name all runs of this repository."""
    found = [find_run(run, state_root=state_root)] if run else all_runs(Path.cwd(), state_root=state_root)
    if as_json:
        click.echo(json.dumps([_figures(one) for one in found], ensure_ascii=False))
    elif not found:
        click.echo("No runs here yet. Start one with `ceopt run SPEC`, or try `ceopt demo`.")
    for one in found if not as_json else []:
        click.echo(said(_words(one)))


def _figures(found: FoundRun) -> dict[str, object]:
    state = found.state
    return {
        "name": found.name,
        "status": found.status,
        "outcome": state.finished.outcome if state.finished else None,
        "experiments": len(state.experiments),
        "kept": len(state.keeps),
        "calls": state.spend.calls,
        "usd": state.spend.usd if state.spend.usd_known else None,
        "question": state.asked.question if state.asked else None,
    }


def _words(found: FoundRun) -> str:
    state = found.state
    if found.fault:
        return f"{found.name}: cannot be read: {found.fault}"
    outcome = f", {run_word(state.finished.outcome, ended=True)}" if state.finished else ""
    status, hidden = found.status, hides_scores(state)
    lines = [f"{found.name}: {status.replace('_', ' ')}{outcome}"]
    if state.baseline:
        cases = counted(len(state.baseline_selection), "selection case")
        mean = HIDDEN if hidden else score(state.baseline.mean, span_of(state))
        lines.append(f"  baseline {mean} on {cases}")
    elif hidden:
        lines.append(f"  the judge's scores are {HIDDEN}")
    lines.append(f"  {counted(len(state.experiments), 'experiment')}, {len(state.keeps)} kept; {money(state)}")
    if state.asked and not state.finished:
        lines.append(f"  waits for a person: {state.asked.title} {state.asked.question}")
    elif status == "running" and state.tick:
        lines.append(f"  process {state.tick.pid} works on it")
    elif status == "cut_off":
        lines.append("  its process ended in the middle of its work; run it again to go on")
    elif state.last_tick and not state.finished:
        lines += [f"  {line}" for line in state.last_tick.reason.split("\n")]
    lines += [
        f"  {line}"
        for one in list(state.experiments.values())[-SHOWN:]
        for line in experiment_line(one, hidden=hidden).split("\n")
    ]
    if state.stopped:
        lines.append(f"  {outcome_sentence(state, span_of(state))}")
    return "\n".join(lines)
