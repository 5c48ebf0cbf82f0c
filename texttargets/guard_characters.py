"""Refusals about characters nobody sees: control and invisible characters that a candidate adds."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import on_one_line
from texttargets.target_file import BYTE_ORDER_MARK

_LAYOUT = "\t\n"
_HIDING = frozenset({"Cc", "Cf", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # letters and signs drawn as nothing
_VARIANTS = range(0xE0100, 0xE01F0)
_JOINERS = frozenset("\u200c\u200d")  # part of words in many scripts, and of emoji
_DIRECTIONS = frozenset("\u061c\u200e\u200f")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_VISIBLE_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")  # Arabic and Syriac number signs
_NOT_PLAIN = re.compile(r"[^\t\n\r -~]|\r(?!\n)")
_MOST_SHOWN = 5


def check_characters(before: str, after: str) -> list[Refusal]:
    """Code out_of_scope, naming the first place of each hidden character that stands there more often than before."""
    if after.isascii() and after.replace("\r\n", "\n").replace("\n", "").replace("\t", "").isprintable():
        return []
    known = Counter(character for _, character in _hidden(before))
    refusals: dict[str, Refusal] = {}
    for at, character in _hidden(after):
        known[character] -= 1
        if known[character] < 0 and character not in refusals:
            line = after.count("\n", 0, at) + 1
            message = f"the hidden character {_named(character)} was added in line {line}"
            refusals[character] = Refusal("out_of_scope", message, line)
    return list(refusals.values())[:_MOST_SHOWN]


def _hidden(text: str) -> Iterator[tuple[int, str]]:
    right_to_left = _RIGHT_TO_LEFT.search(text) is not None
    for match in _NOT_PLAIN.finditer(text):
        at, character = match.start(), match[0]
        if not _may_hide(character) or (at == 0 and character == BYTE_ORDER_MARK):
            continue
        if character in _JOINERS and _joins(text, at):
            continue
        if character in _DIRECTIONS and right_to_left:
            continue
        yield at, character


def _may_hide(character: str) -> bool:
    if character.isprintable() or character in _LAYOUT:
        return character in _BLANK_LETTERS or ord(character) in _VARIANTS
    return unicodedata.category(character) in _HIDING and character not in _VISIBLE_SIGNS


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands between two signs of a script, or emoji, that knows it."""
    around = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(around) == 2 and all(sign > "\u02ff" and not sign.isspace() for sign in around)


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    shown = name or on_one_line(character)
    code = f"U+{ord(character):04X}"
    return code if code in shown else f"{code} ({shown})"
