"""What of an experiment a proposer may be told, and what the run learns from its end. Held-out cases never show.

Plain facts from the verdict; no model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ceopt_tui.core.outcomes import experiment_word
from ceopt_tui.core.state.experiment import PARKED, ExperimentState
from ceopt_tui.core.state.proposals import closed_by, proposal_question
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import ProposalSettled
from schemas.records import AnyRecord, ExperimentClosed, Learnt

UNSEEN = "did not hold up on unseen cases"
HELD_UP = "held up on unseen cases"
WAITS = "won, and waits for a person"
NOT_CONFIRMED = "not_confirmed"
CASES_NAMED = 5


def told_outcome(experiment: ExperimentState, outcome: str) -> str:
    """The outcome as a proposer may know it: how far a candidate missed on held-out cases is held out too."""
    held_up = outcome in {"kept", PARKED} or experiment.against is not None
    return outcome if experiment.look is None or held_up else NOT_CONFIRMED


def told_reason(state: RunState, experiment: ExperimentState, closed: ExperimentClosed) -> str:
    """Why an experiment ended, without anything that held-out cases said.

    A person's words are passed on, but for the held-out cases they name.
    """
    if refused_by_person(experiment):
        return _unnamed(closed.reason, state.split.holdout if state.split else ())
    if experiment.look is None or experiment.against is not None:  # a reader sees nothing held out
        return closed.reason
    if closed.outcome == PARKED:
        return WAITS
    return HELD_UP if closed.outcome == "kept" else UNSEEN


def refused_by_person(experiment: ExperimentState) -> bool:
    """Whether a person read the change and did not want it."""
    return any(answer.startswith("refuse") for answer in experiment.answers.values())


def unseen_by_checks(experiment: ExperimentState) -> bool:
    """Whether somebody read the change and did not want it, which nothing that is measured shows."""
    return refused_by_person(experiment) or experiment.against is not None


def with_learnings(state: RunState, records: Iterable[AnyRecord]) -> Iterator[AnyRecord]:
    """The records, each end of an experiment behind what it taught: a kill between the two loses neither."""
    for record in records:
        learnt = None
        if isinstance(record, ExperimentClosed):
            learnt = learning(state, state.experiments[record.number], record)
        if isinstance(record, ProposalSettled) and record.decision != "again":
            learnt = _learnt_of_a_proposal(state, record)
        if learnt and not any((known.number, known.text) == (learnt.number, learnt.text) for known in state.learnings):
            yield learnt
        yield record


def _learnt_of_a_proposal(state: RunState, record: ProposalSettled) -> Learnt:
    """A person's word on a parked change takes the place of what was learnt when it was parked."""
    experiment = state.experiments[record.number]
    assert experiment.closed is not None
    said = {proposal_question(record.number): record.reason} if record.decision == "refused" else {}
    known = replace(experiment, answers={**experiment.answers, **said})
    return learning(state, known, closed_by(experiment.closed, record))


def learning(state: RunState, experiment: ExperimentState, closed: ExperimentClosed) -> Learnt:
    """What was tried, what came of it and why, with the selection cases that changed."""
    idea = experiment.hypothesis
    word = experiment_word(told_outcome(experiment, closed.outcome))
    facts = [f"{idea.description} ({idea.category}): {word}", told_reason(state, experiment, closed)]
    if unseen_by_checks(experiment):
        facts.append("the checks did not see it")
    for change, cases in (("fixed", closed.fixed), ("regressed", closed.regressions)):
        seen = [case for case in cases if not state.held_out(case)]
        more = f" and {len(seen) - CASES_NAMED} more" if len(seen) > CASES_NAMED else ""
        facts += [f"{change} {', '.join(seen[:CASES_NAMED])}{more}"] if seen else []
    return Learnt(number=closed.number, text=" ".join("; ".join(facts).split()))


def learnings(state: RunState) -> list[Learnt]:
    """What the run learnt, the last word on each experiment."""
    return list({known.number or -place: known for place, known in enumerate(state.learnings, 1)}.values())


def _unnamed(text: str, cases: Collection[str]) -> str:
    """The text without the names of these cases."""
    names = "|".join(re.escape(case) for case in sorted(cases, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", "a held-out case", text) if names else text
