"""JSON Lines: one object a line. Lines end at line feeds only; U+2028 and its kin may stand inside texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from texttargets.importers.records import BadRow, Item, Row, Source
from texttargets.strict_json import loads


def looks_like(source: Source) -> bool:
    """Whether the first line that is not blank begins an object."""
    if source.document is not None:
        return False  # one value, not lines of them
    head = source.data.lstrip(b"\xef\xbb\xbf \t\r\n\0")[:1]
    return head == b"{" or (source.encoding is not None and source.text.lstrip()[:1] == "{")


def read(source: Source) -> Iterator[Item]:
    """Every line that is not blank."""
    offset = 0
    for number, raw in enumerate(_lines(source), start=1):
        start, offset = offset, offset + len(raw) + 1
        try:
            text = raw if isinstance(raw, str) else raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield BadRow(number, source.undecodable(start + error.start))
            continue
        text = text.removeprefix("\ufeff") if number == 1 else text
        if text.strip(" \t\r"):
            yield _record(number, text)


def _lines(source: Source) -> Sequence[bytes | str]:
    # A line is decoded by itself, so that one torn in the middle of a character does not condemn the others.
    return source.data.split(b"\n") if source.encoding is None else source.text.split("\n")


def _record(number: int, text: str) -> Item:
    if "\0" in text:
        return BadRow(number, f"{text.count(chr(0))} NUL bytes (a write that was never finished)")
    try:
        value = loads(text.strip(" \t\r"))
    except ValueError as error:
        return BadRow(number, str(error))
    if not isinstance(value, dict):
        return BadRow(number, "not a JSON object")
    return Row(number, value)
