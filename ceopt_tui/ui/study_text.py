"""A study as lines for the app: what its report says, with intervals drawn. It works out nothing of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ceopt_tui.core.figures import counted, rounded
from ceopt_tui.core.visible import one_line

PLOT_CELLS = 41  # an odd number, so that 0 has a place of its own between -1 and 1
NAME_CELLS, GAP_CELLS, MOST_CELLS = 14, 2, 74
MOST_LOST = 20
_SIGNS = {"CONFIRMED": "✓", "REJECTED": "✗", "NULL": "?"}


def study_text(report: Mapping[str, Any]) -> str:
    """The whole study, from `report_of`."""
    return "\n".join(_lines(report))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"Question   {one_line(report['question'])}"
    coverage = report["coverage"]
    rest = "nothing is left to run" if report["complete"] else "not complete"
    yield f"State      {coverage['scored']:,} of {counted(coverage['cells'], 'cell')} have a score; {rest}"
    if report["stopped"]:
        yield f"Stopped    {one_line(report['stopped'])}"
    calls, usd = report["spent"]["calls"], report["spent"]["usd"]
    money = "price unknown" if usd is None else f"{rounded(usd['value'], 4)} USD {_tags(usd)}"
    yield f"Spent      {counted(calls['value'], 'call')} {_tags(calls)}, {money}"
    outputs = report["outputs"]
    kept = (
        "not kept (--keep-outputs)"
        if not outputs["kept"]
        else f"{outputs['read']} of {outputs['kept']} read by a person"
    )
    yield f"Replies    {kept}"
    yield f"Committed  {report['commit'][:10]}" if report["commit"] else "Committed  in no commit: no model was asked"
    for hypothesis in report["hypotheses"]:
        yield ""
        yield from _hypothesis(hypothesis)
    yield ""
    yield from _levels(report["levels"])
    yield from _value(report["value"])
    yield from _known(report)


def _hypothesis(found: Mapping[str, Any]) -> Iterator[str]:
    accepted = "accepted" if found["accepted"] else "not accepted"
    yield f"{_SIGNS[found['verdict']]} {one_line(found['id'])}: {found['verdict']}, {accepted}"
    yield f"  {one_line(found['claim'])}"
    compared = found["control"] is not None
    low = -1.0 if compared else 0.0
    bar = found["threshold"] if found["direction"] == "increase" or not compared else -found["threshold"]
    for family in found["families"]:
        figures = family.get("difference", family.get("level"))
        name = f"  {one_line(family['family'])[: NAME_CELLS - 1]:<{NAME_CELLS}}"
        if figures is None:
            yield f"{name}no score"
            continue
        value, *ends = (f"{figures[key]:{'+' if compared else ''}.2f}" for key in ("value", "low", "high"))
        yield f"{name}{value} ({ends[0]} to {ends[1]}) {_tags(figures)}"
        yield f"  {'':<{NAME_CELLS}}{_plot(figures, bar, low)}"
    middle = "0" if compared else "0.5"
    scale = f"{low:.0f}{middle:^{PLOT_CELLS - 2 - compared}}1"
    yield f"  {'':<{NAME_CELLS}}{scale}   ┊ {rounded(bar, 2)}"
    for objection in found["objections"]:
        yield f"  - {one_line(objection)}"


def _plot(figures: Mapping[str, Any], bar: float, low: float) -> str:
    """The interval between the ends of the scale, with its mean, and where the threshold is."""
    cells = ["·"] * PLOT_CELLS
    start, end = (_at(figures[key], low) for key in ("low", "high"))
    cells[start : end + 1] = ["─"] * (end + 1 - start)
    cells[_at(bar, low)] = "┊"
    cells[_at(figures["value"], low)] = "●"
    return "".join(cells)


def _at(value: float, low: float) -> int:
    return round((min(1.0, max(low, value)) - low) / (1.0 - low) * (PLOT_CELLS - 1))


def _levels(levels: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Texts by targets, for each group of cases; as many targets side by side as there is room for."""
    for group in dict.fromkeys(level["group"] for level in levels):
        cells = {(one["text"], one["target"]): _level(one) for one in levels if one["group"] == group}
        texts, targets = (list(dict.fromkeys(key[part] for key in cells)) for part in (0, 1))
        width = max(len(cell) for cell in [*cells.values(), *targets]) + GAP_CELLS
        at_once = max(1, (MOST_CELLS - NAME_CELLS) // width)
        yield f"# Scores: {one_line(group)}"
        for first in range(0, len(targets), at_once):
            shown = targets[first : first + at_once]
            yield " " * NAME_CELLS + "".join(f"{one_line(name):<{width}}" for name in shown).rstrip()
            for text in texts:
                row = "".join(f"{cells.get((text, name), ''):<{width}}" for name in shown)
                yield f"{one_line(text)[: NAME_CELLS - 1]:<{NAME_CELLS}}{row}".rstrip()
        yield ""
    missing = {reason: None for level in levels for reason in level["missing"]}
    if missing:
        yield "Missing for power"
        yield from (f"  - {one_line(reason)}" for reason in missing)
        yield ""


def _level(level: Mapping[str, Any]) -> str:
    figure = level["score"]
    return "no score" if figure is None else f"{rounded(figure['value'], 2)} {_tags(figure)}"


def _value(value: Mapping[str, Any]) -> Iterator[str]:
    yield "# What the texts are worth"
    for one in value["texts"]:
        worth = "no score" if one["value"] is None else f"{rounded(one['value']['value'], 2)} {_tags(one['value'])}"
        yield f"{one_line(one['text'])[: NAME_CELLS - 1]:<{NAME_CELLS}}{worth}" + (
            ", converged" if one["converged"] else ""
        )
    missing = [name.replace("_", " ") for name, held in value["known"].items() if not held]
    yield f"  - not held: {', '.join(missing)}" if missing else "  - all four hold that make it known"
    yield ""


def _known(report: Mapping[str, Any]) -> Iterator[str]:
    """The judge, isolation, what is lost."""
    judge = report["judge"]
    if judge is not None:
        tried = "not tried yet"
        if judge["tried_on"] is not None:
            tried = f"good above empty in {judge['good_above_empty']} of {counted(judge['tried_on'], 'case')}"
        worth = "" if judge["trusted"] else "; its scores are soft"
        yield f"Judge      {one_line(judge['model'])}: {tried}{worth}"
    for one in report["isolation"]:
        if one["probe"] is not None:
            why = f": {one_line(one['probe']['why'])}" if one["probe"]["why"] else ""
            yield f"Isolation  {one_line(one['target'])} {'ran apart' if one['attested'] else 'not attested'}{why}"
    lost = report["lost"]
    if lost:
        yield ""
        yield "# Cells without a score"
        yield from (f"  - {one_line(cell['cell'])}: {one_line(cell['why'])}" for cell in lost[:MOST_LOST])
        if len(lost) > MOST_LOST:
            yield f"  - and {len(lost) - MOST_LOST:,} more"


def _tags(figure: Mapping[str, Any]) -> str:
    return "".join(f"[{tag}]" for tag in figure["tags"])
