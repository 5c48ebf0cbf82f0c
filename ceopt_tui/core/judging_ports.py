"""The seams of judging: outputs for a model that scores, and sheets of outputs for a person who does."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from schemas.evalset import Case
from schemas.judging_records import Theme
from schemas.records import CallFacts

if TYPE_CHECKING:  # ports stands on this module
    from ceopt_tui.core.ports import SelectionCase


@dataclass(frozen=True)
class OutputToJudge:
    """One output for the judge. `id` tells nothing of the text it came from."""

    id: str
    case: Case
    output: str


@dataclass(frozen=True)
class OutputVerdict:
    """The judge's word on one output: exactly one of `score` and `unscored`. `failed`: it was the call that failed.

    `raw` is the reply that could not be used.
    """

    id: str
    score: float | None = None
    passed: bool | None = None
    unscored: str | None = None
    feedback: str = ""
    ambiguous: bool = False
    secondary: Mapping[str, float | None] = field(default_factory=dict)
    failed: bool = False
    raw: str = ""


@dataclass(frozen=True)
class Verdicts:
    """What one reply of the judge settled, and the calls it took."""

    verdicts: tuple[OutputVerdict, ...]
    calls: tuple[CallFacts, ...] = ()


class OutputJudge(Protocol):
    """Scores outputs with a rubric on a model, in parts as replies come in; outputs of different texts in one call.

    `sample` makes repeats distinct samples. `fresh` reads no verdict that is known already. May raise what ends a run:
    AuthError, QuotaError, RateLimitError, BudgetError, ProviderError.
    """

    def judge(
        self, outputs: Sequence[OutputToJudge], sample: int, *, fresh: bool = False
    ) -> AsyncGenerator[Verdicts, None]: ...


@dataclass(frozen=True)
class Level:
    """One score of a rubric that a person can give by one key."""

    score: float
    key: str
    meaning: str


@dataclass(frozen=True)
class SheetItem:
    """One output on a scoring sheet. Nothing here says what the judge thinks or which text it came from."""

    id: str
    input: str
    output: str
    expected: str | None = None


@dataclass(frozen=True)
class PersonMark:
    """A person's score of one item; None: skipped."""

    score: float | None
    reason: str = ""


@dataclass(frozen=True)
class Sheet:
    """Outputs for a person to score one by one. `marks` holds what was scored before, by item id."""

    id: str
    title: str
    purpose: Literal["calibration", "blind"]
    rubric: str
    levels: tuple[Level, ...]
    items: tuple[SheetItem, ...]
    marks: Mapping[str, PersonMark] = field(default_factory=dict)


RecordMark = Callable[[str, PersonMark], Awaitable[None]]
SheetOutcome = Literal["done", "stopped", "discarded"]


@dataclass(frozen=True)
class ThemesGrouping:
    """Every failing selection case in exactly one theme or unexplained. `method`: "words" or the model that named."""

    themes: tuple[Theme, ...]
    unexplained: tuple[str, ...] = ()
    method: str = "words"
    calls: tuple[CallFacts, ...] = ()


class ThemeMaker(Protocol):
    """Groups what a judge says is wrong with failing selection cases; held-out cases never take that form.

    `previous` is what `ceopt_tui.core.themes.known_themes` gives, so that themes keep their ids. May raise what ends a
    run: AuthError, QuotaError, RateLimitError, BudgetError, ProviderError.
    """

    async def group(self, selection: Sequence[SelectionCase], previous: tuple[Theme, ...]) -> ThemesGrouping: ...
