"""A report as one HTML page that stands alone: no script, nothing loaded, readable in the dark and on a phone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from ceopt_tui.core.charts import CaseChart, Chart, CoverageChart, ScoreChart, ShareChart
from ceopt_tui.core.coverage_words import LEGEND
from ceopt_tui.core.word_diff import DiffLine, word_diff
from ceopt_tui.engine.reporting.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Figure,
    Paragraph,
    Part,
    Report,
    Table,
    TextChange,
)
from ceopt_tui.engine.reporting.drawing import SHARES, draw
from ceopt_tui.engine.reporting.markup import Markup, element, joined, trusted

MANY_ROWS = 40  # from here on a table is folded up
KEYS: dict[type[Chart], str] = {
    ScoreChart: "Line: the best text so far. Dots: candidates. Diamonds: kept. Squares: the same candidates on the "
    "held-out cases. Upright lines: 90% intervals.",
    CaseChart: "Ring: the original text. Disc: the final text.",
    CoverageChart: f"{LEGEND}.",
}


def page(report: Report) -> str:
    """The whole page; the same report gives the same bytes."""
    style = trusted(files(__package__).joinpath("report.css").read_text("utf-8"))
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("title", report.title),
        element("style", style),
    )
    lead = (element("p", line, class_="lead" if place == 0 else None) for place, line in enumerate(report.lead))
    body = element("main", element("h1", report.title), *lead, _contents(report), *_sections(report))
    return f"<!doctype html>\n{element('html', head, element('body', body), lang='en')}\n"


def _contents(report: Report) -> Markup:
    links = (
        element("li", element("a", section.title, href=f"#part-{place}"))
        for place, section in enumerate(report.sections, 1)
    )
    return element("nav", element("ul", *links), aria_label="Contents")


def _sections(report: Report) -> Iterator[Markup]:
    for place, section in enumerate(report.sections, 1):
        name = f"part-{place}"
        inner = (_block(block, f"{name}-{number}") for number, block in enumerate(section.blocks, 1))
        yield element("section", element("h2", section.title, id=name), *inner, aria_labelledby=name)


def _block(block: Block | Part, name: str) -> Markup:
    match block:
        case Part(title, blocks):
            inner = (_block(one, f"{name}-{number}") for number, one in enumerate(blocks, 1))
            return element("section", element("h3", title, dir="auto"), *inner)
        case Paragraph(said):
            return element("p", said, dir="auto")
        case Bullets(items):
            return element("ul", *(element("li", item, dir="auto") for item in items))
        case Table():
            return _folded(block, "All of them") if len(block.rows) > MANY_ROWS else _table(block)
        case TextChange():
            return _change(block)
        case Figure():
            return _figure(block, name)


def _figure(figure: Figure, name: str) -> Markup:
    chart = figure.chart
    key = _key(chart)
    told = [element("figcaption", " ".join(filter(None, (key, figure.note))))] if key or figure.note else []
    drawn = element("figure", draw(chart, name), *told)
    return joined(drawn, _table(figure.values) if figure.listed else _folded(figure.values, "The same in figures"))


def _key(chart: Chart) -> str:
    """How to read the chart; that of the outcomes stands under its name already."""
    if isinstance(chart, ShareChart):
        return "" if chart.unit == "experiment" else f"{SHARES[chart.unit]}."
    return KEYS[type(chart)]


def _folded(table: Table, title: str) -> Markup:
    return element("details", element("summary", f"{title} ({len(table.rows):,})"), _table(table))


def _table(table: Table) -> Markup:
    head = element("tr", *(element("th", name, scope="col") for name in table.head))
    rows = (element("tr", *map(_cell, row)) for row in table.rows)
    drawn = element("table", element("thead", head), element("tbody", *rows))
    return element("div", drawn, class_="scroll", tabindex=0, role="region", aria_label=f"Table: {table.head[0]}")


def _cell(cell: Cell) -> Markup:
    return element("td", element("code", cell.text)) if isinstance(cell, Code) else element("td", cell, dir="auto")


def _change(change: TextChange) -> Markup:
    """Every changed file, words that came and went marked within their lines."""
    shown = []
    for file in word_diff(change.before, change.after):
        hunks = (element("div", *map(_line, hunk), class_="hunk") for hunk in file.hunks)
        named = f"Changes in {file.path}"
        shown.append(element("p", element("code", file.path), class_="file"))
        shown.append(element("div", *hunks, class_="diff", tabindex=0, role="region", aria_label=named))
    return joined(*shown)


_KINDS = {"-": ("gone", "del"), "+": ("come", "ins"), " ": ("same", "span")}


def _line(line: DiffLine) -> Markup:
    kind, marked = _KINDS[line.sign]
    pieces = (element(marked, piece.text) if piece.changed else element("span", piece.text) for piece in line.pieces)
    unended = [] if line.ended else [element("small", " (no line break at the end)")]
    number = line.new if line.old is None else line.old
    sign = element("span", f"{number:>4} {line.sign} ", class_="sign")
    return element("div", sign, *pieces, *unended, class_=kind)
