"""How alike remarks are: shared words, rare ones counting more, and shared kinds of fault. No model, no order."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz.distance import JaroWinkler

from texttargets.leak_words import STOP_WORDS, is_unspaced, split_words
from texttargets.themes.faults import faults_in

FAULT_WEIGHT = 0.5  # of the same kind of fault, beside the likeness of words (0 to 1)
SAME_WORD = 0.88  # Jaro-Winkler from which two words are forms of one: apology, apologise
_SAME_START = 3


@dataclass(frozen=True)
class Remark:
    """What counts of one item's feedback; words are sorted, so that sums come out alike everywhere."""

    words: tuple[str, ...]
    faults: frozenset[str]


def remark_of(feedback: Sequence[str]) -> Remark:
    """All that was said about one item."""
    said = " ".join(feedback)
    words = {word.norm for word in split_words(said)} - STOP_WORDS
    return Remark(tuple(sorted(word for word in words if len(word) > 2 or is_unspaced(word))), faults_in(said))


def likeness(remarks: Sequence[Remark]) -> dict[tuple[int, int], float]:
    """Likeness (0 to 1.5) of every pair that has anything in common, by their places, the lower one first.

    Cosine of word weights by inverse document frequency, forms of a word counting as far as they are alike, plus the
    weighted cosine of the kinds of fault.
    """
    weights = _weights(remarks)
    forms = _forms(sorted(weights))
    lengths = [math.sqrt(sum(weights[word] ** 2 for word in remark.words)) for remark in remarks]
    found = {}
    for one, other in combinations(range(len(remarks)), 2):
        left, right = remarks[one], remarks[other]
        shared = max(_shared(left, right, weights, forms), _shared(right, left, weights, forms))
        words = shared / (lengths[one] * lengths[other]) if shared else 0.0
        value = words + FAULT_WEIGHT * _same_faults(left, right)
        if value > 0:
            found[one, other] = value
    return found


def _weights(remarks: Sequence[Remark]) -> dict[str, float]:
    counts = Counter(word for remark in remarks for word in remark.words)
    return {word: 1 + math.log((1 + len(remarks)) / (1 + count)) for word, count in counts.items()}


def _forms(words: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """For each word the words it is a form of, itself left out."""
    starts: dict[str, list[str]] = defaultdict(list)
    for word in words:
        starts[word[:_SAME_START]].append(word)
    forms: dict[str, dict[str, float]] = defaultdict(dict)
    for alike in starts.values():
        for one, other in combinations(alike, 2):
            value = JaroWinkler.normalized_similarity(one, other)
            if value >= SAME_WORD:
                forms[one][other] = forms[other][one] = value
    return forms


def _shared(
    left: Remark, right: Remark, weights: Mapping[str, float], forms: Mapping[str, Mapping[str, float]]
) -> float:
    there = set(right.words)
    total = 0.0
    for word in left.words:
        if word in there:
            total += weights[word] ** 2
        elif word in forms:
            near = [(value, form) for form, value in forms[word].items() if form in there]
            if near:
                value, form = max(near)
                total += value * weights[word] * weights[form]
    return total


def _same_faults(left: Remark, right: Remark) -> float:
    both = len(left.faults & right.faults)
    return both / math.sqrt(len(left.faults) * len(right.faults)) if both else 0.0
