"""What a measuring command printed, as values: one JSON object, read strictly. A fault is never a number."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ceopt_tui.core.command_ports import Printed
from ceopt_tui.core.visible import one_line
from ceopt_tui.programs import Ended

CENSORED, TIMED_OUT = 125, 124
CENSOR_MARKER = "ceopt: censored"  # a line on stderr; the status alone could be anybody's
LAST_WORDS = 300
LONGEST_END = 10_000  # characters of an end that are looked at for secrets before it is cut further
OWN_KEYS = frozenset({"cases", "items", "usd"})
MOST_ITEMS, MOST_CASES = 5_000, 50_000


def printed_by(ended: Ended, hide: Callable[[str], str] = str) -> Printed:
    """How a run of the command is to be taken: its status by what it signalled, its numbers as it printed them.

    `hide` masks what is secret in words; it never sees numbers.
    """
    said = _last_words(ended, hide)
    if ended.overtime or ended.status == TIMED_OUT:
        return Printed(
            "timeout", elapsed_s=ended.elapsed_s, message=ended.fault or said or "it ran into its time limit"
        )
    if ended.fault:
        return Printed("error", elapsed_s=ended.elapsed_s, message=f"the command {ended.fault}")
    if ended.status == CENSORED and CENSOR_MARKER in ended.stderr.splitlines():
        return Printed("censored", elapsed_s=ended.elapsed_s, message=said)
    if ended.status:
        how = f"status {ended.status}" if ended.status > 0 else f"signal {-ended.status}"
        message = f"the command ended with {how}" + (f": {said}" if said else "")
        return Printed("error", elapsed_s=ended.elapsed_s, message=message)
    try:
        return _read(_document(ended.stdout, hide), ended.elapsed_s)
    except ValueError as error:
        return Printed(
            "error", elapsed_s=ended.elapsed_s, message=f"the command's output cannot be used: {hide(str(error))}"
        )


def _document(stdout: str, hide: Callable[[str], str]) -> Mapping[str, Any]:
    """The JSON object that the output is, or that its last line is. ValueError says what it is instead."""
    text = stdout.strip()
    if not text:
        raise ValueError("it printed nothing, and a JSON object is expected")
    for candidate in dict.fromkeys((text, text.splitlines()[-1])):
        try:
            found = json.loads(candidate, object_pairs_hook=_once, parse_constant=_no_constant)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    # Hidden before it is cut: of half a key nobody could tell what it is.
    end = one_line(hide(text[-LONGEST_END:]))[-80:]
    raise ValueError(f"neither all of it nor its last line is a JSON object; it ends with {end!r}")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice in one object")
    return found


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def _read(found: Mapping[str, Any], elapsed_s: float) -> Printed:
    values = {name: _value(name, value) for name, value in found.items() if name not in OWN_KEYS}
    cases, items = found.get("cases"), found.get("items", [])
    if cases is not None and (not isinstance(cases, dict) or len(cases) > MOST_CASES):
        raise ValueError(f"`cases` must be an object with at most {MOST_CASES} entries")
    if not isinstance(items, list) or len(items) > MOST_ITEMS or not all(isinstance(item, dict) for item in items):
        raise ValueError(f"`items` must be a list of at most {MOST_ITEMS} objects")
    return Printed(
        "ok",
        {name: value for name, value in values.items() if not isinstance(value, dict | list)},
        cases,
        items,
        elapsed_s,
        usd=_price(found.get("usd")),
    )


def _price(usd: Any) -> float | None:
    """What the run cost; what is no amount is not known, never free."""
    if isinstance(usd, bool) or not isinstance(usd, int | float):
        return None
    return float(usd) if math.isfinite(usd) and usd >= 0 else None


def _value(name: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"`{name}` is too large for a number")
    return value


def _last_words(ended: Ended, hide: Callable[[str], str]) -> str:
    lines = [line for line in ended.stderr.splitlines() if line.strip() and line.strip() != CENSOR_MARKER]
    text = one_line(hide(" ".join(lines[-5:]) or ended.stdout.strip()[-LONGEST_END:]))
    return text if len(text) <= LAST_WORDS else f"…{text[-LAST_WORDS:]}"
