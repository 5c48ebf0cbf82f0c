"""The fold of what is said of the eval set: a case that is flagged leaves every figure it was part of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ceopt_tui.core.state.run import RunState
from schemas.harness_records import CasesProposed, HarnessExamined


def _examined(state: RunState, record: HarnessExamined) -> None:
    state.harness.examined = record
    if not record.flagged:
        return
    left_out = frozenset(case.case_id for case in record.flagged)
    for scores in (state.reference.selection, state.baseline_selection):
        for case in left_out & scores.keys():
            del scores[case]
    state.runs.leave_out(left_out)
    state.probes = []  # what thoughtless outputs score without these cases is another question


def _proposed(state: RunState, record: CasesProposed) -> None:
    state.harness.proposed = record


HARNESS_STEPS: dict[str, Callable[[RunState, Any], None]] = {
    "harness_examined": _examined,
    "cases_proposed": _proposed,
}
