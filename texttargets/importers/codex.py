"""Sessions of Codex (`~/.codex/sessions/…/rollout-*.jsonl`): messages among events, contexts and calls of tools.

The program writes instructions and its surroundings as messages of the user; they are not the person's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import records
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping, objects
from texttargets.importers.transcript import Session, cases
from texttargets.strict_json import as_text

_ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_INSERTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|user_shell_command|skill|INSTRUCTIONS|"
    r"collaboration_mode|subagent_notification)|# AGENTS\.md instructions)"
)
_REQUEST = "## My request for Codex:"  # what an editor puts before it is its own
_RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def looks_like(source: Source) -> bool:
    """Whether lines are events with a payload, or the messages of the first versions."""
    if any(record.get("type") in _ENVELOPES and isinstance(record.get("payload"), dict) for record in source.head):
        return True
    first = source.head[0] if source.head else {}
    return "instructions" in first and "timestamp" in first and any(r.get("type") == "message" for r in source.head)


def read(source: Source) -> Iterator[Item]:
    """A row for each answer of the session."""
    rows = list(records(source))
    yield from (row for row in rows if isinstance(row, BadRow))
    kept = [row for row in rows if isinstance(row, Row)]
    meta = next((_payload(row.values) for row in kept if _payload(row.values).get("id")), {})
    if _is_sub_agent(meta):
        yield LeftOut(1, "the session of a sub-agent; what it was told are no words of a person")
        return
    session = Session(as_text(meta.get("id") or ""))
    events = {_what(row.values) for row in kept}
    # What the person typed is an event of its own in newer versions, free of what the program adds.
    typed, told = "event_msg user_message" in events, "response_item message" not in events
    for row in kept:
        _add(session, row, typed, told)
    yield from cases(session)


def _payload(record: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(record.get("payload")) if record.get("type") in _ENVELOPES else record


def _what(record: Mapping[str, Any]) -> str:
    kind = as_text(record.get("type") or "session_meta")
    if kind in _ENVELOPES:
        return f"{kind} {as_text(_payload(record).get('type') or '')}".strip()
    return f"response_item {kind}"


def _is_sub_agent(meta: Mapping[str, Any]) -> bool:
    return "subagent" in mapping(meta.get("source")) or meta.get("thread_source") == "subagent"


def _add(session: Session, row: Row, typed: bool, told: bool) -> None:
    payload, what = _payload(row.values), _what(row.values)
    role, answering = payload.get("role"), session.answering()
    if what == "event_msg user_message" and typed:
        session.turn("user", row.line).say(_request(as_text(payload.get("message") or "")))
    elif what == "event_msg agent_message" and told:
        session.turn("assistant", row.line).say(as_text(payload.get("message") or ""))
    elif what == "event_msg turn_aborted" and answering:
        answering.interrupted = True
    elif what == "response_item message" and role == "assistant":
        session.turn("assistant", row.line).say("\n".join(_texts(payload)), as_text(payload.get("id") or ""))
    elif what == "response_item message" and role == "user" and not typed:
        words = [_request(text) for text in _texts(payload) if not _INSERTED.match(text)]
        if words:
            session.turn("user", row.line).say("\n".join(words))
        else:
            session.leave_out(row.line, "inserted by the program")
    elif payload.get("type") in ("function_call", "custom_tool_call", "local_shell_call"):
        session.turn("assistant", row.line).call(as_text(payload.get("name") or "shell"))
    elif payload.get("type") in _RESULTS and answering:
        answering.tool_result()
    elif what not in ("event_msg agent_message", "response_item message"):
        session.leave_out(row.line, what)


def _request(text: str) -> str:
    return text.rpartition(_REQUEST)[2].strip() if _REQUEST in text else text


def _texts(payload: Mapping[str, Any]) -> list[str]:
    content = payload.get("content")
    if isinstance(content, str):
        return [content]
    return [as_text(block["text"]) for block in objects(content) if "text" in block]
