"""`ceopt init TARGET`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from ceopt_tui.commands.amounts import Amount
from ceopt_tui.core.visible import said
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.new_run import Draft, write_files
from judges.rubric import read_rubric_text
from texttargets.init_metric import MEASURES, Measure, Wishes

_DEFAULTS = Wishes()
_MEASURES_HELP = "What better means: " + "; ".join(f"{name}, {what}" for name, what in MEASURES.items())
_TIERS = ("cheap", "strong")


@click.command("init")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--failures", type=click.Path(path_type=Path), help="Recorded failures, or an eval set, to start from.")
@click.option("--measure", type=click.Choice(list(MEASURES)), help=f"{_MEASURES_HELP}. Found out when not given.")
@click.option("--rubric", type=click.Path(path_type=Path), help="What the judge goes by; a draft is written without.")
@click.option("--model", "models", multiple=True, metavar="TIER=MODEL", help="For example cheap=openai/gpt-5-mini.")
@click.option("--experiments", type=click.IntRange(min=1), default=_DEFAULTS.experiments, show_default=True)
@click.option("--hours", type=Amount(), default=_DEFAULTS.hours, show_default=True, help="Hours of work, at most.")
@click.option("--max-usd", type=Amount(), help="Cap on the cost of all models. 5, unless only calls are capped.")
@click.option("--max-calls", type=click.IntRange(min=1), help="Cap on the calls of all models.")
def command(
    target: Path,
    failures: Path | None,
    measure: Measure | None,
    rubric: Path | None,
    models: tuple[str, ...],
    experiments: int,
    hours: float,
    max_usd: float | None,
    max_calls: int | None,
) -> None:
    """Write a spec and an eval set for TARGET; nothing that is there is overwritten."""
    root = Repository.find(target.absolute().parent).root
    usd = _DEFAULTS.usd if max_usd is None and max_calls is None else max_usd
    text = read_rubric_text(rubric) if rubric else ""
    measure = "judge" if rubric and measure is None else measure
    if rubric and measure != "judge":
        raise click.UsageError(f"--rubric goes with --measure judge, not {measure}")
    wishes = Wishes(measure, text, _by_tier(models), experiments, hours, usd, max_calls)
    draft = Draft(root, target.absolute(), failures, wishes)
    new = draft.files()
    write_files(new)
    for path in new.files:
        click.echo(f"written: {_from_here(path)}")
    for mention in new.imported.skipped if new.imported else ():
        click.echo(f"skipped {mention}", err=True)
    for note in new.notes:
        click.echo(said(note), err=True)
    spec, evalset = (shlex.quote(_from_here(path)) for path in (new.spec, new.evalset))
    click.echo(f"Next: read both, then `ceopt evalset check {evalset}` and `ceopt run {spec}`.", err=True)


def _by_tier(given: tuple[str, ...]) -> dict[str, str]:
    models = {}
    for text in given:
        tier, equals, model = text.partition("=")
        if tier not in _TIERS or not (equals and model):
            raise click.BadParameter(f"{text!r} is not cheap=PROVIDER/MODEL or strong=PROVIDER/MODEL")
        models[tier] = model
    return models


def _from_here(path: Path) -> str:
    """The path as it is written where the user stands."""
    return os.path.relpath(path, Path.cwd())
