"""What a rule between keys is: a function of the spec that yields every place where it does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from schemas.spec import Spec


class Broken(NamedTuple):
    """A rule that does not hold, at the key where a person would mend it."""

    path: tuple[str | int, ...]
    message: str


Rule = Callable[[Spec], Iterator[Broken]]


def unique(what: str, words: Sequence[str], path: tuple[str | int, ...]) -> Iterator[Broken]:
    """Yields every word of a list that stands in it before."""
    for number, word in enumerate(words):
        if word in words[:number]:
            yield Broken((*path, number), f"the {what} `{word}` stands twice")
