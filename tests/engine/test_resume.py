"""The heart of resume: whatever prefix of its journal a killed run left, the run ends as if nothing had happened."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBackend, FakeSkin, terms
from world import World, helps

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Action
from ceopt_tui.core.plan.plan import plan
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import RunResult
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.records import AnyRecord


def noisy(text: str, case: Any, sample: int) -> str:
    """Every run of every text is its own draw: a third passes, nine in ten once the text says how."""
    draw = hashlib.sha256(f"{text}|{case.id}|{sample}".encode()).digest()[0] / 256
    share = 0.9 if "be exact" in text else 0.35
    return f"answer {int(case.id[1:])}" if draw < share else "something else"


def failing(answer: Callable[..., Any]) -> Callable[..., Any]:
    """The same world, where one call of the first text fails and one of its answers is cut off."""

    def sometimes(text: str, case: Any, sample: int) -> Any:
        if text == "Answer.\n" and (case.id, sample) == ("c02", 1):
            return RunResult("", error="500: stub failure")
        if text == "Answer.\n" and (case.id, sample) == ("c04", 0):
            return RunResult("half an ans", truncated=True)
        return answer(text, case, sample)

    return sometimes


def losing(text: str, case: Any, sample: int) -> Any:
    """A world in which calls of the helpful text are never answered for one case."""
    lost = "be exact" in text and case.id == "c02"
    return RunResult("", error="context too long") if lost else helps("be exact")(text, case, sample)


WORLDS: dict[str, dict[str, Any]] = {
    "repeats itself": {"answer": helps("be exact"), "lines": ("be kind", "be exact"), "count": 12, "held_out": 6},
    "noisy": {"answer": noisy, "lines": ("be kind", "be exact"), "count": 12, "held_out": 6},
    "noisy, with failures": {
        "answer": failing(noisy),
        "lines": ("be kind", "be exact"),
        "count": 12,
        "held_out": 6,
    },
    "repeats itself, with failures": {
        "answer": failing(helps("be exact")),
        "lines": ("be exact",),
        "count": 12,
        "held_out": 6,
    },
    "out of budget": {
        "answer": noisy,
        "lines": ("be exact",),
        "count": 12,
        "held_out": 6,
        "terms": terms(budget=Caps(calls=130)),
    },
}


@dataclass
class Watching(FakeSkin):
    """Remembers what the planner would have done after every record."""

    planned: list[Action | None] = field(default_factory=list)
    terms: Terms = field(default_factory=terms)

    def recorded(self, record: AnyRecord) -> None:
        super().recorded(record)
        self.planned.append(next_action(self.state_of(), self.terms))

    state_of: Callable[[], RunState] = RunState


def next_action(state: RunState, known: Terms) -> Action | None:
    return plan(state, known, active_s=1.0, wall_s=1.0) if state.split else None


def ending(world: World) -> dict[str, Any]:
    """What a run came to, times and costs aside."""
    state = world.state
    gain = state.gain
    return {
        "keeps": [(keep.number, keep.text_digest) for keep in state.keeps],
        "outcome": state.finished and (state.finished.outcome, state.finished.exit_status, state.finished.reason),
        "baseline": state.baseline and (state.baseline.unscored, state.baseline.deterministic, state.baseline.mean),
        "report": state.stopped and report_markdown(state, world.terms),
        "stopped": state.stopped and (state.stopped.outcome, state.stopped.reason),
        "experiments": [(one.number, one.hypothesis.description, one.outcome) for one in state.experiments.values()],
        "changes": [(one.closed.fixed, one.closed.regressions) for one in state.experiments.values() if one.closed],
        "looks": [(look.number, look.level) for look in state.looks],
        "gain": gain and [round(value, 9) for value in (gain.before, gain.after, gain.gain, gain.low, gain.high)],
        "commits": world.backend.commits,
    }


def copied(records: Sequence[AnyRecord], folder: Path) -> None:
    folder.mkdir(parents=True)
    lines = b"".join(record.model_dump_json().encode() + b"\n" for record in records)
    (folder / JOURNAL_NAME).write_bytes(lines)


def branch_after(records: Sequence[AnyRecord], world: World) -> FakeBackend:
    done = sum(record.kind == "committed" for record in records)
    return FakeBackend(commits=list(world.backend.commits[:done]))


def cuts(records: Sequence[AnyRecord]) -> list[int]:
    """Every place to cut a journal after its approvals; within a pool of case runs every fourth one."""
    places = range(3, len(records))
    return [place for place in places if records[place - 1].kind != "case_run" or place % 4 == 0]


QUICK = {"noisy, with failures"}
MORE = [pytest.param(name, marks=() if name in QUICK else pytest.mark.exhaustive) for name in WORLDS]


@pytest.mark.parametrize("name", MORE)
async def test_a_run_cut_after_any_record_ends_the_same(name: str, tmp_path: Path) -> None:
    knobs = WORLDS[name]
    whole = World(tmp_path / "whole", **knobs)
    await whole.tick()
    expected, records = ending(whole), replay(whole.folder / JOURNAL_NAME).records
    assert whole.state.finished is not None
    for length in cuts(records):
        folder = tmp_path / str(length)
        copied(records[:length], folder)
        again = World(folder, **knobs, backend=branch_after(records[:length], whole))
        await again.tick()
        assert ending(again) == expected, f"cut after record {length}, {records[length - 1].kind}"
        runs = [record for record in replay(folder / JOURNAL_NAME).records if record.kind == "case_run"]
        samples = Counter((run.text_digest, run.case_id, run.sample) for run in runs)
        assert set(samples.values()) == {1}


@pytest.mark.parametrize("name", WORLDS)
async def test_a_replayed_state_plans_what_the_live_one_planned(name: str, tmp_path: Path) -> None:
    world = World(tmp_path, **WORLDS[name])
    skin = Watching(terms=world.terms)
    skin.state_of = lambda: world.state
    world.skin = skin
    await world.tick()
    state, known = RunState(), world.terms
    for record, planned in zip(replay(tmp_path / JOURNAL_NAME).records, skin.planned, strict=True):
        fold([record], state)
        assert next_action(state, known) == planned
    assert fold(replay(tmp_path / JOURNAL_NAME).records) == world.state


async def test_a_case_lost_before_a_kill_still_counts_as_lost_at_the_end(tmp_path: Path) -> None:
    knobs = {"answer": losing, "lines": ("be exact",), "count": 20, "held_out": 10}
    whole = World(tmp_path / "whole", **knobs)
    await whole.tick()
    expected, records = ending(whole), replay(whole.folder / JOURNAL_NAME).records
    assert whole.state.finished and "errors left 1 case without a score" in whole.state.finished.reason
    cut = next(place for place, record in enumerate(records) if record.kind == "stopped")
    copied(records[:cut], tmp_path / "cut")
    again = World(tmp_path / "cut", **knobs, backend=branch_after(records[:cut], whole))
    await again.tick()
    assert ending(again) == expected


async def test_a_commit_made_just_before_a_kill_is_found_again(tmp_path: Path) -> None:
    knobs = WORLDS["repeats itself"]
    whole = World(tmp_path / "whole", **knobs)
    await whole.tick()
    records = replay(whole.folder / JOURNAL_NAME).records
    cut = next(place for place, record in enumerate(records) if record.kind == "committed")
    copied(records[:cut], tmp_path / "cut")
    again = World(tmp_path / "cut", **knobs, backend=FakeBackend(commits=list(whole.backend.commits)))
    await again.tick()
    assert ending(again) == ending(whole)


async def test_a_run_killed_at_every_tenth_call_ends_the_same(tmp_path: Path) -> None:
    knobs = WORLDS["noisy"]
    whole = World(tmp_path / "whole", **knobs)
    await whole.tick()
    folder = tmp_path / "killed"
    backend = FakeBackend()
    kills = 0
    while True:
        world = World(folder, **knobs, backend=backend)
        try:
            await world.tick(runner=Dying(world.runner, 10))
            break
        except Power:
            kills += 1
    assert kills >= len(whole.runner.calls) // 10
    assert ending(world) == ending(whole)


class Power(BaseException):
    """The process is gone: nothing may catch it."""


@dataclass
class Dying:
    """A runner whose process ends after some calls."""

    runner: Any
    left: int

    async def run(self, texts: Any, case: Any, sample: int) -> Any:
        if self.left == 0:
            raise Power
        self.left -= 1
        return await self.runner.run(texts, case, sample)
