"""What a run knows of its judge: the rubric, outputs that wait for a verdict, verdicts, a person's scores, themes.

Changed by the fold alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.judging_records import (
    Judged,
    JudgedRun,
    PeopleCompared,
    PersonScored,
    RubricBound,
    SheetClosed,
    Theme,
    ThemeEdited,
    ThemesGrouped,
)
from schemas.records import CaseRun

Place = tuple[str, str, int]  # text, case, sample: one output

SCORE_BLIND = "score blind first"  # a person's answer before they see by how much a winner won
NOT_NOW = "not now"
SAME_SHARE = 0.01  # of the scale's width: scores closer than this are the same score


def blind_question(number: int) -> str:
    """The id of the question that offers to score this experiment's candidate blind."""
    return f"blind-{number}"


def blind_sheet(number: int) -> str:
    """The name of the sheet on which it is scored."""
    return f"blind-{number}-1"


@dataclass
class JudgingState:
    """Empty in a run that is scored by checks."""

    rubric: RubricBound | None = None
    waiting: dict[Place, CaseRun] = field(default_factory=dict)  # in order of coming in
    verdicts: dict[Place, JudgedRun] = field(default_factory=dict)  # of the texts that still matter
    outputs: dict[Place, str] = field(default_factory=dict)  # what these are about
    again: dict[Place, JudgedRun] = field(default_factory=dict)  # second verdicts on the same outputs
    scored: int = 0  # verdicts with a score
    ambiguous: int = 0
    sheets: dict[str, dict[Place, PersonScored]] = field(default_factory=dict)
    closed_sheets: dict[str, SheetClosed] = field(default_factory=dict)
    people: dict[int, PeopleCompared] = field(default_factory=dict)  # by experiment
    groupings: list[ThemesGrouped] = field(default_factory=list)
    edits: list[ThemeEdited] = field(default_factory=list)

    def take(self, verdict: JudgedRun) -> CaseRun | None:
        """The run this verdict was waited for, with its score; None where nobody waits for it."""
        place = (verdict.text_digest, verdict.case_id, verdict.sample)
        run = self.waiting.pop(place, None)
        if run is None:
            return None
        self.verdicts[place], self.outputs[place] = verdict, run.output
        self.scored += verdict.score is not None
        self.ambiguous += verdict.ambiguous
        return run.model_copy(
            update={
                "score": verdict.score,
                "passed": verdict.passed,
                "unscored": verdict.unscored,
                "detail": verdict.feedback,
                "awaits_judge": False,
            }
        )

    def take_again(self, record: Judged) -> None:
        """Second verdicts, which score nothing and show how steady the judge is."""
        for verdict in record.verdicts:
            self.again[verdict.text_digest, verdict.case_id, verdict.sample] = verdict

    def mark(self, record: PersonScored) -> None:
        """The last word on an output counts: a person may go back."""
        self.sheets.setdefault(record.sheet, {})[record.text_digest, record.case_id, record.sample] = record

    def forget(self, text_digest: str) -> None:
        """Drops what waits for and was said about a text that nothing will look at again."""
        self.waiting = {place: run for place, run in self.waiting.items() if place[0] != text_digest}
        self.verdicts = {place: verdict for place, verdict in self.verdicts.items() if place[0] != text_digest}
        self.outputs = {place: output for place, output in self.outputs.items() if place[0] != text_digest}

    @property
    def open_sheets(self) -> list[str]:
        """Sheets a person has begun and not ended."""
        return [sheet for sheet in self.sheets if sheet not in self.closed_sheets]

    @property
    def flips(self) -> tuple[int, int]:
        """(outputs the judge scored differently the second time, outputs it was asked about twice)."""
        pairs = [(self.verdicts[place], second) for place, second in self.again.items() if place in self.verdicts]
        scored = [(one.score, two.score) for one, two in pairs if one.score is not None and two.score is not None]
        return sum(abs(one - two) > self._drift for one, two in scored), len(scored)

    @property
    def _drift(self) -> float:
        """Expected scores have many digits; what they differ by below this says nothing."""
        return SAME_SHARE * (self.rubric.highest - self.rubric.lowest) if self.rubric else 0.0

    @property
    def themes(self) -> tuple[Theme, ...]:
        """The last grouping, as the proposers and people see it."""
        return self.groupings[-1].themes if self.groupings else ()
