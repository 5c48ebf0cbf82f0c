"""What holds for whoever edits code: a model, a command of the user's, a coding agent. One suite over all of them."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from code_repository import code_repository, recipe, worktree_count
from editor_world import EDITORS, PRIVATE, PROGRAMS, Seat, seated
from triage_project import git

from ceopt_tui import programs
from ceopt_tui.core.ports import ProposalRefused
from ceopt_tui.core.state.spend import Spend
from ceopt_tui.engine.backends.agents.failing import FallbackEditor
from ceopt_tui.engine.backends.making import WorktreeMaker
from ceopt_tui.errors import CallFailed, CeoptError, ProposalError, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.worktrees import Worktrees
from schemas.records import CallFinished
from texttargets.proposers import code_editor

HELD_OUT = "[1]\n"  # what stands in cases/held.json
BRANCH = "optimize-exp/fast/exp-001"


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where programs are given their folders; whatever happens, all of them are gone at the end."""
    place = tmp_path / "room"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(programs, "BEAT_S", 0.02)
    monkeypatch.setattr(programs, "GRACE_S", 0.2)
    yield place
    assert list(place.iterdir()) == []


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    """The user's own checkout, branch and place outside stay as they are, and no checkout of ceopt's is left."""
    made = code_repository(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file.txt").write_text("mine")
    head = made.head()
    yield made
    assert (made.git("status", "--porcelain"), made.head(), worktree_count(made)) == ("", head, 1)
    assert [*(tmp_path / "trees").glob("exp-*")] == []


@pytest.fixture(params=EDITORS)
async def seat(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Seat]:
    async with seated(request.param, tmp_path / "stand-in") as one:
        yield one


def maker(repository: Repository, seat: Seat, hidden: tuple[str, ...] = ()) -> WorktreeMaker:
    return WorktreeMaker(repository, repository.root.parent / "trees", seat.editor, asyncio.Lock(), hidden)


async def test_an_allowed_edit_is_one_commit_with_who_made_it_and_what_it_cost(
    repository: Repository, seat: Seat
) -> None:
    seat.changes("src/sort.py", "slow\n", "fast\n")
    made = await maker(repository, seat).make(recipe(repository))
    assert (made.files, repository.show(made.commit, "src/sort.py")) == (["src/sort.py"], b"fast\n")
    assert made.made_by and made.note == "Done."
    [(facts, error)] = seat.books.ended
    assert (facts.role, error, facts.outside) == ("proposer", None, seat.is_program)
    # codex names no price: that is unknown, never nothing
    assert facts.usd == {"llm": pytest.approx(0.00007), "command": 0.25, "claude": 0.25, "codex": None}[seat.name]


@pytest.mark.parametrize("path", ["measure.sh", "src/../measure.sh", "src/../../../outside/file.txt"])
async def test_what_may_not_be_changed_closes_the_try_and_nothing_of_it_counts(
    repository: Repository, seat: Seat, path: str
) -> None:
    seat.plays(files={path: "changed"})
    with pytest.raises(ProposalRefused) as caught:
        await maker(repository, seat).make(recipe(repository))
    assert {one.code for one in caught.value.refusals} <= {"out_of_scope", "no_edits_applied"}
    assert repository.resolve(BRANCH) == repository.head()
    if not seat.is_program:  # a program has the rights of its user
        assert (repository.root.parent / "outside" / "file.txt").read_text() == "mine"


async def test_an_allowed_edit_beside_one_that_is_not_goes_with_it(repository: Repository, seat: Seat) -> None:
    seat.plays(files={"src/new.py": "new\n", "measure.sh": "echo '{\"ms\": 0}'\n"})
    with pytest.raises(ProposalRefused, match=r"measure\.sh"):
        await maker(repository, seat).make(recipe(repository))
    assert repository.resolve(BRANCH) == repository.head()


async def test_an_absolute_path_is_no_way_out(repository: Repository, seat: Seat) -> None:
    seat.plays(files={str(repository.root.parent / "outside" / "new.txt"): "made"})
    with pytest.raises(ProposalRefused):
        await maker(repository, seat).make(recipe(repository))
    assert seat.is_program or not (repository.root.parent / "outside" / "new.txt").exists()


async def test_nothing_is_written_through_a_link(repository: Repository, seat: Seat) -> None:
    (repository.root / "src" / "away").symlink_to(repository.root.parent / "outside")
    (repository.root / "src" / "one.txt").symlink_to(repository.root.parent / "outside" / "file.txt")
    git(repository.root, "add", "--all")
    git(repository.root, "commit", "--quiet", "--message", "links")
    try:
        for path in ("src/away/new.txt", "src/one.txt"):
            seat.plays(files={path: "changed"})
            with pytest.raises(ProposalRefused):
                await maker(repository, seat).make(recipe(repository))
            assert repository.resolve(BRANCH) == repository.head()
        if not seat.is_program:
            assert (repository.root.parent / "outside" / "file.txt").read_text() == "mine"
            assert not (repository.root.parent / "outside" / "new.txt").exists()
    finally:
        git(repository.root, "reset", "--quiet", "--hard", "HEAD^")
        git(repository.root, "commit", "--quiet", "--amend", "--no-edit", "--allow-empty")


@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_link_that_a_program_makes_is_not_committed(repository: Repository, name: str, tmp_path: Path) -> None:
    async with seated(name, tmp_path / "stand-in") as seat:
        seat.plays(links={"src/link": str(tmp_path / "outside" / "file.txt")})
        with pytest.raises(ProposalRefused, match="src/link"):
            await maker(repository, seat).make(recipe(repository))


@pytest.mark.parametrize("path", [".git", ".GIT/hooks/pre-commit"])
async def test_git_s_own_files_are_out_of_reach(repository: Repository, seat: Seat, path: str) -> None:
    seat.plays(files={path: "gitdir: /nowhere\n"})
    with pytest.raises(ProposalError):  # of programs also because the checkout's own `.git` is a file
        await maker(repository, seat).make(recipe(repository, mutable=(".",)))
    assert repository.resolve(BRANCH) == repository.head()


async def test_what_is_hidden_is_neither_seen_nor_put_in_place_of(repository: Repository, seat: Seat) -> None:
    hidden = ("cases", "src/more.py")
    seat.changes("src/sort.py", "slow\n", "fast\n")
    made = await maker(repository, seat, hidden).make(recipe(repository, digest="sorting does not pay"))
    assert repository.show(made.commit, "cases/held.json") == HELD_OUT.encode()
    assert not [path for path in seat.files if path.startswith("cases") or path == "src/more.py"]
    assert "sorting does not pay" in seat.asked
    assert not [word for word in ("held.json", "more.py", "more\\n") if word in seat.asked]
    seat.plays(files={"src/more.py": "another\n"})
    with pytest.raises(ProposalRefused, match=r"src/more\.py"):
        await maker(repository, seat, hidden).make(recipe(repository))


async def test_the_environment_is_what_was_granted(repository: Repository, seat: Seat) -> None:
    seat.changes("src/sort.py", "slow\n", "fast\n")
    await maker(repository, seat).make(recipe(repository))
    assert PRIVATE not in seat.environ.values() and "CEOPT_PRIVATE" not in seat.environ
    assert PRIVATE not in seat.asked
    keys = {name for name in seat.environ if name.endswith(("KEY", "TOKEN"))}
    assert keys == {"codex": {"CODEX_API_KEY"}, "claude": {"ANTHROPIC_API_KEY"}}.get(seat.name, set())


@pytest.mark.parametrize("name", EDITORS)
async def test_one_that_hangs_is_ended_with_all_it_started(
    repository: Repository, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_editor, "TIMEOUT_S", 0.3)
    async with seated(name, tmp_path / "stand-in", timeout_s=1.0) as seat:
        seat.plays(hang=True)
        with pytest.raises((ProposalError, CallFailed)) as caught:
            await maker(repository, seat).make(recipe(repository))
        assert "time" in str(caught.value) or "longer than 1 s" in str(caught.value)
        assert not [pid for pid in seat.pids if is_running(pid)]
        assert len(seat.books.ended) == (1 if seat.is_program else 0)


async def test_one_that_is_cancelled_leaves_nothing(repository: Repository, seat: Seat) -> None:
    seat.plays(hang=True)
    editing = asyncio.create_task(maker(repository, seat).make(recipe(repository)))
    while not seat.began:
        assert not editing.done()
        await asyncio.sleep(0.02)
    editing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await editing
    assert not [pid for pid in seat.pids if is_running(pid)]
    assert worktree_count(repository) == 1 and repository.resolve(BRANCH) == repository.head()
    if seat.is_program:
        [(facts, error)] = seat.books.ended
        assert error and facts.outside


async def test_a_cancel_while_git_works_waits_for_it(
    repository: Repository, seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    working, go_on = threading.Event(), threading.Event()
    add = Worktrees.add

    def slow(*args: Any) -> Any:
        working.set()
        go_on.wait(20)
        return add(*args)

    monkeypatch.setattr(Worktrees, "add", slow)
    making = asyncio.create_task(maker(repository, seat).make(recipe(repository)))
    await asyncio.to_thread(working.wait, 20)
    making.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert worktree_count(repository) == 1 and seat.books.begun == 0


@pytest.mark.parametrize("name", EDITORS)
async def test_what_fails_is_told_by_a_typed_error_in_one_line(
    repository: Repository, name: str, tmp_path: Path
) -> None:
    async with seated(name, tmp_path / "stand-in") as seat:
        seat.plays(status=3, stderr="it broke", garbage="not json", files={"src/sort.py": "half\n"})
        seat.replies("not json")
        with pytest.raises(CeoptError) as caught:
            await maker(repository, seat).make(recipe(repository))
        assert isinstance(caught.value, ProposalError) and "\n" not in caught.value.message
        assert repository.resolve(BRANCH) == repository.head()
        assert seat.books.ended  # what it may have cost is on record all the same


@pytest.mark.parametrize("name", ["codex", "claude"])
async def test_three_failures_in_a_row_and_it_is_not_started_again(
    repository: Repository, name: str, tmp_path: Path
) -> None:
    async with seated(name, tmp_path / "stand-in") as seat:
        books, spend, notes = seat.books, Spend(), list[str]()
        editor = FallbackEditor(seat.editor, None, lambda: spend.failed_in_a_row.get(name, 0), notes.append)
        seat.plays(fault="the model got lost")
        one = WorktreeMaker(repository, tmp_path / "trees", editor, asyncio.Lock())
        for _ in range(3):
            with pytest.raises(ProposalError):
                await one.make(recipe(repository))
            facts, error = books.ended[-1]
            spend.finish_call(CallFinished(facts=facts, error=error))
        (seat.folder / "seen.json").unlink()
        with pytest.raises(SetupError, match="3 times in a row"):
            await one.make(recipe(repository))
        assert not (seat.folder / "seen.json").exists() and len(books.ended) == 3


async def test_words_that_are_no_proper_text_harm_nothing(repository: Repository, seat: Seat) -> None:
    seat.changes("src/sort.py", "slow\n", "fast\n")
    odd = "one\0 and\na second line"
    made = await maker(repository, seat).make(recipe(repository, hypothesis=odd, digest=odd))
    assert repository.show(made.commit, "src/sort.py") == b"fast\n"


@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_file_whose_name_is_no_text_is_refused(repository: Repository, name: str, tmp_path: Path) -> None:
    async with seated(name, tmp_path / "stand-in") as seat:
        seat.plays(files={"src/caf\udce9.py": "x"})
        with pytest.raises(ProposalRefused, match="not UTF-8") as caught:
            await maker(repository, seat).make(recipe(repository))
        assert caught.value.message.encode("utf-8")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
