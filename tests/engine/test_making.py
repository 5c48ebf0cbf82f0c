"""From an edit in a checkout to one commit: only mutable scope, nothing hidden, whatever an editor leaves behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from code_repository import code_repository, recipe, worktree_count
from triage_project import git

from ceopt_tui.core.command_ports import Busy, Edited, Recipe
from ceopt_tui.core.ports import HypothesisDraft, ProposalRefused
from ceopt_tui.engine.backends.making import WorktreeMaker
from ceopt_tui.errors import ProposalError
from ceopt_tui.gitops.repository import Repository


@dataclass
class Hands:
    """An editor that does in the checkout what it is told."""

    do: Callable[[Path], object] = lambda folder: None
    name: str = "hands"
    saw: tuple[str, ...] = ()

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> list[HypothesisDraft]:
        await self.edit(recipe, folder)
        return [HypothesisDraft("an idea", "c", "m")]

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        self.saw = tuple(sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()))
        await asyncio.to_thread(self.do, folder)
        return Edited("hands", "as asked")


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    made = code_repository(tmp_path)
    head = made.head()
    yield made
    assert (made.git("status", "--porcelain"), worktree_count(made)) == ("", 1)
    assert made.is_ancestor(head, made.resolve("main")) and made.current_branch() == "main"


def maker(repository: Repository, do: Callable[[Path], object], hidden: tuple[str, ...] = ()) -> WorktreeMaker:
    return WorktreeMaker(repository, repository.root.parent / "trees", Hands(do), asyncio.Lock(), hidden)


def write(path: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / path).write_text(text)


def both(*steps: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda folder: [step(folder) for step in steps]


async def test_an_edit_becomes_one_commit_on_the_experiments_branch(repository: Repository) -> None:
    made = await maker(repository, write("src/sort.py", "fast\n")).make(recipe(repository))
    assert (made.files, made.note, made.made_by) == (["src/sort.py"], "as asked", "hands")
    assert "-slow" in made.diff and "+fast" in made.diff
    assert repository.resolve("optimize-exp/fast/exp-001") == made.commit
    assert repository.resolve(f"{made.commit}^") == repository.resolve("main")


@pytest.mark.parametrize(
    ("do", "code", "named"),
    [
        (write("measure.sh", "echo '{}'\n"), "out_of_scope", "measure.sh"),
        (both(write("src/sort.py", "fast\n"), write("notes.md", "x")), "out_of_scope", "notes.md"),
        (lambda folder: (folder / "measure.sh").unlink(), "out_of_scope", "measure.sh"),
        (lambda folder: (folder / "measure.sh").chmod(0o755), "out_of_scope", "measure.sh"),
        (write(".gitignore", "*\n"), "out_of_scope", ".gitignore"),
        (lambda folder: (folder / "src/link").symlink_to("/etc/hostname"), "out_of_scope", "src/link"),
        (lambda folder: None, "no_edits_applied", "nothing was changed"),
        (write("src/sort.py", "slow\n"), "no_edits_applied", "nothing was changed"),
        (write("src/left.pyc", "litter"), "no_edits_applied", "nothing was changed"),
        (lambda folder: os.utime(folder / "src/sort.py", (1, 1)), "no_edits_applied", "nothing was changed"),
    ],
)  # fmt: skip
async def test_what_may_not_be_is_refused_by_name(
    repository: Repository, do: Callable[[Path], object], code: str, named: str
) -> None:
    with pytest.raises(ProposalRefused) as caught:
        await maker(repository, do).make(recipe(repository))
    assert {refusal.code for refusal in caught.value.refusals} == {code}
    assert named in caught.value.message


async def test_modes_new_files_and_deletions_inside_of_scope_are_kept(repository: Repository) -> None:
    def do(folder: Path) -> None:
        (folder / "src/sort.py").chmod(0o755)
        (folder / "src/new").mkdir()
        (folder / "src/new/ä b.py").write_bytes(b"\xff\r\n")
        (folder / "src/more.py").unlink()

    made = await maker(repository, do).make(recipe(repository))
    assert made.files == ["src/more.py", "src/new/ä b.py", "src/sort.py"]
    assert "100755" in repository.git("ls-tree", made.commit, "src/sort.py")
    assert repository.show(made.commit, "src/new/ä b.py") == b"\xff\r\n"


async def test_commits_staging_and_branches_of_an_editor_are_not_taken_over(repository: Repository) -> None:
    def do(folder: Path) -> None:
        (folder / "src/sort.py").write_text("fast\n")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "mine")
        (folder / "src/more.py").write_text("even more\n")

    made = await maker(repository, do).make(recipe(repository))
    assert made.files == ["src/more.py", "src/sort.py"]
    assert repository.resolve(f"{made.commit}^") == repository.resolve("main")
    assert "mine" not in repository.git("log", "--format=%s", made.commit)


async def test_a_repository_inside_of_the_checkout_is_no_way_around_scope(repository: Repository) -> None:
    def do(folder: Path) -> None:
        inner = folder / "src" / "inner"
        inner.mkdir()
        git(inner, "init", "--quiet")
        (inner / "file").write_text("x")
        git(inner, "add", "--all")
        git(inner, "commit", "--quiet", "--message", "inner")

    with pytest.raises(ProposalRefused):
        await maker(repository, do).make(recipe(repository))


async def test_a_submodule_stays_where_it_is(repository: Repository, tmp_path: Path) -> None:
    inner = code_repository(tmp_path / "inner")
    git(repository.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "src/sub")
    git(repository.root, "commit", "--quiet", "--message", "with a submodule")
    do = both(write("src/sort.py", "fast\n"), write("src/sub/file.py", "x"))
    made = await maker(repository, do).make(recipe(repository))
    before, after = (repository.git("ls-tree", at, "src/sub") for at in ("main", made.commit))
    assert before == after and before.startswith("160000") and made.files == ["src/sort.py"]


async def test_hidden_files_are_not_there_and_are_not_taken_for_deleted(repository: Repository) -> None:
    one = maker(repository, write("src/sort.py", "fast\n"), hidden=("cases", "measure.sh"))
    made = await one.make(recipe(repository))
    assert not [path for path in one._editor.saw if path.startswith(("cases", "measure"))]  # type: ignore[attr-defined]
    assert made.files == ["src/sort.py"] and repository.show(made.commit, "cases/held.json") == b"[1]\n"
    (idea,) = await one.ideas(recipe(repository), 1)
    assert idea.description == "an idea" and "src/sort.py" in one._editor.saw  # type: ignore[attr-defined]
    assert not repository.branch_exists("optimize-exp/fast/exp-000")

    def put_back(folder: Path) -> None:
        (folder / "cases").mkdir()
        (folder / "cases/held.json").write_text("[2]")

    with pytest.raises(ProposalRefused, match=r"cases/held\.json"):
        await maker(repository, put_back, hidden=("cases",)).make(recipe(repository))


@pytest.mark.parametrize("error", [Busy("full"), ProposalError("no"), asyncio.CancelledError()])
async def test_whatever_an_editor_raises_its_checkout_goes(repository: Repository, error: BaseException) -> None:
    def do(folder: Path) -> None:
        raise error

    with pytest.raises(type(error)):
        await maker(repository, do).make(recipe(repository))


async def test_two_edit_at_once(repository: Repository) -> None:
    one = maker(repository, lambda folder: (folder / "src/sort.py").write_text(folder.name))
    made = await asyncio.gather(*(one.make(recipe(repository, number)) for number in (1, 2, 3)))
    assert [repository.show(change.commit, "src/sort.py") for change in made] == [b"exp-001", b"exp-002", b"exp-003"]


async def test_a_try_that_a_kill_cut_off_is_made_again(repository: Repository) -> None:
    first = await maker(repository, write("src/sort.py", "fast\n")).make(recipe(repository))
    trees = repository.root.parent / "trees"
    repository.git("worktree", "add", "--quiet", str(trees / "exp-001"), "optimize-exp/fast/exp-001")
    (trees / "exp-001" / "src" / "sort.py").write_text("half")
    again = await maker(repository, write("src/sort.py", "faster\n")).make(recipe(repository))
    assert again.commit != first.commit and repository.show(again.commit, "src/sort.py") == b"faster\n"
