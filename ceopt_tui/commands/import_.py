"""`ceopt import FILE…`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import said
from ceopt_tui.journal.atomic import write_atomic
from schemas.evalset import EvalSet
from schemas.loading import load_evalset
from schemas.writing import evalset_yaml
from texttargets.importers.reading import ImportResult, read_failures


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Eval set to write or bring up to date.")
@click.option("--format", "format_name", help="Read the files as this format instead of finding out.")
@click.option("--encoding", help="For files that are not UTF-8, for example cp1252.")
@click.option("--all", "all_items", is_flag=True, help="Take passing items too, as guard cases.")
@click.option("--skip-bad", is_flag=True, help="Leave out bad lines, naming each, instead of stopping.")
@click.option("--rename-duplicates", is_flag=True, help="Give items that share an id ids of their own.")
@click.option("--keep-secrets", is_flag=True, help="Store keys and tokens as they are. They will be in git.")
@click.option("--json", "as_json", is_flag=True, help="Print what happened as JSON.")
def command(
    files: tuple[Path, ...],
    out: Path | None,
    format_name: str | None,
    encoding: str | None,
    all_items: bool,
    skip_bad: bool,
    rename_duplicates: bool,
    keep_secrets: bool,
    as_json: bool,
) -> None:
    """Turn recorded failures into an eval set; on stdout when no --out is given."""
    existing = load_evalset(out).evalset if out is not None and out.exists() else None
    result = read_failures(
        files,
        format=format_name,
        encoding=encoding,
        all_items=all_items,
        skip_bad=skip_bad,
        rename_duplicates=rename_duplicates,
        keep_secrets=keep_secrets,
        existing=existing,
    )
    text = evalset_yaml(result.evalset(_name(files[0]), existing))
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(out, text.encode("utf-8"))
    _say(result, existing, out)
    if as_json:
        click.echo(json.dumps(result.to_json(str(out) if out else None), ensure_ascii=False))
    elif out is None:
        click.echo(text, nl=False)


def _name(file: Path) -> str:
    return file.stem or "failures"


def _say(result: ImportResult, existing: EvalSet | None, out: Path | None) -> None:
    """Everything that was not simply taken over, on stderr."""
    for mention in result.skipped:
        click.echo(said(f"skipped {mention}"), err=True)
    for merged in result.merged:
        click.echo(said(f"merged {merged.id!r}: {merged.reason}"), err=True)
    for mention in result.redacted:
        click.echo(f"redacted {mention}; stored as [REDACTED]", err=True)
    for note in result.notes:
        click.echo(said(f"note: {note}"), err=True)
    known = f", {len(existing.cases)} were there before" if existing else ""
    click.echo(f"{counted(len(result.cases), 'case')}{known}" + (f" → {out}" if out else ""), err=True)
