"""Scores outputs with a rubric: verdicts that are known are read, those that are missing are asked for in batches.

Knows nothing of text targets, runs or money; its calls go through a Completer.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from ceopt_tui.core.ports import Completer
from judges.arrivals import as_they_come
from judges.batch import Answer, BatchJudge, lacks_feedback
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.preflight import Preflight
from judges.reply import Row
from judges.verdict import Judgement, Verdict, VerdictStore, from_stored, scored, stored_form, verdict_key

Twins = Mapping[str, Sequence[JudgedItem]]  # by the id of the item that is asked about, all with its content


class Judge:
    """A rubric on a model. `store` keeps verdicts between runs; `salt` makes the marks of its calls unguessable."""

    def __init__(
        self,
        completer: Completer,
        settings: JudgeSettings,
        *,
        store: VerdictStore | None = None,
        salt: bytes | None = None,
        preflight: Preflight | None = None,
    ) -> None:
        self.settings = settings
        self._store = store
        self._batches = BatchJudge(completer, settings, salt=salt or secrets.token_bytes(32), preflight=preflight)

    async def judge(self, items: Sequence[JudgedItem], sample: int = 0, *, fresh: bool = False) -> Judgement:
        """Score every item once; verdicts come in the order of `items`.

        A call that failed, or a reply that twice is no verdict, leaves its items unscored. Raises what ends a run:
        AuthError, QuotaError, RateLimitError, BudgetError, and ProviderError where no first call comes back.
        """
        async with aclosing(self.stream(items, sample, fresh=fresh)) as parts:
            judged = [part async for part in parts]
        by_id = {verdict.item_id: verdict for part in judged for verdict in part.verdicts}
        calls = tuple(facts for part in judged for facts in part.calls)
        return Judgement(tuple(by_id[item.id] for item in items), calls)

    async def stream(
        self, items: Sequence[JudgedItem], sample: int = 0, *, fresh: bool = False
    ) -> AsyncGenerator[Judgement, None]:
        """As `judge`, in parts as they come in; what came in is given before an error is raised.

        `fresh` asks about everything and leaves the store alone. Close the stream when leaving early: that cancels the
        calls on their way.
        """
        if len({item.id for item in items}) < len(items):
            raise ValueError("two items to judge have the same id")
        known, twins, rows = self._look_up(items, sample, fresh)
        if known:
            yield Judgement(tuple(known))
        leads = [group[0] for group in twins.values()]
        unknown = self._in_batches([lead for lead in leads if lead.id not in rows])
        unexplained = self._in_batches([lead for lead in leads if lead.id in rows])
        batches = [*unknown, *unexplained]
        keep = _forget if fresh else self._keep
        asked = [self._batches.ask(batch, sample, keep) for batch in unknown]
        for batch in unexplained:
            asked.append(self._batches.ask_feedback(batch, {lead.id: rows[lead.id] for lead in batch}, sample, keep))
        tasks = [asyncio.create_task(one) for one in asked]
        async with aclosing(as_they_come(tasks)) as answers:
            async for number, answer in answers:
                yield self._judgement(batches[number], answer, twins, sample)

    def _in_batches(self, items: Sequence[JudgedItem]) -> list[Sequence[JudgedItem]]:
        size = self.settings.items_per_call
        return [items[start : start + size] for start in range(0, len(items), size)]

    def _look_up(
        self, items: Sequence[JudgedItem], sample: int, fresh: bool
    ) -> tuple[list[Verdict], Twins, Mapping[str, Row]]:
        """The verdicts that need no call; the other items, those of identical content together; rows without a reason.

        The last are by the first item's id: scores that are known, and whose feedback is still to be asked for.
        """
        rubric = self.settings.rubric
        known: list[Verdict] = []
        twins: dict[str, list[JudgedItem]] = {}
        rows: dict[str, Row] = {}
        for item in items:
            key = self._key(item, sample)
            if item.is_empty:
                known.append(scored(item.id, sample, Row(rubric.scale.low, "The output is empty."), rubric))
                continue
            if key in twins:
                twins[key].append(item)
                continue
            row = None if fresh else self._stored(key)
            if row is not None and not lacks_feedback(row, self.settings):
                known.append(scored(item.id, sample, row, rubric, cached=True))
                continue
            twins[key] = [item]
            if row is not None:
                rows[item.id] = row
        return known, {group[0].id: group for group in twins.values()}, rows

    def _judgement(self, batch: Sequence[JudgedItem], answer: Answer, twins: Twins, sample: int) -> Judgement:
        verdicts: list[Verdict] = []
        for lead in batch:
            verdict = self._verdict(lead.id, answer, sample)
            verdicts += [replace(verdict, item_id=item.id, cached=item is not lead) for item in twins[lead.id]]
        return Judgement(tuple(verdicts), answer.calls)

    def _verdict(self, item_id: str, answer: Answer, sample: int) -> Verdict:
        if item_id in answer.rows:
            return scored(item_id, sample, answer.rows[item_id], self.settings.rubric)
        lost = answer.unscored[item_id]
        return Verdict(item_id, sample, unscored=lost.reason, raw=lost.raw, failed=lost.failed)

    def _keep(self, item: JudgedItem, sample: int, row: Row) -> None:
        if self._store is not None:
            self._store.put(self._key(item, sample), stored_form(row))

    def _stored(self, key: str) -> Row | None:
        return None if self._store is None else from_stored(self._store.get(key), self.settings.rubric)

    def _key(self, item: JudgedItem, sample: int) -> str:
        return verdict_key(self.settings, item, sample)


def _forget(item: JudgedItem, sample: int, row: Row) -> None:
    """Keeps nothing."""
