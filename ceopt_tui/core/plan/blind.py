"""A person scores a winner blind: held-out outputs of old and new text mixed, before the keep is decided."""

from __future__ import annotations

from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Action, Ask, Note, ScoreSheet
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import people_compared
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.judging import SCORE_BLIND, blind_question, blind_sheet
from ceopt_tui.core.state.run import RunState


def plan_blind(state: RunState, terms: Terms, experiment: ExperimentState) -> Action | None:
    """The offer, the sheet, then what comes of it; None once there is no more to do. No figure is seen before it."""
    number = experiment.number
    answer = experiment.answers.get(blind_question(number))
    if answer is None:
        return Ask("blind", number)
    if answer != SCORE_BLIND:
        return None
    closed = state.judging.closed_sheets.get(blind_sheet(number))
    if closed is None:
        return ScoreSheet("blind", blind_sheet(number), number)
    if closed.outcome == "discarded" or number in state.judging.people:
        return None
    compared = people_compared(state, terms, experiment, blind_sheet(number))
    return Note((compared,)) if compared else None


def blind_objection(state: RunState, number: int) -> str:
    """Why people's scores speak against a keep; empty where they do not, or are too few to say."""
    found = state.judging.people.get(number)
    if found is None or found.confirms is not False:
        return ""
    figures = found.figures
    return (
        f"{counted(figures.labelled, 'case')} scored blind do not confirm the judge: "
        f"{figures.gain:+.2f} by people, {figures.judge_mean:+.2f} by the judge"
    )
