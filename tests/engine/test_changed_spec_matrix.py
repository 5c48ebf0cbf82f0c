"""Every kind of change of a spec at every moment of a run: goes on, approved again, measured afresh, or blocked."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBackend, FakeClock
from triage_project import CONTRACT, git, label, make_project
from world import World

from ceopt_tui.engine.bound_files import COPIES_NAME, REPLACED, put_back
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import SetupError, StorageError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.inputs import open_project, run_inputs, terms_of
from schemas.records import Approved

BASELINE_CALLS = 4 * 6
SPEC, EVALSET = "spec.yaml", "evals/triage.yaml"
STOPPING = "max_iterations: 1, target_reached: false"
LINES = ("Be kind.", "Be brief.", f"{CONTRACT}: returns, billing, delivery.")


def written(place: str, old: str, new: str) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        text = (root / place).read_text("utf-8")
        assert old in text
        (root / place).write_text(text.replace(old, new), "utf-8")

    return write


def added(line: str) -> Callable[[Path], None]:
    return written(SPEC, "description:", f"{line}\ndescription:")


FREE = {
    "cap": written(SPEC, STOPPING, f"{STOPPING}, max_calls: 900"),
    "stop rule": written(SPEC, STOPPING, f"{STOPPING}, plateau_iterations: 7"),
    "goal": written(SPEC, "Route a support message", "Route every support message"),
    "proposer": written(SPEC, "kind: mechanical", "kind: mechanical, edits: 2"),
    "constraint": added("constraints: [never guess]"),
    "patience": added("runner: {timeout_s: 5}"),
    "price": written(SPEC, "concurrency: 4", "concurrency: 4, usd_per_mtok: {in: 1, out: 2}"),
    "protected rule": written(SPEC, "files: [prompts/triage.md]", "files: [prompts/triage.md], protect: [Triage]"),
}
BOUND = {
    "metric": written(SPEC, "name: pass_rate", "name: accuracy"),
    "runner": added("runner: {params: {temperature: 0.5}}"),
    "model": written(SPEC, "concurrency: 4", "concurrency: 4, model: openai/gpt-4o"),
    "eval set": written(EVALSET, "Case 3:", "Case 3, once more:"),
    "split": written(SPEC, "evals/triage.yaml, seed: 7", "evals/triage.yaml, seed: 8"),
    "scope": added("scope: {mutable: [prompts/triage.md], immutable: [evals/triage.yaml, checks.py]}"),
    "comparison": added("caution: high"),
    "role of the text": written(SPEC, "files: [prompts/triage.md]", "files: [prompts/triage.md], role: user"),
}


@dataclass
class OnFiles(World):
    """A world whose spec, eval set and text are real files; who answers stays a rule."""

    root: Path = Path()
    said: list[TickResult] = field(default_factory=list)
    attended: bool = False

    def inputs(self) -> RunInputs:
        project = open_project(self.root / SPEC)
        self.terms = terms_of(project, attended=self.attended, usd_per_run=None)
        return run_inputs(project, ())

    def start(self, **limits: Any) -> TickResult:
        self.said.append(asyncio.run(self.tick(**limits)))
        return self.said[-1]

    def approve(self) -> None:
        asyncio.run(self._approve())

    async def _approve(self) -> None:
        self.inputs()
        known = {"digest": self.terms.approval_digest, "caps": self.terms.caps}
        with open_session(self.folder, self.clock, self.skin.recorded) as session:
            await session.recorder.commit(Approved(what="spec", **known), Approved(what="baseline", **known))

    def kinds(self, kind: str) -> list[Any]:
        return [record for record in self.skin.records if record.kind == kind]


def triage(clock: FakeClock) -> Callable[..., str]:
    """The text passes a case of three, and every case with the contract; a call takes a second."""

    def answer(text: str, case: Any, sample: int) -> str:
        clock.advance(1)
        number = int(case.id[1:])
        return label(number) if CONTRACT in text or number % 9 < 3 else f"This belongs to {label(number)}."

    return answer


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = make_project(tmp_path_factory.mktemp("made"), "http://127.0.0.1:9/v1", cases=12, stopping=STOPPING)
    (place.root / "checks.py").write_text("", "utf-8")
    git(place.root, "add", "--all")
    git(place.root, "commit", "--quiet", "--message", "checks")
    return place.root


@pytest.fixture
def world(repository: Path, tmp_path: Path) -> OnFiles:
    shutil.copytree(repository, tmp_path / "repo")
    clock = FakeClock()
    made = OnFiles(tmp_path / "state", triage(clock), lines=LINES, approved=False, clock=clock, root=tmp_path / "repo")
    made.backend = FakeBackend()
    return made


def before_the_baseline(world: OnFiles) -> None:
    assert world.start(max_active_s=10).outcome == "time"
    assert world.state.baseline is None and world.state.runs.scored == 10


def after_the_baseline(world: OnFiles) -> None:
    assert world.start().outcome == "needs_person"
    assert world.state.baseline is not None and not world.state.hypotheses


def after_ideas(world: OnFiles) -> None:
    world.approve()
    assert world.start(max_active_s=BASELINE_CALLS + 2).outcome == "time"
    assert world.state.current is not None


def finished(world: OnFiles) -> None:
    world.approve()
    assert world.start().outcome == "no_improvement"


EARLY = [before_the_baseline, after_the_baseline]
MOMENTS = pytest.mark.parametrize("moment", [*EARLY, after_ideas, finished])
FREE_KEYS = pytest.mark.parametrize("change", FREE.values(), ids=FREE)
BOUND_KEYS = pytest.mark.parametrize("change", BOUND.values(), ids=BOUND)


@FREE_KEYS
@pytest.mark.parametrize("moment", EARLY)
def test_a_free_change_before_the_first_idea_keeps_what_is_measured(
    change: Callable[[Path], None], moment: Callable[[OnFiles], None], world: OnFiles
) -> None:
    moment(world)
    change(world.root)
    assert world.start().outcome == "needs_person"
    assert len(world.runner.calls) == len(set(world.runner.calls)) == BASELINE_CALLS
    assert len(world.kinds("run_started")) == len(world.kinds("baseline_measured")) == 1
    world.approve()
    assert world.start().outcome == "no_improvement"


@FREE_KEYS
def test_a_free_change_in_the_loop_is_approved_and_the_run_goes_on(
    change: Callable[[Path], None], world: OnFiles
) -> None:
    after_ideas(world)
    change(world.root)
    calls = len(world.runner.calls)
    old, new = (world.folder / "spec.yaml").read_bytes(), (world.root / SPEC).read_bytes()
    asked = world.start()
    assert (asked.status, asked.outcome, asked.exit_status) == ("blocked", "needs_person", ExitStatus.NEEDS_PERSON)
    assert world.state.asked is not None
    told = [line[11:] for line in world.state.asked.message.split("\n\n")[0].splitlines()]
    lines = [line for line in new.decode().splitlines() if line not in old.decode().splitlines()]
    assert {f"+ {line.strip()}" for line in lines} <= set(told), "what changed is said"
    assert len(world.runner.calls) == calls, "nothing is paid under terms nobody approved"
    world.approve()
    assert world.start().outcome == "no_improvement"
    assert len(world.runner.calls) == len(set(world.runner.calls)), "nothing is measured twice"
    assert [one.number for one in world.kinds("experiment_started")] == [1]


@FREE_KEYS
def test_a_free_change_leaves_an_ended_run_ended(change: Callable[[Path], None], world: OnFiles) -> None:
    finished(world)
    calls = len(world.runner.calls)
    change(world.root)
    assert world.start() == world.said[0]
    assert len(world.runner.calls) == calls


def test_a_raised_limit_is_approved_before_an_ended_run_goes_on(world: OnFiles) -> None:
    finished(world)
    calls = len(world.runner.calls)
    written(SPEC, "max_iterations: 1", "max_iterations: 5")(world.root)
    assert world.start().outcome == "needs_person" and len(world.runner.calls) == calls
    world.approve()
    assert world.start().status == "finished"
    assert [one.number for one in world.kinds("experiment_started")] == [1, 2, 3]
    assert len(world.runner.calls) == len(set(world.runner.calls))


@BOUND_KEYS
@pytest.mark.parametrize("moment", EARLY)
def test_a_bound_change_before_the_first_idea_measures_afresh(
    change: Callable[[Path], None], moment: Callable[[OnFiles], None], world: OnFiles
) -> None:
    moment(world)
    paid, name = len(world.runner.calls), world.state.started.run_id
    change(world.root)
    assert world.start().outcome == "needs_person"
    assert len(world.runner.calls) == paid + BASELINE_CALLS, "all of it again"
    assert world.state.started.run_id == name and world.state.baseline is not None
    assert any("the baseline is measured afresh" in note.text for note in world.state.notes)
    world.approve()
    assert world.start().outcome == "no_improvement"


@BOUND_KEYS
@pytest.mark.parametrize("moment", [after_ideas, finished])
def test_a_bound_change_later_blocks_until_it_is_put_back(
    change: Callable[[Path], None], moment: Callable[[OnFiles], None], world: OnFiles
) -> None:
    moment(world)
    calls, commits = len(world.runner.calls), list(world.backend.commits)
    before = {place: (world.root / place).read_bytes() for place in (SPEC, EVALSET)}
    change(world.root)
    own = {place: (world.root / place).read_bytes() for place in (SPEC, EVALSET)}
    (place,) = (place for place in own if own[place] != before[place])
    blocked = world.start()
    assert (blocked.status, blocked.outcome, blocked.exit_status) == ("blocked", "changed", ExitStatus.NEEDS_PERSON)
    assert blocked.reason.startswith(place) and "--restore" in blocked.reason and "--fresh" in blocked.reason
    assert (len(world.runner.calls), world.backend.commits) == (calls, commits), "neither paid nor touched"
    assert put_back(world.folder, world.root, world.clock.now()) == [place]
    assert (world.root / place).read_bytes() == before[place]
    (kept,) = (path for path in (world.folder / REPLACED).rglob("*") if path.is_file())
    assert kept.read_bytes() == own[place], "what the user had written is kept"
    assert world.start().outcome == "no_improvement", "and nobody is asked again"
    assert len(world.runner.calls) == len(set(world.runner.calls))


def test_the_copies_are_those_of_the_measurements_in_force(world: OnFiles) -> None:
    after_the_baseline(world)
    BOUND["eval set"](world.root)
    world.approve()
    assert world.start(max_experiments=1).outcome == "no_improvement", "measured afresh and on into the loop"
    second = (world.root / EVALSET).read_bytes()
    written(EVALSET, "Case 4:", "Case 4, once more:")(world.root)
    assert world.start().outcome == "changed"
    put_back(world.folder, world.root, world.clock.now())
    assert (world.root / EVALSET).read_bytes() == second


def test_what_nobody_approved_is_never_put_back(world: OnFiles) -> None:
    after_ideas(world)
    approved = (world.root / SPEC).read_bytes()
    FREE["stop rule"](world.root)
    assert world.start().outcome == "needs_person"
    assert world.start().outcome == "needs_person", "a wake by cron changes nothing"
    (world.root / SPEC).write_bytes(approved)
    BOUND["eval set"](world.root)
    assert world.start().outcome == "changed"
    assert put_back(world.folder, world.root, world.clock.now()) == [EVALSET]
    assert (world.root / SPEC).read_bytes() == approved


def test_what_a_person_approves_in_the_app_is_what_is_put_back(world: OnFiles) -> None:
    after_ideas(world)
    FREE["stop rule"](world.root)
    mine = (world.root / SPEC).read_bytes()
    world.attended, world.skin.answers = True, ["proceed", "proceed"]
    world.start()
    BOUND["eval set"](world.root)
    (world.root / SPEC).unlink()
    assert put_back(world.folder, world.root, world.clock.now()) == [SPEC, EVALSET]
    assert (world.root / SPEC).read_bytes() == mine


def test_a_file_that_is_gone_comes_back_and_nothing_is_written_elsewhere(world: OnFiles) -> None:
    after_ideas(world)
    before = (world.root / EVALSET).read_bytes()
    (world.root / EVALSET).unlink()
    assert put_back(world.folder, world.root, world.clock.now()) == [EVALSET]
    assert (world.root / EVALSET).read_bytes() == before and not (world.folder / REPLACED).exists()
    assert put_back(world.folder, world.root, world.clock.now()) == []
    copies = world.folder / COPIES_NAME
    copies.write_text('{"../outside.yaml": "x"}', "utf-8")
    with pytest.raises(SetupError, match="outside"):
        put_back(world.folder, world.root, world.clock.now())
    for damaged in ("{", "[]", '{"spec.yaml": 1}'):
        copies.write_text(damaged, "utf-8")
        with pytest.raises(StorageError, match="damaged"):
            put_back(world.folder, world.root, world.clock.now())
    copies.unlink()
    with pytest.raises(SetupError, match="holds no copies"):
        put_back(world.folder, world.root, world.clock.now())
