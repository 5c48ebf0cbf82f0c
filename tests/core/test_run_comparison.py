"""Two runs side by side: the figures of each, and every reason why their scores say nothing of each other."""

from __future__ import annotations

from dataclasses import replace

from journals import experiment, looping

from ceopt_tui.core.describe import HIDDEN
from ceopt_tui.core.run_comparison import compare_runs, verdict_lines
from ceopt_tui.core.state.run import RunState
from schemas import records as r
from schemas.judging_records import JudgedRun, RubricBound

GAIN = r.GainReported(
    original_digest="o", final_digest="f", cases=4, before=0.5, after=0.75, gain=0.25, low=0.1, high=0.4, cautious=0.2,
    clearly_better=True, fresh=True, selection_before=0.5, selection_after=0.9,
)  # fmt: skip
RUBRIC = RubricBound(digest="r", text="How good?", lowest=1, highest=5, pass_at=4, primary="quality")


def bound(role: str, model: str) -> r.ModelBound:
    return r.ModelBound(role=role, name="cheap", model=model, endpoint="")  # type: ignore[arg-type]


def kept(model: str = "m") -> RunState:
    commit = r.Committed(number=1, text_digest="t1", commit="c", branch="b")
    closed = r.ExperimentClosed(number=1, outcome="kept", reason="because")
    end = r.Finished(outcome="improved", exit_status=0, reason="enough")
    return looping(bound("task", model), *experiment(1, "t1"), commit, closed, GAIN, end)


def rows(first: RunState, second: RunState) -> dict[str, tuple[str, str]]:
    return {label: (left, right) for label, left, right in compare_runs(first, second).rows}


def started(state: RunState, **changes: object) -> RunState:
    assert state.started is not None
    return replace(state, started=state.started.model_copy(update=changes))


def test_runs_measured_alike_stand_side_by_side() -> None:
    first, second = kept(), looping(bound("task", "m"))
    found = rows(first, second)
    assert found["Outcome"] == ("improved", second.status)
    assert found["Held out"] == ("50% → 75%, +25 points (90%: +10 points to +40 points)", "no final gain measured")
    assert found["Kept"] == ("1 of 1 experiment", "0 of 0 experiments")
    assert found["Task"] == ("m", "m") and found["Judge"] == ("none", "none")
    assert found["Tuning"][1] == "50% → 50%"
    assert compare_runs(first, second).comparable
    assert "can be compared" in verdict_lines(compare_runs(first, second))[0]


def test_every_difference_in_the_measuring_is_a_reason() -> None:
    first, other = kept(), kept("another")
    other = started(other, measurement_digest="another")
    other.judging.rubric = RUBRIC
    assert other.split is not None
    other.split = other.split.model_copy(update={"holdout": ("new",)})
    found = compare_runs(first, other)
    assert [reason.split(":")[0] for reason in found.why_not] == [
        "not the same cases on the same sides", "what decides a score differs", "another task model", "another rubric",
    ]  # fmt: skip
    assert verdict_lines(found)[0] == "The scores cannot be compared:"


def test_a_run_that_has_not_started_compares_with_nothing() -> None:
    found = compare_runs(RunState(), kept())
    assert found.why_not == ("one of them has not started",)
    facts = rows(RunState(), kept())
    assert facts["Cases"][0] == facts["Measured"][0] == facts["Text"][0] == "not known"
    assert facts["Tuning"][0] == "not measured"
    unsplit = replace(kept(), split=None)
    assert compare_runs(unsplit, unsplit).comparable


def test_commands_compare_with_the_same_command_alone() -> None:
    first, second = started(kept(), command="make bench"), started(kept(), command="make test")
    assert compare_runs(first, second).why_not == ("another command measured them",)
    assert compare_runs(first, first).comparable


def test_no_score_is_told_while_scores_are_hidden() -> None:
    state = kept()
    state.judging.rubric = RUBRIC
    state.baseline, state.stopped = None, None
    state.judging.verdicts["o", "a", 0] = JudgedRun.model_construct(score=5.0)
    assert state.scores_hidden
    found = rows(state, state)
    assert found["Tuning"] == found["Held out"] == (HIDDEN, HIDDEN)
