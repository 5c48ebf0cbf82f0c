"""Words and short phrases that tell labels apart in the selection cases. Counts only, no model."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from schemas.evalset import Case
from texttargets.duplicates import input_text
from texttargets.leak_words import STOP_WORDS
from texttargets.strict_json import as_text

LEAST_CASES = 2
LEAST_LEAD = 0.2  # share of the label's cases minus share of the other labels' cases
_WORD = re.compile(r"[^\W\d_]{3,}(?:['’][^\W\d_]+)?")


def telling_words(cases: Sequence[Case], most: int = 6) -> dict[str, list[str]]:
    """For each label the words that stand in its cases and hardly in others, the most telling first."""
    return {
        label: sorted(leads, key=lambda word: (-leads[word], word))[:most] for label, leads in _leads(cases).items()
    }


def telling_phrases(cases: Sequence[Case], words: int = 4) -> dict[str, list[str]]:
    """For each label runs of at most `words` words from its cases that hold the most telling words, best first."""
    leads = _leads(cases)
    best: dict[str, dict[str, float]] = defaultdict(dict)
    for case in cases:
        label = as_text(case.expected)
        tokens = input_text(case).split()
        for at in range(max(1, len(tokens) - words + 1)):
            phrase = " ".join(tokens[at : at + words]).strip(".,;:!?\"'()")
            weight = sum(leads.get(label, {}).get(word.casefold(), 0.0) for word in _WORD.findall(phrase))
            if weight > 0:
                best[label][phrase] = max(weight, best[label].get(phrase, 0.0))
    return {label: sorted(found, key=lambda phrase: (-found[phrase], phrase)) for label, found in best.items()}


def _leads(cases: Sequence[Case]) -> Mapping[str, Mapping[str, float]]:
    sizes: Counter[str] = Counter()
    holders: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        label = as_text(case.expected)
        sizes[label] += 1
        holders[label].update({word.casefold() for word in _WORD.findall(input_text(case))} - STOP_WORDS)
    total = sum(sizes.values())
    leads: dict[str, dict[str, float]] = {label: {} for label in sizes}
    for label, words in holders.items():
        rest = max(1, total - sizes[label])
        for word, count in words.items():
            elsewhere = sum(other[word] for name, other in holders.items() if name != label)
            lead = count / sizes[label] - elsewhere / rest
            if count >= LEAST_CASES and lead >= LEAST_LEAD:
                leads[label][word] = lead
    return leads
