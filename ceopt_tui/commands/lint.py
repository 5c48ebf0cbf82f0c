"""`ceopt lint TARGET CANDIDATE`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from ceopt_tui.core.ports import Refusal
from ceopt_tui.core.visible import said
from ceopt_tui.errors import InputError, Problem
from ceopt_tui.exits import ExitStatus
from ceopt_tui.guarding import LintTerms, lint_terms
from texttargets.excerpt import excerpt
from texttargets.lint import LintResult, lint, lint_json
from texttargets.sections import names_of_nothing
from texttargets.target_file import read_target


@click.command("lint")
@click.argument("target", type=click.Path(path_type=Path))
@click.argument("candidate", type=click.Path(path_type=Path))
@click.option("--spec", type=click.Path(path_type=Path), help="Take limits, syntax and eval set from this spec.")
@click.option("--evalset", type=click.Path(path_type=Path), help="Look for quotes of these cases.")
@click.option("--public", multiple=True, metavar="PHRASE", help="Words of cases that any text may use. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
def command(
    target: Path, candidate: Path, spec: Path | None, evalset: Path | None, public: tuple[str, ...], as_json: bool
) -> int:
    """Would CANDIDATE be refused as a rewrite of TARGET? Exit 0 accepted, 2 refused. Calls no model."""
    before, after = read_target(target).text, read_target(candidate).text
    terms, name = lint_terms(spec, evalset), target.name
    if spec is not None and not {target.resolve(), candidate.resolve()} & {path.resolve() for path in terms.files}:
        _refuse_unprotected(target, before, terms)
        named = ", ".join(path.name for path in terms.files) or "no text"
        click.echo(f"note: {spec} is about {named}; its limits were held against {target} all the same", err=True)
    limits = replace(terms.limits, allowed_phrases=(*terms.limits.allowed_phrases, *public))
    result = lint({name: before}, {name: after}, sources=terms.sources, syntax=terms.syntax, limits=limits)
    click.echo(json.dumps(lint_json(result), ensure_ascii=False) if as_json else said(_words(result)))
    return ExitStatus.FINISHED if result.accepted else ExitStatus.REFUSED


def _refuse_unprotected(target: Path, text: str, terms: LintTerms) -> None:
    """What the spec protects has to be in the text; in one that it does not name it may not be."""
    if missing := names_of_nothing((text,), terms.limits.protect):
        named = ", ".join(excerpt(name) for name, _closest in missing)
        problem = Problem(str(target), 0, "", f"the spec protects {named}, which this text does not hold")
        raise InputError([problem], "Name the text that the spec is about, or leave out --spec.")


def _words(result: LintResult) -> str:
    if result.accepted:
        return "accepted"
    return "\n".join(f"refused: {item.code}: {item.message}{_place(item)}" for item in result.refusals)


def _place(item: Refusal) -> str:
    """The line, unless the message says it already."""
    return "" if item.line is None or f"line {item.line}" in item.message else f" (line {item.line})"
