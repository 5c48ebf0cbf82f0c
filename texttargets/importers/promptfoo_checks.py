"""One assertion of promptfoo as a check that passes the same outputs; None where ceopt has no such check."""

from __future__ import annotations

import json
import re
from typing import Any

from texttargets.importers.js_regex import python_pattern
from texttargets.importers.shape import mapping
from texttargets.importers.yaml_list import typed
from texttargets.strict_json import WrittenNumber, as_text, loads, plain

Check = dict[str, Any]

_QUOTED_PARTS = re.compile(r'(".*?"|[^,]+)(?=\s*,|\s*$)')
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_DRAFT_7_ONLY = frozenset({"additionalItems", "dependencies"})
_WHOLE_NUMBERS = 1e21  # JavaScript writes larger ones with an exponent


def check_of(kind: str, value: Any) -> Check | None:
    """The check of an assertion whose variables are filled in. The wanted answer of `equals` is not seen here."""
    if kind in ("equals", "not-equals"):
        return _equal(value, inverse=kind != "equals")
    if kind == "is-json":
        return _json(value)
    if kind == "word-count":
        return _words(value)
    if kind in ("regex", "not-regex"):
        return _regex(kind, value)
    if kind.removeprefix("not-") in ("starts-with", "ends-with"):
        return _edge(kind, value)
    inverse, base = kind.startswith("not-"), kind.removeprefix("not-")
    ignore_case, base = base.startswith("icontains"), base.removeprefix("i")
    values = _values(base, value, ignore_case)
    if base not in ("contains", "contains-any", "contains-all") or not values or "" in values:
        return None
    every = base == "contains-all" or len(values) == 1
    if every and not inverse:
        return {"type": "contains", "values": values, "ignore_case": ignore_case}
    if inverse and base != "contains-all":
        return {"type": "none_of", "values": values, "ignore_case": ignore_case}
    flags, escaped = "i" if ignore_case else "", list(map(re.escape, values))
    if not inverse:
        return _pattern((f"(?{flags})" if flags else "") + "|".join(escaped))
    return _pattern(rf"(?{flags}s)\A(?!{''.join(f'(?=.*{text})' for text in escaped)})")


def js_text(value: Any) -> str:
    """A value as JavaScript writes it: 5.0 is the number 5 there."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_NUMBERS:
        return str(int(value))
    return repr(float(value)) if isinstance(value, WrittenNumber) else as_text(value)


def _pattern(pattern: str) -> Check:
    return {"type": "regex", "pattern": pattern}


def _equal(value: Any, *, inverse: bool) -> Check:
    if value is None or isinstance(value, dict | list):
        same = {"const": plain(value)}
        return {"type": "json_schema", "schema": {"not": same} if inverse else same}
    text = re.escape(js_text(value))
    return _pattern(rf"\A(?!{text}\Z)" if inverse else rf"\A{text}\Z")


def _regex(kind: str, value: Any) -> Check | None:
    pattern = python_pattern(value) if isinstance(value, str) and value else None
    if pattern is None:
        return None
    return _pattern(pattern if kind == "regex" else rf"\A(?![\s\S]*(?:{pattern}))")


def _edge(kind: str, value: Any) -> Check | None:
    if not isinstance(value, str) or not value:
        return None
    text, inverse = re.escape(value), kind.startswith("not-")
    if kind.endswith("starts-with"):
        return _pattern(rf"\A(?!{text})" if inverse else rf"\A{text}")
    return _pattern(rf"\A(?![\s\S]*{text}\Z)" if inverse else rf"{text}\Z")


def _values(base: str, value: Any, ignore_case: bool) -> list[str]:
    """The texts looked for; in one text they are parted by commas, and quotes count in one of the kinds."""
    if base == "contains":
        return [] if value is None or isinstance(value, dict | list | bool) else [js_text(value)]
    if not isinstance(value, str):
        return [js_text(item) for item in value] if isinstance(value, list) else []
    if base == "contains-any" and not ignore_case:
        return [re.sub(r'^"|"$', "", found[1].strip()) for found in _QUOTED_PARTS.finditer(value)]
    return [part.strip() for part in value.split(",")]


def _json(value: Any) -> Check | None:
    if isinstance(value, str) and value:
        value = _written_schema(value)
        if value is None:
            return None
    schema = plain(value) if isinstance(value, dict) else {}
    # Forms that later drafts dropped mean something to promptfoo only.
    old = "$schema" not in schema and _has(schema, lambda key, inner: key in _DRAFT_7_ONLY
                                           or (key == "items" and isinstance(inner, list)))  # fmt: skip
    return {"type": "json_schema", "schema": {"$schema": _DRAFT_7, **schema} if old else schema}


def checks_formats(check: Check | None) -> bool:
    """Whether a schema names a `format`, which promptfoo checks and ceopt does not."""
    return check is not None and _has(
        check.get("schema"), lambda key, inner: key == "format" and isinstance(inner, str)
    )


def _has(value: Any, wanted: Any) -> bool:
    if isinstance(value, list):
        return any(_has(item, wanted) for item in value)
    return any(wanted(key, inner) or _has(inner, wanted) for key, inner in mapping(value).items())


def _written_schema(text: str) -> dict[str, Any] | None:
    try:
        found = loads(text) if text.lstrip().startswith("{") else typed(text)
        json.dumps(found, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _words(value: Any) -> Check | None:
    bounds = value if isinstance(value, dict) else {"min": value, "max": value}
    given = {name: bounds[name] for name in ("min", "max") if bounds.get(name) is not None}
    ends = {f"{name}imum": _whole(end) for name, end in given.items()}
    if not ends or None in ends.values():
        return None
    return {"type": "length", "unit": "words", **ends}


def _whole(value: Any) -> int | None:
    text = js_text(value).strip()
    return int(text) if text.isascii() and text.isdigit() and not isinstance(value, bool) else None
