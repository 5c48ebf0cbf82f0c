"""A batch of experiments: carried on side by side, ranked, the best kept, others added where they still help.

The held-out comparison waits until the batch is ranked: looked at by every candidate it would be used up.
"""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.evidence.looks import look_level
from ceopt_tui.core.plan.actions import Action, Advance, Ask, Combine, KeepCommit, Note, ReadWinner
from ceopt_tui.core.plan.command.candidate import (
    awaits_batch,
    broken_by,
    climb,
    close,
    close_failed,
    plan_candidate,
    standalone,
    verdict_of,
)
from ceopt_tui.core.plan.command.case_ground import ground_of, look_of
from ceopt_tui.core.plan.command.samples import Comparison
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.keeping import refused_by_person
from ceopt_tui.core.plan.laddering import worn_note
from ceopt_tui.core.plan.reading import UNREADABLE, Cause, objection
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import PARKED
from ceopt_tui.core.state.run import RunState
from schemas.command_records import Pairing
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
    if action := _held_out(state, terms, command, one):
        return action
    return _keep(state, terms, one)


def _held_out(state: RunState, terms: Terms, command: CommandTerms, one: Comparison) -> Action | None:
    """The held-out comparison of a would-be keep; None once it is confirmed, or where there is none."""
    verdict = verdict_of(state.experiments[one.number], one.pairing)
    assert verdict is not None and awaits_batch(verdict, command)
    if verdict.next_measurement == "none":
        return None
    if look_of(state, command, one.number, one.pairing) is None:
        return _look(state, terms, command, one.number)
    if failed := one.failure("holdout"):
        return close_failed(state, one, failed)
    if due := one.held_out(verdict.next_measurement):
        return due
    found = one.verdict(held_out=True)
    records = one.decided("confirm" if verdict.next_measurement == "confirm" else "holdout", found)
    if found["decision"] in {"keep", "promising"}:
        return Note(records)
    closed = close(state, one, found["decision"], found["reason"])
    return Note((*records, *closed.records))


def _look(state: RunState, terms: Terms, command: CommandTerms, number: int) -> Note:
    """The record of a look, with the level that it is granted where cases decide; it comes before what it pays for."""
    look, keeps = len(state.looks) + 1, len(state.keeps)
    if command.cases is None:
        return Note((Looked(look=look, number=number, level=0.0, keeps=keeps),))
    level = look_level(look, keeps, command.cases.caution)
    return Note((Looked(look=look, number=number, level=level, keeps=keeps), *worn_note(state, terms, look, keeps)))


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
    if (broken := broken_by(one)) and not terms.allow_broken:
        reason = f"would break {', '.join(broken)}, which always passed; only a person may keep this"
        return park(state, one, "broken", reason)
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
    return park(state, one, "unread", reason)


def park(state: RunState, one: Comparison, cause: Cause, reason: str) -> Note:
    """Closes a confirmed change as a proposal, with all that was measured of it on record."""
    parked = ProposalParked(number=one.number, cause=cause, reason=reason)
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
    one = winner(state, command, number)
    return climb(state, command, one) or _held_out(state, terms, command, one) or _keep(state, terms, one)


def unread_winner(state: RunState, command: CommandTerms, open_ones: Sequence[int]) -> Comparison | None:
    """The best of the open experiments that was confirmed and only lacks a reader, in the pairing that it needed."""
    confirmed = []
    for number in open_ones:
        needed: Pairing = "independent" if command.remote else "standalone"
        if _kept_in_batch(state):
            needed = "integrated"
        verdict = verdict_of(state.experiments[number], needed)
        unread = state.experiments[number].against is None
        if unread and verdict and (verdict.decision, verdict.next_measurement) == ("keep", "none"):
            confirmed.append((number, needed))
    if not confirmed:
        return None
    number, needed = max(confirmed, key=lambda one: (_rank(state, one[0]), -one[0]))
    return (
        standalone(state, command, number, "independent") if needed == "independent" else winner(state, command, number)
    )


def winner(state: RunState, command: CommandTerms, number: int) -> Comparison:
    """The comparison by which a would-be keep stands: on top of the batch's winner where it was put there."""
    combined = state.commands.combined.get(number)
    if combined is None or combined.commit is None:
        return standalone(state, command, number)
    ground = ground_of(state, command, number, "integrated")
    return Comparison(state.commands, command, number, combined.onto, combined.commit, "integrated", ground)


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
