"""Is the judge to be trusted? What has to happen around its first scores, and what a person is offered.

The offer stands between the judging of the baseline and the first moment anybody sees a score of the judge.
"""

from __future__ import annotations

import random
from itertools import count

from ceopt_tui.core.plan.actions import Action, Ask, Judge, ScoreSheet
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import trust_of
from ceopt_tui.core.state.run import RunState

SCORE_NOW, NOT_NOW = "score some now", "not now"
GO_ON, SCORE_MORE, THROW_AWAY, CHANGE_RUBRIC = "go on", "score 10 more", "throw these scores away", "change the rubric"
SCORE_BLIND = "score blind first"

JUDGED_TWICE = 5  # outputs


def waiting_for_judge(state: RunState, *, report_only: bool = False) -> Judge | None:
    """Outputs that are in and have no score yet; nothing new is run before they have."""
    runs = state.judging.waiting.items()
    places = tuple(place for place, run in runs if not report_only or run.step == "report")
    return Judge(places, "judging") if places else None


def judge_again(state: RunState, terms: Terms) -> Judge | None:
    """A few outputs of the baseline for a second, fresh verdict; once in a run."""
    if terms.judge is None or state.judging.again:
        return None
    scored = sorted(place for place, verdict in state.judging.verdicts.items() if verdict.score is not None)
    drawn = random.Random(f"{terms.seed}:again").sample(scored, min(JUDGED_TWICE, len(scored)))
    return Judge(tuple(drawn), "judging again", again=True) if drawn else None


def plan_calibration(state: RunState, terms: Terms) -> Action | None:
    """Offer, sheet and result, one after the other; None when there is nothing (more) to ask."""
    if terms.judge is None or not terms.attended:
        return None
    answer = state.answers.get("calibrate")
    if answer is None:
        settled = trust_of(state, terms.judge).kind in {"checked", "waived"}
        return None if settled else Ask("calibrate")
    if answer != SCORE_NOW:
        return None
    for number in count(1):
        sheet = f"calibration-{number}"
        closed = state.judging.closed_sheets.get(sheet)
        if closed is None:
            return ScoreSheet("calibration", sheet, number)
        if closed.outcome == "discarded":
            return None
        result = state.answers.get(f"calibrated-{number}")
        if result is None:
            return Ask("calibrated", number)
        if result != SCORE_MORE:
            return None
    raise AssertionError("count() has no end")
