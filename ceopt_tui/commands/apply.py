"""`ceopt apply [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.command_changes import changed_files
from ceopt_tui.core.describe import outcome_sentence, span_of
from ceopt_tui.engine.pull_request import pull_request, subject
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.application import apply_to_working_tree, commit_as_user, holds
from ceopt_tui.gitops.file_changes import ChangedFiles
from ceopt_tui.journal.disk import storage_error
from ceopt_tui.looking import FoundRun, find_run


@click.command("apply")
@click.argument("run", required=False)
@click.option("--commit", is_flag=True, help="Commit it on your branch, as you, with your hooks.")
@click.option("--pr", is_flag=True, help="Print a pull-request text instead of changing anything.")
@click.option("--proposal", type=int, metavar="N", help="The change of exp-N, which waits for a person, instead.")
@click.option("--out", type=click.Path(path_type=Path), help="With --pr: into a new file.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(
    run: str | None, commit: bool, pr: bool, proposal: int | None, out: Path | None, state_root: Path | None
) -> None:
    """Write what was kept into your working tree; refused when you have changed those files since."""
    if commit and pr:
        raise click.UsageError("--pr changes nothing, so it does not go with --commit")
    if out and not pr:
        raise click.UsageError("--out goes with --pr")
    if pr and proposal is not None:
        raise click.UsageError("--pr tells what was kept, so it does not go with --proposal")
    found = find_run(run, state_root=state_root)
    state = found.state
    if proposal is None and not state.keeps:
        raise SetupError(f"{found.name} has kept no change", "`ceopt report` says what was tried.")
    if pr:
        _print_pull_request(pull_request(state), out)
        return
    files = changed_files(found.repository, state, proposal) if state.by_command else _texts(found, proposal)
    changed = sorted(files.after)
    there = all(holds(found.repository.root / path, files.after[path]) for path in changed)
    apply_to_working_tree(found.repository, files.before, files.after, files.executable)
    done = "already in place" if state.by_command else "already holding the new text"
    click.echo(f"{done if there else 'written'}: {', '.join(changed)}")
    if commit:
        number = found.state.best_number if proposal is None else proposal
        sha = commit_as_user(found.repository, changed, commit_message(found, number))
        click.echo(f"committed as {sha[:10]}" if sha else "nothing to commit")


def _texts(found: FoundRun, proposal: int | None) -> ChangedFiles:
    """The files of a text that changed, as bytes."""
    original = found.state.texts[found.state.original_digest]
    best = found.state.best_texts if proposal is None else _proposed(found, proposal)
    changed = [path for path in best if best[path] != original[path]]
    before, after = ({path: texts[path].encode("utf-8") for path in changed} for texts in (original, best))
    return ChangedFiles(before, after, frozenset())


def _proposed(found: FoundRun, number: int) -> dict[str, str]:
    """The text of a parked change; applying it is its reader's own decision and leaves the proposal open."""
    waiting = [parked.number for parked in found.state.waiting.proposals]
    digest = found.state.experiments[number].text_digest if number in waiting else None
    if digest is None:
        names = ", ".join(found.state.experiments[one].name for one in waiting) or "none"
        raise SetupError(f"no proposal of that number waits in {found.name}; there are: {names}")
    return found.state.texts[digest]


def _print_pull_request(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        with out.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise SetupError(f"{out} is there already and stays as it is", "Name a new file.") from error
    except OSError as error:
        raise storage_error(error, out) from error
    click.echo(f"written: {out}")


def commit_message(found: FoundRun, number: int) -> str:
    """A subject that fits on a line; below it the whole change in words and its evidence."""
    title = " ".join(f"{found.name}: {found.state.experiments[number].hypothesis.description}".split())
    short = subject(title)
    body = "" if short == title else f"{title}\n\n"
    return f"{short}\n\n{body}{outcome_sentence(found.state, span_of(found.state))}\n"
