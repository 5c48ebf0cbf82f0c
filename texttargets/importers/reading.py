"""Reads recorded failures from files and gives the cases of an eval set, with an account of everything it did not take.

Writes nothing. One bad line stops the import, unless bad lines are skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ceopt_tui.core.figures import counted
from ceopt_tui.errors import InputError, Problem
from schemas.evalset import Case, EvalSet
from texttargets.importers.blotting import blotted, sayable
from texttargets.importers.detect import detect, format_named
from texttargets.importers.filters import Filters
from texttargets.importers.merging import Merged, Place, settle
from texttargets.importers.names_offered import Offered
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.rows import Imported, import_row
from texttargets.importers.updating import Prefer, Updated
from texttargets.importers.verdicts import Bar
from texttargets.secrets import Known

_MOST_ALIKE = 20  # bad lines with one reason that are named one by one


@dataclass(frozen=True)
class Mention:
    """One thing said about one place in a file; `cause` is what of it many places share."""

    file: str
    line: int
    text: str
    cause: str = ""
    filtered: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class ImportResult:
    """`cases` are new or brought up to date; `redacted` names kinds of secrets, never their values.

    `updated` are those of `cases` that were in the set before, with what was taken from their records and what not.
    """

    cases: tuple[Case, ...]
    skipped: tuple[Mention, ...]
    merged: tuple[Merged, ...]
    redacted: tuple[Mention, ...]
    notes: tuple[str, ...]
    format: str
    updated: tuple[Updated, ...] = ()
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)  # the records each case came from, by its id

    def evalset(self, name: str, existing: EvalSet | None = None) -> EvalSet:
        """The eval set to write: the existing one brought up to date, new cases at its end."""
        fresh = {case.id: case for case in self.cases}
        before = existing.cases if existing else ()
        kept = [fresh.pop(case.id, case) for case in before]
        if not self.cases and (not before or any(mention.filtered for mention in self.skipped)):
            raise InputError([Problem("", 0, "cases", f"nothing to import: {self.why_left_out()}")])
        return EvalSet(name=existing.name if existing else name, check=existing.check if existing else None,
                       cases=(*kept, *fresh.values()))  # fmt: skip

    def why_left_out(self) -> str:
        """Every reason with the number of records it left out, the commonest first."""
        causes = Counter(mention.cause for mention in self.skipped).most_common()
        return "; ".join(f"{count:,} × {cause}" for cause, count in causes) or "no record in what was read is a case"

    def redacted_kinds(self) -> dict[str, int]:
        """How many secrets of each kind were taken out, the commonest kind first."""
        return dict(Counter(mention.text for mention in self.redacted).most_common())

    def to_json(self, out: str | None) -> dict[str, Any]:
        """What `ceopt import --json` prints. `file` is there when several files were read."""
        several = len({*(case.source for case in self.cases), *(mention.file for mention in self.skipped)}) > 1

        def place(mention: Mention, key: str) -> dict[str, Any]:
            entry = {"line": mention.line, key: mention.text}
            return {"file": mention.file, **entry} if several else entry

        return {
            "imported": len(self.cases),
            "skipped": [place(mention, "reason") for mention in self.skipped],
            "merged": [
                {"id": one.id, "lines": [line for _, line in one.places], "reason": one.reason} for one in self.merged
            ],
            "redacted": [place(mention, "kind") for mention in self.redacted],
            "redacted_kinds": self.redacted_kinds(),
            "new": len(self.cases) - len(self.updated),
            "updated": [{"id": one.case.id, "fields": list(one.taken)} for one in self.updated if one.taken],
            "kept": [{"id": one.case.id, "fields": list(one.kept)} for one in self.updated if one.kept],
            "conflicts": [{"id": one.case.id, "fields": list(one.conflicts)} for one in self.updated if one.conflicts],
            "out": out,
        }


def read_failures(
    paths: Sequence[Path],
    *,
    format: str | None = None,
    encoding: str | None = None,
    all_items: bool = False,
    skip_bad: bool = False,
    rename_duplicates: bool = False,
    keep_secrets: bool = False,
    existing: EvalSet | None = None,
    prefer: Prefer = "ask",
    bar: Bar | None = None,
    filters: Filters | None = None,
) -> ImportResult:
    """All failures of the files (with `all_items` also what passed, as guards), as far as the filters want them.

    Raises InputError with every bad line, unreadable file and ambiguous id at once.
    """
    bar, filters = bar or Bar(), filters or Filters()
    offered = Offered(bar, filters.tags)
    options = _Options(format, encoding, all_items, skip_bad, keep_secrets, bar, filters, offered)
    files, problems, hint = [], [], ""
    for path in paths:
        try:
            files.append(_read(path, options))
        except InputError as error:
            problems += error.problems
            hint = hint or error.hint
    if problems:
        raise InputError(problems, hint)
    asked = offered.notes()
    taken = blotted((item for file in files for item in file.taken), options.known)
    settled = settle(taken, existing.cases if existing else (), rename=rename_duplicates, prefer=prefer)
    return ImportResult(
        cases=tuple(settled.cases.values()),
        skipped=tuple(mention for file in files for mention in file.skipped),
        merged=tuple(settled.merged),
        redacted=tuple(Mention(item.file, item.line, kind) for item in taken for kind in item.secrets),
        notes=(*asked, *map(options.said, _notes(taken))),
        format=", ".join(dict.fromkeys(file.format for file in files)),
        updated=tuple(settled.updated),
        places=settled.places,
    )


@dataclass(frozen=True)
class _Options:
    format: str | None
    encoding: str | None
    all_items: bool
    skip_bad: bool
    keep_secrets: bool
    bar: Bar
    filters: Filters
    offered: Offered
    known: Known = field(default_factory=dict)

    def said(self, text: str) -> str:
        """What is told of a record; it may quote it."""
        return text if self.keep_secrets else sayable(text)


@dataclass(frozen=True)
class _File:
    taken: list[Imported]
    skipped: list[Mention]
    format: str


def _read(path: Path, options: _Options) -> _File:
    source = Source(path, _bytes(path), options.encoding)
    chosen = format_named(options.format) if options.format else detect(source)
    items = [_import(item, path.name, options) for item in chosen.read(source)]
    if not items:
        raise source.fault("there are no records in it")
    bad = [item for item in items if isinstance(item, BadRow)]
    if bad and not options.skip_bad:
        hint = source.fault(bad[0].reason).hint or "Mend these lines, or leave them out with --skip-bad."
        raise InputError([replace(one, message=options.said(one.message)) for one in _problems(path.name, bad)], hint)
    return _File(
        taken=[item for item in items if isinstance(item, Imported)],
        skipped=[_mention(path.name, item, options) for item in items if isinstance(item, BadRow | LeftOut)],
        format=chosen.name,
    )


def _mention(file: str, item: BadRow | LeftOut, options: _Options) -> Mention:
    if isinstance(item, BadRow):
        return Mention(file, item.line, options.said(item.reason), "could not be read")
    return Mention(file, item.line, options.said(item.reason), options.said(item.kind_of_reason), item.filtered)


def _problems(file: str, bad: Sequence[BadRow]) -> list[Problem]:
    """One for each bad line; of very many with one reason the first are named and the rest is counted."""
    problems, lines = [], Counter[str]()
    for item in bad:
        lines[item.reason] += 1
        if lines[item.reason] <= _MOST_ALIKE:
            problems.append(Problem(file, item.line, "", item.reason))
    more = ((reason, count - _MOST_ALIKE) for reason, count in lines.items() if count > _MOST_ALIKE)
    return problems + [Problem(file, 0, "", f"and {counted(count, 'line')} more: {reason}") for reason, count in more]


def _import(item: Item, file: str, options: _Options) -> Imported | BadRow | LeftOut:
    if not isinstance(item, Row):
        return item
    if options.offered.asked:
        options.offered.look(item.values)
    taken = import_row(
        item,
        file,
        all_items=options.all_items,
        keep_secrets=options.keep_secrets,
        bar=options.bar,
        known=options.known,
    )
    return options.filters.apply(taken) if isinstance(taken, Imported) else taken


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError([Problem(str(path), 0, "", f"cannot be read: {error.strerror}")]) from None


def _notes(taken: Sequence[Imported]) -> tuple[str, ...]:
    """Each note once, with the lines it is about; many lines are counted instead of listed."""
    lines: dict[tuple[str, str], list[int]] = {}
    for item in taken:
        for note in (*item.notes, *(() if item.named else ("no id; made one from the content",))):
            lines.setdefault((item.file, note), []).append(item.line)
    said = []
    for (file, note), found in lines.items():
        places = list(dict.fromkeys(found))
        where = ", ".join(map(str, places[:5])) + (f" and {len(places) - 5} more" if len(places) > 5 else "")
        said.append(f"{file}: line{'s' if len(places) > 1 else ''} {where}: {note}")
    return tuple(said)
