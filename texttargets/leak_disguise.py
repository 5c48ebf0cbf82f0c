"""Quotations that word by word are none: letters alone, however they are joined, parted, reversed or encoded.

A simple cipher or a paraphrase is not seen.
"""

import base64
import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from urllib.parse import unquote

from texttargets.leak_sources import Part
from texttargets.leak_telling import says_enough
from texttargets.leak_words import look_alike, normalise

_GRAM = 12
_STRIDE = 6  # every stretch of _GRAM + _STRIDE - 1 letters holds a gram that is indexed
_COMPANY = 3  # words that stood together before are no news together
_MOST_LETTERS = 4_000_000  # of all sources, so that the grams fit
_NOISE = re.compile(r"<[^<>\n]{0,60}>|\[[^\[\]\n]{0,3}\]|\([^()\n]{0,3}\)|\{[^{}\n]{0,3}\}")
_PIECE = re.compile(r"&#?\w{2,8};|(?:%[0-9A-Fa-f]{2})+|[^\W_]+|[\u0300-\u036f]+")
_BLOB = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_=-])")
_HEX = re.compile(r"(?:[0-9a-f]{2})+", re.IGNORECASE)


@dataclass(frozen=True)
class DisguisedQuote:
    """Words of source `number`, where their letters stand in the text, and the weight of those that are new."""

    number: int
    start: int
    end: int
    weight: float


@dataclass(frozen=True)
class _Letters:
    """Letters and digits of a text without all else; `places` are the offsets they had."""

    text: str
    places: Sequence[int]


class _Spelt:
    """The words of one source as letters, and where each begins among them."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._bounds = [0, *accumulate(map(len, words))]
        self.letters = "".join(words)

    def inside(self, start: int, end: int) -> list[int]:
        """Numbers of the words that lie in start..end."""
        first = bisect_left(self._bounds, start)
        return list(range(first, bisect_right(self._bounds, end, lo=min(first, len(self._bounds))) - 1))

    def fresh(self, words: Sequence[int], known: str) -> list[int]:
        """Those of them that stood nowhere in `known` in this company."""
        old: set[int] = set()
        for number in range(max(1, len(words) - _COMPANY + 1)):
            company = words[number : number + _COMPANY]
            if "".join(self._words[word] for word in company) in known:
                old.update(company)
        return [word for word in words if word not in old]


class LettersIndex:
    """The letters of all sources, read at the first text that is looked up."""

    def __init__(
        self, norms: Sequence[tuple[str, ...]], weights: Sequence[tuple[float, ...]], parts: Sequence[Part]
    ) -> None:
        self._norms = norms
        self._weights = weights
        self._parts = parts
        self._read: dict[int, _Spelt] = {}

    @cached_property
    def _grams(self) -> dict[str, tuple[int, int]]:
        grams: dict[str, tuple[int, int]] = {}
        total = 0
        for number in range(len(self._norms)):
            letters = "".join(map(_plain, self._norms[number]))
            total += len(letters)
            if total > _MOST_LETTERS:
                break
            for place in range(0, len(letters) - _GRAM + 1, _STRIDE):
                grams.setdefault(letters[place : place + _GRAM], (number, place))
        return grams

    def find(self, before: str, after: str, allowed: Iterable[str]) -> Iterator[DisguisedQuote]:
        """Quotations in the lines of `after` that `before` had not."""
        known = "\n".join(_letters(text).text for text in (before, *allowed))
        for added in (_added(before, after), *_decoded(before, after)):
            turned = _Letters(added.text[::-1], added.places[::-1])
            for letters in (added, turned):
                yield from self._found(letters, known)

    def _found(self, letters: _Letters, known: str) -> Iterator[DisguisedQuote]:
        at, text = 0, letters.text
        while at <= len(text) - _GRAM:
            place = self._grams.get(text[at : at + _GRAM])
            if place is None:
                at += 1
                continue
            number, spelt = place[0], self._spelt(place[0])
            first, last = _extend(text, at, spelt.letters, place[1])
            inside = spelt.inside(first + place[1] - at, last + place[1] - at)
            if self._tells(number, inside) and self._tells(number, fresh := spelt.fresh(inside, known)):
                start, end = sorted((letters.places[first], letters.places[last - 1]))
                yield DisguisedQuote(number, start, end + 1, self._weight(number, fresh))
            at = max(last - _GRAM + 1, at + 1)

    def _tells(self, number: int, words: Sequence[int]) -> bool:
        norms = [self._norms[number][word] for word in words]
        return says_enough(norms, self._parts[number], self._weight(number, words))

    def _weight(self, number: int, words: Sequence[int]) -> float:
        return sum(self._weights[number][word] for word in words)

    def _spelt(self, number: int) -> "_Spelt":
        if number not in self._read:
            self._read[number] = _Spelt([_plain(norm) for norm in self._norms[number]])
        return self._read[number]


def _plain(norm: str) -> str:
    return norm if norm.isalnum() and norm.isascii() else "".join(filter(str.isalnum, look_alike(norm)))


def _letters(text: str, start: int = 0) -> _Letters:
    blank = _NOISE.sub(lambda match: " " * len(match[0]), text)
    pieces: list[str] = []
    places: list[int] = []
    for match in _PIECE.finditer(blank):
        piece = match[0]
        if piece[0] == "&":
            piece = html.unescape(piece)
        elif piece[0] == "%":
            piece = unquote(piece)
        if piece.isascii() and piece.isalnum():
            letters = piece.lower()
            at: Iterable[int] = range(start + match.start(), start + match.start() + len(letters))
        else:
            signs = [(_plain(normalise(sign)), number) for number, sign in enumerate(piece)]
            letters = "".join(plain for plain, _ in signs)
            most = match.end() - match.start() - 1
            at = [start + match.start() + min(number, most) for plain, number in signs for _ in plain]
        pieces.append(letters)
        places.extend(at)
    return _Letters("".join(pieces), places)


def _added(before: str, after: str) -> _Letters:
    """The letters of all lines that are new, one after the other."""
    known = set(before.split("\n"))
    pieces: list[str] = []
    places: list[int] = []
    start = 0
    for line in after.split("\n"):
        if line not in known:
            letters = _letters(line, start)
            pieces.append(letters.text)
            places.extend(letters.places)
        start += len(line) + 1
    return _Letters("".join(pieces), places)


def _decoded(before: str, after: str) -> Iterator[_Letters]:
    """What is written in base64 or in hexadecimal digits, where that is a text."""
    for match in _BLOB.finditer(after):
        if match[0] in before:
            continue
        letters = _letters(_as_text(match[0])).text
        if len(letters) >= _GRAM:
            yield _Letters(letters, [match.start(), *[match.end() - 1] * (len(letters) - 1)])


def _as_text(blob: str) -> str:
    try:
        if _HEX.fullmatch(blob):
            return bytes.fromhex(blob).decode("utf-8")
        padded = blob.rstrip("=") + "=" * (-len(blob.rstrip("=")) % 4)
        return base64.b64decode(padded, altchars=b"-_" if set(blob) & set("-_") else b"+/").decode("utf-8")
    except ValueError:
        return ""


def _extend(text: str, at: int, source: str, place: int) -> tuple[int, int]:
    first, last = at, at + _GRAM
    offset = place - at
    while first and first + offset and text[first - 1] == source[first + offset - 1]:
        first -= 1
    while last < len(text) and last + offset < len(source) and text[last] == source[last + offset]:
        last += 1
    return first, last
