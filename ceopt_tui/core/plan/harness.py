"""What follows from cases whose check says nothing, and from cases that are all passed. Pure."""

from __future__ import annotations

from ceopt_tui.core.evidence.setting import SMALLEST_SET
from ceopt_tui.core.figures import counted
from ceopt_tui.core.harness_words import named
from ceopt_tui.core.plan.actions import ProposeCases
from ceopt_tui.core.state.run import RunState
from schemas.records import Stopped

SATURATED = frozenset({"no_headroom", "saturated"})  # ends of a run that only harder cases can take further


def too_few_left(state: RunState) -> Stopped | None:
    """Stops a run that the flagged cases leave too little to decide by, before a baseline is made of the rest."""
    if not state.harness.flagged or state.baseline:
        return None
    left = state.distinct((*state.selection, *state.holdout))
    if left >= SMALLEST_SET and state.selection and state.holdout:
        return None
    flagged = named([case.case_id for case in state.harness.flagged])
    fault = f"the checks of {flagged} cannot tell outputs apart"
    side = "selection" if not state.selection else "held-out"
    few = f"{counted(left, 'case')} left, needs at least {SMALLEST_SET}"
    return Stopped(
        outcome="too_few_cases",
        reason=f"{few if left < SMALLEST_SET else f'no {side} case left'}: {fault}; put them right or add cases",
    )


def shortcut_in_words(state: RunState) -> str:
    """What it means that the probes failed; they are tried again once cases were left out."""
    if state.harness.flagged:
        return "without the cases whose checks cannot tell outputs apart, the checks reward a shortcut"
    return "the checks reward a shortcut"


def harder_cases(state: RunState) -> ProposeCases | None:
    """Harder cases are looked for once, at the end of a run whose cases leave nothing to gain."""
    if state.stopped is None or state.stopped.outcome not in SATURATED or state.report or state.harness.proposed:
        return None
    return ProposeCases()
