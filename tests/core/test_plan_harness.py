"""Cases whose check says nothing leave every figure; what is left is decided on, or the run stops."""

from __future__ import annotations

from typing import Any

import pytest
from journals import HOLDOUT, SELECTION, SOUND, baseline, everywhere, looping, next_action, runs, started

from ceopt_tui.core.harness_words import harder_lines, left_out_line, left_out_sentence, named
from ceopt_tui.core.plan.actions import Examine, Note, Probe, ProposeCases, Report
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.harness_records import CaseIdea, CasesProposed, DraftedCase, FlaggedCase, HarnessExamined
from schemas.records import BaselineMeasured, Finished, Probed, ReportWritten, RunStarted, Stopped

MEASURED = runs("old", "baseline", {**everywhere(SELECTION, 1, 0, 1, 0), "s0": [1, 1, 1, 1]})
PROBED = Probed(probe="empty", status="passed")


def flagged(*cases: str) -> HarnessExamined:
    return HarnessExamined(
        outputs=4, flagged=tuple(FlaggedCase(case_id=case, fault="never_fails", reason="accepts all") for case in cases)
    )


def begun(*records: Any, **split: Any) -> RunState:
    return fold([*started(**split), *MEASURED, *records])


def recorded(state: RunState, **changes: Any) -> Any:
    action = next_action(state, **changes)
    assert isinstance(action, Note)
    return action.records[0]


def test_checks_are_examined_once_when_the_baseline_is_in() -> None:
    assert next_action(fold([*started(), *MEASURED[:-1]])) != Examine()
    assert next_action(begun()) == Examine()
    assert isinstance(recorded(begun(SOUND)), BaselineMeasured)


def test_a_run_that_had_its_baseline_before_checks_were_examined_goes_on_as_it_was() -> None:
    state = looping()
    assert state.harness.examined is None and not state.harness.flagged
    assert (state.selection, state.holdout) == (SELECTION, HOLDOUT)
    assert next_action(state) != Examine()


def test_flagged_cases_leave_both_sides_and_the_split_stays_frozen() -> None:
    state = begun(flagged("s0", "h1"), PROBED, report_only=HOLDOUT[:2])
    assert state.selection == SELECTION[1:] and state.holdout == (HOLDOUT[0], *HOLDOUT[2:])
    assert state.report_only == (HOLDOUT[0],)
    assert state.split is not None and (state.split.selection, state.split.holdout) == (SELECTION, HOLDOUT)
    assert state.held_out("h1")  # nothing of it may be told, counted or not
    assert "s0" not in state.reference.selection and "s0" not in state.baseline_selection
    assert fold([]).selection == fold([]).holdout == fold([]).report_only == ()


def test_the_noise_is_that_of_the_cases_that_count() -> None:
    whole, left = begun(SOUND), begun(flagged("s0"), PROBED)
    assert (whole.runs.sigma_df, left.runs.sigma_df) == (18, 15)
    assert left.runs.sigma_ss == pytest.approx(whole.runs.sigma_ss)  # the case that always passed had none
    noisy = begun(flagged("s1"), PROBED)
    assert (noisy.runs.sigma_ss, noisy.runs.sigma_df) == (pytest.approx(whole.runs.sigma_ss - 1), 15)


def test_a_case_that_errors_took_and_that_counts_for_nothing_is_not_lost() -> None:
    failed = runs("old", "baseline", {"s0": [None, None]}, first=4)
    state = begun(*failed)
    assert len(state.runs.given_up()) == 1
    fold([flagged("s0")], state)
    assert not state.runs.given_up()


def test_mean_floor_and_price_are_those_of_the_cases_that_count() -> None:
    whole, left = recorded(begun(SOUND)), recorded(begun(flagged("s0", "h1", "h2", "h3"), PROBED))
    assert (whole.mean, left.mean) == (pytest.approx(3.5 / 6), 0.5)
    assert (whole.scored, left.scored) == (24, 20)
    assert left.sees_half > whole.sees_half
    assert left.calls_per_experiment[1] < whole.calls_per_experiment[1]


def test_a_runner_is_not_called_deterministic_for_the_cases_that_are_left_out() -> None:
    """What the left-out case showed of the runner holds: its outputs differed."""
    same = [record.model_copy(update={"output": "x", "score": 0.0}) for record in MEASURED]
    steady = fold([*started(), *same, flagged("s0"), PROBED])
    assert recorded(steady).deterministic
    varied = [
        record.model_copy(update={"output": str(record.sample)}) if record.case_id == "s0" else record
        for record in same
    ]
    assert not recorded(fold([*started(), *varied, flagged("s0"), PROBED])).deterministic


def test_the_probes_are_tried_again_on_the_cases_that_count() -> None:
    failed = Probed(probe="empty output", status="failed", detail="an empty output scores 90%")
    before = recorded(fold([*started()[:2], failed]))
    assert before.reason == "the checks reward a shortcut: empty output: an empty output scores 90%"
    state = begun(flagged("s0"))
    assert next_action(state) == Probe()
    fold([failed], state)
    stop = recorded(state)
    assert (stop.outcome, stop.reason) == (
        "harness_failed",
        "without the cases whose checks cannot tell outputs apart, the checks reward a shortcut: "
        "empty output: an empty output scores 90%",
    )


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ((*SELECTION[:4], *HOLDOUT[:4]), "4 cases left, needs at least 5"),
        (SELECTION, "no selection case left"),
        (HOLDOUT, "no held-out case left"),
    ],
)
def test_too_few_left_stops_the_run_before_a_baseline_is_made_of_them(cases: tuple[str, ...], reason: str) -> None:
    state = begun(flagged(*cases))
    stop = recorded(state)
    assert isinstance(stop, Stopped) and stop.outcome == "too_few_cases"
    assert stop.reason == (
        f"{reason}: the checks of {named(cases)} cannot tell outputs apart; put them right or add cases"
    )
    fold([stop], state)
    assert next_action(state) == Report()  # calls were paid, and why they came to nothing is worth reading
    fold([ReportWritten(path="p")], state)
    assert recorded(state) == Finished(outcome="too_few_cases", exit_status=0, reason=stop.reason)


def test_a_spec_that_changed_examines_its_checks_anew() -> None:
    begin_again = started()[0]
    assert isinstance(begin_again, RunStarted)
    state = begun(flagged("s0"), PROBED, begin_again, *started()[1:])
    assert state.harness.examined is None and state.selection == SELECTION


def test_harder_cases_are_looked_for_once_where_nothing_is_left_to_gain() -> None:
    state = fold([*started(), *baseline(1.0), Stopped(outcome="no_headroom", reason="r")])
    assert next_action(state) == ProposeCases()
    fold([CasesProposed()], state)
    assert next_action(state) == Report()
    reported = [*started(), *baseline(1.0), Stopped(outcome="no_headroom", reason="r"), ReportWritten(path="p")]
    assert isinstance(recorded(fold(reported)), Finished)  # an older run that had its report
    other = fold([*started(), *baseline(), Stopped(outcome="plateau", reason="r")])
    assert next_action(other) == Report()


def test_what_is_left_out_in_words() -> None:
    assert left_out_sentence(begun(SOUND)) == left_out_sentence(fold([])) == ""
    state = begun(flagged("s0", "h1"))
    assert left_out_sentence(state) == "2 of 12 cases left out: their checks cannot tell outputs apart"
    assert [left_out_line(state, case) for case in state.harness.flagged] == [
        "s0 (selection): accepts all", "h1 (held out): accepts all"
    ]  # fmt: skip
    assert named(["a"] * 7) == "a, a, a, a, a and 2 more"


def test_harder_cases_in_words() -> None:
    assert harder_lines(fold([])) == harder_lines(fold([CasesProposed(note="no reply")])) == []
    ideas = tuple(CaseIdea(source="rule", text=f"idea {number}") for number in range(4))
    drafts = (DraftedCase(input="i", expected="e"),)
    assert harder_lines(fold([CasesProposed(ideas=ideas[:1])])) == ["harder case to add: idea 0"]
    assert harder_lines(fold([CasesProposed(ideas=ideas)]))[3:] == ["in the report: 1 more idea"]
    assert harder_lines(fold([CasesProposed(ideas=ideas, drafts=drafts)]))[3:] == [
        "in the report: 1 more idea, 1 case to confirm, written by a model"
    ]
