"""The account of a run: caps over all roles, with what earlier starts spent and what a kill cut off."""

from __future__ import annotations

from ceopt_tui.core.ports import ResolvedModel, Role
from ceopt_tui.engine.session import Session
from ceopt_tui.inputs import terms_of
from ceopt_tui.project import Project
from judges.ledger import Caps, Ledger, Spend
from judges.prices import price_of
from schemas.records import CallFacts, CallFinished, CallStarted


def ledger_of(session: Session, project: Project, judge: ResolvedModel | None) -> Ledger:
    """The account of the whole run: what earlier ticks spent counts under the same caps."""
    state, recorder = session.state, session.recorder
    caps = terms_of(project, attended=False, usd_per_run=None).budget
    judge_usd = judge_cap(project, judge)

    async def started(record: CallStarted) -> None:
        await recorder.commit(record)

    async def failed(facts: CallFacts, message: str) -> None:
        await recorder.commit(CallFinished(facts=facts, error=message))

    spent: dict[Role, Spend] = {
        role: Spend(spend.calls, spend.cached, spend.input_tokens, spend.output_tokens, spend.usd, spend.unpriced)
        for role, spend in state.spend.roles.items()
    }
    roles: tuple[Role, ...] = ("task", "judge", "proposer", "reader")
    for role in roles:
        lost = state.spend.lost_of(role)
        cut_off = Spend(requests=lost.calls, usd_known=lost.usd, unpriced=lost.unpriced)
        spent[role] = spent.get(role, Spend()) + cut_off
    return Ledger(
        Caps(max_usd=caps.usd, max_calls=caps.calls, judge_usd=judge_usd),
        spent=spent,
        next_call=state.spend.started + 1,
        on_start=started,
        on_failure=failed,
    )


def judge_cap(project: Project, model: ResolvedModel | None) -> float | None:
    """The cap on judging in US dollars; one that nobody wrote does not keep a model without a price from working."""
    judge = project.spec.metric.judge
    if judge is None or model is None:
        return None
    written = project.spec.judge_cost_cap_usd is not None
    return judge.max_total_cost_usd if written or price_of(model) is not None else None
