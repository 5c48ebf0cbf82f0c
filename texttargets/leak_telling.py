"""When a quotation says enough to be a leak: by the weight of its words, or by how many stand in a row."""

from collections.abc import Sequence

from texttargets.leak_sources import Part
from texttargets.leak_words import STOP_WORDS, is_unspaced

ENOUGH: dict[Part, float] = {"input": 5.0, "expected": 5.0, "went_wrong": 6.0, "rubric": 5.5, "check": 5.0}
_RUNNING_PARTS = frozenset({"input", "expected", "check"})
_RUNNING_WORDS, _RUNNING_TELLING, _RUNNING_WEIGHT = 6, 4, 3.0  # so many words in a row, and what they must say


def says_enough(fresh: Sequence[str], part: Part, weight: float) -> bool:
    """Whether the new words of a quotation, in order and of this weight together, are a leak wherever they stand."""
    return weight >= ENOUGH[part] or _runs_on(fresh, part, weight)


def _runs_on(fresh: Sequence[str], part: Part, weight: float) -> bool:
    """Many words of a case in a row, most of them no stop words: a quotation even where every word is a common one."""
    if part not in _RUNNING_PARTS or len(fresh) < _RUNNING_WORDS or weight < _RUNNING_WEIGHT:
        return False
    telling = sum(norm not in STOP_WORDS and not is_unspaced(norm) for norm in fresh)
    return telling >= max(_RUNNING_TELLING, len(fresh) / 2)
