"""`ceopt study release`: a measured text goes into the file it is for."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.core.visible import said
from ceopt_tui.exits import ExitStatus
from ceopt_tui.study.layout import Step
from ceopt_tui.study.places import DEFAULT_OUTPUT
from ceopt_tui.study.releasing import release as put_in


@click.command("release")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--text", required=True, help="The text of the study to be taken.")
@click.option("--to", "target", type=click.Path(path_type=Path), required=True, help="The file it goes into.")
@click.option("--output", default=DEFAULT_OUTPUT, show_default=True, help="The results it is judged by.")
@click.option("--bump", "step", type=click.Choice(["major", "minor", "patch"]), default="patch", show_default=True)
@click.option("--max-lines", type=click.IntRange(min=1), help="Lines the file may have.  [default: 500 for SKILL.md]")
def release(study: Path, text: str, target: Path, output: str, step: Step, max_lines: int | None) -> int:
    """Put a measured text of STUDY into its file, with the file's layout and the next version of its front matter.

    The file must hold another text of the study. Where that is better in any family nothing is written (status 5).
    """
    done = put_in(study, text, target, output, step=step, most_lines=max_lines)
    click.echo(said(f"draft: {done.draft}"))
    for family in done.change["families"]:
        click.echo(said(f"{family['family']}: {family['change']}"))
    if done.written is None:
        click.echo(said(f"{target} is as it was: {text} is worse than what it holds"))
        return ExitStatus.REGRESSED
    version = f", version {done.version}" if done.version else ""
    click.echo(said(f"{target}: written{version}; {done.change['change']}. Look at the difference and commit it."))
    return ExitStatus.FINISHED
