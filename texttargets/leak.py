"""The leak guard: added text that quotes what measures it, or that speaks to whoever scores it.

Exact runs of words only: a paraphrase is no leak, and neither is a label or a phrase a person has cleared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt, on_one_line
from texttargets.leak_address import find_address
from texttargets.leak_index import SEED_WORDS, LeakIndex, Source
from texttargets.leak_telling import ENOUGH, says_enough
from texttargets.leak_words import Word, split_words

_WHOLE_WORDS = {"input": 3, "expected": 4, "check": 3}
_WHOLE_WEIGHT = {"input": 1.5, "expected": 3.0, "check": 2.0}
_ANYWHERE_WORDS = {"input": 6, "expected": 6, "check": 4}
_ANYWHERE_WEIGHT = {"input": 4.0}  # fewer words that say so much are an input wherever they stand
_PIECE = 2.5  # what a piece of a quotation in pieces, all in one line, must weigh
_BEFORE_QUOTE = "\"'“”‘’«»`:>|([→=\n-*•"
_AFTER_QUOTE = "\"'“”‘’«»`|)]→=\n.!?;,-"
_ADDRESS = "speaks to or about whoever scores the output"
_HELD_OUT = ("copies a held-out item", "names a held-out item")  # messages reach the proposer: no more than that
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Leak:
    """One leak: what it copies, its words, and its span in the candidate."""

    what: str
    words: str
    start: int
    end: int
    weight: float


def find_leaks(before: str, after: str, index: LeakIndex, allowed: Iterable[str] = ()) -> list[Leak]:
    """All leaks of what `after` adds to `before`, in order of place, one per source."""
    texts = _Texts(before, after, [word.norm for word in split_words(before)], split_words(after))
    found = [*_quotations(texts, index, allowed), *_patterns(before, after, index), *_ids(before, after, index)]
    found += [*_disguised(before, after, index, allowed), *_learnt(texts, index, allowed)]
    cleared = [folded for phrase in allowed if (folded := _folded(phrase))]
    found = [leak for leak in found if _folded(leak.words) not in cleared]
    for start, end in find_address(before, after, index.domain):
        words = _folded(after[start:end])
        if not any(phrase in words or words in phrase for phrase in cleared):
            found.append(Leak(_ADDRESS, after[start:end], start, end, 0.0))
    best: dict[str, Leak] = {}
    for leak in found:
        if leak.what not in best or leak.weight > best[leak.what].weight:
            best[leak.what] = leak
    return sorted(best.values(), key=lambda leak: leak.start)


def _folded(phrase: str) -> str:
    return " ".join(phrase.casefold().split())


def check_leaks(before: str, after: str, index: LeakIndex, allowed: Iterable[str] = ()) -> list[Refusal]:
    """Code leak, with source, words, line and span (characters of the candidate, from 0)."""
    leaks = find_leaks(before, after, index, allowed)
    refusals = []
    for leak in leaks[:_MOST_SHOWN]:
        line = after.count("\n", 0, leak.start) + 1
        place = f"line {line}, characters {leak.start}-{leak.end}"
        words = "" if leak.what in _HELD_OUT else f" {excerpt(leak.words, 160)}"
        refusals.append(Refusal("leak", f"{leak.what}{words} ({place})", line))
    if len(leaks) > _MOST_SHOWN:
        refusals.append(Refusal("leak", f"and {len(leaks) - _MOST_SHOWN} more"))
    return refusals


@dataclass(frozen=True)
class _Run:
    """Words first..last of the candidate that equal the words of a source from `place` on."""

    first: int
    last: int
    source: Source
    place: int


@dataclass(frozen=True)
class _Texts:
    """A text before and after, and the words of each."""

    before: str
    after: str
    old_norms: list[str]
    words: list[Word]


def _quotations(texts: _Texts, index: LeakIndex, allowed: Iterable[str]) -> Iterator[Leak]:
    after, words = texts.after, texts.words
    norms = [word.norm for word in words]
    old_text = f" {' '.join(texts.old_norms)} "
    old = _covered(norms, _grams(texts.old_norms)) | _cleared(norms, allowed)
    small: dict[tuple[Source, int], dict[int, Leak]] = defaultdict(dict)
    for run in _runs(norms, old, index):
        quoted = " ".join(norms[run.first : run.last])
        if f" {quoted} " in old_text or quoted in index.labels:
            continue
        span = words[run.first : run.last]
        weights = run.source.weights[run.place :]
        weight = sum(value for at, value in zip(range(run.first, run.last), weights, strict=False) if at not in old)
        start, end = span[0].start, span[-1].end
        leak = Leak(_what(run.source, index), after[start:end], start, end, weight)
        fresh = [norm for at, norm in enumerate(norms[run.first : run.last], run.first) if at not in old]
        if says_enough(fresh, run.source.phrase.part, weight) or _is_whole(after, span, run.source, weight):
            yield leak
        elif weight >= _PIECE:
            small[run.source, after.count("\n", 0, start)][start] = leak
    for (source, _), pieces in small.items():
        yield from _in_pieces(after, source, list(pieces.values()))


def _in_pieces(after: str, source: Source, pieces: list[Leak]) -> Iterator[Leak]:
    """A quotation whose parts were moved about within one line."""
    if len(pieces) > 1 and sum(piece.weight for piece in pieces) >= ENOUGH[source.phrase.part] + _PIECE / 2:
        start, end = min(piece.start for piece in pieces), max(piece.end for piece in pieces)
        yield Leak(pieces[0].what, after[start:end], start, end, _PIECE)


def _runs(norms: list[str], old: set[int], index: LeakIndex) -> Iterator[_Run]:
    """All longest runs through a seed that is new in the candidate, each once."""
    reached: dict[tuple[int, int], int] = {}
    for at in range(len(norms)):
        if at in old:
            continue
        for length in (SEED_WORDS, 1):
            for number, place in index.places(tuple(norms[at : at + length])):
                if reached.get((number, at - place), -1) > at:
                    continue
                source = index.sources[number]
                first, last = _extend(norms, at, source.norms, place)
                reached[number, at - place] = last
                yield _Run(first, last, source, place - (at - first))


def _is_whole(after: str, run: list[Word], source: Source, weight: float) -> bool:
    """A short text quoted from end to end; where its words are common it must also stand by itself."""
    part = source.phrase.part
    if len(run) != len(source.norms) or len(run) < _WHOLE_WORDS.get(part, len(run) + 1) or weight < _WHOLE_WEIGHT[part]:
        return False
    if len(run) >= _ANYWHERE_WORDS[part] or weight >= _ANYWHERE_WEIGHT.get(part, weight + 1):
        return True
    lead = after[: run[0].start].rstrip(" \t")[-1:]
    follow = after[run[-1].end :].lstrip(" \t")[:1]
    return (not lead or lead in _BEFORE_QUOTE + ".!?") and (not follow or follow in _AFTER_QUOTE)


def _what(source: Source, index: LeakIndex) -> str:
    phrase = source.phrase
    return "copies the rubric" if phrase.part == "rubric" else _copies(phrase.item, index, check=phrase.part == "check")


def _copies(item: str, index: LeakIndex, *, check: bool = False) -> str:
    if item in index.held_out:
        return _HELD_OUT[0]
    owner = f"item {_shown_id(item)}" if item else "the eval set"
    return f"copies the check of {owner}" if check else f"copies {owner}"


def _shown_id(identifier: str) -> str:
    return on_one_line(identifier[:60])


def _extend(norms: list[str], at: int, source: tuple[str, ...], place: int) -> tuple[int, int]:
    """The longest run of equal words through two places, as positions in the candidate."""
    first = at
    while first and place - (at - first) and norms[first - 1] == source[place - (at - first) - 1]:
        first -= 1
    last = at
    while last < len(norms) and place + last - at < len(source) and norms[last] == source[place + last - at]:
        last += 1
    return first, last


def _grams(norms: list[str]) -> set[tuple[str, ...]]:
    return {tuple(norms[at : at + SEED_WORDS]) for at in range(len(norms) - SEED_WORDS + 1)}


def _covered(norms: list[str], grams: set[tuple[str, ...]]) -> set[int]:
    """Positions of words that stood before in the same company, wherever they stand now."""
    covered: set[int] = set()
    for at in range(len(norms) - SEED_WORDS + 1):
        if tuple(norms[at : at + SEED_WORDS]) in grams:
            covered.update(range(at, at + SEED_WORDS))
    return covered


def _cleared(norms: list[str], allowed: Iterable[str]) -> set[int]:
    cleared: set[int] = set()
    for phrase in allowed:
        wanted = [word.norm for word in split_words(phrase)]
        for at in range(len(norms) - len(wanted) + 1) if wanted else ():
            if norms[at : at + len(wanted)] == wanted:
                cleared.update(range(at, at + len(wanted)))
    return cleared


def _disguised(before: str, after: str, index: LeakIndex, allowed: Iterable[str]) -> Iterator[Leak]:
    for quote in index.letters.find(before, after, allowed):
        start, end = quote.start, quote.end
        yield Leak(_what(index.sources[quote.number], index), after[start:end], start, end, quote.weight)


def _learnt(texts: _Texts, index: LeakIndex, allowed: Iterable[str]) -> Iterator[Leak]:
    known = [*texts.old_norms, *(word.norm for phrase in allowed for word in split_words(phrase))]
    for found in index.answers.find(known, texts.after, texts.words):
        words = texts.after[found.start : found.end]
        yield Leak(_copies(found.answer.item, index), words, found.start, found.end, found.weight)


def _patterns(before: str, after: str, index: LeakIndex) -> Iterator[Leak]:
    for pattern, item in index.patterns.items():
        bare = pattern.strip("^$")
        at = after.find(bare) if len(bare) >= SEED_WORDS and bare not in before else -1
        if at >= 0:
            yield Leak(_copies(item, index, check=True), after[at : at + len(bare)], at, at + len(bare), 0.0)


def _ids(before: str, after: str, index: LeakIndex) -> Iterator[Leak]:
    for identifier in index.identifiers:
        at = after.find(identifier) if identifier not in before else -1
        if at >= 0:
            what = _HELD_OUT[1] if identifier in index.held_out else f"names item {_shown_id(identifier)}"
            yield Leak(what, identifier, at, at + len(identifier), 0.0)
