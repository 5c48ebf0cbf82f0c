"""The report's page on coverage: which rules the cases guard, as a map and in words."""

from __future__ import annotations

from ceopt_tui.core.charts import coverage_chart
from ceopt_tui.core.coverage_words import (
    LEGEND,
    WORDS,
    counts,
    how_measured,
    ideas,
    map_row,
    older_map,
    place,
    reason,
    shown,
)
from ceopt_tui.engine.reporting.document import Block, Bullets, Code, Figure, Paragraph, Section, Table
from schemas.coverage import Coverage


def coverage_section(coverage: Coverage) -> list[Section]:
    """Of the text a run started from."""
    rows = []
    for rule in coverage.rules:
        row = map_row(coverage, rule)
        words = (f"{place(coverage, rule)}: {shown(rule)}", WORDS[rule.status], reason(coverage, rule))
        rows.append((*words, Code(row) if row else ""))
    measured = ". ".join(_sentence(line) for line in how_measured(coverage))
    names = [place(coverage, rule) for rule in coverage.rules]
    table = Table(("rule", "state", "without it", "map"), tuple(rows))
    blocks: list[Block] = [
        Paragraph(f"Of the original text: {counts(coverage)}. {measured}."),
        *([Paragraph(f"{_sentence(older)}.")] if (older := older_map(coverage)) else []),
        Figure(coverage_chart(coverage, names), table, listed=True),
        Paragraph(f"The map: {LEGEND}. Columns: {', '.join(coverage.cases)}."),
    ]
    if proposed := ideas(coverage):
        blocks += [Paragraph("Cases that would guard the others:"), Bullets(tuple(proposed))]
    return [Section("Which rules the cases guard", tuple(blocks))]


def _sentence(line: str) -> str:
    return line[:1].upper() + line[1:]
