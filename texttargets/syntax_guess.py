"""How placeholders of a text are written, where nobody said so: by the cases that fill them, else by their looks.

A guess that another would rival is named as such; who asks decides what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from ceopt_tui.errors import InputError
from texttargets.code_marks import marks_in_code
from texttargets.fences import fenced_lines, split_lines
from texttargets.placeholders import Placeholder, Syntax, find_placeholders, names_of, root_of

_JINJA_BLOCK = re.compile(r"\{%-?\s*(if|for|set|block|macro|include|extends|call|filter)\b.*?%\}", re.DOTALL)
_JINJA_FILTER = re.compile(r"\{\{[^{}]*\|[^{}]*\}\}")
_BY_ENDING: dict[str, Syntax] = {".j2": "jinja", ".jinja": "jinja", ".jinja2": "jinja"}
_CODE_SPAN = re.compile(r"(?<!`)(`{1,9})(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)")


def guess_syntax(text: str, case_inputs: Iterable[object] = ()) -> Syntax:
    """The syntax whose placeholders the cases fill best; without such cases, what the marks look most like."""
    keys = _keys(case_inputs)
    order = _order(text)
    filled = {syntax: len(keys & _roots(text, syntax)) for syntax in order}
    if any(filled.values()):
        return max(order, key=lambda syntax: filled[syntax])
    return next((syntax for syntax in order if _roots(text, syntax) and _outside_code(text, syntax)), "none")


def _outside_code(text: str, syntax: str) -> bool:
    """Whether a mark is no code of a block; Jinja is read in blocks too."""
    marks = _fillable(text, syntax)
    return syntax == "jinja" or len(marks_in_code(text, marks)) < len(marks)


def rival_syntaxes(text: str, case_inputs: Iterable[object], chosen: str) -> dict[Syntax, str]:
    """Other syntaxes that mark something in the text which `chosen` does not, each with its first such mark.

    Where the cases name what fills the marks of `chosen`, only marks that they name as well count.
    """
    keys = _keys(case_inputs)
    named = bool(keys & _roots(text, chosen))
    taken = [(mark.start, mark.end) for mark in _fillable(text, chosen)]
    rivals: dict[Syntax, str] = {}
    for syntax in _order(text):
        if syntax == chosen:
            continue
        for mark in _fillable(text, syntax):
            apart = not any(start < mark.end and mark.start < end for start, end in taken)
            if apart and (not named or keys & _roots(mark.text, syntax)):
                rivals.setdefault(syntax, mark.text)
    return rivals


def outside_code(text: str) -> str:
    """The text without code spans and fenced blocks: what stands there is shown, not meant."""
    lines = split_lines(text)
    fenced = fenced_lines(lines)
    return _CODE_SPAN.sub("", "".join(line for at, line in enumerate(lines) if at not in fenced))


def syntax_of_name(names: Iterable[str]) -> Syntax | None:
    """What the endings of files say where they all say the same."""
    found = {_BY_ENDING.get(PurePosixPath(name).suffix.lower()) for name in names}
    return found.pop() if len(found) == 1 else None


def _order(text: str) -> list[Syntax]:
    order: list[Syntax] = ["brace", "double-brace", "shell"]
    if _JINJA_BLOCK.search(text) or _JINJA_FILTER.search(text):
        order.insert(0, "jinja")
    return order


def _keys(case_inputs: Iterable[object]) -> set[str]:
    return {root_of(str(key)) for value in case_inputs if isinstance(value, Mapping) for key in value}


def _roots(text: str, syntax: str) -> set[str]:
    try:
        return set(names_of(text, syntax))
    except InputError:  # looks like a template of that kind, and is none
        return set()


def _fillable(text: str, syntax: str) -> list[Placeholder]:
    marks = find_placeholders(text, syntax)
    return marks if syntax == "jinja" else [mark for mark in marks if mark.name]
