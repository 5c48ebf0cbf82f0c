"""The proposer without a model: ideas from what the selection cases show, carried out by plain text edits.

The output contract leads, because small models gain little from anything else before it. Every idea is reproducible
from its move, its parameters and the brief's seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ceopt_tui.core.ports import Brief, Draft, HypothesisDraft, Refusal
from ceopt_tui.errors import ProposalError
from schemas.idea_key import idea_key
from texttargets.proposers.mechanical_contract import StateContract
from texttargets.proposers.mechanical_examples import AddExamples
from texttargets.proposers.mechanical_labels import DefineLabels
from texttargets.proposers.mechanical_structure import DropRule, MoveRuleLast, SplitIntoSteps
from texttargets.proposers.mechanical_view import Move, View

MOVES: tuple[Move, ...] = (
    StateContract(),
    AddExamples(),
    DefineLabels(),
    SplitIntoSteps(),
    MoveRuleLast(),
    DropRule(),
)


class MechanicalProposer:
    """Implements ports.Proposer by a fixed list of moves."""

    name = "mechanical"

    def __init__(self, moves: Sequence[Move] = MOVES) -> None:
        self._moves = {move.name: move for move in moves}

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        """The `wanted` best ideas that were never had before and that change the present text."""
        ideas = [idea for move in self._moves.values() for idea in _ideas(move, brief)]
        fresh = [idea for idea in ideas if idea_key(idea.move, idea.parameters) not in brief.tried_keys]
        return sorted(fresh, key=lambda idea: -idea.rank)[:wanted]

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        """The text with the idea carried out; after a refusal made of other material, where the move has any."""
        view = View(brief, str(idea.parameters.get("file", next(iter(brief.texts)))))
        move = self._moves.get(idea.move)
        if move is None:
            raise ProposalError(f"The mechanical proposer has no move named {idea.move!r}.")
        text = move.apply(view, idea.parameters, 1 if refused else 0) if view.path in brief.texts else None
        if text is None:
            raise ProposalError(f"The idea no longer fits the text: {idea.description}")
        return Draft({view.path: text}, note=idea.description)


def _ideas(move: Move, brief: Brief) -> Iterator[HypothesisDraft]:
    """What a move offers; where there are several files, an idea about a rule names its own."""
    paths = list(brief.texts)
    for path in paths if move.every_file else paths[:1]:
        for idea in move.ideas(View(brief, path)):
            named = move.every_file and len(paths) > 1
            yield replace(idea, parameters={"file": path, **idea.parameters}) if named else idea
