"""An idea that a person puts into words: next on the backlog, carried out and measured like any other."""

from __future__ import annotations

from collections.abc import Collection

from ceopt_tui.core.plan.continuing import OPEN_ENDED, extension
from ceopt_tui.core.plan.proposals import FIRST_OF_ALL
from ceopt_tui.core.state.run import RunState
from schemas.records import AnyRecord, HypothesisAdded, Reopened

OWN_IDEA = "in a person's words"  # the move of such an idea
OWN_CATEGORY = "own idea"


def own_idea(
    state: RunState, words: str, *, category: str, benefit: str, theme: str | None, needs: Collection[str] = ()
) -> HypothesisAdded:
    """The idea for the run's best so far. `needs` names dependencies; one that nobody approved makes it wait."""
    lacking = state.waiting.lacking(tuple(needs))
    return HypothesisAdded(
        id=f"h{len(state.hypotheses) + 1:03d}",
        description=words,
        category=category,
        move=OWN_IDEA,
        parameters={"words": words},
        source="person",
        theme=theme,
        priority="high",
        required_deps=tuple(sorted(needs)),
        dep_status="needs_approval" if lacking else "approved",
        opportunity={"evidence": "a person's own idea", "expected_benefit": benefit or "unknown"},
        rank=FIRST_OF_ALL,
        generation=state.generation,
    )


def added(state: RunState, idea: HypothesisAdded) -> list[AnyRecord]:
    """What puts it on the run: a run that ended for want of ideas, or at a limit a person may raise, goes on for it.

    Empty where the end says that trying is no use, or not wanted.
    """
    if state.stopped is None:
        return [idea]
    if state.stopped.outcome not in OPEN_ENDED:
        return []
    return [idea, Reopened(reason="a person has an idea to try", raised=extension(state, 1))]


def takes_ideas(state: RunState) -> bool:
    """Is there somebody who can make a change of words, and does an end of the run leave room for one?"""
    heard = "proposer" in state.models or state.by_command
    return heard and (state.stopped is None or state.stopped.outcome in OPEN_ENDED)


def known_already(state: RunState, idea: HypothesisAdded) -> HypothesisAdded | None:
    """The idea in the same words that the run has and has not tried yet, or has tried on the text as it is now."""
    same = (one for one in state.hypotheses.values() if one.key == idea.key)
    return next((one for one in same if one.id not in state.taken or one.generation == state.generation), None)
