"""Runs a measurement in one pool and records every run the moment it is in.

The first call of a process goes alone: a dead endpoint is found at the price of one call. Calls that fail one after
the other stop the pool: an outage is not a score.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from itertools import count

from ceopt_tui.core.plan.actions import Measure, PlannedRun
from ceopt_tui.core.ports import Runner, RunResult, Scorer
from ceopt_tui.core.state.runs import CUT, EMPTY, FILTERED
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.errors import ProviderError
from schemas.evalset import Case
from schemas.records import CaseRun

FAILURES_IN_A_ROW = 5

Progress = Callable[[str, int, int], None]


class HarnessFailed(ProviderError):
    """The very first call failed for good: nothing could be measured."""


class Pool:
    """Carries out measurements with at most `concurrency` runs under way. Without a scorer, outputs await a judge."""

    def __init__(
        self,
        recorder: Recorder,
        runner: Runner,
        scorer: Scorer | None,
        cases: Mapping[str, Case],
        concurrency: int,
        progress: Progress,
    ) -> None:
        self._recorder = recorder
        self._runner = runner
        self._scorer = scorer
        self._cases = cases
        self._concurrency = concurrency
        self._progress = progress
        self._answered = False  # has any call of this process come back
        self._failures = 0

    async def measure(self, action: Measure, late: Callable[[], bool] = lambda: False) -> bool:
        """Runs everything planned; raises what ends the run after the calls under way are recorded.

        Nothing new starts once it is `late`; gives whether everything planned was run.
        """
        waiting, title, total = deque(action.runs), action.title, len(action.runs)
        done = count(1)
        self._progress(title, 0, total)

        def tell() -> None:
            self._progress(title, next(done), total)

        if not self._answered and waiting and not late():
            await self._one(waiting.popleft(), tell)
        workers = min(self._concurrency, len(waiting))
        working = (self._work(waiting, tell, late) for _ in range(workers))
        ended = await asyncio.gather(*working, return_exceptions=True)
        errors = [result for result in ended if isinstance(result, BaseException)]
        if errors:
            raise next((error for error in errors if not isinstance(error, asyncio.CancelledError)), errors[0])
        return not waiting

    async def _work(self, waiting: deque[PlannedRun], tell: Callable[[], None], late: Callable[[], bool]) -> None:
        while waiting and not late():
            try:
                await self._one(waiting.popleft(), tell)
            except BaseException:
                waiting.clear()  # nobody starts another call; those under way are still recorded
                raise

    async def _one(self, run: PlannedRun, tell: Callable[[], None]) -> None:
        case = self._cases[run.case_id]
        texts = self._recorder.state.texts[run.text_digest]
        result = await self._runner.run(texts, case, run.sample)
        await self._recorder.commit(self._record(run, case, result))
        tell()
        self._watch(run, result)

    def _watch(self, run: PlannedRun, result: RunResult) -> None:
        if result.error is None:
            self._answered, self._failures = True, 0
            return
        book = self._recorder.state.runs
        if not self._answered and not book.scored:
            raise HarnessFailed(
                f"the model did not answer, the first call failed: {result.error}",
                "Nothing was measured. Is its address right, is it up? `ceopt doctor` sends it one call.",
            )
        # What the final gain still lacks is all that is run again: failing again it is lost, and no outage.
        if run.step == "report" and (run.text_digest, run.case_id, run.step) in book.failed_before:
            return
        # A text that fails on the same case again is that text's fault, not the endpoint's.
        if book.failures.get((run.text_digest, run.case_id, run.step), 0) <= 1:
            self._failures += 1
        if not self._answered or self._failures >= FAILURES_IN_A_ROW:
            in_a_row = f"{self._failures} calls in a row failed, the last with"
            what = in_a_row if self._answered else "the model did not answer"
            hint = "What was measured is kept; run the same command again later."
            raise ProviderError(f"{what}: {result.error}", hint)

    def _record(self, run: PlannedRun, case: Case, result: RunResult) -> CaseRun:
        # Half a surrogate pair cannot be stored as UTF-8, and models do send them.
        output = result.output.encode("utf-8", "replace").decode("utf-8")
        unscored = result.error or (_no_output(result) if result.truncated else None)
        score = None if unscored or self._scorer is None else self._scorer(case, output)
        return CaseRun(
            text_digest=run.text_digest,
            case_id=run.case_id,
            sample=run.sample,
            step=run.step,
            experiment=run.experiment,
            output=output,
            score=score.score if score else None,
            passed=score.passed if score else None,
            unscored=unscored,
            detail=score.detail if score else "",
            truncated=result.truncated,
            facts=result.facts,
            awaits_judge=unscored is None and self._scorer is None,
        )


def _no_output(result: RunResult) -> str:
    """Why a reply that came is no output."""
    ended = result.facts.finish_reason if result.facts else "length"
    if ended == "content_filter":
        return FILTERED
    return CUT if ended == "length" or result.output.strip() else EMPTY
