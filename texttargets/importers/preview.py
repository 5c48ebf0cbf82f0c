"""What an import would take, as lines to read. Decides nothing and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import fitted
from schemas.evalset import Case, as_words
from texttargets.importers.merging import Place
from texttargets.importers.reading import ImportResult

SHOWN = 10  # cases
_WIDTH = 96  # columns


def preview_lines(result: ImportResult) -> Iterator[str]:
    """The format, the counts by kind, and the first cases with their four fields, one line each."""
    failures = sum(case.kind == "failure" for case in result.cases)
    guards = len(result.cases) - failures
    left = counted(len(result.skipped), "record")
    yield f"format {result.format}: {counted(failures, 'failure')}, {counted(guards, 'guard')}, {left} left out"
    for case in result.cases[:SHOWN]:
        yield ""
        yield from _case_lines(case, result.places.get(case.id, ()))
    if len(result.cases) > SHOWN:
        yield ""
        yield f"… and {counted(len(result.cases) - SHOWN, 'case')} more"


def _case_lines(case: Case, places: Sequence[Place]) -> Iterator[str]:
    yield fitted(f"{case.id}  ({', '.join([case.kind, *case.tags])})", _WIDTH).rstrip()
    fields = (
        ("input", as_words(case.input)),
        ("expected", None if case.expected is None else as_words(case.expected)),
        ("observed", case.observed),
        ("went wrong", case.went_wrong),
        ("check", case.check.type if case.check else None),
        ("from", ", ".join(f"{file} line {line}" for file, line in places) or None),
    )
    for name, text in fields:
        if text is not None:
            yield f"  {name:<11}{fitted(text, _WIDTH - 13).rstrip()}"
