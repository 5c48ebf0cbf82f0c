"""Move: state the output contract, at the end of the text or at its start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceopt_tui.core.figures import change, counted
from ceopt_tui.core.ports import HypothesisDraft
from texttargets.proposers.mechanical_view import View

THEME = "form of the answer"
_RANKS = {"end": 100.0, "start": 80.0}


class StateContract:
    """Says what every expected value looks like, and that nothing else may be answered."""

    name = "state_contract"
    every_file = False

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """Nothing when the text says it already or no answer lacks the form."""
        contract = view.contract
        if contract is None or view.contract_stated or not view.out_of_form:
            return []
        total = len(view.brief.selection)
        benefit = f"0 to {change(view.out_of_form / total, 1)}"
        return [
            HypothesisDraft(
                description=f"state the output contract at the {place} of the text: {contract.lines[0]}",
                category="output contract",
                move=self.name,
                parameters={"contract": contract.kind, "place": place},
                theme=THEME,
                priority="high",
                expected_benefit=f"{benefit}: {view.out_of_form} of {counted(total, 'answer')} lack it",
                confidence="medium" if place == "end" else "low",
                rank=rank,
                upper_bound=view.out_of_form / total,
            )
            for place, rank in _RANKS.items()
        ]

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """The same text for the same place, whatever the attempt."""
        return view.with_contract(view.text, "start" if parameters["place"] == "start" else "end")
