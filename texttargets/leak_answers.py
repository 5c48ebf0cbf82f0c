"""Answers learnt by heart: short expected values that are one of a kind, beside their question or in a list.

A label is repeated among the cases; an answer that is one of a kind wins its own case and none that comes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from texttargets.leak_words import Word

_WINDOW = 12  # words around an answer within its line that may be its question
_PAIR = 4.0  # what answer and question must weigh together
_TELLING = 2.0  # of one word: a name, a number, a code
_LIST, _LISTED = 5.0, 2  # what answers of so many cases must weigh together
_LONG_NUMBER = 4  # digits that nobody writes by chance
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FEWEST_REMARKED = 3
_CENTURIES = ("18", "19", "20")


@dataclass(frozen=True)
class Answer:
    """One case's answer and the words of its question, each with its weight. A `part` is the last word of a name."""

    item: str
    norms: tuple[str, ...]
    weight: float
    question: Mapping[str, float]
    part: bool = False


@dataclass(frozen=True)
class LearntAnswer:
    """An answer that is new in the text, and its place."""

    answer: Answer
    start: int
    end: int
    weight: float


class AnswerIndex:
    """Answers of one set by their first word. `open_set` says that most answers are one of a kind."""

    def __init__(self, answers: Sequence[Answer], held_out: frozenset[str], *, open_set: bool) -> None:
        self._held_out = held_out
        self._open_set = open_set
        self._by_first: defaultdict[str, list[Answer]] = defaultdict(list)
        for answer in answers:
            self._by_first[answer.norms[0]].append(answer)

    def find(self, before: Sequence[str], text: str, words: Sequence[Word]) -> Iterator[LearntAnswer]:
        """Answers that `before` (words) had not and that stand with their question, in a list, or are held out."""
        fresh = list(self._fresh(before, words))
        paired = {at: pair for at, answer in fresh if (pair := self._paired(text, words, at, answer)) is not None}
        telling = [(at, answer) for at, answer in fresh if _tells(answer) and not answer.part]
        together = sum({answer.norms: answer.weight for _, answer in telling}.values())
        listed = together >= _LIST and len({answer.item for _, answer in telling}) >= _LISTED
        for at, answer in fresh:
            start, end = words[at].start, words[at + len(answer.norms) - 1].end
            if at in paired:
                yield LearntAnswer(answer, *paired[at], _PAIR)
            elif (at, answer) in telling and (listed or self._is_held_out_number(answer)):
                yield LearntAnswer(answer, start, end, answer.weight)

    def listed(self, before: Sequence[str], words: Sequence[Word]) -> list[int]:
        """Where answers of several cases of an open set were added, whatever they weigh."""
        places = {answer.norms: words[at].start for at, answer in self._fresh(before, words) if not answer.part}
        return sorted(places.values()) if self._open_set and len(places) >= _FEWEST_REMARKED else []

    def _fresh(self, before: Sequence[str], words: Sequence[Word]) -> Iterator[tuple[int, Answer]]:
        known = f" {' '.join(before)} "
        norms = [word.norm for word in words]
        for at, norm in enumerate(norms):
            for answer in self._by_first.get(norm, ()):
                here = tuple(norms[at : at + len(answer.norms)]) == answer.norms
                if here and f" {' '.join(answer.norms)} " not in known:
                    yield at, answer

    def _paired(self, text: str, words: Sequence[Word], at: int, answer: Answer) -> tuple[int, int] | None:
        """The span of an answer and its question, where both stand close together in one line."""
        own = range(at, at + len(answer.norms))
        line_start = text.rfind("\n", 0, words[at].start)
        line_end = text.find("\n", words[own[-1]].end)
        near = [
            number
            for number in range(max(0, at - _WINDOW), min(len(words), own[-1] + 1 + _WINDOW))
            if words[number].start > line_start and (line_end < 0 or words[number].end <= line_end)
        ]
        asked = [number for number in near if number not in own and answer.question.get(words[number].norm, 0.0) >= 1.0]
        weights = {words[number].norm: answer.question[words[number].norm] for number in asked}
        weight = max(answer.weight, _TELLING) if self._open_set else answer.weight
        span = words[min((*asked, at))].start, words[max((*asked, own[-1]))].end
        if max(weights.values(), default=0.0) >= _TELLING and weight >= _TELLING:
            return span if weight + sum(weights.values()) >= _PAIR else None
        return self._sum(text[words[near[0]].start : words[near[-1]].end], answer, span)

    def _sum(self, nearby: str, answer: Answer, span: tuple[int, int]) -> tuple[int, int] | None:
        """A sum or the like: all numbers of the question and the number that answers it."""
        asked = {number for norm in answer.question for number in _NUMBER.findall(norm)}
        number = "".join(answer.norms)
        if len(asked) < 2 or len(number) < 2 or not _NUMBER.fullmatch(number) or number in asked:
            return None
        return span if {*asked, number} <= set(_NUMBER.findall(nearby)) else None

    def _is_held_out_number(self, answer: Answer) -> bool:
        return answer.item in self._held_out and sum(map(str.isdigit, "".join(answer.norms))) >= _LONG_NUMBER


def _tells(answer: Answer) -> bool:
    """A name, a code or a number that is neither a year nor a round one."""
    number = "".join(answer.norms)
    year = number.isdigit() and len(number) == 4 and number.startswith(_CENTURIES)
    return answer.weight >= _TELLING and not year and not number.endswith("00")
