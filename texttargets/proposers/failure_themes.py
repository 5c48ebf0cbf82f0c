"""Failing selection cases grouped by what went wrong, by likeness of words alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from ceopt_tui.core.ports import SelectionCase
from texttargets.excerpt import on_one_line
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
    groups: dict[str, list[SelectionCase]] = {}
    for item in selection:
        if item.pass_rate is None or item.pass_rate >= 1:
            continue
        seen = _seen_reason(item, contract)
        name = seen or _known_name(on_one_line(_said_reason(item))[:LONGEST_NAME], groups)
        groups.setdefault(name, []).append(item)
    themes = [FailureTheme(name, tuple(cases)) for name, cases in groups.items()]
    return sorted(themes, key=lambda theme: -len(theme.cases))


def _seen_reason(item: SelectionCase, contract: Contract | None) -> str | None:
    """What the present outputs show by themselves; a recorded reason may be of an older text."""
    if contract is None or not item.outputs:
        return None
    if not all(contract.accepts(output) for output in item.outputs):
        return WRONG_FORM
    return f"cases that should be {as_text(item.case.expected)}" if contract.kind == "labels" else None


def _said_reason(item: SelectionCase) -> str:
    return item.case.went_wrong or item.detail or WRONG_ANSWER


def _known_name(reason: str, names: Iterable[str]) -> str:
    """The name of the theme that says the same in other words, else the reason itself."""
    return next((name for name in names if fuzz.token_set_ratio(name, reason) >= ALIKE), reason)
