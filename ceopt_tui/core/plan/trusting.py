"""What people's scores say of the judge, for the planner: standing before a run, gain of a winner scored blind."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from ceopt_tui.core.evidence.agreement import order_agreement
from ceopt_tui.core.evidence.people import ppi_gain
from ceopt_tui.core.plan.terms import JudgeTerms, Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from schemas.judging_records import PeopleCompared, PeopleFigures


@dataclass(frozen=True)
class JudgeTrust:
    kind: Literal["checked", "unclear", "failed", "too_few", "stale", "waived", "unchecked"]
    sentence: str


def trust_of(state: RunState, judge: JudgeTerms) -> JudgeTrust:
    """How far a person's scores, in this run or from before, support the judge."""
    pairs = [*judge.labels]
    for sheet, marks in state.judging.sheets.items():
        closed = state.judging.closed_sheets.get(sheet)
        if closed is None or closed.purpose != "calibration" or closed.outcome == "discarded":
            continue
        for place, mark in marks.items():
            verdict = state.judging.verdicts.get(place)
            if mark.score is not None and verdict is not None and verdict.score is not None:
                pairs.append((mark.score, verdict.score))
    if not pairs:
        if judge.waived:
            return JudgeTrust("waived", f"nobody compared the judge with a person: {judge.waived}")
        return JudgeTrust("unchecked", "nobody has compared the judge with a person's own scores")
    found = order_agreement(
        [person for person, _ in pairs],
        [scored for _, scored in pairs],
        pass_fail=judge.two_level,
        minimum=judge.min_agreement,
    )
    kinds: dict[str, Literal["checked", "failed", "unclear", "too_few"]] = {
        "pass": "checked",
        "fail": "failed",
        "unclear": "unclear",
        "cannot_be_judged": "too_few",
    }
    return JudgeTrust(kinds[found.verdict], found.reason)


def unattended_objection(state: RunState, terms: Terms) -> str:
    """Why a run that nobody watches may not rest on this judge; empty where it may."""
    if terms.judge is None:
        return ""
    trust = trust_of(state, terms.judge)
    if trust.kind in {"checked", "waived"}:
        return ""
    return f"{trust.sentence}; run `ceopt calibrate SPEC`, or give a reason in metric.judge.calibration.waived"


def people_compared(state: RunState, terms: Terms, experiment: ExperimentState, sheet: str) -> PeopleCompared | None:
    """The candidate's held-out gain by blind scores; None below two pairs."""
    marks = state.judging.sheets.get(sheet, {})
    sign = 1 if terms.maximize else -1
    people: dict[str, float] = {}
    for case in state.deciding_holdout:
        sides = [
            [
                mark.score
                for (text, name, _), mark in marks.items()
                if name == case and text == digest and mark.score is not None
            ]
            for digest in (state.reference.text_digest, experiment.text_digest)
        ]
        if all(sides):
            people[case] = sign * (fmean(sides[1]) - fmean(sides[0]))
    judged = {
        case: sign * (fmean(values) - fmean(state.reference.held_out[case]))
        for case, values in experiment.held_out.items()
        if values and state.reference.held_out.get(case)
    }
    labelled = [case for case in people if case in judged]
    if len(labelled) < 2 or experiment.look is None:
        return None
    rest = [value for case, value in judged.items() if case not in people]
    found = ppi_gain([people[case] for case in labelled], [judged[case] for case in labelled], rest)
    figures = PeopleFigures(
        method=found.method,
        labelled=found.labelled,
        judged_only=found.judged_only,
        gain=found.gain,
        low=found.low,
        high=found.high,
        p=found.p,
        people_mean=found.people_mean,
        judge_mean=found.judge_mean,
        judge_favour=found.judge_favour,
        judge_is_partial=found.judge_is_partial,
    )
    confirms = None if found.method == "side_by_side" else found.confirms(experiment.look.level)
    return PeopleCompared(number=experiment.number, figures=figures, confirms=confirms)
