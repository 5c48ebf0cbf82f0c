"""JUnit XML, as pytest and most test runners write it: a failing test is a case.

Entities and document types are refused before they are read: a few hundred bytes of them can stand for gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source

_ROOT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>)?(?:\s|<!--.*?-->)*<(?:testsuites?|!DOCTYPE|!ENTITY)\b", re.DOTALL
)
_NAMES = ("input", "expected", "output", "id")


@dataclass
class _Test:
    line: int
    name: str
    outcome: str = "passed"
    message: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)


def looks_like(source: Source) -> bool:
    """Whether the file is XML with suites of tests at its root."""
    return _ROOT.match(source.data[:4096]) is not None


def read(source: Source) -> Iterator[Item]:
    """Every test. Raises InputError when the file is no XML, or declares a document type."""
    for test in _Reader(source).tests():
        yield _item(test)


class _Reader:
    """Collects tests while expat walks through the file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tests: list[_Test] = []
        self._texts: list[str] = []
        self._test: _Test | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = lambda text: self._texts.append(text)
        self._parser.StartDoctypeDeclHandler = self._refuse

    def tests(self) -> list[_Test]:
        data = self._source.data if self._source.encoding is None else self._source.text.encode()
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self._source.fault(f"not XML: {expat.ErrorString(error.code)}", error.lineno) from None
        return self._tests

    def _refuse(self, *_: object) -> None:
        raise self._source.fault(
            "declares a document type (entities can grow without limit); no test report needs one",
            self._parser.CurrentLineNumber,
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._texts.clear()
        if tag == "testcase":
            where = attributes.get("classname", "")
            name = f"{where}.{attributes.get('name', '')}" if where else attributes.get("name", "test")
            self._test = _Test(self._parser.CurrentLineNumber, name)
            self._tests.append(self._test)
        elif self._test is not None and tag in ("failure", "error", "skipped"):
            self._test.outcome, self._test.message = tag, attributes.get("message", "")
        elif self._test is not None and tag == "property" and "name" in attributes:
            self._test.properties[attributes["name"].lower()] = attributes.get("value", "")

    def _end(self, tag: str) -> None:
        text = "".join(self._texts).strip()
        if self._test is not None and tag in ("failure", "error", "system-out") and text:
            self._test.texts[tag] = text
        elif self._test is not None and tag == "property" and text:
            self._test.properties[next(reversed(self._test.properties), "")] = text
        if tag == "testcase":
            self._test = None
        self._texts.clear()


def _item(test: _Test) -> Item:
    if test.outcome == "skipped":
        return LeftOut(test.line, f"{test.name}: skipped, not run")
    if test.outcome == "error":
        return LeftOut(test.line, f"{test.name}: error around the test, not a failed assertion")
    if not test.name:
        return BadRow(test.line, "a test without a name")
    given = {name: test.properties[name] for name in _NAMES if name in test.properties}
    reason = "\n".join(dict.fromkeys(part for part in (test.message, test.texts.get("failure", "")) if part))
    values = {
        "id": test.name,
        "input": test.name,
        "output": test.texts.get("system-out"),
        "passed": test.outcome == "passed",
        "reason": reason or None,
        **given,
    }
    notes = () if "input" in given else ("no property `input`; the name of the test stands for it",)
    return Row(test.line, values, notes)
