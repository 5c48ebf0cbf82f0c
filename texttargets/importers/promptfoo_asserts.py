"""promptfoo's assertions as the expected answer and the check of a case; what cannot be one is named.

The check passes what promptfoo passed. Where all of a test's assertions together mean something that ceopt cannot say
(a part of them is enough, the output is changed first), none becomes a check, for half of it would be another test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from texttargets.importers.promptfoo_checks import check_of, checks_formats, js_text
from texttargets.importers.shape import mapping, sequence
from texttargets.strict_json import as_text, plain

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_TEMPLATE = re.compile(r"\{\{|\{%")
_NOT_OF_THE_TEXT = frozenset({"cost", "latency", "perplexity", "perplexity-score", "finish-reason"})
_PLACES = "the assertions of this test are no check here"


@dataclass(frozen=True)
class Asserted:
    """`check` is in the form of an eval set; None when nothing that ceopt can check is asserted."""

    expected: Any = None
    check: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()


def read_asserts(asserts: Any, variables: Mapping[str, Any], test: Mapping[str, Any] | None = None) -> Asserted:
    """The assertions of one test, `{{variables}}` in their values filled in; `test` is what else it says."""
    items = list(_alone(asserts))
    counting = [item for item in items if _weight(item) > 0]
    reason = _why_none(counting, test or {})
    if reason:
        return Asserted(notes=(f"{reason}; {_PLACES}",) if counting else ())
    expected, checks, notes = None, list[dict[str, Any]](), list[str]()
    for item in items:
        kind = as_text(item.get("type", ""))
        value = _filled(item.get("value"), variables)
        note = _why_not(kind, value, item)
        check = None if note else check_of(kind, value)
        if kind == "equals" and expected is None and value is not None and not note:
            expected = plain(value) if isinstance(value, dict | list) else js_text(value)
            checks.insert(0, _equal_to(expected))
        elif check is not None:
            checks.append(check)
            if checks_formats(check):
                notes.append(f"assertion {kind}: the `format` in its schema is not checked here")
        else:
            notes.append(note or _why_no_check(kind, value))
    check = checks[0] if len(checks) == 1 else {"type": "all", "checks": checks} if checks else None
    return Asserted(expected, check, tuple(notes))


def _equal_to(expected: Any) -> dict[str, Any]:
    return {"type": "exact", "strict": True} if isinstance(expected, str) else {"type": "json_fields"}


def _alone(asserts: Any) -> Iterator[Mapping[str, Any]]:
    """Assertions one by one; a set that needs all of its own is taken apart."""
    for item in sequence(asserts):
        inner = mapping(item)
        parts = list(_alone(inner.get("assert"))) if inner.get("type") == "assert-set" else []
        if parts and _needs_all(parts, inner.get("threshold")):
            yield from parts
        else:
            yield inner


def _why_none(counting: Sequence[Mapping[str, Any]], test: Mapping[str, Any]) -> str:
    """Why the assertions of a test cannot be taken one by one."""
    options = mapping(test.get("options"))
    if options.get("transform") or options.get("postprocess"):
        return "promptfoo changes the output (transform) before it checks it"
    if test.get("assertScoringFunction"):
        return "a function decides on their scores (assertScoringFunction)"
    if not _needs_all(counting, test.get("threshold")):
        return "promptfoo asks for a part of the assertions only (threshold)"
    return ""


def _needs_all(items: Sequence[Mapping[str, Any]], threshold: Any) -> bool:
    """Whether the threshold is missed as soon as the lightest assertion fails. 0 is none at all."""
    wanted, weights = _number(threshold, 0.0), [weight for item in items if (weight := _weight(item)) > 0]
    return not wanted or not weights or (sum(weights) - min(weights)) / sum(weights) < wanted


def _weight(item: Mapping[str, Any]) -> float:
    return _number(item.get("weight"), 1.0)


def _number(value: Any, default: float) -> float:
    try:
        return default if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return default


def _why_not(kind: str, value: Any, item: Mapping[str, Any]) -> str:
    """Why this assertion is not taken, whatever its kind."""
    if _weight(item) <= 0:
        return f"assertion {kind} has no weight: it decides nothing in promptfoo, and nothing here"
    if item.get("transform"):
        return f"assertion {kind} is no check: promptfoo changes the output (transform) before it"
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if isinstance(text, str) and text.startswith("file://"):
            return f"assertion {kind} keeps its value in {text}; not read"
        if isinstance(text, str) and _TEMPLATE.search(text) and check_of(kind, value) is not None:
            return f"assertion {kind} is no check: its value {text!r} is a template that ceopt does not fill"
    return ""


def _why_no_check(kind: str, value: Any) -> str:
    if kind in ("regex", "not-regex") and isinstance(value, str):
        return f"assertion {kind} is no check: {value!r} is no regular expression that JavaScript and Python share"
    if kind == "assert-set":
        return "assertion assert-set is no check: a part of its assertions is enough (threshold)"
    if kind.removeprefix("not-") in _NOT_OF_THE_TEXT:
        return f"assertion {kind} is no check: it is not about the text of the output"
    return f"assertion {kind or 'without a type'} is no check; it needs a judge or a command"


def _filled(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(item, variables) if isinstance(item, str) else item for item in value]
    if not isinstance(value, str):
        return value
    return _VARIABLE.sub(lambda found: _shown(variables[found[1]]) if found[1] in variables else found[0], value)


def _shown(value: Any) -> str:
    return as_text(value) if isinstance(value, dict | list) else js_text(value)
