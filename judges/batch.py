"""Asks a judge about one batch of items, and once more about those whose verdict could not be used."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.ports import Completer, ModelReply, ModelRequest
from ceopt_tui.errors import CallFailed, ProviderError
from judges.expectation import TOP_TOKENS, with_expectations
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.options import LOGPROB_OPTIONS
from judges.preflight import Preflight
from judges.prompt import judge_messages, judged_text, response_schema
from judges.reply import Row, parse_reply
from schemas.records import CallFacts

_TOKENS_PER_CALL = 400  # room for a preamble or a short hidden thought
_TOKENS_PER_ITEM = 200
_NO_FEEDBACK = "the feedback is missing"

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
    """Sends the calls of one judge. Judges that share a `preflight` find out together whether there is an endpoint."""

    def __init__(
        self, completer: Completer, settings: JudgeSettings, *, salt: bytes, preflight: Preflight | None = None
    ) -> None:
        self._completer = completer
        self._settings = settings
        self._salt = salt
        self._numbers = itertools.count()
        self._preflight = preflight or Preflight()
        self._probabilities_seen = False

    async def ask(self, items: Sequence[JudgedItem], sample: int, keep: Keep) -> Answer:
        """Judge `items` in an order drawn from the seed: one call, and one more about what was missing.

        `keep` hears of every row as soon as it is in. Where scores are asked for alone, the feedback is a further call.
        """
        order = list(items)
        random.Random(f"{self._settings.seed}:{sample}:{items[0].id}").shuffle(order)
        alone = self._settings.method == "expected"
        answer = await self._ask_once(order, sample, {}, alone)
        for item in order:
            if item.id in answer.rows:
                keep(item, sample, answer.rows[item.id])
        if answer.final:
            return answer
        faults = {item_id: unscored.reason for item_id, unscored in answer.unscored.items()}
        if alone and faults:
            answer, faults = await self._ask_again(answer, order, sample, faults, keep, alone=True), {}
        lacking = [item_id for item_id, row in answer.rows.items() if lacks_feedback(row, self._settings)]
        faults |= dict.fromkeys(lacking, _NO_FEEDBACK)
        return await self._ask_again(answer, order, sample, faults, keep) if faults else answer

    async def ask_feedback(
        self, items: Sequence[JudgedItem], rows: Mapping[str, Row], sample: int, keep: Keep
    ) -> Answer:
        """The feedback alone of items whose `rows` are known; their scores stand whatever comes of it."""
        return await self._ask_again(Answer(rows, {}), items, sample, dict.fromkeys(rows, _NO_FEEDBACK), keep)

    async def _ask_again(
        self,
        first: Answer,
        order: Sequence[JudgedItem],
        sample: int,
        faults: Mapping[str, str],
        keep: Keep,
        *,
        alone: bool = False,
    ) -> Answer:
        again = [item for item in order if item.id in faults]
        merged = _merged(first, await self._ask_once(again, sample, faults, alone))
        for item in again:
            if item.id in merged.rows:
                keep(item, sample, merged.rows[item.id])
        return merged

    async def _ask_once(
        self, items: Sequence[JudgedItem], sample: int, faults: Mapping[str, str], alone: bool
    ) -> Answer:
        ids = [item.id for item in items]
        judged = judged_text(items)
        marker = self._new_marker(judged)
        request = self._request(items, sample, faults, marker, alone)
        try:
            reply = await self._preflight.send(lambda: self._complete(request, alone))
        except CallFailed as error:
            return Answer({}, dict.fromkeys(ids, Unscored(error.message, failed=True)), final=True)
        facts = self._facts(reply)
        if reply.truncated or not reply.text:
            lost = Unscored(_why_lost(reply), reply.text, failed=True)
            return Answer({}, dict.fromkeys(ids, lost), (facts,), final=True)
        parsed = parse_reply(reply.text, ids, self._settings.rubric, marker=marker, judged=judged)
        rows = parsed.rows
        if self._settings.method != "sampled":
            rows = with_expectations(parsed, reply.text, reply.logprobs, self._settings.rubric)
        unscored = {item_id: Unscored(reason, reply.text) for item_id, reason in parsed.faults.items()}
        return Answer(rows, unscored, (facts,))

    def _request(
        self, items: Sequence[JudgedItem], sample: int, faults: Mapping[str, str], marker: str, alone: bool
    ) -> ModelRequest:
        """The request is not cached as such: its mark is new each time. Verdicts are cached one by one instead."""
        settings = self._settings
        params: dict[str, Any] = {"max_tokens": _TOKENS_PER_CALL + _TOKENS_PER_ITEM * len(items)}
        if alone or (settings.method == "auto" and settings.rubric.scale.has_levels):
            params |= {"logprobs": True, "top_logprobs": TOP_TOKENS}
        return ModelRequest(
            "judge",
            settings.model,
            judge_messages(settings.rubric, items, marker, faults, score_alone=alone),
            params=over_defaults(params, settings.deciding_params),
            sample=sample,
            response_schema=response_schema(settings.rubric, score_alone=alone),
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            use_cache=False,
        )

    async def _complete(self, request: ModelRequest, alone: bool) -> ModelReply:
        """An endpoint that gives no log-probabilities at all is refused where they are needed.

        Once it gave some, a reply without them is read as written.
        """
        reply = await self._completer.complete(request)
        if alone and not reply.logprobs and not reply.truncated and not self._probabilities_seen:
            raise ProviderError(
                f"{self._settings.model.model} returns no log-probabilities, which the scoring method expected needs",
                "Use the scoring method auto or sampled.",
            )
        self._probabilities_seen |= bool(reply.logprobs)
        return reply

    def _facts(self, reply: ModelReply) -> CallFacts:
        """Log-probabilities that are only taken where they come are no option that was refused."""
        if self._settings.method != "auto":
            return reply.facts
        return reply.facts.model_copy(
            update={"dropped": tuple(name for name in reply.facts.dropped if name not in LOGPROB_OPTIONS)}
        )

    def _new_marker(self, judged: str) -> str:
        """A mark nobody can have written into the judged text."""
        while True:
            number = str(next(self._numbers)).encode()
            marker = hmac.new(self._salt, number, hashlib.sha256).hexdigest()[:8]  # short, since weak models copy it
            if marker not in judged:
                return marker


def lacks_feedback(row: Row, settings: JudgeSettings) -> bool:
    """Whether a row fails without saying why, where that is needed and was not asked for in vain."""
    failing = row.score < settings.rubric.pass_at
    return settings.ask_for_feedback and failing and not row.feedback and not row.feedback_missing


def _why_lost(reply: ModelReply) -> str:
    finish_reason = reply.facts.finish_reason
    if finish_reason == "length":
        return "truncated (length)"
    return "stopped by the provider's content filter" if finish_reason == "content_filter" else "empty reply"


def _merged(first: Answer, second: Answer) -> Answer:
    """A first score stands even when the second call, made for its feedback, says another."""
    rows = {**second.rows, **first.rows}
    for item_id, row in first.rows.items():
        if row.feedback or item_id not in {**second.rows, **second.unscored}:
            continue
        if item_id in second.rows:
            rows[item_id] = replace(row, feedback=second.rows[item_id].feedback)
        answered = item_id in second.rows or not second.unscored[item_id].failed
        rows[item_id] = replace(rows[item_id], feedback_missing=answered and not rows[item_id].feedback)
    unscored = {
        item_id: replace(second.unscored[item_id], raw=second.unscored[item_id].raw or earlier.raw)
        for item_id, earlier in first.unscored.items()
        if item_id not in rows
    }
    return Answer(rows, unscored, first.calls + second.calls)
