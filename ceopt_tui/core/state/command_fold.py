"""The fold of what only runs measured by a command put on record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ceopt_tui.core.state.commands import place_of
from ceopt_tui.core.state.run import RunState
from schemas.command_records import (
    ChangeCombined,
    ChangeMade,
    CommandJudged,
    CommandMeasured,
    Delivered,
    Dispatched,
)


def _measured(state: RunState, record: CommandMeasured) -> None:
    if state.deterministic and record.status == "ok":
        state.nondeterminism = _differing(state, record)
    state.commands.add(record)


def _differing(state: RunState, record: CommandMeasured) -> str:
    """Why a command that repeated itself does so no longer: the first case that an equal run printed otherwise."""
    for place, samples in state.commands.samples.items():
        if (place.commit, place.workload) == (record.commit, record.workload):
            for sample in samples:
                if sample.status == "ok" and sample.cases != record.cases:
                    return f"a run printed other cases than one before it on the same commit, {record.commit[:12]}"
    return ""


def _judged(state: RunState, record: CommandJudged) -> None:
    for facts in record.calls:
        state.spend.finish(facts)
    state.commands.judged[place_of(record), record.sample] = record


def _made(state: RunState, record: ChangeMade) -> None:
    for facts in record.calls:
        state.spend.finish(facts)
    state.commands.changes[record.number] = record
    state.proposer_failures = 0


def _combined(state: RunState, record: ChangeCombined) -> None:
    state.commands.combined[record.number] = record


def _dispatched(state: RunState, record: Dispatched) -> None:
    state.commands.dispatched[record.number] = record


def _delivered(state: RunState, record: Delivered) -> None:
    state.commands.delivered[record.ref, record.commit] = record


COMMAND_STEPS: dict[str, Callable[[RunState, Any], None]] = {
    "command_measured": _measured,
    "command_judged": _judged,
    "change_made": _made,
    "change_combined": _combined,
    "dispatched": _dispatched,
    "delivered": _delivered,
}
