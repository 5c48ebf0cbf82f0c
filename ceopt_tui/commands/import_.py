"""`ceopt import FILE…`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import said
from ceopt_tui.journal.atomic import write_atomic
from schemas.evalset import EvalSet
from schemas.loading import load_evalset
from schemas.writing import evalset_yaml
from texttargets.importers.filters import Filters
from texttargets.importers.preview import preview_lines
from texttargets.importers.reading import ImportResult, Mention, read_failures
from texttargets.importers.verdicts import Bar

_LISTED = 5  # records left out for one reason that are named one by one


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
    as_json: bool,
    **options: Any,
) -> None:
    """Turn recorded failures into an eval set; on stdout when no --out is given."""
    existing = load_evalset(out).evalset if out is not None and out.exists() else None
    result = read_failures(
        files,
        format=format_name,
        existing=existing,
        bar=Bar(score, below),
        filters=Filters(tags, containing, limit),
        **options,
    )
    text = evalset_yaml(result.evalset(_name(files[0]), existing))
    if out is not None and not preview:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(out, text.encode("utf-8"))
    written = out if not preview else None
    _say(result, existing, written)
    if as_json:
        click.echo(json.dumps(result.to_json(str(written) if written else None), ensure_ascii=False))
    elif preview:
        click.echo("\n".join(preview_lines(result)))
    elif out is None:
        click.echo(text, nl=False)


def _name(file: Path) -> str:
    return file.stem or "failures"


def _say(result: ImportResult, existing: EvalSet | None, out: Path | None) -> None:
    """Everything that was not simply taken over, on stderr."""
    for line in _left_out(result.skipped):
        click.echo(said(f"skipped {line}"), err=True)
    for merged in result.merged:
        click.echo(said(f"merged {merged.id!r}: {merged.reason}"), err=True)
    for mention in result.redacted:
        click.echo(f"redacted {mention}; stored as [REDACTED]", err=True)
    for note in result.notes:
        click.echo(said(f"note: {note}"), err=True)
    known = f", {len(existing.cases)} were there before" if existing else ""
    click.echo(f"{counted(len(result.cases), 'case')}{known}" + (f" → {out}" if out else ""), err=True)


def _left_out(skipped: tuple[Mention, ...]) -> Iterator[str]:
    """Each record with its reason; many with one reason in one file on one line, with their count."""
    groups: dict[tuple[str, str], list[int]] = {}
    for mention in skipped:
        groups.setdefault((mention.file, mention.text), []).append(mention.line)
    for (file, reason), lines in groups.items():
        if len(lines) <= _LISTED:
            yield from (f"{file}:{line}: {reason}" for line in lines)
        else:
            first = ", ".join(map(str, lines[:_LISTED]))
            yield f"{file}: {len(lines):,} records (lines {first} and {len(lines) - _LISTED:,} more): {reason}"
