"""Cases that were left without a score: what is said of them, and whether a later try can mend it."""

from __future__ import annotations

from typing import Any

import pytest
from journals import SELECTION, everywhere, next_action, runs, started

from ceopt_tui.core.plan.actions import Park
from ceopt_tui.core.plan.lost import scored_of
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.runs import CUT, EMPTY, FILTERED


def baseline_without(reasons: dict[str, str]) -> list[Any]:
    """Every case scored, but these, each of which gave no score twice."""
    scores = {case: (None, None) if case in reasons else (1, 0, 1, 0) for case in SELECTION}
    return [
        record.model_copy(update={"unscored": reasons[record.case_id]}) if record.case_id in reasons else record
        for record in runs("old", "baseline", scores)
    ]


CUT_OFF = "raise `runner.params.max_tokens` (a model's thinking counts towards it)"


@pytest.mark.parametrize(
    ("reasons", "status", "said"),
    [
        (
            {"s0": CUT, "s1": CUT, "s2": "timeout"},
            "blocked",
            f"3 of 6 cases of the baseline: 2 replies cut at the token limit, 1 call failed, the last with: timeout; "
            f"{CUT_OFF}",
        ),
        (
            {"s0": EMPTY, "s1": EMPTY},
            "blocked",
            "4 of 6 cases of the baseline: 2 replies empty; raise `runner.params.max_tokens` for a model that thinks "
            "before it answers, or try another model",
        ),
        (
            {"s0": FILTERED, "s1": FILTERED},
            "blocked",
            "4 of 6 cases of the baseline: 2 replies held back by the provider's content filter; change these cases, "
            "or try another model",
        ),
        (
            {"s0": CUT, "s1": "500"},
            "waiting",
            "4 of 6 cases of the baseline: 1 reply cut at the token limit, 1 call failed, the last with: 500; "
            "run again later",
        ),
    ],
)  # fmt: skip
def test_a_baseline_that_lost_cases_says_what_came_back(reasons: dict[str, str], status: str, said: str) -> None:
    action = next_action(fold([*started(), *baseline_without(reasons)]))
    assert isinstance(action, Park)
    assert (action.status, action.reason) == (status, f"scored {said}")
    assert action.outcome == ("setup" if status == "blocked" else "outage")


def test_a_case_that_was_never_run_has_no_reason() -> None:
    state = fold([*started(), *runs("old", "baseline", everywhere(SELECTION[:5], 1))])
    assert scored_of(state, "old", state.reference.selection, SELECTION) == "scored 5 of 6 cases"
