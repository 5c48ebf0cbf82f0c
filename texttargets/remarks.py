"""What a reader should look at in a change before it is kept: signs, found by words alone, that no measurement shows.

A remark refuses nothing. Work left out and broken constraints are seen in English alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache

from ceopt_tui.core.reading_ports import Remarker
from schemas.keeping_records import ReadRemark
from texttargets.excerpt import excerpt
from texttargets.leak import Leak, find_leaks
from texttargets.leak_address import find_doubtful_address
from texttargets.leak_index import LeakIndex
from texttargets.leak_sources import LeakSources
from texttargets.leak_words import STOP_WORDS, split_words
from texttargets.near_quotes import near_quotes

_SENTENCE = re.compile(r"[^.!?;]+")
# "without" says how a thing is to be done far more often than what is to be left undone.
_LEAVES_OUT = re.compile(
    r"\b(?:skip|ignore|omit|drop|disregard|leave\ out|do\ not|don['’]t|never|no\ need\ to|stop)\b"
    r"(?P<object>.*)",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATION = re.compile(
    r"\b(?:never|no|not|don['’]t|doesn['’]t|cannot|can['’]t|without|avoid|forbidden|refuse)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“«`](.{2,80}?)[\"”»`]")
_TO_READERS = re.compile(
    r"\b(?:dear|note\ to|message\ to|attention)[\s,:]+(?:the\ )?(?:reviewer|approver|auditor|maintainer)s?\b"
    r"|\b(?:reviewer|approver|auditor)s?[,:]\s"
    r"|\b(?:this|the)\ (?:change|edit|diff|commit|patch)\ (?:is|was|has\ been)"
    r"\ (?:approved|reviewed|checked|harmless|safe)\b",
    re.IGNORECASE | re.VERBOSE,
)
# Words that only say how strict a constraint is, and articles.
_MODAL = frozenset(
    ("a", "an", "always", "must", "shall", "should", "need", "needs", "may", "never", "not", "no", "without", "avoid")
)
_FEWEST_WORDS = 2


@dataclass(frozen=True)
class Wanted:
    """What the change is read against. `allowed` are public phrases a person has cleared for the leak guard."""

    description: str
    constraints: Sequence[str] = ()
    sources: LeakSources = field(default_factory=LeakSources)
    allowed: Sequence[str] = ()


def make_remarker(wanted: Wanted) -> Remarker:
    """A remarker for one run; the cases are indexed at its first change, since most runs read few or none.

    With several files each message starts with its path.
    """
    index = cache(lambda: LeakIndex(wanted.sources))
    asked = _stems(wanted.description)

    def remarks(before: Mapping[str, str], after: Mapping[str, str]) -> list[ReadRemark]:
        found: list[ReadRemark] = []
        for path in sorted(path for path in after if after[path] != before.get(path, "")):
            one = [*_in_file(before.get(path, ""), after[path], wanted, index(), asked)]
            prefix = f"{path}: " if len(after) > 1 else ""
            found += [remark.model_copy(update={"message": prefix + remark.message}) for remark in one]
        return found

    return remarks


def _in_file(before: str, after: str, wanted: Wanted, index: LeakIndex, asked: frozenset[str]) -> Iterator[ReadRemark]:
    leaks = find_leaks(before, after, index, wanted.allowed)
    for leak in leaks:
        line = after.count("\n", 0, leak.start) + 1
        yield ReadRemark(code="leak", message=f"line {line} {leak.what}", line=line)
    for line, held_out, words in () if leaks else near_quotes(before, after, index, wanted.allowed):
        what = "a held-out item" if held_out else f"an item: {excerpt(words)}"
        yield ReadRemark(code="quotes", message=f"line {line} shares words with {what}", line=line)
    yield from () if leaks else _answers(before, after, index, wanted.allowed)
    yield from _of_scoring(before, after, leaks)
    for number, text in added_lines(before, after):
        for sentence in _SENTENCE.findall(text):
            if _TO_READERS.search(sentence):
                yield _remark("addresses", number, "speaks to or of whoever reads this change", sentence)
            if _drops(sentence, asked):
                yield _remark("drops_work", number, "may leave out what the description asks for", sentence)
            for constraint in wanted.constraints:
                if _breaks(constraint, sentence, before):
                    yield _remark("constraint", number, f"may break the constraint {excerpt(constraint)}", sentence)
    for constraint in wanted.constraints:
        if lost := _lost_phrase(constraint, before, after):
            message = f"the words {excerpt(lost)} are gone, which a constraint names: {excerpt(constraint)}"
            yield ReadRemark(code="constraint", message=message)


def _answers(before: str, after: str, index: LeakIndex, allowed: Sequence[str]) -> Iterator[ReadRemark]:
    known = [word.norm for text in (before, *allowed) for word in split_words(text)]
    if places := index.answers.listed(known, split_words(after)):
        line = after.count("\n", 0, places[0]) + 1
        message = f"line {line} and on: {len(places)} answers of cases were added, and most answers are one of a kind"
        yield ReadRemark(code="quotes", message=message, line=line)


def _of_scoring(before: str, after: str, leaks: Sequence[Leak]) -> Iterator[ReadRemark]:
    """Words that the leak guard does not refuse, since they may be about the work as well."""
    lines = {after.count("\n", 0, leak.start) + 1 for leak in leaks}
    for start, end in find_doubtful_address(before, after):
        line = after.count("\n", 0, start) + 1
        if line not in lines:
            lines.add(line)
            yield _remark("scoring", line, "may speak of how outputs are scored", after[start:end])


def _remark(code: str, line: int, what: str, sentence: str) -> ReadRemark:
    return ReadRemark(code=code, message=f"line {line} {what}: {excerpt(sentence.strip())}", line=line)


def added_lines(before: str, after: str) -> list[tuple[int, str]]:
    """(line number from 1, line) of every line of the new text that the old one had not at that place."""
    old, new = before.split("\n"), after.split("\n")
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(at + 1, new[at]) for tag, _, _, first, last in opcodes if tag != "equal" for at in range(first, last)]


def _drops(sentence: str, asked: frozenset[str]) -> bool:
    """Is what is told to be left out, by its first telling word, a thing the description asks for?"""
    found = _LEAVES_OUT.search(sentence)
    head = next((stem for stem in _in_order(found["object"])), None) if found else None
    return head is not None and head in asked


def _breaks(constraint: str, sentence: str, before: str) -> bool:
    """Does it say words the constraint forbids, or all that the constraint says with the opposite sign?"""
    forbids = _NEGATION.search(constraint) is not None
    if quoted := _QUOTED.findall(constraint):
        folded, known = sentence.casefold(), before.casefold()
        return forbids and any(said.casefold() in folded and said.casefold() not in known for said in quoted)
    said = list(_in_order(constraint))
    if len(said) < _FEWEST_WORDS or not set(said) <= _stems(sentence):
        return False
    first = next(word.start for word in split_words(sentence) if _stem(word.norm) in said)
    return forbids != (_NEGATION.search(sentence[:first]) is not None)


def _lost_phrase(constraint: str, before: str, after: str) -> str | None:
    """Quoted words that a constraint wants in the text, and that the change took out."""
    if _NEGATION.search(constraint):
        return None
    old, new = before.casefold(), after.casefold()
    return next(
        (said for said in _QUOTED.findall(constraint) if said.casefold() in old and said.casefold() not in new), None
    )


def _stems(text: str) -> frozenset[str]:
    return frozenset(_in_order(text))


def _in_order(text: str) -> Iterator[str]:
    """The telling words of a text, plural and third person aside."""
    for word in split_words(text):
        if word.norm not in STOP_WORDS and word.norm not in _MODAL:
            yield _stem(word.norm)


def _stem(norm: str) -> str:
    return norm[:-1] if len(norm) > 3 and norm.endswith("s") else norm
