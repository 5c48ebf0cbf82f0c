"""Two versions of a text compared rule by rule, and word by word within a rule. Plain values; knows no widget."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain
from typing import Literal

from rapidfuzz.fuzz import ratio

from texttargets.rules import Rule, split_rules

ALIKE = 40.0  # percent, from which an old and a new rule are one rule that was changed
MOST_PAIRS = 2_500  # rules before times rules after in one place; beyond that they stand below each other
MOST_TOKENS = 4_000  # of both sides of a rule; longer ones are shown whole
CONTEXT = 1  # unchanged rules shown on either side of a change
# A character of a script without blanks is a word by itself.
_TOKEN = re.compile(r"[\u2e80-\U0003ffff]|(?:(?![\u2e80-\U0003ffff])\w)+|\s+|[^\w\s]")

Kind = Literal["same", "changed", "added", "removed", "skipped"]


@dataclass(frozen=True)
class Piece:
    """A run of text in a rule that is on both sides, or on this side alone."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class RuleChange:
    """One row of the comparison. A line is None on a side where the rule is not; `skipped` counts unchanged rules."""

    kind: Kind
    before: tuple[Piece, ...] = ()
    after: tuple[Piece, ...] = ()
    line_before: int | None = None
    line_after: int | None = None
    skipped: int = 0


@dataclass(frozen=True)
class FileChange:
    """What changed in one file of the target."""

    path: str
    changes: tuple[RuleChange, ...]


def file_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[FileChange, ...]:
    """All files that differ, by name."""
    return tuple(
        FileChange(path, rule_changes(before.get(path, ""), after[path]))
        for path in sorted(after)
        if before.get(path, "") != after[path]
    )


def rule_changes(before: str, after: str) -> tuple[RuleChange, ...]:
    """The changed rules in order, each with its neighbours; the other unchanged ones are counted."""
    old, new = split_rules(before), split_rules(after)
    matcher = SequenceMatcher(None, [rule.text for rule in old], [rule.text for rule in new], autojunk=False)
    rows: list[RuleChange] = []
    for what, i, i_end, j, j_end in matcher.get_opcodes():
        if what == "equal":
            rows += [_same(*pair) for pair in zip(old[i:i_end], new[j:j_end], strict=True)]
        else:
            rows += _aligned(old[i:i_end], new[j:j_end])
    return tuple(_shortened(rows))


def _same(old: Rule, new: Rule) -> RuleChange:
    return RuleChange("same", (Piece(old.text),), (Piece(new.text),), old.line, new.line)


def _aligned(old: Sequence[Rule], new: Sequence[Rule]) -> list[RuleChange]:
    """Rules that are alike stand beside each other, the likest first; the order on both sides stays."""
    pairs = ((ratio(a.text, b.text), -i, -j) for i, a in enumerate(old) for j, b in enumerate(new))
    likest = max(pairs, default=(0.0, 0, 0)) if len(old) * len(new) <= MOST_PAIRS else (0.0, 0, 0)
    if likest[0] < ALIKE:
        gone = [RuleChange("removed", (Piece(rule.text),), line_before=rule.line) for rule in old]
        return gone + [RuleChange("added", after=(Piece(rule.text),), line_after=rule.line) for rule in new]
    i, j = -likest[1], -likest[2]
    here = RuleChange("changed", *word_changes(old[i].text, new[j].text), old[i].line, new[j].line)
    return [*_aligned(old[:i], new[:j]), here, *_aligned(old[i + 1 :], new[j + 1 :])]


def word_changes(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces; blanks between two changed words count as changed."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) + len(new) > MOST_TOKENS:
        return (Piece(before, True),), (Piece(after, True),)
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    left: list[Piece] = []
    right: list[Piece] = []
    for place, (what, i, i_end, j, j_end) in enumerate(codes):
        between = 0 < place < len(codes) - 1 and not "".join(old[i:i_end]).strip()
        changed = what != "equal" or between
        left.append(Piece("".join(old[i:i_end]), changed))
        right.append(Piece("".join(new[j:j_end]), changed))
    return _joined(left), _joined(right)


def _joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Neighbours of one kind as one piece; empty ones vanish."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and joined[-1].changed == piece.changed:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.changed)
        elif piece.text:
            joined.append(piece)
    return tuple(joined)


def _shortened(rows: Sequence[RuleChange]) -> list[RuleChange]:
    changed = [place for place, row in enumerate(rows) if row.kind != "same"]
    shown = set(chain.from_iterable(range(place - CONTEXT, place + CONTEXT + 1) for place in changed))
    short: list[RuleChange] = []
    for place, row in enumerate(rows):
        if place in shown:
            short.append(row)
        elif short and short[-1].kind == "skipped":
            short[-1] = RuleChange("skipped", skipped=short[-1].skipped + 1)
        else:
            short.append(RuleChange("skipped", skipped=1))
    return short
