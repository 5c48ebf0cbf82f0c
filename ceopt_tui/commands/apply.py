"""`ceopt apply [SPEC|NAME]`."""

from __future__ import annotations

from pathlib import Path

import click

from ceopt_tui.core.describe import outcome_sentence, span_of
from ceopt_tui.engine.report import text_diff
from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.application import apply_to_working_tree, commit_as_user
from ceopt_tui.looking import FoundRun, find_run


@click.command("apply")
@click.argument("run", required=False)
@click.option("--commit", is_flag=True, help="Commit it on your branch, as you, with your hooks.")
@click.option("--pr", is_flag=True, help="Print a pull-request text instead of changing anything.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
def command(run: str | None, commit: bool, pr: bool, state_root: Path | None) -> None:
    """Write the kept text into your working tree; refused when you have changed those files since."""
    if commit and pr:
        raise click.UsageError("--pr changes nothing, so it does not go with --commit")
    found = find_run(run, state_root=state_root)
    state = found.state
    if not state.keeps:
        raise SetupError(f"{found.name} has kept no change", "`ceopt report` says what was tried.")
    if pr:
        click.echo(pull_request_text(found), nl=False)
        return
    original, best = state.texts[state.original_digest], state.best_texts
    changed = sorted(path for path in best if best[path] != original[path])
    there = all(_holds(found.repository.root / path, best[path]) for path in changed)
    apply_to_working_tree(
        found.repository,
        {path: original[path].encode("utf-8") for path in changed},
        {path: best[path].encode("utf-8") for path in changed},
    )
    click.echo(f"{'already holding the new text' if there else 'written'}: {', '.join(changed)}")
    if commit:
        sha = commit_as_user(found.repository, changed, commit_message(found))
        click.echo(f"committed as {sha[:10]}" if sha else "nothing to commit")


SUBJECT = 72  # characters; git and its hosts cut or wrap longer ones


def commit_message(found: FoundRun) -> str:
    """A subject that fits on a line; below it the whole change in words and its evidence."""
    title = " ".join(_title(found).split())
    subject, body = title, ""
    if len(title) > SUBJECT:
        subject, body = title[: SUBJECT - 1].rsplit(" ", 1)[0] + "…", f"{title}\n\n"
    return f"{subject}\n\n{body}{outcome_sentence(found.state, span_of(found.state))}\n"


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode("utf-8")


def _title(found: FoundRun) -> str:
    return f"{found.name}: {found.state.experiments[found.state.best_number].hypothesis.description}"


def pull_request_text(found: FoundRun) -> str:
    """Title, evidence and diff, ready to paste."""
    state = found.state
    diff = text_diff(state.texts[state.original_digest], state.best_texts)
    return f"# {_title(found)}\n\n{outcome_sentence(state, span_of(state))}\n\n~~~~diff\n{diff}~~~~\n"
