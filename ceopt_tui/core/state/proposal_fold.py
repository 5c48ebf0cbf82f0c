"""The fold of readings, proposals, dependencies and a person's last words on a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ceopt_tui.core.state.proposals import closed_by, proposal_question
from ceopt_tui.core.state.run import RunState
from schemas import keeping_records as k


def _winner_read(state: RunState, record: k.WinnerRead) -> None:
    state.waiting.readings.setdefault(record.number, []).append(record)
    if record.reverted:
        state.experiments[record.number].against = record


def _proposal_parked(state: RunState, record: k.ProposalParked) -> None:
    state.waiting.parked[record.number] = record


def _proposal_settled(state: RunState, record: k.ProposalSettled) -> None:
    """The experiment was closed when its change was parked; only its last word changes, no counter but the plateau."""
    state.waiting.settled[record.number] = record
    experiment = state.experiments[record.number]
    if experiment.closed is not None:
        experiment.closed = closed_by(experiment.closed, record)
    if record.decision == "refused":
        experiment.answers[proposal_question(record.number)] = record.reason
    if record.decision == "accepted":
        state.plateau = 0


def _dependencies_decided(state: RunState, record: k.DependenciesDecided) -> None:
    state.asked = None
    state.waiting.approved |= set(record.approved)
    state.waiting.refused = (state.waiting.refused | set(record.refused)) - state.waiting.approved


def _wrap_up_chosen(state: RunState, record: k.WrapUpChosen) -> None:
    state.asked = None
    state.wrap_up = record


PROPOSAL_STEPS: dict[str, Callable[[RunState, Any], None]] = {
    "winner_read": _winner_read,
    "proposal_parked": _proposal_parked,
    "proposal_settled": _proposal_settled,
    "dependencies_decided": _dependencies_decided,
    "wrap_up_chosen": _wrap_up_chosen,
}
