"""What people's scores say of the judge, for the planner: its standing, and the gain of a winner scored blind."""

from __future__ import annotations

from collections.abc import Collection

from ceopt_tui.core.plan.terms import JudgeTerms, Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.judging import Place
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.trust.blind import people_confirm, people_figures, people_see_no_loss
from ceopt_tui.core.trust.labelling import GatheredLabels, gather_labels, labels_of
from ceopt_tui.core.trust.sheets import Material
from ceopt_tui.core.trust.standing import JudgeTrust, TrustRule, judge_trust, may_run_unattended
from schemas.judging_records import PeopleCompared, PeopleFigures
from schemas.labels import Binding


def materials(state: RunState, judge: JudgeTerms, texts: Collection[str], *, held_out: bool) -> dict[Place, Material]:
    """Judged outputs of these texts on one side of the split, as a person sees them."""
    found = {}
    for place, output in state.judging.outputs.items():
        if place[0] in texts and state.held_out(place[1]) is held_out:
            asked, expected = judge.cases[place[1]]
            found[place] = Material(asked, output, expected)
    return found


def labels(state: RunState, judge: JudgeTerms) -> GatheredLabels:
    """A person's scores that hold for this rubric and judge, from this run and from the labels file."""
    outputs = materials(state, judge, {state.original_digest}, held_out=False)
    return gather_labels(state.judging, outputs, Binding(judge.rubric_digest, judge.model), judge.labels)


def trust_of(state: RunState, judge: JudgeTerms) -> JudgeTrust:
    """How far a person's scores, in this run or from before, support the judge."""
    gathered = labels(state, judge)
    rule = TrustRule(judge.min_agreement, judge.two_level, judge.waived)
    return judge_trust(labels_of(gathered.labels), rule, outdated=gathered.outdated, flips=state.judging.flips)


def unattended_objection(state: RunState, terms: Terms) -> str:
    """Why a run that nobody watches may not rest on this judge; empty where it may."""
    return "" if terms.judge is None else may_run_unattended(trust_of(state, terms.judge))


def final_people(state: RunState, terms: Terms) -> PeopleFigures | None:
    """The gain of the final text over the original by a person's blind scores, on the runs made for the report."""
    marks = {
        place: mark.score
        for sheet, given in state.judging.sheets.items()
        for place, mark in given.items()
        if _counts_for_the_end(state, sheet)
    }
    arms = (state.original_digest, state.reference.text_digest)
    return people_figures(marks, arms, state.report_before, state.report_after, terms.setting(state))


def _counts_for_the_end(state: RunState, sheet: str) -> bool:
    """Sheets of the final text alone: scores that decided a keep say too much for it to be told as the gain."""
    closed = state.judging.closed_sheets.get(sheet)
    return sheet.startswith("final-") and closed is not None and closed.outcome != "discarded"


def people_compared(state: RunState, terms: Terms, experiment: ExperimentState, sheet: str) -> PeopleCompared | None:
    """The candidate's held-out gain by blind scores; None below two cases with scores of both texts."""
    marks = {place: mark.score for place, mark in state.judging.sheets.get(sheet, {}).items()}
    arms = (experiment.started.base_digest, experiment.text_digest or "")
    setting = terms.setting(state)
    figures = people_figures(marks, arms, state.reference.held_out, experiment.held_out, setting)
    if figures is None or experiment.look is None:
        return None
    if experiment.shortens:
        confirms = people_see_no_loss(figures, terms.span)
    else:
        confirms = people_confirm(figures, experiment.look.level)
    return PeopleCompared(number=experiment.number, figures=figures, confirms=confirms)
