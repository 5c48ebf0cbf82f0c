"""Checks of an output as text. Each function returns None when it passes, else the kind of difference.

The returned sentence is safe for a proposer: it holds no pattern and no listed value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal

from texttargets.patterns import UNDECIDED, Undecided, found

_CLOSING = ".!?,;:…。！？、，；："
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def exact(expected: str, output: str, *, strict: bool = False) -> str | None:
    """Equality, surrounding white space aside unless it is `strict`."""
    if output.strip() != expected.strip():
        return describe(expected, output)
    return "right but for white space around it" if strict and output != expected else None


def normalized(expected: str, output: str) -> str | None:
    """Equality after `normalize`."""
    return None if normalize(output) == normalize(expected) else describe(expected, output)


def normalize(text: str) -> str:
    """NFKC, case folded, white space folded to one blank, closing punctuation dropped unless it is all there is."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = " ".join(folded.split())
    return words.rstrip(_CLOSING + " ") or words


def contains(values: Sequence[str], output: str, ignore_case: bool) -> str | None:
    """Every value occurs."""
    text = output.casefold() if ignore_case else output
    missing = sum((value.casefold() if ignore_case else value) not in text for value in values)
    if not missing:
        return None
    if not output.strip():
        return "the output is empty"
    return "the required text is missing" if len(values) == 1 else f"{missing} of {len(values)} required texts missing"


def none_of(values: Sequence[str], output: str, ignore_case: bool) -> str | None:
    """No value occurs."""
    text = output.casefold() if ignore_case else output
    found = sum((value.casefold() if ignore_case else value) in text for value in values)
    return "holds a text it must not hold" if found else None


def regex(pattern: str, full: bool, output: str) -> str | None:
    """The pattern is found, or matches all of the output, surrounding white space aside."""
    try:
        if found(pattern, output.strip() if full else output, full=full):
            return None
    except Undecided:
        return UNDECIDED
    return f"does not have the required form: {shape(output)}"


def number(expected: str, tolerance: float, relative: bool, output: str) -> str | None:
    """The whole output is one number within the tolerance; decimal arithmetic, so 0.3 is 0.1 away from 0.2."""
    wanted, got = _number(expected), _number(output)
    if wanted is None or got is None:
        return f"not a single number: {shape(output)}"
    allowed = Decimal(repr(tolerance)) * (abs(wanted) if relative else 1)
    if abs(got - wanted) <= allowed:
        return None
    return f"the number is too {'high' if got > wanted else 'low'}"


def number_fault(expected: str) -> str | None:
    """Why `expected` cannot be compared as a number, else None."""
    return None if _number(expected) is not None else "the check number needs a number in `expected`"


def length(minimum: int | None, maximum: int | None, unit: str, output: str) -> str | None:
    """Length within both ends, surrounding white space aside."""
    size = _size(output.strip(), unit)
    if minimum is not None and size < minimum:
        return f"too short: {size} {unit}"
    if maximum is not None and size > maximum:
        return f"too long: {size} {unit}"
    return None


def describe(expected: str, output: str) -> str:
    """How an output differs from the expected text."""
    want, got = expected.strip(), output.strip()
    if not got:
        return "the output is empty"
    if not want:
        return f"expected an empty answer, got {shape(got)}"
    if normalize(want) == normalize(got):
        return "right but for upper and lower case, spacing or closing punctuation"
    if normalize(want) in normalize(got):
        return f"holds the expected answer inside {shape(got)}; expected {shape(want)} alone"
    if shape(want) == shape(got):
        return f"a different answer: {shape(got)}, as expected, but not the right one"
    return f"expected {shape(want)}, got {shape(got)}"


def shape(text: str) -> str:
    """What a text looks like, in a few words."""
    stripped = text.strip()
    words = len(stripped.split())
    lines = len(stripped.split("\n"))
    if not stripped:
        return "nothing"
    if stripped.startswith("```"):
        return "a fenced block"
    if stripped[0] in "{[" and stripped[-1] in "}]":
        return "JSON-like text"
    if _NUMBER.fullmatch(stripped):
        return "a number"
    if lines > 1:
        return f"{lines} lines of text"
    return "one word" if words == 1 else f"a text of {words} words"


def _number(text: str) -> Decimal | None:
    stripped = text.strip()
    return Decimal(stripped) if _NUMBER.fullmatch(stripped) else None


def _size(text: str, unit: str) -> int:
    if unit == "characters":
        return len(text)
    if unit == "words":
        return len(text.split())
    return len(text.split("\n")) if text else 0
