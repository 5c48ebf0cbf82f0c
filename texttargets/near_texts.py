"""Which of many texts are nearly the same. Holds two against each other only where they share a rare word.

Knows texts, not cases. The time grows with the number of texts times how many share their rare words, not with pairs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from rapidfuzz import fuzz, process

SIMILARITY = 95.0  # percent, as rapidfuzz counts
LONGEST_BAG = 60  # words of a text that is looked at for one word more; in longer ones that is less than 5 %
_SHORT = 200  # characters; longer texts are compared word by word, which costs a hundredth
_REACH = (200 - SIMILARITY) / SIMILARITY  # a text more than so many times longer cannot be alike
# Scripts without blanks between words: each two neighbours count as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_RUN = re.compile(rf"[{_UNSPACED}]{{2,}}")

Words = tuple[str, ...]
Pair = tuple[int, int]


def words_of(text: str) -> Words:
    """The words of a text, sorted."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found += [word[at : at + 2] for at in range(len(word) - 1)] if _RUN.fullmatch(word) else [word]
    return tuple(sorted(found))


def alike(texts: Mapping[int, tuple[str, Words]]) -> Iterator[Pair]:
    """Pairs that agree to 95 %, by characters in short texts, by words in long ones."""
    short = [(text, words, index) for index, (text, words) in texts.items() if len(text) <= _SHORT * 1.2]
    yield from _alike(short, most_changed=lambda count: 2 + count * 3 // 20)
    long = [(text, words, index) for index, (text, words) in texts.items() if len(text) > _SHORT]
    codes = _Codes()
    yield from _alike([(_coded(text, codes), words, index) for text, words, index in long],
                      most_changed=lambda count: 1 + count // 10)  # fmt: skip


def same_words(bags: Mapping[int, Words]) -> Iterator[Pair]:
    """Pairs that hold the same words, each as often, in whatever order."""
    first: dict[Words, int] = {}
    for index, words in bags.items():
        if first.setdefault(words, index) != index:
            yield first[words], index


def one_word_more(bags: Mapping[int, Words]) -> Iterator[Pair]:
    """Pairs of which one holds the words of the other and a single word besides."""
    known: dict[Words, int] = {}
    for index, words in bags.items():
        known.setdefault(words, index)
    for words, index in known.items():
        if len(words) <= LONGEST_BAG:
            for at in range(len(words)):
                without = known.get(words[:at] + words[at + 1 :])
                if without is not None:
                    yield without, index


def _alike(entries: Sequence[tuple[str, Words, int]], most_changed: Callable[[int], int]) -> Iterator[Pair]:
    """Where at most so many words of either text are not in the other, both hold one of their rarest words."""
    counts = Counter(word for _, words, _ in entries for word in set(words))
    by_length = sorted(entries, key=lambda entry: (len(entry[0]), entry[2]))
    texts = [text for text, _, _ in by_length]
    lengths = list(map(len, texts))
    holders: dict[str, list[int]] = defaultdict(list)
    for place, (text, words, index) in enumerate(by_length):
        distinct = sorted(set(words), key=lambda word: (counts[word], word))
        shortest = bisect_left(lengths, len(text) / _REACH)
        reached: set[int] = set()
        for word in distinct[: most_changed(len(distinct)) + 1]:
            held = holders[word]
            reached.update(held[bisect_left(held, shortest) :])
            held.append(place)
        others = sorted(reached)
        near = process.extract_iter(
            text, [texts[other] for other in others], scorer=fuzz.ratio, score_cutoff=SIMILARITY
        )
        for _, _, after in near:
            yield by_length[others[after]][2], index


class _Codes(dict[str, str]):
    """A character for every word it was asked for."""

    def __missing__(self, word: str) -> str:
        self[word] = code = chr(0x10000 + len(self) % 0x100000)
        return code


def _coded(text: str, codes: _Codes) -> str:
    """The text with one character per distinct word; one that is not spaced out into words stays as it is."""
    words = text.split()
    return "".join(map(codes.__getitem__, words)) if len(text) <= 20 * len(words) else text
