"""Takes what workers elsewhere delivered. What does not hold is closed with its reason and never repaired."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ceopt_tui.core.command_ports import Delivery
from ceopt_tui.core.delivered import left_over
from ceopt_tui.engine.command.deliveries import objection_to, records_of
from ceopt_tui.engine.command.workplace import Workplace
from ceopt_tui.errors import GitError, ProposalError
from schemas.command_records import Delivered, Dispatched
from schemas.records import ExperimentClosed

FIRST_POLL_S, POLL_S = 0.5, 5.0  # between two looks at what was pushed: first often, then as often as is polite


class ResultsAwaited(Exception):
    """All that is left waits for workers elsewhere, and a schedule will look again."""


async def collect(place: Workplace, numbers: Sequence[int]) -> None:
    """The results of these experiments, as records; ResultsAwaited where a schedule is there to look later."""
    for number in numbers:
        dispatched = place.state.commands.dispatched[number]
        try:
            delivery = await _delivered(place, dispatched)
        except ProposalError as error:
            await _refuse(place, dispatched, error.message)
            continue
        if delivery is None:
            return
        if objection := objection_to(delivery, dispatched, place.terms.names):
            await _refuse(place, dispatched, objection)
            continue
        taken = _record_of(dispatched, delivery.tip, taken=True)
        await place.recorder.commit(*records_of(delivery, number), taken)
        await catch_up(place)


async def catch_up(place: Workplace) -> None:
    """Writes down what else stands at the hub, and deletes there what was taken, also what a kill left.

    A hub that cannot be reached is no reason to stop: nothing of this is waited for.
    """
    workers, commands = place.tools.workers, place.state.commands
    if workers is None or not commands.dispatched:
        return
    try:
        standing = await workers.standing()
        await place.recorder.commit(*left_over(place.state, standing))
        for ref, commit in standing.items():
            known = commands.delivered.get((ref, commit))
            if known is not None and known.taken:
                await workers.forget(known.number, ref)
    except GitError:
        return


async def _delivered(place: Workplace, dispatched: Dispatched) -> Delivery | None:
    """What a worker pushed, waited for as long as this tick lasts. ProposalError where nothing usable will come."""
    workers, number = place.tools.workers, dispatched.number
    assert workers is not None
    pause = FIRST_POLL_S
    while not place.late():
        failure = await workers.failure(number)  # asked first: a result may come between two questions
        if delivery := await workers.collect(number, dispatched.ref, dispatched.base_sha):
            return delivery
        if failure:
            raise ProposalError(f"its worker failed: {failure}")
        if dispatched.due_at and place.parts.clock.now() > datetime.fromisoformat(dispatched.due_at):
            raise ProposalError(f"nothing was pushed to {dispatched.ref} within {workers.deadline_s:g} s")
        if place.parts.wake:
            raise ResultsAwaited
        await place.tools.pause(pause)
        pause = min(2 * pause, POLL_S)
    return None


async def _refuse(place: Workplace, dispatched: Dispatched, reason: str) -> None:
    """Closes an experiment; a result that is refused stays at the hub, on record as what it is."""
    assert place.tools.workers is not None
    tip = (await place.tools.workers.standing()).get(dispatched.ref)
    records = [_record_of(dispatched, tip, taken=False, reason=reason)] if tip else []
    what = "the worker's result is refused: " if tip else ""
    closed = ExperimentClosed(number=dispatched.number, outcome="error", reason=f"{what}{reason}")
    await place.recorder.commit(*records, closed)


def _record_of(dispatched: Dispatched, tip: str, *, taken: bool, reason: str = "") -> Delivered:
    return Delivered(number=dispatched.number, ref=dispatched.ref, commit=tip, taken=taken, reason=reason)
