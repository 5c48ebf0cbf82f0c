"""plan(state) → action for runs that are measured by a command: set up, batches of experiments, the end."""

from __future__ import annotations

from ceopt_tui.core.decide import decide
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Action, Hypothesize, Keep, KeepCommit, Note, Park
from ceopt_tui.core.plan.command.batch import plan_batch
from ceopt_tui.core.plan.command.case_baseline import no_room
from ceopt_tui.core.plan.command.finishing import plan_wrap_up
from ceopt_tui.core.plan.command.locating import is_worth_trying, located, too_small
from ceopt_tui.core.plan.command.setting_up import own_place, plan_setup, snapshot_of
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.proposals import is_ready, plan_dependencies, plan_proposals
from ceopt_tui.core.plan.stopping import UNUSABLE_REPLIES, out_of_experiments, out_of_time
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.run import RunState
from schemas.records import ExperimentStarted, HypothesisAdded, Stopped

ERRORS_IN_A_ROW = 3
_CONFIDENCE = {"high": 0, "medium": 1, "low": 2}


def plan_command(state: RunState, terms: Terms, command: CommandTerms, active_s: float, wall_s: float) -> Action:
    """The next action. `active_s` and `wall_s` are seconds since the first ideas, by work and by the calendar."""
    open_ones = any(experiment.closed is None for experiment in state.experiments.values())
    if state.baseline and not open_ones and (action := _proposals(state, terms)):
        return action
    if state.stopped:
        return plan_wrap_up(state, terms, command)
    if action := plan_setup(state, terms, command):
        return action
    if ideas := _rest_of_batch(state, command):
        return Note(_start(state, ideas, state.commands.batch))
    if action := plan_batch(state, terms, command):
        return action
    if state.error_streak >= ERRORS_IN_A_ROW:
        reason = f"{counted(state.error_streak, 'experiment')} in a row could not be measured; run again later"
        return Park("waiting", reason, "outage")
    if stop := stop_reason(state, terms, command, active_s, wall_s):
        return Note((stop,))
    if state.backlog is None or state.backlog.generation != state.generation:
        return Hypothesize(state.generation)
    if action := plan_dependencies(state, terms):
        return action
    if ideas := next_ideas(state, command, command.batch):
        return Note(_start(state, ideas, state.commands.batch + 1))
    if not state.backlog.added:
        what = too_small(state, command) or "there are no further ideas"
        return Note((Stopped(outcome="no_ideas", reason=f"no executable action is left: {what}"),))
    return Hypothesize(state.generation + 1)


def _proposals(state: RunState, terms: Terms) -> Action | None:
    """Parked changes are for a person; one that is accepted is a commit already."""
    action = plan_proposals(state, terms)
    if not isinstance(action, Keep):
        return action
    base, change = state.experiments[action.number].started.base_sha, state.commands.changes[action.number]
    return KeepCommit(action.number, change.commit, base)


def next_ideas(state: RunState, command: CommandTerms, wanted: int) -> list[HypothesisAdded]:
    """The best ideas that can be tried now; of equally promising ones, those of a category tried less."""
    tried: dict[str, int] = {}
    for experiment in state.experiments.values():
        tried[experiment.hypothesis.category] = tried.get(experiment.hypothesis.category, 0) + 1
    ideas = [idea for idea in state.hypotheses.values() if idea.id not in state.taken]
    ready = [idea for idea in ideas if idea.dep_status == "approved" or is_ready(state, idea)]
    runnable = [idea for idea in ready if is_worth_trying(state, command, idea)]
    promise = {idea.id: _promise(idea, located(state, command, idea)) for idea in runnable}
    chosen: list[HypothesisAdded] = []
    while runnable and len(chosen) < wanted:
        best = min(runnable, key=lambda idea: (promise[idea.id], tried.get(idea.category, 0), -idea.rank, idea.id))
        runnable.remove(best)
        chosen.append(best)
        tried[best.category] = tried.get(best.category, 0) + 1
    return chosen


def _promise(idea: HypothesisAdded, share: tuple[float, float] | None) -> tuple[bool, bool, int]:
    """A person's ideas first; then those whose benefit somebody could estimate or measure; then by confidence.

    What nobody can estimate waits until the rest is tried: by then its proposer has measurements to go by.
    """
    told = idea.opportunity.get("expected_benefit", "")
    unknown = share is None and told.strip().lower().startswith("unknown")
    confidence = idea.opportunity.get("confidence", "low")
    return idea.source != "person", unknown, _CONFIDENCE.get(confidence, 2)


def _rest_of_batch(state: RunState, command: CommandTerms) -> list[HypothesisAdded]:
    """Ideas whose start a kill kept from the journal: of a batch that was only begun, all belong to it."""
    begun = [one for one in state.experiments.values() if one.started.batch == state.commands.batch]
    known = {*state.commands.changes, *state.commands.dispatched}
    if not begun or any(one.closed or one.refused or one.number in known for one in begun):
        return []
    return next_ideas(state, command, command.batch - len(begun))


def _start(state: RunState, ideas: list[HypothesisAdded], batch: int) -> tuple[ExperimentStarted, ...]:
    assert state.started is not None
    first = len(state.experiments) + 1
    return tuple(
        ExperimentStarted(
            number=number,
            hypothesis_id=idea.id,
            base_digest=state.commands.reference,
            base_sha=state.commands.reference,
            branch=f"optimize-exp/{state.started.name}/exp-{number:03d}",
            forecast=idea.opportunity,
            batch=batch,
        )
        for number, idea in enumerate(ideas, first)
    )


def stop_reason(state: RunState, terms: Terms, command: CommandTerms, active_s: float, wall_s: float) -> Stopped | None:
    """The first stop rule that holds before a new batch."""
    if full := no_room(state, command, _latest_place(state)):
        return full
    if terms.stop_at_target and target_reached(state, command):
        return Stopped(outcome="target_reached", reason="every declared target is met")
    if state.proposer_failures >= UNUSABLE_REPLIES:
        unusable = counted(state.proposer_failures, "proposal")
        reason = f"{unusable} in a row could not be used, the last: {state.proposer_fault}"
        return Stopped(outcome="proposer_failed", reason=reason)
    if stop := out_of_experiments(state, terms) or out_of_time(terms, active_s, wall_s):
        return stop
    if state.plateau >= terms.plateau:
        reason = f"{counted(state.plateau, 'experiment')} in a row without a keep: the limit is reached"
        return Stopped(outcome="plateau", reason=reason)
    return None


def target_reached(state: RunState, command: CommandTerms) -> bool:
    """Does the current best meet every declared required target? Its own samples say, where there are any yet."""
    snapshot = snapshot_of(state, command, _latest_place(state))
    snapshot["smoke_passed"] = True
    found = decide({"spec": command.spec, "baseline": snapshot, "candidate": snapshot})
    return bool(found["target_reached"])


def _latest_place(state: RunState) -> Place:
    """Where the current best was measured last: by itself, or right after a keep where it was decided on."""
    place = own_place(state)
    if state.commands.taken(place):
        return place
    taken = [place for place in state.commands.samples if place.experiment == state.best_number]
    return [place for place in taken if place.arm == "candidate" and place.workload == "selection"][-1]
