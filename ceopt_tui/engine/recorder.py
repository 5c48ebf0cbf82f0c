"""Writes records, then believes them: journal first, state and observers after. One writer per run.

Records that arrive while a write is under way share the next write and its fsync. Whoever observes cannot stop them:
what is on disk is in the state, however the telling of it went.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ceopt_tui.core.state.fold import apply
from ceopt_tui.core.state.run import RunState
from ceopt_tui.journal.journal import Journal
from schemas.records import AnyRecord

Observer = Callable[[AnyRecord], None]


class Recorder:
    """Appends records durably and folds them into the state it holds."""

    def __init__(self, journal: Journal[AnyRecord], state: RunState, observe: Observer) -> None:
        self.state = state
        self._journal = journal
        self._observe = observe
        self.untold: list[str] = []  # why the observer could not take a record, each reason once
        self.first: Callable[[], Sequence[AnyRecord]] = tuple  # what has to be on record before all that waits
        self._queue: list[tuple[Sequence[AnyRecord], asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def commit(self, *records: AnyRecord) -> None:
        """Returns when the records are on disk and in the state. Raises StorageError when the disk refuses."""
        done = asyncio.get_running_loop().create_future()
        self._queue.append((records, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        await asyncio.shield(done)

    async def flush(self) -> None:
        """Waits for writes under way, also after a cancellation."""
        if self._writer and not self._writer.done():
            await asyncio.shield(self._writer)

    async def _write(self) -> None:
        while self._queue:
            batch, self._queue = self._queue, []
            records = [*self.first(), *(record for group, _ in batch for record in group)]
            try:
                written = await asyncio.to_thread(self._journal.append, records)
                for record in written:
                    apply(self.state, record)
                    self._tell(record)
            except BaseException as error:  # every waiter must hear of it
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                continue
            for _, done in batch:
                if not done.done():
                    done.set_result(None)

    def _tell(self, record: AnyRecord) -> None:
        try:
            self._observe(record)
        except Exception as error:
            reason = f"what shows the run failed on {record.kind}: {type(error).__name__}: {error}"
            if reason not in self.untold:
                self.untold.append(reason)
