"""Asks a judge about one batch of items, and once more about those whose verdict could not be used."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ceopt_tui.core.ports import Completer, ModelReply, ModelRequest
from ceopt_tui.errors import CallFailed
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.preflight import Preflight
from judges.prompt import judge_messages, judged_text, response_schema
from judges.reply import Row, parse_reply
from schemas.records import CallFacts

_TOKENS_PER_CALL = 400  # room for a preamble or a short hidden thought
_TOKENS_PER_ITEM = 200

Keep = Callable[[JudgedItem, int, Row], None]  # the item, its sample index, its row


@dataclass(frozen=True)
class Unscored:
    """Why an item has no verdict; `failed` when the call and not the judge is to blame."""

    reason: str
    raw: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Answer:
    """What a batch came to: every item is in `rows` or in `unscored`. A `final` one is not asked again."""

    rows: Mapping[str, Row]
    unscored: Mapping[str, Unscored]
    calls: tuple[CallFacts, ...] = ()
    final: bool = field(default=False, compare=False)


class BatchJudge:
    """Sends the calls of one judge. `keep` hears of every row as soon as it is in."""

    def __init__(self, completer: Completer, settings: JudgeSettings, *, salt: bytes, keep: Keep) -> None:
        self._completer = completer
        self._settings = settings
        self._salt = salt
        self._keep = keep
        self._numbers = itertools.count()
        self._preflight = Preflight()

    async def ask(self, items: Sequence[JudgedItem], sample: int) -> Answer:
        """Judge `items` in an order drawn from the seed, in at most two calls."""
        order = list(items)
        random.Random(f"{self._settings.seed}:{sample}:{items[0].id}").shuffle(order)
        first = await self._ask_once(order, sample, {})
        faults = {item_id: unscored.reason for item_id, unscored in first.unscored.items()}
        faults |= dict.fromkeys(self._without_feedback(first.rows), "the feedback is missing")
        if first.final or not faults:
            return first
        second = await self._ask_once([item for item in order if item.id in faults], sample, faults)
        merged = _merged(first, second)
        for item in order:
            if item.id in faults and item.id in merged.rows:
                self._keep(item, sample, merged.rows[item.id])
        return merged

    async def _ask_once(self, items: Sequence[JudgedItem], sample: int, faults: Mapping[str, str]) -> Answer:
        ids = [item.id for item in items]
        judged = judged_text(items)
        marker = self._new_marker(judged)
        request = self._request(items, sample, faults, marker)
        try:
            reply = await self._preflight.send(lambda: self._completer.complete(request))
        except CallFailed as error:
            return Answer({}, dict.fromkeys(ids, Unscored(error.message, failed=True)), final=True)
        if reply.truncated or not reply.text:
            lost = Unscored(_why_lost(reply), reply.text, failed=True)
            return Answer({}, dict.fromkeys(ids, lost), (reply.facts,), final=True)
        parsed = parse_reply(reply.text, ids, self._settings.rubric, marker=marker, judged=judged)
        if not faults:
            for item in items:
                if item.id in parsed.rows:
                    self._keep(item, sample, parsed.rows[item.id])
        unscored = {item_id: Unscored(reason, reply.text) for item_id, reason in parsed.faults.items()}
        return Answer(parsed.rows, unscored, (reply.facts,))

    def _request(
        self, items: Sequence[JudgedItem], sample: int, faults: Mapping[str, str], marker: str
    ) -> ModelRequest:
        """The request is not cached as such: its mark is new each time. Verdicts are cached one by one instead."""
        settings = self._settings
        return ModelRequest(
            "judge",
            settings.model,
            judge_messages(settings.rubric, items, marker, faults),
            params={"max_tokens": _TOKENS_PER_CALL + _TOKENS_PER_ITEM * len(items), **settings.deciding_params},
            sample=sample,
            response_schema=response_schema(settings.rubric),
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            use_cache=False,
        )

    def _new_marker(self, judged: str) -> str:
        """A mark nobody can have written into the judged text."""
        while True:
            number = str(next(self._numbers)).encode()
            marker = hmac.new(self._salt, number, hashlib.sha256).hexdigest()[:8]  # short, since weak models copy it
            if marker not in judged:
                return marker

    def _without_feedback(self, rows: Mapping[str, Row]) -> list[str]:
        if not self._settings.ask_for_feedback:
            return []
        pass_at = self._settings.rubric.pass_at
        return [item_id for item_id, row in rows.items() if row.score < pass_at and not row.feedback]


def _why_lost(reply: ModelReply) -> str:
    finish_reason = reply.facts.finish_reason
    if finish_reason == "length":
        return "truncated (length)"
    return "stopped by the provider's content filter" if finish_reason == "content_filter" else "empty reply"


def _merged(first: Answer, second: Answer) -> Answer:
    """A first score stands even when the second call, made for its feedback, says another."""
    rows = {**second.rows, **first.rows}
    for item_id, row in first.rows.items():
        if not row.feedback and item_id in second.rows:
            rows[item_id] = replace(row, feedback=second.rows[item_id].feedback)
    unscored = {
        item_id: replace(second.unscored[item_id], raw=second.unscored[item_id].raw or earlier.raw)
        for item_id, earlier in first.unscored.items()
        if item_id not in rows
    }
    return Answer(rows, unscored, first.calls + second.calls)
