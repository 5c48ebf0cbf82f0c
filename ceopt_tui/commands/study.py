"""`ceopt study …`: options in, words and JSON out. What a study is and means is decided in core/study/ and study/."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import click

from ceopt_tui.commands.study_queue import enqueue, queue, run_next
from ceopt_tui.commands.study_regress import regress
from ceopt_tui.commands.study_release import release
from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import said
from ceopt_tui.errors import InputError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.study.freezing import freeze as write_freeze
from ceopt_tui.study.measuring import measure
from ceopt_tui.study.places import DEFAULT_OUTPUT
from ceopt_tui.study.planning import Only, plan_study, require_budget, sound_study
from ceopt_tui.study.report_markdown import markdown
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import Surroundings, recorded_report, run_study
from ceopt_tui.study.work import require_sound_work
from ceopt_tui.system_clock import SystemClock

NOT_YET = {
    "improve": "writing the next variant",
}


class StudyCommands(click.Group):
    """The commands of studies; those that other versions have are refused by what they would do."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in NOT_YET:
            known = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"{NOT_YET[args[0]]} is not part of this version. It has: {known}.", ctx)
        return super().resolve_command(ctx, args)


@click.group("study", cls=StudyCommands)
def command() -> None:
    """Answer a question about texts that was registered before it was measured, on several models.

    STUDY is a folder with a study.yaml in it, or that file.
    """


_STUDY = click.argument("study", type=click.Path(path_type=Path))


@command.command("check")
@_STUDY
def check(study: Path) -> int:
    """Check a study and every file it names: each problem with file, line and key."""
    try:
        loaded = sound_study(study)
        asyncio.run(require_sound_work(loaded))
    except InputError as error:
        for problem in error.problems:
            click.echo(said(str(problem)))
        return ExitStatus.REFUSED
    texts, targets = len(loaded.study.texts), len(loaded.study.bound_targets)
    cells = texts * targets * len(loaded.cases) * loaded.study.k
    click.echo(
        f"{study}: no problems. {counted(texts, 'text')}, {counted(targets, 'target')}, "
        f"{counted(len(loaded.cases), 'case')}, {counted(loaded.study.k, 'repeat')}: {counted(cells, 'cell')}"
    )
    return ExitStatus.FINISHED


@command.command("freeze")
@_STUDY
def freeze(study: Path) -> int:
    """Write freeze.json: the hash of every input. Commit it with the study before the first call."""
    loaded = sound_study(study)
    asyncio.run(require_sound_work(loaded))
    path = write_freeze(loaded)
    click.echo(f"{path}: written; commit it with the study, then run it")
    return ExitStatus.FINISHED


@command.command("run")
@_STUDY
@click.option("--dry-run", is_flag=True, help="Show what would run and what it costs; send and write nothing.")
@click.option("--confirm", is_flag=True, help="Run up to the budget although the estimate is above it.")
@click.option("--text", "texts", multiple=True, help="Run this text alone; may be repeated.")
@click.option("--target", "targets", multiple=True, help="Run this target alone; may be repeated.")
@click.option("--case", "cases", multiple=True, help="Run this case alone; may be repeated.")
@click.option("--keep-outputs", is_flag=True, help="Keep every reply for reading, below the results.")
@click.option("--fresh", is_flag=True, help="Begin anew where nothing was called yet.")
@click.option("--output", default=DEFAULT_OUTPUT, show_default=True, help="Name of the results, below artifacts/.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where replies of models are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def run(
    study: Path,
    dry_run: bool,
    confirm: bool,
    texts: tuple[str, ...],
    targets: tuple[str, ...],
    cases: tuple[str, ...],
    keep_outputs: bool,
    fresh: bool,
    output: str,
    cache_dir: Path | None,
    as_json: bool,
) -> int:
    """Run what is not settled yet of STUDY, and print its report. The same command goes on after a stop.

    Of a part of a study the report is printed and not written: what was left out is missing in it.
    """
    plan = plan_study(study, os.environ, output, Only(texts, targets, cases))
    for line in plan.lines():
        _say(line)
    if dry_run:
        return ExitStatus.FINISHED
    require_budget(plan, confirmed=confirm)
    around = Surroundings(
        os.environ, SystemClock(), lambda text: _say(f"note: {text}"), _progress, cache_dir, keep_outputs=keep_outputs
    )
    ended = asyncio.run(measure(plan, around, fresh=fresh))
    for path in ended.written:
        _say(f"report: {path}")
    click.echo(ended.data if as_json else said(ended.text), nl=False)
    return ExitStatus.FINISHED


@command.command("probe")
@_STUDY
@click.option("--output", default=DEFAULT_OUTPUT, show_default=True, help="Name of the results, below artifacts/.")
def probe(study: Path, output: str) -> int:
    """Try whether the programs of STUDY run apart from this machine. `run` does it by itself before its first cell."""
    plan = plan_study(study, os.environ, output)
    around = Surroundings(os.environ, SystemClock(), lambda text: _say(f"note: {text}"), _progress)
    report = report_of(plan.loaded, asyncio.run(run_study(plan, around, probe_only=True)))
    for found in report["isolation"]:
        answers = found["probe"] or {}
        failed = [name for name, held in answers.items() if held is False]
        words = "attested" if found["attested"] else f"not attested: {', '.join(failed) or 'nothing to try'}"
        click.echo(said(f"{found['target']:<20} {words}" + (f" ({answers['why']})" if answers.get("why") else "")))
    return ExitStatus.FINISHED


@command.command("report")
@_STUDY
@click.option("--output", default=DEFAULT_OUTPUT, show_default=True, help="Name of the results, below artifacts/.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def report(study: Path, output: str, as_json: bool) -> int:
    """Print what was measured so far; a study that was stopped is said to be incomplete. Writes nothing."""
    found = recorded_report(study, output)
    click.echo(json.dumps(found, indent=1, ensure_ascii=False) if as_json else said(markdown(found)).rstrip("\n"))
    return ExitStatus.FINISHED


for _more in (regress, enqueue, run_next, queue, release):
    command.add_command(_more)


def _progress(done: int, total: int) -> None:
    """Every tenth of the way."""
    if done * 10 // total > (done - 1) * 10 // total:
        _say(f"{done:,} of {counted(total, 'cell')}")


def _say(text: str) -> None:
    click.echo(said(text), err=True)
