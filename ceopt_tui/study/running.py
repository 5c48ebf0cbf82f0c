"""Runs the cells of a study: each attempt is on record before it is made, and its end after. Decides no verdict."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, cast

from ceopt_tui.core.masking import mask
from ceopt_tui.core.ports import Runner, RunResult
from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.scoring import Unreadable, score_reply, word_search
from ceopt_tui.errors import BudgetError, CallFailed, CeoptError, ProviderError, SetupError, StorageError
from ceopt_tui.journal.journal import Journal
from ceopt_tui.study.judging import NotJudged, StudyJudging
from ceopt_tui.study.planning import StudyPlan
from ceopt_tui.study.prompts import asked, snapshot, whole_prompt
from ceopt_tui.study.work import Worker, left_behind, outcome
from schemas.record import CallFacts
from schemas.study_cases import ProseAnswer
from schemas.study_records import CellFailed, CellScored, CellStarted, StudyRecord, StudyStopped

Failed = Callable[[], CallFacts | None]
Progress = Callable[[int, int], None]
Keep = Callable[[Cell, str, str], None]  # cell, attempt, reply


class CellRunner:
    """Works through cells side by side. What ends the study is noted, and no further cell begins."""

    def __init__(
        self,
        plan: StudyPlan,
        runners: Mapping[str, Runner],
        journal: Journal[StudyRecord],
        state: StudyState,
        *,
        failed: Failed,
        progress: Progress,
        keep: Keep | None = None,
        judging: StudyJudging | None = None,
    ) -> None:
        self._plan = plan
        self._runners = runners
        self._journal = journal
        self._state = state
        self._failed = failed
        self._progress = progress
        self._keep = keep
        self._judging = judging
        self._ending: CeoptError | None = None
        self._done = 0

    async def run(self) -> None:
        """Runs every cell that is not settled.

        BudgetError, ProviderError and SetupError end the study; what was measured is on record, and so is the reason.
        """
        open_cells = [cell for cell in self._plan.cells if not self._state.is_settled(cell.id)]
        queue = iter(open_cells)
        workers = [self._work(queue, len(open_cells)) for _ in range(self._plan.loaded.study.parallel)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(worker) for worker in workers]
        except ExceptionGroup as faults:  # all are of one journal: the first says it
            raise faults.exceptions[0] from None
        if any(task.cancelled() for task in tasks):  # by what it called: cells are left that nobody would run
            raise asyncio.CancelledError
        if self._ending is not None:
            self._journal.append([StudyStopped(reason=self._ending.message)])
            raise self._ending

    async def _work(self, queue: Iterator[Cell], total: int) -> None:
        for cell in queue:
            if self._ending is not None:
                return
            await asyncio.sleep(0)  # what answers at once never yields, and an interrupt would wait for the last cell
            await self._attempt(cell)
            self._done += 1
            self._progress(self._done, total)

    async def _attempt(self, cell: Cell) -> None:
        """One attempt. Only a journal that cannot be written stops it from having an end."""
        number = len(self._state.attempts.get(cell.id, ())) + 1
        attempt, estimate = f"{cell.id}#{number}", self._plan.estimates[cell.id]
        self._journal.append(
            [CellStarted(attempt=attempt, cell=cell.id, usd=estimate.usd_most, calls=estimate.requests_most)]
        )
        try:
            end = await self._end_of(attempt, cell)
        except StorageError:
            raise
        except (BudgetError, ProviderError, SetupError) as error:
            self._ending = error
            end = self._failure(attempt, "stopped", error.message)
        except Exception as error:
            message = _printable(f"{type(error).__name__}: {error}")
            end = CellFailed(attempt=attempt, reason="pipeline", message=message, retryable=False)
        self._journal.append([end])

    async def _end_of(self, attempt: str, cell: Cell) -> CellScored | CellFailed:
        loaded = self._plan.loaded
        if cell.case.is_work:
            return await self._worked(attempt, cell)
        try:
            result = await self._runners[cell.target.id].run(
                snapshot(loaded, cell), asked(loaded, cell.case), cell.repeat
            )
        except CallFailed as error:
            return self._failure(attempt, "provider", error.message)
        if result.error is not None:
            return self._failure(attempt, "provider", result.error)
        if self._keep is not None:
            self._keep(cell, attempt, result.output)
        prompt = whole_prompt(loaded, cell)
        if cell.case.is_judged and _void(attempt, result) is None:
            end = await self._judged(attempt, cell, result, prompt)
        else:
            end = _scored(attempt, cell, result, prompt)
        return end.model_copy(update={"kept": self._keep is not None})

    async def _worked(self, attempt: str, cell: Cell) -> CellScored | CellFailed:
        """A score of what the program left behind."""
        loaded, worker = self._plan.loaded, cast(Worker, self._runners[cell.target.id])
        tree = loaded.tree(cell.case.files or "")
        files = {name: raw.decode("utf-8", "surrogateescape") for name, raw in tree.items()}
        with left_behind() as left:
            try:
                result = await worker.work(
                    snapshot(loaded, cell), asked(loaded, cell.case), cell.repeat, files, left.take
                )
            except CallFailed as error:
                return self._failure(attempt, "provider", error.message)
            if result.error is not None or not left.is_there:
                return self._failure(attempt, "provider", result.error or "it left nothing behind")
            if self._keep is not None:
                self._keep(cell, attempt, result.output)
            found = await outcome(loaded, cell.case, left)
        return CellScored(
            attempt=attempt,
            score=found.scored.score,
            detail=found.scored.detail,
            reply_sha256=_digest(result),
            facts=result.facts,
            regression=found.regression,
            kept=self._keep is not None,
        )

    async def _judged(self, attempt: str, cell: Cell, result: RunResult, prompt: str) -> CellScored | CellFailed:
        """A score by the judge. What it had cost when the study ended with it is not known: the most counts."""
        assert self._judging is not None
        digest, facts = _digest(result), result.facts
        try:
            found = await self._judging.score(cell.case, result.output, cell.repeat)
        except NotJudged as error:
            return self._unjudged(attempt, "judge", error, digest).model_copy(
                update={"facts": facts, "judged": error.facts}
            )
        except (BudgetError, ProviderError, SetupError) as error:
            self._ending = error
            return self._unjudged(attempt, "stopped", error, digest)
        answer = cell.case.answer
        search = word_search(answer, result.output, prompt) if isinstance(answer, ProseAnswer) else None
        return CellScored(
            attempt=attempt,
            score=found.scored.score,
            detail=found.scored.detail,
            reply_sha256=digest,
            facts=facts,
            judged=found.facts,
            word_search=search,
        )

    def _unjudged(
        self, attempt: str, reason: Literal["judge", "stopped"], error: CeoptError, digest: str
    ) -> CellFailed:
        return CellFailed(
            attempt=attempt,
            reason=reason,
            message=_printable(error.message),
            retryable=True,
            reply_sha256=digest,
        )

    def _failure(self, attempt: str, reason: Literal["provider", "stopped"], message: str) -> CellFailed:
        return CellFailed(
            attempt=attempt, reason=reason, message=_printable(message), retryable=True, facts=self._failed()
        )


def _printable(message: str) -> str:
    """What others said, as a record can hold it: no key, no half of a character."""
    return mask(message).encode("utf-8", "replace").decode("utf-8")


def _digest(result: RunResult) -> str:
    return hashlib.sha256(result.output.encode("utf-8", "surrogatepass")).hexdigest()


def _void(attempt: str, result: RunResult) -> CellFailed | None:
    """The end of a cell whose reply is not whole; None where it is."""
    if not result.truncated:
        return None
    why = "the reply was cut by its length limit" if result.output.strip() else "the reply is empty"
    return CellFailed(
        attempt=attempt,
        reason="truncated",
        message=why,
        retryable=False,
        reply_sha256=_digest(result),
        facts=result.facts,
    )


def _scored(attempt: str, cell: Cell, result: RunResult, prompt: str) -> CellScored | CellFailed:
    """The score of a reply. One that was cut, or cannot be read, has none, and is not asked for until it fits."""
    void = _void(attempt, result)
    if void is not None:
        return void
    digest = _digest(result)
    try:
        found = score_reply(cell.case.answer, result.output, prompt)
    except Unreadable as error:
        return CellFailed(
            attempt=attempt,
            reason="unreadable",
            message=str(error),
            retryable=False,
            reply_sha256=digest,
            facts=result.facts,
        )
    return CellScored(attempt=attempt, score=found.score, detail=found.detail, reply_sha256=digest, facts=result.facts)
