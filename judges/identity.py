"""What makes two requests the same sample: everything that can change the answer, and nothing else.

Left out on purpose: keys, prices, timeouts, retries, the tier's name.
"""

from __future__ import annotations

from typing import Any

from ceopt_tui.core.ports import Accept, ModelReply, ModelRequest
from judges.cache import CACHE_VERSION, canonical_key
from schemas.records import CallFacts


def request_key(request: ModelRequest) -> str:
    """Cache key of a logical request."""
    return canonical_key(
        {
            "version": CACHE_VERSION,
            "role": request.role,
            "endpoint": request.model.endpoint,
            "model": request.model.model,
            "params": {**request.model.params, **request.params},
            "messages": [[message.role, message.content] for message in request.messages],
            "response_schema": request.response_schema,
            "identity": dict(request.identity),
            "sample": request.sample,
        }
    )


def stored_reply(reply: ModelReply) -> dict[str, Any]:
    """A reply as it is cached."""
    facts = reply.facts
    return {
        "text": reply.text,
        "finish_reason": facts.finish_reason,
        "dropped": list(facts.dropped),
        "logprobs": reply.logprobs,
    }


def restored_reply(request: ModelRequest, stored: dict[str, Any]) -> ModelReply | None:
    """A cached reply, which cost nothing now; None when the entry is not one of ours."""
    text, dropped = stored.get("text"), stored.get("dropped")
    if not isinstance(text, str) or not text.strip() or not isinstance(dropped, list):
        return None
    facts = CallFacts(
        role=request.role,
        model=request.model.model,
        attempts=0,
        usd=0.0,
        cached=True,
        finish_reason=str(stored.get("finish_reason", "stop")),
        dropped=tuple(str(name) for name in dropped),
    )
    return ModelReply(text, facts, logprobs=stored.get("logprobs"))


def accepted(accept: Accept | None, text: str) -> bool:
    """May a reply be kept and served again?"""
    if accept is None:
        return True
    try:
        accept(text)
    except ValueError:
        return False
    return True
