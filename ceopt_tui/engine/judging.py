"""Has outputs scored by the judge, those of all texts mixed under names that tell nothing of their text.

Every reply is on record, verdicts and price together, before the next one counts. What a judge says about held-out
outputs is dropped here: nothing that could be learnt from them goes further than their score.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from itertools import count

from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict, Verdicts
from ceopt_tui.core.plan.actions import Judge
from ceopt_tui.core.state.judging import Place
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.measuring import HarnessFailed, Progress
from ceopt_tui.engine.parts import JudgeParts, Parts, RunInputs
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.errors import ProviderError
from schemas.judging_records import Judged, JudgedRun

FAILED_REPLIES_IN_A_ROW = 3


def neutral_id(run_id: str, place: Place) -> str:
    """The name of an output for judges and people: always the same, and says nothing of its text, case or sample."""
    return hashlib.sha256(":".join((run_id, *map(str, place))).encode()).hexdigest()[:12]


async def judge_outputs(recorder: Recorder, inputs: RunInputs, parts: Parts, action: Judge, progress: Progress) -> None:
    """Scores all places of the action. ProviderError when the judge gives nothing several times in a row."""
    assert parts.judging is not None
    by_sample: dict[int, list[Place]] = defaultdict(list)
    for place in action.places:
        by_sample[place[2]].append(place)
    work = _Work(recorder, inputs, parts.judging, action, progress)
    progress(action.title, 0, len(action.places))
    asked = (work.judge(sample, places) for sample, places in sorted(by_sample.items()))
    ended = await asyncio.gather(*asked, return_exceptions=True)
    if errors := [result for result in ended if isinstance(result, BaseException)]:
        raise errors[0]


class _Work:
    """One action under way."""

    def __init__(
        self, recorder: Recorder, inputs: RunInputs, judging: JudgeParts, action: Judge, progress: Progress
    ) -> None:
        self._recorder = recorder
        self._inputs = inputs
        self._judging = judging
        self._action = action
        self._progress = progress
        self._done = count(1)
        self._failed_in_a_row = 0

    async def judge(self, sample: int, places: Sequence[Place]) -> None:
        """One sample of every output; repeats are judged as repeats."""
        state = self._recorder.state
        assert state.started is not None
        named = {neutral_id(state.started.run_id, place): place for place in places}
        outputs = [self._output(item_id, named[item_id]) for item_id in sorted(named)]
        replies = self._judging.judge.judge(outputs, sample, fresh=self._action.again)
        async with aclosing(replies) as parts:
            async for reply in parts:
                self._watch(reply)
                await self._recorder.commit(self._record(state, named, reply))
                for _ in reply.verdicts:
                    self._progress(self._action.title, next(self._done), len(self._action.places))

    def _output(self, item_id: str, place: Place) -> OutputToJudge:
        judging = self._recorder.state.judging
        output = judging.outputs[place] if self._action.again else judging.waiting[place].output
        return OutputToJudge(item_id, self._inputs.cases[place[1]], output)

    def _watch(self, reply: Verdicts) -> None:
        """Calls that fail one after the other are an outage, not a verdict on what was to be judged."""
        failed = bool(reply.verdicts) and all(verdict.failed for verdict in reply.verdicts)
        self._failed_in_a_row = self._failed_in_a_row + 1 if failed else 0
        judged = self._recorder.state.judging.scored
        if failed and not judged and self._failed_in_a_row >= FAILED_REPLIES_IN_A_ROW:
            raise HarnessFailed(f"the judge did not answer: {reply.verdicts[0].unscored}", "Try `ceopt doctor`.")
        if self._failed_in_a_row >= FAILED_REPLIES_IN_A_ROW:
            raise ProviderError(
                f"{self._failed_in_a_row} calls of the judge in a row failed, the last with: "
                f"{reply.verdicts[0].unscored}",
                "All outputs are kept; run the same command again later.",
            )

    def _record(self, state: RunState, named: Mapping[str, Place], reply: Verdicts) -> Judged:
        verdicts = tuple(_judged(state, named[verdict.id], verdict) for verdict in reply.verdicts)
        return Judged(verdicts=verdicts, calls=reply.calls, again=self._action.again)


def _judged(state: RunState, place: Place, verdict: OutputVerdict) -> JudgedRun:
    text_digest, case_id, sample = place
    return JudgedRun(
        text_digest=text_digest,
        case_id=case_id,
        sample=sample,
        score=verdict.score,
        passed=verdict.passed,
        unscored=None if verdict.unscored is None else f"judge: {verdict.unscored}",
        feedback="" if state.held_out(case_id) else verdict.feedback,
        ambiguous=verdict.ambiguous,
        secondary=dict(verdict.secondary),
    )
