"""What stands at the hub beyond the results that were taken: who it is of, why it is not taken, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ceopt_tui.core.state.run import RunState
from schemas.command_records import Delivered


def belongs(ref: str, wanted: str) -> bool:
    """Is `ref` the place of a result, or the place beside it that a second worker takes?"""
    return ref == wanted or ref.startswith(f"{wanted}-")


def left_over(state: RunState, standing: Mapping[str, str]) -> list[Delivered]:
    """What stands there, is on record nowhere yet, and will not be taken: a closed question has no second answer."""
    found = []
    for ref, commit in standing.items():
        if (ref, commit) in state.commands.delivered:
            continue
        for handed in state.commands.dispatched.values():
            reason = _reason(state, handed.number)
            if reason and belongs(ref, handed.ref):
                found.append(Delivered(number=handed.number, ref=ref, commit=commit, taken=False, reason=reason))
    return found


def _reason(state: RunState, number: int) -> str:
    """Why no result for this experiment can be taken any more; empty while one is waited for."""
    if number in state.commands.changes:
        return "another result was taken before it"
    return "it came after its experiment was closed" if state.experiments[number].closed else ""


def delivered_line(record: Delivered) -> str:
    """A result that is not taken, in one line for a person."""
    return f"exp-{record.number:03d}: a result at {record.ref} is not taken: {record.reason}"


def delivered_lines(state: RunState) -> list[str]:
    """Every result that is not taken."""
    return [delivered_line(one) for one in state.commands.delivered.values() if not one.taken]
