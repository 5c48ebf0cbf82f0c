"""A confirmed winner: blind scores and a person's word where somebody is there, readings where nobody is; then it is
kept."""

from __future__ import annotations

from ceopt_tui.core.plan.actions import Action, Ask, Keep
from ceopt_tui.core.plan.blind import blind_objection, plan_blind
from ceopt_tui.core.plan.closing import close
from ceopt_tui.core.plan.reading import plan_reading
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState


def keep_or_ask(state: RunState, terms: Terms, experiment: ExperimentState) -> Action:
    """The next step of a confirmed winner: its diff is read before it is kept."""
    assert experiment.last is not None
    if experiment.commit is not None:
        return close(state, terms, experiment, "keep", experiment.last.reason)
    answer = experiment.answers.get(f"keep-{experiment.number}")
    if answer and answer != "keep":
        return close(state, terms, experiment, "revert", refused_by_person(answer))
    if not answer and (action := _before(state, terms, experiment)):
        return action
    return Keep(experiment.number)


def _before(state: RunState, terms: Terms, experiment: ExperimentState) -> Action | None:
    """What comes before a keep that nobody has agreed to yet."""
    if not terms.attended:
        return plan_reading(state, terms, experiment)
    if terms.judge:
        if action := plan_blind(state, terms, experiment):
            return action
        if objection := blind_objection(state, experiment.number):
            return close(state, terms, experiment, "inconclusive", objection)
    return Ask("keep", experiment.number)


def refused_by_person(answer: str) -> str:
    """A person's no with their reason, as experiments are closed with it."""
    note = answer.removeprefix("refuse").strip(" :") or "no reason given"
    return f"refused by a person: {note}"
