"""Moves that change how a text is built without adding facts: steps, order, fewer rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import Any

from rapidfuzz import fuzz

from ceopt_tui.core.ports import SHORTER, HypothesisDraft
from texttargets.excerpt import excerpt
from texttargets.proposers.insertion import has_lines, insert_section
from texttargets.proposers.mechanical_view import View
from texttargets.rules import Rule, split_rules, without_rules

STEPS = ("1. Read the whole input.", "2. Find what the task asks for.", "3. Write it in the form asked for, and stop.")
SAME_RULE = 85.0  # percent of likeness from which two rules say the same
_ABOUT_OUTPUT = re.compile(r"\b(?:answer|output|reply|respond|response|return|format)\b", re.IGNORECASE)
_MANNERS = re.compile(r"\b(?:helpful|friendly|polite|kind|careful|nice|warm|professional|best)\b", re.IGNORECASE)


class SplitIntoSteps:
    """Adds a short list of steps."""

    name = "split_into_steps"
    every_file = False

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """Once, where the text has no numbered steps of its own."""
        if re.search(r"^\s*1[.)]\s", view.text, re.MULTILINE):
            return []
        return [HypothesisDraft("split the task into steps", "steps", self.name, {}, rank=40.0, priority="low")]

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """Steps at the start, so that the contract stays last."""
        return None if has_lines(view.text, STEPS) else insert_section(view.text, "Steps", STEPS, "start")


class MoveRuleLast:
    """Moves a rule about the output behind all other rules."""

    name = "move_rule_last"
    every_file = True

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """One idea per rule that speaks of the output and is followed by another free rule of its kind."""
        free = view.free_rules
        movable = [rule for rule in free[:-1] if _ABOUT_OUTPUT.search(rule.content) and rule.kind == free[-1].kind]
        return [
            HypothesisDraft(
                f"move the rule about the output last: {excerpt(rule.content)}",
                "order",
                self.name,
                {"rule": rule.id},
                rank=35.0,
                priority="low",
            )
            for rule in movable
        ]

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """The two rules change places, which keeps list marks and blank lines as they are."""
        free = view.free_rules
        rule = next((one for one in free if one.id == parameters["rule"]), None)
        if rule is None or rule is free[-1]:
            return None
        return _swapped(view.text, rule, free[-1])


class DropRule:
    """Takes one rule out.

    One that only repeats another or speaks of manners looks useless: its removal claims a shorter text, and the score
    has to be no worse. Any other is taken out because it may do harm: the score has to rise.
    """

    name = "drop_rule"
    every_file = True

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """Repetitions first, then rules of manners, then the rest; never the last rule."""
        free = view.free_rules
        if len([rule for rule in split_rules(view.text) if rule.kind != "heading"]) < 2:
            return []
        repeated = {
            later.id
            for first, later in combinations(free, 2)
            if fuzz.token_sort_ratio(first.content, later.content) >= SAME_RULE
        }
        return [self._idea(rule, rule.id in repeated) for rule in free]

    def _idea(self, rule: Rule, repeats: bool) -> HypothesisDraft:
        useless = repeats or _MANNERS.search(rule.content) is not None
        return HypothesisDraft(
            f"drop the rule {excerpt(rule.content)}",
            "merge rules" if repeats else "fewer rules",
            self.name,
            {"rule": rule.id},
            claims=SHORTER if useless else "primary",
            rank=30.0 if repeats else 20.0 if useless else 10.0,
            priority="low",
        )

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """The text without the rule."""
        if all(rule.id != parameters["rule"] for rule in view.free_rules):
            return None
        return without_rules(view.text, {parameters["rule"]})


def _swapped(text: str, first: Rule, later: Rule) -> str:
    """Two rules exchanged; each place keeps its own blank lines."""
    one, other = first.content, later.content
    one_at = first.start + first.text.index(one)
    other_at = later.start + later.text.index(other)
    between = text[one_at + len(one) : other_at]
    return text[:one_at] + other + between + one + text[other_at + len(other) :]
