"""`ceopt clean`: lists first, removes by name after a yes, and never what may be somebody's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from triage_project import git, make_project

from ceopt_tui.cleaning.inventory import size_words
from ceopt_tui.commands import clean
from ceopt_tui.errors import BusyError, SetupError
from ceopt_tui.gitops.branches import experiment_branch
from ceopt_tui.gitops.listing import registered
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.worktrees import Worktrees
from ceopt_tui.journal.atomic import working_name
from ceopt_tui.journal.folders import claim
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.system_clock import SystemClock
from judges.cache import ReplyCache
from schemas import records as r

RUN = r.RunStarted(
    run_id="r", name="triage", ceopt_version="0", repository="", spec_file="spec.yaml", spec_digest="s",
    approval_digest="a", measurement_digest="m", base_sha="b", branch="optimize/triage", texts={"p.md": "x"},
    text_digest="x", seed=7,
)  # fmt: skip
FINISHED = (r.Stopped(outcome="plateau", reason="enough"), r.Finished(outcome="x", exit_status=0, reason="enough"))
BLOCKED = r.TickEnded(tick=1, active_s=9, status="blocked", reason="a person has to answer")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    root = make_project(tmp_path, "http://127.0.0.1:9/v1").root
    monkeypatch.chdir(root)
    return Repository.find(root)


@pytest.fixture
def folder(repository: Repository) -> Path:
    """The state folder of a run of this repository."""
    folder = repository.root / ".context" / "ceopt" / "triage"
    claim(folder, repository_root=repository.root, git_common_dir=repository.git_common_dir)
    for name in ("strategy-digest.md", "report.md", "experiment-log.yaml", "notes of mine.txt"):
        (folder / name).write_text(name, "utf-8")
    return folder


def write_journal(folder: Path, *records: r.AnyRecord) -> None:
    journal = Journal.open(folder, now=SystemClock().now)
    journal.append((r.TickStarted(tick=1, pid=1, host="h"), RUN, *records))
    journal.close()


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(clean.command, list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_it_lists_and_removes_nothing_without_a_yes(folder: Path) -> None:
    write_journal(folder, *FINISHED)
    before = names(folder)
    out = call("triage")
    goes, stays = out.stdout.split("stays:\n")
    assert goes.startswith("to remove:\n") and "strategy-digest.md (18 bytes): made again" in goes
    for kept in ("journal.jsonl", "report.md", "experiment-log.yaml"):
        assert kept in stays and kept not in goes
    assert "notes of mine.txt (17 bytes): ceopt did not name it" in stays
    assert "add --yes" in out.stderr and names(folder) == before


def test_a_yes_removes_what_was_listed_and_all_else_stays(folder: Path, repository: Repository) -> None:
    write_journal(folder, *FINISHED)
    trees, branch = Worktrees(repository, folder / "worktrees"), experiment_branch("triage", 3)
    trees.add(branch, repository.head(), 3)
    git(repository.root, "branch", "optimize/triage")
    before = names(folder)
    out = call("--yes").stdout
    assert f"{folder}/worktrees/exp-003 (" in out and "removed 3 of 3" in out
    assert "branch optimize/triage: what the run kept" in out and f"branch {branch}: the next start" in out
    gone = {"strategy-digest.md", "worktrees"}
    assert names(folder) == (before | {"lock"}) - gone and len(registered(repository)) == 1
    assert set(git(repository.root, "branch", "--format=%(refname:lstrip=2)").split()) == {
        "main", "optimize/triage", branch,
    }  # fmt: skip
    assert "nothing to remove" in call("--yes").stdout, "a second time finds nothing"


def test_checkouts_that_were_measured_in_go_too(folder: Path, repository: Repository) -> None:
    write_journal(folder, *FINISHED)
    Worktrees(repository, folder / "bench").add_detached(repository.head(), 2)
    assert "a checkout that was measured in" in call("--yes").stdout
    assert not (folder / "bench").exists() and len(registered(repository)) == 1


@pytest.mark.parametrize(("answer", "gone"), [("y", True), ("n", False), ("", False)])
def test_in_a_terminal_it_asks(answer: str, gone: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_journal(folder, *FINISHED)
    monkeypatch.setattr(clean, "has_terminal", lambda: True)
    result = CliRunner().invoke(clean.command, ["triage"], input=f"{answer}\n")
    assert "Remove it? [y/N]" in result.stderr and (folder / "strategy-digest.md").exists() is not gone


def test_every_file_that_ceopt_makes_is_known_to_it(folder: Path) -> None:
    write_journal(folder, *FINISHED)
    kept = {"pull-request.md": "pull request", "journal.jsonl.torn-20261201T000000Z": "cut end of a journal"}
    gone = {working_name(name) for name in ("experiment-log.yaml", "journal.jsonl.torn-20261201T000000Z")}
    for name in (*kept, *gone):
        (folder / name).write_text(name, "utf-8")
    for place in ("scratch/ceopt-index-abc", "dispatched", "results"):
        (folder / place).mkdir(parents=True)
    (folder / "scratch" / "ceopt-index-abc" / "index.lock").write_text("x", "utf-8")
    (folder / "notes of mine.txt").unlink()
    out = call("--yes").stdout
    assert "ceopt did not name it" not in out
    assert all(f"{name} (" in out and words in out.split("stays:")[1] for name, words in kept.items())
    assert names(folder) & (gone | {"scratch", "dispatched", "results"}) == set() and names(folder) >= set(kept)


def test_what_is_no_index_of_ceopts_stays_with_its_folder(folder: Path, tmp_path: Path) -> None:
    write_journal(folder, *FINISHED)
    (tmp_path / "index").write_text("mine", "utf-8")
    mine = folder / "scratch" / "ceopt-index-abc"
    mine.mkdir(parents=True)
    (mine / "index").symlink_to(tmp_path / "index")
    (folder / "scratch" / "ceopt-index-def").mkdir()
    out = call("--yes").stdout
    assert "removed 2 of 2" in out and "ceopt-index-abc (" in out.split("stays:")[1]
    assert names(folder / "scratch") == {"ceopt-index-abc"} and (mine / "index").is_symlink()


def test_links_and_what_git_does_not_know_stay_and_are_named(folder: Path, tmp_path: Path) -> None:
    write_journal(folder, *FINISHED)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "strategy-digest.md").write_text("mine", "utf-8")
    (folder / "strategy-digest.md").unlink()
    (folder / "strategy-digest.md").symlink_to(mine / "strategy-digest.md")
    (folder / "worktrees" / "exp-001").mkdir(parents=True)
    (folder / "worktrees" / "exp-002").symlink_to(mine)
    out = call("--yes").stdout
    assert out.startswith("stays:\n") and out.endswith("\nnothing to remove\n")
    assert "strategy-digest.md: a link" in out and "exp-002: a link" in out and "exp-001: ceopt did not name" in out
    assert (folder / "worktrees" / "exp-001").is_dir() and (folder / "strategy-digest.md").is_symlink()
    assert (mine / "strategy-digest.md").read_text("utf-8") == "mine"


def test_a_link_in_the_place_of_the_worktrees_is_not_followed(
    folder: Path, repository: Repository, tmp_path: Path
) -> None:
    write_journal(folder, *FINISHED)
    elsewhere = Worktrees(repository, tmp_path / "elsewhere")
    tree = elsewhere.add(experiment_branch("triage", 1), repository.head(), 1)
    (folder / "worktrees").symlink_to(elsewhere.folder)
    assert "worktrees: a link" in call("--yes").stdout and tree.path.is_dir()


@pytest.mark.parametrize(
    ("records", "status"), [((BLOCKED,), "blocked"), ((BLOCKED.model_copy(update={"status": "waiting"}),), "waiting"),
                            ((), "cut off")]
)  # fmt: skip
def test_everything_stays_until_the_run_is_at_its_end(records: tuple[r.AnyRecord], status: str, folder: Path) -> None:
    write_journal(folder, *records)
    before = names(folder)
    with pytest.raises(SetupError, match=f"triage is {status}, so everything stays"):
        call("--yes")
    assert names(folder) == before
    assert "removed 1 of 1" in call("--yes", "--unfinished").stdout
    assert names(folder) == (before | {"lock"}) - {"strategy-digest.md"}


def test_nothing_goes_while_another_process_works_on_the_run(folder: Path) -> None:
    write_journal(folder, *FINISHED)
    with RunLock.acquire(folder, now=SystemClock().now), pytest.raises(BusyError):
        call("--yes", "--unfinished")
    assert (folder / "strategy-digest.md").exists()


def test_a_damaged_journal_and_a_foreign_state_are_left_alone(folder: Path, tmp_path: Path) -> None:
    write_journal(folder, *FINISHED)
    (folder / "repository").write_text("/other/.git\n", "utf-8")
    outside = tmp_path / "states"
    folder.parent.rename(outside)
    with pytest.raises(SetupError, match=r"belongs to another repository: /other/\.git"):
        call("--yes", "--state-root", str(outside))
    journal = outside / "triage" / "journal.jsonl"
    journal.write_bytes(b"not a record\n" + journal.read_bytes())
    with pytest.raises(SetupError, match=r"nothing of triage is removed: .*line 1: damaged"):
        call("--yes", "--state-root", str(outside))
    assert (outside / "triage" / "strategy-digest.md").exists()


@pytest.fixture
def archive(folder: Path, repository: Repository) -> Callable[[str], Path]:
    """Archives a state folder and a branch under a name."""

    def make(moment: str) -> Path:
        place = folder.with_name(f"triage.archived-{moment}")
        write_journal(place, *FINISHED)
        git(repository.root, "branch", f"optimize-archive/triage/archived-{moment}")
        return place

    return make


def test_archived_runs_are_listed_and_only_named_ones_go(
    archive: Callable[[str], Path], repository: Repository, tmp_path: Path
) -> None:
    first, second = archive("20261128T120000Z"), archive("20261129T120000Z-2")
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", "utf-8")
    (first / "link").symlink_to(mine)
    (first.parent / "triage.archived-by-hand").mkdir()
    listed = call("--archived")
    shown = [line.split(" ")[2].rstrip(":") for line in listed.stdout.splitlines()[1:]]
    assert shown == [first.name, second.name, *(f"optimize-archive/triage/{name.name[7:]}" for name in (first, second))]
    assert "until you name it" in listed.stderr and first.is_dir()
    assert "add --yes" in call("--archived", first.name).stderr and first.is_dir()
    branch = shown[3]
    assert "removed 2 of 2" in call("--archived", first.name, branch, "--yes").stdout
    assert not first.exists() and second.is_dir() and mine.read_text("utf-8") == "mine"
    assert shown[2] in git(repository.root, "branch", "--list", "optimize-archive/*")
    assert branch not in git(repository.root, "branch", "--list", "optimize-archive/*")


@pytest.mark.parametrize("name", ["triage", "*", "triage.archived-*", "../triage", "optimize/triage", "main", ""])
def test_no_other_name_is_taken_for_an_archived_one(name: str, archive: Callable[[str], Path], folder: Path) -> None:
    write_journal(folder, *FINISHED)
    kept = archive("20261128T120000Z")
    with pytest.raises(SetupError, match="nothing archived is called"):
        call("--archived", kept.name, name, "--yes")
    assert kept.is_dir() and folder.is_dir()


def test_an_archive_that_git_works_in_stays(archive: Callable[[str], Path], repository: Repository) -> None:
    place = archive("20261128T120000Z")
    branch = "optimize-archive/triage/archived-20261128T120000Z"
    git(repository.root, "worktree", "add", "--quiet", str(place / "tree"), branch)
    out = call("--archived", place.name, branch, "--yes")
    assert out.return_value == 3 and "removed 0 of 2" in out.stdout
    assert "git has a checkout in it" in out.stdout and "is checked out in" in out.stdout
    assert (place / "tree").is_dir() and place.is_dir()


def test_the_cache_is_shown_with_its_size_and_emptied(tmp_path: Path) -> None:
    place = tmp_path / "replies"
    assert call("--cache", "--cache-dir", str(place), "--yes").stdout == f"{place}: 0 replies, 0 bytes\n"
    using = ReplyCache(place)
    for number in range(40):
        using.put(f"key{number}", {"text": "x" * 5_000})
    damaged = place / "cache.db.damaged-1"
    damaged.write_bytes(b"old")
    listed = call("--cache", "--cache-dir", str(place))
    assert f"{place}: 40 replies, " in listed.stdout and "MB" in listed.stdout and "add --yes" in listed.stderr
    assert using.get("key7") is not None
    assert "emptied" in call("--cache", "--cache-dir", str(place), "--yes").stdout
    assert using.get("key7") is None and not damaged.exists()
    using.put("key7", {"text": "new"})
    assert using.get("key7") == {"text": "new"}, "a process that uses the cache goes on using it"
    using.close()


def test_a_row_of_the_cache_cannot_name_a_file_to_be_deleted(tmp_path: Path) -> None:
    place, mine = tmp_path / "replies", tmp_path / "mine.txt"
    mine.write_text("mine", "utf-8")
    cache = ReplyCache(place)
    cache.put("key", {"text": "x"})
    cache.close()
    with sqlite3.connect(place / "cache.db") as connection:
        connection.execute("UPDATE Cache SET filename = '../mine.txt', mode = 2")
    connection.close()
    assert "emptied" in call("--cache", "--cache-dir", str(place), "--yes").stdout
    assert mine.read_text("utf-8") == "mine"


def test_the_cache_belongs_to_no_run() -> None:
    refused = CliRunner().invoke(clean.command, ["triage", "--cache"])
    assert refused.exit_code == 2 and "name none" in refused.output


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"),
     (999_499, "999 kB"), (999_500, "1.0 MB"), (23_400_000, "23 MB"), (5_000_000_000_000_000, "5000 TB")],
)  # fmt: skip
def test_sizes_in_words(size_bytes: int, words: str) -> None:
    assert size_words(size_bytes) == words
