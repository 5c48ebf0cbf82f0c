"""What changed in a text, line by line and within a changed passage word by word. Pure; knows no colours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Sign = Literal[" ", "-", "+"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WORD = re.compile(r"\w+|\s+|.", re.UNICODE)
_LONGEST = 4000  # words of a passage; a longer one is shown as taken out and put in
_LIKE = 0.5  # passages that share less than this are not the same sentence in other words


@dataclass(frozen=True)
class Piece:
    """A part of a line; `changed` where only this side has it."""

    text: str
    changed: bool


@dataclass(frozen=True)
class DiffLine:
    """One line without its line feed; numbers count from 1 and are None on the side that lacks the line."""

    sign: Sign
    pieces: tuple[Piece, ...]
    old: int | None
    new: int | None
    ended: bool = True  # is there a line feed?

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True)
class FileDiff:
    """The passages of one file that changed, each with some lines around it."""

    path: str
    hunks: tuple[tuple[DiffLine, ...], ...]


def word_diff(before: Mapping[str, str], after: Mapping[str, str], around: int = 2) -> tuple[FileDiff, ...]:
    """Every file that changed, by name; a file that is missing on one side counts as empty there."""
    paths = sorted(before.keys() | after.keys())
    return tuple(
        FileDiff(path, _hunks(before.get(path, ""), after.get(path, ""), around))
        for path in paths
        if before.get(path, "") != after.get(path, "")
    )


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one, so that no other character gets lost."""
    return _LINE.findall(text)


def _hunks(old: str, new: str, around: int) -> tuple[tuple[DiffLine, ...], ...]:
    before, after = lines_of(old), lines_of(new)
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(around)
    return tuple(tuple(_lines(group, before, after)) for group in groups)


def _lines(
    group: Sequence[tuple[str, int, int, int, int]], before: Sequence[str], after: Sequence[str]
) -> Iterator[DiffLine]:
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            for place in range(old_to - old_from):
                line = before[old_from + place]
                shown, ended = (Piece(_shown(line), False),), line.endswith("\n")
                yield DiffLine(" ", shown, old_from + place + 1, new_from + place + 1, ended)
            continue
        gone, come = _by_word(before[old_from:old_to], after[new_from:new_to])
        for place, pieces in enumerate(gone, old_from):
            yield DiffLine("-", pieces, place + 1, None, before[place].endswith("\n"))
        for place, pieces in enumerate(come, new_from):
            yield DiffLine("+", pieces, None, place + 1, after[place].endswith("\n"))


def _by_word(before: Sequence[str], after: Sequence[str]) -> tuple[list[tuple[Piece, ...]], list[tuple[Piece, ...]]]:
    """Pieces by line of both sides of a changed passage."""
    old, new = _WORD.findall("".join(before)), _WORD.findall("".join(after))
    whole = not (old and new) or max(len(old), len(new)) > _LONGEST
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if whole or matcher.ratio() < _LIKE:
        return [_whole(line) for line in before], [_whole(line) for line in after]
    gone: list[Piece] = []
    come: list[Piece] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        gone.append(Piece("".join(old[old_from:old_to]), tag != "equal"))
        come.append(Piece("".join(new[new_from:new_to]), tag != "equal"))
    return _by_line(gone, before), _by_line(come, after)


def _whole(line: str) -> tuple[Piece, ...]:
    return (Piece(_shown(line), True),)


def _by_line(pieces: Sequence[Piece], lines: Sequence[str]) -> list[tuple[Piece, ...]]:
    """The pieces of a passage cut where its lines end."""
    marks = [(character, piece.changed) for piece in pieces for character in piece.text]
    cut, at = [], 0
    for line in lines:
        cut.append(tuple(_joined(marks[at : at + len(line)], len(_shown(line)))))
        at += len(line)
    return cut


def _joined(marks: Sequence[tuple[str, bool]], length: int) -> Iterator[Piece]:
    start = 0
    for place in range(1, length + 1):
        if place == length or marks[place][1] != marks[start][1]:
            yield Piece("".join(character for character, _ in marks[start:place]), marks[start][1])
            start = place


def _shown(line: str) -> str:
    """The line without its line feed."""
    return line.removesuffix("\n")
