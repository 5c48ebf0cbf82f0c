"""Score over experiments: drawn with plain characters, walked by keyboard, silent where scores are hidden."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import terms
from histories import begun, state_of, tried
from judged_histories import judged, measured
from pictures import check_picture
from stage import Stage, on_stage, text_of, until

from ceopt_tui.core.charts import Dot, Estimate, ScoreChart
from ceopt_tui.core.state.run import RunState
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.score_plot import LOOK, headline, legend, plot
from ceopt_tui.ui.screens.chart import ChartScreen
from ceopt_tui.ui.screens.review import ReviewScreen
from schemas import records as r
from schemas.judging_records import PersonScored

# Outcome, difference on the tuning cases, on the held-out ones where these were looked at.
TRIED: tuple[tuple[str, float, float | None], ...] = (
    ("reverted", -0.1, None), ("inconclusive", 0.05, None), ("kept", 0.12, 0.1), ("refused", 0.0, None),
    ("reverted", 0.08, 0.01), ("reverted", -0.2, None), ("kept", 0.15, 0.12), ("error", 0.0, None),
    ("reverted", 0.02, None), ("kept", 0.06, 0.05), ("reverted", -0.04, None), ("inconclusive", 0.03, None),
)  # fmt: skip


def verdict(number: int, step: str, gain: float) -> r.Decided:
    return r.Decided(
        number=number, step=step, decision="promising", next_measurement="none", reason="measured",
        numbers={"n": 8, "mean_difference": gain, "se": 0.04},
    )  # fmt: skip


def experiment(number: int, outcome: str, gain: float, held_out: float | None) -> list[r.AnyRecord]:
    records = tried(number, f"idea {number}", outcome, "because", f"Answer {number}.\n")
    end = [one for one in records if isinstance(one, r.ExperimentClosed | r.Committed)]
    seen: list[r.AnyRecord] = [] if outcome in ("refused", "error") else [verdict(number, "add_sample", gain)]
    if held_out is not None:
        before = {"c": (0.5, 0.5), "d": (0.75, 0.75)}
        seen += [
            r.Looked(look=number, number=number, level=0.05, keeps=0),
            r.Compared(
                number=number, comparison="holdout", reference_digest="old", candidate_digest="new", workload="w",
                reference=before, candidate=before,
            ),
            verdict(number, "holdout", held_out),
        ]  # fmt: skip
    return [*records[: len(records) - len(end)], *seen, *end]


def history() -> RunState:
    return state_of(begun(), *(experiment(number, *one) for number, one in enumerate(TRIED, 1)))


def entry_of(state: RunState, folder: Path) -> RunEntry:
    return RunEntry("triage", folder / "run", None, state, terms=terms())


def staged(entry: RunEntry, folder: Path) -> Stage:
    stage = Stage(folder / "stage")
    stage.listed = [entry]
    stage.reread = lambda entry: entry  # type: ignore[method-assign]
    return stage


@pytest.mark.parametrize(("size", "picture"), [((80, 24), "chart"), ((120, 40), "chart-wide")])
async def test_g_shows_every_experiment_with_its_sign(tmp_path: Path, size: tuple[int, int], picture: str) -> None:
    """Original, best so far, outcomes by sign, held-out looks."""
    async with on_stage(staged(entry_of(history(), tmp_path), tmp_path), size=size) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "exp-012" in text_of(app))
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, ChartScreen))
        shown = text_of(app)
        assert "original 50% → best 83% (exp-010) on tuning cases; 10 of 12 ideas measured" in shown
        assert "✓ kept" in shown and "✗ reverted" in shown and "~ not sure" in shown and LOOK in shown
        await pilot.press("left", "left", "left")
        assert "exp-010 ✓ kept: 83% (90%: 76% to 90%) on tuning cases; held-out cases 68%" in " ".join(
            text_of(app).split()
        )
        check_picture(app, picture)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not isinstance(app.screen, ChartScreen))


async def test_hidden_scores_are_on_no_chart(tmp_path: Path) -> None:
    entry = entry_of(
        state_of(
            judged(),
            measured(),
            [PersonScored(sheet="calibration-1", text_digest="original", case_id="a", sample=0, score=5)],
        ),
        tmp_path,
    )
    assert entry.state.scores_hidden
    async with on_stage(staged(entry, tmp_path)) as (app, pilot):
        app.push_screen(ChartScreen(RunModel(entry)))
        await until(pilot, lambda: isinstance(app.screen, ChartScreen))
        shown = text_of(app)
        assert "hidden until you have scored or declined" in shown and "┤" not in shown


async def test_a_run_without_spec_or_baseline_says_why_there_is_no_chart(tmp_path: Path) -> None:
    entry = entry_of(RunState(), tmp_path)
    async with on_stage(staged(entry, tmp_path)) as (app, pilot):
        for model, said in ((entry, "baseline comes first"), (replace(entry, terms=None), "spec of this run")):
            app.push_screen(ChartScreen(RunModel(model)))
            await until(pilot, lambda said=said: said in " ".join(text_of(app).split()))
            await pilot.press("right", "enter")  # nothing to walk to, nothing to open


def chart_of(count: int, *, kept: int | None = None, mean: float = 0.5) -> ScoreChart:
    best = ((0, 0.5),) if kept is None else ((0, 0.5), (kept, mean))
    dots = tuple(
        Dot(number, f"exp-{number:03d}", "kept" if number == kept else "reverted", number == kept,
            Estimate(mean, mean, mean), Estimate(mean, mean, mean) if number == kept else None)
        for number in range(1, count + 1)
    )  # fmt: skip
    return ScoreChart(0.0, 1.0, count, count, best, dots)


@pytest.mark.parametrize("width", [20, 80, 200])
@pytest.mark.parametrize("height", [3, 12, 60])
@pytest.mark.parametrize("count", [0, 1, 300, 10_000])
def test_a_chart_fits_its_room(width: int, height: int, count: int) -> None:
    chart = chart_of(count, kept=count or None, mean=0.8)
    if not count:
        chart = chart_of(0)
    lines = plot(chart, width, height, count or None).plain.split("\n")
    assert len(lines) == max(height, 6)
    assert max(map(len, lines)) <= width
    assert ("✓" in "\n".join(lines)) == bool(count)
    assert "original 50%" in headline(chart)


def test_a_fall_is_a_gain_where_less_is_better() -> None:
    lines = plot(chart_of(2, kept=2, mean=0.2), 60, 9).plain.split("\n")
    assert any("┐" in line for line in lines[:2])  # the best so far leaves the original downwards
    assert "✓" in lines[5]


def test_the_legend_names_the_signs_that_are_there_and_no_other() -> None:
    assert legend(chart_of(2).dots) == "─ best so far   · original   ✗ reverted"
    assert "held-out score" in legend(chart_of(2, kept=1).dots)
