"""Any order of starts, kills, changes, answers and outages over the real engine: its journal keeps the laws."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fakes import digest_of, terms
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from journal_laws import check_laws, spent_twice
from mortal_world import Fuse, MortalBackend, MortalProposer, MortalRunner, MortalSkin, Power, Weather
from world import World

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.ports import Refusal
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.ending import end_run
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.records import AnyRecord, Approved, ModelBound, ReportWritten

CONCURRENCY = 4
LINES = ("be kind", "be exact", "be quiet", "be careless", "be rude", "be brief")
SHARES = {"be exact": 0.95, "be careless": 0.05}  # how often a text with this line is right
ENDINGS = {
    "finished": {ExitStatus.FINISHED},
    "waiting": {ExitStatus.WAITING},
    "blocked": {ExitStatus.NEEDS_PERSON, ExitStatus.STOPPED},
    "stopped": {ExitStatus.STOPPED, ExitStatus.REFUSED},
}


def answer(steady: bool, text: str, case: Any, sample: int) -> str:
    """Right in a known share of the cases, or of the runs where the world is not steady."""
    if "be quiet" in text:
        return ""
    share = next((share for line, share in SHARES.items() if line in text), 0.35)
    of = f"{share}|{case.id}" if steady else f"{text}|{case.id}|{sample}"
    draw = hashlib.sha256(of.encode()).digest()[0] / 256
    return f"answer {int(case.id[1:])}" if draw < share else "something else"


def polite(before: Any, after: Any) -> list[Refusal]:
    return [Refusal("leak", "rude")] if "be rude" in "".join(after.values()) else []


class RunMachine(RuleBasedStateMachine):
    """One run on one folder; every step that works on it is a start of its own, from what is on disk."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.fuse, self.weather = Fuse(), Weather()
        self.metric, self.version, self.calls = "measured", 0, 400
        self.limits: dict[str, Any] = {"max_iterations": 3, "plateau": 3}
        self.model = "fake/a"
        self.lost: Counter[tuple[str, str, int]] = Counter()
        self.seen: list[AnyRecord] = []
        self.disturbed = False  # by a kill, a failure or a lowered cap: the planner could not know what it would cost
        self.result: TickResult | None = None

    @initialize(steady=st.booleans(), approved=st.booleans())
    def begin(self, steady: bool, approved: bool) -> None:
        path = Path(self.folder.name) / "run"
        self.world = World(path, partial(answer, steady), count=12, held_out=6, approved=False)
        self.world.backend = MortalBackend(fuse=self.fuse, weather=self.weather)
        self.world.proposer = MortalProposer(LINES, fuse=self.fuse, weather=self.weather)
        self.world.skin = MortalSkin(fuse=self.fuse)
        self.runner = MortalRunner(self.world.runner, self.fuse, self.weather, self.calls, self.world.clock.advance)
        self._agree()
        if approved:
            self.approve()

    def teardown(self) -> None:
        try:
            if hasattr(self, "world"):
                self._comes_to_an_end()
        finally:
            self.folder.cleanup()

    @rule(seconds=st.none() | st.integers(0, 60), experiments=st.none() | st.integers(1, 2))
    def start(self, seconds: int | None, experiments: int | None) -> None:
        self._tick(seconds, experiments)

    @rule(moments=st.integers(0, 250), torn=st.booleans())
    def start_and_die(self, moments: int, torn: bool) -> None:
        self.fuse.left = moments
        try:
            self._tick(None, None)
        except Power:
            self.disturbed = True
        finally:
            self.fuse.left = None
        if torn and self.journal.exists():
            with self.journal.open("ab") as file:
                file.write(b'{"v":1,"seq":9999,"kind":"no')

    @rule(answers=st.lists(st.sampled_from(["proceed", "stop", "keep", "accept", "later", "refuse: no"]), max_size=4))
    def a_person_starts(self, answers: list[str]) -> None:
        self.world.skin.answers = list(answers)
        self._tick(None, None, attended=True)
        self.world.skin.answers = []

    @rule()
    def approve(self) -> None:
        asyncio.run(self._approve())

    @rule()
    def end(self) -> None:
        try:
            self.world.state = asyncio.run(end_run(self.world.folder, self.world.clock))
        except SetupError:
            assert self.world.state.started is None or self.world.state.finished is not None

    @rule(calls=st.sampled_from([120, 400, 900]), iterations=st.integers(1, 6))
    def change_limits(self, calls: int, iterations: int) -> None:
        self.disturbed |= calls < self.calls
        self.calls, self.limits = calls, {"max_iterations": iterations, "plateau": max(2, iterations - 1)}
        self._agree()

    @rule(metric=st.sampled_from(["measured", "otherwise"]))
    def change_the_metric(self, metric: str) -> None:
        self.metric = metric
        self._agree()

    @rule(model=st.sampled_from(["fake/a", "fake/b"]))
    def name_a_model(self, model: str) -> None:
        self.model = model

    @rule(hours=st.sampled_from([0.5, 9, 80]), asleep=st.booleans(), outage=st.booleans(), git_down=st.booleans())
    def wait_in_some_weather(self, hours: float, asleep: bool, outage: bool, git_down: bool) -> None:
        self.weather.outage, self.weather.git_down = outage, git_down
        worked_s = self.world.clock.seconds
        self.world.clock.advance(hours * 3600)
        if asleep:
            self.world.clock.seconds = worked_s

    @precondition(lambda self: self.world.state.finished is not None)
    @rule()
    def start_again_after_the_end(self) -> None:
        before = self.journal.read_bytes()
        finished = self.world.state.finished
        self._tick(None, None)
        if self.journal.read_bytes() == before and self.result is not None and self.result.status != "blocked":
            assert finished is not None and self.result.outcome == finished.outcome

    @invariant()
    def the_laws_hold(self) -> None:
        if not hasattr(self, "world") or not self.journal.exists():
            return
        records = replay(self.journal).records
        assert [one.seq for one in records[: len(self.seen)]] == [one.seq for one in self.seen]
        assert records[: len(self.seen)] == self.seen, "what was on record is on record"
        self.seen = records
        check_laws(records)
        fold(records)
        assert not spent_twice(self.runner.completed, self.lost)
        assert not self.runner.refused or self.disturbed or self.weather.failed, "planned past the cap"
        kept = [record.commit for record in records if record.kind == "committed"]
        made = [sha for sha, _ in self.world.backend.commits]
        assert kept == made[: len(kept)] and len(made) - len(kept) <= 1

    @property
    def journal(self) -> Path:
        return self.world.folder / JOURNAL_NAME

    def _agree(self) -> None:
        """The spec as the user's file has it now."""
        digest = f"{self.metric}, {self.calls}, {self.limits}"
        changes = {**self.limits, "approval_digest": digest, "caps": {"max_calls": float(self.calls)}}
        self.world.terms = terms(**changes, budget=Caps(self.calls))
        self.world.measurement_digest = self.metric
        self.runner.cap = self.calls

    async def _approve(self) -> None:
        with open_session(self.world.folder, self.world.clock, self.world.skin.recorded) as session:
            known = {"digest": self.world.terms.approval_digest, "caps": self.world.terms.caps}
            await session.recorder.commit(Approved(what="spec", **known), Approved(what="baseline", **known))
            self.world.state = session.state

    def _tick(self, seconds: float | None, experiments: int | None, attended: bool = False) -> None:
        self.world.terms = replace(self.world.terms, attended=attended)
        self.world.skin.records.clear()
        before = Counter(self.runner.completed)
        began = replay(self.journal).records
        self.result = None
        try:
            self.result = asyncio.run(
                self.world.tick(
                    seconds,
                    experiments,
                    runner=self.runner,
                    proposer=self.world.proposer,
                    guard=polite,
                    models=(ModelBound(role="task", name="cheap", model=self.model, endpoint="here"),),
                )
            )
        except GitError:  # before there is a run to park
            assert self.weather.git_down and not any(record.kind == "tick_started" for record in began)
            return
        finally:
            records = replay(self.journal).records
            self._count_what_was_lost(self.runner.completed - before, records[len(began) :])
            if any(record.kind == "run_started" for record in records[len(began) :]):
                self.runner.completed.clear()
                self.lost.clear()
        self._ended_well(records, len(began))

    def _count_what_was_lost(self, completed: Counter[tuple[str, str, int]], records: list[AnyRecord]) -> None:
        """Runs that came back and are not on record: at most as many as were under way when the process died."""
        texts = {digest_of({"prompt.md": text}): text for text, _, _ in completed}
        kept = Counter(
            (texts.get(one.text_digest, ""), one.case_id, one.sample) for one in records if one.kind == "case_run"
        )
        lost = completed - kept
        assert lost.total() <= (CONCURRENCY if self.fuse.blown else 0), lost
        self.lost += lost

    def _ended_well(self, records: list[AnyRecord], began: int) -> None:
        result = self.result
        assert result is not None
        assert result.exit_status in ENDINGS[result.status], result
        assert fold(records) == self.world.state, "a replay gives another state than the run had"
        for place, record in enumerate(records[began:], began):
            if isinstance(record, ReportWritten):
                told = next(iter(self.world.backend.published[-1].values())).decode()
                assert told == report_markdown(fold(records[:place]), self.world.terms)
        assert 0 <= self.world.state.active_s <= self.world.clock.seconds

    def _comes_to_an_end(self) -> None:
        """However it was treated, an approved run with nothing left for a person ends when left alone, and stays."""
        self.weather.outage = self.weather.git_down = False
        state: RunState = fold(replay(self.journal).records)
        self.metric, self.calls = state.started.measurement_digest if state.started else self.metric, 5000
        self.model = state.models["task"].model if "task" in state.models else self.model
        self._agree()
        self.approve()
        for _ in range(6):
            self._tick(None, None)
            self.the_laws_hold()
            if self.world.state.finished is not None:
                break
            if self.world.state.stopped and self.world.state.waiting.proposals:
                asyncio.run(end_run(self.world.folder, self.world.clock, refuse=True))
        assert self.world.state.finished is not None, self.result
        ended, result = self.journal.read_bytes(), self.result
        self._tick(None, None)
        assert self.journal.read_bytes() == ended and self.result == result


COMMON = {"deadline": None, "database": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}


def test_random_histories_keep_the_laws() -> None:
    run_state_machine_as_test(RunMachine, settings=settings(max_examples=25, stateful_step_count=12, **COMMON))


@pytest.mark.exhaustive
def test_many_long_random_histories_keep_the_laws() -> None:
    run_state_machine_as_test(RunMachine, settings=settings(max_examples=400, stateful_step_count=30, **COMMON))
