"""Failing selection cases by what went wrong: by the themes of a judged run, else by likeness of words alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from ceopt_tui.core.ports import SelectionCase
from schemas.judging_records import Theme
from texttargets.excerpt import on_one_line
from texttargets.proposers.contract import Contract
from texttargets.strict_json import as_text
from texttargets.themes.items import is_failing

LONGEST_NAME = 100
ALIKE = 60.0  # percent of shared words from which two reasons are one theme
WRONG_FORM = "the answer does not have the wanted form"
WRONG_ANSWER = "the answer has the wanted form and is another one"
SINGLE_REMARKS = "remarks on single answers that have no theme"


@dataclass(frozen=True)
class FailureTheme:
    """One reason and the cases that fail for it. `id` and what would have to `change` are known in judged runs."""

    name: str
    cases: tuple[SelectionCase, ...]
    id: str | None = None
    change: str = ""

    @property
    def key(self) -> str:
        """What an idea names its theme by."""
        return self.id or self.name


def failure_themes(selection: Sequence[SelectionCase], contract: Contract | None) -> list[FailureTheme]:
    """Every failing case in exactly one theme, the largest theme first."""
    groups: dict[str, list[SelectionCase]] = {}
    for item in selection:
        if not is_failing(item):
            continue
        seen = _seen_reason(item, contract)
        judged = SINGLE_REMARKS if item.feedback else None
        name = seen or judged or _known_name(on_one_line(_said_reason(item))[:LONGEST_NAME], groups)
        groups.setdefault(name, []).append(item)
    themes = [FailureTheme(name, tuple(cases)) for name, cases in groups.items()]
    return sorted(themes, key=lambda theme: -len(theme.cases))


def judged_themes(selection: Sequence[SelectionCase], themes: Sequence[Theme]) -> list[FailureTheme]:
    """The themes of a judged run with their cases that still fail, the largest first; cases in none are left out."""
    failing = {item.case.id: item for item in selection if is_failing(item)}
    found = [
        FailureTheme(
            theme.name, tuple(failing[case] for case in theme.cases if case in failing), theme.id, theme.change
        )
        for theme in themes
    ]
    return sorted((theme for theme in found if theme.cases), key=lambda theme: -len(theme.cases))


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
