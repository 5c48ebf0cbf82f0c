"""Approvals, questions, a changed spec, a finished run, two sessions: who may go on, and what is asked only once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBackend, FakeClock, FakeSkin, terms
from world import World, helps

from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import BusyError, SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from schemas.records import BaselineMeasured, Finished, Stopped


async def test_without_approval_an_unattended_run_measures_the_baseline_and_waits(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False)
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("blocked", "needs_person", ExitStatus.NEEDS_PERSON)
    assert len(world.runner.calls) == 40
    assert world.state.status == "blocked" and world.state.asked is not None
    assert world.state.asked.question == "Start optimizing?"
    again = await world.tick()
    assert again.exit_status == ExitStatus.NEEDS_PERSON
    assert len(world.runner.calls) == 40
    asked = [record for record in world.skin.records if record.kind == "asked"]
    assert len(asked) == 1
    world.approved = True
    assert (await world.tick()).outcome == "improved"


async def test_a_person_is_asked_for_spec_baseline_and_keep_and_never_twice(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["proceed", "proceed", "keep"])
    result = await world.tick()
    assert result.outcome == "improved"
    assert [question.id for question in world.skin.asked] == ["spec", "baseline", "keep-1", "wrap-up"]
    spec, baseline, keep, _ = world.skin.asked
    assert spec.question == "Start measuring?" and "10 to tune on, 10 held out" in spec.message
    assert "Baseline   40%" in baseline.message and "4 to 42 calls an experiment" in baseline.message
    assert "+be exact" in keep.message
    assert [record.by for record in world.state.approvals.values()] == ["person", "person"]


async def test_the_spec_is_approved_before_the_first_paid_call(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["adjust the spec"])
    result = await world.tick()
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert not world.runner.calls
    world.skin.answers = ["proceed", "stop"]
    result = await world.tick()
    assert result.status == "blocked" and len(world.runner.calls) == 40
    world.skin.answers = ["proceed", "keep"]
    assert (await world.tick()).outcome == "improved"
    assert [question.id for question in world.skin.asked] == [
        "spec",
        "spec",
        "baseline",
        "baseline",
        "keep-1",
        "wrap-up",
    ]


async def test_a_person_who_refuses_a_keep_ends_that_experiment(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["proceed", "proceed", "refuse: it quotes an item"])
    result = await world.tick()
    assert result.outcome == "no_improvement" and not world.backend.commits
    closed = world.state.experiments[1].closed
    assert closed is not None
    assert (closed.outcome, closed.reason) == ("reverted", "refused by a person: it quotes an item")


async def test_a_no_is_to_the_text_the_same_idea_may_come_back_after_a_keep(tmp_path: Path) -> None:
    """By then its change is another text; for the text that was refused, it is not offered again."""

    def answer(text: str, case: Any, sample: int) -> str:
        number = int(case.id[1:])
        good = number % 3 == 0 or ("be exact", "be brief")[number % 3 - 1] in text
        return f"answer {number}" if good else "something else"

    world = World(tmp_path, answer, lines=("be exact", "be brief"), count=80, held_out=40, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["refuse: too strict", "keep", "keep"])
    await world.tick()
    ideas = [
        (one.hypothesis.description, one.closed and one.closed.outcome) for one in world.state.experiments.values()
    ]
    assert ideas == [("say: be exact", "reverted"), ("say: be brief", "kept"), ("say: be exact", "kept")]
    assert world.state.best_texts == {"prompt.md": "Answer.\nbe brief\nbe exact\n"}


async def test_a_question_left_open_is_asked_again_and_costs_nothing(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["proceed", "proceed"])
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    calls = len(world.runner.calls)
    world.skin.answers = ["keep"]
    assert (await world.tick()).outcome == "improved"
    report = 2 * 10  # the held-out cases repeat themselves: one run a side
    assert len(world.runner.calls) == calls + report


async def test_a_broken_case_is_kept_by_a_person_only(tmp_path: Path) -> None:
    def breaks_one(text: str, case: Any, sample: int) -> str:
        number = int(case.id[1:])
        if "be exact" in text:
            return "no" if number == 0 else f"answer {number}"
        return helps()(text, case, sample)

    alone = World(tmp_path / "alone", breaks_one)
    result = await alone.tick()
    closed = alone.state.experiments[1].closed
    assert closed is not None and closed.outcome == "deferred_needs_approval" and closed.broken == ("c00",)
    assert "would break c00" in closed.reason and result.exit_status == ExitStatus.NEEDS_PERSON
    allowed = World(tmp_path / "allowed", breaks_one, terms=terms(allow_broken=True))
    assert (await allowed.tick()).outcome == "improved"
    assert allowed.state.experiments[1].closed.regressions == ("c00",)
    asked = World(tmp_path / "asked", breaks_one, terms=terms(attended=True))
    asked.skin = FakeSkin(answers=["keep"])
    assert (await asked.tick()).outcome == "improved"


async def test_a_finished_run_stays_finished_and_costs_nothing(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    first = await world.tick()
    calls, journal = len(world.runner.calls), (tmp_path / JOURNAL_NAME).read_bytes()
    assert await world.tick() == first
    assert len(world.runner.calls) == calls
    assert (tmp_path / JOURNAL_NAME).read_bytes() == journal


async def test_changed_caps_are_approved_again_and_nothing_is_measured_again(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), terms=terms(attended=True, max_iterations=1))
    world.skin = FakeSkin()
    await world.tick()
    calls = len(world.runner.calls)
    world.terms = terms(attended=True, approval_digest="another", caps={"max_calls": 3000.0})
    world.skin = FakeSkin(answers=["proceed", "keep"])
    assert (await world.tick()).outcome == "improved"
    assert [question.id for question in world.skin.asked] == ["spec", "keep-1", "wrap-up"]
    assert len(world.runner.calls) == calls + 20
    asked = world.skin.asked[0]
    assert asked.title == "The spec or its caps are not as you approved them"
    assert asked.message.startswith("Changed    max_calls: 2,000 → 3,000\n\n")


class Changed(World):
    """The same world with another measurement."""

    cases_added: int = 0

    def inputs(self) -> RunInputs:
        return replace(super().inputs(), measurement_digest=self.measurement_digest)


async def test_a_changed_measurement_blocks_a_run_that_has_ideas(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), terms=terms(attended=True))
    await world.tick()  # parks at the keep question
    calls = len(world.runner.calls)
    world.measurement_digest = "measured otherwise"
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("blocked", "changed", ExitStatus.NEEDS_PERSON)
    assert "Put back what the run was" in result.reason and "--fresh" in result.reason
    assert len(world.runner.calls) == calls and world.state.status == "blocked"
    world.measurement_digest = "measured"
    world.skin.answers = ["keep"]
    assert (await world.tick()).outcome == "improved"


async def test_a_changed_measurement_before_the_first_idea_is_a_new_baseline(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False)
    await world.tick()
    world.measurement_digest, world.terms = "measured otherwise", terms(approval_digest="another")
    result = await world.tick()
    assert result.exit_status == ExitStatus.NEEDS_PERSON
    assert len(world.runner.calls) == 80 and world.state.runs.scored == 40
    assert sum(isinstance(record, BaselineMeasured) for record in world.skin.records) == 2
    assert world.state.spend.calls == 80
    world.approved = True
    assert (await world.tick()).outcome == "improved"


async def test_a_run_that_found_too_few_cases_goes_on_with_more(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), count=4, held_out=0)
    assert (await world.tick()).outcome == "too_few_cases"
    world.count, world.held_out, world.measurement_digest = 20, 10, "with more cases"
    assert (await world.tick()).outcome == "improved"
    outcomes = [record.outcome for record in world.skin.records if isinstance(record, Stopped | Finished)]
    assert outcomes == ["too_few_cases", "too_few_cases", "saturated", "improved"]


async def test_a_finished_run_with_a_changed_spec_does_not_pass_for_an_answer(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    await world.tick()
    calls, world.measurement_digest = len(world.runner.calls), "measured otherwise"
    result = await world.tick()
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert len(world.runner.calls) == calls


async def test_unfinished_edits_of_the_user_stop_a_run_before_anything_is_written(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), backend=FakeBackend(uncommitted=["prompt.md"]), approved=False)
    with pytest.raises(SetupError, match=r"prompt\.md has changes that are not committed"):
        await world.tick()
    assert not world.backend.prepared and not world.runner.calls and not world.skin.records


async def test_a_second_session_is_refused_at_once_naming_the_first(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    with open_session(tmp_path, FakeClock(), lambda record: None):
        begun = loop.time()
        with (
            pytest.raises(BusyError, match=r"in use by process \d+"),
            open_session(tmp_path, FakeClock(), lambda record: None),
        ):
            pass
        assert loop.time() - begun < 1


async def test_a_lock_left_by_a_dead_process_is_taken_over_with_a_note(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    (tmp_path / "lock-owner.json").write_text('{"pid": 4, "host": "elsewhere", "started": "2026-01-01T00:00:00+00:00"}')
    await world.tick()
    notes = [note.text for note in world.state.notes]
    assert notes == ["taken over from process 4 on elsewhere, since 2026-01-01T00:00:00+00:00, which ended without "
                     "closing the run"]  # fmt: skip


async def test_a_tick_ends_when_its_minutes_are_used_up(tmp_path: Path) -> None:
    clock = FakeClock()

    def slow(text: str, case: Any, sample: int) -> str:
        clock.advance(10)
        return helps("be exact")(text, case, sample)

    world = World(tmp_path, slow, clock=clock)
    result = await world.tick(max_active_s=60)
    assert (result.status, result.outcome, result.exit_status) == ("waiting", "time", ExitStatus.WAITING)
    assert world.state.active_s == pytest.approx(60) and world.state.status == "waiting"
    assert (await world.tick()).outcome == "improved"


async def test_an_interrupted_tick_is_closed_and_goes_on_later(tmp_path: Path) -> None:
    started = asyncio.Event()

    class Hanging:
        async def run(self, texts: Any, case: Any, sample: int) -> Any:
            started.set()
            await asyncio.Event().wait()

    world = World(tmp_path, helps("be exact"))
    task = asyncio.create_task(world.tick(runner=Hanging()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert world.state.last_tick is not None and world.state.last_tick.reason == "interrupted"
    assert (await world.tick()).outcome == "improved"
