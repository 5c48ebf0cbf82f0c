"""The form of expected JSON records: their keys and the types of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from texttargets.strict_json import loads

MOST_CHOICES = 6
_TYPE_WORDS = {
    "text": "a text in quotation marks",
    "whole number": "a whole number",
    "number": "a number",
    "truth": "true or false",
    "list": "a list",
    "object": "an object",
    "nothing": "null",
}


@dataclass(frozen=True)
class JsonForm:
    """Keys in the order of the first record, each with the type names its values have; `choices` are closed sets."""

    types: Mapping[str, tuple[str, ...]]
    optional: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]]

    @property
    def lines(self) -> tuple[str, ...]:
        """The form said to a model."""
        keys = [f"- {key}: {self._value_words(key)}" for key in self.types]
        return (
            "Answer with only one JSON object on one line, with these keys in this order:",
            *keys,
            "No other keys, no other words, no code fence.",
        )

    def accepts(self, output: str) -> bool:
        """Whether an output is an object of this form."""
        record = _record(output)
        if record is None or set(record) - set(self.types):
            return False
        if any(key not in record for key in self.types if key not in self.optional):
            return False
        return all(_type_name(value) in self.types[key] for key, value in record.items())

    def _value_words(self, key: str) -> str:
        if key in self.choices:
            words = "one of " + ", ".join(f'"{choice}"' for choice in self.choices[key])
        else:
            words = " or ".join(_TYPE_WORDS[name] for name in self.types[key])
        return f"{words} (left out when unknown)" if key in self.optional else words


def json_form(values: Sequence[Any]) -> JsonForm | None:
    """The form of values that are all JSON objects (or texts of such), else None."""
    records = [_record(value) for value in values]
    if not records or any(not record for record in records):
        return None
    found = [record for record in records if record]
    keys = list(dict.fromkeys(key for record in found for key in record))
    types = {key: tuple(sorted({_type_name(record[key]) for record in found if key in record})) for key in keys}
    optional = tuple(key for key in keys if any(key not in record for record in found))
    choices = {key: closed for key in keys if types[key] == ("text",) and (closed := _closed_set(found, key))}
    return JsonForm(types, optional, choices)


def _closed_set(records: Sequence[Mapping[str, Any]], key: str) -> tuple[str, ...]:
    """The values of a key when they are few and come again, else ()."""
    values = [record[key] for record in records if key in record]
    distinct = sorted(set(values))
    return tuple(distinct) if 2 <= len(distinct) <= min(MOST_CHOICES, len(values) // 2) else ()


def _record(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = loads(value)
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _type_name(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "whole number"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object"
