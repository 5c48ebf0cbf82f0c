"""What waits for a person: parked changes to accept or refuse, and dependencies to approve in bulk."""

from __future__ import annotations

from ceopt_tui.core.plan.actions import Action, Ask, Keep, Note
from ceopt_tui.core.plan.continuing import extension, may_go_on
from ceopt_tui.core.plan.keeping import refused_by_person
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.proposals import DEPENDENCIES_AGAIN, LATER, proposal_question
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import ProposalSettled
from schemas.records import HypothesisAdded, Reopened

ACCEPT, MEASURE_AGAIN = "accept", "measure it again"
CARRY_OVER = "carry_over"  # the move of an idea that repeats an earlier change on the present text
FIRST_OF_ALL = 1e6  # the rank of what a person asked for


def is_fresh(state: RunState, number: int) -> bool:
    """Is the text this change was measured against still the current one?"""
    return state.experiments[number].started.base_digest == state.reference.text_digest


def proposal_options(state: RunState, terms: Terms, number: int) -> tuple[str, ...]:
    """What a person may say of a parked change; one that was overtaken can only be measured anew."""
    if is_fresh(state, number):
        return ACCEPT, "refuse", LATER
    again = state.stopped is None or may_go_on(state, terms)
    return (*((MEASURE_AGAIN,) if again else ()), "refuse", LATER)


def plan_proposals(state: RunState, terms: Terms) -> Action | None:
    """The first proposal that has something to be done; None when each has its answer, or may wait."""
    for parked in state.waiting.proposals if terms.attended else ():
        answer = state.answers.get(proposal_question(parked.number))
        if answer is None:
            return Ask("proposal", parked.number)
        if answer != LATER:
            return _settle(state, terms, state.experiments[parked.number], answer)
    return None


def _settle(state: RunState, terms: Terms, experiment: ExperimentState, answer: str) -> Action:
    number, last = experiment.number, experiment.last
    assert last is not None
    if answer == ACCEPT and experiment.commit is None:
        return Keep(number)
    if answer == ACCEPT:
        reason = f"{last.reason}; accepted by a person"
        return Note((ProposalSettled(number=number, decision="accepted", reason=reason, by="person"),))
    if answer == MEASURE_AGAIN:
        settled = ProposalSettled(number=number, decision="again", reason="measured again", by="person")
        extended = extension(state, 1)
        again = [Reopened(reason=f"{experiment.name} is measured again", raised=extended)] if state.stopped else []
        return Note((settled, _carried_over(state, experiment), *again))
    refused = ProposalSettled(number=number, decision="refused", reason=refused_by_person(answer), by="person")
    return Note((refused,))


def _carried_over(state: RunState, experiment: ExperimentState) -> HypothesisAdded:
    """The same idea for the text as it is now; what it can bring is measured afresh."""
    idea = experiment.hypothesis
    return HypothesisAdded(
        id=f"h{len(state.hypotheses) + 1:03d}",
        description=idea.description,
        category=idea.category,
        move=CARRY_OVER,
        parameters={"experiment": experiment.number},
        source="person",
        theme=idea.theme,
        claims=idea.claims,
        priority="high",
        opportunity=idea.opportunity,
        rank=FIRST_OF_ALL,
        generation=state.generation,
    )


def waiting_ideas(state: RunState) -> list[HypothesisAdded]:
    """Ideas that were not tried because they rely on what nobody approved."""
    return [
        idea
        for idea in state.hypotheses.values()
        if idea.id not in state.taken
        and idea.dep_status == "needs_approval"
        and state.waiting.lacking(idea.required_deps)
    ]


def unasked(state: RunState) -> list[str]:
    """Dependencies of such ideas that no person was asked about."""
    lacking = {name for idea in waiting_ideas(state) for name in state.waiting.lacking(idea.required_deps)}
    return sorted(lacking - state.waiting.refused)


def refused_dependencies(state: RunState) -> list[str]:
    """Dependencies of such ideas that a person refused."""
    lacking = {name for idea in waiting_ideas(state) for name in state.waiting.lacking(idea.required_deps)}
    return sorted(lacking & state.waiting.refused)


def plan_dependencies(state: RunState, terms: Terms) -> Action | None:
    """Asks once, in bulk, before the first idea of a round is tried."""
    return Ask("dependencies") if terms.attended and unasked(state) else None


def plan_dependencies_again(state: RunState, terms: Terms) -> Action | None:
    """At the end: what was refused is presented once more, and what was approved takes the run up again."""
    if not may_go_on(state, terms):
        return None
    ready = [idea for idea in state.hypotheses.values() if is_ready(state, idea)]
    if ready:
        return Note((Reopened(reason="dependencies were approved", raised=extension(state, len(ready))),))
    if action := plan_dependencies(state, terms):
        return action
    open_again = terms.attended and DEPENDENCIES_AGAIN not in state.answers
    return Ask("dependencies_again") if open_again and refused_dependencies(state) else None


def is_ready(state: RunState, idea: HypothesisAdded) -> bool:
    """Was an idea that relied on something approved since, and not tried yet?"""
    deferred = idea.id not in state.taken and idea.dep_status == "needs_approval"
    return deferred and not state.waiting.lacking(idea.required_deps)
