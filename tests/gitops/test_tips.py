"""A run's branch that was deleted, moved or built upon between two starts."""

import pytest
from real_repositories import NAME, run

from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.branches import ensure_branch, optimization_branch
from ceopt_tui.gitops.commits import commit_files
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.tips import verify_tip

MAIN = optimization_branch(NAME)
MUTABLE = ["prompt.txt"]


@pytest.fixture
def left_at(repository: Repository) -> str:
    """The commit a run left its branch at."""
    ensure_branch(repository, MAIN, repository.head())
    return commit_files(repository, MAIN, {"prompt.txt": b"better\n"}, "keep")


def theirs(repository: Repository, parent: str, path: str) -> str:
    """A commit of the user's on top of `parent` that puts something into `path`; the branch is moved there."""
    tree = repository.root.parent / "theirs"
    run(repository.root, "worktree", "add", "-q", "--detach", str(tree), parent)
    (tree / path).write_text("theirs\n")
    run(tree, "add", "-A")
    run(tree, "commit", "-qm", "theirs")
    sha = run(tree, "rev-parse", "HEAD").strip()
    run(repository.root, "worktree", "remove", "--force", str(tree))
    run(repository.root, "branch", "-f", MAIN, sha)
    return sha


def test_a_branch_that_is_where_it_was_left_is_no_word_worth(repository: Repository, left_at: str) -> None:
    assert verify_tip(repository, MAIN, left_at, MUTABLE) == ""


def test_a_branch_that_is_gone_is_put_back(repository: Repository, left_at: str) -> None:
    run(repository.root, "update-ref", "-d", f"refs/heads/{MAIN}")
    assert f"gone and is put back at {left_at[:10]}" in verify_tip(repository, MAIN, left_at, MUTABLE)
    assert repository.resolve(f"refs/heads/{MAIN}") == left_at


def test_a_branch_that_is_gone_with_its_commits_is_refused(repository: Repository) -> None:
    with pytest.raises(SetupError, match="so is the commit 1111111111") as caught:
        verify_tip(repository, MAIN, "1" * 40, MUTABLE)
    assert "--fresh" in caught.value.hint


def test_commits_of_ceopts_own_may_follow(repository: Repository, left_at: str) -> None:
    commit_files(repository, MAIN, {"prompt.txt": b"better still\n"}, "keep that a kill cut off")
    assert verify_tip(repository, MAIN, left_at, MUTABLE) == ""


def test_a_commit_of_others_may_follow_where_it_spares_the_files(repository: Repository, left_at: str) -> None:
    theirs(repository, left_at, "notes.txt")
    assert verify_tip(repository, MAIN, left_at, MUTABLE) == ""
    assert verify_tip(repository, MAIN, left_at, []) == ""


def test_a_commit_of_others_on_the_files_is_named(repository: Repository, left_at: str) -> None:
    sha = theirs(repository, left_at, "prompt.txt")
    with pytest.raises(SetupError, match=f"not this run's on files it changes, such as {sha[:10]}"):
        verify_tip(repository, MAIN, left_at, MUTABLE)


@pytest.mark.parametrize("rewound", [True, False])
def test_a_branch_that_is_elsewhere_is_refused_and_the_commands_put_it_right(
    repository: Repository, left_at: str, rewound: bool
) -> None:
    if rewound:
        run(repository.root, "branch", "-f", MAIN, f"{left_at}^")
    else:
        theirs(repository, f"{left_at}^", "prompt.txt")
    tip = repository.resolve(MAIN)
    with pytest.raises(SetupError, match=f"is at {tip[:10]}, and this run left it at {left_at[:10]}") as caught:
        verify_tip(repository, MAIN, left_at, MUTABLE)
    commands = caught.value.hint.splitlines()[0].partition("put it back: ")[2]
    for command in commands.split(" && "):
        run(repository.root, *command.split()[1:])
    assert verify_tip(repository, MAIN, left_at, MUTABLE) == ""
    assert repository.resolve(f"{MAIN.replace('/', '-')}-moved") == tip


def test_a_branch_elsewhere_whose_commit_is_gone_can_only_be_left(repository: Repository, left_at: str) -> None:
    with pytest.raises(SetupError, match="this run left it at 1111111111") as caught:
        verify_tip(repository, MAIN, "1" * 40, MUTABLE)
    assert caught.value.hint.startswith("To go on, start over with --fresh")


def test_a_branch_that_is_checked_out_is_said_before_anything_is_paid(repository: Repository, left_at: str) -> None:
    run(repository.root, "worktree", "add", "-q", str(repository.root.parent / "mine"), MAIN)
    with pytest.raises(SetupError, match="is checked out in"):
        verify_tip(repository, MAIN, left_at, MUTABLE)
