"""Whether a run that has ended may go on, and by how much a person may raise the limit that ended it.

Caps on money and calls, and the calendar, are the spec's alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.stopping import room_for_an_experiment
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState

COUNTED = frozenset({"max_iterations", "plateau"})  # limits in experiments
EXTENDABLE = COUNTED | {"max_hours", "target_reached"}
# Ends that leave something to try where there is an idea; all others say that trying is no use, or not wanted.
OPEN_ENDED = EXTENDABLE | {"no_ideas", "no_rules", "proposer_failed"}
STEPS = (5, 20)  # experiments a person may add at a time
HOURS = (1, 8)


def may_go_on(state: RunState, terms: Terms) -> bool:
    """Could a run that has stopped carry out another experiment, its limit raised?"""
    stopped = state.stopped
    return stopped is not None and stopped.outcome in OPEN_ENDED and room_for_an_experiment(state, terms)


def extension(state: RunState, experiments: int) -> dict[str, float]:
    """What to raise so that so many more experiments fit under the limit that ended the run."""
    outcome = state.stopped.outcome if state.stopped else ""
    if outcome in COUNTED:
        return {outcome: float(experiments)}
    return {"max_hours": float(HOURS[0])} if outcome == "max_hours" else _past_target(outcome)


def _past_target(outcome: str) -> dict[str, float]:
    return {"target_reached": 1.0} if outcome == "target_reached" else {}


def continuations(state: RunState, terms: Terms) -> Mapping[str, dict[str, float]]:
    """The ways on a person may choose at the end, in words, each with what it raises."""
    if state.stopped is None or state.stopped.outcome not in EXTENDABLE or not may_go_on(state, terms):
        return {}
    outcome = state.stopped.outcome
    if outcome in COUNTED:
        return {f"continue: {counted(more, 'more experiment')}": extension(state, more) for more in STEPS}
    if outcome == "max_hours":
        return {f"continue: {counted(more, 'more hour')}": {outcome: float(more)} for more in HOURS}
    return {"continue past the target": _past_target(outcome)}
