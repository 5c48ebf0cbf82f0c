"""ceopt's branches: their names, and moving them without touching anyone's index or working tree."""

from datetime import UTC, datetime

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.git import refusal
from ceopt_tui.gitops.listing import where_checked_out
from ceopt_tui.gitops.repository import Repository

EXPERIMENTS = "optimize-exp"
ARCHIVE = "optimize-archive"


def optimization_branch(name: str) -> str:
    """The branch that holds what a run kept."""
    return f"optimize/{name}"


def experiment_branch(name: str, number: int) -> str:
    """The branch of one experiment."""
    return f"{EXPERIMENTS}/{name}/exp-{number:03d}"


def branches(repository: Repository) -> list[str]:
    """All local branches, sorted by name."""
    return repository.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/").splitlines()


def refuse_clashes(repository: Repository, name: str) -> None:
    """Raises SetupError when a branch of the user takes a name that the run's branches need as a folder, or as a leaf.

    git cannot hold both `optimize` and `optimize/x`.
    """
    taken = branches(repository)
    for wanted in (optimization_branch(name), experiment_branch(name, 1), f"{ARCHIVE}/{name}/archived"):
        for other in taken:
            if wanted.startswith(f"{other}/") or (other.startswith(f"{wanted}/") and wanted.startswith("optimize/")):
                raise SetupError(
                    f"the branch {other!r} is in the way: ceopt needs {wanted!r}, and git cannot hold both",
                    f"Rename it, for example: git branch -m {other} {other.replace('/', '-')}-old",
                )


def refuse_elsewhere(repository: Repository, branch: str, sha: str) -> None:
    """Raises SetupError when `branch` exists and is not at `sha`: what a new run keeps could not be put on it."""
    if repository.branch_exists(branch) and (tip := repository.resolve(f"refs/heads/{branch}")) != sha:
        raise SetupError(
            f"the branch {branch} exists and is at {tip[:10]}, not at {sha[:10]} where this run would start",
            "Start with --fresh: the old branch is archived, nothing is deleted.",
        )


def ensure_branch(repository: Repository, branch: str, sha: str) -> None:
    """Creates `branch` at `sha`; one that exists stays where it is."""
    if repository.branch_exists(branch):
        return
    outcome = repository.attempt("update-ref", "-m", "ceopt: start", f"refs/heads/{branch}", sha, "")
    if outcome.status:
        raise SetupError(f"the branch {branch} cannot be made: {outcome.stderr.strip()}")


def advance(repository: Repository, branch: str, new_sha: str, expected_old_sha: str) -> None:
    """Moves `branch` forward from `expected_old_sha` to `new_sha`; a branch that is already there is left as it is.

    Raises SetupError when the branch is checked out somewhere, since those files would no longer match it, and
    GitError when it was moved by someone else or `new_sha` does not follow.
    """
    if repository.resolve(f"refs/heads/{branch}") == new_sha:
        return
    refuse_checked_out(repository, branch)
    if not repository.is_ancestor(expected_old_sha, new_sha):
        raise GitError(f"{new_sha} does not follow {expected_old_sha}, so {branch} was not moved")
    args = ("update-ref", "-m", "ceopt: keep", f"refs/heads/{branch}", new_sha, expected_old_sha)
    outcome = repository.attempt(*args)
    if outcome.status:
        raise refusal(args, outcome)


def archive_branches(repository: Repository, name: str, moment: datetime) -> dict[str, str]:
    """Renames the run's branches to optimize-archive/<name>/archived-<time>…, all or none; returns old to new names."""
    stem = f"{ARCHIVE}/{name}/archived-{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    taken = branches(repository)
    while any(branch.startswith(stem) for branch in taken):
        stem += "-again"
    main = optimization_branch(name)
    experiments = [branch for branch in taken if branch.startswith(f"{EXPERIMENTS}/{name}/")]
    renamed = {main: stem} if main in taken else {}
    renamed |= {branch: f"{stem}-{branch.rpartition('/')[2]}" for branch in experiments}
    lines = []
    for old, new in renamed.items():
        refuse_checked_out(repository, old)
        sha = repository.resolve(f"refs/heads/{old}")
        lines += [f"create refs/heads/{new} {sha}", f"delete refs/heads/{old} {sha}"]
    if lines:
        repository.git("update-ref", "--stdin", input=("\n".join(lines) + "\n").encode())
    return renamed


def delete_experiment(repository: Repository, branch: str) -> None:
    """Deletes an experiment's branch once its result is in the journal; any other branch is refused."""
    if not branch.startswith(f"{EXPERIMENTS}/"):
        raise ValueError(f"{branch} is not an experiment's branch")
    if repository.branch_exists(branch):
        refuse_checked_out(repository, branch)
        repository.git("update-ref", "-d", f"refs/heads/{branch}", repository.resolve(f"refs/heads/{branch}"))


def delete_archived(repository: Repository, branch: str) -> None:
    """Deletes an archived branch for good; any other is refused."""
    if not branch.startswith(f"{ARCHIVE}/"):
        raise ValueError(f"{branch} is not archived")
    refuse_checked_out(repository, branch)
    repository.git("update-ref", "-d", f"refs/heads/{branch}", repository.resolve(f"refs/heads/{branch}"))


def refuse_checked_out(repository: Repository, branch: str) -> None:
    """Raises SetupError when `branch` is checked out in any working tree."""
    place = where_checked_out(repository, branch)
    if place is not None:
        raise SetupError(
            f"the branch {branch} is checked out in {place}",
            "ceopt moves that branch by itself. Switch that folder to another branch, then go on.",
        )
