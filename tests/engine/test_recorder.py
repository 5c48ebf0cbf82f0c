"""The recorder tells everyone who waits how their write ended."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fakes import FakeClock

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.journal.journal import Journal
from schemas.records import AnyRecord, ExperimentClosed, Noted


async def test_an_observer_that_fails_leaves_the_state_as_the_journal_has_it(tmp_path: Path) -> None:
    def failing(record: AnyRecord) -> None:
        raise BrokenPipeError("nobody reads")

    journal = Journal.open(tmp_path, now=FakeClock().now)
    recorder = Recorder(journal, RunState(), failing)
    waiting = [recorder.commit(Noted(text=str(number)), Noted(text=f"{number} too")) for number in range(3)]
    ended = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), timeout=5)
    assert ended == [None] * 3
    assert len(recorder.state.notes) == 6
    assert recorder.untold == ["what shows the run failed on noted: BrokenPipeError: nobody reads"]
    journal.close()


async def test_a_record_that_cannot_be_folded_is_heard_and_the_next_write_still_works(tmp_path: Path) -> None:
    seen: list[AnyRecord] = []
    journal = Journal.open(tmp_path, now=FakeClock().now)
    recorder = Recorder(journal, RunState(), seen.append)
    with pytest.raises(KeyError):
        await asyncio.wait_for(recorder.commit(ExperimentClosed(number=9, outcome="reverted", reason="")), timeout=5)
    await asyncio.wait_for(recorder.commit(Noted(text="on")), timeout=5)
    assert [record.kind for record in seen] == ["noted"]
    journal.close()
