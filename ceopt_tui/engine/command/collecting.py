"""Takes what workers elsewhere delivered. What does not hold is closed with its reason and never repaired."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.command_ports import Delivery
from ceopt_tui.engine.command.deliveries import objection_to, records_of
from ceopt_tui.engine.command.workplace import Workplace
from ceopt_tui.errors import ProposalError
from schemas.command_records import Dispatched
from schemas.records import ExperimentClosed

POLL_S = 5.0  # between two looks at what was pushed


class ResultsAwaited(Exception):
    """All that is left waits for workers elsewhere, and a schedule will look again."""


async def collect(place: Workplace, numbers: Sequence[int]) -> None:
    """The results of these experiments, as records; ResultsAwaited where a schedule is there to look later."""
    for number in numbers:
        dispatched = place.state.commands.dispatched[number]
        try:
            delivery = await _delivered(place, dispatched)
        except ProposalError as error:
            await _refuse(place, number, error.message)
            continue
        if delivery is None:
            return
        if objection := objection_to(delivery, dispatched, place.terms.names):
            await _refuse(place, number, objection)
            continue
        await place.recorder.commit(*records_of(delivery, number))
        assert place.tools.workers is not None
        await place.tools.workers.forget(number, dispatched.ref)


async def _delivered(place: Workplace, dispatched: Dispatched) -> Delivery | None:
    """What a worker pushed, waited for as long as this tick lasts."""
    workers = place.tools.workers
    assert workers is not None
    while not place.late():
        if delivery := await workers.collect(dispatched.number, dispatched.ref, dispatched.base_sha):
            return delivery
        if place.parts.wake:
            raise ResultsAwaited
        await place.tools.pause(POLL_S)
    return None


async def _refuse(place: Workplace, number: int, reason: str) -> None:
    closed = ExperimentClosed(number=number, outcome="error", reason=f"the worker's result is refused: {reason}")
    await place.recorder.commit(closed)
