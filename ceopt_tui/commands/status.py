"""`ceopt status [SPEC|NAME]`."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

import click

from ceopt_tui.commands.amounts import Amount
from ceopt_tui.commands.watching import EVERY_S, LEAST_S, Lines, Screen, is_screen, watch
from ceopt_tui.core.command_words import command_score
from ceopt_tui.core.describe import HIDDEN, experiment_line, hides_scores, money, outcome_sentence, span_of
from ceopt_tui.core.figures import counted, score
from ceopt_tui.core.harness_words import left_out_sentence
from ceopt_tui.core.outcomes import run_word
from ceopt_tui.core.proposal_words import proposal_lines, waiting_sentence
from ceopt_tui.core.visible import said
from ceopt_tui.core.waits import pending_waits
from ceopt_tui.engine.ending import requested_end
from ceopt_tui.following import follow
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.folders import runs, runs_folder
from ceopt_tui.looking import FoundRun, all_runs, find_run

SHOWN = 8
NONE_YET = "No runs here yet. Start one with `ceopt run SPEC`, or try `ceopt demo`."


@click.command("status")
@click.argument("run", required=False)
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option(
    "--watch", "watch_s", type=Amount(LEAST_S), is_flag=False, flag_value=EVERY_S, metavar="[SECONDS]",
    help="Look again every so many seconds (2) until the run has ended; without a terminal a line for each change.",
)  # fmt: skip
def command(run: str | None, state_root: Path | None, as_json: bool, watch_s: float | None) -> None:
    """Where a run stands; without a name all runs of this repository."""
    if watch_s is not None:
        if as_json:
            raise click.UsageError("--watch is for people; scripts follow `ceopt run --json`")
        _watch(run, state_root, watch_s)
        return
    found = [find_run(run, state_root=state_root)] if run else all_runs(Path.cwd(), state_root=state_root)
    if as_json:
        click.echo(json.dumps([_figures(one) for one in found], ensure_ascii=False))
    elif not found:
        click.echo(NONE_YET)
    for one in found if not as_json else []:
        click.echo(said(_words(one)))


def _watch(run: str | None, state_root: Path | None, every_s: float) -> None:
    if run:
        found = find_run(run, state_root=state_root)
        look = follow(lambda: [found.folder], found.repository)
    else:
        repository = Repository.find(Path.cwd())
        root = runs_folder(repository.root, state_root=state_root, environ=os.environ)
        if not runs(root):
            click.echo(NONE_YET)
            return
        look = follow(lambda: runs(root), repository)
    skin = Screen(_words) if is_screen(sys.stdout, os.environ) else Lines()
    watch(look, skin.show, lambda: time.sleep(every_s))


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
        "proposals": [
            {"experiment": parked.number, "cause": parked.cause, "reason": parked.reason}
            for parked in state.waiting.proposals
        ],
        "pending_waits": [asdict(wait) for wait in pending_waits(state)],
        "question": state.asked.question if state.asked and not found.ended_since else None,
    }


def _words(found: FoundRun) -> str:
    state = found.state
    if found.fault:
        return f"{found.name}: cannot be read: {found.fault}"
    outcome = f", {run_word(state.finished.outcome, ended=True)}" if state.finished else ""
    status, hidden = found.status, hides_scores(state)
    lines = [f"{found.name}: {status.replace('_', ' ')}{outcome}"]
    if state.baseline and state.by_command:
        lines.append(f"  {command_score(state)}")
    elif state.baseline:
        cases = counted(len(state.baseline_selection), "selection case")
        mean = HIDDEN if hidden else score(state.baseline.mean, span_of(state))
        lines.append(f"  baseline {mean} on {cases}")
    elif hidden:
        lines.append(f"  the judge's scores are {HIDDEN}")
    if left_out := left_out_sentence(state):
        lines.append(f"  {left_out}")
    lines.append(f"  {counted(len(state.experiments), 'experiment')}, {len(state.keeps)} kept; {money(state)}")
    if waiting := waiting_sentence(state):
        lines += [f"  {waiting}", *(f"    {line}" for line in proposal_lines(state))]
    if found.ended_since:
        lines.append("  ended by you; the next `ceopt run` measures what is due and writes its report")
    elif state.asked and not state.finished:
        lines.append(f"  waits for a person: {state.asked.title} {state.asked.question}")
    elif status == "running" and state.tick:
        lines.append(f"  process {state.tick.pid} {_work(found)}")
    elif status == "cut_off":
        lines.append("  its process ended in the middle of its work; run it again to go on")
    elif state.last_tick and not state.finished:
        lines += [f"  {line}" for line in state.last_tick.reason.split("\n") if line != waiting]
        waits = pending_waits(state)
        lines += [f"  goes on {wait.until}" for wait in waits if wait.on == "workers"]
        lines += [f"  started again by itself: {waits[0].wake}"] if waits and waits[0].wake else []
    lines += [
        f"  {line}"
        for one in list(state.experiments.values())[-SHOWN:]
        for line in experiment_line(one, hidden=hidden).split("\n")
    ]
    if state.stopped:
        lines.append(f"  {outcome_sentence(state, span_of(state))}")
    return "\n".join(lines)


def _work(found: FoundRun) -> str:
    """What the process that holds the run is about."""
    stopped = found.state.stopped
    if stopped:
        return f"wraps it up: {run_word(stopped.outcome, ended=True)}"
    asked = requested_end(found.folder) is not None
    return "works on it, and wraps it up once the calls under way are in: ended by you" if asked else "works on it"
