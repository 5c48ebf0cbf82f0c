"""Tables as text: commas, semicolons, tabs or bars between the cells, the names of the columns in the first line.

Every cell stays text: `007`, `=1+1` and `1.10` are not touched. An empty cell was not given.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from texttargets.importers.fields import is_known
from texttargets.importers.records import BadRow, Item, Row, Source

if TYPE_CHECKING:
    import _csv

DELIMITERS = ",;\t|"
_LONGEST_NAME = 4  # words
_SEPARATOR_LINE = re.compile(r"\A\"?sep=([,;\t|])\"?(?:\r\n?|\n)", re.IGNORECASE)


def looks_like(source: Source) -> bool:
    """Whether the first line names columns, at least one of them known; prose that begins with such a word does not."""
    names = header(source)
    return any(map(is_known, names)) and all(len(name.split()) <= _LONGEST_NAME for name in names)


def read(source: Source, *, known: bool = True) -> Iterator[Item]:
    """Every line below the header. Raises InputError when the header cannot be used, or names no column we know."""
    text, above = source.text, len(_SEPARATOR_LINE.findall(source.text))
    names = header(source)
    _check_header(source, names, above + 1, known)
    for line, cells in _records(text, delimiter_of(text)):
        if isinstance(cells, str):
            yield BadRow(line, cells)
        elif line > above + 1 and any(cells):
            yield _row(line, names, cells)


def delimiter_of(text: str) -> str:
    """The delimiter a spreadsheet wrote into a line of its own, else the one that makes most known columns.

    Among equals the one that makes most columns.
    """
    if written := _SEPARATOR_LINE.match(text):
        return written[1]

    def columns(delimiter: str) -> tuple[int, int]:
        names = _first(text, delimiter)
        return sum(map(is_known, names)), len(names)

    return max(DELIMITERS, key=columns)


def header(source: Source) -> list[str]:
    """The names of the columns. Raises InputError when the file is no text."""
    return [name.strip() for name in _first(source.text, delimiter_of(source.text))]


def _first(text: str, delimiter: str) -> list[str]:
    cells = next(_records(text, delimiter), (0, []))[1]
    return cells if isinstance(cells, list) else []


def _check_header(source: Source, header: list[str], line: int, known: bool) -> None:
    if known and not any(map(is_known, header)):
        shown = ", ".join(header)[:200] or "it is empty"
        raise source.fault(f"no known column name in the first line: {shown}", line)
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise source.fault(f"column {twice[0]!r} is there twice", line)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Line and cells of each record; a text instead of cells says why the record is broken."""
    # Read as one text: the module counts a quoted line break as a line and would end a line at U+2028 otherwise.
    lines = _lines(text)
    above = 1 if _SEPARATOR_LINE.match(text) and next(lines) else 0
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while (record := _next(reader, len(text) + 1)) is not None:
        yield record[0] + above, record[1]


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
    line_end = "\n" if "\n" in text else "\r"  # old Macs, and Excel's "CSV (Macintosh)"
    start = 0
    while start < len(text):
        end = text.find(line_end, start) + 1 or len(text)
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
