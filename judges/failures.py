"""What went wrong with one request, in ceopt's words. Pure: it looks at exceptions by status, body and class name.

Provider exceptions repeat keys and whole requests, so none of them leaves this module as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ceopt_tui.core.figures import counted
from ceopt_tui.core.masking import mask
from ceopt_tui.errors import AuthError, CallFailed, CeoptError, QuotaError, RateLimitError, SetupError
from judges.options import LOGPROB_OPTIONS
from judges.retry import LONGEST_WAIT_S, retry_after_s

Kind = Literal[
    "key refused",
    "no quota",
    "unknown provider",
    "rate limit",
    "server error",
    "connection",
    "timeout",
    "context window exceeded",
    "request refused",
    "provider error",
]

_RETRIED: frozenset[Kind] = frozenset({"rate limit", "server error", "connection", "timeout"})
_SENT_IN_VAIN: frozenset[Kind] = frozenset({"connection", "timeout"})
_PREFIX = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Timeout|Exception)?: |\w+(?:Exception|Error) - )+")
_REFUSAL = re.compile(r"(?i)support|unknown|unrecognized|not permitted|not allowed|extra")
_UNMISTAKABLE = frozenset({"temperature", "logprobs", "seed"})
_NO_MONEY = re.compile(r"insufficient_quota|credit balance is too low|billing_hard_limit_reached", re.IGNORECASE)
_NO_PROVIDER = "LLM Provider NOT provided"
_NOT_A_COMPLETION = "Empty or invalid response from LLM endpoint"
_LONGEST_MESSAGE = 400


@dataclass(frozen=True)
class Failure:
    """One request without a reply. `message` is masked and on one line."""

    kind: Kind
    message: str
    retry_after_s: float | None = None

    @property
    def retried(self) -> bool:
        """Another request may fare better, and soon enough to wait for it."""
        return self.kind in _RETRIED and (self.retry_after_s or 0.0) <= LONGEST_WAIT_S

    @property
    def maybe_billed(self) -> bool:
        """The provider may have done the work although nothing came back."""
        return self.kind in _SENT_IN_VAIN

    @property
    def ends_all(self) -> bool:
        """Every further request to the same model would fail alike."""
        return self.kind in ("key refused", "no quota", "unknown provider")

    def error(self, model: str, attempts: int) -> CeoptError:
        """The error for a call that ends with this failure after `attempts` requests."""
        provider = model.partition("/")[0]
        if self.kind == "key refused":
            return AuthError(
                f"{provider} refused the key: {self.message}", "Check the key in the environment, then run again."
            )
        if self.kind == "unknown provider":
            return SetupError(
                f"litellm knows no provider `{provider}` (model {model})", "Write the model as provider/model."
            )
        if self.kind == "no quota":
            return QuotaError(
                f"{provider}: no quota left: {self.message}", "Add credit at the provider, then resume the run."
            )
        if self.kind == "rate limit":
            return RateLimitError(
                f"{provider}: rate limit, after {counted(attempts, 'request')}: {self.message}",
                "Resume the run later; its state is kept.",
            )
        return CallFailed(
            f"{model}: {self.kind}, after {counted(attempts, 'request')}: {self.message}",
            reason=self.kind,
            attempts=attempts,
        )


def classify(error: BaseException, now: datetime, secrets: Iterable[str]) -> Failure:
    """Name the failure behind an exception of litellm, of its transport, or of the deadline."""
    status, headers = _status(error), _headers(error)
    wait_s = retry_after_s(headers.get("retry-after"), now)
    text = _PREFIX.sub("", str(error)).strip()
    message = mask(" ".join(text.split()), secrets)[:_LONGEST_MESSAGE]
    kind = _kind(error, status, wait_s, f"{text} {getattr(error, 'body', '')}", bool(headers))
    if _NOT_A_COMPLETION in message:
        message = "what came back is no chat completion; a proxy or a web page may answer at this address"
    return Failure(kind, message or kind, wait_s)


def refused_options(error: BaseException, options: Iterable[str]) -> tuple[str, ...]:
    """The options among `options` that the provider, or litellm on its behalf, says it does not take."""
    unsupported = type(error).__name__ == "UnsupportedParamsError"
    offered = tuple(options)
    extras = tuple(option for option in offered if option in LOGPROB_OPTIONS)
    if extras and _status(error) in (400, 404, 422, 500, 501) and "logprobs" in str(error):
        return extras  # servers say in many ways, and with any status, that they give none or not as many
    if not unsupported and _status(error) not in (400, 422):
        return ()
    body = getattr(error, "body", None)
    named = body.get("param") if isinstance(body, dict) else None
    if isinstance(named, str) and not unsupported:
        first = re.split(r"[.\[]", named)[0]
        return tuple(option for option in offered if option == first)
    if not unsupported and not _REFUSAL.search(str(error)):
        return ()
    return tuple(option for option in offered if _names(str(error), option))


def _names(text: str, option: str) -> bool:
    """Options that are also ordinary words (`stop`, `user`) count only in quotes."""
    quoted = rf"['\"`]{re.escape(option)}['\"`]"
    bare = rf"(?<![\w.]){re.escape(option)}(?!\w)"
    return re.search(bare if "_" in option or option in _UNMISTAKABLE else quoted, text) is not None


def _kind(error: BaseException, status: int | None, wait_s: float | None, text: str, answered: bool) -> Kind:
    names = {type(link).__name__ for link in _chain(error)}
    if isinstance(error, TimeoutError) or status == 408 or type(error).__name__ == "Timeout":
        return "timeout"
    if not answered and ("APIConnectionError" in names or names & {"ConnectError", "ReadError", "RemoteProtocolError"}):
        return "connection"
    if type(error).__name__ == "ContextWindowExceededError":
        return "context window exceeded"
    if _NO_PROVIDER in text:
        return "unknown provider"
    if status in (401, 403):
        return "key refused"
    if status == 402 or (_NO_MONEY.search(text) and wait_s is None):
        return "no quota"
    if status == 429:
        return "rate limit"
    if status is None:
        return "provider error"
    return "server error" if status >= 500 else "request refused"


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _headers(error: BaseException) -> dict[str, str]:
    found: Any = getattr(getattr(error, "response", None), "headers", None) or getattr(
        error, "litellm_response_headers", None
    )
    return {str(name).lower(): str(value) for name, value in dict(found or {}).items()}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
