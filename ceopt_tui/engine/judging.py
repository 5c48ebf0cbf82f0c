"""Has outputs scored by the judge, those of all texts mixed under names that tell nothing of their text.

Every reply is on record, verdicts and price together, before the next one counts. What a judge says about held-out
outputs is dropped here: nothing that could be learnt from them goes further than their score.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import count

from ceopt_tui.core.figures import counted
from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict, Verdicts
from ceopt_tui.core.plan.actions import Judge
from ceopt_tui.core.plan.lost import JUDGE
from ceopt_tui.core.state.judging import Place
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.begin import new_notes
from ceopt_tui.engine.measuring import HarnessFailed, Progress
from ceopt_tui.engine.parts import JudgeParts, Parts, RunInputs
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.errors import ProviderError
from schemas.judging_records import Judged, JudgedRun
from schemas.records import CallFacts

FAILED_REPLIES_IN_A_ROW = 3


def neutral_id(run_id: str, place: Place) -> str:
    """The name of an output for judges and people: always the same, and says nothing of its text, case or sample."""
    return hashlib.sha256(":".join((run_id, *map(str, place))).encode()).hexdigest()[:12]


async def judge_outputs(recorder: Recorder, inputs: RunInputs, parts: Parts, action: Judge, progress: Progress) -> None:
    """Scores all places of the action. ProviderError when the judge gives nothing several times in a row."""
    assert parts.judging is not None
    work = _Work(recorder, inputs, parts.judging, action, progress)
    progress(action.title, 0, len(action.places))
    await work.ask(action.places)
    if work.unanswered:  # the last calls of all failed: it takes another to tell chance from an outage
        await work.ask(work.take_unanswered())
    await work.settle()


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
        self._said: set[str] = set()
        self.unanswered: dict[Place, OutputVerdict] = {}  # since a reply came in
        self._failed_in_a_row = 0
        self._down = False  # an outage is on its way up; a late reply mends nothing

    async def ask(self, places: Iterable[Place]) -> None:
        """Every sample of every output; repeats are judged as repeats."""
        by_sample: dict[int, list[Place]] = defaultdict(list)
        for place in places:
            by_sample[place[2]].append(place)
        asked = (self._judge(sample, some) for sample, some in sorted(by_sample.items()))
        ended = await asyncio.gather(*asked, return_exceptions=True)
        if errors := [result for result in ended if isinstance(result, BaseException)]:
            raise errors[0]

    def take_unanswered(self) -> dict[Place, OutputVerdict]:
        """The outputs whose calls failed since a reply came in; they are counted no longer."""
        taken, self.unanswered, self._failed_in_a_row = self.unanswered, {}, 0
        return taken

    async def _judge(self, sample: int, places: Sequence[Place]) -> None:
        state = self._recorder.state
        assert state.started is not None
        named = {neutral_id(state.started.run_id, place): place for place in places}
        outputs = [self._output(item_id, named[item_id]) for item_id in sorted(named)]
        replies = self._judging.judge.judge(outputs, sample, fresh=self._action.again)
        async with aclosing(replies) as parts:
            async for reply in parts:
                await self._take(named, reply)

    async def _take(self, named: Mapping[str, Place], reply: Verdicts) -> None:
        """Puts a reply on record. Whether a call that failed says anything of its outputs shows with the next reply."""
        given = {named[verdict.id]: verdict for verdict in reply.verdicts}
        if given and all(verdict.failed and not self._failed_before(place) for place, verdict in given.items()):
            await self._record({}, reply.calls)
            known = {place[:2] for place in self.unanswered}
            self.unanswered |= given
            self._failed_in_a_row += any(place[:2] not in known for place in given)
            if self._failed_in_a_row >= FAILED_REPLIES_IN_A_ROW:
                await self.settle()
            return
        if reply.calls and not self._down and not any(verdict.failed for verdict in given.values()):
            given = {**self.take_unanswered(), **given}
        await self._record(given, reply.calls)

    async def settle(self) -> None:
        """Calls failed, and no reply came in since: outputs are lost where the judge answers about another, else wait.

        Raises ProviderError where it does not.
        """
        if not self.unanswered:
            return
        last = list(self.unanswered.values())[-1].unscored or ""
        self._down = self._down or not await self._answers()
        if self._down:
            raise self._outage(last)
        await self._record(self.take_unanswered(), ())

    async def _answers(self) -> bool:
        """Does the judge answer at all, about an output that it scored before?"""
        state, judging, answered = self._recorder.state, self._recorder.state.judging, False
        scored = (place for place, one in judging.verdicts.items() if one.score is not None)
        known = next((place for place in scored if judging.outputs[place].strip()), None)
        if known is None or state.started is None:
            return False
        item_id, case = neutral_id(state.started.run_id, known), self._inputs.cases[known[1]]
        asked = OutputToJudge(item_id, case, judging.outputs[known])
        async with aclosing(self._judging.judge.judge([asked], known[2], fresh=True)) as parts:
            async for reply in parts:
                await self._record({}, reply.calls)
                answered |= bool(reply.calls) and not any(verdict.failed for verdict in reply.verdicts)
        return answered

    def _failed_before(self, place: Place) -> bool:
        """A text that fails on the same case again in one tick is that text's fault, not the endpoint's."""
        judging, failures = self._recorder.state.judging, self._recorder.state.runs.failures
        run = judging.waiting.get(place)
        return run is not None and failures.get((run.text_digest, run.case_id, run.step), 0) > 0

    def _outage(self, last: str) -> ProviderError:
        """Calls that fail one after the other say nothing of what was to be judged."""
        if not self._recorder.state.judging.scored:
            return HarnessFailed(f"the judge did not answer: {last}", "Try `ceopt doctor`.")
        calls = counted(self._failed_in_a_row, "call")
        return ProviderError(
            f"{calls} of the judge failed{' one after the other' if self._failed_in_a_row > 1 else ''}, "
            f"the last with: {last}",
            "All outputs are kept; run the same command again later.",
        )

    def _output(self, item_id: str, place: Place) -> OutputToJudge:
        judging = self._recorder.state.judging
        output = judging.outputs[place] if self._action.again else judging.waiting[place].output
        return OutputToJudge(item_id, self._inputs.cases[place[1]], output)

    async def _record(self, given: Mapping[Place, OutputVerdict], calls: tuple[CallFacts, ...]) -> None:
        state, action = self._recorder.state, self._action
        # One reply speaks of several outputs: it is kept only where none of them is held out.
        keep_raw = not any(state.held_out(case_id) for _, case_id, _ in given)
        verdicts = tuple(_judged(state, place, verdict, keep_raw=keep_raw) for place, verdict in given.items())
        if verdicts or calls:
            judged = Judged(verdicts=verdicts, calls=calls, again=action.again)
            news = [note for note in new_notes(state, _unsteady(calls)) if note.text not in self._said]
            self._said.update(note.text for note in news)  # replies come in while the first of them is being written
            await self._recorder.commit(judged, *news)
        for _ in verdicts:
            self._progress(action.title, next(self._done), len(action.places))


def _unsteady(calls: Sequence[CallFacts]) -> list[str]:
    """What a refused option means for every score of this judge."""
    refusing = dict.fromkeys(facts.model for facts in calls if "temperature" in facts.dropped)
    return [f"judge not deterministic: {model} takes no temperature" for model in refusing]


def _judged(state: RunState, place: Place, verdict: OutputVerdict, *, keep_raw: bool) -> JudgedRun:
    text_digest, case_id, sample = place
    return JudgedRun(
        text_digest=text_digest,
        case_id=case_id,
        sample=sample,
        score=verdict.score,
        passed=verdict.passed,
        unscored=None if verdict.unscored is None else f"{JUDGE}{verdict.unscored}",
        feedback="" if state.held_out(case_id) else verdict.feedback,
        ambiguous=verdict.ambiguous,
        secondary=dict(verdict.secondary),
        raw=verdict.raw if keep_raw else "",
    )
