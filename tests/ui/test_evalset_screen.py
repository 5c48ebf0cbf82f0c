"""The eval set builder: read, filtered, edited, saved; nothing of a held-out case shows while its run is open."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from evalset_stage import MORE, builder, case, evalset_text, held, screen, write
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from textual.widgets import DataTable

from ceopt_tui.core.ports import RunResult
from ceopt_tui.errors import SetupError
from ceopt_tui.evalset_runs import OpenRun
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.screens.evalset import EvalSetScreen
from ceopt_tui.ui.screens.evalset_case import EvalSetCaseScreen
from ceopt_tui.ui.screens.home import HomeScreen
from schemas.evalset import Case
from schemas.loading import load_evalset

MANY_KEYS = pytest.mark.exhaustive


async def test_cases_stand_in_a_list_with_the_four_fields_of_one_below(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        check_picture(app, "evalset")
        for shown in (
            "12 cases, 11 failures, 1 guard",
            "6 distinct held-out cases:\n sees gains above",
            "Went wrong  Treated every",
        ):
            assert shown in text_of(app)
        await pilot.press(*["down"] * 11)
        await until(pilot, lambda: "荷物がまだ届いていません。" in text_of(app).partition("─cjk─")[2])


async def test_in_a_wide_terminal_the_fields_stand_side_by_side(tmp_path: Path) -> None:
    async with builder(tmp_path, size=(120, 40)) as (app, pilot, _):
        (labels,) = (line for line in text_of(app).splitlines() if "Expected" in line)
        assert labels.split() == ["Input", "Expected", "Observed", "Went", "wrong"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        check_picture(app, "evalset-case")
        assert "─Expected" in next(line for line in text_of(app).splitlines() if "Input" in line)


@MANY_KEYS
async def test_a_field_is_edited_saved_and_nothing_else_changes(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        before = path.read_text("utf-8")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        await write(pilot, "expected", "returns\nor not")
        await pilot.press("f2")
        await until(pilot, lambda: "* not saved" in text_of(app))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "* not saved" not in text_of(app) and "Saved." in text_of(app))
        after = before.replace(
            "expected: returns    # not billing", "expected: |-  # not billing\n      returns\n      or not"
        )
        assert path.read_text("utf-8") == after
        await pilot.press("u", "ctrl+s")
        await until(pilot, lambda: load_evalset(path).evalset.cases[0].expected == "returns", "undone and saved")


@MANY_KEYS
async def test_the_case_screen_saves_too_and_esc_without_a_change_changes_nothing(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalSetScreen))
        assert not screen(app).unsaved
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        await write(pilot, "went_wrong", "no reason")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: load_evalset(path).evalset.cases[1].went_wrong == "no reason")


@MANY_KEYS
async def test_marks_sides_and_tags(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        await pilot.press("g", "s", "t", "ctrl+u", *"late, two", "space", *"words,", "enter")
        await until(pilot, lambda: case(app, "refund-after-30-days").tags == ("late", "two words"))
        assert case(app, "refund-after-30-days").kind == "guard"
        assert case(app, "refund-after-30-days").split == "selection"
        await until(pilot, lambda: "guard    selection" in text_of(app))
        await pilot.press("s")
        await until(pilot, lambda: "guard    held out" in text_of(app))
        await pilot.press("s", "t", "escape", "g", "ctrl+s")
        await until(pilot, lambda: "tags: [late, two words]" in path.read_text("utf-8"))
        assert "split" not in path.read_text("utf-8")


@MANY_KEYS
async def test_a_case_is_added_by_hand_and_one_is_taken_out(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        await pilot.press("n")
        await until(pilot, lambda: "A new case" in text_of(app))
        await write(pilot, "expected", "billing")
        await pilot.press("f2")
        await until(pilot, lambda: "needs something that goes in" in text_of(app))
        await pilot.press("down", "enter")
        await write(pilot, "input", "Why twice?")
        await pilot.press("f2")
        await until(pilot, lambda: "13 cases" in text_of(app) and "─why-twice─" in text_of(app))
        await pilot.press("d")
        await until(pilot, lambda: "Take the case why-twice out of the set?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "12 cases" in text_of(app) and "─cjk─" in text_of(app))
        await pilot.press("u", "ctrl+s")
        await until(pilot, lambda: load_evalset(path).evalset.cases[-1].input == "Why twice?")
        await pilot.press("n", "escape")
        await until(pilot, lambda: isinstance(app.screen, EvalSetScreen))
        assert not screen(app).unsaved


async def test_the_last_case_cannot_go(tmp_path: Path) -> None:
    async with builder(tmp_path, "name: t\ncases:\n  - {id: a, input: x, expected: z}\n") as (app, pilot, _):
        await pilot.press("d")
        await until(pilot, lambda: "one case at least" in text_of(app))


@MANY_KEYS
async def test_the_list_is_searched_and_filtered_and_esc_clears(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        await pilot.press("slash", *"Courier")
        await until(pilot, lambda: "1 case of 12: with “Courier”" in text_of(app) and "─courier─" in text_of(app))
        await pilot.press("enter", "escape")
        await until(pilot, lambda: "all cases" in text_of(app) and "─courier─" in text_of(app), "the cursor stays")
        await pilot.press("f")
        await until(pilot, lambda: "List which cases?" in text_of(app) and "tag money (1)" in text_of(app))
        await pilot.press("down", "down", "down", "down", "enter")
        await until(pilot, lambda: "1 case of 12: guards  (esc lists all)" in text_of(app))
        await pilot.press("f", "down", "enter")
        await until(pilot, lambda: "all cases" in text_of(app))
        await pilot.press("slash", *"nowhere")
        await until(pilot, lambda: "0 cases of 12" in text_of(app) and "─No case─" in text_of(app))
        assert "No case fits: with “nowhere”. esc lists all cases again." in text_of(app)
        await pilot.press("enter", "d", "escape")
        await until(pilot, lambda: "all cases" in text_of(app))


@MANY_KEYS
async def test_what_is_held_out_by_an_open_run_is_neither_shown_nor_changed(tmp_path: Path) -> None:
    runs = held("refund-after-30-days")
    async with builder(tmp_path, runs=runs, size=(120, 40)) as (app, pilot, _):
        sentence = "held out: hidden while triage is open"
        assert text_of(app).count(sentence) == 2 and "triage is open: held-out cases are hidden" in text_of(app)
        secret = ("in March", "every mention", "billing")
        assert not any(word in text_of(app) for word in secret)
        for key in ("enter", "g", "s", "t", "d"):
            await pilot.press(key)
        await until(pilot, lambda: text_of(app).count(sentence) > 2)
        assert isinstance(app.screen, EvalSetScreen) and not screen(app).unsaved
        await pilot.press("slash", *"March")
        await until(pilot, lambda: "0 cases of 12" in text_of(app))
        await pilot.press("escape", "down", "g")
        await until(pilot, lambda: screen(app).unsaved)


@MANY_KEYS
async def test_a_run_that_opens_or_ends_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceopt_tui.ui.screens.evalset_list.LOOK_S", 0.05)
    runs: list[OpenRun] = []
    path = tmp_path / "triage.yaml"
    path.write_text(evalset_text(), encoding="utf-8")
    async with on_stage(Stage(tmp_path / "stage")) as (app, pilot):
        await app.push_screen(EvalSetScreen(path, looks=lambda _path, _ids: tuple(runs)))
        await until(pilot, lambda: "in March" in text_of(app))
        runs += held("refund-after-30-days")
        await until(pilot, lambda: "in March" not in text_of(app) and "hidden while triage is open" in text_of(app))
        runs.clear()
        await until(pilot, lambda: "in March" in text_of(app))


TWICE = (
    *MORE,
    ("wet-too", "My parcel arrived soaked.", "shipping", "returns"),
    ("wet-three", "my parcel arrived soaked", "returns", "returns"),
)


@MANY_KEYS
async def test_duplicates_leaks_and_wrong_answers_are_marked(tmp_path: Path) -> None:
    text = evalset_text(TWICE).replace("id: wet-too", "id: wet-too\n    split: holdout")
    text = text.replace("id: parcel-wet", "id: parcel-wet\n    split: selection")
    text += "  - {id: broken-check, input: How many?, expected: many, check: {type: length, maximum: 2}}\n"
    path = tmp_path / "triage.yaml"
    path.write_text(text, encoding="utf-8")
    async with on_stage(Stage(tmp_path / "stage"), size=(120, 40)) as (app, pilot):
        await app.push_screen(EvalSetScreen(path, looks=lambda _path, _ids: ()))
        await until(pilot, lambda: text_of(app).count("! leak") >= 3 and "! answer" in text_of(app))
        await pilot.press("f")
        await until(pilot, lambda: "to look at (4)" in text_of(app))
        await pilot.press("escape", "down", "down")
        await until(pilot, lambda: "stand on both sides" in text_of(app) and "with wet-too, wet-three" in text_of(app))
        await pilot.press("c")
        await until(pilot, lambda: "What is to be said of this set" in text_of(app) and "near" not in text_of(app))


@MANY_KEYS
async def test_a_file_written_by_another_program_is_taken_up_and_nothing_is_lost(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        await pilot.press("g")
        path.write_text(evalset_text().replace("arrived soaked", "came soaked"), encoding="utf-8")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "was changed by another program" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "The file is taken up." in text_of(app))
        assert case(app, "refund-after-30-days").kind == "guard" and "came" in str(case(app, "parcel-wet").input)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "kind: guard" in path.read_text("utf-8").partition("invoice")[0])
        assert "came soaked" in path.read_text("utf-8")


@MANY_KEYS
async def test_leaving_asks_about_what_is_not_saved(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        before = path.read_bytes()
        await pilot.press("g", "escape")
        await until(pilot, lambda: "changes that are not saved" in text_of(app))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: "leave without it" in text_of(app))
        await pilot.press("escape", "escape", "ctrl+q")
        await until(pilot, lambda: "changes that are not saved" in text_of(app))
        await pilot.press("escape", "escape", "down", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert path.read_bytes() == before


@MANY_KEYS
async def test_leaving_can_save_first(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        await pilot.press("g", "q")
        await until(pilot, lambda: "changes that are not saved" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.return_code is not None or not app.is_running)
    assert "kind: guard" in path.read_text("utf-8").partition("invoice")[0]


@MANY_KEYS
async def test_esc_in_a_case_asks_what_is_to_become_of_it(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        await pilot.press("x", "escape")
        await until(pilot, lambda: "You wrote in: Input." in text_of(app) and "keep it" in text_of(app))
        await pilot.press("escape", "y", "escape")
        await until(pilot, lambda: "You wrote in: Input." in text_of(app))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetScreen))
        assert not screen(app).unsaved
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        await pilot.press("x", "escape", "down", "enter")
        await until(pilot, lambda: "* not saved" in text_of(app))
        assert str(case(app, "refund-after-30-days").input).startswith("xI bought")


@MANY_KEYS
@pytest.mark.parametrize("keys", [("ctrl+q",), ("ctrl+c", "ctrl+c")])
async def test_leaving_from_a_case_asks_for_it_and_for_the_file(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        await pilot.press("x", *keys)
        await until(pilot, lambda: "You wrote in: Input." in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "changes that are not saved" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.return_code is not None or not app.is_running)
    assert str(load_evalset(path).evalset.cases[0].input).startswith("xI bought")


async def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("name: [", encoding="utf-8")
    async with on_stage(Stage(tmp_path / "stage")) as (app, pilot):
        await app.push_screen(EvalSetScreen(path, looks=lambda _path, _ids: ()))
        await until(pilot, lambda: "is not valid YAML" in text_of(app) and isinstance(app.screen, HomeScreen))


STRANGE = """name: "[/x]"
cases:
  - id: "see [/foo] bar"
    input: {text: "[bold]x[/bold]", n: 1.10}
    expected: {queue: "[/]"}
    observed: "esc \\x1b[31m end"
    went_wrong: "line\\u2028end"
    check: {type: json_fields}
    tags: ["[/tag]"]
"""


@MANY_KEYS
async def test_foreign_text_is_never_markup_and_never_acts(tmp_path: Path) -> None:
    async with builder(tmp_path, STRANGE, size=(120, 40)) as (app, pilot, path):
        for shown in ("see [/foo] bar", "[bold]x[/bold]", "esc ␛[31m end", "[/tag]", '"[/]"'):
            assert shown in text_of(app)
        await pilot.press("f")
        await until(pilot, lambda: "tag [/tag] (1)" in text_of(app))
        await pilot.press("escape", "enter")
        await until(pilot, lambda: "Input (JSON)" in text_of(app))
        assert "␛" in text_of(app) and "special characters, edit in the file" in text_of(app)
        await write(pilot, "expected", "no json")
        await pilot.press("f2")
        await until(pilot, lambda: "what you wrote is none" in text_of(app))
        await pilot.press("escape")
        await write(pilot, "expected", '{"queue": "billing"}')
        await pilot.press("ctrl+s")
        await until(pilot, lambda: load_evalset(path).evalset.cases[0].expected == {"queue": "billing"})
        assert load_evalset(path).evalset.cases[0].observed == "esc \x1b[31m end"
        assert load_evalset(path).evalset.cases[0].input == {"text": "[bold]x[/bold]", "n": "1.10"}


@MANY_KEYS
async def test_two_thousand_cases_are_listed_in_slices(tmp_path: Path) -> None:
    many = "".join(f"  - {{id: c{n}, input: question {n}, expected: a{n % 7}}}\n" for n in range(2_000))
    async with builder(tmp_path, f"name: many\ncases:\n{many}") as (app, pilot, _):
        table = app.screen.query_one(DataTable)
        await until(pilot, lambda: table.row_count == 2_000)
        assert table.cursor_row == 0
        await pilot.press("ctrl+end")
        await until(pilot, lambda: "─c1999─" in text_of(app))
        await pilot.press("slash", *"1234")
        await until(pilot, lambda: "1 case of 2,000" in text_of(app) and table.row_count == 1)
        await pilot.press("escape")
        await until(pilot, lambda: table.row_count == 2_000 and "─c1234─" in text_of(app), "the cursor stays")


@dataclass
class FakeTrial:
    """Says what it costs, then answers."""

    result: RunResult | Exception
    tried: list[str] = field(default_factory=list)

    async def price(self) -> str:
        return "gpt-4o-mini at https://api.example, one call for about 0.0002 USD"

    async def run(self, case: Case) -> RunResult:
        self.tried.append(case.id)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@MANY_KEYS
async def test_the_text_is_run_on_a_case_after_its_price_and_what_came_out_is_taken_over(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        await pilot.press("r")
        await until(pilot, lambda: "Only a spec says what to run" in text_of(app))
        trial = FakeTrial(RunResult("see [/foo] bar\n\x1b[31m"))
        screen(app).trial = trial
        await pilot.press("r")
        await until(pilot, lambda: "about 0.0002 USD" in text_of(app))
        await pilot.press("escape")
        await pilot.pause()
        assert trial.tried == []
        await pilot.press("r")
        await until(pilot, lambda: "about 0.0002 USD" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "see [/foo] bar" in text_of(app) and "take it as observed" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: case(app, "refund-after-30-days").observed == "see [/foo] bar\n\x1b[31m")
        assert trial.tried == ["refund-after-30-days"]


@MANY_KEYS
async def test_a_long_output_leaves_room_for_the_choices(tmp_path: Path) -> None:
    output = "\n".join(f"{number} " + "word " * 30 for number in range(90))
    async with builder(tmp_path) as (app, pilot, _):
        screen(app).trial = FakeTrial(RunResult(output, truncated=True))
        await pilot.press("r")
        await until(pilot, lambda: "about 0.0002 USD" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "leave it" in text_of(app) and "It was cut off" in text_of(app))


@MANY_KEYS
@pytest.mark.parametrize("result", [RunResult("", error="the model is out"), SetupError("the model is out")])
async def test_a_trial_without_an_output_says_why(tmp_path: Path, result: RunResult | Exception) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        screen(app).trial = FakeTrial(result)
        await pilot.press("r")
        await until(pilot, lambda: "about 0.0002 USD" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "the model is out" in text_of(app))
        assert case(app, "refund-after-30-days").observed == "billing"


@MANY_KEYS
async def test_v_opens_the_eval_set_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "triage.yaml").write_text(evalset_text(), encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "name: triage\ndescription: d\ntarget: {files: [p.md]}\nevalset: {file: triage.yaml}\n"
        "metric: {primary: {type: hard, name: pass_rate, direction: maximize}}\n",
        encoding="utf-8",
    )
    stage = Stage(tmp_path / "stage")
    options = RunOptions(tmp_path / "spec.yaml", attended=True, environ={})
    stage.listed = [replace(stage.entry, options=options), replace(stage.entry, folder=tmp_path / "x", options=None)]
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, EvalSetScreen) and "12 cases" in text_of(app))
        await pilot.press("escape", "down", "v")
        await until(pilot, lambda: "The spec of this run is not where it was" in text_of(app))
