"""The end of a run with a person: what ideas relied on, what comes of the outcome. Carries out, decides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ceopt_tui.core.describe import outcome_sentence
from ceopt_tui.core.figures import counted
from ceopt_tui.core.outcomes import experiment_word, run_word
from ceopt_tui.core.plan.continuing import continuations
from ceopt_tui.core.plan.proposals import refused_dependencies, unasked, waiting_ideas
from ceopt_tui.core.plan.wrapping import APPLY, PULL_REQUEST, outcome_word, wrap_up_options
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.proposals import DEPENDENCIES, DEPENDENCIES_AGAIN, WRAP_UP
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.files import report_paths
from ceopt_tui.engine.parts import Parts
from ceopt_tui.engine.pull_request import pull_request
from ceopt_tui.errors import CeoptError
from ceopt_tui.journal.atomic import write_atomic
from schemas.keeping_records import DependenciesDecided, WrapUpChosen
from schemas.records import Answered, AnyRecord, Reopened

PULL_REQUEST_NAME = "pull-request.md"
ALL, NONE, ONLY = "approve all", "approve none", "approve only "


def dependency_question(state: RunState, *, again: bool) -> Question:
    """All that ideas rely on and nobody approved, at once, with the ideas that wait for it."""
    names = refused_dependencies(state) if again else unasked(state)
    ideas = [idea for idea in waiting_ideas(state) if state.waiting.lacking(idea.required_deps) & set(names)]
    lines = [
        f"{counted(len(ideas), 'idea')} cannot be tried without something the spec does not approve"
        f"{'; you refused it before' if again else ''}.",
        "",
        *(f"- {', '.join(sorted(state.waiting.lacking(idea.required_deps)))}: {idea.description}" for idea in ideas),
        "",
        "ceopt installs nothing; what you approve has to be there where the text or its proposer runs.",
    ]
    single = [f"{ONLY}{name}" for name in names] if len(names) > 1 else []
    title = "Ideas rely on what is not approved"
    identity = DEPENDENCIES_AGAIN if again else DEPENDENCIES
    return Question(identity, title, "\n".join(lines), "What may ideas rely on?", (ALL, *single, NONE))


def dependencies_decided(state: RunState, question: Question, answer: str) -> list[AnyRecord]:
    """The records of a person's answer to it."""
    again = question.id == DEPENDENCIES_AGAIN
    names = refused_dependencies(state) if again else unasked(state)
    approved = names if answer == ALL else [name for name in names if answer == f"{ONLY}{name}"]
    refused = [name for name in names if name not in approved]
    decided = DependenciesDecided(approved=tuple(approved), refused=tuple(refused), by="person")
    return [Answered(question_id=question.id, answer=answer, by="person"), decided]


def wrap_up_question(state: RunState, parts: Parts) -> Question:
    """The outcome in short, and what may be done with it; a choice that failed is said first."""
    assert state.stopped is not None and state.started is not None
    terms = parts.terms.extended(state.raised)
    failed = [state.wrap_up.detail, ""] if state.wrap_up and state.wrap_up.failed else []
    lines = [*failed, outcome_sentence(state, terms.span), f"The loop ended because: {state.stopped.reason}."]
    if state.experiments:
        lines += ["", f"Tried      {_counts(state)}"]
    if state.report is not None:
        lines.append(f"Report     {state.report.path} on {state.started.branch}")
    if continuations(state, terms):
        lines.append(f"Going on   {_going_on(state, parts)}")
    title = f"{state.started.name}: {run_word(outcome_word(state), ended=True)}"
    return Question(WRAP_UP, title, "\n".join(lines), "What now?", wrap_up_options(state, terms))


def _counts(state: RunState) -> str:
    words: dict[str, int] = {}
    for experiment in state.experiments.values():
        word = experiment_word(experiment.outcome)
        words[word] = words.get(word, 0) + 1
    return ", ".join(f"{count} {word}" for word, count in sorted(words.items()))


def _going_on(state: RunState, parts: Parts) -> str:
    """What more experiments take, and what the caps leave for them."""
    budget, spend = parts.terms.budget, state.spend
    left = [] if budget.calls is None else [f"{counted(max(0, budget.calls - spend.calls), 'call')}"]
    left += [] if budget.usd is None else [f"{max(0.0, budget.usd - spend.usd):.2f} USD"]
    rest = f"; the caps leave {' and '.join(left)}" if left else "; no cap holds"
    return f"{_effort(state, parts)} an experiment{rest}; then the gain is measured again"


def _effort(state: RunState, parts: Parts) -> str:
    if parts.terms.command is not None:
        return f"up to {counted(parts.terms.command.repeats, 'sample')} of each side"
    assert state.baseline is not None
    low, high = state.baseline.calls_per_experiment
    return f"{low} to {counted(high, 'call')}"


async def choose(state: RunState, parts: Parts, answer: str) -> list[AnyRecord]:
    """Does what a person chose; the records say what came of it."""
    raised = continuations(state, parts.terms.extended(state.raised)).get(answer)
    if raised is not None:
        again = Reopened(reason=f"you chose: {answer}", raised=raised, by="person")
        return [WrapUpChosen(choice="continue", detail=answer, by="person"), again]
    if answer == PULL_REQUEST:
        path = parts.state_folder / PULL_REQUEST_NAME
        await asyncio.to_thread(write_atomic, path, pull_request(state).encode("utf-8"))
        return [WrapUpChosen(choice="pull_request", detail=f"written: {path}", by="person")]
    if answer != APPLY:
        return [WrapUpChosen(choice="done", by="person")]
    try:
        changed = await asyncio.to_thread(_apply, state, parts)
    except CeoptError as error:
        return [WrapUpChosen(choice="apply", detail=str(error), failed=True, by="person")]
    return [WrapUpChosen(choice="apply", detail=f"written: {', '.join(changed)}", by="person")]


def _apply(state: RunState, parts: Parts) -> Sequence[str]:
    """Puts all that was kept into the user's files, and names those."""
    if parts.command is not None:
        assert state.started is not None
        tip, reports = state.keeps[-1].commit, report_paths(state.started.name)
        return parts.command.shelf.apply(state.started.base_sha, tip, reports)
    original, best = state.texts[state.original_digest], state.best_texts
    changed = sorted(path for path in best if best[path] != original[path])
    before, after = ({path: texts[path] for path in changed} for texts in (original, best))
    parts.backend.apply(before, after)
    return changed
