"""Says in one sentence which case would guard a rule, from how the rule is worded. Calls no model."""

from __future__ import annotations

import re

from texttargets.excerpt import excerpt
from texttargets.rules import Rule

_SHOWN = 60  # characters of the rule
_WORDED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), idea)
    for pattern, idea in (
        (
            r"\b(?:never|do(?:es)? not|don't|must not|mustn't|may not|should not|avoid|refuse|forbidden)\b",
            "Write a case whose input invites what {rule} forbids, with the answer that resists it.",
        ),
        (
            r"\b(?:for example|for instance|e\.g\.|examples?)\b",
            "Write a case close to the example in {rule}, with other values and the answer that it teaches.",
        ),
        (
            r"\b(?:if|when|whenever|unless|until|in case|otherwise)\b",
            "Write a case in which the condition of {rule} holds and the right answer is another than without it.",
        ),
        (
            r"\b(?:json|yaml|xml|markdown|format|words?|sentences?|lines?|lower-?case|upper-?case|only|exactly|"
            r"at most|at least|nothing else)\b",
            "Write a case whose check sees the form that {rule} asks for, on an input that tempts to another form.",
        ),
    )
)
_BLOCK = "Write a case whose right answer follows the block {rule}, on values that stand nowhere in it."
_OTHER = "Write a case that comes out wrong when {rule} is not followed."


def case_idea(rule: Rule) -> str:
    """The sentence; rules in other languages get the general one."""
    return telling_idea(rule) or (_BLOCK if rule.kind == "code" else _OTHER).format(rule=_shown(rule))


def telling_idea(rule: Rule) -> str:
    """The sentence where the wording of the rule says what a case would have to ask; empty where it does not."""
    if rule.kind == "code":
        return ""
    idea = next((idea for pattern, idea in _WORDED if pattern.search(rule.content)), "")
    return idea.format(rule=_shown(rule)) if idea else ""


def _shown(rule: Rule) -> str:
    return excerpt(rule.words, _SHOWN)
