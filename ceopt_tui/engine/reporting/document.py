"""What a report is made of, whoever draws it: sections of paragraphs, lists, tables, text changes and charts.

All text is plain; escaping it is the business of whoever draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ceopt_tui.core.charts import Chart


@dataclass(frozen=True)
class Code:
    """Text in which every character counts."""

    text: str


Cell = str | Code


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class TextChange:
    """Files before and after, path to content."""

    before: Mapping[str, str]
    after: Mapping[str, str]


@dataclass(frozen=True)
class Figure:
    """A chart for renderers that can draw; its `values` say the same in figures, and replace it where `listed`."""

    chart: Chart
    values: Table
    listed: bool = False
    note: str = ""  # what to know when reading it


Block = Paragraph | Bullets | Table | TextChange | Figure


@dataclass(frozen=True)
class Part:
    """A part of a section, with a heading of its own."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block | Part, ...]


@dataclass(frozen=True)
class Report:
    title: str
    lead: tuple[str, ...]  # paragraphs
    sections: tuple[Section, ...]
