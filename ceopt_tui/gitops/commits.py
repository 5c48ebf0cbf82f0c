"""ceopt's own commits: on experiment and optimization branches only, only the paths given, no hook, no signature."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.branches import advance, refuse_checked_out
from ceopt_tui.gitops.exactness import refuse_unfaithful
from ceopt_tui.gitops.git import git
from ceopt_tui.gitops.paths import check_relative, inside
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.trees import commit_index, put_entries, put_files, temporary_index
from ceopt_tui.gitops.worktrees import Worktree


def changed_in(tree: Worktree, paths: Sequence[str] = (".",)) -> list[str]:
    """Files at or below `paths` that differ from the checkout's base, ignored ones aside, sorted.

    Commits and staging done inside the checkout make no difference.
    """
    with temporary_index(tree.repository, tree.base_sha) as index:
        return _changed(tree, _within(tree, index), paths)


def commit_paths(tree: Worktree, paths: Sequence[str], message: str) -> str | None:
    """Commits the changes at or below `paths` as one commit on the checkout's base, and moves its branch there.

    Returns the commit, or None when nothing changed. Whatever an agent staged or committed is not taken over.
    Raises GitError when a change is a link, or when git would not keep its bytes.
    """
    repository = tree.repository
    with temporary_index(repository, tree.base_sha) as bare_index:
        index = _within(tree, bare_index)
        changed = _changed(tree, index, paths)
        if not changed:
            return None
        _refuse_links(tree, changed)
        _stage(tree, index, changed)
        commit = commit_index(repository, bare_index, tree.base_sha, message)
    if commit:
        repository.git("update-ref", "-m", "ceopt: experiment", f"refs/heads/{tree.branch}", commit)
    return commit


def commit_files(repository: Repository, branch: str, files: Mapping[str, bytes | None], message: str) -> str:
    """Commits the exact bytes of `files` on top of `branch` without a checkout; None as content deletes a file.

    Returns the branch's new commit, or its old one when nothing changed. SetupError when it is checked out.
    """
    for path in files:
        check_relative(path)
    refuse_checked_out(repository, branch)
    parent = repository.resolve(f"refs/heads/{branch}")
    with temporary_index(repository, parent) as index:
        put_files(repository, index, files)
        commit = commit_index(repository, index, parent, message)
    if commit is None:
        return parent
    advance(repository, branch, commit, parent)
    return commit


def cherry_pick(repository: Repository, base_sha: str, sha: str, onto_sha: str, message: str) -> str | None:
    """Repeats the change from `base_sha` to `sha` on top of `onto_sha`; None when it is there already.

    Moves no branch. Raises GitError when `onto_sha` changed any of the same files.
    """
    entries = repository.git("diff-tree", "-r", "-z", "--no-renames", "--raw", base_sha, sha).split("\0")[:-1]
    changes = dict(zip(entries[1::2], entries[::2], strict=True))
    moved = repository.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", base_sha, onto_sha).split("\0")
    if common := sorted(set(changes) & set(moved)):
        raise GitError(f"both changes touch {', '.join(common)}")
    lines = []
    for path, facts in changes.items():
        _, mode, _, blob, _ = facts.split()
        lines.append(f"{'0' if mode == '000000' else mode} {blob}\t{path}\0")
    with temporary_index(repository, onto_sha) as index:
        put_entries(repository, index, "".join(lines))
        return commit_index(repository, index, onto_sha, message)


def _within(tree: Worktree, index: Mapping[str, str]) -> Mapping[str, str]:
    """Names repository and files outright, so that nothing written into the checkout can redirect git."""
    return {**index, "GIT_DIR": str(tree.repository.git_dir), "GIT_WORK_TREE": str(tree.path)}


def _changed(tree: Worktree, index: Mapping[str, str], paths: Sequence[str]) -> list[str]:
    args = ["ls-files", "-z", "--modified", "--others", "--exclude-standard", "--deduplicate", "--", *paths]
    found = git(args, tree.path, env=index, wait=tree.repository.wait).split("\0")[:-1] if paths else []
    return sorted(path for path in found if not _is_left_out(tree, path))


def _is_left_out(tree: Worktree, path: str) -> bool:
    """Whether a missing file is missing because this checkout was made without it."""
    below = any(PurePosixPath(path).is_relative_to(hidden) for hidden in tree.hidden)
    return below and not (tree.path / path).exists()


def _stage(tree: Worktree, index: Mapping[str, str], changed: Sequence[str]) -> None:
    wait = tree.repository.wait
    listed = "".join(f"{path}\0" for path in changed).encode("utf-8", "surrogateescape")
    args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]
    git(args, tree.path, input=listed, env=index, wait=wait)
    staged = git(["ls-files", "--stage", "-z", "--", *changed], tree.path, env=index, wait=wait)
    for entry in staged.split("\0")[:-1]:
        facts, _, path = entry.partition("\t")
        refuse_unfaithful(tree.path, facts.split()[1], path, index, wait)


def _refuse_links(tree: Worktree, changed: Sequence[str]) -> None:
    for path in changed:
        try:
            inside(tree.path, path)
        except SetupError as error:
            raise GitError(f"the change cannot be committed: {error.message}") from error
