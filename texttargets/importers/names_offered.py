"""The scores and tags that the files hold, so that a name nobody gave is refused instead of choosing nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ceopt_tui.errors import InputError, Problem
from schemas.problems import closest
from texttargets.importers import fields
from texttargets.importers.fields import fold
from texttargets.importers.verdicts import Bar, named_scores, reading

_SHOWN = 20  # names


@dataclass
class Offered:
    """Names as they are written first, by how they are compared."""

    bar: Bar
    wanted_tags: tuple[str, ...]
    scores: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> bool:
        """Whether anything was asked for by its name."""
        return self.bar.score is not None or bool(self.wanted_tags)

    def look(self, row: Mapping[str, Any]) -> None:
        """Notes the names of one record, failure or not."""
        values, unused = fields.sort_fields(row)
        verdicts = (name for name in row if row[name] is not None and fold(name) in fields.NAMES["verdict"])
        readable = (name for name in unused if reading(row[name], self.bar) is not None)
        for name in (*(score.name for score in named_scores(values.get("scores"))), *verdicts, *readable):
            self.scores.setdefault(fold(name), name)
        for tag in fields.tags(values.get("tags") or []):
            self.tags.setdefault(fold(tag), tag)

    def notes(self) -> tuple[str, ...]:
        """Tags that no record has, where others of those asked for are there. Raises InputError where none is."""
        problems = []
        if self.bar.score is not None and fold(self.bar.score) not in self.scores:
            problems.append(Problem("", 0, "--score", _unknown("score", self.bar.score, self.scores.values())))
        missing = [tag for tag in self.wanted_tags if fold(tag) not in self.tags]
        told = [_unknown("tag", tag, self.tags.values()) for tag in missing]
        if missing and len(missing) == len(self.wanted_tags):
            problems += [Problem("", 0, "--tag", message) for message in told]
        if problems:
            raise InputError(problems)
        return tuple(told)


def scores_in(row: Mapping[str, Any], scores: Any, bar: Bar) -> tuple[Any, str | None]:
    """The scores of a record; the one asked for may be a field of the record itself, as in a table, which is named."""
    wanted = None if bar.score is None else fold(bar.score)
    if wanted is None or any(fold(score.name) == wanted for score in named_scores(scores)):
        return scores, None
    own = next((name for name in row if row[name] is not None and fold(name) == wanted), None)
    return (scores, None) if own is None else ({own: row[own]}, own)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if not names:
        return f"no record has the {what} {name!r}; there are no {what}s at all in what was read"
    near = closest(name, names)
    hint = f" (did you mean {near!r}?)" if near else ""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"no record has the {what} {name!r}{hint}; there are {', '.join(names[:_SHOWN])}{more}"
