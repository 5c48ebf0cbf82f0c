"""promptfoo's assertions as the expected answer and the check of a case; what needs a model or code is named."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from texttargets.importers.shape import mapping, sequence
from texttargets.strict_json import WrittenNumber, as_text, plain

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_NOT_OF_THE_TEXT = frozenset({"cost", "latency", "perplexity", "perplexity-score", "finish-reason"})


@dataclass(frozen=True)
class Asserted:
    """`check` is in the form of an eval set; None when equality with `expected`, or nothing, is asserted."""

    expected: Any = None
    check: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()


def read_asserts(asserts: Any, variables: Mapping[str, Any]) -> Asserted:
    """The assertions of one test, `{{variables}}` in their values filled in."""
    expected, checks, notes = None, [], []
    for item in _alone(asserts):
        kind = as_text(item.get("type", ""))
        value = _filled(item.get("value"), variables)
        if kind == "equals" and expected is None and value is not None:
            expected = value
        elif isinstance(value, str) and value.startswith("file://"):
            notes.append(f"assertion {kind} keeps its value in {value}; not read")
        elif (check := _check(kind, value)) is not None:
            checks.append(check)
        else:
            notes.append(_why_no_check(kind, value))
    if checks and expected is not None:
        checks.insert(0, {"type": "json_fields" if isinstance(expected, dict | list) else "exact"})
    check = checks[0] if len(checks) == 1 else {"type": "all", "checks": checks} if checks else None
    return Asserted(expected, check, tuple(notes))


def _alone(asserts: Any) -> Iterator[Mapping[str, Any]]:
    """Assertions one by one; a set that needs all of its own is taken apart."""
    for item in sequence(asserts):
        inner = mapping(item)
        if inner.get("type") == "assert-set" and as_text(inner.get("threshold", 1)) in ("1", "1.0"):
            yield from _alone(inner.get("assert"))
        else:
            yield inner


def _check(kind: str, value: Any) -> dict[str, Any] | None:
    if kind == "is-json":
        return {"type": "json_schema", "schema": plain(value) if isinstance(value, dict) else {}}
    if kind == "word-count":
        return _words(value)
    if value in (None, "", []):
        return None
    values = [as_text(item) for item in value] if isinstance(value, list) else [as_text(value)]
    if kind in ("contains", "contains-all", "icontains", "icontains-all"):
        return {"type": "contains", "values": values, "ignore_case": kind.startswith("i")}
    if kind in ("not-contains", "not-icontains", "not-contains-any", "not-icontains-any"):
        return {"type": "none_of", "values": values, "ignore_case": "icontains" in kind}
    if kind in ("contains-any", "icontains-any"):
        return _pattern(("(?i)" if kind.startswith("i") else "") + "|".join(map(re.escape, values)))
    if kind == "starts-with":
        return _pattern(rf"\A{re.escape(values[0])}")
    if kind in ("regex", "not-regex") and isinstance(value, str):
        return _pattern(value if kind == "regex" else rf"\A(?![\s\S]*(?:{value}))")
    return None


def _pattern(pattern: str) -> dict[str, Any] | None:
    pattern = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)  # JavaScript writes the names of groups so
    return {"type": "regex", "pattern": pattern} if _compiles(pattern) else None


def _compiles(pattern: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _words(value: Any) -> dict[str, Any] | None:
    bounds = value if isinstance(value, dict) else {"min": value, "max": value}
    lowest, highest = (_whole(bounds.get(name)) for name in ("min", "max"))
    if lowest is None and highest is None:
        return None
    ends = {"minimum": lowest, "maximum": highest}
    return {"type": "length", "unit": "words", **{name: end for name, end in ends.items() if end is not None}}


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool | WrittenNumber) and value >= 0 else None


def _why_no_check(kind: str, value: Any) -> str:
    if kind in ("regex", "not-regex") and isinstance(value, str):
        return f"assertion {kind} is no check: {value!r} is no regular expression of Python"
    if kind.removeprefix("not-") in _NOT_OF_THE_TEXT:
        return f"assertion {kind} is no check: it is not about the text of the output"
    return f"assertion {kind or 'without a type'} is no check; it needs a judge or a command"


def _filled(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(item, variables) for item in value]
    if not isinstance(value, str):
        return value
    return _VARIABLE.sub(lambda found: as_text(variables[found[1]]) if found[1] in variables else found[0], value)
