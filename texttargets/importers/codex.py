"""Sessions of Codex (`~/.codex/sessions/…/rollout-*.jsonl`): messages among events, contexts and calls of tools.

The program writes instructions and its surroundings as messages of the user; they are not the person's words. One file
may hold several sessions, and lines of several versions: what is there twice is decided turn by turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from texttargets.importers.codex_lines import CALLS, ENVELOPES, Line
from texttargets.importers.record_stream import records
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.transcript import Session, cases
from texttargets.strict_json import as_text


def looks_like(source: Source) -> bool:
    """Whether lines are events with a payload, or the messages of the first versions."""
    if any(record.get("type") in ENVELOPES and isinstance(record.get("payload"), dict) for record in source.head):
        return True
    first = source.head[0] if source.head else {}
    return "instructions" in first and "timestamp" in first and any(r.get("type") == "message" for r in source.head)


def read(source: Source) -> Iterator[Item]:
    """A row for each answer of each session."""
    rows = list(records(source))
    yield from (row for row in rows if isinstance(row, BadRow))
    for lines in _sessions(Line(row.line, row.values) for row in rows if isinstance(row, Row)):
        first = lines[0]
        if first.begins and first.of_sub_agent:
            reason = "the session of a sub-agent; what it was told are no words of a person"
            yield LeftOut(first.number, reason, "sessions of sub-agents")
        else:
            yield from cases(_session(lines))


def _sessions(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """The lines of each session; a fork repeats the beginning of the one it came from before anything is said."""
    found: list[Line] = []
    for line in lines:
        goes_on = not found or not line.begins or _same(found, line)
        if not goes_on:
            yield found
            found = []
        found.append(line)
    if found:
        yield found


def _same(found: list[Line], line: Line) -> bool:
    known = [one.payload.get("id") for one in found if one.begins]
    return line.payload.get("id") in known or (bool(known) and not any(one.asks or one.typed for one in found))


def _session(lines: list[Line]) -> Session:
    begun = next((as_text(line.payload.get("id") or "") for line in lines if line.begins), "")
    session = Session(begun, start=lines[0].number)
    asked_twice, told_twice = _doubled(lines)
    for line in lines:
        _add(session, line, asked_twice, told_twice)
    return session


def _doubled(lines: Iterable[Line]) -> tuple[frozenset[int], frozenset[int]]:
    """Lines whose message stands in the same turn in its better form: what was typed, what the model said."""
    asked: set[int] = set()
    told: set[int] = set()
    users: list[Line] = []
    model: list[Line] = []

    def settle(turn: list[Line]) -> None:
        if any(line.typed for line in turn):
            asked.update(line.number for line in turn if line.asks)
        if any(line.answers for line in turn):
            told.update(line.number for line in turn if line.told)
        turn.clear()

    for line in lines:
        if line.asks or line.typed:
            settle(model)
            users.append(line)
        elif line.answers or line.told or line.payload.get("type") in CALLS:
            settle(users)
            model.append(line)
    settle(users)
    settle(model)
    return frozenset(asked), frozenset(told)


def _add(session: Session, line: Line, asked_twice: frozenset[int], told_twice: frozenset[int]) -> None:
    answering = session.answering()
    if line.cuts_short and answering:
        answering.interrupted = True
    if line.number in asked_twice or line.number in told_twice:
        return
    if line.asks or line.typed:
        _ask(session, line)
    elif line.answers or line.told:
        said = session.turn("assistant", line.number)
        if line.payload.get("phase") == "final_answer":
            said.tool_result()  # what was said before is a comment on the work
        said.say("\n".join(line.texts), as_text(line.payload.get("id") or ""))
    elif line.payload.get("type") in CALLS:
        session.turn("assistant", line.number).call(as_text(line.payload.get("name") or "shell"))
    elif line.returns and answering:
        answering.tool_result()
    elif line.what == "event_msg thread_rolled_back":
        session.take_back(_count(line.payload.get("num_turns")), line.number)
    elif line.what == "response_item message":
        session.leave_out(line.number, f"message of the {as_text(line.payload.get('role') or 'unknown')}")
    else:
        session.leave_out(line.number, line.what)


def _ask(session: Session, line: Line) -> None:
    if line.words:
        session.turn("user", line.number).say(line.words)
    else:
        session.leave_out(line.number, "inserted by the program")


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
