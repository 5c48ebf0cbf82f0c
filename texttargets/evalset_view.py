"""Shows an eval set's report: JSON for scripts, and text that fits 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ceopt_tui.core.figures import counted
from texttargets.evalset_check import EvalsetReport, Finding, Floor
from texttargets.power import expected_floor, power_sentence

WIDTH = 80
_SHOWN_IDS = 6
_FLOORS: dict[Floor, str] = {"diagnose only": "too few for a run"}  # scripts rely on the word, people read what happens

# Of the words of a finding these may tell what a case says.
_HIDDEN_WORDS = {
    "expected_fails": "the expected answer fails its own check",
    "harness": "the check cannot tell outputs apart; a run leaves the case out",
}


def report_json(report: EvalsetReport) -> dict[str, Any]:
    """What `ceopt evalset check --json` prints."""
    floor = expected_floor(report.held_out_distinct)
    split = report.split
    return {
        "name": report.name,
        "cases": report.cases,
        "distinct": report.distinct,
        "failures": report.failures,
        "guards": report.guards,
        "need_judge": report.need_judge,
        "floor": report.floor,
        "split": None
        if split is None
        else {"selection": len(split.selection), "holdout": len(split.holdout), "report_only": len(split.report_only)},
        "sees_half": floor and floor.sees_half,
        "sees_most": floor and floor.sees_most,
        "sound": report.sound,
        "findings": [
            {"code": one.code, "severity": one.severity, "message": one.message, "cases": list(one.case_ids)}
            for one in report.findings
        ],
        "left_out": list(report.left_out),
        "ideas": [{"source": idea.source, "text": idea.text} for idea in report.ideas],
    }


def without_words_of(report: EvalsetReport, hidden: Collection[str]) -> EvalsetReport:
    """The report without what the hidden cases say: their ids stay, and that something is wrong with them.

    Ideas for further cases quote answers and amounts of any case, so there are none.
    """
    findings = tuple(
        replace(finding, message=_HIDDEN_WORDS.get(finding.code, finding.message))
        if not set(hidden).isdisjoint(finding.case_ids)
        else finding
        for finding in report.findings
    )
    return replace(report, findings=findings, ideas=()) if hidden else report


def report_text(report: EvalsetReport) -> str:
    """The same for a person."""
    distinct = "" if report.distinct == report.cases else f" ({report.distinct} distinct)"
    paragraphs = [
        f"{report.name}: {counted(report.cases, 'case')}{distinct}, {counted(report.failures, 'failure')}, "
        f"{counted(report.guards, 'guard')}; {_FLOORS.get(report.floor, report.floor)}.",
        _split_sentence(report),
        power_sentence(report.held_out_distinct),
    ]
    if report.left_out:
        count = counted(len(report.left_out), "case")
        paragraphs.append(f"A run leaves {count} out: their checks cannot tell outputs apart.")
    lines = [_wrapped(paragraph, "") for paragraph in paragraphs]
    lines += [_wrapped(f"harder case to add: {idea.text}", "  ") for idea in report.ideas]
    lines += [_wrapped(_finding_text(finding), "  ") for finding in report.findings] or ["Nothing to complain about."]
    return "\n".join(lines) + "\n"


def _split_sentence(report: EvalsetReport) -> str:
    split = report.split
    if split is None:
        return "No split: the sides given in the file contradict each other."
    if not split.holdout:
        return "No split: there are too few distinct cases to hold any out."
    held_out, facts = len(split.holdout), []
    if report.held_out_distinct < held_out:
        left = "; without those left out" if set(split.holdout) & set(report.left_out) else ""
        facts.append(f"{report.held_out_distinct} distinct, near-duplicates count once{left}")
    if split.report_only:
        facts.append(f"where repeats agree {len(split.report_only)} of them are kept for the report and do not confirm")
    more = f" ({'; '.join(facts)})" if facts else ""
    return f"Split with seed {split.seed}: {len(split.selection)} for selection, {held_out} held out{more}."


def _finding_text(finding: Finding) -> str:
    shown = [repr(case_id)[1:-1][:60] for case_id in finding.case_ids[:_SHOWN_IDS]]
    more = len(finding.case_ids) - len(shown)
    names = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    return f"{finding.severity}: {names + ': ' if names else ''}{finding.message}"


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
