"""The sentences at the top of the run screen."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from fakes import terms
from histories import AT, begun, ended, state_of, tried

from ceopt_tui.core.state.run import RunState
from ceopt_tui.ui.overview import Activity, mark_of, overview
from schemas.records import Asked, CallFacts, CallFinished, CallStarted, Decided, GainReported, Stopped, TickEnded

NOW = datetime.fromisoformat(AT) + timedelta(minutes=30)
WORKING = Activity(working=True)


def lines(state: RunState, activity: Activity = WORKING, limits: bool = True) -> dict[str, str]:
    return dict(overview(state, terms() if limits else None, activity, NOW))


def test_before_the_first_call_everything_is_still_to_come() -> None:
    said = lines(RunState())
    assert said["Now"] == "getting ready"
    assert said["Next"] == "your approval, then the baseline"
    assert said["Time"] == "limits (1 h of work, 72 h calendar) count from the first idea"
    assert said["Score"] == "not measured yet"


def test_a_measurement_shows_how_far_it_is() -> None:
    said = lines(state_of(begun()), Activity(working=True, title="confirm", done=10, total=40))
    assert said["Now"] == "████░░░░░░░░░░░░ 10 of 40 runs: confirm"


@pytest.mark.parametrize(
    ("more", "now", "next_"),
    [
        ([], "looking for ideas", "the next experiment (at most 10 more)"),
        (tried(1, "x"), "exp-001: editing the text", "measure it on all cases, or drop it"),
        (tried(1, "x", text="y"), "exp-001: deciding", "measure it on all cases, or drop it"),
        ([Stopped(outcome="plateau", reason="r")], "wrapping up", "the final gain on held-out cases, then the report"),
        (
            [CallStarted(call_id="1", role="proposer")],
            "waiting for the proposer's reply",
            "the next experiment (at most",
        ),
    ],
)
def test_now_and_next_follow_the_state(more: list, now: str, next_: str) -> None:  # type: ignore[type-arg]
    said = lines(state_of(begun(), more))
    assert said["Now"] == now
    assert said["Next"].startswith(next_)


def test_next_follows_the_decision() -> None:
    decided = Decided(number=1, step="confirm", decision="promising", next_measurement="holdout", reason="")
    assert lines(state_of(begun(), tried(1, "x", text="y"), [decided]))["Next"] == "keep it or revert it"


def test_a_question_comes_before_all_else() -> None:
    activity = Activity(working=True, asking="Keep this change?")
    assert lines(state_of(begun()), activity)["Now"] == "waits for your answer: Keep this change?"
    assert str(mark_of(state_of(begun()), activity)) == "? needs you"


def test_a_stop_is_said_while_it_takes_hold() -> None:
    activity = Activity(working=True, stopping=True)
    assert lines(state_of(begun()), activity)["Now"] == "stopping: the calls under way are still recorded"
    assert str(mark_of(state_of(begun()), activity)) == "… stopping"


def test_an_idle_run_says_why_and_how_to_go_on() -> None:
    paused = TickEnded(tick=1, active_s=60, status="waiting", reason="the time is used up")
    asked = Asked(question_id="spec", title="t", message="m", question="Start?", options=("yes",))
    idle = Activity()
    assert lines(state_of(begun(), [paused]), idle)["Now"] == "paused: the time is used up"
    assert lines(state_of(begun(), [paused]), idle)["Next"] == "press c to go on; what is measured is kept"
    assert lines(state_of(begun(), [asked, paused]), idle)["Now"] == "paused at a question: Start?"
    assert lines(state_of(begun(), [asked, paused]), idle)["Next"] == "press a to answer it; what is measured is kept"
    assert lines(state_of(begun()), idle)["Now"] == "cut off: its process ended in the middle of its work"
    assert lines(RunState(), idle)["Now"] == "not started"
    assert lines(RunState(), idle)["Next"] == "press c to start"
    assert lines(state_of(begun()), Activity(trouble="no money left"))["Now"] == "no money left"
    assert lines(state_of(begun()), Activity(trouble="you chose: stop\nStart again"))["Now"] == (
        "you chose: stop · Start again"
    )


def test_a_run_of_another_process_is_looked_on() -> None:
    said = lines(state_of(begun()), Activity(elsewhere=True))
    assert said["Now"] == "process 1 works on it; you are looking on"


def test_both_clocks_stand_against_their_limits() -> None:
    said = lines(state_of(begun()), Activity(working=True, tick_s=120.0))
    assert said["Time"] == "work 2 min of 1 h · calendar 30 min of 72 h"
    assert lines(state_of(begun()), WORKING, limits=False)["Time"] == "work 0 s · calendar 30 min"


def test_the_calendar_stands_still_once_the_run_is_finished() -> None:
    said = lines(state_of(begun(), ended()), Activity())
    assert said["Time"].endswith("calendar 0 s of 72 h")
    assert said["Next"] == "r shows the report"


def test_spend_stands_against_the_caps() -> None:
    paid = CallFinished(facts=CallFacts(role="task", model="m", usd=0.25))
    assert lines(state_of(begun(), [paid]), limits=False)["Spend"] == "1 of 500 calls · 0.2500 of 5.00 USD"
    assert lines(state_of(begun(), [paid]))["Spend"] == "1 of 2,000 calls · 0.2500 USD, money uncapped"
    unpriced = CallFinished(facts=CallFacts(role="task", model="m"))
    assert lines(state_of(begun(), [unpriced]))["Spend"].endswith("cost unknown (a model has no known price)")
    assert "at least 0.2500 USD" in lines(state_of(begun(), [paid, unpriced]))["Spend"]


def test_the_best_stands_against_the_original() -> None:
    run = CallFinished(facts=CallFacts(role="task", model="m", usd=0.0))
    assert lines(state_of(begun(), [run]))["Score"] == "original 50% on 1 tuning case; no change kept"


def test_the_proof_of_a_pruning_run_is_that_nothing_was_lost() -> None:
    def proof(state: RunState) -> str:
        return dict(overview(state, terms(pruning=True), WORKING, NOW))["Proof"]

    assert proof(RunState()).startswith("a rule leaves only if no loss shows without it")
    assert proof(state_of(begun())) == (
        "no look at the held-out cases; "
        "a rule that up to 68% of all inputs need may go unmissed on 2 distinct held-out cases (at 90%)"
    )
    gain = GainReported(
        original_digest="o", final_digest="f", cases=10, before=0.4, after=0.4, gain=0.0, low=-0.02, high=0.02,
        cautious=0.0, clearly_better=False, fresh=True, selection_before=0.4, selection_after=0.4,
    )  # fmt: skip
    kept = [
        record.model_copy(update={"claims": "tokens"}) if record.kind == "hypothesis_added" else record
        for record in tried(1, "x", "kept", text="A.\n")
    ]
    assert proof(state_of(begun(), kept, [gain])) == (
        "40% → 40% on 10 unseen cases, +0 points (90%: -2 points to +2 points); "
        "5 characters shorter (8 → 3), about 1 token less a call"
    )


def test_proof_is_the_gain_on_unseen_cases() -> None:
    assert lines(state_of(begun()))["Proof"] == "no look at the held-out cases; this set shows gains from +30 points"
    gain = GainReported(
        original_digest="o", final_digest="f", cases=10, before=0.4, after=0.6, gain=0.2, low=-0.1, high=0.5,
        cautious=0.0, clearly_better=False, fresh=True, selection_before=0.4, selection_after=0.9,
    )  # fmt: skip
    assert lines(state_of(begun(), [gain]))["Proof"] == (
        "40% → 60% on 10 unseen cases, +20 points (90%: -10 points to +50 points); not clearly better"
    )
    kept = tried(1, "x", "kept", "confirmed", "Better.\n")
    assert lines(state_of(begun(), kept, [gain]))["Score"] == (
        "original 40% → best 90% (+50 points, exp-001) on tuning cases"
    ), "the report's figures, not those of the baseline"
