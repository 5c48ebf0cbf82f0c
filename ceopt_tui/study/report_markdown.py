"""The report of a study as Markdown. It draws what reporting.py found, and nothing of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ceopt_tui.core.figures import counted, rounded
from ceopt_tui.core.study.report_lint import bare_figures
from ceopt_tui.core.visible import one_line

MOST_LOST = 50  # cells that are listed by name
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!])")


def markdown(report: Mapping[str, Any]) -> str:
    """The text of a report. ValueError where a figure would stand in it without its tag."""
    text = "\n".join(_lines(report)) + "\n"
    bare = bare_figures(text)
    if bare:
        raise ValueError(f"figures without a tag: {', '.join(bare)}")
    return text


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"# Study {_code(report['study'])}"
    yield ""
    yield _foreign(report["question"])
    yield ""
    coverage, design = report["coverage"], report["design"]
    yield f"- {coverage['scored']:,} of {counted(coverage['cells'], 'cell')} have a score; " + (
        "nothing is left to run." if report["complete"] else "the study is not complete."
    )
    if report["stopped"]:
        yield f"- It was stopped: {_code(report['stopped'])}"
    yield f"- {counted(design['cases'], 'case')}, {counted(design['repeats'], 'repeat')}, seed {design['seed']}."
    yield f"- Registered in the commit {_code(report['commit'])}." if report["commit"] else _unregistered(report)
    yield f"- {_spent(report['spent'])}"
    yield _outputs(report["outputs"])
    yield ""
    yield from _hypotheses(report)
    yield from _worth(report["value"])
    yield from _levels(report)
    if report["regressions"]["cells"]:
        told = report["regressions"]
        yield ""
        yield f"Something that worked before no longer does in {told['broken']} of {counted(told['cells'], 'cell')}."
    yield from _judge(report["judge"])
    yield from _isolation(report)
    yield from _lost(report)


def _unregistered(report: Mapping[str, Any]) -> str:
    return "- Registered in no commit: no model was asked, so nothing here is a claim about a text."


def _outputs(outputs: Mapping[str, Any]) -> str:
    kept, read = outputs["kept"], outputs["read"]
    if kept:
        who = f"a person has opened {read} of them" if read else "no person is on record as having read them"
        return f"- {counted(kept, 'raw output')} kept in `outputs`, by target; {who}."
    return "- Raw outputs were not kept, and no person has read any: only their hashes are on record."


def _spent(spent: Mapping[str, Any]) -> str:
    calls, usd = spent["calls"], spent["usd"]
    money = "of unknown price" if usd is None else f"{rounded(usd['value'], 4)} USD {_tags(usd)}"
    return f"Spent: {counted(calls['value'], 'call')} {_tags(calls)}, {money}."


def _hypotheses(report: Mapping[str, Any]) -> Iterator[str]:
    yield "## Hypotheses"
    for found in report["hypotheses"]:
        accepted = "accepted" if found["accepted"] else "not accepted"
        yield ""
        yield f"### {_code(found['id'])}: {found['verdict']}, {accepted}"
        yield ""
        yield _foreign(found["claim"])
        yield ""
        yield _claim(found)
        yield ""
        yield "| family | verdict | cases | observed | interval | chance that the threshold is reached |"
        yield "|---|---|---|---|---|---|"
        for family in found["families"]:
            figures = family.get("difference", family.get("level"))
            yield (
                f"| {_foreign(family['family'])} | {family['verdict']} | {family['cases']} | {_value(figures)} | "
                f"{_interval(figures)} | {_chance(family['confidence'])} |"
            )
        if found["objections"]:
            yield ""
            yield "What keeps it from being accepted:"
            yield ""
            yield from (f"- {_foreign(objection)}" for objection in found["objections"])
    yield ""


def _claim(found: Mapping[str, Any]) -> str:
    metric, threshold = _code(found["metric"]), _code(str(found["threshold"]))
    treatment, control = _code(found["treatment"]), found["control"]
    if control is None:
        bound = "at least" if found["direction"] == "increase" else "at most"
        return f"{treatment}: {metric} {bound} {threshold}."
    return f"{treatment} against {_code(control)}: {found['direction']} of {metric} by {threshold} or more."


def _worth(value: Mapping[str, Any]) -> Iterator[str]:
    yield "## Value"
    yield ""
    for one in value["texts"]:
        word = "converged" if one["converged"] else "not converged"
        yield f"- {_code(one['text'])}: {_value(one['value'])}, {word}"
    missing = [name.replace("_", " ") for name, held in value["known"].items() if not held]
    yield ""
    yield "All four hold that make it known." if not missing else f"Not held: {', '.join(missing)}."
    yield ""


def _levels(report: Mapping[str, Any]) -> Iterator[str]:
    yield "## Scores"
    yield ""
    yield "| target | family | text | cases of | score | interval | cells with a score |"
    yield "|---|---|---|---|---|---|---|"
    for level in report["levels"]:
        names = " | ".join((_code(level["target"]), _foreign(level["family"]), _code(level["text"])))
        yield (
            f"| {names} | {_code(level['group'])} | {_value(level['score'])} | {_interval(level['score'])} | "
            f"{level['scored']} of {level['cells']} |"
        )
    missing = {reason: None for level in report["levels"] for reason in level["missing"]}
    if missing:
        yield ""
        yield "What is missing for power:"
        yield ""
        yield from (f"- {_foreign(reason)}" for reason in missing)
    yield ""
    yield "Intervals hold `95%` each; those of hypotheses share one error rate of `5%`."


def _judge(judge: Mapping[str, Any] | None) -> Iterator[str]:
    if judge is None:
        return
    yield ""
    yield "## Judge"
    yield ""
    if judge["tried_on"] is None:
        yield f"{_code(judge['model'])} was not tried yet."
    else:
        tried = f"{judge['good_above_empty']} of {counted(judge['tried_on'], 'case')}"
        worth = "its scores are measurements" if judge["trusted"] else "too few: its scores are soft"
        yield f"{_code(judge['model'])} put the good reply above an empty one in {tried}; {worth}."
    if judge["cells_searched"]:
        yield ""
        yield (
            f"A search for words, which is not averaged with it, says something else in {judge['search_disagrees']} of "
            f"{counted(judge['cells_searched'], 'cell')}."
        )


def _isolation(report: Mapping[str, Any]) -> Iterator[str]:
    """What is known of every target that runs something; a chat call runs nothing here."""
    found = [one for one in report["isolation"] if one["probe"] is not None]
    if not found:
        return
    yield ""
    yield "## Isolation"
    yield ""
    for one in found:
        why = one["probe"]["why"]
        words = "ran apart: all six checks held" if one["attested"] else "not attested"
        yield f"- {_code(one['target'])}: {words}" + (f": {_code(why)}" if why else "")


def _lost(report: Mapping[str, Any]) -> Iterator[str]:
    lost = report["lost"]
    if not lost:
        return
    yield ""
    yield "## Cells without a score"
    yield ""
    yield from (f"- {_code(cell['cell'])}: {_code(cell['why'])}" for cell in lost[:MOST_LOST])
    if len(lost) > MOST_LOST:
        yield f"- and {len(lost) - MOST_LOST:,} more"


def _value(figure: Mapping[str, Any] | None) -> str:
    return "no score" if figure is None else f"{rounded(figure['value'], 2)} {_tags(figure)}"


def _chance(figure: Mapping[str, Any] | None) -> str:
    """A chance is never shown as certain."""
    if figure is None:
        return "none"
    value = figure["value"]
    shown = ">0.99" if value > 0.99 else "<0.01" if value < 0.01 else rounded(value, 2)
    return f"{shown} {_tags(figure)}"


def _interval(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "none"
    return f"{rounded(figure['low'], 2)} to {rounded(figure['high'], 2)} {_tags(figure)}"


def _tags(figure: Mapping[str, Any]) -> str:
    return "".join(f"[{tag}]" for tag in figure["tags"])


def _code(text: str) -> str:
    """A name or a foreign message: nothing in it is markup, or ends the span it stands in."""
    return f"`{one_line(text).replace('`', chr(39)).replace('|', '/')}`"


def _foreign(text: str) -> str:
    """Words of a study's author: no markup, and their figures are quoted as theirs."""
    return re.sub(r"[-+]?\d+(?:[.,]\d+)*\s?%?", lambda found: _quoted(found[0]), _MARKUP.sub(r"\\\1", one_line(text)))


def _quoted(figure: str) -> str:
    return f"`{figure}`" if "." in figure or "%" in figure else figure
