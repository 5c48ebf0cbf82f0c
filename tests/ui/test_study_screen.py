"""Studies in the app: found, shown with intervals and what is missing, followed while they are measured."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fakes import FakeClock
from pictures import check_picture
from stage import text_of, until
from study_project import hypothesis, make_study, review, route
from textual.pilot import Pilot

from ceopt_tui.going_on import go_on
from ceopt_tui.study.planning import Only, plan_study
from ceopt_tui.study.report_markdown import markdown
from ceopt_tui.study.starting import Surroundings, recorded_report, run_study
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.catalogue import NoRuns
from ceopt_tui.ui.screens.study import StudyScreen
from ceopt_tui.ui.study_source import StudyFiles

SIZES = [pytest.param((80, 24), "", id="80x24"), pytest.param((120, 40), "-wide", id="120x40")]
FALLS = hypothesis(
    id="H2", claim="It costs routes [nothing].", metric="routing_decision", direction="decrease", control=None
)


def study(folder: Path) -> Path:
    asked = [review(number) for number in range(8)] + [route(number) for number in range(4)]
    return make_study(folder, asked=asked, hypotheses=[hypothesis(), FALLS])


async def measured(root: Path, *only: str) -> None:
    around = Surroundings({}, FakeClock(), lambda text: None, lambda done, total: None)
    await run_study(plan_study(root, {}, only=Only(texts=only)), around)


@asynccontextmanager
async def opened(folder: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    app = CeoptApp(NoRuns("/home/me/project"), go_on, FakeClock())
    app.studies = StudyFiles(folder, {})
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: "No run here yet" in text_of(app))
        await pilot.press("u")
        yield app, pilot


@pytest.mark.parametrize(("size", "wide"), SIZES)
async def test_verdicts_stand_with_their_intervals_and_what_is_in_the_way(
    tmp_path: Path, size: tuple[int, int], wide: str
) -> None:
    await measured(study(tmp_path))
    async with opened(tmp_path, size) as (app, pilot):
        await until(pilot, lambda: "H1: " in text_of(app))
        check_picture(app, f"study{wide}")
        assert "●" in text_of(app) and "┊" in text_of(app) and "[soft][mock]" in text_of(app)
        await pilot.press("space", "space", "space")
        await until(pilot, lambda: "What the texts are worth" in text_of(app))
        check_picture(app, f"study-scores{wide}")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, StudyScreen))


async def test_before_the_first_call_it_shows_the_price_and_the_way_on(tmp_path: Path) -> None:
    study(tmp_path)
    async with opened(tmp_path) as (app, pilot):
        await until(pilot, lambda: "ceopt study freeze studies/signs" in text_of(app))
        check_picture(app, "study-new")


async def test_it_follows_whoever_measures_it(tmp_path: Path) -> None:
    root = study(tmp_path)
    await measured(root, "plain")
    async with opened(tmp_path) as (app, pilot):
        await until(pilot, lambda: "120 of 240 cells have a score; not complete" in text_of(app))
        await measured(root)
        await until(pilot, lambda: "240 of 240 cells have a score; nothing is left to run" in text_of(app))


async def test_a_reply_that_a_person_opens_is_on_record_as_read(tmp_path: Path) -> None:
    root = study(tmp_path)
    around = Surroundings({}, FakeClock(), lambda text: None, lambda done, total: None, keep_outputs=True)
    await run_study(plan_study(root, {}), around)
    async with opened(tmp_path) as (app, pilot):
        await until(pilot, lambda: "0 of 240 read by a person" in text_of(app))
        await pilot.press("o")
        await until(pilot, lambda: "Which reply?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "runs_foreign_code" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "of 240 read" in text_of(app) and "Replies    0 of" not in text_of(app))
    report = recorded_report(root, "run")
    assert 0 < report["outputs"]["read"] < 240 and not report["outputs"]["read_by_a_person"]
    assert f"a person has opened {report['outputs']['read']} of them" in markdown(report)


async def test_of_several_one_is_picked_and_a_broken_one_says_what_is_wrong(tmp_path: Path) -> None:
    study(tmp_path)
    broken = make_study(tmp_path / "more")
    (broken / "hypotheses.yaml").write_text("hypotheses: []\n", encoding="utf-8")
    async with opened(tmp_path) as (app, pilot):
        await until(pilot, lambda: "Which study?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "hypotheses.yaml" in text_of(app))


async def test_where_there_is_none_it_says_what_one_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot):
        await until(pilot, lambda: "No study is here" in text_of(app))
