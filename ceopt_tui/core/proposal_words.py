"""What waits for a person, in the words that every skin and the report share. Plain text."""

from __future__ import annotations

from ceopt_tui.core.figures import counted
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState

BY_GUARDS = "read by the guards alone, which had nothing to say: no model that did not write it may read"


def waiting_sentence(state: RunState) -> str:
    """How many changes wait for a person, and which; empty where none does."""
    waiting = state.waiting.proposals
    if not waiting:
        return ""
    names = ", ".join(state.experiments[parked.number].name for parked in waiting)
    return f"{counted(len(waiting), 'proposal')} {'waits' if len(waiting) == 1 else 'wait'} for a person: {names}"


def proposal_lines(state: RunState) -> list[str]:
    """Each of them with the reason why it was not kept."""
    return [f"{state.experiments[parked.number].name}: {parked.reason}" for parked in state.waiting.proposals]


def read_words(state: RunState, experiment: ExperimentState) -> str:
    """Who read a change before it was kept, and what they said; empty in journals of before that was on record."""
    parked = state.waiting.settled.get(experiment.number)
    if parked is not None or experiment.answers:
        return "read by a person"
    readings = [reading for reading in state.waiting.readings.get(experiment.number, ()) if reading.usable]
    if not readings:
        return ""
    last = readings[-1]
    return f"read by {last.reader}: {last.reason or 'nothing against it'}" if last.reader else BY_GUARDS
