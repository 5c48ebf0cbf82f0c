"""Scores replies that no rule can score: what a judge says of each planted thing, or by a rubric for each dimension."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ceopt_tui.core.ports import Completer, ResolvedModel
from ceopt_tui.core.statistics import mean
from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.scoring import Scored, golden_reply
from ceopt_tui.core.study.trust import is_trusted
from ceopt_tui.errors import CallFailed
from ceopt_tui.study.prompts import asked
from ceopt_tui.study.spending import together
from judges.cache import ReplyCache
from judges.judge import Judge
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.rubric import DEFAULT_SCALE, PASS_FAIL, Rubric, stated_scale
from schemas.record import CallFacts
from schemas.study_cases import JudgedAnswer, ProseAnswer, StudyCase
from schemas.study_loading import LoadedStudy

VERSION = 1
SAYS_NOTHING = "I have nothing to say about this."
_SAYS = (
    "Pass: the output says that the following holds, in whatever words. "
    "Fail: it does not say so, or denies it, or only repeats what it was asked.\n\n{thing}"
)


@dataclass(frozen=True)
class Judgement:
    """A score, and all calls that it took as one."""

    scored: Scored
    facts: CallFacts | None


class NotJudged(CallFailed):
    """The judge gave no score. `facts` is what it cost all the same."""

    def __init__(self, message: str, facts: CallFacts | None) -> None:
        super().__init__(message, reason=message, attempts=facts.attempts if facts else 0)
        self.facts = facts


class StudyJudging:
    """The judge of a study."""

    def __init__(
        self, loaded: LoadedStudy, model: ResolvedModel, completer: Completer, cache: ReplyCache | None = None
    ) -> None:
        self._loaded, self._model, self._completer, self._cache = loaded, model, completer, cache
        self._judges: dict[str, Judge] = {}

    async def score(self, case: StudyCase, reply: str, sample: int = 0) -> Judgement:
        """One yes or no for every planted thing, or one score for every dimension. NotJudged where one is missing."""
        parts = dict(rubrics_of(self._loaded, case))
        item = JudgedItem(case.id, asked(self._loaded, case).input, reply)
        judged = await asyncio.gather(*(self._judge(rubric).judge([item], sample) for rubric in parts.values()))
        facts = together([fact for one in judged for fact in one.calls])
        values: dict[str, float] = {}
        for (name, rubric), one in zip(parts.items(), judged, strict=True):
            verdict = one.verdicts[0]
            if verdict.score is None:
                raise NotJudged(f"the judge gave no score for {name}: {verdict.unscored}", facts)
            values[name] = (verdict.score - rubric.scale.low) / (rubric.scale.high - rubric.scale.low)
        return Judgement(Scored(mean(list(values.values())), _detail(case, values)), facts)

    async def orders(self, case: StudyCase) -> tuple[bool, CallFacts | None]:
        """Does it put a reply that is known to be good above one that says nothing?"""
        good = await self.score(case, golden_reply(case.answer))
        empty = await self.score(case, SAYS_NOTHING)
        facts = together([one.facts for one in (good, empty) if one.facts is not None])
        return good.scored.score > empty.scored.score, facts

    def _judge(self, rubric: Rubric) -> Judge:
        if rubric.text not in self._judges:
            settings = JudgeSettings(rubric, self._model, batch_size=1, seed=self._loaded.study.seed)
            self._judges[rubric.text] = Judge(self._completer, settings, store=self._cache)
        return self._judges[rubric.text]


def is_judge_trusted(loaded: LoadedStudy, state: StudyState) -> bool:
    """May scores of the study's judge be called measured?"""
    judge = loaded.study.judge
    return judge is None or is_trusted(state.judge_trials, judge_digest(loaded, judge.model))


def rubrics_of(loaded: LoadedStudy, case: StudyCase) -> Iterator[tuple[str, Rubric]]:
    """What the judge is asked about a reply to this case, by name."""
    answer = case.answer
    if isinstance(answer, ProseAnswer):
        for thing in answer.planted:
            yield thing, Rubric(_SAYS.format(thing=thing), PASS_FAIL)
    elif isinstance(answer, JudgedAnswer):
        for name, path in answer.dimensions.items():
            text = loaded.text(path).strip()
            yield name, Rubric(text, stated_scale(text) or DEFAULT_SCALE)


def judge_digest(loaded: LoadedStudy, model: str) -> str:
    """What a trial of the judge holds for: its model, and every rubric in the study."""
    texts = sorted({rubric.text for case in loaded.cases for _, rubric in rubrics_of(loaded, case)})
    return hashlib.sha256(json.dumps([VERSION, model, texts]).encode()).hexdigest()


def _detail(case: StudyCase, values: Mapping[str, float]) -> str:
    if isinstance(case.answer, ProseAnswer):
        return f"{sum(value == 1 for value in values.values())} of {len(values)}"
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items())
