"""Finds cases that are the same question twice, so that a split cannot leak and a score cannot count them double.

Two cases are near-duplicates when their normalised inputs agree to 95 % or more. Cases whose inputs name different
numbers, or which want different answers to inputs that are not equal, are kept apart: boundary cases ("10 days ago",
"40 days ago") are written that way on purpose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz, process

from schemas.evalset import Case
from texttargets.strict_json import as_text
from texttargets.text_checks import normalize

SIMILARITY = 95.0  # percent, as rapidfuzz counts
_SHORT = 200  # characters; longer texts are compared word by word, which costs a hundredth
_NUMBERS = re.compile(r"\d+")


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
        _join_similar([index for index in bucket if len(texts[index]) <= _SHORT * 1.2], texts, answers, sets)
    words = _as_words(texts)
    for bucket in _by_numbers(texts):
        _join_similar([index for index in bucket if len(texts[index]) > _SHORT], words, answers, sets)
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
    return buckets.values()


def _as_words(texts: Sequence[str]) -> list[str]:
    """Each text with one character per distinct word; texts that are not spaced out into words stay as they are."""
    codes: dict[str, str] = {}
    spelled = []
    for text in texts:
        words = text.split()
        if len(text) > 20 * len(words):
            spelled.append(text)
        else:
            spelled.append("".join(codes.setdefault(word, chr(0x10000 + len(codes) % 0x100000)) for word in words))
    return spelled


def _join_similar(bucket: list[int], texts: Sequence[str], answers: Sequence[str | None], sets: _DisjointSets) -> None:
    by_length = sorted(bucket, key=lambda index: (len(texts[index]), index))
    end = 0
    for place, index in enumerate(by_length):
        # A ratio of .95 is out of reach once the longer text is more than 1.05/0.95 times the shorter.
        longest = len(texts[index]) * (200 - SIMILARITY) / SIMILARITY
        while end < len(by_length) and len(texts[by_length[end]]) <= longest:
            end += 1
        window = {other: texts[other] for other in by_length[place + 1 : end] if _same(answers[index], answers[other])}
        near = process.extract_iter(texts[index], window, scorer=fuzz.ratio, score_cutoff=SIMILARITY)
        for _, _, other in near:
            sets.join(index, other)


def _same(left: str | None, right: str | None) -> bool:
    return left is None or right is None or left == right


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
