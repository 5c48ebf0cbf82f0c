"""When the loop ends, and under which word."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from ceopt_tui.core.budget import has_room
from ceopt_tui.core.figures import counted, score
from ceopt_tui.core.plan.drift import drift_runs
from ceopt_tui.core.plan.measuring import affordable, missing
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from schemas.records import Stopped

UNMOVED_CATEGORIES = 3
UNUSABLE_REPLIES = 3
ENDED_BY_PERSON = Stopped(outcome="person", reason="you ended the run")


def stop_reason(state: RunState, terms: Terms, active_s: float, wall_s: float) -> Stopped | None:
    """The first stop rule that holds before a new experiment; seconds count from the first ideas."""
    since_keep = counted(state.plateau, "experiment")
    checks = (
        _target(state, terms),
        _saturated(state, terms),
        _unmoved(state),
        _proposer(state),
        out_of_experiments(state, terms),
        out_of_time(terms, active_s, wall_s),
        _limit(state.plateau >= terms.plateau, "plateau", f"{since_keep} in a row without a keep"),
        _budget(state, terms),
    )
    return next((stop for stop in checks if stop), None)


def out_of_experiments(state: RunState, terms: Terms) -> Stopped | None:
    """The limit of experiments; where none of them had a change from its proposer, it is that which ended the run."""
    stop = _limit(state.iterations >= terms.max_iterations, "max_iterations", counted(state.iterations, "experiment"))
    failed = {experiment.outcome for experiment in state.experiments.values()} == {"no_edits_applied"}
    if stop is None or not failed:
        return stop
    last = state.experiments[max(state.experiments)].closed
    assert last is not None
    return Stopped(
        outcome="proposer_failed", reason=f"{stop.reason}, and none had a usable change, the last: {last.reason}"
    )


def out_of_time(terms: Terms, active_s: float, wall_s: float) -> Stopped | None:
    """The stop rules on hours, which also hold in the middle of a measurement."""
    work = _limit(active_s >= terms.max_active_s, "max_hours", f"{active_s / 3600:.1f} hours of work")
    calendar = f"{wall_s / 3600:.1f} hours by the calendar"
    return work or _limit(wall_s >= terms.max_wall_s, "max_wall_hours", calendar)


def room_for_an_experiment(state: RunState, terms: Terms) -> bool:
    """Do the caps leave room to measure one more change, and for the report after it?"""
    if terms.command is not None:
        # What a command measures costs no call; one for an edit has to fit, at the worst price any had so far.
        caps, spend = replace(terms.budget, usd_per_run=0.0), state.spend
        return has_room(caps, spent_calls=spend.calls, spent_usd=spend.usd, runs=1, held_usd=spend.dearest_request_usd)
    return affordable(state, terms, _first_sweep(state, terms))


def _first_sweep(state: RunState, terms: Terms) -> int:
    """Runs until a new change has met every selection case once, the current text's own among them."""
    selection, setting, current = state.selection, terms.setting(state), state.reference
    owed = missing(state, current.text_digest, current.selection, selection, setting.reference_runs, "reference")
    exploring = len(selection) > setting.first
    checked = drift_runs(len(selection), deterministic=state.deterministic) if exploring or not owed else 0
    return len(selection) + len(owed) + checked


def _limit(reached: bool, outcome: str, reason: str) -> Stopped | None:
    return Stopped(outcome=outcome, reason=f"{reason}: the limit is reached") if reached else None


def best_mean(state: RunState) -> float | None:
    """Mean of the current best on selection cases; right after a keep the winner's own runs are all there is."""
    scores = state.reference.selection
    if not scores and state.best_number:
        scores = state.experiments[state.best_number].selection
    return fmean(fmean(values) for values in scores.values()) if scores else None


def _target(state: RunState, terms: Terms) -> Stopped | None:
    mean = best_mean(state)
    if terms.pruning or not terms.stop_at_target or terms.target is None or mean is None:
        return None
    reached = mean >= terms.target if terms.maximize else mean <= terms.target
    reason = f"{score(mean, terms.span)} meets the target {score(terms.target, terms.span)}"
    return Stopped(outcome="target_reached", reason=reason) if reached else None


def _saturated(state: RunState, terms: Terms) -> Stopped | None:
    mean = best_mean(state)
    best = terms.lowest + terms.span if terms.maximize else terms.lowest
    if terms.pruning or not state.keeps or mean is None or abs(mean - best) > 1e-9:
        return None
    return Stopped(outcome="saturated", reason="the text now passes every selection case; add harder cases to go on")


def _unmoved(state: RunState) -> Stopped | None:
    """A harness that cannot see changes is not a text that cannot be improved."""
    if state.moved or not state.unmoved:
        return None
    means = {fmean(values) for values in state.baseline_selection.values()}
    constant = len(means) == 1 and len(state.unmoved) > 1
    if not constant and len(set(state.unmoved)) < UNMOVED_CATEGORIES:
        return None
    pattern = "every case scores the same" if len(means) == 1 else "the same items pass every time"
    return Stopped(outcome="no_movement", reason=f"no score has moved ({pattern}); check judge and harness")


def _proposer(state: RunState) -> Stopped | None:
    if state.proposer_failures < UNUSABLE_REPLIES:
        return None
    unusable = counted(state.proposer_failures, "proposal")
    reason = f"{unusable} in a row could not be used, the last: {state.proposer_fault}"
    return Stopped(outcome="proposer_failed", reason=reason)


def _budget(state: RunState, terms: Terms) -> Stopped | None:
    if room_for_an_experiment(state, terms):
        return None
    return Stopped(outcome="budget", reason="the cap leaves no room for another experiment and the final report")
