"""The records of an export that comes as JSON, as JSON Lines or as a table, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from texttargets.importers import csv_table, json_document, jsonl
from texttargets.importers.records import BadRow, Item, Row, Source

TABLES = (".csv", ".tsv")


def is_table(source: Source) -> bool:
    """Whether the file is called a table."""
    return source.suffix in TABLES


def columns(source: Source) -> frozenset[str]:
    """The names of the columns of a table; empty for everything else."""
    return frozenset(csv_table.header(source)) if is_table(source) else frozenset()


def records(source: Source, *lists: str) -> Iterator[Row | BadRow]:
    """Every object of the list, of the first list under one of the names, of the lines; or the one object there is."""
    found = _items(source, lists)
    for item in found:
        if isinstance(item, Row | BadRow):
            yield item


def inner(source: Source, *lists: str) -> tuple[Any, ...]:
    """The first records, also those inside a list under one of the names."""
    document = source.document
    for name in lists:
        if isinstance(document, dict) and isinstance(document.get(name), list):
            return tuple(item for item in document[name][:40] if isinstance(item, dict))
    return source.head


def _items(source: Source, lists: Iterable[str]) -> Iterator[Item]:
    if is_table(source):
        return csv_table.read(source)
    document = source.document
    if document is None:
        return jsonl.read(source)
    if isinstance(document, list):
        return json_document.rows(json_document.elements(source.text))
    name = next((name for name in lists if isinstance(document.get(name), list)), None)
    return json_document.rows(json_document.elements(source.text, name) if name else iter([(1, document)]))
