"""The proposer of a pruning run: one rule less at a time, the longest first; ideas claim tokens, no better score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import HypothesisDraft
from ceopt_tui.core.tokens import estimate_tokens
from texttargets.excerpt import excerpt
from texttargets.proposers.mechanical import MechanicalProposer
from texttargets.proposers.mechanical_view import View
from texttargets.rules import without_rules

CLAIM = "tokens"


class PruneRule:
    """Takes one rule out. What it saves decides its rank; whether it is missed is for the cases to say."""

    name = "prune"

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """Every rule that may go; never the last one of a text."""
        free = view.free_rules
        if len(free) < 2:
            return []
        drafts = []
        for rule in free:
            saved = estimate_tokens(rule.text)
            drafts.append(
                HypothesisDraft(
                    f"do without {excerpt(rule.content)} ({counted(saved, 'token')})",
                    "remove a rule",
                    self.name,
                    {"rule": rule.id},
                    claims=CLAIM,
                    expected_benefit=f"{counted(saved, 'token')} a call",
                    confidence="medium",
                    rank=float(saved),
                )
            )
        return drafts

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """The text without the rule, every other byte as it was."""
        if all(rule.id != parameters["rule"] for rule in view.free_rules):
            return None
        return without_rules(view.text, {parameters["rule"]})


def prune_proposer() -> MechanicalProposer:
    """A proposer that only takes rules out."""
    return MechanicalProposer((PruneRule(),))
