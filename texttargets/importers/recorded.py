"""What a model was asked and what it said, out of the many shapes in which traces and exports record them.

Chat messages of OpenAI, Anthropic, LangChain, Gemini and OTel; JSON stored as a text; objects around one value. An
object with names of its own, such as a structured answer or the variables of a template, stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from texttargets.importers.openai_chat import conversation, message_text
from texttargets.importers.shape import key, sequence
from texttargets.strict_json import as_text, loads, plain

Messages = list[dict[str, Any]]

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "chat": "user", "AIMessageChunk": "assistant"}
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
_KINDS = ("human", "ai", "system", "tool", "function", "AIMessageChunk")  # LangChain's `type`
_AROUND_QUESTION = frozenset({"input", "inputs", "prompt", "text", "content", "message", "user_input", "value"})
_AROUND_ANSWER = frozenset({"output", "outputs", "answer", "result", "response", "completion", "text", "content",
                            "message", "generated_text", "reply", "value"})  # fmt: skip
_NESTED = 3  # how often JSON is found stored as a text inside JSON


def decoded(value: Any) -> Any:
    """A JSON object or list that was stored as a text; every other text stays one."""
    for _ in range(_NESTED):
        text = value.strip() if isinstance(value, str) else ""
        if not text or (text[0], text[-1]) not in {("{", "}"), ("[", "]"), ('"', '"')}:
            return value
        try:
            inner = loads(text)
        except ValueError:
            return value
        if isinstance(inner, str) and not inner.strip().startswith(("{", "[", '"')):
            return value
        value = inner
    return value


def question(value: Any, notes: list[str]) -> tuple[str | dict[str, Any] | None, str | None]:
    """What was asked, and the answer when the recorded messages end with it."""
    whole = decoded(value)
    messages = chat_messages(whole)
    if messages:
        said = conversation(messages)
        notes += said.notes
        return said.input or None, said.observed
    if isinstance(whole, dict):
        inner = _call_argument(whole)
        if inner is None and len(whole) == 1 and next(iter(whole)) in _AROUND_QUESTION:
            inner = next(iter(whole.values()))
        return question(inner, notes) if inner is not None else (plain(whole) or None, None)
    return (None if value in (None, []) else _as_written(value, whole) or None), None


def answer(value: Any, notes: list[str]) -> str | None:
    """What came out, as it was written; None when nothing was recorded."""
    whole = decoded(value)
    inner = _unwrapped(whole)
    if inner is None or value == []:
        return None
    if isinstance(inner, list) and inner and all(isinstance(part, dict) and "text" in part for part in inner):
        inner = {"role": "assistant", "content": inner}  # the parts of one message
    messages = chat_messages(inner)
    if messages:
        spoken = [message for message in messages if message["role"] == "assistant"] or messages
        return message_text(spoken[-1], notes)
    return _as_written(value, whole) if inner is whole else as_text(inner)


def wanted(value: Any, notes: list[str]) -> Any:
    """What should have come out: a text, or the JSON of a structured answer; None when nothing was recorded."""
    inner = _unwrapped(decoded(value))
    if inner is None or value in ({}, []):
        return None
    return inner if isinstance(inner, dict | list) and not chat_messages(inner) else answer(value, notes)


def chat_messages(value: Any) -> Messages | None:
    """A list of messages with the roles of OpenAI, whichever way it was recorded; None when it is something else."""
    if isinstance(value, dict):
        for name in ("messages", "contents", "input_messages"):
            if isinstance(value.get(name), list):
                return chat_messages(value[name])
        one = _message(value)
        return [one] if one else None
    if not isinstance(value, list) or not value:
        return None
    if len(value) == 1 and isinstance(value[0], list):
        return chat_messages(value[0])
    messages = [_message(item) for item in value]
    return [message for message in messages if message] if all(messages) else None


def _message(item: Any) -> dict[str, Any] | None:
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("kwargs"), dict) and "lc" in item:  # a serialized LangChain message
        path = sequence(item.get("id"))  # where the class of the message stands, its name last
        named = key(path[-1]).removesuffix("Message").lower() if path else ""
        kind = item["kwargs"].get("type") or named
        item = {**item["kwargs"], "type": kind}
    if isinstance(item.get("data"), dict) and item.get("type") in _KINDS:
        item = {**item["data"], "type": item["type"]}
    if isinstance(item.get("message"), dict) and "role" in item["message"]:
        item = item["message"]
    role = item.get("role") or (item["type"] if item.get("type") in _KINDS and "content" in item else None)
    if not isinstance(role, str):
        return None
    content = item.get("content", item.get("parts"))
    if isinstance(content, list):
        content = [_part(part) for part in content if not isinstance(part, dict) or part.get("type") not in _THOUGHTS]
    return {**item, "role": _ROLES.get(role, role), "content": content}


def _part(part: Any) -> Any:
    """A part of Anthropic, Gemini (`text`) or OTel (`type` and `content`) as a part of OpenAI."""
    if not isinstance(part, dict):
        return part
    if part.get("type") == "text" and isinstance(part.get("content"), str):
        return {"type": "text", "text": part["content"]}
    if part.get("type") in ("tool_call", "tool_use"):
        arguments = part.get("arguments", part.get("input", ""))
        return {"type": "text", "text": f"[calls {as_text(part.get('name', 'a tool'))} {as_text(arguments)}]"}
    return part


def _unwrapped(value: Any) -> Any:
    """The value inside what providers and frameworks put around it."""
    while isinstance(value, dict):
        if isinstance(value.get("choices"), list) and value["choices"]:
            choice = value["choices"][0]
            value = choice.get("message", choice.get("text")) if isinstance(choice, dict) else choice
        elif isinstance(value.get("generations"), list) and value["generations"]:
            first = value["generations"][0]
            first = first[0] if isinstance(first, list) and first else first
            value = first.get("message") or first.get("text") if isinstance(first, dict) else first
        elif len(value) == 1 and next(iter(value)) in _AROUND_ANSWER:
            value = decoded(next(iter(value.values())))
        else:
            return value
    return value


def _as_written(value: Any, whole: Any) -> str:
    """The text of a value whose JSON is `whole`: its very characters where it was one, without the quotes around it."""
    while isinstance(value, str) and not isinstance(whole, str) and value.strip().startswith('"'):
        value = loads(value.strip())
    return as_text(value)


def _call_argument(value: Mapping[str, Any]) -> Any:
    """The one argument of a traced function, recorded as `args` and `kwargs`."""
    if not set(value) <= {"args", "kwargs"} or "args" not in value:
        return None
    arguments, named = sequence(value["args"]), value.get("kwargs") or {}
    if len(arguments) == 1 and not named:
        return arguments[0]
    return named if named and not arguments else None
