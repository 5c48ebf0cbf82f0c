"""The review of a change: by rule and by word, with both outputs of each case, with the evidence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import terms
from histories import FOREIGN, begun, foreign_history, state_of, tried
from judged_histories import calibrated, judged, measured
from pictures import check_picture
from reviewed_history import BETTER, HELD_OUT, PROMPT, Reviewed, closed, compared, decided, finished, reviewed
from stage import Stage, on_stage, text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import visible
from ceopt_tui.looking import read_state
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.review_cases import case_changes, kinds, runs_words
from ceopt_tui.ui.review_diff import Piece, file_changes, rule_changes, word_changes
from ceopt_tui.ui.review_evidence import evidence_lines, why
from ceopt_tui.ui.review_material import read_material
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.keep import KeepScreen, reviewed_number
from ceopt_tui.ui.screens.review import ReviewScreen
from schemas import records as r
from schemas.judging_records import PersonScored

SECRET = "SECRET-HELD-OUT"
KEEP = Question("keep-1", "exp-001 won", "It won.", "Keep this change?", ("keep", "refuse"))


@pytest.fixture
def run(tmp_path: Path) -> Reviewed:
    return reviewed(tmp_path)


@asynccontextmanager
async def opened(
    entry: RunEntry, folder: Path, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    """The run screen of `entry` with its first experiment opened."""
    stage = Stage(folder / "stage")
    stage.listed = [entry]
    stage.reread = lambda entry: entry  # type: ignore[method-assign]
    async with on_stage(stage, size=size) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "exp-001" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        yield app, pilot


def flat(app: object) -> str:
    return " ".join(text_of(app).split())


@pytest.mark.parametrize(("size", "wide"), [((80, 24), ""), ((120, 40), "-wide")])
async def test_a_finished_run_is_reviewed_part_by_part(
    run: Reviewed, tmp_path: Path, size: tuple[int, int], wide: str
) -> None:
    async with opened(run.entry(*finished()), tmp_path, size) as (app, pilot):
        await until(pilot, lambda: "[2 Diff]" in text_of(app) and "Kept: confirmed on the held-out" in text_of(app))
        await until(pilot, lambda: "{+that" in flat(app) and "q Quit" in text_of(app))
        check_picture(app, f"review-diff{wide}")
        await pilot.press("3")
        await until(pilot, lambda: "✗ broken (1)" in text_of(app) and "My gift card is empty" in text_of(app))
        assert all(word in flat(app) for word in ("Before", "After", "4 of 4 → 0 of 4"))
        await until(pilot, lambda: "f Filter" in text_of(app))
        check_picture(app, f"review-cases{wide}")
        await pilot.press("4")
        await until(pilot, lambda: "# Selection cases" in text_of(app) and "█" in text_of(app))
        await until(pilot, lambda: "f Filter" not in text_of(app))
        check_picture(app, f"review-evidence{wide}")
        await pilot.press("1")
        await until(pilot, lambda: "Say which money belongs to returns" in text_of(app) and "Fixed" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ReviewScreen))


@pytest.mark.exhaustive
async def test_cases_are_filtered_and_held_out_ones_open_once_the_run_has_finished(
    run: Reviewed, tmp_path: Path
) -> None:
    async with opened(run.entry(*finished()), tmp_path, (100, 40)) as (app, pilot):
        await pilot.press("3")
        await until(pilot, lambda: "✓ fixed (5)" in text_of(app))
        await pilot.press("f", *["down"] * 4, "enter")
        await until(pilot, lambda: "5 cases of 12; f lists others" in text_of(app))
        await pilot.press(*"jjjj")
        await until(pilot, lambda: SECRET in text_of(app), "a held-out input")


async def test_in_an_open_run_no_held_out_text_is_on_the_screen(run: Reviewed, tmp_path: Path) -> None:
    entry = run.entry()
    material = read_material(run.folder, run.options, entry.state, 1)
    assert not {case for _, case in material.outputs} & set(HELD_OUT) and not material.cases.keys() & set(HELD_OUT)
    assert {case for _, case in material.outputs} and "late" in material.cases
    async with opened(entry, tmp_path, (100, 40)) as (app, pilot):
        await pilot.press("3")
        await until(pilot, lambda: "held out" in text_of(app) and "My gift card is empty" in text_of(app))
        for _ in range(12):
            await pilot.press("j")
            assert SECRET not in text_of(app)
        await until(pilot, lambda: "shown once the run has finished" in flat(app))


async def test_the_keep_question_holds_the_whole_review(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        for question in ("Start measuring?", "Start optimizing?"):
            await until(pilot, lambda question=question: question in text_of(app))
            await pilot.press("down", "enter")
        await until(pilot, lambda: "Keep this change?" in text_of(app) and "[1 Summary]" in text_of(app))
        await pilot.press("2")
        await until(pilot, lambda: "{+be exact+}" in flat(app) and "Keep this change?" in text_of(app))
        await pilot.press("3")
        await until(pilot, lambda: "✓ fixed" in text_of(app) and "something else" in text_of(app))
        await pilot.press("4")
        await until(pilot, lambda: "[4 Evidence]" in text_of(app) and "interval" in text_of(app))
        await pilot.press("pagedown")
        await until(pilot, lambda: "a keep needs p of at most" in text_of(app))
        await pilot.press("1", "down", "down", "enter")
        await until(pilot, lambda: "Why not?" in text_of(app))
        await pilot.press(*"2 much", "enter")
        await until(pilot, lambda: "✗ reverted" in text_of(app) and app.working is None)
    assert read_state(stage.world.folder).experiments[2].answers == {"keep-2": "refuse: 2 much"}


async def test_the_keep_question_of_a_real_prompt(run: Reviewed, tmp_path: Path) -> None:
    model = RunModel(run.entry())
    for size, name in (((80, 24), "keep-review"), ((120, 40), "keep-review-wide")):
        async with on_stage(Stage(tmp_path / name), size=size) as (app, pilot):
            await app.push_screen(KeepScreen(KEEP, model, 1))
            await until(pilot, lambda: "[1 Summary]" in text_of(app))
            await pilot.press("3")
            await until(pilot, lambda: "My gift card is empty" in text_of(app) and "f Filter" in text_of(app))
            check_picture(app, name)
            assert "Keep this change?" in text_of(app) and SECRET not in text_of(app)


def test_only_questions_about_a_change_hold_a_review() -> None:
    ids = {"keep-12": 12, "proposal-3": 3, "baseline": None, "calibrated-1": None, "keep-": None}
    assert {one: reviewed_number(replace(KEEP, id=one)) for one in ids} == ids


@pytest.mark.exhaustive
async def test_foreign_text_is_literal_in_every_part(tmp_path: Path) -> None:
    model = RunModel(RunEntry("triage", tmp_path / "run", state=foreign_history()))
    async with on_stage(Stage(tmp_path), size=(120, 40)) as (app, pilot):
        for number, text in enumerate(FOREIGN, 1):
            await app.push_screen(ReviewScreen(model, number))
            await until(pilot, lambda text=text: visible(text).split("\n")[0][:30] in text_of(app))
            await pilot.press("1", "escape")


async def test_an_idea_without_a_candidate_says_so(tmp_path: Path) -> None:
    model = RunModel(RunEntry("triage", tmp_path / "run", state=state_of(begun(), tried(1, "x", "error", "no reply"))))
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await app.push_screen(ReviewScreen(model, 1))
        await until(pilot, lambda: "Both texts are the same." in text_of(app) and "Error: no reply." in text_of(app))
        await pilot.press("3")
        await until(pilot, lambda: "No case was run on it." in text_of(app))
        assert "Filter" not in text_of(app)
        await pilot.press("f", "4")
        await until(pilot, lambda: "Nothing of it was compared." in text_of(app))


def test_no_score_of_a_judge_is_told_before_it_may_be_seen() -> None:
    sheet = PersonScored(sheet="calibration-1", text_digest="original", case_id="a", sample=0, score=5)
    won = [
        *tried(1, "say it", text="Answer well.\n"),
        compared("standalone", ("late",)),
        decided("add_sample", "promising", "its judge gave 4.88", 1.56),
    ]
    seen = state_of(judged(), calibrated(), measured(), won)
    hidden = state_of(judged(), measured(), won, [sheet])
    assert "4.88" in why(seen, seen.experiments[1]) and case_changes(seen, terms(), seen.experiments[1])
    assert "4.88" not in why(hidden, hidden.experiments[1])
    assert case_changes(hidden, terms(), hidden.experiments[1]) == ()
    assert len(evidence_lines(hidden, terms(), hidden.experiments[1])) == 1


def test_what_speaks_against_a_change_comes_first(run: Reviewed) -> None:
    for state in (run.entry().state, run.entry(closed("reverted", "refused by a person: no")).state):
        found = case_changes(state, terms(), state.experiments[1])
        assert [one.moved for one in found[:2]] == ["broken", "worse"]
        assert (found[0].id, runs_words(found[0], terms())) == ("gift-card", "4 of 4 → 0 of 4")
        assert runs_words(found[0], None) == "1.00 → 0.00"
        assert [name for name, _ in kinds(found)] == ["✗ broken (1)", "↓ worse (1)", "✓ fixed (5)", "= same (5)"]
        assert [one.side for one in found if one.id in HELD_OUT] == ["held out"] * 4


def test_evidence_names_interval_level_and_look(run: Reviewed) -> None:
    entry = run.entry(closed())
    told = "\n".join(evidence_lines(entry.state, terms(), entry.state.experiments[1]))
    assert "+28 points on average over 8 cases, 90% interval +10 points to +46 points" in told
    assert "look 1 after 0 keeps, 1 look in this run so far" in told and "p of at most 0.050; here p = 0.004" in told
    assert "3 cases without a difference" in told and "2 cases without" in told
    worse = next(line for line in told.split("\n") if line.startswith("gift-card"))
    better = next(line for line in told.split("\n") if line.startswith("refund-after"))
    assert worse.index("█") < worse.index("│") < better.index("█")
    assert why(entry.state, entry.state.experiments[1]).startswith("Kept: confirmed on the held-out cases")


def test_outputs_of_a_changed_eval_set_are_shown_without_inputs(run: Reviewed) -> None:
    entry = run.entry(*finished())
    evalset = run.options.spec_path.parent / "evals" / "triage.yaml"
    evalset.write_text(evalset.read_text("utf-8").replace("twice", "three times"), encoding="utf-8")
    material = read_material(run.folder, run.options, entry.state, 1)
    assert material.cases == {} and "changed since" in material.note
    assert material.outputs["better", "gift-card"] == ("returns",) * 4
    gone = read_material(run.folder, None, entry.state, 1)
    assert "the spec is not where it was" in gone.note and gone.outputs == material.outputs
    assert read_material(run.folder / "nowhere", None, entry.state, 1).outputs == {}


def test_runs_beside_the_verdict_and_torn_lines_are_left_out(run: Reviewed) -> None:
    drift = r.CaseRun(text_digest="better", case_id="late", sample=9, step="drift", output="late reply", score=0.0)
    lost = r.CaseRun(text_digest="better", case_id="late", sample=10, step="confirm", output="", unscored="empty reply")
    entry = run.entry(drift, lost)
    with (run.folder / "journal.jsonl").open("ab") as stream:
        stream.write(b'{"kind":"case_run","text_digest":"better"')
    outputs = read_material(run.folder, None, entry.state, 1).outputs["better", "late"]
    assert outputs == ("shipping",) * 4 + ("(empty reply)",)


def test_rules_that_are_alike_stand_beside_each_other() -> None:
    kinds_seen = [(row.kind, row.skipped) for row in rule_changes(PROMPT, BETTER)]
    assert kinds_seen == [
        ("skipped", 2), ("same", 0), ("changed", 0), ("same", 0), ("same", 0), ("added", 0), ("same", 0)
    ]  # fmt: skip
    (file,) = file_changes({"a.md": PROMPT, "b.md": "x\n"}, {"a.md": BETTER, "b.md": "x\n"})
    assert file.path == "a.md"
    changed = next(row for row in file.changes if row.kind == "changed")
    assert (changed.line_before, changed.line_after) == (6, 6)
    assert next(piece.text for piece in changed.after if piece.changed).strip() == "that is to come back"
    assert "".join(piece.text for piece in changed.before) == "- A message about money belongs to billing.\n"


@pytest.mark.parametrize(
    ("before", "after", "left", "right"),
    [
        ("say it", "say that", ["say ", "[it]"], ["say ", "[that]"]),
        ("a b c d", "x y z d", ["[a b c]", " d"], ["[x y z]", " d"]),
        ("same", "same", ["same"], ["same"]),
        ("a\r\n", "a\n", ["a", "[\r\n]"], ["a", "[\n]"]),
        ("早く返事する", "早く返答する", ["早く返", "[事]", "する"], ["早く返", "[答]", "する"]),
        ("", "new", [], ["[new]"]),
    ],
)
def test_words_that_differ_are_found(before: str, after: str, left: list[str], right: list[str]) -> None:
    def shown(pieces: tuple[Piece, ...]) -> list[str]:
        return [f"[{piece.text}]" if piece.changed else piece.text for piece in pieces]

    assert [shown(side) for side in word_changes(before, after)] == [left, right]


def test_very_long_rules_and_many_of_them_stay_quick() -> None:
    long = "word " * 5_000
    assert word_changes(long, long + "x") == ((Piece(long, True),), (Piece(long + "x", True),))
    before, after = ("".join(f"- {side} rule {number}\n" for number in range(100)) for side in ("old", "new"))
    assert {row.kind for row in rule_changes(before, after)} == {"removed", "added"}
