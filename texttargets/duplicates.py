"""Finds cases that are the same question twice, so that a split cannot leak and a score cannot count them double.

Two cases are near-duplicates when their inputs agree to 95 % or more, or hold the same words, or those and one more.
Cases that want different answers to inputs that are not equal are kept apart, for the count and for the split: boundary
cases ("10 days ago", "40 days ago") are written that way on purpose, and who learned one by heart gets the other wrong.
Numbers tell cases apart only where they seem to matter; see `_Numbers`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemas.evalset import Case
from texttargets.near_texts import alike, one_word_more, same_words, words_of
from texttargets.strict_json import as_text
from texttargets.text_checks import normalize

TELLING = 6  # words from which a text says enough to be known by them, whatever their order and its numbers
_DECIDING = 0.2  # share of cases with another answer, among those that differ in numbers alone
_IDENTIFIER = 5  # digits of a number that counts nothing, such as an order's
_NUMBER = re.compile(r"\w*\d\w*")


def input_text(case: Case) -> str:
    """The input as one text; a mapping gives its values in the order of their names."""
    if isinstance(case.input, str):
        return case.input
    return "\n".join(as_text(case.input[name]) for name in sorted(case.input))


def duplicate_groups(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Every case id in exactly one group; single cases are groups of one. Order follows the first member."""
    sets = _DisjointSets(len(cases))
    asked = _join_equal([_asked(index, case) for index, case in enumerate(cases)], sets)
    numbers = _Numbers(asked)
    for comparable in _by_answer(_join_copies(asked, numbers, sets)):
        by_index = {one.index: one for one in comparable}
        for left, right in _near(comparable):
            if numbers.agree(by_index[left], by_index[right]):
                sets.join(left, right)
    members: dict[int, list[str]] = defaultdict(list)
    for index, case in enumerate(cases):
        members[sets.root(index)].append(case.id)
    return [tuple(group) for group in members.values()]


@dataclass(frozen=True)
class _Asked:
    """What a case asks: its text, the same with every number as 0, and the numbers."""

    index: int
    text: str
    answer: str | None
    shape: str
    numbers: tuple[str, ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words_of(self.shape)

    @cached_property
    def telling(self) -> bool:
        return len(self.words) - len(self.numbers) >= TELLING


def _asked(index: int, case: Case) -> _Asked:
    text = normalize(input_text(case))
    answer = None if case.expected is None else normalize(as_text(case.expected))
    return _Asked(index, text, answer, _NUMBER.sub("0", text), tuple(_NUMBER.findall(text)))


class _Numbers:
    """Whether numbers tell cases apart.

    They do in short texts, and where cases that differ in numbers alone want different answers. Where all of them want
    the same, the set itself says that an order's number or a date decides nothing. Where no answer is known, only
    long numbers are taken for names of things.
    """

    def __init__(self, asked: Iterable[_Asked]) -> None:
        answers: dict[str, Counter[str]] = defaultdict(Counter)
        for one in asked:
            if one.numbers and one.answer is not None:
                answers[one.shape][one.answer] += 1
        self._deciding = {
            shape for shape, count in answers.items() if max(count.values()) <= (1 - _DECIDING) * count.total()
        }

    def telling(self, one: _Asked, *, answered: bool) -> tuple[str, ...]:
        """The numbers that tell this case from others."""
        if one.shape in self._deciding or not one.telling:
            return one.numbers
        return () if answered else tuple(number for number in one.numbers if not _is_identifier(number))

    def agree(self, one: _Asked, other: _Asked) -> bool:
        """Whether nothing in numbers or answers tells two cases with like texts apart."""
        answered = one.answer is not None and other.answer is not None
        if answered and one.answer != other.answer:
            return False
        return one.numbers == other.numbers or (
            self.telling(one, answered=answered) == self.telling(other, answered=answered)
        )


def _is_identifier(number: str) -> bool:
    return sum(map(str.isdigit, number)) >= _IDENTIFIER


def _join_equal(asked: Sequence[_Asked], sets: _DisjointSets) -> list[_Asked]:
    """Joins equal inputs, whatever their answers; gives the first of each input with each answer."""
    first: dict[str, int] = {}
    distinct: dict[tuple[str, str | None], _Asked] = {}
    for one in asked:
        sets.join(first.setdefault(one.text, one.index), one.index)
        distinct.setdefault((one.text, one.answer), one)
    return list(distinct.values())


def _join_copies(asked: Iterable[_Asked], numbers: _Numbers, sets: _DisjointSets) -> list[_Asked]:
    """Joins cases that differ in nothing but numbers that do not matter; gives the first of each."""
    first: dict[tuple[str, str | None, tuple[str, ...]], _Asked] = {}
    for one in asked:
        key = one.shape, one.answer, numbers.telling(one, answered=one.answer is not None)
        sets.join(first.setdefault(key, one).index, one.index)
    return list(first.values())


def _by_answer(asked: Sequence[_Asked]) -> list[list[_Asked]]:
    """Cases that want the same answer; all together where one says none, for it may ask the same as any of them."""
    by_answer: dict[str | None, list[_Asked]] = defaultdict(list)
    for one in asked:
        by_answer[one.answer].append(one)
    return [list(asked)] if None in by_answer else list(by_answer.values())


def _near(asked: Sequence[_Asked]) -> Iterator[tuple[int, int]]:
    """Pairs with like texts. A word more may be a "not", so it counts only where both answers are known."""
    yield from alike({one.index: (one.shape, one.words) for one in asked})
    telling = {one.index: one for one in asked if one.telling}
    yield from same_words({index: one.words for index, one in telling.items()})
    yield from one_word_more({index: one.words for index, one in telling.items() if one.answer is not None})


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
