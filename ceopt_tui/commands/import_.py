"""`ceopt import FILE…`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import said
from ceopt_tui.evalset_edit import Draft
from ceopt_tui.evalset_out import standing, write_new
from ceopt_tui.evalset_text import Entry
from schemas.loading import LoadedEvalSet
from schemas.writing import evalset_yaml
from texttargets.importers.filters import Filters
from texttargets.importers.preview import preview_lines
from texttargets.importers.reading import ImportResult, Mention, read_failures
from texttargets.importers.updating import Prefer
from texttargets.importers.verdicts import Bar

_LISTED = 5  # records left out for one reason that are named one by one
REWRITTEN = "the file had to be written anew: comments and order of keys are not what they were"
CONFLICT = (
    "changed in the set and in its source; yours stays (--take-source takes the source's, --keep-mine settles it)"
)


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Eval set to write or bring up to date.")
@click.option("--preview", is_flag=True, help="Show what would be imported; write nothing.")
@click.option("--format", "format_name", help="Read the files as this format instead of finding out.")
@click.option("--encoding", help="For files that are not UTF-8, for example cp1252.")
@click.option("--all", "all_items", is_flag=True, help="Take passing items too, as guard cases.")
@click.option("--score", help="The score that says what failed, where records have several.")
@click.option("--below", type=float, help="What is below this number failed. Without it 1 is right, 0 to 1 is not.")
@click.option("--tag", "tags", multiple=True, help="Only records with this tag. Can be given several times.")
@click.option("--containing", help="Only records that contain this text, in any of their fields.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many cases; the rest is named as left out.")
@click.option("--skip-bad", is_flag=True, help="Leave out bad lines, naming each, instead of stopping.")
@click.option("--rename-duplicates", is_flag=True, help="Give items that share an id ids of their own.")
@click.option("--take-source", is_flag=True, help="Where you and the source both changed a field, take the source's.")
@click.option("--keep-mine", is_flag=True, help="There keep yours, and do not name it again.")
@click.option("--keep-secrets", is_flag=True, help="Store keys and tokens as they are. They will be in git.")
@click.option("--json", "as_json", is_flag=True, help="Print what happened as JSON.")
def command(
    files: tuple[Path, ...],
    out: Path | None,
    preview: bool,
    format_name: str | None,
    score: str | None,
    below: float | None,
    tags: tuple[str, ...],
    containing: str | None,
    limit: int | None,
    take_source: bool,
    keep_mine: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Turn recorded failures into an eval set; on stdout when no --out is given."""
    if take_source and keep_mine:
        raise click.UsageError("--take-source and --keep-mine exclude each other")
    prefer: Prefer = "source" if take_source else "mine" if keep_mine else "ask"
    loaded = standing(out) if out is not None else None
    result = read_failures(
        files,
        format=format_name,
        existing=loaded.evalset if loaded else None,
        prefer=prefer,
        bar=Bar(score, below),
        filters=Filters(tags, containing, limit),
        **options,
    )
    evalset = result.evalset(_name(files[0]), loaded.evalset if loaded else None)
    written = out if not preview else None
    kept_bytes = True
    if written is not None and loaded is not None:
        kept_bytes = _bring_up_to_date(loaded, result)
    elif written is not None:
        write_new(written, evalset)
    _say(result, loaded, written)
    if not kept_bytes:
        click.echo(f"note: {REWRITTEN}", err=True)
    if as_json:
        click.echo(json.dumps(result.to_json(str(written) if written else None), ensure_ascii=False))
    elif preview:
        click.echo("\n".join(preview_lines(result)))
    elif out is None:
        click.echo(evalset_yaml(evalset), nl=False)


def _name(file: Path) -> str:
    return file.stem or "failures"


def _bring_up_to_date(loaded: LoadedEvalSet, result: ImportResult) -> bool:
    """Writes what the import changed into the file; False when not all other bytes of it could stay."""
    fresh = {case.id: case for case in result.cases}
    known = tuple(Entry(fresh.pop(case.id, case), place) for place, case in enumerate(loaded.evalset.cases))
    draft = Draft(loaded, (*known, *map(Entry, fresh.values())))
    return draft.write()[1] if draft.changed else True


def _say(result: ImportResult, existing: LoadedEvalSet | None, out: Path | None) -> None:
    """Everything that was not simply taken over, on stderr."""
    for line in _grouped(result.skipped):
        click.echo(said(f"skipped {line}"), err=True)
    for merged in result.merged:
        click.echo(said(f"merged {merged.id!r}: {merged.reason}"), err=True)
    for line in _grouped(result.redacted):
        click.echo(f"redacted {line}; stored as [REDACTED]", err=True)
    if len(result.redacted) > 1:
        kinds = ", ".join(f"{count:,} × {kind}" for kind, count in result.redacted_kinds().items())
        click.echo(f"redacted in all: {kinds}", err=True)
    for note in result.notes:
        click.echo(said(f"note: {note}"), err=True)
    for one in result.updated:
        for field in one.conflicts:
            click.echo(said(f"conflict {one.case.id!r}: {field} {CONFLICT}"), err=True)
        if one.kept:
            click.echo(said(f"kept {one.case.id!r}: your {', '.join(one.kept)}"), err=True)
        if one.taken:
            click.echo(said(f"updated {one.case.id!r}: {', '.join(one.taken)}"), err=True)
    known = ""
    if existing:
        changed = sum(bool(one.taken) for one in result.updated)
        known = f" read: {len(result.cases) - len(result.updated)} new, {changed} brought up to date, "
        known += f"{len(result.updated) - changed} as before"
    click.echo(f"{counted(len(result.cases), 'case')}{known}" + (f" → {out}" if out else ""), err=True)


def _grouped(mentions: tuple[Mention, ...]) -> Iterator[str]:
    """Each record with what is said of it; many of one file of which the same is said on one line, with their count."""
    groups: dict[tuple[str, str], list[int]] = {}
    for mention in mentions:
        groups.setdefault((mention.file, mention.text), []).append(mention.line)
    for (file, reason), lines in groups.items():
        if len(lines) <= _LISTED:
            yield from (f"{file}:{line}: {reason}" for line in lines)
        else:
            first = ", ".join(map(str, lines[:_LISTED]))
            yield f"{file}: {len(lines):,} records (lines {first} and {len(lines) - _LISTED:,} more): {reason}"
