"""What a candidate must not quote: the words of cases, rubric and checks, with what may be quoted taken out."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from schemas.checks import AllOf, Check, Contains, JsonSchema, NoneOf, Regex
from schemas.evalset import Case
from texttargets.leak_words import split_words
from texttargets.strict_json import as_text

Part = Literal["input", "expected", "went_wrong", "rubric", "check"]

LABEL_WORDS = 3
_MOST_LABELS = 20
_CLOSED, _OPEN = 0.25, 0.5  # of the short answers, how many may be and must be one of a kind
_FEWEST_TO_SAY = 6
_OPEN_REPEATS = 2  # among answers that are one of a kind two may be alike by chance
_PATTERN_SIGN = re.compile(r"\\[dwsSDWbB]|\[[^\]]+\]|[+*?]|\{\d|\(\?|\.\*")


@dataclass(frozen=True)
class Phrase:
    """One quotable text; `item` is the case's id, empty for the rubric and the check of the whole set."""

    item: str
    part: Part
    text: str


@dataclass(frozen=True)
class LeakSources:
    """All the leak guard knows. Held-out ids are never named in a message, since messages go to the proposer."""

    cases: Sequence[Case] = ()
    rubric: str = ""
    checks: Sequence[Check] = ()  # of the whole set
    held_out: Collection[str] = field(default_factory=frozenset)

    def phrases(self) -> Iterator[Phrase]:
        """Every text that could be quoted, labels included."""
        for case in self.cases:
            parts: tuple[tuple[Part, Any], ...] = (
                ("input", case.input),
                ("expected", case.expected),
                ("went_wrong", case.went_wrong),
            )
            for part, value in parts:
                yield from (Phrase(case.id, part, text) for text in _texts(value))
            if isinstance(case.expected, dict | list):
                yield Phrase(case.id, "expected", as_text(case.expected))
            yield from (Phrase(case.id, "check", text) for text in _check_words(case.check))
        for check in self.checks:
            yield from (Phrase("", "check", text) for text in _check_words(check))
        yield from (Phrase("", "rubric", line) for line in self.rubric.splitlines() if line.strip())

    def patterns(self) -> dict[str, str]:
        """Regular expressions of checks, with the item they belong to; plain alternatives are labels, not patterns."""
        found = {pattern: "" for check in self.checks for pattern in _patterns(check)}
        for case in self.cases:
            found.update((pattern, case.id) for pattern in _patterns(case.check) if pattern not in found)
        return {pattern: item for pattern, item in found.items() if _PATTERN_SIGN.search(pattern.strip("^$"))}

    def labels(self) -> frozenset[str]:
        """Expected values that name a class or a format rather than answer one item; any text may use them."""
        counts, short = self._values()
        often = _OPEN_REPEATS if self.is_open() else 1
        shared = {value for value, count in counts.items() if count > often}
        few = len(short) <= max(_MOST_LABELS, len(self.cases) // 4)
        closed = few and _newness(short) <= _CLOSED
        shapes = {shape for value, shape in self._shapes() if value in shared}
        alike = {value for value, shape in self._shapes() if closed and value in short and shape in shapes}
        return frozenset((shared | alike) - {""})

    def is_open(self) -> bool:
        """Whether most short answers are one of a kind, so that they answer items and name no classes."""
        _, short = self._values()
        return short.total() >= _FEWEST_TO_SAY and _newness(short) > _OPEN

    def _shapes(self) -> Iterator[tuple[str, tuple[bool, bool]]]:
        """Each expected value as words, with how it is written: with a capital, as several words."""
        for case in self.cases:
            for value in _texts(case.expected):
                words = [word.norm for word in split_words(value)]
                yield " ".join(words), (value[:1].isupper(), len(words) > 1)

    def _values(self) -> tuple[Counter[str], Counter[str]]:
        """How often each expected value occurs as words; the second of short ones that their input does not hold."""
        counts: Counter[str] = Counter()
        short: Counter[str] = Counter()
        for case in self.cases:
            given = " ".join(word.norm for text in _texts(case.input) for word in split_words(text))
            for value in set(_texts(case.expected)):
                words = [word.norm for word in split_words(value)]
                joined = " ".join(words)
                counts[joined] += 1
                plain = not any(character.isdigit() for character in joined)
                if len(words) <= LABEL_WORDS and plain and f" {joined} " not in f" {given} ":
                    short[joined] += 1
        return counts, short


def _newness(values: Counter[str]) -> float:
    """The chance that the next value is one not seen so far, by Good and Turing: the share of those seen once."""
    return sum(count == 1 for count in values.values()) / values.total() if values else 0.0


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _check_words(check: Check | None) -> Iterable[str]:
    if isinstance(check, Contains | NoneOf):
        return check.values
    return [text for inner in check.checks for text in _check_words(inner)] if isinstance(check, AllOf) else ()


def _patterns(check: Check | None) -> Iterable[str]:
    if isinstance(check, Regex):
        return (check.pattern,)
    if isinstance(check, JsonSchema):
        return _schema_patterns(check.schema_)
    return [text for inner in check.checks for text in _patterns(inner)] if isinstance(check, AllOf) else ()


def _schema_patterns(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [pattern for inner in schema for pattern in _schema_patterns(inner)]
    if not isinstance(schema, dict):
        return []
    own = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
    return own + [pattern for inner in schema.values() for pattern in _schema_patterns(inner)]
