"""A pruning run's decisions: a rule leaves only where its loss can be ruled out, step by step and over all steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from fakes import terms
from journals import AT, everywhere, idea, next_action, runs, started

from ceopt_tui.core.plan.actions import GroupThemes, Hypothesize, Measure, Note
from ceopt_tui.core.plan.closing import broken
from ceopt_tui.core.plan.shortening import before_removals
from ceopt_tui.core.plan.terms import JudgeTerms
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.records import (
    AnyRecord,
    Approved,
    BacklogClosed,
    BaselineMeasured,
    CandidateMade,
    Committed,
    Compared,
    Decided,
    ExperimentClosed,
    ExperimentStarted,
    Looked,
    Stopped,
)

SELECTION = tuple(f"s{i:02d}" for i in range(12))
HOLDOUT = tuple(f"h{i:02d}" for i in range(12))
PRUNING: dict[str, Any] = {"pruning": True}


def measured(
    scores: Sequence[float] = (1, 1, 1, 1), *, deterministic: bool = False, split: Mapping[str, Any] | None = None
) -> list[AnyRecord]:
    """A run up to its approved baseline; every selection case has these scores."""
    sides = {"selection": SELECTION, "holdout": HOLDOUT, **(split or {})}
    baseline = BaselineMeasured(
        text_digest="old", mean=sum(scores) / len(scores), scored=48, unscored=0, deterministic=deterministic,
        sees_half=0.2, sees_most=0.3, calls_per_experiment=(4, 30),
    )  # fmt: skip
    caps: dict[str, float | None] = {"max_calls": 2000.0}
    agreed = [Approved(what=what, digest="digest", caps=caps) for what in ("spec", "baseline")]
    return [*started(**sides), *runs("old", "baseline", everywhere(sides["selection"], *scores)), baseline, *agreed]


def removal(number: int = 1, *, base: str = "old", text: str = "n", claims: str = "tokens") -> list[AnyRecord]:
    """One idea carried out; its text is a character long unless it says otherwise, the original has three."""
    return [
        idea(number, claims=claims),
        BacklogClosed(generation=0, added=1, at=AT),
        ExperimentStarted(number=number, hypothesis_id=f"h{number:03d}", base_digest=base, base_sha="base", branch="b"),
        CandidateMade(number=number, text_digest=f"new{number}", texts={"p": text}),
    ]


def decided(step: Any, following: Any, decision: Any = "inconclusive", number: int = 1) -> Decided:
    return Decided(number=number, step=step, decision=decision, next_measurement=following, reason="said so")


def swept(*scores: float, lost: int = 0, number: int = 1) -> list[AnyRecord]:
    """The candidate's selection runs; `lost` cases fail every time."""
    failing = everywhere(SELECTION[:lost], *[0] * len(scores))
    return runs(
        f"new{number}", "add_sample", {**everywhere(SELECTION, *scores), **failing}, experiment=number
    )  # fmt: skip


BEGUN = decided("exploratory", "add_sample")
DRIFT = runs("old", "drift", everywhere(SELECTION, 1), first=4, experiment=1)


def verdict(state: RunState, **changes: Any) -> Decided:
    action = next_action(state, **PRUNING, **changes)
    assert isinstance(action, Note), action
    record = action.records[-1]
    assert isinstance(record, Decided)
    return record


def stopped(state: RunState, **changes: Any) -> Stopped:
    action = next_action(state, **{**PRUNING, **changes})
    assert isinstance(action, Note), action
    (record,) = action.records
    assert isinstance(record, Stopped)
    return record


def test_a_score_that_does_not_move_is_what_a_removal_hopes_for() -> None:
    begun = next_action(fold([*measured(), *removal()]), **PRUNING)
    assert isinstance(begun, Measure)
    drawn = [run.case_id for run in begun.runs]
    first = runs("new1", "exploratory", everywhere(drawn, 1), experiment=1)
    record = verdict(fold([*measured(), *removal(), *first]))
    assert (record.decision, record.next_measurement) == ("inconclusive", "add_sample")
    # Only its claim makes the difference: an idea that is to score better ends here.
    record = verdict(fold([*measured(), *removal(claims="primary"), *first]))
    assert (record.decision, record.next_measurement) == ("revert", "none")


def test_no_loss_on_selection_leads_to_a_look_and_says_what_it_rests_on() -> None:
    record = verdict(fold([*measured(), *removal(), BEGUN, *swept(1), *DRIFT]))
    assert (record.decision, record.next_measurement) == ("promising", "confirm")
    assert record.reason == "shorter, and no worse on the selection cases (at worst -3 points, allowed -5 points)"


@pytest.mark.parametrize(("scores", "following"), [((1,), "add_sample"), ((1, 1), "add_sample"), ((1, 1, 1), "none")])
def test_a_loss_that_cannot_be_ruled_out_is_measured_on_while_there_are_sweeps(
    scores: Sequence[float], following: str
) -> None:
    sweeps = [BEGUN, *[decided("add_sample", "add_sample")] * (len(scores) - 1)]
    unsure = runs("new1", "add_sample", {**everywhere(SELECTION, *scores), "s00": (0, *scores[1:])}, experiment=1)
    record = verdict(fold([*measured(), *removal(), *sweeps, *unsure, *DRIFT]))
    assert (record.decision, record.next_measurement) == ("inconclusive", following)
    if following == "none":
        assert record.reason.startswith("shorter, but not shown to be no worse (at worst -")


def test_a_loss_that_is_seen_reverts() -> None:
    record = verdict(fold([*measured(), *removal(), BEGUN, *swept(1, lost=4), *DRIFT]))
    assert (record.decision, record.next_measurement) == ("revert", "none")
    assert record.reason.startswith("worse on the selection cases (z = -")


def test_a_text_that_did_not_get_shorter_reverts() -> None:
    record = verdict(fold([*measured(), *removal(text="longer"), BEGUN, *swept(1), *DRIFT]))
    assert (record.decision, record.reason) == ("revert", "not shorter than the text before")


def looking(candidate: Mapping[str, Sequence[float | None]], step: Any = "holdout") -> RunState:
    """At the held-out cases, the reference passing all of them."""
    before = runs("old", "reference", everywhere(HOLDOUT, 1, 1, 1, 1), experiment=1)
    after = runs("new1", step, candidate, experiment=1)
    path: list[AnyRecord] = [
        decided("add_sample", "confirm", "promising"),
        Looked(look=1, number=1, level=0.1, keeps=0),
    ]
    confirmed = [decided("confirm", "holdout", "promising")] if step == "holdout" else []
    drift = runs("old", "drift", everywhere(HOLDOUT, 1), first=4, experiment=1)
    return fold([*measured(), *removal(), *swept(1), *path, *before, *confirmed, *after, *drift])


@pytest.mark.parametrize(
    ("lost", "decision", "reason"),
    [
        ({}, "keep", "shorter, and no worse on the held-out cases (at worst -4 points, allowed -5 points)"),
        (
            {HOLDOUT[0]: (0, 1, 1, 1)},
            "inconclusive",
            "shorter, but not shown to be no worse (at worst -6 points, allowed -5 points)",
        ),
        (everywhere(HOLDOUT[:4], 0, 0, 0, 0), "revert", "worse on the held-out cases (z = -"),
    ],
)
def test_the_held_out_cases_have_the_last_word(
    lost: Mapping[str, Sequence[float | None]], decision: str, reason: str
) -> None:
    record = verdict(looking({**everywhere(HOLDOUT, 1, 1, 1, 1), **lost}))
    assert (record.decision, record.next_measurement) == (decision, "none")
    assert record.reason.startswith(reason)


def test_the_first_held_out_runs_only_have_to_show_no_harm() -> None:
    record = verdict(looking(everywhere(HOLDOUT, 1, 1), step="confirm"))
    assert (record.decision, record.next_measurement) == ("promising", "holdout")
    assert record.reason == "shorter, and no sign of harm on the held-out cases so far"


def test_a_look_that_is_to_show_no_loss_has_its_own_level_and_wears_nothing_out() -> None:
    promising = decided("add_sample", "confirm", "promising")
    many = [Looked(look=number, number=1, level=0.1, keeps=0) for number in range(1, 21)]
    closed = ExperimentClosed(number=1, outcome="inconclusive", reason="")
    second = [*removal(2), *swept(1, number=2), promising.model_copy(update={"number": 2})]
    action = next_action(fold([*measured(), *removal(), *many, closed, *second]), **PRUNING)
    assert action == Note((Looked(look=21, number=2, level=0.1, keeps=0),))
    # A gain's level counts the looks and keeps of gains alone.
    second = [*removal(2, claims="primary"), *second[4:]]
    action = next_action(fold([*measured(), *removal(), *many, closed, *second]))
    assert isinstance(action, Note) and action.records[0] == Looked(look=21, number=2, level=0.1, keeps=0)


def kept(number: int, *, base: str = "old", claims: str = "tokens") -> list[AnyRecord]:
    """An experiment that was kept, with both pairings: its reference passed everything."""
    pairings = [
        Compared(
            number=number, comparison=kind, reference_digest=base, candidate_digest=f"new{number}", workload=kind,
            reference=dict.fromkeys(cases, (1.0, 1.0, 1.0, 1.0)),
            candidate=dict.fromkeys(cases, (1.0, 1.0, 1.0, 1.0)),
        )
        for kind, cases in (("standalone", SELECTION), ("holdout", HOLDOUT))
    ]  # fmt: skip
    return [
        *removal(number, base=base, text="ne", claims=claims),
        *pairings,
        decided("holdout", "none", "keep", number),
        Committed(number=number, text_digest=f"new{number}", commit=f"c{number}", branch="b"),
        ExperimentClosed(number=number, outcome="kept", reason="", moved=False),
    ]


def second_removal(*, claims: str = "tokens", lost: int = 1) -> RunState:
    """A second removal, as good as the text it starts from; both fail a case that the original passed."""
    current = runs(
        "new1", "reference", {**everywhere(SELECTION, 1, 1, 1, 1), **everywhere(SELECTION[:lost], 0, 0, 0, 0)}, 0, 2
    )
    after = runs(
        "new2", "add_sample", {**everywhere(SELECTION, 1, 1, 1), **everywhere(SELECTION[:lost], 0, 0, 0)}, 0, 2
    )
    begun = [decided("exploratory", "add_sample", number=2), *[decided("add_sample", "add_sample", number=2)] * 2]
    drift = runs("new1", "drift", {**everywhere(SELECTION, 1), **everywhere(SELECTION[:lost], 0)}, 4, 2)
    return fold(
        [*measured(), *kept(1, claims=claims), *removal(2, base="new1"), *current, *begun, *after, *drift]
    )  # fmt: skip


def test_removals_that_each_pass_do_not_add_up_to_a_loss() -> None:
    crept = verdict(second_removal())
    assert (crept.decision, crept.next_measurement) == ("inconclusive", "none")
    assert crept.reason == "with what was removed before it, not shown to be no worse"
    assert verdict(second_removal(lost=0)).next_measurement == "confirm"


def test_a_change_kept_for_its_score_is_a_new_ground_to_compare_with() -> None:
    assert before_removals(second_removal(claims="primary")) is None
    assert verdict(second_removal(claims="primary")).next_measurement == "confirm"
    anchor = before_removals(second_removal())
    assert anchor is not None and set(anchor.selection) == set(SELECTION) and set(anchor.held_out) == set(HOLDOUT)


def test_the_row_of_removals_begins_with_the_first_of_them() -> None:
    state = fold([*measured(), *kept(1), *kept(2, base="new1"), *kept(3, base="new2")])
    anchor = before_removals(state)
    assert anchor is not None
    assert anchor.selection == state.experiments[1].comparisons[0].reference


def held_out_again(lost: int) -> RunState:
    """The second removal at its held-out cases; like the text before it, it fails `lost` that the original passed."""
    failing = everywhere(HOLDOUT[:lost], 0, 0, 0, 0)
    scores = {**everywhere(HOLDOUT, 1, 1, 1, 1), **failing}
    selection = [
        *runs("new1", "reference", everywhere(SELECTION, 1, 1, 1, 1), experiment=2),
        *runs("new2", "add_sample", everywhere(SELECTION, 1), experiment=2),
    ]
    path = [
        decided("add_sample", "confirm", "promising", 2),
        Looked(look=2, number=2, level=0.1, keeps=1),
        *runs("new1", "reference", scores, experiment=2),
        decided("confirm", "holdout", "promising", 2),
        *runs("new2", "holdout", scores, experiment=2),
        *runs("new1", "drift", {**everywhere(HOLDOUT, 1), **everywhere(HOLDOUT[:lost], 0)}, 4, 2),
    ]
    return fold([*measured(), *kept(1), *removal(2, base="new1"), *selection, *path])


def test_the_held_out_cases_are_compared_with_the_text_before_all_removals_too() -> None:
    assert verdict(held_out_again(0)).decision == "keep"
    crept = verdict(held_out_again(1))
    assert (crept.decision, crept.next_measurement) == ("inconclusive", "none")
    assert crept.reason == "with what was removed before it, not shown to be no worse on the held-out cases"


def test_a_case_that_several_removals_broke_is_broken() -> None:
    state = held_out_again(1)
    assert state.current is not None
    assert broken(state, terms(), state.current) == (HOLDOUT[0],)


def test_a_text_without_faults_is_welcome() -> None:
    full = fold(measured())
    assert next_action(full, **PRUNING) == Hypothesize(0)
    assert next_action(full, **PRUNING, target=0.9) == Hypothesize(0)
    assert stopped(full, pruning=False).outcome == "no_headroom"
    pruned = fold([*measured(), *kept(1)])
    assert next_action(pruned, **PRUNING, target=0.9) == Hypothesize(1)


def test_rules_that_move_nothing_are_no_sign_of_a_broken_harness() -> None:
    unmoved = [
        record
        for number in (1, 2, 3)
        for record in (
            *removal(number, claims="tokens"),
            ExperimentClosed(number=number, outcome="inconclusive", reason="", moved=False),
        )
    ]
    assert fold([*measured(), *unmoved]).unmoved == []
    assert next_action(fold([*measured(), *unmoved]), **PRUNING) == Hypothesize(1)


def test_every_rule_tried_is_the_end() -> None:
    state = fold([*measured(), BacklogClosed(generation=0, added=0, at=AT)])
    assert stopped(state) == Stopped(
        outcome="no_rules", reason="every rule that may go was tried; protected ones were not"
    )


def test_failures_are_not_put_in_themes_for_rules_to_go() -> None:
    judge = JudgeTerms(rubric_digest="r", model="m", waived="known")
    judged = fold(measured((0, 0, 0, 0)))
    assert next_action(judged, judge=judge) == GroupThemes(0)
    assert next_action(judged, **PRUNING, judge=judge) == Hypothesize(0)


def test_a_removal_is_not_held_against_another() -> None:
    """One was missed on half of the cases; the next, which no case notices, is as sure as if it were alone."""
    missed = runs("new1", "add_sample", {**everywhere(SELECTION, 1), **everywhere(SELECTION[:6], 0)}, experiment=1)
    first = next_action(fold([*measured(), *removal(), BEGUN, *missed, *DRIFT]), **PRUNING)
    assert isinstance(first, Note)
    closed = ExperimentClosed(number=1, outcome="reverted", reason="", moved=True)
    second = [*removal(2), decided("exploratory", "add_sample", number=2), *swept(1, number=2)]
    drift = runs("old", "drift", everywhere(SELECTION, 1), 5, 2)
    state = fold([*measured(), *removal(), BEGUN, *missed, *DRIFT, *first.records, closed, *second, *drift])
    assert state.tau_ss > 2
    assert verdict(state).reason.endswith("(at worst -3 points, allowed -5 points)")


def sides(selection: int, held_out: int) -> dict[str, Any]:
    return {"selection": SELECTION[:selection], "holdout": [f"h{i:02d}" for i in range(held_out)]}


@pytest.mark.parametrize(
    ("scores", "split", "deterministic", "reason"),
    [
        (
            (1, 1, 1, 0), sides(12, 12), False,
            "with 12 selection cases and a noise of 0.50 from run to run no removal can be shown to cost less than "
            "5 points; it takes about 101 selection cases",
        ),
        (
            (1, 1, 1, 1), sides(12, 1), False,
            "with 1 held-out case no removal can be shown to cost less than "
            "5 points; it takes about 5 held-out cases",
        ),
        (
            (1,), sides(2, 12), True,
            "with 2 selection cases no removal can be shown to cost less than 5 points; "
            "it takes about 7 selection cases",
        ),
    ],
)  # fmt: skip
def test_a_set_on_which_nothing_can_be_shown_ends_the_run_before_a_rule_is_tried(
    scores: Sequence[float], split: Mapping[str, Any], deterministic: bool, reason: str
) -> None:
    state = fold(measured(scores, deterministic=deterministic, split=split))
    assert (stopped(state).outcome, stopped(state).reason) == ("too_few_cases", reason)


def test_noise_that_was_not_measured_stops_nothing() -> None:
    once = fold(measured((1,)))
    assert next_action(once, **PRUNING, reference_runs=1) == Hypothesize(0)
