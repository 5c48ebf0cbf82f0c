"""`ceopt clean [SPEC|NAME]`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click
import platformdirs

from ceopt_tui.cleaning.archives import archived_things, named_things, remove_archived
from ceopt_tui.cleaning.inventory import Thing, size_words
from ceopt_tui.cleaning.working_files import refuse_unfinished, remove, take_inventory
from ceopt_tui.commands.asking import has_terminal
from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import said, visible
from ceopt_tui.errors import CeoptError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.looking import find_run
from ceopt_tui.system_clock import SystemClock
from judges.cache_clearing import cache_size, clear_replies


@click.command("clean")
@click.argument("names", nargs=-1)
@click.option("--yes", is_flag=True, help="Remove what is listed without asking.")
@click.option("--unfinished", is_flag=True, help="Also of a run that waits, or was cut off.")
@click.option("--archived", is_flag=True, help="List archived runs; with their NAMES, remove those for good.")
@click.option("--cache", is_flag=True, help="The replies of models that all runs share.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where they are kept.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(
    names: tuple[str, ...],
    yes: bool,
    unfinished: bool,
    archived: bool,
    cache: bool,
    cache_dir: Path | None,
    state_root: Path | None,
) -> int:
    """List working files a run left behind, and remove them once you say so. Log, report and branch always stay."""
    if cache:
        if names or archived:
            raise click.UsageError("--cache is about the replies of all runs; name none")
        return _clean_cache(cache_dir or platformdirs.user_cache_path("ceopt") / "replies", yes)
    if archived:
        return _clean_archived(names, yes, state_root)
    if len(names) > 1:
        raise click.UsageError("one run at a time")
    return _clean_run(names[0] if names else None, yes, unfinished, state_root)


def _clean_run(name: str | None, yes: bool, unfinished: bool, state_root: Path | None) -> int:
    found = find_run(name, state_root=state_root)
    inventory = take_inventory(found)
    _list("to remove", inventory.goes)
    _list("stays", inventory.stays)
    if not inventory.goes:
        click.echo("nothing to remove")
        return ExitStatus.FINISHED
    if not unfinished:
        refuse_unfinished(found)
    if not _agreed(yes):
        return ExitStatus.FINISHED
    stayed = remove(found, inventory.goes, SystemClock())
    click.echo(f"removed {len(inventory.goes) - len(stayed)} of {len(inventory.goes)}")
    _list("stays all the same", stayed)
    return ExitStatus.STOPPED if stayed else ExitStatus.FINISHED


def _clean_archived(names: tuple[str, ...], yes: bool, state_root: Path | None) -> int:
    repository = Repository.find(Path.cwd())
    things = archived_things(repository, state_root, os.environ)
    if not names:
        _list("archived", things)
        click.echo("nothing is removed until you name it: ceopt clean --archived NAME…" if things else "none", err=True)
        return ExitStatus.FINISHED
    named = named_things(things, names)
    _list("to remove for good", named)
    if not _agreed(yes):
        return ExitStatus.FINISHED
    stayed = []
    for thing in named:
        try:
            remove_archived(repository, thing, state_root, os.environ)
        except CeoptError as error:
            stayed.append(Thing(thing.name, error.message))
    click.echo(f"removed {len(named) - len(stayed)} of {len(named)}")
    _list("stays", stayed)
    return ExitStatus.STOPPED if stayed else ExitStatus.FINISHED


def _clean_cache(folder: Path, yes: bool) -> int:
    size = cache_size(folder)
    replies = "replies that cannot be read" if size.replies is None else counted(size.replies, "reply", "replies")
    click.echo(visible(f"{folder}: {replies}, {size_words(size.size_bytes)}"))
    if not size.replies and not size.size_bytes:
        return ExitStatus.FINISHED
    click.echo("What a run asks again after this is paid for again; runs on record keep what they measured.", err=True)
    if _agreed(yes):
        clear_replies(folder)
        click.echo(f"emptied; {size_words(cache_size(folder).size_bytes)} are left")
    return ExitStatus.FINISHED


def _list(title: str, things: Sequence[Thing]) -> None:
    for place, thing in enumerate(things):
        if place == 0:
            click.echo(f"{title}:")
        click.echo(f"  {said(str(thing))}")


def _agreed(yes: bool) -> bool:
    """A yes given beforehand or in a terminal; where there is none nothing is removed."""
    if yes:
        return True
    if has_terminal():
        return click.confirm("Remove it?", err=True)
    click.echo("nothing was removed; add --yes to remove it", err=True)
    return False
