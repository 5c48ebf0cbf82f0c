"""promptfoo's assertions as the expected answer and the check of a case; what needs a model or code is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from texttargets.strict_json import as_text

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")


@dataclass(frozen=True)
class Asserted:
    """`check` is in the form of an eval set; None when equality with `expected`, or nothing, is asserted."""

    expected: Any = None
    check: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()


def read_asserts(asserts: Any, variables: Mapping[str, Any]) -> Asserted:
    """The assertions of one test, `{{variables}}` in their values filled in."""
    expected, checks, notes = None, [], []
    for item in asserts if isinstance(asserts, list) else []:
        kind = as_text(item.get("type", "")) if isinstance(item, dict) else ""
        value = _filled(item.get("value"), variables) if isinstance(item, dict) else None
        if kind == "equals" and expected is None and value is not None:
            expected = value
        elif (check := _check(kind, value)) is not None:
            checks.append(check)
        else:
            notes.append(f"assertion {kind or 'without a type'} is no check; it needs a judge or a command")
    if checks and expected is not None:
        checks.insert(0, {"type": "json_fields" if isinstance(expected, dict | list) else "exact"})
    check = checks[0] if len(checks) == 1 else {"type": "all", "checks": checks} if checks else None
    return Asserted(expected, check, tuple(notes))


def _check(kind: str, value: Any) -> dict[str, Any] | None:
    if kind == "is-json":
        return {"type": "json_schema", "schema": value if isinstance(value, dict) else {}}
    if value in (None, "", []):
        return None
    values = [as_text(item) for item in value] if isinstance(value, list) else [as_text(value)]
    if kind in ("contains", "contains-all", "icontains", "icontains-all"):
        return {"type": "contains", "values": values, "ignore_case": kind.startswith("i")}
    if kind in ("not-contains", "not-icontains", "not-contains-any"):
        return {"type": "none_of", "values": values, "ignore_case": kind == "not-icontains"}
    if kind == "regex" and isinstance(value, str):
        return {"type": "regex", "pattern": value}
    return None


def _filled(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(item, variables) for item in value]
    if not isinstance(value, str):
        return value
    return _VARIABLE.sub(lambda found: as_text(variables[found[1]]) if found[1] in variables else found[0], value)
