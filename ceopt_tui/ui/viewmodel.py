"""What the screens say of runs and experiments, as plain rows and lines made from a run's state. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ceopt_tui.core.clocks import spoken
from ceopt_tui.core.describe import HIDDEN, failing_cases, fixed_cases, hides_scores
from ceopt_tui.core.saving import saving, saving_words
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import one_line, said, visible
from ceopt_tui.engine.text_diff import text_diff
from ceopt_tui.ui.code_review import code_diff, kept_code
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.marks import NEW, UNREADABLE, UNUSABLE, Mark, experiment_mark, outcome_mark, status_mark

NO_OUTCOME = Mark(" ", "", "quiet")
NOT_YET = "not yet"  # when a new spec was run; where it is has a line of its own


@dataclass(frozen=True)
class RunRow:
    """One line of the list of runs."""

    key: str
    name: str
    status: Mark
    outcome: Mark
    kept: str
    spend: str
    when: str


@dataclass(frozen=True)
class ExperimentRow:
    """One line of the list of experiments."""

    number: int
    name: str
    outcome: Mark
    tried: str
    reason: str


@dataclass(frozen=True)
class Detail:
    """What is to be said of one experiment: labelled facts, then its diff."""

    title: str
    facts: list[tuple[str, str]] = field(default_factory=list)
    diff: str = ""


def run_row(entry: RunEntry, now: datetime) -> RunRow:
    """A run as the home screen lists it."""
    state = entry.state
    if entry.fault:
        mark = UNUSABLE if entry.place else UNREADABLE
        return RunRow(entry.key, one_line(entry.name), mark, NO_OUTCOME, "", "", said(entry.fault))
    if state.started is None:
        return RunRow(entry.key, one_line(entry.name), NEW, NO_OUTCOME, "", "", NOT_YET)
    outcome = outcome_mark(state.finished.outcome) if state.finished else NO_OUTCOME
    kept = f"{len(state.keeps)} of {len(state.experiments)}"
    return RunRow(
        entry.key,
        one_line(entry.name),
        status_mark(state, entry.at_work),
        outcome,
        kept,
        spend(state),
        when(state, now),
    )


def spend(state: RunState) -> str:
    """Money in few characters; an unknown price is never shown as nothing."""
    if not state.spend.usd_known:
        return "cost ?" if not state.spend.usd else f">{state.spend.usd:.4f} USD"
    return f"{state.spend.usd:.4f} USD"


def when(state: RunState, now: datetime) -> str:
    """How long ago the run's last tick began or ended."""
    at = max((record.at for record in (state.tick, state.last_tick) if record and record.at), default="")
    if not at:
        return ""
    moment = datetime.fromisoformat(at)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    age_s = (now - moment).total_seconds()
    if age_s < 60:
        return "just now"
    return f"{spoken(age_s)} ago" if age_s < 48 * 3600 else f"{moment:%Y-%m-%d}"


def experiment_row(experiment: ExperimentState, *, hidden: bool = False) -> ExperimentRow:
    """An experiment as the run screen lists it; `hidden`: without what a judge's scores made of it."""
    tried = one_line(experiment.hypothesis.description)
    return ExperimentRow(
        experiment.number,
        experiment.name,
        experiment_mark(experiment.outcome),
        tried,
        said(one_line(_why(experiment, hidden))),
    )


def experiment_words(state: RunState) -> Iterator[tuple[str, str]]:
    """What a person may search an experiment by, under the key of its row: no reason, as that may tell a score."""
    for number, experiment in state.experiments.items():
        tried = experiment.hypothesis
        mark = experiment_mark(experiment.outcome)
        yield str(number), f"{experiment.name} {mark} {tried.description} {tried.category}"


def _why(experiment: ExperimentState, hidden: bool) -> str:
    if hidden and (experiment.closed or experiment.last):
        return HIDDEN
    if experiment.closed:
        return experiment.closed.reason
    return experiment.last.reason if experiment.last else ""


def detail(state: RunState, number: int) -> Detail:
    """One experiment in full: what was tried, how it went step by step, what it fixed and broke, its diff."""
    experiment, hidden = state.experiments[number], hides_scores(state)
    facts = [("Tried", f"{one_line(experiment.hypothesis.description)} ({one_line(experiment.hypothesis.category)})")]
    if why := _why(experiment, hidden):
        facts.append(("Why", said(one_line(why))))
    if experiment.decisions:
        steps = (f"{decided.step.replace('_', ' ')}: {decided.decision}" for decided in experiment.decisions)
        facts.append(("Steps", " → ".join(steps)))
    if experiment.shortens and experiment.text_digest is not None:
        found = saving(state, experiment.started.base_digest, experiment.text_digest)
        facts.append(("Length", saving_words(found)))
    if experiment.look:
        facts.append(("Look", f"look {experiment.look.look} at the held-out cases, level {experiment.look.level:.3f}"))
    if experiment.closed and experiment.closed.moved is not None and not hidden:
        worse = tuple(dict.fromkeys((*experiment.closed.regressions, *experiment.closed.broken)))
        facts.append(("Fixed", said(one_line(fixed_cases(experiment.closed.fixed, experiment.closed.tallies)))))
        facts.append(("Broken", said(one_line(failing_cases(worse, experiment.closed.tallies)))))
    for refused in experiment.refused:
        reasons = "; ".join(str(refusal.get("message", "")) for refusal in refused.refusals)
        facts.append(("Refused", said(one_line(reasons))))
    mark = experiment_mark(experiment.outcome)
    return Detail(f"{experiment.name} {mark}", facts, candidate_diff(state, number))


def candidate_diff(state: RunState, number: int) -> str:
    """The candidate of one experiment against the text it started from; empty when there is none."""
    if state.by_command:
        return code_diff(state, number)
    experiment = state.experiments[number]
    if experiment.text_digest is None:
        return ""
    return visible(text_diff(state.texts[experiment.started.base_digest], state.texts[experiment.text_digest]))


def run_diff(state: RunState) -> str:
    """The best text against the original; empty when nothing was kept."""
    if state.started is None or not state.keeps:
        return ""
    if state.by_command:
        return kept_code(state)
    return visible(text_diff(state.texts[state.original_digest], state.best_texts))
