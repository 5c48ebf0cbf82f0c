"""Journal records of judging: the rubric, verdicts, a person's own scores, themes of what the judge finds wrong."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.record import CallFacts, Record


class RubricBound(Record):
    """What the judge scores by, as it stands for this run. `digest` is over rubric, scale, fields and method."""

    kind: Literal["rubric_bound"] = "rubric_bound"
    digest: str
    text: str
    lowest: float
    highest: float
    two_level: bool = False
    pass_at: float
    primary: str
    secondary: tuple[str, ...] = ()


class JudgedRun(BaseModel):
    """A judge's verdict on one case run: `score` or the reason there is none, with the reply that could not be used.

    Held-out runs keep no feedback, and `raw` is empty where that reply spoke of a held-out run too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text_digest: str
    case_id: str
    sample: int
    score: float | None = None
    passed: bool | None = None
    unscored: str | None = None
    feedback: str = ""
    ambiguous: bool = False
    secondary: dict[str, float | None] = {}
    raw: str = ""


class Judged(Record):
    """One reply of the judge. `again`: outputs it had judged before, to see whether it repeats itself."""

    kind: Literal["judged"] = "judged"
    verdicts: tuple[JudgedRun, ...]
    calls: tuple[CallFacts, ...] = ()
    again: bool = False


class PersonScored(Record):
    """A person's score of one output on a scoring sheet, given without sight of the judge's. Null: skipped."""

    kind: Literal["person_scored"] = "person_scored"
    sheet: str
    text_digest: str
    case_id: str
    sample: int
    score: float | None = None
    reason: str = ""


class SheetClosed(Record):
    """A scoring sheet is done with. Scores of a discarded sheet count for nothing; they were given to try it out."""

    kind: Literal["sheet_closed"] = "sheet_closed"
    sheet: str
    purpose: Literal["calibration", "blind"]
    outcome: Literal["done", "stopped", "discarded"]
    rubric_digest: str
    judge_model: str
    number: int | None = None  # the experiment whose candidate was scored blind


class PeopleFigures(BaseModel):
    """A gain on people's scale; see `ceopt_tui.core.evidence.people`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: Literal["ppi", "people", "side_by_side"]
    labelled: int
    judged_only: int
    gain: float
    low: float
    high: float
    p: float
    people_mean: float
    judge_mean: float
    judge_favour: tuple[float, float, float]
    judge_is_partial: bool


class PeopleCompared(Record):
    """What blind scores say about a candidate. `confirms` is null where they are too few for a verdict."""

    kind: Literal["people_compared"] = "people_compared"
    number: int
    figures: PeopleFigures
    confirms: bool | None = None


class Theme(BaseModel):
    """Failing selection cases with one thing that would have to change. `id` stays while its cases come and go."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    change: str  # what would have to change, in one sentence
    cases: tuple[str, ...]


class ThemesGrouped(Record):
    """All failing selection cases of one text: each in one theme or unexplained."""

    kind: Literal["themes_grouped"] = "themes_grouped"
    text_digest: str
    generation: int
    themes: tuple[Theme, ...]
    unexplained: tuple[str, ...] = ()
    method: str = "words"  # or the model that named them
    calls: tuple[CallFacts, ...] = ()


class ThemeEdited(Record):
    """A person's word on a theme; it holds through every later grouping."""

    kind: Literal["theme_edited"] = "theme_edited"
    op: Literal["rename", "merge", "split", "dismiss", "restore"]
    theme: str
    into: str | None = None  # merge: the theme that takes the cases; split: the new theme's id
    name: str | None = None
    cases: tuple[str, ...] = ()  # split: those that leave
