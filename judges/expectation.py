"""Scores as expectations: what a judge's first token of a score says about every level of the scale. Pure.

Where anything is unclear (no log-probabilities, a fraction, tokens that do not spell the reply, most of the probability
elsewhere) there is no expectation, and the number as written stands.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judges.reply import ParsedReply, Row, rows_of, score_names
from judges.rubric import Rubric, Scale

TOP_TOKENS = 20  # as many as OpenAI gives
LEAST_MASS = 0.5  # of the probability must lie on levels of the scale
_DIGITS = 4  # log-probabilities are no surer than that

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]', re.DOTALL)
_KEY_END = re.compile(r"\s*:\s*\"?")
_NUMERAL = re.compile(r"([0-9]+)(?:[^0-9.].*)?", re.DOTALL)


def with_expectations(parsed: ParsedReply, reply: str, logprobs: Any, rubric: Rubric) -> Mapping[str, Row]:
    """The rows of a reply, their scores replaced by expectations where the reply's `logprobs` give one."""
    if parsed.source is None or not rubric.scale.has_levels:
        return parsed.rows
    spans = _token_spans(reply, logprobs)
    starts = _score_starts(parsed.source.text, rubric)
    if spans is None or len(starts) != len(rows_of(parsed.source.value, rubric) or ()):
        return parsed.rows
    rows = dict(parsed.rows)
    for item_id, row in parsed.rows.items():
        position = parsed.source.start + starts[parsed.places[item_id]]
        before = len(reply[:position].encode())
        found = next(((start, entry) for start, end, entry in spans if start <= before < end), None)
        if found is not None:
            score = _expectation(found[1], before - found[0], row.score, rubric.scale)
            rows[item_id] = row if score is None else replace(row, score=score)
    return rows


def _expectation(entry: Mapping[str, Any], skipped_bytes: int, written: float, scale: Scale) -> float | None:
    """Over the alternatives to the token that begins a score; `skipped_bytes` of it stand before the number."""
    prefix = _bytes(entry)[:skipped_bytes].decode(errors="replace").strip()
    if _numeral(_text(entry), prefix) != f"{written:g}":
        return None
    mass: dict[str, float] = {}
    for alternative in _alternatives(entry):
        numeral = _numeral(_text(alternative), prefix)
        probability = _probability(alternative)
        if numeral is not None and probability is not None:
            mass[numeral] = mass.get(numeral, 0.0) + probability
    levels = {str(level): float(level) for level in range(int(scale.low), int(scale.high) + 1)}
    own = {name: share for name, share in mass.items() if name in levels and not _is_a_beginning(name, mass, levels)}
    total = sum(own.values())
    if f"{written:g}" not in own or total < LEAST_MASS:
        return None
    return round(sum(levels[name] * share for name, share in own.items()) / total, _DIGITS)


def _is_a_beginning(name: str, mass: Mapping[str, float], levels: Mapping[str, float]) -> bool:
    """Whether a token may be the start of a longer level: 1 of 10, unless 10 is seen to be one token."""
    longer = [level for level in levels if level != name and level.startswith(name)]
    return bool(longer) and not any(level in mass for level in longer)


def _alternatives(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    top = entry.get("top_logprobs")
    listed = top if isinstance(top, list) else []
    given: list[Mapping[str, Any]] = [alternative for alternative in listed if isinstance(alternative, dict)]
    return given if any(_text(alternative) == _text(entry) for alternative in given) else [entry, *given]


def _numeral(token: str, prefix: str) -> str | None:
    """The number a token spells, or None; what stood before the written number must stand before it too."""
    text = token.strip()
    if not text.startswith(prefix):
        return None
    match = _NUMERAL.fullmatch(text.removeprefix(prefix).strip())
    return match[1] if match else None


def _probability(entry: Mapping[str, Any]) -> float | None:
    value = entry.get("logprob")
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 1e-6:
        return None
    return math.exp(value)


def _token_spans(reply: str, logprobs: Any) -> list[tuple[int, int, Mapping[str, Any]]] | None:
    """First and last byte of every token in the reply; None where the tokens do not spell it."""
    if not isinstance(logprobs, list) or not all(isinstance(entry, dict) for entry in logprobs):
        return None
    spans: list[tuple[int, int, Mapping[str, Any]]] = []
    spelt = b""
    for entry in logprobs:
        start = len(spelt)
        spelt += _bytes(entry)
        spans.append((start, len(spelt), entry))
    # An end mark may come after the text, and a server may trim the text it sends.
    offset = spelt.find(reply.encode())
    if not reply or offset < 0 or spelt[:offset].strip():
        return None
    return [(start - offset, end - offset, entry) for start, end, entry in spans]


def _score_starts(verdict: str, rubric: Rubric) -> Sequence[int]:
    """Where in the JSON text of a verdict each row's score begins, a quotation mark before it passed over."""
    names = score_names(rubric)
    starts: list[int] = []
    for token in _JSON_TOKEN.finditer(verdict):
        if token[0][0] != '"' or json.loads(token[0], strict=False) not in names:
            continue
        value = _KEY_END.match(verdict, token.end())
        if value is not None:
            starts.append(value.end())
    return starts


def _bytes(entry: Mapping[str, Any]) -> bytes:
    given = entry.get("bytes")
    if isinstance(given, list) and all(isinstance(value, int) and 0 <= value < 256 for value in given):
        return bytes(given)
    return _text(entry).encode(errors="surrogatepass")


def _text(entry: Mapping[str, Any]) -> str:
    token = entry.get("token")
    return token if isinstance(token, str) else ""
