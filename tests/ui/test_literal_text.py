"""Strings that break markup, on every screen: shown literally, and nothing in them acts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from fakes import terms
from histories import FOREIGN, begun, ended, foreign_history, state_of, tried
from stage import Stage, on_stage, text_of, until
from textual.content import Content

from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import visible
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.errors import SetupError
from ceopt_tui.ui.commands import help_text
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.report_text import report_text
from ceopt_tui.ui.screens.question import QuestionScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.styled import cell, fact_lines, laid_out, lines_of
from schemas.records import Finished, Learnt

SIZE = (80, 24)
SHORT = [visible(text) for text in FOREIGN if len(text) < 40]


def acts(content: Content) -> bool:
    return any("@" in str(span.style) for span in content.spans)


@pytest.mark.parametrize("text", FOREIGN)
def test_lines_and_cells_hold_exactly_the_text(text: str) -> None:
    assert cell(visible(text)).plain == visible(text)
    for lines in (lines_of(visible(text)), fact_lines([("Why", visible(text))]), lines_of(f"--- a\n+{visible(text)}")):
        content = laid_out(lines, 200)
        assert visible(text) in content.plain
        assert not acts(content)


@pytest.mark.exhaustive
async def test_the_list_the_detail_and_the_diff_show_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    entry = replace(stage.entry, state=foreign_history(), name="[/] [bold]", options=None)
    async with on_stage(stage, size=SIZE, first=replace(entry, state=foreign_history())) as (app, pilot):
        await until(pilot, lambda: "exp-012" in text_of(app))
        assert "[/] [bold]" in text_of(app)
        await pilot.press(*["k"] * 12)
        for number, text in enumerate(FOREIGN, 1):
            await until(pilot, lambda number=number: f"─exp-{number:03d} ✗ reverted" in text_of(app))
            if len(text) < 20:
                assert text_of(app).count(visible(text)) >= 2, "list and detail"
            await pilot.press("d")
            await until(pilot, lambda: isinstance(app.screen, ReadingScreen))
            await until(pilot, lambda text=text: "+" + visible(text)[:30] in text_of(app))
            await pilot.press("escape", "j")


async def test_the_home_screen_shows_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.where = "/home/[red]/project"
    stage.listed = [RunEntry(f"run-{i}", tmp_path / f"run-{i}", fault=text) for i, text in enumerate(FOREIGN)]
    async with on_stage(stage, size=(140, 24)) as (app, pilot):
        await until(pilot, lambda: "run-11" in text_of(app))
        assert "/home/[red]/project" in text_of(app)
        assert [text for text in SHORT if text not in text_of(app)] == []


async def test_a_question_shows_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    question = Question("keep-1", "[/] won", "\n".join(FOREIGN), "[bold]x[/bold]?", ("keep", "refuse"))
    async with on_stage(stage, size=(80, 40)) as (app, pilot):
        await app.push_screen(QuestionScreen(question))
        await pilot.pause()
        assert [text for text in [*SHORT, "[/] won", "[bold]x[/bold]?"] if text not in text_of(app)] == []


async def test_a_question_says_how_much_of_its_material_is_still_below(tmp_path: Path) -> None:
    question = Question("keep-1", "A long diff", "\n".join(f"line {i}" for i in range(40)), "Keep?", ("keep", "refuse"))
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await app.push_screen(QuestionScreen(question))
        await until(pilot, lambda: "PgDn reads on (" in text_of(app) and "line 0" in text_of(app))
        await pilot.press("pagedown", "space", "pagedown")
        await until(pilot, lambda: "reads on" not in text_of(app) and "line 39" in text_of(app))
        await pilot.press("pageup")
        await until(pilot, lambda: "PgDn reads on (" in text_of(app))


async def test_the_report_shows_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    rows = "| experiment | outcome | tried | why it ended |\n| --- | --- | --- | --- |\n"
    rows += "".join(f"| exp-001 | reverted | {text} | {text} |\n" for text in FOREIGN)
    stage.world.folder.mkdir()
    (stage.world.folder / "report.md").write_text(f"# triage\n\n{rows}", encoding="utf-8")
    state = state_of(begun(), [Finished(outcome="[x", exit_status=0, reason="[/] end", at="2026-01-05T10:00:00Z")])
    async with on_stage(stage, size=(80, 60), first=replace(stage.entry, state=state)) as (app, pilot):
        await until(pilot, lambda: "finished: [/] end" in text_of(app))
        await pilot.press("r")
        await until(pilot, lambda: "Report of triage" in text_of(app))
        assert [text for text in SHORT if text_of(app).count(text) < 2] == []


async def test_an_error_of_a_run_shows_it(tmp_path: Path) -> None:
    async def refuse(options: object, skin: object) -> NoReturn:
        raise SetupError("see [/foo] bar \x1b[31m")

    stage = Stage(tmp_path)
    stage.tick = refuse  # type: ignore[method-assign,assignment]
    async with on_stage(stage, size=SIZE, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: text_of(app).count("see [/foo] bar ␛[31m") == 2)


def test_a_report_for_the_screen_has_no_wide_tables() -> None:
    table = "| experiment | outcome | tried | why it ended |\n|---|---|---|---|\n| exp-001 | kept | a\\|b | clear |"
    text = report_text(f"# t\n\n{table}\n\n~~~~~~~~diff\n| not a row |\n~~~~~~~~\n| two | cells |")
    assert text == "# t\n\nexp-001  ✓ kept: a|b\n         clear\n\n| not a row |"


def test_other_tables_of_a_report_name_what_stands_in_their_columns() -> None:
    table = "| cases | original | final |\n| --- | --- | --- |\n| 20 held-out cases | 36% | 81% |\n| 2 more |  |  |"
    assert report_text(table) == "20 held-out cases: original 36%, final 81%\n2 more"


def test_what_the_report_escapes_is_read_as_it_was_written() -> None:
    texts = [*FOREIGN, "<b>x</b> ![p](http://x.test) a < b", "# no heading", "1. no list", "\\[x] \\(y) \\d"]
    experiments = [tried(number, text, "reverted", text) for number, text in enumerate(texts, 1)]
    told = [[Learnt(text=text, number=number)] for number, text in enumerate(texts, 1)]
    report = report_text(report_markdown(state_of(begun(), *experiments, *told, ended()), terms()))  # type: ignore[arg-type]
    for text in map(visible, texts):
        assert f"reverted: {text}\n         {text}\n" in report and f"\n- {text}\n" in report


def test_the_help_is_plain_text() -> None:
    assert "[" not in help_text()
