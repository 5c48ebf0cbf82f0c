"""Finds cases that are the same question twice, so that a split cannot leak and a score cannot count them double.

Two cases are near-duplicates when their normalised inputs agree to 95 % or more. Cases whose inputs name different
numbers, or which want different answers to inputs that are not equal, are kept apart: boundary cases ("10 days ago",
"40 days ago") are written that way on purpose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rapidfuzz import fuzz, process

from schemas.evalset import Case
from texttargets.strict_json import as_text
from texttargets.text_checks import normalize

SIMILARITY = 95.0  # percent, as rapidfuzz counts
_SHORT = 200  # characters; longer texts are compared word by word, which costs a hundredth
_NUMBERS = re.compile(r"\d+")
_BITS = 1024


def input_text(case: Case) -> str:
    """The input as one text; a mapping gives its values in the order of their names."""
    if isinstance(case.input, str):
        return case.input
    return "\n".join(as_text(case.input[name]) for name in sorted(case.input))


def duplicate_groups(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Every case id in exactly one group; single cases are groups of one. Order follows the first member."""
    texts = [normalize(input_text(case)) for case in cases]
    answers = [None if case.expected is None else normalize(as_text(case.expected)) for case in cases]
    sets = _DisjointSets(len(cases))
    _join_equal(texts, sets)
    for bucket in _by_numbers(texts):
        for comparable in _by_answer(bucket, answers):
            short = [index for index in comparable if len(texts[index]) <= _SHORT * 1.2]
            long = [index for index in comparable if len(texts[index]) > _SHORT]
            pairs = chain(
                _similar([(texts[index], index) for index in short]),
                _similar_long(list(zip(_as_words([texts[index] for index in long]), long, strict=True))),
            )
            for one, other in pairs:
                if answers[one] is None or answers[other] is None or answers[one] == answers[other]:
                    sets.join(one, other)
    members: dict[int, list[str]] = defaultdict(list)
    for index, case in enumerate(cases):
        members[sets.root(index)].append(case.id)
    return [tuple(group) for group in members.values()]


def _join_equal(texts: Sequence[str], sets: _DisjointSets) -> None:
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        sets.join(first.setdefault(text, index), index)


def _by_numbers(texts: Sequence[str]) -> Iterable[list[int]]:
    buckets: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, text in enumerate(texts):
        buckets[tuple(_NUMBERS.findall(text))].append(index)
    return (bucket for bucket in buckets.values() if len(bucket) > 1)


def _by_answer(bucket: list[int], answers: Sequence[str | None]) -> Iterable[list[int]]:
    """Cases that want the same answer; all together where one says none, for it may ask the same as any of them."""
    by_answer: dict[str | None, list[int]] = defaultdict(list)
    for index in bucket:
        by_answer[answers[index]].append(index)
    return [bucket] if None in by_answer else by_answer.values()


class _Codes(dict[str, str]):
    """A character for every word it was asked for."""

    def __missing__(self, word: str) -> str:
        self[word] = code = chr(0x10000 + len(self) % 0x100000)
        return code


def _as_words(texts: Sequence[str]) -> list[str]:
    """Each text with one character per distinct word; texts that are not spaced out into words stay as they are."""
    codes = _Codes()
    spelled = []
    for text in texts:
        words = text.split()
        spaced = len(text) <= 20 * len(words)
        spelled.append("".join(map(codes.__getitem__, words)) if spaced else text)
    return spelled


def _similar(spelled: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """Pairs of cases whose spelled texts are alike; each is held against the longer ones that are in reach."""
    by_length = sorted(spelled, key=lambda entry: (len(entry[0]), entry[1]))
    texts = [text for text, _ in by_length]
    end = 0
    for place, (text, index) in enumerate(by_length):
        # A ratio of .95 is out of reach once the longer text is more than 1.05/0.95 times the shorter.
        longest = len(text) * (200 - SIMILARITY) / SIMILARITY
        while end < len(texts) and len(texts[end]) <= longest:
            end += 1
        near = process.extract_iter(text, texts[place + 1 : end], scorer=fuzz.ratio, score_cutoff=SIMILARITY)
        for _, _, after in near:
            yield index, by_length[place + 1 + after][1]


def _similar_long(spelled: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """The same for texts with one character a word, most pairs of which are told apart by the words they hold."""
    by_length = sorted(spelled, key=lambda entry: (len(entry[0]), entry[1]))
    held = [_held(text) for text, _ in by_length]
    for place, (text, index) in enumerate(by_length):
        longest = len(text) * (200 - SIMILARITY) / SIMILARITY
        # A word that only one of two texts holds has to be put in or taken out; hashing can hide one, never make one.
        most, own = (len(text) + longest) * (100 - SIMILARITY) / 100, held[place]
        for after in range(place + 1, len(by_length)):
            other, other_index = by_length[after]
            if len(other) > longest:
                break
            if (own ^ held[after]).bit_count() <= most and fuzz.ratio(text, other, score_cutoff=SIMILARITY):
                yield index, other_index


def _held(text: str) -> int:
    """The characters of a text as a set of bits."""
    bits = 0
    for character in set(text):
        bits |= 1 << ord(character) % _BITS
    return bits


class _DisjointSets:
    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, item: int) -> int:
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def join(self, left: int, right: int) -> None:
        first, second = sorted((self.root(left), self.root(right)))
        self._parent[second] = first
