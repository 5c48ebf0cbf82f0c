"""Holds a reply against the answer of a case. A reply that cannot be read has no score: it is no wrong answer.

A change of what any reply scores needs a new SCORERS_VERSION: figures of two versions are not of one measurement.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from schemas.study_cases import (
    Answer,
    BooleanAnswer,
    ExactAnswer,
    FindingsAnswer,
    GateAnswer,
    JudgedAnswer,
    NumberAnswer,
    OutcomeAnswer,
    ProseAnswer,
    RouteAnswer,
    SetAnswer,
)

SCORERS_VERSION = 1
NOTHING = "none"

_NEGATION = re.compile(
    r"\b(?:no(?!\.\s*\d)|not|non|never|without|neither|nor|none|free of|absent|isn't|aren't|doesn't)\b", re.I
)
_CODE_CHARACTERS = r"[A-Za-z0-9._-]"
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")


class Unreadable(ValueError):
    """A reply is not in the form its answer type asks for."""


@dataclass(frozen=True)
class Scored:
    """A score from 0 to 1; `detail` says what it is made of."""

    score: float
    detail: str = ""


def score_reply(answer: Answer, reply: str, prompt: str) -> Scored:
    """The score of a reply to `prompt`. Raises Unreadable where the reply is in no form that can be scored."""
    if not reply.strip():
        raise Unreadable("the reply is empty")
    match answer:
        case ExactAnswer():
            return _all_or_nothing(reply.strip() == answer.value.strip())
        case RouteAnswer():
            return _route(answer, reply)
        case NumberAnswer():
            return _all_or_nothing(abs(_number(reply) - answer.value) <= answer.tolerance)
        case BooleanAnswer():
            return _all_or_nothing(_boolean(reply) is answer.value)
        case SetAnswer():
            return _overlap(frozenset(_texts(reply)), frozenset(answer.values))
        case ProseAnswer() | JudgedAnswer() | GateAnswer() | OutcomeAnswer():
            raise TypeError("no rule scores a reply to this answer")
        case _:
            return _recall(answer, frozenset(_named(answer, reply, prompt)))


def golden_reply(answer: Answer) -> str:
    """A reply that gives the answer in full."""
    match answer:
        case ExactAnswer() | RouteAnswer():
            return answer.value
        case NumberAnswer():
            return repr(answer.value)
        case BooleanAnswer():
            return json.dumps(answer.value)
        case SetAnswer():
            return json.dumps(answer.values)
        case ProseAnswer():
            return "\n".join(answer.planted)
        case JudgedAnswer():
            return answer.good
        case GateAnswer() | OutcomeAnswer():
            raise TypeError("what is left behind is scored, and no reply")
        case _:
            return "\n".join(answer.planted) or NOTHING


def word_search(answer: ProseAnswer, reply: str, prompt: str) -> float | None:
    """The share of planted things for which one of their words is asserted; None where no words are given.

    A line that denies, or that repeats the prompt, asserts nothing.
    """
    if not answer.tokens:
        return None
    asked = {line.strip() for line in prompt.splitlines()}
    said = [line.casefold() for line in reply.splitlines() if line.strip() not in asked and not _NEGATION.search(line)]
    found = [any(word.casefold() in line for word in words for line in said) for words in answer.tokens.values()]
    return sum(found) / len(found)


def _all_or_nothing(right: bool) -> Scored:
    return Scored(1.0 if right else 0.0)


def _route(answer: RouteAnswer, reply: str) -> Scored:
    """A reply that is none of the labels sends the message nowhere, which is a decision, and wrong."""
    given = reply.strip().rstrip(".").casefold()
    if given not in {label.casefold() for label in answer.labels}:
        return Scored(0.0, "none of the labels")
    return _all_or_nothing(given == answer.value.casefold())


def _number(reply: str) -> float:
    text = reply.strip()
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise Unreadable("the reply is no number")
    return float(text)


def _boolean(reply: str) -> bool:
    value = _json(reply)
    if isinstance(value, bool):
        return value
    what = "a text" if isinstance(value, str) else "something else"
    raise Unreadable(f"the reply must be true or false, and is {what}")


def _texts(reply: str) -> list[str]:
    value = _json(reply)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Unreadable("the reply must be a JSON list of texts")
    return value


def _json(reply: str) -> Any:
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        raise Unreadable("the reply is not JSON") from None


def _overlap(given: frozenset[str], wanted: frozenset[str]) -> Scored:
    """Jaccard's index."""
    return Scored(len(given & wanted) / len(given | wanted), f"{len(given & wanted)} of {len(wanted)}")


def _named(answer: FindingsAnswer, reply: str, prompt: str) -> Iterator[str]:
    """Codes that a reply asserts: a line that denies them, or that repeats the prompt, asserts nothing."""
    asked = {line.strip() for line in prompt.splitlines()}
    for line in reply.splitlines():
        if line.strip() in asked:
            continue
        for code in answer.codes:
            found = re.search(rf"(?<!{_CODE_CHARACTERS}){re.escape(code)}(?!{_CODE_CHARACTERS})", line, re.I)
            if found and not _NEGATION.search(_without(answer.codes, line)):
                yield code


def _without(codes: tuple[str, ...], line: str) -> str:
    """The line without the codes themselves: `no-timeout` denies nothing."""
    for code in sorted(codes, key=len, reverse=True):
        line = re.sub(re.escape(code), " ", line, flags=re.I)
    return line


def _recall(answer: FindingsAnswer, named: frozenset[str]) -> Scored:
    planted = frozenset(answer.planted)
    false_alarms = len(named - planted)
    if not planted:
        return Scored(0.0 if named else 1.0, f"{false_alarms} false alarms")
    return Scored(
        len(named & planted) / len(planted), f"{len(named & planted)} of {len(planted)}, {false_alarms} false"
    )
