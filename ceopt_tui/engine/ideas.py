"""From the current text and its failing selection cases to hypotheses, and from a hypothesis to a candidate."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean

from ceopt_tui.core.plan.actions import Hypothesize, Propose
from ceopt_tui.core.plan.edited import PERSON_EDIT
from ceopt_tui.core.plan.proposals import CARRY_OVER
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Brief, Draft, HypothesisDraft, ProposalRefused, Refusal, SelectionCase, Tried
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import themes_in_force
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.proposals import carried_over
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.engine.telling import refused_by_person, told_outcome, told_reason
from ceopt_tui.errors import ProposalError
from schemas.idea_key import idea_key
from schemas.records import BacklogClosed, CandidateMade, CandidateRefused, ExperimentClosed, HypothesisAdded

TRIED_SHOWN = 10
REFUSED_KNOWN = 200  # experiments before those


def brief(state: RunState, inputs: RunInputs, terms: Terms, digest: str) -> Brief:
    """All a proposer may know. Built from selection cases alone; nothing held out can get in."""
    assert state.split is not None
    found = themes_in_force(state.judging.groupings, state.judging.edits)
    ended = ((one, one.closed) for one in reversed(state.experiments.values()) if one.closed)
    tried = [_tried(state, experiment, end) for experiment, end in islice(ended, TRIED_SHOWN)]
    refused = [
        _tried(state, experiment, end)
        for experiment, end in islice(ended, REFUSED_KNOWN)
        if end.outcome != "kept" and not refused_by_person(experiment)
    ]
    return Brief(
        name=inputs.name,
        description=inputs.description,
        texts=state.best_texts,
        selection=selection_cases(state, inputs, terms),
        tried=tried[::-1],
        tried_keys=_tried_keys(state),
        refused=refused[::-1],
        constraints=inputs.constraints,
        protect=inputs.protect,
        syntax=inputs.syntax,
        edits=inputs.edits,
        digest=digest,
        seed=inputs.seed,
        themes=found.themes,
        set_aside=frozenset(case for theme in found.dismissed for case in theme.cases),
    )


def _tried_keys(state: RunState) -> frozenset[str]:
    """Ideas not to be offered again: what was measured or refused says something of the next text, too.

    On the text after a keep, three may be: one that the keep overtook before it was tried, one that never became a
    text, and one whose change a person refused: their no was to that text, not to the idea. But a no to taking a rule
    out says that the rule is wanted, and is not asked for twice.
    """
    ended = [one for one in state.experiments.values() if one.closed]
    declined = {one.hypothesis.id for one in ended if refused_by_person(one) and not one.shortens}
    tried = state.taken - declined - {one.hypothesis.id for one in ended if _never_a_text(one)}
    return frozenset(
        idea.key
        for idea in state.hypotheses.values()
        if idea.id in tried or idea.dep_status != "approved" or idea.generation == state.generation
    )


def _never_a_text(experiment: ExperimentState) -> bool:
    """Whether there was no text to measure or to refuse: no reply, or edits that did not fit."""
    return experiment.text_digest is None and all(record.text_digest is None for record in experiment.refused)


def still_open(state: RunState) -> list[HypothesisAdded]:
    """Ideas not tried yet; one that was offered again for a new text counts once, as it was offered last."""
    ideas = {idea.key: idea for idea in state.hypotheses.values()}
    return [idea for idea in ideas.values() if idea.id not in state.taken]


def selection_cases(state: RunState, inputs: RunInputs, terms: Terms) -> list[SelectionCase]:
    """What the current text makes of the cases that ideas may be drawn from."""
    return [_selection_case(state, inputs, terms, case_id) for case_id in state.selection]


def _selection_case(state: RunState, inputs: RunInputs, terms: Terms, case_id: str) -> SelectionCase:
    best = state.reference.text_digest
    scores = state.reference.selection.get(case_id)
    if not scores:  # right after a keep the new reference has no fresh runs yet: the winner's own are the best known
        winner = state.experiments.get(state.best_number)
        scores = winner.selection.get(case_id) if winner else None
    return SelectionCase(
        case=inputs.cases[case_id],
        outputs=tuple(state.runs.outputs.get((best, case_id), ())),
        pass_rate=fmean(terms.passes(score) for score in scores) if scores else None,
        detail="" if terms.judge else state.runs.details.get((best, case_id), ""),
        feedback=_feedback(state, best, case_id),
        score=fmean(scores) if scores and terms.judge else None,
    )


def _feedback(state: RunState, text_digest: str, case_id: str) -> tuple[str, ...]:
    """What the judge says would have to change in the outputs of one selection case, each thing once."""
    verdicts = state.judging.verdicts.items()
    said = (one.feedback for place, one in verdicts if place[:2] == (text_digest, case_id) and one.feedback)
    return () if state.held_out(case_id) else tuple(dict.fromkeys(said))


def _tried(state: RunState, experiment: ExperimentState, closed: ExperimentClosed) -> Tried:
    idea = experiment.hypothesis
    reason, outcome = told_reason(state, experiment, closed), told_outcome(experiment, closed.outcome)
    return Tried(idea.description, idea.category, idea.move, outcome, reason, idea.parameters)


async def hypothesize(
    recorder: Recorder, inputs: RunInputs, parts: Parts, action: Hypothesize, digest: str, active_s: float
) -> None:
    """Fills the backlog for the current text; an empty round closes it."""
    state = recorder.state
    known = brief(state, inputs, parts.terms, digest)
    try:
        drafts = await parts.proposer.hypotheses(known, parts.terms.ideas_per_round)
    except ProposalError as error:
        failed = BacklogClosed(
            generation=action.generation, added=0, note=error.message, active_s=active_s, failed=True
        )
        await recorder.commit(failed)
        return
    fresh = [draft for draft in drafts if idea_key(draft.move, draft.parameters) not in known.tried_keys]
    first = len(state.hypotheses) + 1
    approved = state.waiting.approved.union(inputs.approved_dependencies)
    records = [
        idea_record(draft, f"h{first + place:03d}", parts.proposer.name, action.generation, approved)
        for place, draft in enumerate(fresh)
    ]
    earlier = sum(idea.generation == action.generation for idea in state.hypotheses.values())  # left by a kill
    closed = BacklogClosed(generation=action.generation, added=earlier + len(records), active_s=active_s)
    await recorder.commit(*records, closed)


def idea_record(
    draft: HypothesisDraft, idea_id: str, source: str, generation: int, approved: set[str]
) -> HypothesisAdded:
    """The record of an idea that nobody had before; one that relies on what nobody approved has to wait."""
    opportunity = {
        "workload": "selection cases",
        "baseline": "current best text",
        "evidence": draft.theme or "failing selection cases",
        "expected_benefit": draft.expected_benefit,
        "confidence": draft.confidence,
        "cost_and_risk": "an edit of the text; measured case by case",
        **({} if draft.upper_bound is None else {"upper_bound": f"{draft.upper_bound:g}"}),
        **draft.opportunity,
    }
    return HypothesisAdded(
        id=idea_id,
        description=draft.description,
        category=draft.category,
        move=draft.move,
        parameters=dict(draft.parameters),
        source=source,
        theme=draft.theme,
        claims=draft.claims,
        priority=draft.priority,
        required_deps=draft.required_deps,
        dep_status="approved" if approved.issuperset(draft.required_deps) else "needs_approval",
        opportunity=opportunity,
        rank=draft.rank,
        generation=generation,
    )


async def propose(recorder: Recorder, inputs: RunInputs, parts: Parts, action: Propose, digest: str) -> None:
    """Carries an idea out on the text; refused candidates cost no task call and go back to the proposer once."""
    state = recorder.state
    experiment = state.experiments[action.number]
    idea = experiment.hypothesis
    draft_idea = HypothesisDraft(idea.description, idea.category, idea.move, idea.parameters, idea.theme, idea.claims)
    earlier = [Refusal(**refusal) for record in experiment.refused for refusal in record.refusals]
    try:
        draft = await _draft(state, inputs, parts, draft_idea, earlier, digest)
    except ProposalError as error:
        refusals = error.refusals if isinstance(error, ProposalRefused) else [Refusal("proposal", error.message)]
        await recorder.commit(_refused(action, None, refusals))
        return
    after = {**state.best_texts, **draft.texts}
    digest_after = parts.text_digest(after)
    refusals = await _guarded(state, parts, after, digest_after, set(draft.texts))
    if refusals:
        await recorder.commit(_refused(action, digest_after, refusals))
        return
    await recorder.commit(CandidateMade(number=action.number, text_digest=digest_after, texts=after, note=draft.note))


async def _draft(
    state: RunState, inputs: RunInputs, parts: Parts, idea: HypothesisDraft, refused: Sequence[Refusal], digest: str
) -> Draft:
    """The proposer's candidate; what a person wrote, and a change they want repeated, need none."""
    if idea.move == PERSON_EDIT:
        return Draft(dict(idea.parameters["texts"]))
    if idea.move != CARRY_OVER:
        return await parts.proposer.propose(brief(state, inputs, parts.terms, digest), idea, refused)
    texts, conflicts = carried_over(state, int(idea.parameters["experiment"]))
    if conflicts:
        raise ProposalRefused(conflicts)
    return Draft(texts)


async def _guarded(
    state: RunState, parts: Parts, after: Mapping[str, str], digest: str, touched: set[str]
) -> list[Refusal]:
    before = state.best_texts
    if outside := touched - before.keys():
        return [Refusal("out_of_scope", f"{', '.join(sorted(outside))} is not a file of the target")]
    if digest == state.reference.text_digest:
        return [Refusal("unchanged", "same text as the current one")]
    if digest in state.texts or digest in state.refused_texts:
        return [Refusal("unchanged", "this exact text was measured or refused before")]
    return list(await asyncio.to_thread(parts.guard, before, after))  # a long text takes it a second


def _refused(action: Propose, digest: str | None, refusals: Sequence[Refusal]) -> CandidateRefused:
    listed = tuple({"code": item.code, "message": item.message, "line": item.line} for item in refusals)
    return CandidateRefused(number=action.number, attempt=action.attempt, text_digest=digest, refusals=listed)
