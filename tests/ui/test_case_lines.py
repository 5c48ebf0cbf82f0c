"""What screens and the shell say of the eval set: cases left out, harder ones to add."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path

from fakes import terms
from histories import AT, begun, ended, state_of
from pictures import check_picture
from stage import Stage, on_stage, text_of, until

from ceopt_tui.headless import HeadlessSkin
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.last_words import outcome_lines
from ceopt_tui.ui.overview import Activity, overview
from ceopt_tui.ui.run_model import RunModel
from schemas.evalset import Case
from schemas.harness_records import CaseIdea, CasesProposed, FlaggedCase, HarnessExamined
from schemas.records import AnyRecord

FLAGGED = HarnessExamined(
    outputs=2, flagged=(FlaggedCase(case_id="c", fault="never_fails", reason="its check accepts whatever comes out"),)
)
PROPOSED = CasesProposed(ideas=(CaseIdea(source="rule", text="Ask about [b]the limit."),))
LEFT_OUT = "1 of 4 cases left out: their checks cannot tell outputs apart"


def lines(*records: AnyRecord) -> dict[str, str]:
    return dict(overview(state_of(begun(), list(records)), terms(), Activity(), datetime.fromisoformat(AT)))


def test_the_run_screen_has_a_line_only_where_there_is_something_to_say() -> None:
    assert not {"Checks", "Add"} & lines().keys()
    said = lines(FLAGGED, PROPOSED)
    assert said["Checks"] == LEFT_OUT
    assert said["Add"] == "Ask about [b]the limit."


def test_the_shell_gets_the_ideas_when_the_app_closes() -> None:
    state = state_of(begun(), [PROPOSED], ended("no_headroom"))
    model = RunModel(RunEntry("triage", Path("triage"), RunOptions(Path("a.yaml"), attended=True), state))
    assert outcome_lines(model)[-1] == "harder case to add: Ask about [b]the limit."


def test_headless_talks_of_both_when_they_come() -> None:
    told: list[str] = []
    skin = HeadlessSkin(as_json=False, talk=told.append)
    skin.opened(state_of(begun(), [FLAGGED, PROPOSED], ended()), terms())
    for record in (FLAGGED, HarnessExamined(outputs=2), PROPOSED):
        skin.recorded(record)
    assert told == [
        f"{LEFT_OUT}\n  c (held out): its check accepts whatever comes out",
        "harder case to add: Ask about [b]the limit.",
    ]


async def test_a_person_sees_what_is_left_out_before_they_agree_and_afterwards(tmp_path: Path) -> None:
    def examine(cases: Sequence[Case], outputs: Collection[str]) -> Sequence[FlaggedCase]:
        tried = f"all {len(outputs)} different outputs seen, an empty one and nonsense"
        reason = f"its check accepts whatever comes out: {tried}"
        return [FlaggedCase(case_id=case.id, fault="never_fails", reason=reason) for case in cases[:2]]

    stage = Stage(tmp_path)
    stage.world.examiner = examine
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
        check_picture(app, "left-out-baseline")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Keep this change?" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "2 of 20 cases left out" in text_of(app))
        check_picture(app, "left-out-run")
