"""A stand-in for a strong model: it does what the rules of a text say, all of them, and nothing else.

It reads lines of the form "- `sign`: answer" and gives the answer of each sign that stands in the input. It knows no
case and no answer, so that what it finds is in the text under test. It sends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ceopt_tui.core.ports import RunResult
from schemas.evalset import Case, as_words

VERSION = 1
NOTHING_SEEN = "none"

_RULE = re.compile(r"^\s*[-*] `([^`\n]+)`: *(\S[^\n]*?)\s*$", re.MULTILINE)


class Rule(NamedTuple):
    """What a text says about one sign."""

    sign: str
    answer: str


class MockRunner:
    """Heeds every rule."""

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        """The answers of all signs that are there, one a line."""
        asked = as_words(case.input)
        heeded = [rule.answer for rule in rules_of(texts) if rule.sign in asked and self.heeds(rule, asked, sample)]
        return RunResult("\n".join(dict.fromkeys(heeded)) or NOTHING_SEEN)

    def heeds(self, rule: Rule, asked: str, sample: int) -> bool:
        """Is this rule followed, this time?"""
        return True


def rules_of(texts: Mapping[str, str]) -> Iterator[Rule]:
    """The rules of all texts, in their order."""
    for name in sorted(texts):
        yield from (Rule(*found) for found in _RULE.findall(texts[name]))
