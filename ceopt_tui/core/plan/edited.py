"""A change as a person rewrote it before keeping it: an idea that passes guards and ladder like any other."""

from __future__ import annotations

from collections.abc import Mapping

from ceopt_tui.core.plan.proposals import FIRST_OF_ALL
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from schemas.records import HypothesisAdded

PERSON_EDIT = "person_edit"  # the move of an idea that brings its texts with it
INSTEAD = "refuse: edited instead"  # the answer that makes way for it


def edited_idea(state: RunState, number: int, texts: Mapping[str, str]) -> HypothesisAdded:
    """The idea that tries these files in place of the change of experiment `number`, next of all."""
    idea = state.experiments[number].hypothesis
    return HypothesisAdded(
        id=f"h{len(state.hypotheses) + 1:03d}",
        description=f"{idea.description}, edited by a person",
        category=idea.category,
        move=PERSON_EDIT,
        parameters={"experiment": number, "texts": dict(texts)},
        source="person",
        theme=idea.theme,
        claims=idea.claims,
        priority="high",
        opportunity=idea.opportunity,
        rank=FIRST_OF_ALL,
        generation=state.generation,
    )


def can_try_edit(state: RunState, terms: Terms | None) -> bool:
    """Is an experiment left for it once the open one has ended?"""
    return state.stopped is None and (terms is None or state.iterations + 1 < terms.max_iterations)
