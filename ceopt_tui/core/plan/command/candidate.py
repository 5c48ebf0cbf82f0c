"""One experiment by itself: edit, smoke run, sample after sample until `decide` has its word.

Ends where the batch has to go on: closed, or a would-be keep that waits for the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Action, AwaitResults, MakeChange, MeasureCommand, Note
from ceopt_tui.core.plan.closing import OUTCOMES, close_refused
from ceopt_tui.core.plan.command.case_ground import ground_of
from ceopt_tui.core.plan.command.samples import Comparison
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.experiment import PARKED, ExperimentState
from ceopt_tui.core.state.run import RunState
from schemas.command_records import CommandMeasured, CommandStep, Pairing
from schemas.records import Decided, ExperimentClosed

EDIT_TRIES = 2
AS_RUNNER_UP = {"kept": "runner_up_kept", "error": "error", "timeout": "timeout", PARKED: PARKED}
_STEPS: dict[str, CommandStep] = {"exploratory": "exploratory", "add_sample": "add_sample", "confirm": "confirm"}


def plan_candidate(state: RunState, terms: CommandTerms, number: int) -> Action | None:
    """The next step of one experiment by itself, or None where it is closed or waits for its batch."""
    experiment = state.experiments[number]
    if experiment.closed:
        return None
    change = state.commands.changes.get(number)
    if change is None:
        return _edit(state, terms, experiment)
    return climb(state, terms, standalone(state, terms, number))


def standalone(
    state: RunState, terms: CommandTerms, number: int, pairing: Literal["standalone", "independent"] = "standalone"
) -> Comparison:
    """An experiment's change against the commit it was made on."""
    base, change = state.experiments[number].started.base_sha, state.commands.changes[number]
    return Comparison(
        state.commands, terms, number, base, change.commit, pairing, ground_of(state, terms, number, pairing)
    )


def _edit(state: RunState, terms: CommandTerms, experiment: ExperimentState) -> Action:
    if len(experiment.refused) >= EDIT_TRIES:
        return close_refused(experiment)
    if terms.remote and experiment.number in state.commands.dispatched:
        return AwaitResults((experiment.number,))
    return MakeChange(experiment.number, len(experiment.refused) + 1)


def climb(state: RunState, terms: CommandTerms, one: Comparison) -> Action | None:
    """The next step of one comparison on selection; None once a keep only waits for its turn."""
    elsewhere = terms.remote and one.pairing == "standalone"
    last = verdict_of(state.experiments[one.number], one.pairing)
    if smoke := None if elsewhere or one.pairing != "standalone" else one.smoke():
        return smoke
    if failed := one.failure("smoke") or one.failure():
        return close_failed(state, one, failed)
    if last and awaits_batch(last, terms):
        return None
    if last and (last.decision == "error" or last.next_measurement == "none"):
        return close(state, one, last.decision, last.reason)
    wanted, step = _wanted(terms, one, last)
    due = one.lacking(wanted, step)
    if due and elsewhere and isinstance(due, MeasureCommand):
        had = f"the worker delivered {counted(one.count, 'sample')}, and {wanted} are needed"
        return close(state, one, "inconclusive", had)
    if isinstance(due, MeasureCommand):
        return _with_bound(terms, due, last)
    return due or Note(one.decided(step, one.verdict()))


def _wanted(terms: CommandTerms, one: Comparison, last: Decided | None) -> tuple[int, CommandStep]:
    """Samples until the next verdict. Who measures for a second opinion, or elsewhere, owes the full protocol."""
    other = one.pairing != "standalone" or terms.remote
    whole = other and terms.cases is None  # sweep after sweep where cases decide
    first: CommandStep = "independent" if one.pairing == "independent" else "integrated"
    step = first if one.pairing != "standalone" else "add_sample" if terms.cases else "exploratory"
    if last is None:
        return (terms.repeats if whole else terms.first), step
    decided = int(last.numbers.get("samples") or 0)
    return decided + 1, step if other else _STEPS.get(last.next_measurement, "add_sample")


def _with_bound(terms: CommandTerms, due: MeasureCommand, last: Decided | None) -> MeasureCommand:
    """A command is told when to give up only once every required objective is worse already."""
    if terms.censor_after_s is None or last is None or not last.numbers.get("hopeless"):
        return due
    bound = terms.censor_after_s
    samples = tuple(replace(one, censor_after_s=bound) if one.arm == "candidate" else one for one in due.samples)
    return MeasureCommand(samples, due.title)


def verdict_of(experiment: ExperimentState, pairing: Pairing) -> Decided | None:
    """The last verdict on one comparison of an experiment."""
    return next((one for one in reversed(experiment.decisions) if one.pairing == pairing), None)


def awaits_batch(verdict: Decided, terms: CommandTerms) -> bool:
    """Is this a would-be keep, for which the rest of its batch comes first?"""
    if terms.cases:
        return verdict.decision in {"promising", "keep"}
    return verdict.next_measurement == "holdout" or (verdict.next_measurement == "none" and verdict.decision == "keep")


def broken_by(one: Comparison) -> tuple[str, ...]:
    """Cases that passed in every run before and fail in every run now, where cases decide: held-out ones too.

    Whoever edits is told of none of them; what it fixed and what regressed is said of the cases it is tuned on alone.
    """
    return tuple(one.verdict(held_out=True).get("broken", ())) if one.ground else ()


def close_failed(state: RunState, one: Comparison, failed: CommandMeasured) -> Note:
    """A measurement without numbers is no score. Where the reference failed, that says nothing of the change."""
    if failed.workload == "smoke":
        return close(state, one, "degenerate", f"the smoke run failed: {failed.message}")
    if failed.arm == "reference":
        return close(state, one, "error", f"the current state could not be measured: {failed.message}")
    return close(state, one, failed.status, failed.message)


def close(state: RunState, one: Comparison, decision: str, reason: str) -> Note:
    """Closes an experiment under its final word, with what it fixed and broke."""
    verdict = one.verdict() if one.count else {}
    comparisons = verdict.get("comparisons", {})
    moved = any(found["delta"] for found in comparisons.values()) if comparisons else None
    outcome = OUTCOMES.get(decision, decision)
    if one.pairing == "integrated":  # what helps alone and not on top of the winner has a word of its own
        outcome = AS_RUNNER_UP.get(outcome, "runner_up_reverted")
    return Note(
        (
            ExperimentClosed(
                number=one.number,
                outcome=outcome,
                reason=reason,
                fixed=tuple(verdict.get("fixed", ())),
                regressions=tuple(verdict.get("regressions", ())),
                broken=broken_by(one) if one.count else (),
                moved=moved,
            ),
        )
    )
