"""One logical call while it is under way: its options, what its requests cost so far, the facts it ends with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ceopt_tui.core.ports import ModelRequest, Price
from judges.answer import Answer, estimated_tokens, most_tokens
from judges.options import LOGPROB_OPTIONS, output_limit, request_options, with_output_limit
from judges.prices import limits_of, usd
from schemas.records import CallFacts

DEFAULT_LIMIT = 4096  # tokens of a reply that names no limit, where a cap on money must hold
MORE = 4  # a truncated reply is asked for again with this many times the room


@dataclass
class Call:
    """Requests and costs of one logical call. `options` shrink as the provider refuses some."""

    request: ModelRequest
    call_id: str
    price: Price | None
    options: dict[str, Any] = field(init=False)
    dropped: list[str] = field(default_factory=list)
    sent: list[CallFacts] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.options = request_options(self.request)

    @property
    def attempts(self) -> int:
        return len(self.sent)

    def bound(self) -> None:
        """Give a reply without a limit one, since its worst price must be known."""
        if output_limit(self.options) is None:
            most = limits_of(self.request.model).output_tokens or DEFAULT_LIMIT
            self.options = with_output_limit(self.options, min(DEFAULT_LIMIT, most))

    def raise_limit(self, answer: Answer) -> None:
        """Make room for a reply that was cut off."""
        wanted = MORE * (output_limit(self.options) or max(answer.output_tokens, DEFAULT_LIMIT // MORE))
        most = limits_of(self.request.model).output_tokens
        self.options = with_output_limit(self.options, min(wanted, most) if most else wanted)

    def drop(self, names: Sequence[str]) -> None:
        """Leave out options the provider refused."""
        together = LOGPROB_OPTIONS if set(names) & set(LOGPROB_OPTIONS) else ()
        for name in (*names, *together):
            if self.options.pop(name, None) is not None and name not in self.dropped:
                self.dropped.append(name)

    def worst_usd(self) -> float | None:
        """What one request can cost at most; None when the price is unknown."""
        room = output_limit(self.options) or limits_of(self.request.model).output_tokens or DEFAULT_LIMIT
        schema = str(self.options.get("response_format", ""))
        return usd(self.price, most_tokens(self.request.messages) + len(schema.encode()), room)

    def sent_in_vain(self, latency_s: float, reserved_usd: float | None, *, maybe_billed: bool) -> CallFacts:
        """Facts of a request without a reply: nothing, or the worst case where the work may have been done.

        Without a known price not even a refused request is known to be free.
        """
        tokens = estimated_tokens(self.request.messages) if maybe_billed else 0
        cost = reserved_usd if maybe_billed else usd(self.price, 0, 0)
        return self._add(
            CallFacts(**self._who(), usd=cost, input_tokens=tokens, estimated=maybe_billed, latency_s=latency_s)
        )

    def answered(self, answer: Answer, latency_s: float) -> CallFacts:
        """Facts of a request that was answered, usable or not."""
        return self._add(
            CallFacts(
                **self._who(),
                input_tokens=answer.input_tokens,
                output_tokens=answer.output_tokens,
                estimated=answer.estimated,
                usd=usd(self.price, answer.input_tokens, answer.output_tokens),
                latency_s=latency_s,
                finish_reason=answer.finish_reason,
            )
        )

    def facts(self) -> CallFacts:
        """All requests of the call together."""
        costs = [facts.usd for facts in self.sent]
        return CallFacts(
            **self._who(),
            attempts=self.attempts,
            input_tokens=sum(facts.input_tokens for facts in self.sent),
            output_tokens=sum(facts.output_tokens for facts in self.sent),
            estimated=any(facts.estimated for facts in self.sent),
            usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            latency_s=sum(facts.latency_s for facts in self.sent),
            finish_reason=self.sent[-1].finish_reason if self.sent else "none",
            dropped=tuple(self.dropped),
        )

    def _who(self) -> dict[str, Any]:
        return {"role": self.request.role, "model": self.request.model.model, "call_id": self.call_id}

    def _add(self, facts: CallFacts) -> CallFacts:
        self.sent.append(facts)
        return facts
