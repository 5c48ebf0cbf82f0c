"""Is the judge to be trusted? What has to happen around its first scores, and what a person is offered.

The offer stands between the judging of the baseline and the first moment anybody sees a score of the judge.
"""

from __future__ import annotations

import random

from ceopt_tui.core.plan.actions import Action, Ask, Judge, Note, Park, Report, ScoreSheet
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import final_people, trust_of
from ceopt_tui.core.state.judging import NOT_NOW as NOT_NOW
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.trust.blind import people_sentence

SCORE_NOW = "score some now"
GO_ON, SCORE_MORE, THROW_AWAY, CHANGE_RUBRIC = "go on", "score 10 more", "throw these scores away", "change the rubric"

JUDGED_TWICE = 5  # outputs


def waiting_for_judge(state: RunState, *, report_only: bool = False) -> Judge | None:
    """Outputs that are in and have no score yet; nothing new is run before they have."""
    runs = state.judging.waiting.items()
    places = tuple(place for place, run in runs if not report_only or run.step == "report")
    return Judge(places, "judging") if places else None


def judge_again(state: RunState, terms: Terms) -> Judge | None:
    """A few outputs of the baseline for a second, fresh verdict each; those of them that have none yet."""
    again = state.judging.again
    if terms.judge is None or len(again) >= JUDGED_TWICE:
        return None
    outputs = state.judging.outputs  # an empty one gets its score without a call, the second time as well
    scored = [
        place for place, one in state.judging.verdicts.items() if one.score is not None and outputs[place].strip()
    ]
    # Each place has its own draw, so that a kill between two replies changes nothing about the rest.
    order = sorted(scored, key=lambda place: (random.Random(f"{terms.seed}:again:{place}").random(), place))
    drawn = [place for place in order if place not in again][: JUDGED_TWICE - len(again)]
    return Judge(tuple(drawn), "judging again", again=True) if drawn else None


def plan_calibration(state: RunState, terms: Terms) -> Action | None:
    """Offer, sheet and result, one after the other; None when there is nothing (more) to ask."""
    if terms.judge is None or not terms.attended:
        return None
    answer = state.answers.get("calibrate")
    if answer is None:
        settled = trust_of(state, terms.judge).kind in {"checked", "waived"}
        return None if settled else Ask("calibrate")
    return _sheets(state, 1) if answer == SCORE_NOW else None


def plan_scoring(state: RunState, terms: Terms) -> Action | None:
    """What a tick that is for a person's scores alone has to do; None in any other."""
    only = terms.scoring
    if only is None or terms.judge is None:
        return None
    if only.purpose == "calibration":
        said = trust_of(state, terms.judge).sentence
        return _sheets(state, only.number) or Park("waiting", said, "calibrated")
    if not state.keeps or state.gain is None:
        return Park("blocked", "no text was kept whose outputs could be compared with the original's", "needs_person")
    return _final(state, terms, final_sheet(only.number))


def final_sheet(number: int) -> str:
    """The name of a sheet on which outputs of the original and the final text are mixed."""
    return f"final-{number}"


def _final(state: RunState, terms: Terms, sheet: str) -> Action:
    closed = state.judging.closed_sheets.get(sheet)
    assert state.gain is not None
    if closed is None:
        return ScoreSheet("blind", sheet, state.best_number)
    figures = final_people(state, terms)
    if closed.outcome != "discarded" and figures is not None and figures != state.gain.people:
        return Note((state.gain.model_copy(update={"people": figures, "seq": 0, "at": ""}),))
    if state.report is None:
        return Report()
    return Park("waiting", people_sentence(figures, None, terms.span), "scored")


def _sheets(state: RunState, number: int) -> Action | None:
    """One sheet with its result after the other, as long as a person wants more."""
    sheet = f"calibration-{number}"
    closed = state.judging.closed_sheets.get(sheet)
    if closed is None:
        return ScoreSheet("calibration", sheet, number)
    if closed.outcome == "discarded":
        return None
    result = state.answers.get(f"calibrated-{number}")
    if result is None:
        return Ask("calibrated", number)
    return _sheets(state, number + 1) if result == SCORE_MORE else None
