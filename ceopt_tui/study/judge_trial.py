"""Tries the judge before the first cell that it scores: are good replies above empty ones? On record like a cell."""

from __future__ import annotations

from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.estimates import combined
from ceopt_tui.errors import BudgetError, ProviderError, SetupError
from ceopt_tui.journal.journal import Journal
from ceopt_tui.study.judging import NotJudged, StudyJudging, judge_digest
from ceopt_tui.study.planning import StudyPlan
from ceopt_tui.study.spending import together
from schemas.record import CallFacts
from schemas.study_cases import StudyCase
from schemas.study_loading import LoadedStudy
from schemas.study_records import CellFailed, CellStarted, JudgeTried, StudyRecord, StudyStopped

CELL = "judge"


def is_judge_tried(loaded: LoadedStudy, state: StudyState) -> bool:
    """Was this judge tried with these rubrics?"""
    judge = loaded.study.judge
    return judge is None or any(one.digest == judge_digest(loaded, judge.model) for one in state.judge_trials)


async def try_judge(judging: StudyJudging, plan: StudyPlan, journal: Journal[StudyRecord], state: StudyState) -> None:
    """One trial over all judged cases. A judge that gives no score has not put the good reply above."""
    judge = plan.loaded.study.judge
    assert judge is not None
    cases = [case for case in plan.loaded.cases if case.is_judged]
    attempt = f"{CELL}#{len(state.attempts.get(CELL, ())) + 1}"
    one_each = {cell.case.id: plan.estimates[cell.id] for cell in plan.cells if cell.case.is_judged}
    most = combined([*one_each.values()] * 2)  # a good and an empty reply; more than enough, it counts the target too
    journal.append([CellStarted(attempt=attempt, cell=CELL, usd=most.usd_most, calls=most.requests_most)])
    try:
        found = [await _ordered(judging, case) for case in cases]
    except (BudgetError, ProviderError, SetupError) as error:
        end = CellFailed(attempt=attempt, reason="stopped", message=error.message, retryable=True)
        journal.append([end, StudyStopped(reason=error.message)])
        raise
    facts = together([fact for _, fact in found if fact is not None])
    ordered = sum(held for held, _ in found)
    digest = judge_digest(plan.loaded, judge.model)
    journal.append([JudgeTried(attempt=attempt, digest=digest, ordered=ordered, cases=len(cases), facts=facts)])


async def _ordered(judging: StudyJudging, case: StudyCase) -> tuple[bool, CallFacts | None]:
    try:
        return await judging.orders(case)
    except NotJudged as error:
        return False, error.facts
