"""One test of promptfoo as the row of a case: its variables, its assertions. Knows no files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from texttargets.importers.promptfoo_asserts import read_asserts
from texttargets.importers.records import BadRow, Item, LeftOut, Row
from texttargets.importers.shape import mapping, sequence
from texttargets.strict_json import as_text

_MOST_COMBINATIONS = 100


def test_items(line: int, name: str, test: Any, default: Mapping[str, Any]) -> Iterator[Item]:
    """The cases of a test: lists among its variables are tried in all combinations, as promptfoo does."""
    if isinstance(test, str):
        yield LeftOut(line, f"{name}: kept in another file, {test}; import that file too")
        return
    if not isinstance(test, dict):
        yield BadRow(line, f"{name}: not a mapping")
        return
    if "vars" not in test and "path" in test:
        yield LeftOut(line, f"{name}: made by {as_text(test['path'])}; write the tests to a file and import that")
        return
    given = {**mapping(default.get("vars")), **mapping(test.get("vars"))}
    if not given:
        yield LeftOut(line, f"{name}: no variables of its own (vars), so there is no input")
        return
    choices = _choices(given, test, default)
    combinations = prod(map(len, choices))
    if combinations > _MOST_COMBINATIONS:
        reason = f"its lists of values make {combinations} combinations, more than {_MOST_COMBINATIONS}"
        yield BadRow(line, f"{name}: {reason}")
        return
    for values in product(*choices):
        yield _row(line, name, test, default, dict(zip(given, values, strict=True)), alone=combinations == 1)


def _choices(given: Mapping[str, Any], test: Mapping[str, Any], default: Mapping[str, Any]) -> list[list[Any]]:
    options = {**mapping(default.get("options")), **mapping(test.get("options"))}
    whole = bool(options.get("disableVarExpansion"))
    return [value if isinstance(value, list) and not whole else [value] for value in given.values()]


def _row(
    line: int, name: str, test: Mapping[str, Any], default: Mapping[str, Any], variables: dict[str, Any], *, alone: bool
) -> Row:
    options = {**mapping(default.get("options")), **mapping(test.get("options"))}
    asserts = [*sequence(default.get("assert")), *sequence(test.get("assert"))]
    asserted = read_asserts(asserts, variables, {**default, **test, "options": options})
    metadata = {**mapping(default.get("metadata")), **mapping(test.get("metadata"))}
    notes = list(asserted.notes)
    files = [key for key, value in variables.items() if isinstance(value, str) and value.startswith("file://")]
    if files:
        notes.append(f"the variable {', '.join(files)} names a file, which is not read")
    around = [name for name in ("prefix", "suffix", "transformVars") if options.get(name)]
    if around:
        notes.append(f"promptfoo changes what the model is asked ({', '.join(around)}); ceopt does not")
    values = {
        "id": metadata.get("id") if alone else None,
        "vars": variables,
        "expected": asserted.expected,
        "check": asserted.check,
        "tags": metadata.get("tags") or metadata.get("category"),
    }
    return Row(line, values, tuple(f"{name}: {note}" for note in notes))
