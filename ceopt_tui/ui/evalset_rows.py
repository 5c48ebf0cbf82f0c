"""What the eval set screen says: cases as rows, the filter on them, what the set can see. Knows no widget.

Nothing of a held-out case but its name, kind and tags leaves this module while a run holds it out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ceopt_tui.core.figures import counted, percent
from ceopt_tui.core.visible import fitted, one_line, said
from ceopt_tui.evalset_runs import OpenRun
from ceopt_tui.ui.marks import Mark
from schemas.evalset import Case, EvalSet, as_words
from texttargets.evalset_check import EvalsetReport, Finding
from texttargets.power import expected_floor

FIELDS = ("input", "expected", "observed", "went_wrong")
LABELS = {"input": "Input", "expected": "Expected", "observed": "Observed", "went_wrong": "Went wrong"}
EXCERPT_CELLS = 60
SIDES = {"selection": "selection", "holdout": "held out", None: ""}
FLOORS = {"diagnose only": "too few for a run", "tentative": "what a run keeps is tentative"}
# By how much a finding matters: the first is the row's.
LOOKS = {
    "leak": Mark("!", "leak", "alarm"),
    "expected_fails": Mark("!", "answer", "alarm"),
    "contradiction": Mark("~", "conflict", "unsure"),
    "harness": Mark("~", "check", "unsure"),
    "near_duplicates": Mark("~", "twice", "unsure"),
    "odd_id": Mark("~", "id", "unsure"),
}
NO_LOOK = Mark("", "", "quiet")
ANY_LOOK = "any"
# What the filter calls the cases with such a finding.
LOOK_NAMES = {
    "leak": "leaks: alike on both sides",
    "answer": "expected answers that fail their check",
    "conflict": "conflicts: one input, two answers",
    "check": "checks that say nothing",
    "twice": "duplicates on one side",
    "id": "odd ids",
}
# What may be said of a case that is held out.
SAFE_WORDS = {
    "expected_fails": "its expected answer fails its own check",
    "harness": "its check cannot tell outputs apart; a run leaves the case out",
}
LEAK = "ask the same, but stand on both sides: what is held out would be seen while tuning"


@dataclass(frozen=True)
class Held:
    """The cases that open runs hold out, each with the name of such a run, and the sides of all their cases."""

    by: Mapping[str, str] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[str, ...] = ()

    def hides(self, case_id: str) -> bool:
        return case_id in self.by

    def sentence(self, case_id: str) -> str:
        return f"held out: hidden while {one_line(self.by[case_id])} is open"


def held_by(runs: Iterable[OpenRun]) -> Held:
    """What these runs hide."""
    by: dict[str, str] = {}
    sides: dict[str, str] = {}
    names = []
    for run in runs:
        names.append(run.name)
        by |= dict.fromkeys(run.split.holdout, run.name)
        sides |= dict.fromkeys(run.split.selection, "selection")
    return Held(by, sides | dict.fromkeys(by, "held out"), tuple(names))


@dataclass(frozen=True)
class CaseRow:
    """One case in the list. `side` stands in parentheses where it is drawn and not written in the file."""

    id: str
    kind: str
    side: str
    look: Mark
    excerpt: str
    tags: str
    looks: tuple[str, ...] = ()  # the words of all its findings; `look` is the first


@dataclass(frozen=True)
class CaseFilter:
    """Which cases are listed: all of those that fit every part that is set."""

    kind: str = ""
    side: str = ""
    tag: str = ""
    look: str = ""  # the word of a finding, or ANY_LOOK
    text: str = ""

    def accepts(self, case: Case, row: CaseRow, hidden: bool) -> bool:
        fits = (
            self.kind in ("", case.kind)
            and self.side in ("", row.side.strip("()"))
            and (not self.tag or self.tag in case.tags)
            and (self.look in ("", *row.looks) or (self.look == ANY_LOOK and bool(row.looks)))
        )
        return fits and (not self.text or self.text.casefold() in _searched(case, hidden))

    @property
    def words(self) -> str:
        """What it says, for people; nothing when it lets all through."""
        parts = [self.kind and f"{self.kind}s", self.side, self.tag and f"tag {one_line(self.tag)}"]
        parts += [
            "to look at" if self.look == ANY_LOOK else LOOK_NAMES.get(self.look, ""),
            self.text and f"with “{one_line(self.text)}”",
        ]
        return ", ".join(part for part in parts if part)


def _searched(case: Case, hidden: bool) -> str:
    known = "\n".join((case.id, *case.tags))
    return (known if hidden else "\n".join((known, *(text_of(case, name) for name in FIELDS)))).casefold()


def text_of(case: Case, name: str) -> str:
    """A field as text; JSON where it is no text."""
    value = getattr(case, name)
    return "" if value is None else as_words(value)


def findings_of(evalset: EvalSet, report: EvalsetReport | None, held: Held) -> dict[str, list[Finding]]:
    """What is to be looked at, by case; the most telling first."""
    found: dict[str, list[Finding]] = defaultdict(list)
    if report is None:
        return found
    sides = {case.id: case.split for case in evalset.cases}
    for finding in report.findings:
        on_both = len({sides.get(case_id) for case_id in finding.case_ids} - {None}) > 1
        if finding.code == "near_duplicates" and on_both:
            finding = replace(finding, code="leak", severity="error", message=LEAK)
        for case_id in finding.case_ids:
            if finding.code in LOOKS:
                found[case_id].append(finding)
    order = list(LOOKS)
    return {case_id: sorted(all_of, key=lambda one: order.index(one.code)) for case_id, all_of in found.items()}


def case_rows(
    cases: Sequence[Case], report: EvalsetReport | None, held: Held, findings: Mapping[str, Sequence[Finding]]
) -> Iterator[CaseRow]:
    """A row for every case."""
    split = report.split if report is not None else None
    drawn = {} if split is None else dict.fromkeys(split.holdout, "(held out)")
    for case in cases:
        other = "(selection)" if split is not None and split.holdout else ""
        side = held.sides.get(case.id) or SIDES[case.split] or drawn.get(case.id, other)
        marks = list(dict.fromkeys(LOOKS[finding.code] for finding in findings.get(case.id, ())))
        looks = tuple(mark.word for mark in marks)
        excerpt = held.sentence(case.id) if held.hides(case.id) else text_of(case, "input")
        tags = ", ".join(map(one_line, case.tags))
        shown = _excerpt(excerpt[: 2 * EXCERPT_CELLS])
        yield CaseRow(case.id, case.kind, side, marks[0] if marks else NO_LOOK, shown, tags, looks)


@lru_cache(maxsize=20_000)
def _excerpt(text: str) -> str:
    return fitted(text, EXCERPT_CELLS).rstrip()


def case_facts(case: Case, row: CaseRow, held: Held, findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """What stands above the four fields of a case."""
    side = f"{row.side.strip('()')} (drawn)" if row.side.startswith("(") else row.side
    what = ", ".join(part for part in (case.kind, side) if part)
    hidden = held.sentence(case.id) if held.hides(case.id) else ""
    facts = [
        ("Case", what),
        ("Hidden", hidden),
        ("Tags", row.tags),
        ("Source", "" if hidden else one_line(case.source or "")),
    ]
    facts += [("Look", _look(case.id, finding, held)) for finding in findings]
    return [(label, text) for label, text in facts if text]


def _look(case_id: str, finding: Finding, held: Held) -> str:
    others = ", ".join(one_line(other) for other in finding.case_ids if other != case_id)
    message = str(LOOKS[finding.code]) if held.hides(case_id) else f"{LOOKS[finding.code]}: {said(finding.message)}"
    return f"{message} (with {others})" if others else message


def safe_report(report: EvalsetReport, held: Held) -> EvalsetReport:
    """The report without the words of cases that are held out."""
    findings = tuple(
        replace(finding, message=SAFE_WORDS[finding.code])
        if finding.code in SAFE_WORDS and any(map(held.hides, finding.case_ids))
        else finding
        for finding in report.findings
    )
    return replace(report, findings=findings, ideas=() if held.by else report.ideas)


def standing(report: EvalsetReport) -> str:
    """How the set stands and what it sees, in one sentence."""
    distinct = "" if report.distinct == report.cases else f" ({report.distinct} distinct)"
    kinds = f"{counted(report.failures, 'failure')}, {counted(report.guards, 'guard')}"
    floor = expected_floor(report.held_out_distinct)
    sees = "cannot confirm any gain"
    if floor is not None:
        held = counted(report.held_out_distinct, "distinct held-out case")
        sees = f"{held}: sees gains above {percent(floor.sees_half)} half the time"
        if floor.sees_half >= 1:
            sees = f"{held}: cannot tell any gain from noise"
    word = FLOORS.get(report.floor, report.floor)
    return f"{counted(report.cases, 'case')}{distinct}, {kinds}: {word}. {sees[0].upper()}{sees[1:]}."


def warnings(report: EvalsetReport) -> list[str]:
    """What is to be said of the set as a whole."""
    return [finding.message for finding in report.findings if not finding.case_ids]


def facets(cases: Sequence[Case], rows: Sequence[CaseRow]) -> list[tuple[str, CaseFilter]]:
    """What the list can be narrowed to, each with its count."""
    kinds = Counter(case.kind for case in cases)
    sides = Counter(row.side.strip("()") for row in rows if row.side)
    tags = Counter(tag for case in cases for tag in case.tags)
    looked = sum(bool(row.looks) for row in rows)
    looks = Counter(look for row in rows for look in row.looks)
    found = [(f"{kind}s ({kinds[kind]})", CaseFilter(kind=kind)) for kind in ("failure", "guard") if kinds[kind]]
    found += [(f"{side} ({count})", CaseFilter(side=side)) for side, count in sorted(sides.items(), reverse=True)]
    found += [(f"to look at ({looked})", CaseFilter(look=ANY_LOOK))] if looked else []
    found += [(f"{name} ({looks[look]})", CaseFilter(look=look)) for look, name in LOOK_NAMES.items() if looks[look]]
    return found + [(f"tag {one_line(tag)} ({count})", CaseFilter(tag=tag)) for tag, count in tags.most_common()]


def narrowed(now: CaseFilter, more: CaseFilter) -> CaseFilter:
    """Both together; where both say something of the same kind, `more` holds."""
    return CaseFilter(
        more.kind or now.kind, more.side or now.side, more.tag or now.tag, more.look or now.look, now.text
    )
