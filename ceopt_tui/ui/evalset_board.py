"""The eval set as the screen holds it: the draft, what is known of it, and which cases are listed. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ceopt_tui.evalset_edit import Draft
from ceopt_tui.ui.evalset_rows import (
    FIELDS,
    LABELS,
    CaseFilter,
    CaseRow,
    Held,
    case_facts,
    case_rows,
    facets,
    findings_of,
    safe_report,
    text_of,
)
from schemas.evalset import Case
from texttargets.evalset_check import EvalsetReport, Finding

LONGEST_SHOWN = 2_000  # characters of a field in the list; the whole of it is on the case's own screen
HIDDEN = "(hidden)"


@dataclass
class EvalSetBoard:
    """`report` may be of a moment ago: it is made again in the background after every change."""

    draft: Draft
    held: Held = field(default_factory=Held)
    report: EvalsetReport | None = None
    filter: CaseFilter = field(default_factory=CaseFilter)
    rows: dict[str, CaseRow] = field(default_factory=dict)
    listed: tuple[str, ...] = ()
    _listed_by: CaseFilter = field(default_factory=CaseFilter)
    _findings: dict[str, list[Finding]] = field(default_factory=dict)

    def refresh(self) -> None:
        """Brings rows and list up to what is known now.

        A case that was listed stays so until the filter is another: what a person works on does not vanish under the
        cursor, and the next key does not meet the case below it.
        """
        evalset = self.draft.evalset
        self._findings = findings_of(evalset, self.report, self.held)
        self.rows = {row.id: row for row in case_rows(evalset.cases, self.report, self.held, self._findings)}
        stay = set(self.listed) if self.filter == self._listed_by else set()
        self._listed_by = self.filter
        self.listed = tuple(
            case.id
            for case in evalset.cases
            if case.id in stay or self.filter.accepts(case, self.rows[case.id], self.held.hides(case.id))
        )

    def list_too(self, case_id: str) -> None:
        """Lists a case until the filter changes, whether it fits or not."""
        self.listed = (*self.listed, case_id)

    @property
    def cases(self) -> tuple[Case, ...]:
        return self.draft.evalset.cases

    @property
    def unsaved(self) -> bool:
        return self.draft.changed

    @property
    def facets(self) -> list[tuple[str, CaseFilter]]:
        return facets(self.cases, list(self.rows.values()))

    @property
    def shown_report(self) -> EvalsetReport | None:
        return None if self.report is None else safe_report(self.report, self.held)

    def facts(self, case: Case) -> list[tuple[str, str]]:
        """Labelled sentences about a case."""
        return case_facts(case, self.rows[case.id], self.held, self._findings.get(case.id, ()))

    def texts(self, case: Case) -> Sequence[tuple[str, str]]:
        """Its four fields with their labels, or what is said in their place."""
        if self.held.hides(case.id):
            return [(LABELS[name], HIDDEN) for name in FIELDS]
        return [(LABELS[name], _shortened(text_of(case, name))) for name in FIELDS]


def _shortened(text: str) -> str:
    left = len(text) - LONGEST_SHOWN
    return text if left <= 0 else f"{text[:LONGEST_SHOWN]}\n… {left:,} more characters: enter shows all"
