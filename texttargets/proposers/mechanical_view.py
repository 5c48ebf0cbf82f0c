"""What the mechanical moves look at: one text with its rules, its selection cases and the contract they imply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ceopt_tui.core.ports import Brief, HypothesisDraft, SelectionCase
from texttargets.placeholders import find_placeholders
from texttargets.proposers.contract import Contract, infer_contract
from texttargets.proposers.insertion import Place, has_lines, insert_section
from texttargets.rules import REMOVABLE, Rule, split_rules
from texttargets.sections import sections_named

CONTRACT_TITLE = "Output"


@dataclass(frozen=True)
class View:
    """One file of the target; `path` names it."""

    brief: Brief
    path: str

    @property
    def text(self) -> str:
        """Its exact content."""
        return self.brief.texts[self.path]

    @cached_property
    def contract(self) -> Contract | None:
        """The form of the expected values."""
        return infer_contract([item.case.expected for item in self.brief.selection])

    @property
    def contract_stated(self) -> bool:
        """Whether a file of the target says the contract in these very lines already."""
        contract = self.contract
        return contract is not None and any(has_lines(text, contract.lines) for text in self.brief.texts.values())

    @cached_property
    def failing(self) -> list[SelectionCase]:
        """Cases that did not pass every time."""
        return [item for item in self.brief.selection if item.pass_rate is not None and item.pass_rate < 1]

    @property
    def out_of_form(self) -> int:
        """How many failing cases have an output without the contract's form."""
        contract = self.contract
        if contract is None:
            return 0
        return sum(any(not contract.accepts(output) for output in item.outputs) for item in self.failing)

    @cached_property
    def free_rules(self) -> list[Rule]:
        """Rules that may go: not protected, without a placeholder, not ours to state the contract."""
        own = set(self.contract.lines) if self.contract else set()
        free = []
        found = sections_named(self.text, self.brief.protect).values()
        closed = [(section.start, section.end) for sections in found for section in sections]
        for rule in split_rules(self.text):
            protected = any(start <= rule.start < end for start, end in closed)
            held = find_placeholders(rule.text, self.brief.syntax) or own & set(rule.content.splitlines())
            if rule.kind in REMOVABLE and not protected and not held:
                free.append(rule)
        return free

    def with_contract(self, text: str, place: Place) -> str:
        """The text with the contract as a section of its own, unless it has it."""
        if self.contract is None or self.contract_stated:
            return text
        return insert_section(text, CONTRACT_TITLE, self.contract.lines, place, self.brief.syntax)


class Move(Protocol):
    """One kind of change. `ideas` come best first; `apply` gives the whole new text, or None when it no longer fits.

    `attempt` counts refusals of this idea, so that a move may try other material. What a move adds belongs to the first
    file, where instructions for the whole task stand; one that works with rules has `every_file`.
    """

    name: str
    every_file: bool

    def ideas(self, view: View) -> list[HypothesisDraft]: ...

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None: ...
