"""promptfoo's configuration (`promptfooconfig.yaml`) and files of tests: what is asserted, before anything has run.

No output is recorded there, so every test is taken. Which of them fail shows the first measurement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from texttargets.importers import csv_table
from texttargets.importers.json_document import elements
from texttargets.importers.promptfoo_cells import is_expected, test_of, unused
from texttargets.importers.promptfoo_tests import test_items
from texttargets.importers.record_stream import columns, is_table, records
from texttargets.importers.records import Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping, objects, sequence
from texttargets.importers.yaml_list import compose, value_of

_KEYS = {"prompts", "providers", "targets", "defaultTest", "scenarios", "evaluateOptions", "assertionTemplates"}
_TEST_KEYS = {"assert", "description", "options", "threshold", "metadata"}
_TOP = re.compile(r"^(prompts|providers|targets|defaultTest|scenarios)\s*:", re.MULTILINE)
_TESTS = re.compile(r"^(tests|scenarios)\s*:", re.MULTILINE)
_LIST_OF_TESTS = re.compile(r"\A(?:\s*#.*\n)*-\s+(?:description:.*\n\s+)?(?:vars|assert)\s*:")


def looks_like(source: Source) -> bool:
    """Whether it is a configuration, a list of tests with assertions, or a table with a column `__expected`."""
    if is_table(source):
        return any(map(is_expected, columns(source)))
    document = source.document
    if isinstance(document, dict) and document.keys() & {"tests", "scenarios"}:
        return bool(document.keys() & _KEYS)
    if source.head:
        return any("vars" in record and record.keys() & {"assert", "options", "threshold"} for record in source.head)
    if source.suffix not in (".yaml", ".yml"):
        return False
    return bool(_TESTS.search(source.text) and _TOP.search(source.text)) or bool(_LIST_OF_TESTS.match(source.text))


def read(source: Source) -> Iterator[Item]:
    """Every test, those of scenarios too. Raises InputError when the file is no configuration."""
    if is_table(source):
        yield from _table(source)
        return
    document, tests = _parts(source)
    default = mapping(document.get("defaultTest"))
    if isinstance(document.get("defaultTest"), str):
        reason = f"kept in another file, {document['defaultTest']}: what it asserts and sets is in no case"
        yield LeftOut(_line_of(source, "defaultTest"), f"defaultTest {reason}", "default tests in another file")
    templates = mapping(document.get("assertionTemplates"))
    for number, (line, test) in enumerate(tests, start=1):
        yield from test_items(line, f"test {number}", _with_templates(test, templates), default)
    scenarios = objects(document.get("scenarios"))
    line = _line_of(source, "scenarios") if scenarios else 0
    for number, scenario in enumerate(scenarios, start=1):
        yield from _scenario(line, f"scenario {number}", scenario, default, templates)


def _parts(source: Source) -> tuple[Mapping[str, Any], list[tuple[int, Any]]]:
    """The configuration, and its tests with their lines."""
    if source.document is not None:
        document = source.document
        if isinstance(document, dict) and "vars" in document:
            return {}, [(1, document)]
        return mapping(document), list(elements(source.text, *(("tests",) if isinstance(document, dict) else ())))
    if source.head:
        rows = list(records(source))
        return {}, [(row.line, row.values if isinstance(row, Row) else row.reason) for row in rows]
    root = compose(source)
    try:
        whole = value_of(root) if root is not None else None
    except ValueError as error:
        raise source.fault(str(error)) from None
    if isinstance(whole, list):
        return {}, _with_lines(root)
    if not isinstance(whole, dict) or not whole.keys() & {"tests", "scenarios"}:
        raise source.fault("no promptfoo configuration: there is no list `tests` or `scenarios`")
    if isinstance(whole.get("tests"), str):
        return whole, [(1, whole["tests"])]
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return whole, next((_with_lines(value) for key, value in pairs if key.value == "tests"), [])


def _with_lines(node: yaml.Node | None) -> list[tuple[int, Any]]:
    nodes = node.value if isinstance(node, yaml.SequenceNode) else []
    return [(item.start_mark.line + 1, value_of(item)) for item in nodes]


def _with_templates(test: Any, templates: Mapping[str, Any]) -> Any:
    """The test with the assertions it refers to by `$ref`."""
    if not isinstance(test, dict) or not templates or "assert" not in test:
        return test
    asserts = sequence(test["assert"])
    names = [str(mapping(item).get("$ref", "")).rsplit("/", 1)[-1] for item in asserts]
    return {**test, "assert": [templates.get(name, item) for name, item in zip(names, asserts, strict=True)]}


def _line_of(source: Source, key: str) -> int:
    """The line on which a key of the document stands."""
    found = re.search(rf'^\s*"?{key}"?\s*:', source.text, re.MULTILINE)
    return source.text.count("\n", 0, found.end()) + 1 if found else 1


def _scenario(
    line: int, name: str, scenario: Mapping[str, Any], default: Mapping[str, Any], templates: Mapping[str, Any]
) -> Iterator[Item]:
    """Each test of a scenario with each of its sets of values."""
    for config in objects(scenario.get("config")):
        for test in objects(scenario.get("tests")):
            variables = {**mapping(config.get("vars")), **mapping(test.get("vars"))}
            asserts = [*sequence(config.get("assert")), *sequence(test.get("assert"))]
            merged = {**config, **test, "vars": variables, "assert": asserts}
            yield from test_items(line, name, _with_templates(merged, templates), default)


def _table(source: Source) -> Iterator[Item]:
    for row in csv_table.read(source, known=False):
        if not isinstance(row, Row):
            yield row
            continue
        left = [f"the column {name} is not used" for name in unused(row.values)]
        for item in test_items(row.line, row.values.get("__description", f"line {row.line}"), test_of(row.values), {}):
            yield replace(item, notes=(*item.notes, *left)) if isinstance(item, Row) else item
