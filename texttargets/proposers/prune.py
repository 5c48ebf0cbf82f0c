"""The proposer of a pruning run: one rule less at a time, the longest first; ideas claim tokens, no better score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import SHORTER, Brief, Draft, HypothesisDraft, Refusal
from ceopt_tui.core.tokens import estimate_tokens
from ceopt_tui.errors import ProposalError
from schemas.idea_key import idea_key
from texttargets.excerpt import excerpt
from texttargets.placeholders import find_placeholders
from texttargets.proposers.mechanical_view import View
from texttargets.rules import REMOVABLE, Rule, split_rules, without_rules

MOVE = "prune"


@dataclass(frozen=True)
class Removal:
    """One rule of one file that may go, with the headings that would stand above nothing without it."""

    path: str
    rule: Rule
    headings: tuple[Rule, ...]

    @property
    def identifiers(self) -> set[str]:
        return {self.rule.id, *(heading.id for heading in self.headings)}

    @property
    def tokens(self) -> int:
        """About how many tokens a call takes less."""
        return sum(estimate_tokens(rule.text) for rule in (self.rule, *self.headings))


class PruneProposer:
    """Implements ports.Proposer. What a removal saves decides its rank; whether it is missed the cases say."""

    name = MOVE

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        """The `wanted` largest removals that were never tried."""
        ideas = [_idea(brief, removal) for removal in removals(brief)]
        fresh = [idea for idea in ideas if idea_key(idea.move, idea.parameters) not in brief.tried_keys]
        return sorted(fresh, key=lambda idea: -idea.rank)[:wanted]

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        """The text without the rule, every other byte as it was."""
        for removal in removals(brief):
            if _parameters(brief, removal) == idea.parameters:
                text = without_rules(brief.texts[removal.path], removal.identifiers)
                return Draft({removal.path: text}, note=idea.description)
        raise ProposalError(f"The idea no longer fits the text: {idea.description}")


def removals(brief: Brief) -> Iterator[Removal]:
    """All that may go, file by file; never the last rule of a file."""
    for path, text in brief.texts.items():
        rules = split_rules(text)
        if sum(rule.kind in REMOVABLE for rule in rules) < 2:
            continue
        for rule in View(brief, path).free_rules:
            yield Removal(path, rule, tuple(_emptied(rules, rule, brief.syntax)))


def _emptied(rules: Sequence[Rule], gone: Rule, syntax: str) -> Iterator[Rule]:
    """Headings with nothing but `gone` below them; one with a placeholder stays."""
    for at, heading in enumerate(rules):
        if heading.kind != "heading" or heading.start > gone.start or find_placeholders(heading.text, syntax):
            continue
        below = rules[at + 1 :]
        end = next((place for place, rule in enumerate(below) if 0 < rule.level <= heading.level), len(below))
        section = [rule for rule in below[:end] if rule.kind != "heading"]
        if [rule.id for rule in section] == [gone.id]:
            yield heading


def _idea(brief: Brief, removal: Removal) -> HypothesisDraft:
    less = f"about {counted(removal.tokens, 'token')}"
    return HypothesisDraft(
        f"do without {excerpt(removal.rule.content)} ({less})",
        "remove a rule",
        MOVE,
        _parameters(brief, removal),
        claims=SHORTER,
        expected_benefit=f"{less} less a call",
        confidence="medium",
        rank=float(removal.tokens),
    )


def _parameters(brief: Brief, removal: Removal) -> dict[str, str]:
    """The rule, and its file where there are several: the same words may stand in two of them."""
    return {"rule": removal.rule.id} if len(brief.texts) == 1 else {"file": removal.path, "rule": removal.rule.id}
