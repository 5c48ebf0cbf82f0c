"""An edit of a person's is the next idea to be tried, where the run can still try one."""

from __future__ import annotations

from dataclasses import replace

from fakes import terms
from histories import begun, ended, state_of, tried

from ceopt_tui.core.plan.edited import PERSON_EDIT, can_try_edit, edited_idea
from ceopt_tui.core.plan.plan import next_hypothesis
from ceopt_tui.core.state.fold import apply


def test_an_edit_comes_before_every_other_idea() -> None:
    state = state_of(begun(), tried(1, "be kind", text="Answer.\nbe kind\n"), tried(2, "be exact")[:1])
    idea = edited_idea(state, 1, {"prompt.md": "Answer kindly.\n"})
    assert (idea.id, idea.move, idea.source, idea.description) == (
        "h003", PERSON_EDIT, "person", "be kind, edited by a person"
    )  # fmt: skip
    apply(state, idea)
    assert next_hypothesis(state) == idea
    assert idea.parameters["texts"] == {"prompt.md": "Answer kindly.\n"}


def test_an_edit_needs_an_experiment_to_be_tried_in() -> None:
    state = state_of(begun(), tried(1, "be kind"))
    assert can_try_edit(state, None) and can_try_edit(state, replace(terms(), max_iterations=2))
    assert not can_try_edit(state, replace(terms(), max_iterations=1))
    assert not can_try_edit(state_of(begun(), tried(1, "be kind"), ended()), None)
