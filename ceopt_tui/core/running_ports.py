"""The seam for runs of a text by a program that calls its model itself, such as a coding agent's command line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from ceopt_tui.core.ports import Accept, ModelReply, ModelRequest

StartTrouble = Literal["failed", "busy", "quota", "auth"]


@dataclass(frozen=True)
class Started:
    """How one start of the program ended. `usd` is None where it names no price; `trouble` says what went wrong."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    elapsed_s: float = 0.0
    trouble: StartTrouble | None = None
    fault: str = ""


Start = Callable[[], Awaitable[Started]]


class ProgramCalls(Protocol):
    """Starts of such programs under the caps of a run, in its books and in the reply cache. One start is one call.

    May raise CallFailed (this request only), AuthError, QuotaError, RateLimitError, BudgetError, and what `start`
    raises.
    """

    async def complete(self, request: ModelRequest, start: Start, accept: Accept | None = None) -> ModelReply:
        """The reply to one request, from the cache where it may; `request.identity` holds all else that decides it.

        A reply that `accept` refuses is returned and not kept.
        """
