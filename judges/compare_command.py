"""The work behind `ceopt judge --against`: which of two outputs the judge prefers, item by item.

Prints nothing; what is compared was planned by `judge_command`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from ceopt_tui.core.ports import Clock
from ceopt_tui.errors import BudgetError, CeoptError, ProviderError
from judges.against import PairRow, PairSummary, summary
from judges.arrivals import as_they_come
from judges.judge_command import JudgePlan, Warn, note_dropped, open_judge
from judges.pairwise import PairwiseJudge, Preference


async def compare_files(
    plan: JudgePlan, *, clock: Clock, warn: Warn, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncGenerator[PairRow | PairSummary, None]:
    """Rows in the order of the items, then the summary; ends early as judging one file does."""
    stopped: CeoptError | None = None
    rows: list[PairRow] = []
    async with open_judge(plan, clock=clock, warn=warn, sleep=sleep) as opened:
        judge = PairwiseJudge(opened.client, opened.settings, store=opened.store)
        waiting: dict[int, Preference] = {}
        dropped: set[str] = set()
        try:
            tasks = [asyncio.create_task(judge.compare(pair)) for pair in plan.pairs]
            async with aclosing(as_they_come(tasks)) as preferences:
                async for number, preference in preferences:
                    waiting[number] = preference
                    refused = {option for facts in preference.calls for option in facts.dropped} - dropped
                    note_dropped(refused, plan.model.model, warn)
                    dropped |= refused
                    while len(rows) in waiting:
                        rows.append(PairRow(waiting.pop(len(rows))))
                        yield rows[-1]
        except (ProviderError, BudgetError) as error:
            stopped = error
        for number in range(len(rows), len(plan.pairs)):
            reason = stopped.message if stopped is not None else ""
            unasked = Preference(plan.pairs[number].id, None, reason, failed=True)
            rows.append(PairRow(waiting.pop(number, unasked)))
            yield rows[-1]
        yield summary(plan.pairs, rows, opened.ledger.total, stopped)
