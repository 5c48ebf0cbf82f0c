"""A run whose eval set changed since it was measured, opened in the app: put back, started over, or left."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from pictures import check_picture
from stage import text_of, until
from stub_endpoint import StubEndpoint
from textual.pilot import Pilot
from triage_project import TriageModel, label, make_project

from ceopt_tui.going_on import go_on
from ceopt_tui.looking import read_state
from ceopt_tui.run_options import RunOptions
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.catalogue import RepositoryCatalogue, entry_of_spec

STATE = Path(".context/ceopt/triage")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A run that has decided one experiment of two, and the model it runs on."""
    model = TriageModel()
    model.answer = lambda text, number: label(number) if number % 3 else "no idea"  # type: ignore[method-assign]
    with StubEndpoint(respond=model) as endpoint:
        stopping = "max_iterations: 2, target_reached: false"
        place = make_project(tmp_path_factory.mktemp("begun"), endpoint.api_base, stopping=stopping)
        warm().run(place, "approve", "spec.yaml")
        assert warm().run(place, "run", "spec.yaml", "--unattended", "--max-ticks", "1").status == 75
        yield place


@pytest.fixture
def root(begun: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its repository, with a case more in the eval set."""
    shutil.copytree(begun.root, tmp_path / "repo")
    for name, value in begun.environment(HOME=str(tmp_path)).items():
        monkeypatch.setenv(name, value)
    with (tmp_path / "repo" / "evals" / "triage.yaml").open("a", encoding="utf-8") as file:
        file.write("  - {id: extra, input: A new one, expected: returns}\n")
    return tmp_path / "repo"


@asynccontextmanager
async def opened(root: Path) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    options = RunOptions(root / "spec.yaml", attended=True)
    app = CeoptApp(RepositoryCatalogue(root, options), go_on, SystemClock(), entry_of_spec(options))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: "How does it go on?" in text_of(app) and "esc Later" in text_of(app))
        yield app, pilot
        app.cancel_work()
        await app.tick_over()


async def test_what_it_was_measured_by_is_put_back(root: Path) -> None:
    evalset = root / "evals" / "triage.yaml"
    own = evalset.read_bytes()
    async with opened(root) as (app, pilot):
        check_picture(app, "changed-question")
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(read_state(root / STATE).experiments) == 2)
    assert own.startswith(evalset.read_bytes()) and evalset.read_bytes() != own
    (kept,) = (root / STATE / "replaced").rglob("triage.yaml")
    assert kept.read_bytes() == own


@pytest.mark.exhaustive
async def test_it_starts_over_with_the_files_as_they_are(root: Path) -> None:
    own = (root / "evals" / "triage.yaml").read_bytes()
    async with opened(root) as (app, pilot):
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        assert "10 to tune on" in text_of(app)
    assert (root / "evals" / "triage.yaml").read_bytes() == own
    (archived,) = (root / STATE.parent).glob("triage.archived-*")
    assert len(read_state(archived).experiments) == 1 and read_state(root / STATE).baseline is None


async def test_left_alone_it_waits(root: Path) -> None:
    experiments = read_state(root / STATE).experiments
    async with opened(root) as (app, pilot):
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: app.working is None)
        assert app.last is not None and app.last.result is not None and app.last.result.outcome == "changed"
    assert read_state(root / STATE).experiments == experiments and read_state(root / STATE).status == "blocked"


@pytest.mark.exhaustive
async def test_a_run_that_waits_is_started_over_when_a_person_says_so(root: Path) -> None:
    async with opened(root) as (app, pilot):
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: app.working is None)
        await pilot.press("n")
        await until(pilot, lambda: "Start over? This run is archived" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Start measuring?" in text_of(app))
    assert len(list((root / STATE.parent).glob("triage.archived-*"))) == 1
    assert not read_state(root / STATE).experiments
