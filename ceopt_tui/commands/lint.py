"""`ceopt lint TARGET CANDIDATE`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ceopt_tui.core.ports import Refusal
from ceopt_tui.core.visible import said
from ceopt_tui.exits import ExitStatus
from schemas.loading import load_evalset, load_spec
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits
from texttargets.lint import LintResult, lint, lint_json
from texttargets.target_file import read_target


@click.command("lint")
@click.argument("target", type=click.Path(path_type=Path))
@click.argument("candidate", type=click.Path(path_type=Path))
@click.option("--spec", type=click.Path(path_type=Path), help="Take limits, syntax and eval set from this spec.")
@click.option("--evalset", type=click.Path(path_type=Path), help="Look for quotes of these cases.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
def command(target: Path, candidate: Path, spec: Path | None, evalset: Path | None, as_json: bool) -> int:
    """Would CANDIDATE be refused as a rewrite of TARGET? Exit 0 accepted, 2 refused. Calls no model."""
    before, after = read_target(target).text, read_target(candidate).text
    sources, syntax, limits = _terms(spec, evalset)
    name = target.name
    result = lint({name: before}, {name: after}, sources=sources, syntax=syntax, limits=limits)
    click.echo(json.dumps(lint_json(result), ensure_ascii=False) if as_json else said(_words(result)))
    return ExitStatus.FINISHED if result.accepted else ExitStatus.REFUSED


def _terms(spec: Path | None, evalset: Path | None) -> tuple[LeakSources, str | None, Limits | None]:
    evalsets = [evalset] if evalset else []
    syntax: str | None = None
    limits = None
    if spec is not None:
        loaded = load_spec(spec).spec
        if loaded.evalset is not None and not evalsets:
            evalsets = [spec.parent / name for name in loaded.evalset.paths]
        if loaded.target is not None:
            syntax = loaded.target.syntax
            limits = Limits(loaded.target.max_tokens, loaded.target.max_growth, protect=loaded.target.protect)
    sets = [load_evalset(path).evalset for path in evalsets]
    cases = [case for one in sets for case in one.cases]
    checks = [one.check for one in sets if one.check is not None]
    return LeakSources(cases=cases, checks=checks), syntax, limits


def _words(result: LintResult) -> str:
    if result.accepted:
        return "accepted"
    return "\n".join(f"refused: {item.code}: {item.message}{_place(item)}" for item in result.refusals)


def _place(item: Refusal) -> str:
    """The line, unless the message says it already."""
    return "" if item.line is None or f"line {item.line}" in item.message else f" (line {item.line})"
