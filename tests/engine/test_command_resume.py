"""A run that a command measures, cut after any record, ends as if nothing had happened, and measures nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_run_world import SECRET, CommandRun, Edit, command_terms
from test_resume import copied

from ceopt_tui.core.state.fold import fold
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.records import AnyRecord

# A winner, a runner-up in another file and a crash in the first batch; then one its reader has reverted, one too slow.
EDITS = (
    Edit(60),
    Edit(70, files=("src/b.py",)),
    Edit(50, crashes=True),
    Edit(20, objection="it measures nothing"),
    Edit(120),
)


def world(folder: Path, **more: Any) -> CommandRun:
    return CommandRun(folder, edits=EDITS, terms=command_terms(), **more)


def journal(folder: Path) -> list[AnyRecord]:
    return list(replay(folder / JOURNAL_NAME).records)


def ending(run: CommandRun) -> dict[str, Any]:
    """What a run came to, times aside."""
    state = run.state
    return {
        "kept": [(keep.number, keep.commit) for keep in state.keeps],
        "outcomes": {one.number: (one.outcome, one.closed and one.closed.reason) for one in state.experiments.values()},
        "stopped": state.stopped and (state.stopped.outcome, state.stopped.reason, state.stopped.no_gain),
        "finished": state.finished and (state.finished.outcome, state.finished.reason, state.finished.exit_status),
        "gain": state.gain and (state.gain.before, state.gain.after),
        "report": report_markdown(state, run.terms),
        "branch": run.store["branch"],
    }


def samples(records: Sequence[AnyRecord]) -> Counter[Any]:
    return Counter(
        (one.commit, one.experiment, one.pairing, one.workload, one.arm, one.sample)
        for one in records
        if one.kind == "command_measured"
    )


def kept_in(records: Sequence[AnyRecord]) -> list[str]:
    return ["base", *(one.commit for one in records if one.kind == "committed")]


async def test_the_whole_run_keeps_the_winner_and_the_runner_up_on_top_of_it(tmp_path: Path) -> None:
    run = world(tmp_path)
    await run.tick()
    outcomes = {one.number: one.outcome for one in run.state.experiments.values()}
    assert outcomes == {1: "kept", 2: "runner_up_kept", 3: "error", 4: "reverted", 5: "reverted"}
    assert run.store["branch"] == ["base", "c1", "c2+c1"]
    assert run.state.gain and (run.state.gain.before, run.state.gain.after) == (100, 55)


async def test_cut_after_any_record_it_ends_the_same_and_measures_nothing_twice(tmp_path: Path) -> None:
    whole = world(tmp_path / "whole")
    await whole.tick()
    expected, records = ending(whole), journal(whole.folder)
    begun = next(place for place, record in enumerate(records) if record.kind == "run_started") + 1
    for length in range(begun, len(records)):
        where = f"cut after record {length}, {records[length - 1].kind}"
        folder = tmp_path / str(length)
        copied(records[:length], folder)
        again = world(folder, store={"branch": kept_in(records[:length])})
        await again.tick()
        assert ending(again) == expected, where
        after = journal(folder)
        assert set(samples(after).values()) == {1} and samples(after) == samples(records), where
        assert len(again.bench.calls) == samples(records).total() - samples(records[:length]).total(), where
        assert fold(after) == again.state, where


async def test_a_keep_that_reached_the_branch_and_not_the_journal_is_not_made_twice(tmp_path: Path) -> None:
    whole = world(tmp_path / "whole")
    await whole.tick()
    records = journal(whole.folder)
    for place, record in enumerate(records):
        if record.kind != "committed":
            continue
        folder = tmp_path / str(place)
        copied(records[:place], folder)
        again = world(folder, store={"branch": kept_in(records[: place + 1])})
        await again.tick()
        assert ending(again) == ending(whole), record


async def test_one_experiment_a_start_and_no_time_at_all_come_to_the_same_end(tmp_path: Path) -> None:
    whole = world(tmp_path / "whole")
    await whole.tick()
    store: dict[str, list[str]] = {"branch": ["base"]}
    idle = world(tmp_path / "steps", store=store)
    assert (await idle.tick(max_active_s=0.0)).outcome == "time" and not idle.bench.calls
    for _ in range(10):
        run = world(tmp_path / "steps", store=store)
        result = await run.tick(max_experiments=1)
        if result.status == "finished":
            break
        assert result.outcome == "ticks"
    assert ending(run) == ending(whole)


@pytest.mark.parametrize("secret", [SECRET, "holdout"])
async def test_editors_are_told_nothing_held_out(secret: str, tmp_path: Path) -> None:
    run = world(tmp_path)
    await run.tick()
    held_out = [one for one in journal(tmp_path) if one.kind == "command_measured" and one.workload == "holdout"]
    assert held_out and all(SECRET in str(one) for one in held_out)
    assert len(run.maker.told) >= 7
    assert not [recipe for recipe in run.maker.told if secret in repr(recipe)]
