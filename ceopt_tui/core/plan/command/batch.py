"""A batch of experiments: carried on side by side, ranked, the best kept, others added where they still help.

The held-out comparison waits until the batch is ranked: looked at by every candidate it would be used up.
"""

from __future__ import annotations

from ceopt_tui.core.plan.actions import Action, Advance, Ask, Combine, KeepCommit, Note, ReadWinner
from ceopt_tui.core.plan.command.candidate import (
    awaits_batch,
    climb,
    close,
    close_failed,
    plan_candidate,
    standalone,
    verdict_of,
)
from ceopt_tui.core.plan.command.samples import Comparison
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.keeping import refused_by_person
from ceopt_tui.core.plan.reading import UNREADABLE, objection
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import PARKED
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import ProposalParked
from schemas.records import ExperimentClosed, Looked


def plan_batch(state: RunState, terms: Terms, command: CommandTerms) -> Action | None:
    """The next step of the open batch, or None when all its experiments are closed."""
    numbers = [
        experiment.number
        for experiment in state.experiments.values()
        if experiment.closed is None and experiment.started.batch == state.commands.batch
    ]
    if moving := tuple(number for number in numbers if plan_candidate(state, command, number)):
        return Advance(moving)
    if not numbers:
        return None
    ranked = sorted(numbers, key=lambda number: (-_rank(state, number), number))
    kept = _kept_in_batch(state)
    best = ranked[0]
    if not kept or kept == [best]:  # the winner itself, until it is closed
        return _plan_winner(state, terms, command, best)
    return _plan_runners_up(state, terms, command, ranked, kept)


def _rank(state: RunState, number: int) -> float:
    verdict = verdict_of(state.experiments[number], "standalone")
    return float((verdict.numbers.get("rank_score") if verdict else 0.0) or 0.0)


def _kept_in_batch(state: RunState) -> list[int]:
    """Experiments of the open batch whose change is on the branch, in the order they came there."""
    return [kept.number for kept in state.keeps if state.experiments[kept.number].started.batch == state.commands.batch]


def _plan_winner(state: RunState, terms: Terms, command: CommandTerms, number: int) -> Action:
    one = standalone(state, command, number)
    if command.remote:  # what a change's author measured is a claim; somebody else's samples decide
        one = standalone(state, command, number, "independent")
        if action := climb(state, command, one):
            return action
    if action := _held_out(state, command, one):
        return action
    return _keep(state, terms, one)


def _held_out(state: RunState, command: CommandTerms, one: Comparison) -> Action | None:
    """The held-out comparison of a would-be keep; None once it is confirmed, or where there is none."""
    verdict = verdict_of(state.experiments[one.number], one.pairing)
    assert verdict is not None and awaits_batch(verdict)
    if verdict.next_measurement == "none":
        return None
    looks = [look for look in state.looks if look.number == one.number]
    if len(looks) < (2 if one.pairing == "integrated" and _looked_alone(state, one.number) else 1):
        return Note((Looked(look=len(state.looks) + 1, number=one.number, level=0.0, keeps=len(state.keeps)),))
    if failed := one.failure("holdout"):
        return close_failed(state, one, failed)
    if due := one.held_out():
        return due
    found = one.verdict(held_out=True)
    records = one.decided("holdout", found)
    if found["decision"] == "keep":
        return Note(records)
    closed = close(state, one, found["decision"], found["reason"])
    return Note((*records, *closed.records))


def _looked_alone(state: RunState, number: int) -> bool:
    """Has this experiment's change been compared on held-out work by itself already?"""
    return any(one.step == "holdout" and one.pairing != "integrated" for one in state.experiments[number].decisions)


def _keep(state: RunState, terms: Terms, one: Comparison) -> Action:
    """Its diff is read before a change is kept: by a person, or by a model that did not write it."""
    experiment = state.experiments[one.number]
    if experiment.commit is not None:
        verdict = verdict_of(experiment, one.pairing)
        assert verdict is not None
        return close(state, one, "keep", verdict.reason)
    answer = state.answers.get(f"keep-{one.number}")
    if answer is not None and answer != "keep":
        return close(state, one, "revert", refused_by_person(answer))
    if answer is None and (action := _reading(state, terms, one)):
        return action
    return KeepCommit(one.number, one.commit, one.reference)


def _reading(state: RunState, terms: Terms, one: Comparison) -> Action | None:
    """What comes before a keep that nobody has agreed to; no guard reads code, so without a model a person has to."""
    if terms.attended:
        return Ask("keep", one.number)
    readings = state.waiting.readings.get(one.number, [])
    if against := next((reading for reading in readings if reading.reverted), None):
        return close(state, one, "revert", objection(against))
    if any(reading.usable for reading in readings):
        return None
    if terms.reader and len(readings) < UNREADABLE:
        return ReadWinner(one.number, len(readings) + 1)
    reason = "no model that did not write it is there to read it; only a person may keep it"
    if readings:
        reason = f"its reader gave no usable answer, the last because: {readings[-1].reason}; only a person may keep it"
    parked = ProposalParked(number=one.number, cause="unread", reason=reason)
    return Note((parked, *close(state, one, PARKED, reason).records))


def _plan_runners_up(
    state: RunState, terms: Terms, command: CommandTerms, ranked: list[int], kept: list[int]
) -> Action:
    """Others join the winner one by one, each measured afresh on top of it, until one does not help any more."""
    number = ranked[0]
    files = {path for other in kept for path in state.commands.changes[other].files}
    if number not in kept:
        if reason := _passed_over(state, command, number, kept, files):
            return Note((ExperimentClosed(number=number, outcome="not_selected", reason=reason),))
        combined = state.commands.combined.get(number)
        if combined is None or (combined.commit and combined.onto != state.commands.reference):
            return Combine(number)
        if combined.commit is None:
            reason = f"it does not go together with the winner: {combined.reason}"
            return Note((ExperimentClosed(number=number, outcome="runner_up_reverted", reason=reason),))
    combined = state.commands.combined[number]
    assert combined.commit is not None
    one = Comparison(state.commands, command, number, combined.onto, combined.commit, "integrated")
    return climb(state, command, one) or _held_out(state, command, one) or _keep(state, terms, one)


def _passed_over(state: RunState, command: CommandTerms, number: int, kept: list[int], files: set[str]) -> str | None:
    """Why an eligible change of the batch is not even tried on top of the winner."""
    names = ", ".join(f"exp-{other:03d}" for other in kept)
    if any(_outcome(state, other) == "runner_up_reverted" for other in state.experiments):
        return "an earlier runner-up of this batch did not help on top of the winner"
    if len(kept) > command.runners_up:
        return f"{names} came first, and no more changes of one batch are added"
    if common := sorted(files & set(state.commands.changes[number].files)):
        return f"{names} came first and changed {', '.join(common)} as well"
    return None


def _outcome(state: RunState, number: int) -> str:
    experiment = state.experiments[number]
    return experiment.outcome if experiment.started.batch == state.commands.batch else ""
