"""The sentences every skin shares: units, signs, and what is not known."""

from __future__ import annotations

from typing import Any

import pytest
from journals import baseline, experiment, looping

from ceopt_tui.core.describe import (
    detects,
    experiment_line,
    failing_cases,
    fixed_cases,
    gain_sentence,
    money,
    outcome_sentence,
    role_cost,
)
from ceopt_tui.core.state.run import RunState
from schemas.records import (
    BaselineMeasured,
    CallFacts,
    CallFinished,
    Committed,
    Decided,
    ExperimentClosed,
    GainReported,
    Stopped,
)


def gain(**values: Any) -> GainReported:
    fields = {
        "original_digest": "old", "final_digest": "new", "cases": 10, "before": 0.4, "after": 0.92, "gain": 0.52,
        "low": 0.15, "high": 0.89, "cautious": 0.5, "clearly_better": True, "fresh": True, "selection_before": 0.05,
        "selection_after": 1.0,
    }  # fmt: skip
    return GainReported(**{**fields, **values})


def spent(usd: float | None) -> CallFinished:
    return CallFinished(facts=CallFacts(role="task", model="m", usd=usd))


def test_an_unknown_price_is_said_and_never_nothing() -> None:
    assert money(looping(spent(0.25))) == "1 call, 0.2500 USD"
    assert money(looping(spent(None))) == "1 call, cost unknown (price of a model is not known)"
    assert money(looping(spent(0.25), spent(None))) == ("2 calls, at least 0.2500 USD (price of a model is not known)")


def test_what_a_command_of_the_users_spent_is_told_as_its_own_word() -> None:
    def told(usd: float | None) -> RunState:
        return looping(
            CallFinished(facts=CallFacts(role="proposer", model="external command", attempts=3, usd=usd, outside=True))
        )

    assert money(told(0.5)) == "3 calls, 0.5000 USD"
    assert role_cost(told(0.5).spend.roles["proposer"]) == "0.5000 USD by its own account, not capped by ceopt"
    assert money(told(None)) == "3 calls, cost unknown (what the proposer's command spent is not known)"
    assert role_cost(told(None).spend.roles["proposer"]) == "cost unknown, not capped by ceopt"
    assert role_cost(looping(spent(0.25)).spend.roles["task"]) == "0.2500 USD"


def test_what_a_set_can_see() -> None:
    measured = next(record for record in baseline() if isinstance(record, BaselineMeasured))
    assert detects(measured, 1) == (
        "this set sees a gain of +20 points about half the time and +30 points four times in five; smaller ones will "
        "mostly be missed"
    )
    by_steps = measured.model_copy(update={"sees_half": 0.4, "sees_most": 0.4})
    assert detects(by_steps, 1) == "this set sees gains from +40 points on; smaller ones will be missed"


def test_the_gain_names_the_figure_not_to_believe() -> None:
    assert gain_sentence(gain(), 4) == (
        "on 10 unseen cases, fresh runs: 0.40 → 0.92, +0.52 (90% interval +0.15 to +0.89); cautious estimate +0.50; "
        "on the tuned cases +0.95 (too high by construction)"
    )
    unsure = gain_sentence(gain(clearly_better=False, fresh=False), 1)
    assert unsure.endswith("; not clearly better: the interval holds 0")
    assert "the deciding runs" in unsure and "+52 points" in unsure


def test_a_named_case_says_on_how_many_runs_it_rests() -> None:
    runs = {"c01": (0, 2, 4, 4), "c02": (3, 4, 1, 4), "c03": (1, 1, 0, 1)}
    assert failing_cases(["c01"], runs) == "c01 (failed in 2 of 2 runs; before: passed in 4 of 4)"
    assert fixed_cases(["c02", "c03"], runs) == (
        "c02 (passed in 3 of 4 runs; before: failed in 3 of 4), c03 (passed in 1 of 1 run; before: failed in 1 of 1)"
    )
    assert (fixed_cases([], runs), failing_cases(["old"], {})) == ("none", "old")


def test_an_experiment_in_one_line() -> None:
    state = looping(*experiment())
    assert experiment_line(state.experiments[1]) == "exp-001  running        idea 1"
    step = Decided(number=1, step="add_sample", decision="promising", next_measurement="confirm", reason="z = 2")
    state = looping(*experiment(), step)
    assert experiment_line(state.experiments[1]) == "exp-001  promising      idea 1\n          z = 2"
    state = looping(*experiment(), ExperimentClosed(number=1, outcome="reverted", reason="no score moved"))
    assert experiment_line(state.experiments[1]).startswith("exp-001  reverted       idea 1\n          no score moved")


REFUSED = [*experiment(), ExperimentClosed(number=1, outcome="refused", reason="")]
KEPT = [*experiment(), Committed(number=1, text_digest="new", commit="c1", branch="b")]


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([], "The run has not ended."),
        ([*KEPT, gain(), Stopped(outcome="plateau", reason="")], gain_sentence(gain(), 1)),
        ([*KEPT, Stopped(outcome="plateau", reason="")], "1 change kept."),
        (
            [Stopped(outcome="plateau", reason="")],
            "No confirmed gain; this set would have missed gains below +30 points more often than one time in five.",
        ),
        ([Stopped(outcome="no_headroom", reason="")], "No change was tried."),
        (
            [*KEPT, Stopped(outcome="plateau", reason="", no_gain="the cap was reached")],
            "1 change kept; the gain over the original was not measured: the cap was reached.",
        ),
        (
            [*REFUSED, Stopped(outcome="plateau", reason="")],
            "Nothing was measured: the one proposed change could not be tried; why is listed.",
        ),
        (
            [
                *REFUSED,
                *experiment(2),
                ExperimentClosed(number=2, outcome="no_edits_applied", reason=""),
                Stopped(outcome="plateau", reason=""),
            ],
            "Nothing was measured: none of the 2 proposed changes could be tried; why is listed.",
        ),
    ],
)
def test_what_came_of_a_run(records: list[Any], words: str) -> None:
    assert outcome_sentence(looping(*records), 1) == words
