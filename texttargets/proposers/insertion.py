"""Puts whole sections into a text and takes rules out, keeping every other byte.

The file's own line ends are used; front matter, byte-order mark and placeholders stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from texttargets.placeholders import find_placeholders
from texttargets.rules import Rule, split_rules
from texttargets.target_file import BYTE_ORDER_MARK

Place = Literal["start", "end"]


def insert_section(text: str, title: str, lines: Sequence[str], place: Place, syntax: str = "none") -> str:
    """The text with a section of its own at the start of its body or at its end.

    The start is behind front matter and the first heading. In a template the end is before the rule with the first
    placeholder, since what follows that is the case's input.
    """
    level = min((rule.level for rule in split_rules(text) if rule.level), default=1)
    return insert_lines(text, ["#" * min(max(level + 1, 2), 6) + f" {title}", "", *lines], place, syntax)


def insert_lines(text: str, lines: Sequence[str], place: Place, syntax: str = "none") -> str:
    """The text with these lines at one of the same places, a blank line away from what stands there."""
    line_end = _line_end(text)
    rules = split_rules(text)
    at = _start(text, rules) if place == "start" else _end(text, rules, syntax)
    before, after = text[:at], text[at:]
    if before.strip(BYTE_ORDER_MARK + "\r\n"):
        before += line_end * max(0, 2 - _closing_line_ends(before))
    added = line_end.join([*lines, ""])
    return before + added + (line_end + after if after.strip() else after)


def has_lines(text: str, lines: Sequence[str]) -> bool:
    """Whether all the lines stand in the text, each as a line of its own."""
    present = {line.strip() for line in text.splitlines()}
    return all(line.strip() in present for line in lines)


def _line_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _closing_line_ends(text: str) -> int:
    stripped = text.rstrip("\r\n")
    return text.count("\n", len(stripped))


def _start(text: str, rules: Sequence[Rule]) -> int:
    at = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    for rule in rules:
        if rule.kind not in ("front_matter", "heading"):
            break
        at = rule.end
        if rule.kind == "heading":
            break
    return at


def _end(text: str, rules: Sequence[Rule], syntax: str) -> int:
    marks = find_placeholders(text, syntax)
    if not marks:
        return len(text)
    holding = next((rule for rule in rules if rule.start <= marks[0].start < rule.end), None)
    return max(holding.start, _start(text, rules)) if holding else len(text)
