"""Runs of words that a change shares with a case, too plain for the leak guard to refuse and still worth a look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from texttargets.leak_index import LeakIndex
from texttargets.leak_words import STOP_WORDS, is_unspaced, split_words

RUN_WORDS = 6
TELLING_WORDS = 2  # of these, words that are no stop words


def near_quotes(before: str, after: str, index: LeakIndex, allowed: Sequence[str]) -> Iterator[tuple[int, bool, str]]:
    """(line from 1, is the case held out, the words) of the first such run of every case."""
    words = split_words(after)
    norms = [word.norm for word in words]
    known = {*_runs(before), *(run for phrase in allowed for run in _runs(phrase))}
    fresh = {run: at for at in range(len(norms) - RUN_WORDS, -1, -1) if (run := _run(norms, at)) not in known}
    seen: set[str] = set()
    for source in index.sources:
        item = source.phrase.item
        if source.phrase.part not in {"input", "expected"} or item in seen:
            continue
        shared = (run for at in range(len(source.norms) - RUN_WORDS + 1) if (run := _run(source.norms, at)) in fresh)
        for run in filter(_telling, shared):
            seen.add(item)
            first, last = words[fresh[run]], words[fresh[run] + RUN_WORDS - 1]
            yield after.count("\n", 0, first.start) + 1, item in index.held_out, after[first.start : last.end]
            break


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    norms = [word.norm for word in split_words(text)]
    return (_run(norms, at) for at in range(len(norms) - RUN_WORDS + 1))


def _run(norms: Sequence[str], at: int) -> tuple[str, ...]:
    return tuple(norms[at : at + RUN_WORDS])


def _telling(run: Sequence[str]) -> bool:
    return sum(norm not in STOP_WORDS and not is_unspaced(norm) for norm in run) >= TELLING_WORDS
