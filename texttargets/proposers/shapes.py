"""The shape that short values share, found from their characters: `2031-04-23` and `2030-12-01` are both 4-2-2 digits.

Knows characters only; what a shape means to a reader is said in words by `spell`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PIECE = re.compile(r"(?P<digits>\d+)|(?P<upper>[A-Z]+)|(?P<lower>[a-z]+)|(?P<sign>[^\w\s])|(?P<space>[ \t]+)")
MOST_PIECES = 12  # a longer one is a text, not a form
_CLASS_NAMES = {"digits": "digit", "upper": "capital letter", "lower": "small letter"}
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SIGN_NAMES = {"-": "hyphen", ":": "colon", ".": "full stop", "/": "slash", ",": "comma", "#": "hash sign"}


@dataclass(frozen=True)
class Piece:
    """One part of a shape: `least` to `most` characters of a class, or the same `text` in every value."""

    kind: str
    least: int
    most: int
    text: str | None = None


@dataclass(frozen=True)
class Shape:
    """The pieces all values have in the same order."""

    pieces: tuple[Piece, ...]

    def matches(self, value: str) -> bool:
        """Whether a value has this shape."""
        pattern = "".join(_pattern(piece) for piece in self.pieces)
        return re.fullmatch(pattern, value) is not None

    def digit_widths(self) -> tuple[int, ...]:
        """Widths of the digit runs where each is fixed, else ()."""
        runs = [piece for piece in self.pieces if piece.kind == "digits"]
        return tuple(run.most for run in runs) if all(run.least == run.most for run in runs) else ()

    def signs(self) -> str:
        """The signs between the runs."""
        return "".join(piece.text or "?" for piece in self.pieces if piece.kind in ("sign", "space"))


def common_shape(values: Sequence[str]) -> Shape | None:
    """The shape of all values, or None when they differ in it or it says too little to be worth stating."""
    split = [_pieces(value) for value in values]
    if not split or any(parts is None for parts in split):
        return None
    rows = [parts for parts in split if parts is not None]
    kinds = [tuple(kind for kind, _ in parts) for parts in rows]
    if len(set(kinds)) != 1 or "digits" not in kinds[0] or not 2 <= len(kinds[0]) <= MOST_PIECES:
        return None
    pieces = []
    for column in zip(*rows, strict=True):
        texts = [text for _, text in column]
        kind = column[0][0]
        if kind in ("sign", "space") and len(set(texts)) > 1:
            return None
        same = texts[0] if len(set(texts)) == 1 and kind != "digits" else None
        pieces.append(Piece(kind, min(map(len, texts)), max(map(len, texts)), same))
    return Shape(tuple(pieces))


def spell(shape: Shape) -> str:
    """The shape in words: `four digits, a hyphen, two digits`."""
    parts: list[str] = []
    literal = ""
    for piece in shape.pieces:
        if piece.text is not None and (literal or piece.kind in ("upper", "lower")):
            literal += piece.text
            continue
        parts += [_quoted(literal)] if literal else []
        literal = ""
        parts.append(_spell(piece))
    return ", ".join([*parts, _quoted(literal)] if literal else parts)


def _pieces(value: str) -> list[tuple[str, str]] | None:
    parts = []
    end = 0
    for match in _PIECE.finditer(value):
        if match.start() != end or match.lastgroup is None:
            return None
        parts.append((match.lastgroup, match[0]))
        end = match.end()
    return parts if parts and end == len(value) else None


def _pattern(piece: Piece) -> str:
    if piece.text is not None:
        return re.escape(piece.text)
    characters = {"digits": r"\d", "upper": "[A-Z]", "lower": "[a-z]"}[piece.kind]
    return f"{characters}{{{piece.least},{piece.most}}}"


def _spell(piece: Piece) -> str:
    if piece.kind == "space":
        return "a space"
    if piece.kind == "sign":
        assert piece.text is not None
        name = _SIGN_NAMES.get(piece.text)
        return f"a {name}" if name else f"the sign {piece.text}"
    name = _CLASS_NAMES[piece.kind]
    if piece.least != piece.most:
        return f"{_count(piece.least)} to {_count(piece.most)} {name}s"
    return f"{_count(piece.most)} {name}{'' if piece.most == 1 else 's'}"


def _quoted(literal: str) -> str:
    return f'the text "{literal}"'


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else str(number)
