"""Whether cases fit the placeholders of a text: an input that is sent nowhere measures nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ceopt_tui.errors import InputError
from schemas.evalset import Case
from texttargets.placeholders import names_of, open_names, root_of
from texttargets.runners.case_messages import TextRole, taken_keys, values_of
from texttargets.target_file import for_model

Cases = tuple[str, ...]
_ALIKE = 0.7  # a key this like the placeholder that it leaves open is a slip of the pen


@dataclass(frozen=True)
class CaseFit:
    """`asked`: names a case can fill. `lost`: cases of whose input nothing would be sent.
    `open`: placeholders left as they stand, with their cases. `unused`: keys that no placeholder takes, with theirs.
    `slips`: such a key by case, with the open placeholder it was meant for.
    `layouts`: how cases are sent, in words, with their cases; a run should have one.
    """

    asked: tuple[str, ...]
    lost: Cases
    open: Mapping[str, Cases]
    unused: Mapping[str, Cases]
    slips: Mapping[str, tuple[str, str]]
    layouts: Mapping[str, Cases]


def case_fit(texts: Mapping[str, str], cases: Iterable[Case], syntax: str, role: TextRole = "template") -> CaseFit:
    """How the inputs fill these texts. InputError where a Jinja template cannot be read."""
    text = "\n\n".join(for_model(texts[path]) for path in sorted(texts))
    if role != "template":
        return _beside(text, cases, syntax)
    asked = names_of(text, syntax)
    lost: list[str] = []
    left: dict[str, list[str]] = {}
    unused: dict[str, list[str]] = {}
    slips: dict[str, tuple[str, str]] = {}
    for case in cases:
        values = values_of(asked, case)
        spare = [key for key in values if not taken_keys(text, {key: ""}, syntax)]
        try:
            still = open_names(text, values, syntax)
        except InputError as error:
            raise InputError([replace(problem, key=f"case {case.id}") for problem in error.problems]) from error
        if len(spare) == len(values) or not _any_filled(text, values, syntax):
            lost.append(case.id)
        for name in still:
            left.setdefault(name, []).append(case.id)
        for key in spare if isinstance(case.input, dict) else ():
            unused.setdefault(key, []).append(case.id)
            if meant := difflib.get_close_matches(key, [root_of(name) for name in still], 1, _ALIKE):
                slips.setdefault(case.id, (key, meant[0]))
    return CaseFit(asked, tuple(lost), _frozen(left), _frozen(unused), slips, {})


def _any_filled(text: str, values: Mapping[str, Any], syntax: str) -> bool:
    """Does the text with these values hold anything that it does not hold without them?"""
    return len(open_names(text, values, syntax)) < len(open_names(text, {}, syntax)) or _steers(values, text, syntax)


def _steers(values: Mapping[str, Any], text: str, syntax: str) -> bool:
    """Is a value asked for beside what is printed, in a tag of Jinja?"""
    return syntax == "jinja" and "{%" in text and bool(values.keys() & set(names_of(text, syntax)))


def _beside(text: str, cases: Iterable[Case], syntax: str) -> CaseFit:
    """A text that is sent beside its inputs: keys that it has placeholders for are filled in all the same."""
    asked: dict[str, None] = {}
    layouts: dict[str, list[str]] = {}
    left: dict[str, list[str]] = {}
    for case in cases:
        taken = taken_keys(text, case.input, syntax) if isinstance(case.input, dict) else frozenset()
        asked |= dict.fromkeys(sorted(taken))
        if taken and isinstance(case.input, dict):
            for name in open_names(text, case.input, syntax):
                left.setdefault(name, []).append(case.id)
        layouts.setdefault(_layout(taken, case.input), []).append(case.id)
    return CaseFit(tuple(asked), (), _frozen(left), {}, {}, _frozen(layouts))


AS_IT_IS = "the text as it stands, then the input"
FILLED = "the text filled in, then the rest of the input"
FILLED_ALONE = "the text filled in, and nothing after it"


def _layout(taken: frozenset[str], given: str | Mapping[str, Any]) -> str:
    if not taken:
        return AS_IT_IS
    return FILLED if len(taken) < len(given) else FILLED_ALONE


def _frozen(found: Mapping[str, Sequence[str]]) -> dict[str, Cases]:
    return {name: tuple(ids) for name, ids in found.items()}
