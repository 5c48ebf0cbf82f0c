"""`ceopt study …`: options in, words and JSON out. What a study is and means is decided in core/study/ and study/."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import said
from ceopt_tui.errors import InputError
from ceopt_tui.exits import ExitStatus
from schemas.study_loading import load_study

NOT_YET = {
    "regress": "holding one study against another",
    "enqueue": "the queue of studies",
    "run-next": "the queue of studies",
    "improve": "writing the next variant",
    "release": "taking a variant into its target",
    "probe": "the probe of a harness's isolation",
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
        loaded = load_study(study)
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
