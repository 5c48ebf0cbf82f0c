"""Checks of an output as JSON. Each function returns None when it passes, else the kind of difference.

The whole output must be one JSON value: prose around it and code fences count as wrong, since programs that read the
answer would fail on them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import referencing.exceptions
from jsonschema import validators
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry

from texttargets.patterns import UNDECIDED, Undecided, pattern_keyword
from texttargets.strict_json import json_equal, loads


def schema(wanted: dict[str, Any], output: str) -> str | None:
    """The output is JSON that the schema accepts."""
    try:
        value = loads(output)
    except ValueError as error:
        return _not_json(output, str(error))
    try:
        faults = sorted(_validator(_canonical(wanted)).iter_errors(value), key=lambda fault: len(fault.absolute_path))
    except RecursionError:
        return "JSON, but nested too deeply to be checked"
    except referencing.exceptions.Unresolvable:
        return "JSON, but the schema has a reference that leads nowhere"
    except Undecided:
        return UNDECIDED
    return _schema_difference(faults[0]) if faults else None


def schema_fault(wanted: dict[str, Any]) -> str | None:
    """Why a schema cannot be used, else None. A reference to another document is a fault: nothing is fetched."""
    try:
        validator = _validator(_canonical(wanted))
        probes: tuple[Any, ...] = (None, {}, [])
        for probe in probes:
            list(validator.iter_errors(probe))
    except SchemaError as error:
        return f"not a valid JSON schema: {error.message}"
    except referencing.exceptions.Unresolvable as error:
        return f"the JSON schema refers to {error.ref!r}, which is not in it"
    except RecursionError:
        return "the JSON schema refers to itself without end"
    return None


def fields(expected: Any, names: Sequence[str], output: str) -> str | None:
    """The output is JSON equal to `expected`, in the named fields or as a whole."""
    try:
        value = loads(output)
    except ValueError as error:
        return _not_json(output, str(error))
    wanted = loads(expected) if isinstance(expected, str) else expected
    if isinstance(wanted, dict) and isinstance(value, dict):
        return _field_differences(wanted, value, names)
    if json_equal(wanted, value):
        return None
    return f"expected {_kind(wanted)}, got {_kind(value)}" if _kind(wanted) != _kind(value) else "a different value"


def expected_fault(expected: Any, names: Sequence[str]) -> str | None:
    """Why `expected` cannot be compared field by field, else None."""
    try:
        wanted = loads(expected) if isinstance(expected, str) else expected
    except ValueError as error:
        return f"the check json_fields needs JSON in `expected`: {error}"
    if not names:
        return None
    if not isinstance(wanted, dict):
        return "the check json_fields names fields, but `expected` is no JSON object"
    unknown = [name for name in names if name not in wanted]
    return f"`expected` lacks the field {unknown[0]!r}" if unknown else None


def _field_differences(wanted: dict[str, Any], value: dict[str, Any], names: Sequence[str]) -> str | None:
    for name in names or wanted:
        if name not in value:
            return f"field {name!r} is missing"
        if not json_equal(wanted[name], value[name]):
            return f"field {name!r} differs"
    extra = [] if names else [name for name in value if name not in wanted]
    return f"{len(extra)} more fields than expected" if extra else None


def _schema_difference(fault: ValidationError) -> str:
    where = "/".join(str(part) for part in fault.absolute_path)
    place = f"at {where!r} " if where else ""
    return f"JSON, but {place}{_KEYWORDS.get(str(fault.validator), 'it breaks a rule of the schema')}"


def _not_json(output: str, reason: str) -> str:
    if not output.strip():
        return "the output is empty"
    if "```" in output:
        return "not JSON alone: it is inside a code fence"
    if output.lstrip()[0] not in "{[" and "{" in output:
        return "not JSON alone: there is text around it"
    return f"not JSON: {reason}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {"dict": "an object", "list": "a list", "str": "a text"}
    return names.get(type(value).__name__, "a number")


def _canonical(wanted: dict[str, Any]) -> str:
    return json.dumps(wanted, sort_keys=True, default=str)


@lru_cache(maxsize=512)
def _validator(canonical: str) -> Validator:
    wanted = json.loads(canonical)
    known = validator_for(wanted)
    known.check_schema(wanted)
    kind: type[Validator] = validators.extend(known, {"pattern": pattern_keyword})  # type: ignore[no-untyped-call]
    # An empty registry keeps `$ref` inside the schema; the default one would open URLs.
    return kind(wanted, registry=Registry())


_KEYWORDS = {
    "required": "a required field is missing",
    "additionalProperties": "there is a field too many",
    "type": "the type is wrong",
    "enum": "the value is not one of the allowed ones",
    "const": "the value is not the allowed one",
    "pattern": "the text does not have the required form",
    "minLength": "the text is too short",
    "maxLength": "the text is too long",
    "minimum": "the number is too low",
    "maximum": "the number is too high",
    "minItems": "the list is too short",
    "maxItems": "the list is too long",
}
