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
from judges.batch import Answer, BatchJudge
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
        known, twins = self._look_up(items, sample, fresh)
        if known:
            yield Judgement(tuple(known))
        leads = [group[0] for group in twins.values()]
        size = self.settings.items_per_call
        batches = [leads[start : start + size] for start in range(0, len(leads), size)]
        keep = _forget if fresh else self._keep
        tasks = [asyncio.create_task(self._batches.ask(batch, sample, keep)) for batch in batches]
        async with aclosing(as_they_come(tasks)) as answers:
            async for number, answer in answers:
                yield self._judgement(batches[number], answer, twins, sample)

    def _look_up(self, items: Sequence[JudgedItem], sample: int, fresh: bool) -> tuple[list[Verdict], Twins]:
        """The verdicts that need no call; the other items, those of identical content together."""
        rubric = self.settings.rubric
        known: list[Verdict] = []
        twins: dict[str, list[JudgedItem]] = {}
        for item in items:
            key = self._key(item, sample)
            if item.is_empty:
                known.append(scored(item.id, sample, Row(rubric.scale.low, "The output is empty."), rubric))
            elif key in twins:
                twins[key].append(item)
            elif not fresh and (row := self._stored(key)) is not None:
                known.append(scored(item.id, sample, row, rubric, cached=True))
            else:
                twins[key] = [item]
        return known, {group[0].id: group for group in twins.values()}

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
