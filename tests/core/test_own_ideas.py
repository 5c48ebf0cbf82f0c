"""An idea in a person's words: where it stands on the backlog, and when a run takes it up again."""

from __future__ import annotations

import pytest
from journals import experiment, idea, looping

from ceopt_tui.core.plan.own_ideas import OWN_IDEA, added, known_already, own_idea, takes_ideas
from ceopt_tui.core.plan.plan import next_hypothesis
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import DependenciesDecided
from schemas.records import BacklogClosed, ExperimentClosed, HypothesisAdded, ModelBound, Reopened, Stopped


def own(state: RunState, words: str = "say please", needs: tuple[str, ...] = ()) -> HypothesisAdded:
    return own_idea(state, words, category="manners", benefit="", theme=None, needs=needs)


def test_it_is_the_next_to_be_tried_whatever_the_others_promise() -> None:
    state = looping(idea(1, rank=50.0), BacklogClosed(generation=0, added=1))
    mine = own(state)
    assert (mine.id, mine.move, mine.source, mine.generation) == ("h002", OWN_IDEA, "person", 0)
    assert mine.opportunity == {"evidence": "a person's own idea", "expected_benefit": "unknown"}
    fold(added(state, mine), state)
    assert next_hypothesis(state) == mine


def test_what_it_needs_has_to_be_approved_first() -> None:
    state = looping(BacklogClosed(generation=0, added=0))
    assert own(state, needs=("numpy",)).dep_status == "needs_approval"
    fold([DependenciesDecided(approved=("numpy",), by="person")], state)
    mine = own(state, needs=("numpy",))
    assert (mine.dep_status, mine.required_deps) == ("approved", ("numpy",))


@pytest.mark.parametrize(
    ("outcome", "raised"),
    [("no_ideas", {}), ("max_iterations", {"max_iterations": 1.0}), ("plateau", {"plateau": 1.0})],
)
def test_a_run_that_ended_for_want_of_ideas_or_at_a_limit_goes_on_for_it(
    outcome: str, raised: dict[str, float]
) -> None:
    state = looping(BacklogClosed(generation=0, added=0), Stopped(outcome=outcome, reason="r"))
    mine = own(state)
    records = added(state, mine)
    assert records == [mine, Reopened(reason="a person has an idea to try", raised=raised)]
    assert fold(records, state).stopped is None and next_hypothesis(state) == mine


def test_only_a_run_with_somebody_who_reads_words_takes_them() -> None:
    state = looping()
    assert not takes_ideas(state)
    fold([ModelBound(role="proposer", name="strong", model="m", endpoint="e")], state)
    assert takes_ideas(state)
    fold([Stopped(outcome="plateau", reason="r")], state)
    assert takes_ideas(state)
    fold([Stopped(outcome="saturated", reason="r")], state)
    assert not takes_ideas(state)


@pytest.mark.parametrize("outcome", ["person", "budget", "saturated", "holdout_worn"])
def test_an_end_that_says_that_trying_is_no_use_stays(outcome: str) -> None:
    state = looping(Stopped(outcome=outcome, reason="r"))
    assert added(state, own(state)) == []


def test_the_same_words_are_one_idea_until_the_text_is_another() -> None:
    state = looping(BacklogClosed(generation=0, added=0))
    mine = own(state)
    assert known_already(state, mine) is None
    fold([mine], state)
    assert known_already(state, own(state)) == mine and known_already(state, own(state, "other")) is None
    tried = [record.model_copy(update={"hypothesis_id": mine.id}) if record.kind == "experiment_started" else record
             for record in experiment() if record.kind != "hypothesis_added"]  # fmt: skip
    fold([*tried, ExperimentClosed(number=1, outcome="reverted", reason="r")], state)
    assert known_already(state, own(state)) == mine
    state.generation += 1
    assert known_already(state, own(state)) is None
