"""Reads one chat completion: text, why it ended, tokens, log-probabilities. Pure; it never guesses an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.ports import Message

NO_CHOICES = "no choices"
_BYTES_PER_TOKEN = 4  # of English text; estimates are marked as such
_TOKENS_PER_MESSAGE = 4


@dataclass(frozen=True)
class Answer:
    """What one request gave. `estimated` marks token counts that the provider did not report."""

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    estimated: bool
    logprobs: list[dict[str, Any]] | None = None

    @property
    def usable(self) -> bool:
        """A whole, non-empty reply."""
        return bool(self.text.strip()) and self.finish_reason not in ("length", "content_filter", NO_CHOICES)

    @property
    def worth_another(self) -> bool:
        """A second request with a higher limit may give a whole reply."""
        return not self.usable and self.finish_reason != "content_filter"


def read_answer(response: Any, messages: Sequence[Message]) -> Answer:
    """Read a litellm response to `messages`."""
    choices = getattr(response, "choices", None) or []
    message = getattr(choices[0], "message", None) if choices else None
    content = getattr(message, "content", None)
    text = content if isinstance(content, str) else ""
    finish_reason = str(getattr(choices[0], "finish_reason", None) or "stop") if choices else NO_CHOICES
    usage = getattr(response, "usage", None)
    input_tokens, output_tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    estimated = input_tokens == 0 or (output_tokens == 0 and bool(text))
    return Answer(
        text=text,
        finish_reason=finish_reason,
        input_tokens=input_tokens or estimated_tokens(messages),
        output_tokens=output_tokens or _tokens(text),
        estimated=estimated,
        logprobs=_logprobs(choices[0]) if choices else None,
    )


def estimated_tokens(messages: Sequence[Message]) -> int:
    """A likely number of prompt tokens, at least 1 per message."""
    return sum(_tokens(message.content) + _TOKENS_PER_MESSAGE for message in messages)


def most_tokens(messages: Sequence[Message]) -> int:
    """A number of prompt tokens that is not passed: no tokenizer makes more tokens than bytes."""
    return 64 + sum(len(message.content.encode()) + 16 for message in messages)


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _logprobs(choice: Any) -> list[dict[str, Any]] | None:
    """The `content` list of OpenAI's log-probabilities as plain JSON values, whatever object carries it."""
    found: Any = getattr(choice, "logprobs", None)
    if hasattr(found, "model_dump"):
        found = found.model_dump()
    content = found.get("content") if isinstance(found, dict) else None
    return content if isinstance(content, list) else None
