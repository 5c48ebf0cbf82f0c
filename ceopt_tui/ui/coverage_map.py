"""What the coverage screen says: rules as rows, cases as columns, one cell in words. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.coverage_words import LOST_MARK, MARKS, ORDER, WORDS, counts, how_measured, place, reason
from ceopt_tui.core.figures import change, counted, rounded, score
from ceopt_tui.core.visible import one_line
from ceopt_tui.ui.marks import Mark
from schemas.coverage import Coverage, RuleCoverage, RuleStatus

Heat = Literal["loses", "worse", "same", "better", "wins", "touchy", "lost", "empty"]
STATUS_MARKS: dict[RuleStatus, Mark] = {
    "covered": Mark("✓", "covered", "good"),
    "uncovered": Mark("~", "uncovered", "unsure"),
    "harmful": Mark("✗", "harmful", "bad"),
    "contradicted": Mark("!", "contradicted", "alarm"),
    "unclear": Mark("≈", "unclear", "unsure"),
    "needed": Mark("=", "needed", "quiet"),
    "unmeasured": Mark("?", "unmeasured", "unsure"),
}
EFFECTS: dict[Heat, str] = {
    "loses": "lost without the rule",
    "worse": "does not move; leans to worse without the rule",
    "same": "does not move",
    "better": "does not move; leans to better without the rule",
    "wins": "won without the rule",
    "touchy": "tells nothing: a blank line moves it too",
    "lost": "has no score on one side",
    "empty": "the rule was not removed",
}
LEANING = 0.5  # of the bar, from which a difference that is still noise is tinted


@dataclass(frozen=True)
class MapRow:
    """One rule in the map; `marks` and `heat` have an entry a case."""

    rule: RuleCoverage
    place: str
    status: Mark
    text: str
    marks: str
    heat: tuple[Heat, ...]


@dataclass(frozen=True)
class MapFilter:
    """Which rules are shown: those of one state, with these words in the rule or in a case that it moves."""

    status: RuleStatus | None = None
    text: str = ""

    @property
    def words(self) -> str:
        """In words; empty when all are shown."""
        status = WORDS[self.status] if self.status else ""
        sought = f"with “{one_line(self.text.strip())}”" if self.text.strip() else ""
        return ", ".join(part for part in (status, sought) if part)

    def takes(self, row: MapRow) -> bool:
        if self.status is not None and row.rule.status != self.status:
            return False
        moved = (*row.rule.moved("loses"), *row.rule.moved("wins"))
        among = " ".join((row.place, row.rule.text, *moved)).casefold()
        return all(word in among for word in self.text.casefold().split())


def map_rows(coverage: Coverage) -> tuple[MapRow, ...]:
    """All rules in the order of the text."""
    return tuple(_row(coverage, rule) for rule in coverage.rules)


def _row(coverage: Coverage, rule: RuleCoverage) -> MapRow:
    heat = tuple(_heat(coverage, rule, case) for case in coverage.cases)
    marks = "".join(_MARK_OF[one] for one in heat)
    return MapRow(rule, place(coverage, rule), STATUS_MARKS[rule.status], one_line(rule.text), marks, heat)


_MARK_OF: dict[Heat, str] = {
    **dict.fromkeys(("worse", "same", "better"), MARKS["same"]),
    "loses": MARKS["loses"],
    "wins": MARKS["wins"],
    "touchy": MARKS["touchy"],
    "lost": LOST_MARK,
    "empty": " ",
}


def _heat(coverage: Coverage, rule: RuleCoverage, case: str) -> Heat:
    seen = rule.cases.get(case)
    if seen is None:
        return "lost" if case in rule.lost else "empty"
    if seen.effect != "same" or abs(seen.z) < LEANING * coverage.bar:
        return seen.effect
    return "worse" if seen.z < 0 else "better"


def facets(coverage: Coverage) -> list[tuple[str, RuleStatus]]:
    """The states that occur, each with how many rules are in it."""
    found = coverage.counts
    return [(f"{STATUS_MARKS[status]} ({found[status]})", status) for status in ORDER if status in found]


def cell_facts(coverage: Coverage, row: MapRow, case: str) -> list[tuple[str, str]]:
    """One cell in words: the rule, what its removal did to all cases, what it did to this one."""
    rule = row.rule
    facts = [("Rule", f"{row.place}: {row.text}"), ("State", f"{row.status.word}: {one_line(reason(coverage, rule))}")]
    if rule.cases or rule.lost:
        facts.insert(1, ("Case", f"{one_line(case)}: {_effect(coverage, row, case)}"))
    if rule.idea:
        facts.append(("Write", one_line(rule.idea)))
    return facts


def _effect(coverage: Coverage, row: MapRow, case: str) -> str:
    heat, seen = row.heat[coverage.cases.index(case)], row.rule.cases.get(case)
    if seen is None:
        return EFFECTS[heat]
    z = f"z = {rounded(seen.z, 2)}, counts from {rounded(coverage.bar, 2)} on"
    return f"{EFFECTS[heat]}; {_runs(coverage, case, seen.scores, seen.difference)} ({z})"


def _runs(coverage: Coverage, case: str, without: Sequence[float], difference: float) -> str:
    """The runs on both sides: how many passed, or the mean on a scale."""
    whole = coverage.whole.get(case, ())
    if not (whole and without):
        return change(difference, coverage.span)
    beside = ", copies with a blank line more included" if coverage.deterministic and len(whole) > 1 else ""
    if coverage.span == 1 and {*whole, *without} <= {0.0, 1.0}:
        with_it, without_it = f"{sum(whole):.0f} of {len(whole)}", f"{sum(without):.0f} of {len(without)}"
        return f"passed in {with_it} with it, in {without_it} without{beside}"
    means = [score(sum(values) / len(values), coverage.span) for values in (whole, without)]
    runs = f"{counted(len(whole), 'run')} and {len(without)}"
    return f"mean {means[0]} with it, {means[1]} without ({runs}{beside})"


def summary_text(coverage: Coverage) -> str:
    """How the map was measured, and which cases would guard the rules that none guards."""
    unguarded = [(place(coverage, rule), rule) for rule in coverage.unguarded]
    lines = [f"{counts(coverage)}.", "", *(f"- {line}" for line in how_measured(coverage)), ""]
    if not unguarded:
        return "\n".join([*lines, "A case guards every rule that could be removed."])
    lines += ["# Cases that would guard the others", ""]
    for where, rule in unguarded:
        lines += [f"- {where}: {one_line(rule.text)}", f"  {one_line(rule.idea) or one_line(rule.why)}", ""]
    return "\n".join(lines)
