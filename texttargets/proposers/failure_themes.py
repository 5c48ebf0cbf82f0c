"""Failing selection cases grouped by what went wrong, by likeness of words alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from ceopt_tui.core.ports import SelectionCase
from texttargets.excerpt import visible
from texttargets.proposers.contract import Contract
from texttargets.strict_json import as_text

LONGEST_NAME = 100
ALIKE = 60.0  # percent of shared words from which two reasons are one theme
WRONG_FORM = "the answer does not have the wanted form"
WRONG_ANSWER = "the answer has the wanted form and is another one"


@dataclass(frozen=True)
class FailureTheme:
    """One reason and the cases that fail for it."""

    name: str
    cases: tuple[SelectionCase, ...]


def failure_themes(selection: Sequence[SelectionCase], contract: Contract | None) -> list[FailureTheme]:
    """Every failing case in exactly one theme, the largest theme first."""
    groups: list[tuple[str, list[SelectionCase]]] = []
    for item in selection:
        if item.pass_rate is None or item.pass_rate >= 1:
            continue
        reason = _reason(item, contract)
        group = next((cases for name, cases in groups if fuzz.token_set_ratio(name, reason) >= ALIKE), None)
        if group is None:
            groups.append((reason, [item]))
        else:
            group.append(item)
    themes = [FailureTheme(name, tuple(cases)) for name, cases in groups]
    return sorted(themes, key=lambda theme: -len(theme.cases))


def _reason(item: SelectionCase, contract: Contract | None) -> str:
    """The form comes first, since it is what the present output shows; a recorded reason may be of an older text."""
    if contract is not None and item.outputs:
        if not all(contract.accepts(output) for output in item.outputs):
            return WRONG_FORM
        if contract.kind == "labels":
            return f"cases that should be {as_text(item.case.expected)}"
    return visible(item.case.went_wrong or item.detail or WRONG_ANSWER)[:LONGEST_NAME]
