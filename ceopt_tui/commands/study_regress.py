"""`ceopt study regress`: is a text worse than another, in any family of models?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ceopt_tui.core.figures import rounded
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.exits import ExitStatus
from ceopt_tui.study.places import DEFAULT_OUTPUT
from ceopt_tui.study.regressing import Measured, regression


@click.command("regress")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--baseline", required=True, help="The text it is held against.")
@click.option("--candidate", required=True, help="The text that may be worse.")
@click.option("--output", default=DEFAULT_OUTPUT, show_default=True, help="The results that hold the baseline.")
@click.option("--candidate-output", help="The results that hold the candidate, where they are others.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def regress(
    study: Path, baseline: str, candidate: str, output: str, candidate_output: str | None, as_json: bool
) -> int:
    """Hold a measured text of STUDY against another: improved, regressed or inconclusive, by family.

    Ends with status 5 where a family regressed. What was not measured alike is refused.
    """
    found = regression(study, Measured(baseline, output), Measured(candidate, candidate_output or output))
    if as_json:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        for family in found["families"]:
            levels = f"{_level(family['baseline'])} -> {_level(family['candidate'])}"
            click.echo(said(f"{one_line(family['family']):<16} {family['change']:<13} {levels}"))
        click.echo(f"{candidate} against {baseline}: {found['change']}")
    return ExitStatus.REGRESSED if found["change"] == "regressed" else ExitStatus.FINISHED


def _level(figure: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "fewer than two cases"
    tags = "".join(f"[{tag}]" for tag in figure["tags"])
    return f"{rounded(figure['value'], 2)} ({rounded(figure['low'], 2)} to {rounded(figure['high'], 2)}) {tags}"
