"""A whole judged run on fakes: journal and engine are real; task model, judge, themes and person are rules."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fakes import FakeSkin, cases, facts, terms
from world import World

from ceopt_tui.core.judging_ports import (
    Level,
    OutputToJudge,
    OutputVerdict,
    PersonMark,
    RecordMark,
    Sheet,
    SheetItem,
    SheetOutcome,
    ThemesGrouping,
    Verdicts,
)
from ceopt_tui.core.plan.terms import JudgeTerms, Terms
from ceopt_tui.core.ports import Question, SelectionCase
from ceopt_tui.core.state.proposals import WRAP_UP
from ceopt_tui.core.themes import stable
from ceopt_tui.engine.parts import JudgeParts, Parts
from ceopt_tui.errors import NeedsPersonError
from schemas.evalset import Case
from schemas.judging_records import RubricBound, Theme
from schemas.records import ModelBound, Probed

RUBRIC = RubricBound(digest="rubric", text="useful?", lowest=1, highest=5, pass_at=4, primary="useful")
LEVELS = tuple(Level(float(level), str(level), f"level {level}") for level in range(1, 6))
JUDGE = ModelBound(role="judge", name="judge", model="fake/judge", endpoint="here")
WAIVED = "style is not at stake"
HELPFUL = "be exact"
WORTH = re.compile(r"worth (\d)")


def note(text: str, case: Case, sample: int) -> str:
    """An output that says what it is worth: 2 to 4 of 5, a point more once the text says how."""
    number, draw = int(case.id[1:]), hashlib.sha256(f"{text}|{case.id}|{sample}".encode()).digest()[0]
    level = 2 + (number % 3 == 0) + (draw % 4 == 0) + (HELPFUL in text)
    return f"note {number}.{sample} worth {level}" + (", exactly" if HELPFUL in text else "")


def same_note(text: str, case: Case, sample: int) -> str:
    """As `note`, every repeat the same."""
    return note(text, case, 0)


def worth(output: OutputToJudge) -> float:
    found = WORTH.search(output.output)
    return float(found[1]) if found else 1.0


@dataclass
class FakeJudge:
    """Reads what an output says it is worth, a few outputs a reply. `asked` is (case, output, sample, fresh).

    `favour` is added to outputs of the helpful text; `unsteady` makes a fresh verdict another one; `replies` may
    break the reply of a number (from 1): "failed", or an error to raise. `store` keeps verdicts over processes.
    """

    favour: float = 0.0
    unsteady: bool = False
    unscored: Callable[[OutputToJudge], bool] = lambda output: False
    replies: Callable[[int], str | Exception | None] = lambda number: None
    batch: int = 4
    feedback: Callable[[OutputToJudge], str] | None = None
    store: dict[tuple[str, str, int], OutputVerdict] | None = None
    asked: list[tuple[str, str, int, bool]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    count: int = 0

    async def judge(
        self, outputs: Sequence[OutputToJudge], sample: int, *, fresh: bool = False
    ) -> AsyncGenerator[Verdicts, None]:
        known = [] if fresh else [output for output in outputs if self._key(output, sample) in (self.store or {})]
        if known and self.store is not None:
            stored = (replace(self.store[self._key(output, sample)], id=output.id) for output in known)
            yield Verdicts(tuple(stored))
        missing = [output for output in outputs if output not in known]
        for start in range(0, len(missing), self.batch):
            yield self._reply(missing[start : start + self.batch], sample, fresh)

    def _reply(self, outputs: Sequence[OutputToJudge], sample: int, fresh: bool) -> Verdicts:
        self.count += 1
        broken = self.replies(self.count)
        if isinstance(broken, Exception):
            raise broken
        if broken:
            return Verdicts(tuple(OutputVerdict(one.id, unscored=broken, failed=True) for one in outputs))
        self.asked += [(one.case.id, one.output, sample, fresh) for one in outputs]
        self.ids += [one.id for one in outputs]
        verdicts = tuple(self._verdict(one, fresh) for one in outputs)
        if self.store is not None and not fresh:
            for one, verdict in zip(outputs, verdicts, strict=True):
                self.store[self._key(one, sample)] = verdict
        return Verdicts(verdicts, (facts("judge"),))

    def _verdict(self, output: OutputToJudge, fresh: bool) -> OutputVerdict:
        if self.unscored(output):
            return OutputVerdict(output.id, unscored="twice no verdict")
        score = min(5.0, worth(output) + self.favour * ("exactly" in output.output))
        if fresh and self.unsteady:
            score = 1.0 if score > 2 else 5.0
        said = self.feedback(output) if self.feedback else _says(output, score)
        return OutputVerdict(output.id, score, score >= 4, feedback=said)

    @staticmethod
    def _key(output: OutputToJudge, sample: int) -> tuple[str, str, int]:
        return output.case.id, output.output, sample


def _says(output: OutputToJudge, score: float) -> str:
    if score >= 4:
        return ""
    return "Say who is affected." if int(output.case.id[1:]) % 2 == 0 else "Say what to do."


@dataclass
class FakeThemes:
    """One theme for every different thing the judge said first. Remembers what it was shown."""

    seen: list[Sequence[SelectionCase]] = field(default_factory=list)

    async def group(self, selection: Sequence[SelectionCase], previous: tuple[Theme, ...]) -> ThemesGrouping:
        self.seen.append(selection)
        by_words: dict[str, list[str]] = {}
        for one in selection:
            by_words.setdefault(one.feedback[0] if one.feedback else "", []).append(one.case.id)
        unexplained = tuple(by_words.pop("", ()))
        groups = [(words, words, ids) for words, ids in by_words.items()]
        return ThemesGrouping(stable(previous, groups), unexplained)


@dataclass
class Person(FakeSkin):
    """Answers by question id (`says`) and scores sheets by a rule, which may say "stopped" or "discarded" instead."""

    says: Mapping[str, str] = field(default_factory=dict)
    marks: Callable[[SheetItem], PersonMark | SheetOutcome] | None = None
    sheets: list[Sheet] = field(default_factory=list)

    async def ask(self, question: Question) -> str:
        if question.id == WRAP_UP:
            return "done"
        self.asked.append(question)
        if question.id not in self.says:
            raise NeedsPersonError(question.question)
        return self.says[question.id]

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        self.sheets.append(sheet)
        if self.marks is None:
            raise NeedsPersonError("nobody scores")
        for item in sheet.items:
            if item.id in sheet.marks:
                continue
            given = self.marks(item)
            if not isinstance(given, PersonMark):
                return given
            await record(item.id, given)
        return "done"


def own_taste(item: SheetItem) -> PersonMark:
    """A person who sees what the outputs are worth."""
    found = WORTH.search(item.output)
    return PersonMark(float(found[1]) if found else 1.0, "as it says")


def judged_terms(
    count: int = 20, *, waived: str = WAIVED, judge: Mapping[str, Any] | None = None, **more: Any
) -> Terms:
    shown = {case.id: (str(case.input), str(case.expected)) for case in cases(count).values()}
    about = JudgeTerms("rubric", "fake/judge", batch_size=4, waived=waived, cases=shown)
    return terms(**{"judge": replace(about, **(judge or {})), "lowest": 1.0, "span": 4.0, "pass_at": 4.0, **more})


def passing() -> list[Probed]:
    return [Probed(probe="good above bad", status="passed", score=5.0, limit=2.0)]


@dataclass
class JudgedWorld(World):
    """`World` with a judge. Hand it `Person` as its skin to have it attended."""

    answer: Callable[..., object] = note
    terms: Terms = field(default_factory=judged_terms)
    judge: FakeJudge = field(default_factory=FakeJudge)
    themes: FakeThemes = field(default_factory=FakeThemes)
    probes: Sequence[Probed] = field(default_factory=passing)
    rubric: RubricBound = RUBRIC

    def parts(self) -> Parts:
        async def prober() -> Sequence[Probed]:
            return self.probes

        judging = JudgeParts(self.judge, self.rubric, LEVELS, prober, self.themes)
        labels = self.folder / "labels.yaml"
        return replace(super().parts(), judging=judging, models=(JUDGE,), labels_file=labels)
