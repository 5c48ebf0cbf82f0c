"""Reads a judge's reply: strict about content, lenient about what is wrapped around it.

A row is taken as it stands or not at all: no clamping, no number out of prose, no guess at an id.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.json_find import Found, find_json
from judges.planted import holds_key
from judges.rubric import Rubric

_NUMERIC = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_PASS_WORDS = frozenset({"pass", "passed", "correct", "yes"})
_FAIL_WORDS = frozenset({"fail", "failed", "incorrect", "wrong", "no"})
_AROUND_A_WORD = " \t\r\n.!*_`\"'"


class ReplyFault(ValueError):
    """Why a reply, or one row of it, is no verdict."""


@dataclass(frozen=True)
class Row:
    """One verdict. `feedback` is empty where the judge gave none; `secondary` fields are logged, never decide.

    `feedback_missing`: it was asked for once more, and the reply held none.
    """

    score: float
    feedback: str = ""
    ambiguous: bool = False
    secondary: Mapping[str, float | None] = field(default_factory=dict)
    feedback_missing: bool = False


@dataclass(frozen=True)
class ParsedReply:
    """Every item asked about is in exactly one of `rows` and `faults`: its row, or why it has none.

    `source` is the value that was taken as the verdict, `places` the number of each item's row in it.
    """

    rows: Mapping[str, Row]
    faults: Mapping[str, str]
    source: Found | None = None
    places: Mapping[str, int] = field(default_factory=dict)


def parse_reply(reply: str, ids: Sequence[str], rubric: Rubric, *, marker: str = "", judged: str = "") -> ParsedReply:
    """Find the row of every item in `ids`.

    `marker` is the call's random mark, `judged` all text the judge was shown: a verdict copied from there is not the
    judge's own. The reply about a single item may leave out `item_id`, and on a 0-1 scale may be one word.
    """
    score = _word_score(reply, rubric) if len(ids) == 1 else None
    if score is not None:
        return ParsedReply({ids[0]: Row(score)}, {})
    try:
        verdict = _own_verdict(reply, ids, rubric, marker, judged)
        _refuse_scores_beside_rows(verdict.value, rubric)
    except ReplyFault as fault:
        return ParsedReply({}, dict.fromkeys(ids, str(fault)))
    return _match_rows(verdict, ids, rubric)


def parse_number(value: Any) -> float:
    """A finite number, also as a plain decimal text. Raises ReplyFault."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ReplyFault(f"the score is {_kind(value)}, not a number")
    if isinstance(value, str) and not _NUMERIC.fullmatch(value):
        raise ReplyFault("the score is a text that is no plain number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ReplyFault("the score is not finite")
    return number


def score_names(rubric: Rubric) -> frozenset[str]:
    """The names a row's deciding score may go by."""
    return frozenset({rubric.primary, "score"}) - set(rubric.secondary)


def rows_of(value: Any, rubric: Rubric) -> list[Any] | None:
    """The rows a value holds, through one layer of wrapping; None where it is no verdict at all."""
    if isinstance(value, dict):
        if _scores(value, rubric):
            return [value]
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        return rows_of(lists[0], rubric) if len(lists) == 1 else None
    if isinstance(value, list) and any(isinstance(row, dict) and rows_of(row, rubric) for row in value):
        return value
    return None


def _word_score(reply: str, rubric: Rubric) -> float | None:
    word = reply.strip(_AROUND_A_WORD).casefold()
    if not rubric.scale.takes_words or word not in _PASS_WORDS | _FAIL_WORDS:
        return None
    return rubric.scale.high if word in _PASS_WORDS else rubric.scale.low


def _own_verdict(reply: str, ids: Sequence[str], rubric: Rubric, marker: str, judged: str) -> Found:
    """The one value of the reply that is the judge's verdict.

    A marked one wins over all others. Weak models miscopy the mark, so one without it counts where it stands alone and
    cannot be a quotation: the judged text holds no score, or not the ids that the verdict names.
    """
    search = find_json(reply)
    marked = [found for found in search.values if marker and _mark(found.value) == marker]
    if marked:
        return _only(marked)
    if search.broken:
        raise ReplyFault(search.broken)
    verdicts = [found for found in search.values if rows_of(found.value, rubric) is not None]
    if not verdicts:
        raise ReplyFault("there is no score in the reply")
    if holds_key(judged, score_names(rubric)):
        unseen = [item_id for item_id in ids if item_id not in judged]
        verdicts = [found for found in verdicts if _names_only(found.value, unseen, rubric)]
    if not verdicts:
        raise ReplyFault("a verdict without the mark may be a copy from the judged text")
    return _only(verdicts)


def _names_only(value: Any, ids: Sequence[str], rubric: Rubric) -> bool:
    rows = rows_of(value, rubric) or []
    return all(isinstance(row, dict) and row.get("item_id") in ids for row in rows)


def _refuse_scores_beside_rows(value: Any, rubric: Rubric) -> None:
    """One object that scores as a whole and by rows says two things."""
    if not isinstance(value, dict):
        return
    inner = [part for name, part in value.items() if name != "scores"]
    scored = bool(_scores(value, rubric)) + sum(
        isinstance(part, dict) and bool(_scores(part, rubric)) for part in inner
    )
    listed = sum(isinstance(part, list) and rows_of(part, rubric) is not None for part in inner)
    if scored + listed > 1:
        raise ReplyFault("there are two verdicts in the reply")


def _only(verdicts: Sequence[Found]) -> Found:
    if len(verdicts) > 1:
        raise ReplyFault("there are two verdicts in the reply")
    return verdicts[0]


def _mark(value: Any) -> Any:
    return value.get("marker") if isinstance(value, dict) else None


def _match_rows(verdict: Found, ids: Sequence[str], rubric: Rubric) -> ParsedReply:
    given: dict[str, list[Mapping[str, Any]]] = {item_id: [] for item_id in ids}
    places: dict[str, int] = {}
    for place, row in enumerate(rows_of(verdict.value, rubric) or []):
        item_id = _fitting_id(row, ids) if isinstance(row, dict) else None
        if item_id is not None:
            given[item_id].append(row)
            places[item_id] = place
    parsed: dict[str, Row] = {}
    faults: dict[str, str] = {}
    for item_id, own in given.items():
        try:
            parsed[item_id] = _read_row(own, rubric)
        except ReplyFault as fault:
            faults[item_id] = str(fault)
    return ParsedReply(parsed, faults, verdict, places)


def _fitting_id(row: Mapping[str, Any], ids: Sequence[str]) -> str | None:
    if "item_id" not in row:
        return ids[0] if len(ids) == 1 else None
    given = row["item_id"]
    if isinstance(given, str):
        return given if given in ids else None
    if isinstance(given, bool) or not isinstance(given, int):
        return None
    fitting = [item_id for item_id in ids if item_id.isdigit() and (item_id.lstrip("0") or "0") == str(given)]
    return fitting[0] if len(fitting) == 1 else None


def _read_row(rows: Sequence[Mapping[str, Any]], rubric: Rubric) -> Row:
    if len(rows) != 1:
        raise ReplyFault("the reply has two rows for this item" if rows else "the reply has no row for this item")
    (row,) = rows
    scores = _scores(row, rubric)
    if len(scores) != 1:
        raise ReplyFault("there are two scores in one row" if scores else "there is no score in the row")
    score = parse_number(scores[0])
    if not rubric.scale.holds(score):
        raise ReplyFault(f"the score {score:g} is off the scale {rubric.scale}")
    feedback = row.get("feedback")
    return Row(
        score,
        feedback.strip() if isinstance(feedback, str) else "",
        row.get("ambiguous") is True,
        {name: _logged(row, name) for name in rubric.secondary},
    )


def _scores(row: Mapping[str, Any], rubric: Rubric) -> list[Any]:
    """All values under the primary field's name or plain `score`, in the row or its `scores`."""
    return [place[name] for place in _places(row) for name in score_names(rubric) if name in place]


def _logged(row: Mapping[str, Any], name: str) -> float | None:
    try:
        return next((parse_number(place[name]) for place in _places(row) if name in place), None)
    except ReplyFault:
        return None


def _places(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    nested = row.get("scores")
    return [row, nested] if isinstance(nested, dict) else [row]


def _kind(value: Any) -> str:
    names = {bool: "a boolean", type(None): "null", list: "a list", dict: "an object"}
    return names.get(type(value), "of another type")
