"""Tables as text: commas, semicolons, tabs or bars between the cells, the names of the columns in the first line.

Every cell stays text: `007`, `=1+1` and `1.10` are not touched. An empty cell was not given.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TYPE_CHECKING

from texttargets.importers.fields import is_known
from texttargets.importers.records import BadRow, Item, Row, Source

if TYPE_CHECKING:
    import _csv

DELIMITERS = ",;\t|"


def looks_like(source: Source) -> bool:
    """Whether the first line names at least one known column."""
    return any(map(is_known, _header(source.text)))


def read(source: Source) -> Iterator[Item]:
    """Every line below the header. Raises InputError when the header cannot be used."""
    text = source.text
    header = [name.strip() for name in _header(text)]
    _check_header(source, header)
    for line, cells in _records(text, delimiter_of(text)):
        if isinstance(cells, str):
            yield BadRow(line, cells)
        elif line > 1 and any(cells):
            yield _row(line, header, cells)


def delimiter_of(text: str) -> str:
    """The delimiter that makes most known columns of the first line; among equals the one that makes most columns."""

    def columns(delimiter: str) -> tuple[int, int]:
        names = _first(text, delimiter)
        return sum(map(is_known, names)), len(names)

    return max(DELIMITERS, key=columns)


def _header(text: str) -> list[str]:
    return _first(text, delimiter_of(text))


def _first(text: str, delimiter: str) -> list[str]:
    cells = next(_records(text, delimiter), (0, []))[1]
    return cells if isinstance(cells, list) else []


def _check_header(source: Source, header: list[str]) -> None:
    if not any(map(is_known, header)):
        raise source.fault(f"no known column name in the first line: {', '.join(header)[:200] or 'it is empty'}", 1)
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise source.fault(f"column {twice[0]!r} is there twice", 1)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Line and cells of each record; a text instead of cells says why the record is broken."""
    # Read as one text: the module counts a quoted line break as a line and would end a line at U+2028 otherwise.
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    while (record := _next(reader, len(text) + 1)) is not None:
        yield record


def _next(reader: _csv.Reader, limit: int) -> tuple[int, list[str] | str] | None:
    line = reader.line_num + 1
    before = csv.field_size_limit(limit)
    try:
        return line, next(reader)
    except StopIteration:
        return None
    except csv.Error as error:
        return line, f"broken quoting: {error}"
    finally:
        csv.field_size_limit(before)


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _row(line: int, header: list[str], cells: list[str]) -> Item:
    if len(cells) != len(header):
        count = abs(len(cells) - len(header))
        what = "one cell" if count == 1 else f"{count} cells"
        return BadRow(line, f"{what} too {'many' if len(cells) > len(header) else 'few'}")
    if any("\0" in cell for cell in cells):
        return BadRow(line, "NUL bytes (a write that was never finished)")
    return Row(line, {name: cell for name, cell in zip(header, cells, strict=True) if name and cell})
