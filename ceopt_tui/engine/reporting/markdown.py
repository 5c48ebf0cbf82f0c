"""A report as Markdown. Foreign text stays text: no tag, no link, no picture, no heading comes out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ceopt_tui.core.masking import mask
from ceopt_tui.core.visible import visible
from ceopt_tui.engine.reporting.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Figure,
    Paragraph,
    Part,
    Report,
    Section,
    Table,
    TextChange,
)
from ceopt_tui.engine.text_diff import text_diff

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LEADS = re.compile(r"^([#>|=]|[+*-](?= )|\d+[.)](?= )|~~~|```)")  # makes something else of a line that begins so


def markdown(report: Report) -> str:
    """The whole report, secrets hidden, control characters as marks."""
    parts = [f"# {_line(report.title)}", *map(_line, report.lead)]
    for section in report.sections:
        parts += _section(section)
    return mask(visible("\n\n".join(parts) + "\n"))


def _section(section: Section) -> list[str]:
    """Empty where all that there is to see is drawn."""
    drawn = list(_blocks(section))
    return [f"## {_line(section.title)}", *drawn] if drawn else []


def _blocks(section: Section) -> Iterator[str]:
    for block in section.blocks:
        if isinstance(block, Part):
            yield f"### {_line(block.title)}"
            yield from (drawn for inner in block.blocks for drawn in _block(inner))
        else:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield _text(text)
        case Bullets(items):
            yield "\n".join(f"- {_text(item)}" for item in items)
        case Table() | Figure(listed=True):
            yield _table(block.values if isinstance(block, Figure) else block)
        case TextChange(before, after):
            diff = text_diff(before, after)
            fence = "~" * max(8, max(map(len, re.findall("~+", diff)), default=0) + 1)
            yield f"{fence}diff\n{diff}{fence}"
        case Figure():
            pass  # what it shows stands in the words and tables beside it


def _table(table: Table) -> str:
    lines = [table.head, ("---",) * len(table.head), *table.rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _text(text: str) -> str:
    """A paragraph or an item on one line, which begins neither a heading nor a list."""
    return _LEADS.sub(r"\\\1", _line(text))


def _line(text: str) -> str:
    """The text on one line, with nothing in it that a Markdown reader would act on."""
    return _TAG.sub(r"\\<", text.replace("](", "]\\(")).replace("\r", " ").replace("\n", " ")


def _cell(cell: Cell) -> str:
    if isinstance(cell, Code):
        return f"`{cell.text}`"
    return _line(cell).replace("|", "\\|")
