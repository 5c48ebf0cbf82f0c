"""Whether the JSON Schema a person wrote into a check can be used; nothing is ever fetched for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for


def schema_fault(schema: dict[str, Any]) -> str | None:
    """Why a schema cannot be used, or None."""
    outside = next((target for target in _references(schema) if not target.startswith("#")), None)
    if outside is not None:
        return f'refers to "{outside}"; only references within the schema (#…) are followed'
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        place = ".".join(str(part) for part in error.absolute_path)
        return f"is no valid JSON Schema: {place + ': ' if place else ''}{error.message}"
    return None


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        target = node.get("$ref")
        if isinstance(target, str):
            yield target
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)
