"""The command line: loads the one command that was asked for, prints errors in one place, gives the exit status."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from ceopt_tui.core.masking import mask
from ceopt_tui.core.visible import said
from ceopt_tui.errors import CeoptError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.shell import drop, flushed

# command -> (module, one line of help). Modules load when their command runs, so `ceopt --version` loads none.
COMMANDS = {
    "run": ("run", "Run a spec: in the app, or --unattended."),
    "prune": ("prune", "Take rules out of the text that are not missed."),
    "coverage": ("coverage", "Which rules of the text a case guards: take each away in turn."),
    "serve": ("serve", "Work in the browser: the app in a tab, on this machine."),
    "schedule": ("schedule", "Start a run again and again: cron, systemd timer, CI job."),
    "approve": ("approve", "Approve a spec and its caps ahead of an unattended run."),
    "init": ("init", "Write a spec and an eval set to start from."),
    "import": ("import_", "Turn recorded failures into an eval set."),
    "evalset": ("evalset", "Look at an eval set: floor, duplicates, leaks, power."),
    "check": ("check", "Check a spec or an eval set: every problem with file, line and key."),
    "lint": ("lint", "Would this rewrite be refused, and why?"),
    "study": ("study", "Answer a registered question about texts, across models."),
    "judge": ("judge", "Score outputs with a rubric, nothing else."),
    "calibrate": ("calibrate", "Score outputs yourself: does the judge rank them as you do?"),
    "decide": ("decide", "Decide a payload: keep, revert or not sure."),
    "status": ("status", "Where a run stands."),
    "compare": ("compare", "Two runs side by side."),
    "stop": ("stop", "End a run for good, at work or not; its report is written."),
    "idea": ("idea", "Put an idea of your own on a run, or list what waits to be tried."),
    "log": ("log", "The run's log, readable."),
    "report": ("report", "The report of a run."),
    "diff": ("diff", "What a run changed."),
    "apply": ("apply", "Take a run's result into the working tree."),
    "clean": ("clean", "List what runs left behind; remove it once you say so."),
    "worker": ("worker", "Carry out one experiment of a run elsewhere, and push its result."),
    "schema": ("schema", "JSON Schema of specs and eval sets, for editors."),
    "doctor": ("doctor", "Is everything here that a run needs?"),
    "tour": ("tour", "Look around in the app on a recorded model: no key, nothing left behind."),
    "demo": ("demo", "Optimize a bad prompt with a real small model, no key needed."),
}


FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class LazyCommands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ceopt_tui.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            known = ", ".join(COMMANDS)
            raise click.UsageError(f"{error.message} Commands: {known}.", ctx) from None


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"ceopt {importlib.import_module('ceopt_tui.version').VERSION}")
        ctx.exit()


@click.group(cls=LazyCommands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.pass_context
def ceopt(ctx: click.Context) -> None:
    """Makes instruction texts better, with proof. Without a command: the app."""
    if ctx.invoked_subcommand is None:
        home = importlib.import_module("ceopt_tui.commands.home")
        ctx.exit(home.open_home())


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. Every error is printed here, masked, and nowhere else."""
    try:
        status = ceopt.main(args=arguments, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        _leave(int(status) if isinstance(status, int) else ExitStatus.FINISHED)
    except click.ClickException as error:
        error.show()
        _leave(ExitStatus.REFUSED)
    except click.Abort:
        _leave(ExitStatus.INTERRUPTED)
    except KeyboardInterrupt:
        _leave(ExitStatus.INTERRUPTED)
    except CeoptError as error:
        _say(f"ceopt: {error}")
        _leave(error.exit_status)
    except BrokenPipeError:
        drop(sys.stdout)
        _leave(ExitStatus.FINISHED)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            drop(sys.stdout)
            _say(f"ceopt: {os.strerror(error.errno or 0).lower()}; what was to be written is not all there")
            _leave(ExitStatus.STOPPED)
        _say(f"ceopt: this is a fault of ceopt itself: {type(error).__name__}: {error}")
        _say(f"The details are in {_write_details()}; state on disk is kept.")
        _leave(ExitStatus.FAULT)


def _write_details() -> str:
    """The traceback in a file of its own, keys masked: a screen full of it helps nobody."""
    with tempfile.NamedTemporaryFile("w", prefix="ceopt-fault-", suffix=".log", delete=False, encoding="utf-8") as file:
        file.write(mask(traceback.format_exc()))
    return file.name


def _say(text: str) -> None:
    if sys.stderr is None:
        return
    with suppress(OSError):
        print(said(text), file=sys.stderr, flush=True)


def _leave(status: Any) -> None:
    if sys.stderr is not None and not flushed(sys.stderr):
        drop(sys.stderr)
    sys.exit(int(status))
