"""A regular expression of JavaScript, without flags, as one of Python that finds the same; None where there is none.

Python reads some signs more widely (`$` before a last line break, `\\d` for digits of every script) and has forms that
JavaScript refuses, such as `(?i)`: taken over as they stand, they would pass what JavaScript did not.
"""

from __future__ import annotations

import re
import warnings

_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_"}
_SAME = frozenset("sSnrtvf")
_GROUP = re.compile(r"\?(?::|=|!|<=|<!|[ims]+(?:-[ims]+)?:|-[ims]+:)")
_NAMED = re.compile(r"\?<([A-Za-z_]\w*)>")
_TIMES = re.compile(r"\{\d+(?:,\d*)?\}")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([Dd][89ABab]..)\\u([Dd][C-Fc-f]..)|u([0-9A-Fa-f]{4})|c([A-Za-z])")
_REFERENCE = re.compile(r"[1-9]\d?")
_NAME = re.compile(r"k<([A-Za-z_]\w*)>")


def python_pattern(pattern: str) -> str | None:
    """The pattern in Python's syntax, compiled once to see that it is one."""
    try:
        translated = _Translation(pattern).whole()
    except _Untranslatable:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(translated)
    except (re.error, RecursionError, OverflowError):
        return None
    return translated


class _Untranslatable(Exception):
    """JavaScript refuses the pattern, or means what Python has no words for."""


class _Translation:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._repeated = ""  # the repeat that stands directly before: a second one is no JavaScript

    def whole(self) -> str:
        pieces = []
        while self._at < len(self._pattern):
            pieces.append(self._piece())
        return "".join(pieces)

    def _take(self, known: re.Pattern[str]) -> re.Match[str] | None:
        found = known.match(self._pattern, self._at)
        if found:
            self._at = found.end()
        return found

    def _piece(self) -> str:
        times = self._take(_TIMES)
        if times:
            return self._repeat(times.group())
        sign = self._pattern[self._at]
        self._at += 1
        if sign in "*+?":
            return self._repeat(sign)
        self._repeated = ""
        if sign == "\\":
            return self._escaped()
        if sign == "[":
            return self._set()
        if sign == "(":
            return self._opening()
        return {"$": r"\Z", "{": r"\{", "}": r"\}", "]": r"\]"}.get(sign, sign)

    def _repeat(self, sign: str) -> str:
        lazy = sign == "?" and self._repeated not in ("", "lazy")
        if self._repeated and not lazy:
            raise _Untranslatable
        self._repeated = "lazy" if lazy else sign
        return sign

    def _opening(self) -> str:
        named = self._take(_NAMED)
        if named:
            return f"(?P<{named[1]}>"
        if not self._pattern.startswith("?", self._at):
            return "("
        group = self._take(_GROUP)
        if group is None:
            raise _Untranslatable
        return f"({group.group()}"

    def _escaped(self) -> str:
        reference = self._take(_REFERENCE)
        if reference:
            return f"\\{reference.group()}"
        name = self._take(_NAME)
        if name:
            return f"(?P={name[1]})"
        sign = self._pattern[self._at : self._at + 1]
        if sign in ("b", "B"):
            self._at += 1
            return f"(?a:\\{sign})"
        if sign.lower() in _CLASSES:
            self._at += 1
            return f"[{'^' if sign.isupper() else ''}{_CLASSES[sign.lower()]}]"
        return self._character()

    def _set(self) -> str:
        inverted = self._pattern.startswith("^", self._at)
        self._at += inverted
        pieces = []
        while not self._pattern.startswith("]", self._at):
            if self._at >= len(self._pattern):
                raise _Untranslatable
            sign = self._pattern[self._at]
            self._at += 1
            pieces.append(self._in_set() if sign == "\\" else rf"\{sign}" if sign in "[&~|" else sign)
        self._at += 1
        if not pieces:
            return r"[\s\S]" if inverted else "(?!)"
        return f"[{'^' if inverted else ''}{''.join(pieces)}]"

    def _in_set(self) -> str:
        sign = self._pattern[self._at : self._at + 1]
        if sign in ("D", "W"):
            raise _Untranslatable
        if sign in _CLASSES or sign == "b":
            self._at += 1
            return _CLASSES.get(sign, r"\x08")
        return self._character()

    def _character(self) -> str:
        """What follows a backslash and stands for one character, or for white space."""
        found = self._take(_HEX)
        if found:
            byte, high, low, wide, control = found.groups()
            if wide and 0xD800 <= int(wide, 16) <= 0xDFFF:
                raise _Untranslatable
            if high:
                return re.escape(bytes.fromhex(high + low).decode("utf-16-be"))
            return f"\\x{ord(control) % 32:02x}" if control else f"\\u{wide}" if wide else f"\\x{byte}"
        if self._at >= len(self._pattern) or self._pattern[self._at] in "pPuxck":
            raise _Untranslatable  # a class of Unicode without its flag is the letter p there: nobody means that
        sign = self._pattern[self._at]
        self._at += 1
        if sign == "0":
            return r"\x00"
        return f"\\{sign}" if sign in _SAME else re.escape(sign)
