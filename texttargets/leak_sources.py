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

_LABEL_WORDS = 3
_MOST_LABELS = 20
_DISTINCT = 0.75  # of the short answers: where more are one of a kind, they answer items and name no classes
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
        """Short expected values that name a class or a format rather than answer one item; any text may use them."""
        counts: Counter[str] = Counter()
        short: Counter[str] = Counter()
        for case in self.cases:
            given = " ".join(word.norm for text in _texts(case.input) for word in split_words(text))
            for value in set(_texts(case.expected)):
                words = [word.norm for word in split_words(value)]
                joined = " ".join(words)
                counts[joined] += 1
                plain = not any(character.isdigit() for character in joined)
                if len(words) <= _LABEL_WORDS and plain and f" {joined} " not in f" {given} ":
                    short[joined] += 1
        shared = {value for value, count in counts.items() if count > 1}
        few = len(short) <= max(_MOST_LABELS, len(self.cases) // 4)
        closed = set(short) if few and len(short) <= _DISTINCT * short.total() else set()
        return frozenset((shared | closed) - {""})


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
