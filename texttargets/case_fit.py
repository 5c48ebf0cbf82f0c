"""Whether cases fit the placeholders of a template: an input that is sent nowhere measures nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.evalset import Case
from texttargets.placeholders import find_placeholders
from texttargets.runners.case_messages import WHOLE_INPUT
from texttargets.target_file import for_model

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class CaseFit:
    """`lost`: cases of whose input nothing would be sent. `open`: placeholders left as they stand, with their cases.
    `unused`: keys of inputs that no placeholder takes, with their cases.
    """

    asked: tuple[str, ...]
    lost: tuple[str, ...]
    open: Mapping[str, tuple[str, ...]]
    unused: Mapping[str, tuple[str, ...]]


def case_fit(texts: Mapping[str, str], cases: Iterable[Case], syntax: str) -> CaseFit:
    """How the inputs fill a template of these texts; a template without placeholders takes none."""
    asked = _asked("\n\n".join(for_model(texts[path]) for path in sorted(texts)), syntax)
    lost: list[str] = []
    left: dict[str, list[str]] = {}
    unused: dict[str, list[str]] = {}
    for case in cases:
        keys = set(case.input) if isinstance(case.input, dict) else {asked[0]} if len(asked) == 1 else {WHOLE_INPUT}
        if not keys & set(asked):
            lost.append(case.id)
            continue
        for name in asked:
            if name not in keys and syntax != "jinja":  # where what is missing may be asked for on purpose
                left.setdefault(name, []).append(case.id)
        for key in sorted(keys - set(asked)):
            unused.setdefault(key, []).append(case.id)
    return CaseFit(asked, tuple(lost), _frozen(left), _frozen(unused))


def _asked(text: str, syntax: str) -> tuple[str, ...]:
    """Names that an input can fill, each once: of `user.name` the first part, of a Jinja expression every word."""
    marks = find_placeholders(text, syntax)
    if syntax == "jinja":
        return tuple(dict.fromkeys(word for mark in marks for word in _WORD.findall(mark.text)))
    return tuple(dict.fromkeys(re.split(r"[.\[]", mark.name)[0] for mark in marks if mark.name))


def _frozen(found: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(ids) for name, ids in found.items()}
