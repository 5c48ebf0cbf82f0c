"""Until a person has scored or declined, no score of the judge is on any screen, in any print, in the readable log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from fakes import FakeClock, terms
from histories import ended, state_of, tried
from judged_histories import calibrated, grouped, judged, measured
from sheets import ScoringStage, sheet
from stage import Stage, on_stage, text_of, until
from textual.screen import Screen
from textual.widget import Widget

from ceopt_tui.commands.status import _words
from ceopt_tui.core.describe import HIDDEN, hides_scores, outcome_sentence, span_of
from ceopt_tui.core.state.fold import apply
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.log_view import log_document
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.report import report_markdown, report_page
from ceopt_tui.engine.skin import Skin
from ceopt_tui.exits import ExitStatus
from ceopt_tui.headless import HeadlessSkin, finished_event
from ceopt_tui.looking import FoundRun
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.judging_lines import judging_lines
from ceopt_tui.ui.overview import Activity, overview
from ceopt_tui.ui.viewmodel import detail, experiment_row
from schemas import records as r
from schemas.judging_records import PersonScored

FIGURES = ("4.37", "2.81", "3.59", "3.70", "3.7", "3.922", "1.56", "4.88")
REASON = "its judge gave 4.88, a gain of 1.56"


def open_sheet() -> list[r.AnyRecord]:
    """A sheet that is opened again when experiments have been decided already."""
    return [PersonScored(sheet="calibration-1", text_digest="original", case_id="a", sample=0, score=5)]


def decided() -> list[r.AnyRecord]:
    start = tried(1, "say it", text="Answer well.\n")
    made = r.Decided(
        number=1, step="confirm", decision="promising", next_measurement="holdout", reason=REASON,
        numbers={"mean_difference": 1.56},
    )  # fmt: skip
    return [*start, made, *tried(1, "say it", "reverted", REASON)[2:]]


def gained() -> list[r.AnyRecord]:
    gain = r.GainReported(
        original_digest="o", final_digest="f", cases=10, before=2.81, after=4.37, gain=1.56, low=1.0, high=2.0,
        cautious=1.0, clearly_better=True, fresh=True, selection_before=2.81, selection_after=4.88,
    )  # fmt: skip
    return [gain]


HIDDEN_STATES = {
    "offered": lambda: state_of(judged()),
    "scoring": lambda: state_of(judged(), open_sheet()),
    "scoring again": lambda: state_of(judged(), measured(), decided(), gained(), ended(), open_sheet()),
}


def seen(text: str) -> list[str]:
    return [figure for figure in FIGURES if figure in text]


@pytest.fixture(params=HIDDEN_STATES)
def hidden(request: pytest.FixtureRequest) -> RunState:
    state: RunState = HIDDEN_STATES[request.param]()
    assert hides_scores(state)
    return state


def test_the_figures_would_be_seen_if_they_were_shown() -> None:
    state = state_of(judged(), calibrated(), measured(), decided(), gained(), ended())
    assert not hides_scores(state)
    said = str(overview(state, terms(), Activity(), _now()))
    assert seen(said + str(detail(state, 1)) + str(log_document(state, "")) + _words(found(state)))


def _now() -> datetime:
    return FakeClock().now()


def found(state: RunState) -> FoundRun:
    return FoundRun(Path("triage"), None, state)  # type: ignore[arg-type]


def test_no_sentence_and_no_row_tells_a_score(hidden: RunState) -> None:
    lines = dict(overview(hidden, replace(terms(), span=4.0), Activity(), _now()))
    assert lines["Score"] == HIDDEN and HIDDEN in lines["Judge"] and "Themes" not in lines
    rows = [experiment_row(one, hidden=True) for one in hidden.experiments.values()]
    details = [detail(hidden, number) for number in hidden.experiments]
    assert seen(f"{lines} {rows} {details} {outcome_sentence(hidden, 4.0)}") == []


def test_neither_the_log_nor_the_status_nor_the_last_line_tells_a_score(hidden: RunState) -> None:
    result = TickResult("waiting", "waiting", "later", ExitStatus.WAITING)
    said = (log_document(hidden, ""), _words(found(hidden)), finished_event(hidden, result, "ceopt run spec.yaml"))
    assert seen(json.dumps(said[0]) + said[1] + json.dumps(said[2])) == []
    assert HIDDEN in said[1]
    if hidden.stopped is not None:
        assert seen(report_markdown(hidden, terms()) + report_page(hidden, terms())) == []


@pytest.mark.parametrize("as_json", [True, False])
def test_events_tell_no_verdict(as_json: bool) -> None:
    printed: list[str] = []
    skin = HeadlessSkin(as_json=as_json, out=printed.append, talk=printed.append)
    records = judged()
    skin.opened(state_of(records), terms())
    for record in records:
        skin.recorded(record)
    assert seen("\n".join(printed)) == []


def _walked(screen: Screen[object]) -> Iterator[str]:
    """Everything any widget of the screen holds, seen or scrolled away, with what lies on its tables."""
    for widget in screen.walk_children(Widget):
        yield str(widget.render())
        yield "".join(strip.text for strip in (widget.render_line(y) for y in range(min(widget.size.height, 60))))


class HiddenStage(ScoringStage):
    """A judged run at the point where a person scores its outputs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hidden = HIDDEN_STATES["scoring again"]()
        self.entry = replace(self.entry, state=self.hidden)
        self.listed = [self.entry]

    async def tick(self, options: RunOptions, skin: Skin) -> TickResult:
        skin.opened(self.hidden, self.world.terms)
        await skin.score(self.sheet, self.record)
        return TickResult("waiting", "waiting", "over", ExitStatus.WAITING)

    async def record(self, item_id: str, mark: object) -> None:
        """Kept nowhere: only the screens matter here."""


@pytest.mark.exhaustive
async def test_no_widget_of_any_screen_holds_a_score_of_the_judge(tmp_path: Path) -> None:
    stage = HiddenStage(tmp_path, sheet(3))
    async with on_stage(stage, size=(120, 40)) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        held = list(_walked(app.screen))
        await pilot.press("enter")
        await until(pilot, lambda: "exp-001" in text_of(app))
        held += _walked(app.screen)
        app.start(app.screen.model)  # type: ignore[attr-defined]
        await until(pilot, lambda: "1 of 3" in text_of(app))
        for key in ("i", "4", "b", "r", "enter", "enter", "u", "escape", "t", "escape", "escape"):
            await pilot.press(key)
            await pilot.pause()
            held += [*_walked(app.screen), text_of(app)]
        await until(pilot, lambda: "waits for your answer" in text_of(app))
        for key in ("d", "escape", "t", "question_mark", "escape"):
            await pilot.press(key)
            await pilot.pause()
            held += [*_walked(app.screen), text_of(app)]
        assert HIDDEN in " ".join(held)
        assert seen("\n".join(held)) == []


async def test_what_was_hidden_is_shown_once_the_person_is_through(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    state = state_of(judged(), measured(), decided(), gained(), ended(), open_sheet())
    entry = replace(stage.entry, state=state, options=None)
    async with on_stage(stage, size=(160, 40), first=entry) as (app, pilot):
        await until(pilot, lambda: f"{HIDDEN}" in text_of(app) and "exp-001" in text_of(app))
        for record in calibrated():
            apply(state, record)
        app.screen.changed()  # type: ignore[attr-defined]
        await until(pilot, lambda: REASON in text_of(app) and HIDDEN not in text_of(app))


def test_a_judged_run_says_how_far_its_judge_is_to_be_trusted() -> None:
    state = state_of(judged(), calibrated(), measured(), [grouped()])
    lines = dict(judging_lines(state, terms()))
    assert lines["Judge"] == "its word alone · 7 outputs scored, 0 unscored, 1 ambiguous"
    assert lines["Themes"] == "3 failure themes, 1 case unexplained; t shows them"
    assert span_of(state) == 4.0 and span_of(RunState()) == 1.0
    assert judging_lines(RunState(), terms()) == []
    waiting: list[r.AnyRecord] = [record for record in judged() if record.kind != "judged"]
    assert judging_lines(state_of(waiting), terms()) == [("Judge", "has judged nothing yet")]
