"""`ceopt idea SPEC|NAME [WORDS]`."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import click

from ceopt_tui.core.plan.own_ideas import OWN_CATEGORY, added, known_already, own_idea
from ceopt_tui.core.plan.proposals import is_ready
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import themes_in_force
from ceopt_tui.core.visible import said
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import SetupError
from ceopt_tui.looking import FoundRun, find_run, prunes
from ceopt_tui.system_clock import SystemClock
from schemas.loading import load_spec
from schemas.records import AnyRecord, HypothesisAdded

OWN_MOVES = {"mechanical": "makes moves of its own", "command": "is a program with ideas of its own"}


@click.command("idea")
@click.argument("run")
@click.argument("words", required=False)
@click.option("--category", default=OWN_CATEGORY, show_default=True, help="Kind of change; kinds tried less go first.")
@click.option("--benefit", default="", help="What you expect of it: a range, or how one could find out.")
@click.option("--theme", help="The theme of failures it is about (`ceopt log` lists them).")
@click.option("--needs", multiple=True, metavar="PACKAGE", help="A dependency it relies on; may be given again.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(
    run: str,
    words: str | None,
    category: str,
    benefit: str,
    theme: str | None,
    needs: tuple[str, ...],
    state_root: Path | None,
) -> None:
    """Put an idea in WORDS on a run: it is tried next, and measured like any other. Without WORDS: list what waits."""
    found = find_run(run, state_root=state_root)
    if words is None:
        for line in _backlog(found.state):
            click.echo(line)
        return
    _refuse_where_nobody_reads_words(found)
    with open_session(found.folder, SystemClock(), lambda _record: None) as session:
        idea = own_idea(
            session.state,
            _words(words),
            category=" ".join(category.split()) or OWN_CATEGORY,
            benefit=benefit,
            theme=_theme(session.state, theme),
            needs=needs,
        )
        asyncio.run(session.recorder.commit(*_records(session.state, idea)))
    waits = "; it waits until what it needs is approved" if idea.dep_status == "needs_approval" else ""
    click.echo(f"{found.name}: {idea.id} is on the backlog, before all others{waits}")
    assert found.state.started is not None
    again = "prune" if prunes(found.name, Path(found.state.started.spec_file)) else "run"
    root = f" --state-root {shlex.quote(str(state_root))}" if state_root else ""
    click.echo(f"to try it: ceopt {again} {shlex.quote(found.state.started.spec_file)}{root}", err=True)


def _words(words: str) -> str:
    told = " ".join(words.split())
    if not told:
        raise SetupError("the idea is empty", 'Say what to change, as in: ceopt idea SPEC "name the format first"')
    return told


def _refuse_where_nobody_reads_words(found: FoundRun) -> None:
    """Only a model or an agent can make a change of words."""
    if found.state.started is None:
        raise SetupError(f"{found.name} has not begun, so it has no backlog yet", "Start it with `ceopt run` first.")
    kind = load_spec(found.folder / "spec.yaml").spec.proposer.kind
    if kind == "mechanical" or (kind == "command" and not found.state.by_command):
        raise SetupError(
            f"nobody in this run can make a change of words: its proposer ({kind}) {OWN_MOVES[kind]}",
            "Set `proposer.kind: llm` in the spec, or rewrite a change yourself in the app (e).",
        )


def _theme(state: RunState, theme: str | None) -> str | None:
    if theme is None:
        return None
    known = [one.id for one in themes_in_force(state.judging.groupings, state.judging.edits).themes]
    if theme not in known:
        raise SetupError(f"there is no theme {theme!r} in this run", f"There are: {', '.join(known) or 'none'}.")
    return theme


def _records(state: RunState, idea: HypothesisAdded) -> list[AnyRecord]:
    if same := known_already(state, idea):
        where = "was tried on this text" if same.id in state.taken else "is on the backlog already"
        raise SetupError(f"this idea {where}: {same.id}")
    records = added(state, idea)
    if not records:
        assert state.stopped is not None
        raise SetupError(f"this run has ended: {state.stopped.reason}", "`ceopt run --fresh` starts a new one.")
    return records


def _backlog(state: RunState) -> list[str]:
    """What was not tried yet, best first, and why some of it cannot be."""
    waiting = [idea for idea in state.hypotheses.values() if idea.id not in state.taken]
    open_now = [one for one in waiting if one.source == "person" or one.generation == state.generation]
    if not open_now:
        return ["no idea waits; the next ones are asked for when the run goes on"]
    ranked = sorted(open_now, key=lambda one: (one.source != "person", -one.rank, one.id))
    return [line for idea in ranked for line in _idea_lines(state, idea)]


def _idea_lines(state: RunState, idea: HypothesisAdded) -> list[str]:
    lines = [f"{idea.id}  {said(idea.description)}"]
    details = {"expected_benefit": "expected", "confidence": "confidence", "cost_and_risk": "cost and risk"}
    lines += [
        f"      {name}: {said(idea.opportunity[key])}" for key, name in details.items() if idea.opportunity.get(key)
    ]
    if idea.dep_status == "needs_approval" and not is_ready(state, idea):
        lacking = sorted(state.waiting.lacking(idea.required_deps))
        lines.append(f"      waits until a person approves: {said(', '.join(lacking))}")
    return lines
