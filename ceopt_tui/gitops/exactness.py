"""Whether git keeps a file's bytes: what is measured must be what is committed and what a checkout gives back."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.git import Wait, attempt, refusal
from ceopt_tui.gitops.paths import inside
from ceopt_tui.gitops.repository import Repository


def refuse_altered(repository: Repository, paths: Sequence[str], ref: str = "HEAD") -> None:
    """Raises SetupError when line-ending, filter or similar attributes change any of the committed `paths`.

    Compares the file on disk, the committed bytes, and those bytes sent through git's conversions both ways.
    """
    try:
        altered = [path for path in paths if _is_altered(repository, path, ref)]
    except GitError as error:
        hint = "Commit the file if git does not have it yet; install the filter if .gitattributes names one."
        raise SetupError(error.message, hint) from error
    if altered:
        raise SetupError(
            f"git changes the bytes of {', '.join(altered)} between commit and file",
            "Line endings or a filter do this (core.autocrlf, or text, eol, filter, ident in .gitattributes). ceopt "
            "measures exact bytes: mark the file as -text in .gitattributes and commit it once more.",
        )


def _is_altered(repository: Repository, path: str, ref: str) -> bool:
    committed = repository.show(ref, path)
    blob = repository.git("rev-parse", f"{ref}:{path}").strip()
    out = checked_out(repository.root, blob, path, {}, repository.wait)
    back = repository.git("hash-object", "--stdin", "--path", path, input=committed).strip()
    on_disk = inside(repository.root, path)
    return out != committed or back != blob or not on_disk.is_file() or on_disk.read_bytes() != committed


def refuse_unfaithful(checkout: Path, blob: str, path: str, env: Mapping[str, str], wait: Wait) -> None:
    """Raises GitError when a checkout of the staged `blob` would not give back the bytes of `path` in `checkout`."""
    if checked_out(checkout, blob, path, env, wait) != (checkout / path).read_bytes():
        raise GitError(
            f"git would change the bytes of {path} on commit, so what was measured cannot be committed",
            "Keep its line endings as they were, or mark it as -text in .gitattributes.",
        )


def checked_out(checkout: Path, blob: str, path: str, env: Mapping[str, str], wait: Wait) -> bytes:
    """The bytes a checkout of `blob` at `path` would write."""
    args = ("cat-file", "--filters", f"--path={path}", blob)
    outcome = attempt(args, checkout, env=env, wait=wait)
    if outcome.status:
        raise refusal(args, outcome)
    return outcome.stdout
