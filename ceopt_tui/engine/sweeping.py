"""Runs texts on cases in one pool and scores them, without a journal: the reply cache keeps what was paid for.

A run that failed has no score; it is never a low one. Calls that fail one after the other end the sweep.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count

from ceopt_tui.core.evidence.noise import Runs
from ceopt_tui.core.judging_ports import OutputJudge, OutputToJudge
from ceopt_tui.core.ports import Runner, Scorer
from ceopt_tui.engine.measuring import FAILURES_IN_A_ROW, HarnessFailed, Progress
from ceopt_tui.errors import ProviderError
from schemas.evalset import Case

Place = tuple[str, str, int]  # text digest, case, sample
HINT = "Replies that came in are kept; the same command goes on from there."


@dataclass(frozen=True)
class SweepRun:
    """One run of a text on a case; `sample` numbers repeats from 0."""

    text_digest: str
    texts: Mapping[str, str]
    case: Case
    sample: int

    @property
    def place(self) -> Place:
        return self.text_digest, self.case.id, self.sample


class Sweep:
    """Outputs and scores of every run so far. A scorer scores at once, a judge after the runs of a call."""

    def __init__(
        self, runner: Runner, scorer: Scorer | None, judge: OutputJudge | None, concurrency: int, progress: Progress
    ) -> None:
        self._runner = runner
        self._scorer = scorer
        self._judge = judge
        self._concurrency = concurrency
        self._progress = progress
        self._outputs: dict[Place, str] = {}
        self._scores: dict[str, dict[str, dict[int, float]]] = {}  # text, case, sample
        self._failed_in_a_row = 0

    async def run(self, title: str, runs: Sequence[SweepRun]) -> None:
        """Carries out all runs. Raises ProviderError, BudgetError and what else ends all calls."""
        if not runs:
            return
        waiting, done = deque(runs), count(1)
        self._progress(title, 0, len(runs))

        def tell() -> None:
            self._progress(title, next(done), len(runs))

        if not self._outputs:  # a dead endpoint costs one call
            await self._one(waiting.popleft(), tell)
        ended = await asyncio.gather(
            *(self._work(waiting, tell) for _ in range(min(self._concurrency, len(waiting)))), return_exceptions=True
        )
        _raise_first(ended)
        if self._judge is not None:
            await self._score_outputs(self._judge, f"judging {title}", runs)

    def scores(self, text_digest: str) -> Runs:
        """Case -> its scores, in the order of the samples."""
        found = self._scores.get(text_digest, {})
        return {case: [score for _, score in sorted(scores.items())] for case, scores in found.items()}

    def repeats_itself(self, text_digest: str, cases: Collection[str], wanted: int) -> bool:
        """Did every case give the same output and the same score in all of `wanted` runs, two or more?"""
        scores = self.scores(text_digest)
        return wanted > 1 and all(
            len(scores.get(case, ())) == wanted
            and len(set(scores[case])) == 1
            and len({self._outputs[text_digest, case, sample] for sample in range(wanted)}) == 1
            for case in cases
        )

    def _score(self, place: Place, score: float) -> None:
        text_digest, case, sample = place
        self._scores.setdefault(text_digest, {}).setdefault(case, {})[sample] = score

    async def _work(self, waiting: deque[SweepRun], tell: Callable[[], None]) -> None:
        while waiting:
            try:
                await self._one(waiting.popleft(), tell)
            except BaseException:
                waiting.clear()
                raise

    async def _one(self, run: SweepRun, tell: Callable[[], None]) -> None:
        result = await self._runner.run(run.texts, run.case, run.sample)
        tell()
        if result.error is not None:
            self._failed_in_a_row += 1
            if not self._outputs:
                raise HarnessFailed(f"the model did not answer, the first call failed: {result.error}", HINT)
            if self._failed_in_a_row >= FAILURES_IN_A_ROW:
                message = f"{self._failed_in_a_row} calls in a row failed, the last with: {result.error}"
                raise ProviderError(message, HINT)
            return
        self._failed_in_a_row = 0
        self._outputs[run.place] = result.output
        if self._scorer is not None and not result.truncated:
            self._score(run.place, self._scorer(run.case, result.output).score)

    async def _score_outputs(self, judge: OutputJudge, title: str, runs: Sequence[SweepRun]) -> None:
        """Outputs of all texts mixed, under names that tell nothing of their text."""
        by_sample: dict[int, dict[str, SweepRun]] = defaultdict(dict)
        for run in runs:
            if run.place in self._outputs:
                by_sample[run.sample][_neutral_id(run.place)] = run
        done, total = count(1), sum(map(len, by_sample.values()))
        self._progress(title, 0, total)

        async def ask(sample: int, named: Mapping[str, SweepRun]) -> None:
            outputs = [
                OutputToJudge(name, named[name].case, self._outputs[named[name].place]) for name in sorted(named)
            ]
            async with aclosing(judge.judge(outputs, sample)) as parts:
                async for part in parts:
                    for verdict in part.verdicts:
                        self._progress(title, next(done), total)
                        if verdict.score is not None:
                            self._score(named[verdict.id].place, verdict.score)

        asked = (ask(sample, named) for sample, named in sorted(by_sample.items()))
        _raise_first(await asyncio.gather(*asked, return_exceptions=True))


def _neutral_id(place: Place) -> str:
    return hashlib.sha256(":".join(map(str, place)).encode()).hexdigest()[:12]


def _raise_first(ended: Sequence[object]) -> None:
    """An error says more than the cancellations it caused."""
    errors = [result for result in ended if isinstance(result, BaseException)]
    if errors:
        raise next((error for error in errors if not isinstance(error, asyncio.CancelledError)), errors[0])
