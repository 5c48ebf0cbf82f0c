"""Move: define the labels by the words that tell their cases apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceopt_tui.core.ports import HypothesisDraft
from texttargets.proposers.insertion import Place, has_lines, insert_section
from texttargets.proposers.mechanical_view import View
from texttargets.proposers.word_evidence import telling_words

TITLE = "What the answers mean"
THEME = "labels taken for one another"


class DefineLabels:
    """Gives every label that has telling words a line of them; adds the contract where it is missing."""

    name = "define_labels"
    every_file = False

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """One idea, where the answers are labels that words can tell apart."""
        lines = _lines(view)
        if len(lines) < 2 or has_lines(view.text, lines):
            return []
        stated = view.contract_stated
        return [
            HypothesisDraft(
                description="define each label by words of its kind" + ("" if stated else ", and state the contract"),
                category="definitions",
                move=self.name,
                parameters={"contract": "stated" if stated else "added"},
                theme=THEME,
                priority="medium",
                rank=70.0,
            )
        ]

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """Definitions before the contract; a refused try leaves out the least telling words."""
        lines = _lines(view, most=max(1, 6 - 2 * attempt))
        if len(lines) < 2:
            return None
        place: Place = "start" if view.contract_stated else "end"
        text = insert_section(view.text, TITLE, lines, place, view.brief.syntax)
        return view.with_contract(text, "end")


def _lines(view: View, most: int = 6) -> list[str]:
    contract = view.contract
    if contract is None or contract.kind != "labels":
        return []
    words = telling_words([item.case for item in view.brief.selection if item.case.expected is not None], most)
    return [f"- {label}: about {', '.join(words[label])}." for label in contract.labels if words.get(label)]
