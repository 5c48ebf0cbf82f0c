"""A text with planted rules whose worth is known, and a pruning run on it: the real plan and proposer, in memory."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.evidence.looks import split_size
from ceopt_tui.core.plan.actions import Examine, Hypothesize, Keep, Measure, Note, PlannedRun, Propose, ReadWinner
from ceopt_tui.core.plan.plan import plan
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Brief, HypothesisDraft
from ceopt_tui.core.state.fold import apply, fold
from ceopt_tui.core.state.run import RunState
from schemas.harness_records import HarnessExamined
from schemas.idea_key import idea_key
from schemas.keeping_records import WinnerRead
from schemas.records import (
    AnyRecord,
    Approved,
    BacklogClosed,
    CandidateMade,
    CaseRun,
    Committed,
    HypothesisAdded,
    Probed,
    RunStarted,
    SplitFrozen,
)
from texttargets.proposers.prune import PruneProposer

AT = "2026-01-05T10:00:00+00:00"
CAPS: dict[str, float | None] = {"max_calls": None}
USELESS, USEFUL, SLIGHT, SMALL = "useless", "useful", "slight", "small"
RULES = (*[USELESS] * 6, *[USEFUL] * 4, *[SLIGHT] * 2)
CREEPING = (SMALL,) * 16  # none of them would be missed alone
SHARE = {USELESS: 0.0, USEFUL: 0.12, SLIGHT: 0.02, SMALL: 0.04}  # of all cases there could be: those that need the rule
PASSES = 0.97  # how often a case passes with the rule it needs
WITHOUT = {USELESS: PASSES, USEFUL: 0.1, SLIGHT: 0.1, SMALL: 0.6}  # … and without it


@dataclass(frozen=True)
class Removed:
    """What became of the planted rules. `covered` are useful ones with at least one case on both sides of the split."""

    useless: int
    covered: int
    covered_lost: int
    uncovered: int
    uncovered_lost: int
    slight_lost: int
    loss: float  # of the final text, over all cases there could be
    calls: int
    ended: str


class PruningWorld:
    """Cases that each need one rule or none. The same seed gives the same text, cases and outputs."""

    def __init__(self, cases: int, seed: int, *, deterministic: bool, rules: Sequence[str] = RULES) -> None:
        self.rng, self.deterministic = random.Random(seed), deterministic
        self.kinds = list(rules)
        self.rng.shuffle(self.kinds)
        self.lines = [f"- Rule {number}: {'word ' * self.rng.randint(3, 12)}\n" for number in range(len(self.kinds))]
        names = [f"c{number:03d}" for number in range(cases)]
        needs = self.rng.choices(
            [*range(len(self.kinds)), None],
            [*(SHARE[kind] for kind in self.kinds), 1 - sum(SHARE[kind] for kind in self.kinds)],
            k=cases,
        )
        self.needs = dict(zip(names, needs, strict=True))
        self.held_out = tuple(sorted(self.rng.sample(names, split_size(cases))))
        self.selection = tuple(name for name in names if name not in self.held_out)

    @property
    def text(self) -> str:
        """The text with all its rules."""
        return "# Task\n\n" + "".join(self.lines)

    def score(self, text: str, run: PlannedRun) -> float:
        """Pass or fail; a deterministic runner is right whenever the rule is there."""
        rule = self.needs[run.case_id]
        there = rule is None or self.lines[rule] in text
        if self.deterministic:
            return float(there)
        return float(self.rng.random() < (PASSES if rule is None or there else WITHOUT[self.kinds[rule]]))

    def _worth(self, kind: str) -> float:
        return SHARE[kind] * (1.0 if self.deterministic else PASSES - WITHOUT[kind])

    def outcome(self, state: RunState) -> Removed:
        """The run's end, held against what is known of each rule."""
        text = next(iter(state.best_texts.values()))
        gone = [number for number, line in enumerate(self.lines) if line not in text]
        useful = [number for number, kind in enumerate(self.kinds) if kind == USEFUL]
        guarded = {self.needs[case] for case in self.selection} & {self.needs[case] for case in self.held_out}
        covered = [number for number in useful if number in guarded]
        uncovered = [number for number in useful if number not in guarded]
        assert state.stopped is not None
        return Removed(
            useless=sum(self.kinds[number] == USELESS for number in gone),
            covered=len(covered),
            covered_lost=len(set(covered) & set(gone)),
            uncovered=len(uncovered),
            uncovered_lost=len(set(uncovered) & set(gone)),
            slight_lost=sum(self.kinds[number] in (SLIGHT, SMALL) for number in gone),
            loss=sum(self._worth(self.kinds[number]) for number in gone),
            calls=state.runs.scored,
            ended=state.stopped.outcome,
        )


def prune(world: PruningWorld) -> Removed:
    """One pruning run to its end."""
    state, terms, proposer = _begun(world), _terms(), PruneProposer()
    while state.stopped is None:
        action = plan(state, terms, active_s=0.0, wall_s=0.0)
        match action:
            case Note():
                records: list[AnyRecord] = list(action.records)
            case Measure():
                records = [_run(world, state, run) for run in action.runs]
            case Examine():
                records = [HarnessExamined(outputs=0)]
            case Hypothesize():
                records = _ideas(state, proposer, action.generation)
            case Propose():
                records = [_candidate(state, proposer, action.number)]
            case ReadWinner():
                records = [WinnerRead(number=action.number)]
            case Keep():
                kept = state.experiments[action.number]
                digest = kept.text_digest or ""
                records = [Committed(number=action.number, text_digest=digest, commit=digest, branch="b")]
            case _:
                raise AssertionError(f"a pruning run that nobody watches does not come to {action}")
        for record in records:
            apply(state, record)
    return world.outcome(state)


def _terms() -> Terms:
    return Terms(
        approval_digest="d", caps=CAPS, attended=False, max_iterations=40, max_active_s=1e9, max_wall_s=1e9,
        plateau=40, stop_at_target=True, budget=Caps(None), pruning=True,
    )  # fmt: skip


def _begun(world: PruningWorld) -> RunState:
    texts = {"p.md": world.text}
    run = RunStarted(
        run_id="r", name="n", ceopt_version="0", repository="", spec_file="", spec_digest="", approval_digest="",
        measurement_digest="", base_sha="base", branch="b", texts=texts, text_digest=_digest(texts), seed=7,
    )  # fmt: skip
    split = SplitFrozen(selection=world.selection, holdout=world.held_out, seed=7)
    agreed = (Approved(what="spec", digest="d", caps=CAPS), Approved(what="baseline", digest="d", caps=CAPS))
    return fold([run, split, Probed(probe="empty", status="passed"), *agreed])


def _run(world: PruningWorld, state: RunState, run: PlannedRun) -> CaseRun:
    score = world.score(next(iter(state.texts[run.text_digest].values())), run)
    # Not validated: there are millions of them.
    return CaseRun.model_construct(
        text_digest=run.text_digest, case_id=run.case_id, sample=run.sample, step=run.step, experiment=run.experiment,
        output=f"right {'' if world.deterministic else world.rng.random()}" if score else "wrong", score=score,
        passed=bool(score),
    )  # fmt: skip


def _brief(state: RunState) -> Brief:
    tried = [state.experiments[number].hypothesis for number in state.experiments]
    return Brief(
        "n", "d", state.best_texts, [], tried_keys=frozenset(idea_key(one.move, one.parameters) for one in tried)
    )


def _ideas(state: RunState, proposer: PruneProposer, generation: int) -> list[AnyRecord]:
    drafts = asyncio.run(proposer.hypotheses(_brief(state), 4))
    first = len(state.hypotheses) + 1
    added: list[AnyRecord] = [
        HypothesisAdded(
            id=f"h{first + place:03d}", description=draft.description, category=draft.category, move=draft.move,
            parameters=dict(draft.parameters), source=proposer.name, claims=draft.claims, rank=draft.rank,
            generation=generation,
        )
        for place, draft in enumerate(drafts)
    ]  # fmt: skip
    return [*added, BacklogClosed(generation=generation, added=len(added), at=AT)]


def _candidate(state: RunState, proposer: PruneProposer, number: int) -> CandidateMade:
    idea = state.experiments[number].hypothesis
    draft = HypothesisDraft(idea.description, idea.category, idea.move, idea.parameters, claims=idea.claims)
    texts = asyncio.run(proposer.propose(_brief(state), draft, [])).texts
    return CandidateMade(number=number, text_digest=_digest(texts), texts=dict(texts))


def _digest(texts: Mapping[str, Any]) -> str:
    return sha256(repr(sorted(texts.items())).encode()).hexdigest()
