"""Rows and facts of runs and experiments, without a screen."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from fakes import terms
from histories import AT, begun, ended, state_of, tried

from ceopt_tui.core.state.run import RunState
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.marks import experiment_mark, outcome_mark, status_mark
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.viewmodel import candidate_diff, detail, experiment_row, run_diff, run_row
from schemas.records import Asked, CallFacts, CallFinished, CandidateRefused, Decided, Looked, Stopped, TickEnded

NOW = datetime.fromisoformat(AT) + timedelta(minutes=5)


def entry(state: RunState, **fields: object) -> RunEntry:
    return RunEntry("triage", Path("state/triage"), state=state, **fields)  # type: ignore[arg-type]


def test_a_finished_run_says_what_came_of_it() -> None:
    kept = tried(1, "be exact", "kept", "confirmed", "Answer.\nbe exact\n")
    row = run_row(entry(state_of(begun(), kept, tried(2, "be kind", "reverted", "no"), ended("improved"))), NOW)
    assert (str(row.status), str(row.outcome), row.kept, row.when) == (
        "✓ finished",
        "✓ improved",
        "1 of 2",
        "5 min ago",
    )


def test_a_spec_without_a_run_says_that_it_was_not_run_yet() -> None:
    row = run_row(entry(RunState(), place="specs/[x].yaml"), NOW)
    assert (str(row.status), row.kept, row.when) == ("+ new", "", "not yet")


def test_a_damaged_journal_says_why() -> None:
    row = run_row(entry(RunState(), fault="line 3 is cut"), NOW)
    assert (str(row.status), row.when) == ("! damaged", "line 3 is cut")


def test_a_finished_run_goes_on_only_where_its_limit_was_raised() -> None:
    limit = [Stopped(outcome="max_iterations", reason="1 experiments"), *ended()[1:]]
    tried_one = state_of(begun(), tried(1, "x", "reverted", "no"), limit)
    options = RunOptions(Path("spec.yaml"), attended=True)
    for most, goes_on in ((1, False), (2, True)):
        model = RunModel(entry(tried_one, options=options, terms=terms(max_iterations=most)))
        assert model.idle(NOW) == goes_on
    assert not RunModel(entry(tried_one, terms=terms())).idle(NOW), "its spec is gone"
    assert not RunModel(entry(state_of(begun()), options=options, at_work=True)).idle(NOW)
    assert RunModel(entry(state_of(begun()), options=options)).idle(NOW)


def test_an_old_run_shows_its_day() -> None:
    assert run_row(entry(state_of(begun())), NOW + timedelta(days=30)).when == "2026-01-05"
    assert run_row(entry(state_of(begun())), NOW - timedelta(minutes=5)).when == "just now"


def test_an_unknown_price_is_not_shown_as_nothing() -> None:
    def call(usd: float | None) -> list[CallFinished]:
        return [CallFinished(facts=CallFacts(role="task", model="m", usd=usd))]

    assert run_row(entry(state_of(begun(), call(None))), NOW).spend == "cost ?"
    assert run_row(entry(state_of(begun(), call(0.5), call(None))), NOW).spend == ">0.5000 USD"
    assert run_row(entry(state_of(begun(), call(0.5))), NOW).spend == "0.5000 USD"


def test_status_is_the_journals_word_unless_a_process_is_at_work() -> None:
    working = state_of(begun())
    assert str(status_mark(working, at_work=True)) == "… running"
    assert str(status_mark(working, at_work=False)) == "= cut off"
    parked = TickEnded(tick=1, active_s=1, status="blocked", reason="caps")
    assert str(status_mark(state_of(begun(), [parked]), at_work=False)) == "! blocked"
    waiting = parked.model_copy(update={"status": "waiting"})
    assert str(status_mark(state_of(begun(), [waiting]), at_work=False)) == "= paused"
    asked = Asked(question_id="spec", title="t", message="m", question="q", options=("yes",))
    assert str(status_mark(state_of(begun(), [asked, waiting]), at_work=False)) == "? needs you"


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        ("kept", "✓ kept"), ("reverted", "✗ reverted"), ("inconclusive", "~ not sure"), ("error", "! error"),
        ("running", "… running"), ("an_outcome_to_come", "- an outcome to come"),
    ],
)  # fmt: skip
def test_outcomes_differ_by_sign_and_word(outcome: str, shown: str) -> None:
    assert str(experiment_mark(outcome)) == shown


def test_an_unknown_outcome_of_a_run_keeps_its_word() -> None:
    assert str(outcome_mark("no_movement")) == "! no score moved"
    assert str(outcome_mark("some_day")) == "- some day"


def test_an_open_experiment_shows_its_last_decision() -> None:
    decided = Decided(number=1, step="exploratory", decision="promising", next_measurement="confirm", reason="so far")
    row = experiment_row(state_of(begun(), tried(1, "be\nexact"), [decided]).experiments[1])
    assert (str(row.outcome), row.tried, row.reason) == ("… promising", "be ↵ exact", "so far")
    assert experiment_row(state_of(begun(), tried(1, "be exact")).experiments[1]).reason == ""


def test_the_detail_names_steps_look_cases_and_refusals() -> None:
    middle = [
        CandidateRefused(number=1, attempt=1, refusals=({"message": "placeholder {x} is missing"},)),
        Decided(number=1, step="add_sample", decision="promising", next_measurement="holdout", reason="up"),
        Looked(look=2, number=1, level=0.05, keeps=0),
        Decided(number=1, step="holdout", decision="keep", next_measurement="none", reason="up"),
    ]
    opening, closing = tried(1, "be exact")[:2], tried(1, "be exact", "reverted", "it broke b", "New.\n")[2:]
    facts = dict(detail(state_of(begun(), opening, middle, closing), 1).facts)
    assert facts == {
        "Tried": "be exact (be exact)",
        "Why": "it broke b",
        "Steps": "add sample: promising → holdout: keep",
        "Look": "look 2 at the held-out cases, level 0.050",
        "Fixed": "a",
        "Broken": "b",
        "Refused": "placeholder {x} is missing",
    }


def test_the_detail_of_a_removal_says_how_much_shorter_the_text_is() -> None:
    records = tried(1, "do without it", "kept", text="A.\n")
    shorter = [
        record.model_copy(update={"claims": "tokens"}) if record.kind == "hypothesis_added" else record
        for record in records
    ]
    assert dict(detail(state_of(begun(), shorter), 1).facts).get("Length") == (
        "5 characters shorter (8 → 3), about 1 token less a call"
    )
    assert "Length" not in dict(detail(state_of(begun(), records), 1).facts)


def test_diffs_are_of_the_candidate_and_of_the_best_text() -> None:
    state = state_of(begun(), tried(1, "be exact", "kept", "", "Answer.\nbe exact\x1b\n"), tried(2, "no text"))
    assert "+be exact␛" in candidate_diff(state, 1)
    assert run_diff(state) == candidate_diff(state, 1)
    assert candidate_diff(state, 2) == ""
    assert run_diff(state_of(begun())) == run_diff(RunState()) == ""
