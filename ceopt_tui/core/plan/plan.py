"""plan(state) → action: the one place that decides what a run does next. Pure; same state, same action, for ever."""

from __future__ import annotations

from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Action, GroupThemes, Hypothesize, Note, Park
from ceopt_tui.core.plan.calibrating import plan_scoring
from ceopt_tui.core.plan.command.planning import plan_command
from ceopt_tui.core.plan.laddering import plan_experiment
from ceopt_tui.core.plan.proposals import is_ready, plan_dependencies, plan_proposals
from ceopt_tui.core.plan.setting_up import plan_setup
from ceopt_tui.core.plan.stopping import stop_reason
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.wrapping import plan_wrap_up
from ceopt_tui.core.state.run import RunState
from schemas.records import ExperimentStarted, HypothesisAdded, Stopped

ERRORS_IN_A_ROW = 3
_OUT_OF_IDEAS = Stopped(
    outcome="no_ideas", reason="no executable action is left: the proposer has no further ideas for this text"
)
_OUT_OF_RULES = Stopped(outcome="no_rules", reason="every rule that may go was tried; protected ones were not")


def plan(state: RunState, terms: Terms, *, active_s: float, wall_s: float) -> Action:
    """The next action. `active_s` and `wall_s` are seconds since the first ideas, by work and by the calendar."""
    terms = terms.extended(state.raised)
    if terms.command:
        return plan_command(state, terms, terms.command, active_s, wall_s)
    if state.baseline and (action := plan_scoring(state, terms)):
        return action
    settled = state.baseline and not state.current and not state.scores_hidden
    if settled and (action := plan_proposals(state, terms)):
        return action
    if state.stopped:
        return plan_wrap_up(state, terms)
    if action := plan_setup(state, terms):
        return action
    if state.current:
        return plan_experiment(state, terms, state.current)
    if state.error_streak >= ERRORS_IN_A_ROW:
        reason = f"{counted(state.error_streak, 'experiment')} in a row could not be measured; run again later"
        return Park("waiting", reason, "outage")
    if stop := stop_reason(state, terms, active_s, wall_s):
        return Note((stop,))
    if terms.judge and not terms.pruning and not _grouped(state):
        return GroupThemes(state.generation)
    if state.backlog is None or state.backlog.generation != state.generation:
        return Hypothesize(state.generation)
    if action := plan_dependencies(state, terms):
        return action
    if hypothesis := next_hypothesis(state):
        return Note((_start(state, hypothesis),))
    if not state.backlog.added:
        return Note((_OUT_OF_RULES if terms.pruning else _OUT_OF_IDEAS,))
    return Hypothesize(state.generation + 1)


def begins_experiment(action: Action) -> bool:
    """Is this a step towards another experiment, its ideas or its start, and no part of one that is open?"""
    if isinstance(action, Note):
        return any(isinstance(record, ExperimentStarted) for record in action.records)
    return isinstance(action, GroupThemes | Hypothesize)


def _grouped(state: RunState) -> bool:
    """Are the failures of the current text in themes?"""
    groupings = state.judging.groupings
    return bool(groupings) and groupings[-1].text_digest == state.reference.text_digest


def next_hypothesis(state: RunState) -> HypothesisAdded | None:
    """The best-ranked idea that can be tried now; a category tried less often breaks ties."""
    tried: dict[str, int] = {}
    for experiment in state.experiments.values():
        tried[experiment.hypothesis.category] = tried.get(experiment.hypothesis.category, 0) + 1
    runnable = [
        idea
        for idea in state.hypotheses.values()
        if is_ready(state, idea)
        or (
            idea.id not in state.taken
            and idea.dep_status == "approved"
            and (idea.source == "person" or idea.generation == state.generation)
        )
    ]
    return min(runnable, key=lambda idea: (-idea.rank, tried.get(idea.category, 0), idea.id), default=None)


def _start(state: RunState, hypothesis: HypothesisAdded) -> ExperimentStarted:
    assert state.started is not None
    number = len(state.experiments) + 1
    base = state.keeps[-1].commit if state.keeps else state.started.base_sha
    return ExperimentStarted(
        number=number,
        hypothesis_id=hypothesis.id,
        base_digest=state.reference.text_digest,
        base_sha=base,
        branch=f"optimize-exp/{state.started.name}/exp-{number:03d}",
        forecast=hypothesis.opportunity,
    )
