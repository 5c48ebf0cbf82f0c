"""Sessions of Claude Code (`~/.claude/projects/…/*.jsonl`), also what `claude -p --output-format stream-json` prints.

A message is written in pieces or in growing snapshots under one id: they are one turn. Sub-agents, summaries, tool
results, commands and what the program inserts are not the person's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import records
from texttargets.importers.records import BadRow, Item, Row, Source
from texttargets.importers.shape import key, mapping, objects
from texttargets.importers.transcript import Session, cases
from texttargets.strict_json import as_text

_INSERTED = re.compile(
    r"\s*(?:<(?:command-|local-command-|bash-|system-reminder|user-prompt-submit-hook|task-notification)"
    r"|Caveat: The messages below|This session is being continued from a previous)"
)
_WITHIN = re.compile(r"\s*<(system-reminder|ide_\w+)>.*?</\1>\s*", re.DOTALL)  # put among the person's words
_INTERRUPTED = "[Request interrupted by user"


def looks_like(source: Source) -> bool:
    """Whether lines are messages of a session: a side, and the message in an object of its own."""
    return any(
        record.get("type") in ("user", "assistant") and "content" in mapping(record.get("message"))
        for record in source.head
    ) or any(record.get("type") == "summary" and "leafUuid" in record for record in source.head)


def read(source: Source) -> Iterator[Item]:
    """A row for each answer of the main conversation."""
    rows = list(records(source))
    yield from (row for row in rows if isinstance(row, BadRow))
    kept = [row for row in rows if isinstance(row, Row)]
    session = Session(next((key(row.values.get("sessionId")) for row in kept if row.values.get("sessionId")), ""))
    abandoned = _abandoned(kept)
    for row in kept:
        _add(session, row, abandoned)
    yield from cases(session)


def _add(session: Session, row: Row, abandoned: frozenset[str]) -> None:
    record, kind = row.values, as_text(row.values.get("type") or "record of no type")
    message = mapping(record.get("message"))
    if record.get("isSidechain") or record.get("parent_tool_use_id"):
        session.leave_out(row.line, "sub-agent")
    elif kind not in ("user", "assistant") or not message:
        session.leave_out(row.line, kind)
    elif key(record.get("uuid")) in abandoned:
        session.leave_out(row.line, "abandoned branch")
    elif kind == "assistant":
        _answer(session, row.line, message)
    else:
        _question(session, row, message)


def _question(session: Session, row: Row, message: Mapping[str, Any]) -> None:
    texts = _texts(message)
    answering = session.answering()
    if any(text.startswith(_INTERRUPTED) for text in texts):
        if answering:
            answering.interrupted = True
        session.leave_out(row.line, "interruption")
        return
    own = [_WITHIN.sub("", text) for text in texts]
    words = [text for text in own if text.strip() and not _INSERTED.match(text)]
    inserted = any(row.values.get(name) for name in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
    if words and not inserted:
        session.turn("user", row.line, as_text(row.values.get("uuid") or "")).say("\n".join(words))
    elif any(block.get("type") == "tool_result" for block in objects(message.get("content"))):
        if answering:
            answering.tool_result()
        session.leave_out(row.line, "tool result")
    else:
        session.leave_out(row.line, "inserted by the program")


def _answer(session: Session, line: int, message: Mapping[str, Any]) -> None:
    turn, message_id = session.turn("assistant", line), key(message.get("id"))
    for text in _texts(message):
        turn.say(text, message_id)
    for block in objects(message.get("content")):
        if block.get("type") == "tool_use":
            turn.call(as_text(block.get("name") or "a tool"))


def _texts(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [as_text(block["text"]) for block in objects(content) if block.get("type") == "text" and "text" in block]


def _abandoned(rows: list[Row]) -> frozenset[str]:
    """Records of a branch that the person left by rewriting an earlier question."""
    questions: dict[str, str] = {}  # the record a question follows, and the last question that follows it
    asked: set[str] = set()
    for record in (row.values for row in rows):
        if record.get("type") == "user" and record.get("parentUuid") and _texts(mapping(record.get("message"))):
            questions[key(record["parentUuid"])] = key(record.get("uuid"))
            asked.add(key(record.get("uuid")))
    gone: set[str] = set()
    for record in (row.values for row in rows):
        parent, own = key(record.get("parentUuid")), key(record.get("uuid"))
        if parent in gone or (own in asked and questions.get(parent) != own):
            gone.add(own)
    return frozenset(gone - {""})
