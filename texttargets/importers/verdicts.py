"""Whether a record says that its output was right, from one verdict or from several scores. Knows no format.

A number is right at 1 and wrong below it, from 0 on; what another scale means is only known when a bar is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from texttargets.importers.fields import fold
from texttargets.strict_json import as_text

_PASSED = frozenset({"true", "yes", "y", "1", "1.0", "pass", "passed", "ok", "success", "correct", "right"})
_FAILED = frozenset({"false", "no", "n", "0", "0.0", "fail", "failed", "error", "wrong", "incorrect"})


@dataclass(frozen=True)
class Bar:
    """Which score decides (all of them when none is named), and the number where right begins."""

    score: str | None = None
    below: float | None = None


@dataclass(frozen=True)
class Judged:
    """`passed` is None when nothing says; `why` names the scores that are too low, `note` what could not be read."""

    passed: bool | None = None
    why: str = ""
    note: str = ""


@dataclass(frozen=True)
class Score:
    """One score of a record by its name, with what was said to it."""

    name: str
    value: Any
    comment: str = ""


def judge(verdict: Any, scores: Any, bar: Bar) -> Judged:
    """What a record's verdict and scores say together: the verdict first, then every score or the one named."""
    given = tuple(named_scores(scores))
    if bar.score is not None:
        given = tuple(score for score in given if fold(score.name) == fold(bar.score))
        if not given:
            return Judged(note=f"no score {bar.score!r}; taken as a failure")
        return _together(given, bar)
    passed = reading(verdict, bar)
    if passed is not None:
        return Judged(passed, "" if passed else _together(given, bar).why)
    if given:
        return _together(given, bar)
    note = "" if verdict is None else f"verdict {as_text(verdict)!r} cannot be read; taken as a failure"
    return Judged(note=note)


def reading(value: Any, bar: Bar) -> bool | None:
    """One verdict: true, false, a word for either, a number; several of them are right when all are."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, list):
        parts = [reading(part, bar) for part in value]
        return False if False in parts else True if parts and None not in parts else None
    word = as_text(value).strip().lower()
    try:
        number = float(word)
    except ValueError:
        return word in _PASSED if word in _PASSED or word in _FAILED else None
    if bar.below is not None:
        return number >= bar.below
    return number == 1 if 0 <= number <= 1 else None


def named_scores(scores: Any) -> Iterator[Score]:
    """Scores as a mapping of names, or as a list of objects that have a name; nulls left out."""
    if isinstance(scores, Mapping):
        pairs = [(str(name), value) for name, value in scores.items()]
    else:
        entries = [entry for entry in scores if isinstance(entry, dict)] if isinstance(scores, list) else []
        pairs = [(as_text(_first(entry, "name", "key", "metric") or "score"), entry) for entry in entries]
    for name, value in pairs:
        comment = ""
        if isinstance(value, dict):
            said = _first(value, "comment", "explanation", "reason", "reasoning")
            comment = as_text(said) if said is not None else ""
            value = _first(value, "value", "score", "avg", "passed", "pass", "string_value", "stringValue", "label")
        if value is not None and value != []:
            yield Score(name, value, comment)


def _together(scores: tuple[Score, ...], bar: Bar) -> Judged:
    read = [(score, reading(score.value, bar)) for score in scores]
    low = [score for score, passed in read if passed is False]
    if low:
        return Judged(False, "; ".join(map(_said, low)))
    unread = [score for score, passed in read if passed is None]
    if not unread:
        return Judged(True if read else None)
    shown = ", ".join(_said(score) for score in unread)
    return Judged(note=f"what {shown} means is not known; taken as a failure (--below says where right begins)")


def _said(score: Score) -> str:
    value = score.value[0] if isinstance(score.value, list) and len(score.value) == 1 else score.value
    return f"{score.name} {as_text(value)}" + (f": {score.comment}" if score.comment else "")


def _first(entry: Mapping[str, Any], *names: str) -> Any:
    return next((entry[name] for name in names if entry.get(name) is not None), None)
