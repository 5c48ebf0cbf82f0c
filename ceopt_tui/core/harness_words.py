"""The eval set's own faults and its limits in words, the same for every skin, the approval and the report.

Plain text, no layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.figures import counted
from ceopt_tui.core.state.run import RunState
from schemas.harness_records import FlaggedCase

TO_CONFIRM = "written by a model, not confirmed by anyone: check input and answer before you add it"
_NAMED = 5
_SHOWN_AT_THE_END = 3


def named(cases: Sequence[str]) -> str:
    """The first few ids, and how many more there are."""
    more = f" and {len(cases) - _NAMED} more" if len(cases) > _NAMED else ""
    return ", ".join(cases[:_NAMED]) + more


def left_out_sentence(state: RunState) -> str:
    """How many cases count for nothing, and why; empty where all count."""
    flagged = state.harness.flagged
    if not flagged or state.split is None:
        return ""
    every = len(state.split.selection) + len(state.split.holdout)
    return f"{len(flagged)} of {counted(every, 'case')} left out: their checks cannot tell outputs apart"


def left_out_line(state: RunState, case: FlaggedCase) -> str:
    """One case that is left out, the side it stands on, and what is wrong with its check."""
    side = "held out" if state.held_out(case.case_id) else "selection"
    return f"{case.case_id} ({side}): {case.reason}"


def harder_lines(state: RunState) -> list[str]:
    """What to add once nothing is left to gain, for the end of a run: the first ideas, and where the rest stands."""
    proposed = state.harness.proposed
    if proposed is None or not (proposed.ideas or proposed.drafts):
        return []
    lines = [f"harder case to add: {idea.text}" for idea in proposed.ideas[:_SHOWN_AT_THE_END]]
    more = len(proposed.ideas) - len(lines)
    rest = [counted(more, "more idea")] if more > 0 else []
    rest += [f"{counted(len(proposed.drafts), 'case')} to confirm, written by a model"] if proposed.drafts else []
    return [*lines, *([f"in the report: {', '.join(rest)}"] if rest else [])]
