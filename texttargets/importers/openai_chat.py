"""Chat messages as OpenAI and its kin record them: what was asked, and the last answer.

Nothing is lost silently: what is no text is named in its place and in a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from texttargets.importers.shape import sequence
from texttargets.strict_json import as_text

_INSTRUCTIONS = ("system", "developer")


@dataclass(frozen=True)
class Conversation:
    """`observed` is None when nobody answered the last message."""

    input: str
    observed: str | None
    notes: tuple[str, ...] = ()


def is_messages(value: Any) -> bool:
    """Whether a value is a list of chat messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and "role" in item for item in value)


def conversation(messages: Sequence[dict[str, Any]]) -> Conversation:
    """One question alone becomes its text; a longer exchange becomes a transcript with the speakers' names."""
    notes: list[str] = []
    if any(message["role"] in _INSTRUCTIONS for message in messages):
        notes.append("system message left out: it belongs to the target, not to a case")
    turns = [message for message in messages if message["role"] not in _INSTRUCTIONS]
    observed = message_text(turns.pop(), notes) if turns and turns[-1]["role"] == "assistant" else None
    if len(turns) == 1 and turns[0]["role"] == "user":
        return Conversation(message_text(turns[0], notes), observed, tuple(notes))
    transcript = "\n\n".join(f"{as_text(turn['role'])}: {message_text(turn, notes)}" for turn in turns)
    return Conversation(transcript, observed, tuple(notes))


def message_text(message: dict[str, Any], notes: list[str]) -> str:
    """All a message says: its text or refusal, then the tools it calls."""
    said = _content(message.get("content"), notes)
    if not said and isinstance(message.get("refusal"), str):
        said = message["refusal"]
    calls = sequence(message.get("tool_calls")) or (
        [{"function": message["function_call"]}] if message.get("function_call") else []
    )
    return "\n".join(part for part in (said, *map(_call, calls)) if part)


def _content(content: Any, notes: list[str]) -> str:
    if content is None:
        return ""
    if not isinstance(content, list):
        return as_text(content)
    return "\n".join(part for part in (_part(part, notes) for part in content) if part)


def _part(part: Any, notes: list[str]) -> str:
    if not isinstance(part, dict):
        return as_text(part)
    for name in ("text", "refusal"):
        if isinstance(part.get(name), str):
            return str(part[name])
    kind = as_text(part.get("type", "part")).removesuffix("_url").removeprefix("input_")
    notes.append(f"{kind} left out")
    return f"[{kind} left out]"


def _call(call: Any) -> str:
    function = call.get("function", call) if isinstance(call, dict) else {}
    function = function if isinstance(function, dict) else {}
    return f"[calls {as_text(function.get('name', 'a tool'))} {as_text(function.get('arguments', ''))}]"
