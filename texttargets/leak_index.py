"""The words of all leak sources, weighed by how much a quotation of them tells, and where runs of them start."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from texttargets.language import guess_language
from texttargets.leak_answers import Answer, AnswerIndex
from texttargets.leak_disguise import LettersIndex
from texttargets.leak_sources import LABEL_WORDS, LeakSources, Phrase
from texttargets.leak_words import STOP_WORDS, Word, is_unspaced, split_words

SEED_WORDS = 3
_TOO_COMMON = 50  # places of one seed; a longer run has rarer seeds too
_STOP, _SIGN, _COMMON, _CONTENT, _NUMBER, _NAME, _CODE = 0.25, 0.5, 0.5, 1.0, 2.0, 2.5, 5.0
_SHARED_CASES = 3
_SAMPLE = 400
_CODE_DIGITS = 5  # a year or a price has fewer
_MADE_UP = "01234567890123456789"


@dataclass(frozen=True)
class Source:
    """A phrase as words, each with the weight its quotation has."""

    phrase: Phrase
    norms: tuple[str, ...]
    weights: tuple[float, ...]


class LeakIndex:
    """Built once per run; looking a candidate up costs about its length."""

    def __init__(self, sources: LeakSources) -> None:
        self.labels = sources.labels()
        self.patterns = sources.patterns()
        self.held_out = frozenset(sources.held_out)
        self.identifiers = {case.id for case in sources.cases if _is_code(case.id)}
        phrases = [(phrase, split_words(phrase.text)) for phrase in sources.phrases()]
        self.domain = frozenset(
            word.norm for phrase, words in phrases if phrase.part in ("input", "expected") for word in words
        )
        phrases = [(phrase, words) for phrase, words in phrases if _joined(words) not in self.labels]
        weigh = _Weights(phrases, self.labels, len(sources.cases))
        self.sources: list[Source] = []
        self.seeds: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for phrase, words in phrases:
            self._add(Source(phrase, tuple(word.norm for word in words), tuple(weigh.all(words))))
        self.answers = AnswerIndex(list(self._answers()), self.held_out, open_set=sources.is_open())
        self.letters = LettersIndex(
            [source.norms for source in self.sources],
            [source.weights for source in self.sources],
            [source.phrase.part for source in self.sources],
        )

    def _answers(self) -> Iterator[Answer]:
        """Short expected values that are no labels, with the words of their cases' inputs."""
        questions: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for source in self.sources:
            if source.phrase.part == "input":
                questions[source.phrase.item] |= dict(zip(source.norms, source.weights, strict=True))
        for source in self.sources:
            phrase = source.phrase
            if phrase.part == "expected" and 0 < len(source.norms) <= LABEL_WORDS:
                question = questions[phrase.item]
                yield Answer(phrase.item, source.norms, sum(source.weights), question)
                if len(source.norms) > 1 and source.weights[-1] >= _NAME:
                    yield Answer(phrase.item, source.norms[-1:], source.weights[-1], question, part=True)

    def places(self, seed: tuple[str, ...]) -> list[tuple[int, int]]:
        """Source number and word number of every place of a seed, none when it is everywhere."""
        places = self.seeds.get(seed, [])
        return places if len(places) <= _TOO_COMMON else []

    def _add(self, source: Source) -> None:
        number = len(self.sources)
        self.sources.append(source)
        for at in range(len(source.norms) - SEED_WORDS + 1):
            self.seeds[source.norms[at : at + SEED_WORDS]].append((number, at))
        for at, weight in enumerate(source.weights):
            if weight >= _NUMBER:
                self.seeds[source.norms[at : at + 1]].append((number, at))


class _Weights:
    def __init__(self, phrases: list[tuple[Phrase, list[Word]]], labels: Iterable[str], cases: int) -> None:
        self._label_words = {word for label in labels for word in label.split()}
        holders: dict[str, set[str]] = defaultdict(set)
        lower: set[str] = set()
        for phrase, words in phrases:
            for word in words:
                holders[word.norm].add(phrase.item)
                if word.lower:
                    lower.add(word.norm)
        self._cases_with = {norm: len(items) for norm, items in holders.items()}
        self._often = max(_SHARED_CASES, cases * 3 // 10)
        self._lower = lower
        sample = " ".join(phrase.text for phrase, _ in phrases[:_SAMPLE])
        self._capitals_mean_names = guess_language(sample) != "German"  # where every noun has one

    def all(self, words: list[Word]) -> list[float]:
        return [self._weight(words, at) for at in range(len(words))]

    def _weight(self, words: list[Word], at: int) -> float:
        norm = words[at].norm
        cases_with = self._cases_with.get(norm, 1)
        if norm in self._label_words:
            return 0.0
        if is_unspaced(norm):
            return _SIGN
        if norm in STOP_WORDS:
            return _STOP
        if cases_with >= self._often:
            return _COMMON
        if cases_with >= _SHARED_CASES:
            return _CONTENT
        return _rare_weight(norm) or (_NAME if self._is_name(words, at) else _CONTENT)

    def _is_name(self, words: list[Word], at: int) -> bool:
        word = words[at]
        if not word.capital or word.norm in self._lower:
            return False
        if not self._capitals_mean_names:
            return any(_side_by_side(*pair) for pair in pairwise(words[max(0, at - 1) : at + 2]))
        return not word.opens_sentence or (at + 1 < len(words) and words[at + 1].capital)


def _side_by_side(word: Word, following: Word) -> bool:
    """Whether two words with a capital each stand next to one another, as a first name and a last name do."""
    return word.capital and following.capital and following.start == word.end + 1


def _rare_weight(norm: str) -> float:
    digits = sum(map(str.isdigit, norm))
    if not digits:
        return 0.0
    if _is_code(norm):
        return _CODE
    return _NUMBER if digits >= _SHARED_CASES else _CONTENT


def _is_code(text: str) -> bool:
    """An order number, a key, an id: long, with digits, and no date, time or amount, nor what people make up."""
    digits = sum(map(str.isdigit, text))
    letters = sum(map(str.isalpha, text))
    if digits == len(text):
        return digits >= _CODE_DIGITS and not text.endswith("000") and text not in _MADE_UP
    return len(text) >= 6 and digits >= 2 and letters >= 1


def _joined(words: list[Word]) -> str:
    return " ".join(word.norm for word in words)
