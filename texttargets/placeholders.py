"""Placeholders of a template: which there are, and filling them for one case.

One pass over the text; what is put in is never looked at again, so braces inside data mean nothing.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from texttargets.jinja_text import as_text, fill_jinja, free_variables, open_marks

Syntax = Literal["brace", "double-brace", "jinja", "shell", "none"]

_MARKS = "\u0300-\u036f\u0590-\u06ff\u0900-\u0dff\u0e31-\u0eff"  # vowel signs, which `\w` does not know
_WORD = rf"[^\W\d][\w{_MARKS}]*(?:-[\w{_MARKS}]+)*"
_NAME = rf"{_WORD}(?:\.[\w{_MARKS}-]+|\[\w+\])*"
_FORMAT_SPEC = r"(?:![rsa])?(?::[^{}\s\w]?[<>=^]?[+-]?#?0?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnosxX%]?)?"

# Each pattern reads over code that only looks like a placeholder; what it captures as `mark` is one.
_PATTERNS = {
    "brace": re.compile(
        r"\\[A-Za-z]+\*?(?:\{[^{}\n]*\})+"  # LaTeX
        r"|\$\{\{?[^{}\n]*\}\}?"  # shell, CI expressions
        r"|(?:\b[fF][rR]?|\b[rR][fF]|\$@?)"  # strings of code that fill themselves
        r"(?:\"{3}[\s\S]{0,4000}?\"{3}|'{3}[\s\S]{0,4000}?'{3}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
        r"|\b(?:import|const|let|var)[ \t]+\{[ \t][^{}\n]*\}(?=[ \t]*(?:from\b|=))|\bexport[ \t]+\{[ \t][^{}\n]*\}"
        r"|\bconst[ \t]+\{[^{}\n]*\}(?=[ \t]*=)|\bimport[ \t]+\{[^{}\n]*\}(?=[ \t]*from[ \t]+[\"'])"
        rf"|(?P<mark>\{{\{{\s*(?P<double>{_NAME})\s*\}}\}}"
        rf"|\{{[ \t]*(?P<name>{_NAME})(?P<spec>{_FORMAT_SPEC})[ \t]*\}}"
        r"|(?<![\w\])}.*+?^\\])\{(?P<number>\d{1,2})\})"  # after these a number counts repetitions
    ),
    "double-brace": re.compile(
        r"\$\{\{[^{}\n]*\}\}|\\\{\{[^{}\n]*\}\}"  # CI expressions, escaped marks
        rf"|(?P<mark>\{{\{{\{{\s*(?P<raw>{_NAME})\s*\}}\}}\}}"
        rf"|\{{\{{\s*(?P<name>{_NAME})\s*\}}\}}"
        r"|\{\{~?[#/^>&@]?\s*[A-Za-z_@][^{}\n]*\}\})"
    ),
    "jinja": re.compile(
        r"\{#.{0,4000}?#\}|\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}"  # bounded: an open brace costs little
        r"|(?P<mark>\{\{.{0,1000}?\}\}|\{%.{0,1000}?%\})",
        re.DOTALL,
    ),
    "shell": re.compile(
        r"\$\$(?:\{[^{}\n]*\})?"  # an escaped dollar
        rf"|(?P<mark>\$\{{(?P<name>{_NAME})(?::?[-=?+][^{{}}\n]*)?\}})"
    ),
}
_CODE_WORDS = frozenset(
    ("break", "continue", "do", "else", "false", "finally", "null", "pass", "return", "self", "this", "true", "try")
)


@dataclass(frozen=True)
class Placeholder:
    """One mark in a text. `key` is equal for marks that mean the same; `name` is None where nothing is filled in."""

    text: str
    key: str
    name: str | None
    spec: str
    start: int
    end: int


def find_placeholders(text: str, syntax: str) -> list[Placeholder]:
    """All marks of a text in order; in brace syntax doubled braces are marks too, which are kept and not filled."""
    return list(_marks(text, syntax))


@lru_cache(maxsize=64)  # one text is filled for every case
def _marks(text: str, syntax: str) -> tuple[Placeholder, ...]:
    pattern = _PATTERNS.get(syntax)
    if pattern is None:
        return ()
    found = []
    for match in pattern.finditer(text):
        groups = match.groupdict()
        name = groups.get("name") or groups.get("number") or groups.get("raw")
        if not groups["mark"] or (name in _CODE_WORDS and syntax == "brace"):
            continue
        spec = groups.get("spec") or ""
        key = match[0] if syntax == "brace" and name else _key(match[0])
        found.append(Placeholder(match[0], key, name, spec, match.start(), match.end()))
    return tuple(found)


def placeholders(text: str, syntax: str) -> Counter[str]:
    """How often each placeholder occurs; white space inside doubled braces does not count: `{{ a }}` is `{{a}}`."""
    return Counter(mark.key for mark in find_placeholders(text, syntax))


def fill(text: str, values: Mapping[str, Any], syntax: str) -> str:
    """Put values into a template; unknown placeholders and all other braces stay as they are.

    A value that is no text is written as JSON. `user.name` is looked up as a key, then as a path.
    Raises InputError when a Jinja template cannot be rendered.
    """
    if syntax == "jinja":
        return fill_jinja(text, values, [(mark.start, mark.end) for mark in find_placeholders(text, syntax)])
    parts = []
    done = 0
    for mark in find_placeholders(text, syntax):
        found, value = _look_up(values, mark.name) if mark.name else (False, None)
        if found:
            parts += [text[done : mark.start], _formatted(value, mark.spec)]
            done = mark.end
    return "".join([*parts, text[done:]])


def names_of(text: str, syntax: str) -> tuple[str, ...]:
    """Names that an input can fill, each once, in reading order: of `user.name` the first part.

    Raises InputError when a Jinja template cannot be read.
    """
    marks = find_placeholders(text, syntax)
    if syntax == "jinja":
        return free_variables(text) if marks else ()
    return tuple(dict.fromkeys(root_of(mark.name) for mark in marks if mark.name))


def root_of(name: str) -> str:
    """The key that a dotted or indexed name begins at."""
    return re.split(r"[.\[]", name)[0]


def open_names(text: str, values: Mapping[str, Any], syntax: str) -> tuple[str, ...]:
    """What `fill` leaves in the text for these values, each once: names, and expressions of Jinja without braces."""
    marks = find_placeholders(text, syntax)
    if syntax == "jinja":
        left = open_marks(text, values, [(mark.start, mark.end) for mark in marks])
        return tuple(dict.fromkeys(mark.strip("{}-+ \n") for mark in left))
    return tuple(dict.fromkeys(mark.name for mark in marks if mark.name and not _look_up(values, mark.name)[0]))


def _key(mark: str) -> str:
    return re.sub(r"\s+(?=[}%])|(?<=[{%])\s+", "", " ".join(mark.split()))


def _look_up(values: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    if name in values:
        return True, values[name]
    value: Any = values
    for part in re.findall(r"[^.\[\]]+", name):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False, None
    return True, value


def _formatted(value: Any, spec: str) -> str:
    if spec.startswith(("!r", "!a")):
        return repr(value)
    number_format = spec.partition(":")[2]
    if number_format:
        try:
            return format(value, number_format)
        except (TypeError, ValueError):
            return as_text(value)
    return as_text(value)
