"""Refusals about protected sections and rules: changed, or left as they are and taken out of force around them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt
from texttargets.protection_words import cancels, empties, lifts_neighbours
from texttargets.sections import Section, headings_of, sections_named


def check_protected(before: str, after: str, protect: Collection[str]) -> list[Refusal]:
    """Code out_of_scope: a protected section or rule holds other or more words, or another text lifts it.

    Lines are of `before` where something there is gone, else of `after`.
    """
    if not protect:
        return []
    was, now = sections_named(before, protect), sections_named(after, protect)
    refusals = []
    for wanted in protect:
        changed = list(_changed(was[wanted], now[wanted]))
        refusals += changed or list(_doubled(was[wanted], now[wanted]))
    if refusals:
        return refusals
    pieces = [section for wanted in protect for section in was[wanted]]
    there = [section for wanted in protect for section in now[wanted]]
    return [*_under_other_headings(pieces, there, after), *_lifted(pieces, before, after)]


def _changed(was: Sequence[Section], now: Sequence[Section]) -> Iterator[Refusal]:
    left = Counter(section.text for section in now)
    for section in was:
        left[section.text] -= 1
        if left[section.text] < 0:
            what = "added to" if any(other.text.startswith(section.text) for other in now) else "changed"
            message = f"{excerpt(section.title)} is protected and was {what} (line {section.line} before)"
            yield _refusal(message, section.line)


def _doubled(was: Sequence[Section], now: Sequence[Section]) -> Iterator[Refusal]:
    """A second section of a protected name says what the first one does not."""
    known = {section.text for section in was}
    for section in now:
        if was and section.text not in known:
            message = f"{excerpt(section.title)} is protected and was given a second text (line {section.line})"
            yield _refusal(message, section.line)


def _under_other_headings(was: Sequence[Section], now: Sequence[Section], after: str) -> Iterator[Refusal]:
    """The headings above a protected piece keep their words; it may move below others that say nothing against it."""
    headings = set(headings_of(after))
    places: defaultdict[str, list[Section]] = defaultdict(list)
    for section in now:
        places[section.text].append(section)
    told: set[str] = set()
    for section, other in ((section, places[section.text].pop(0)) for section in was if places[section.text]):
        gone = next((title for title in section.headings if title not in headings), None)
        against = next((title for title in other.headings if title not in section.headings and empties(title)), None)
        if gone is not None and gone not in told:
            told.add(gone)
            message = f"{excerpt(section.title)} is protected and its heading {excerpt(gone)} was changed"
            yield _refusal(f"{message} (line {section.line} before)", section.line)
        elif against is not None:
            message = f"{excerpt(section.title)} is protected and was put under {excerpt(against)} (line {other.line})"
            yield _refusal(message, other.line)


def _lifted(pieces: Sequence[Section], before: str, after: str) -> Iterator[Refusal]:
    """New lines that say that something protected, or what it stands in, does not count."""
    names = {name for section in pieces for name in (section.title, *section.headings) if name}
    known = {line.strip() for line in before.split("\n")}
    for number, line in enumerate(after.split("\n"), start=1):
        if line.strip() in known:
            continue
        name = next((name for name in sorted(names) if cancels(line, name)), None)
        if name is not None:
            yield _refusal(f"line {number} lifts {excerpt(name)}, which is protected: {excerpt(line.strip())}", number)
        elif names and lifts_neighbours(line):
            yield _refusal(f"line {number} lifts rules that are protected: {excerpt(line.strip())}", number)


def _refusal(message: str, line: int) -> Refusal:
    return Refusal("out_of_scope", message, line)
