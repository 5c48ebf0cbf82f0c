"""`ceopt apply` and `ceopt diff` of a run that a command measured: the files of its commits, never over a change."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from triage_project import git

from ceopt_tui.commands import apply, diff
from ceopt_tui.errors import SetupError
from ceopt_tui.journal.folders import claim
from ceopt_tui.journal.journal import Journal
from ceopt_tui.system_clock import SystemClock
from schemas import records as r
from schemas.command_records import ChangeMade
from schemas.keeping_records import ProposalParked

OLD = {"src/sort.py": "slow\n", "src/old name.py": "unused\n", "spec.yaml": "name: faster\n"}
REPORT = "docs/optimize/faster-report.md"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a run that kept one change to three files, then a report; a second change waits."""
    root = tmp_path / "repo"
    for path, text in OLD.items():
        write(root, path, text)
    git(root, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "me"), ("user.email", "me@localhost"), ("commit.gpgsign", "false")):
        git(root, "config", key, value)
    base = committed(root, "start")
    git(root, "checkout", "--quiet", "-b", "optimize/faster")
    write(root, "src/sort.py", "fast\n")
    write(root, "src/new/tool.sh", "#!/bin/sh\n")
    (root / "src/new/tool.sh").chmod(0o755)
    (root / "src/old name.py").unlink()
    kept = committed(root, "kept")
    write(root, REPORT, "report\n")
    reported = committed(root, "report")
    write(root, "src/sort.py", "faster\n")
    waiting = committed(root, "waiting")
    git(root, "branch", "--force", "waiting", waiting)
    git(root, "reset", "--quiet", "--hard", reported)
    git(root, "checkout", "--quiet", "main")
    journalled(root, tmp_path / "state" / "faster", base, kept, waiting)
    monkeypatch.chdir(root)
    return root


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")


def committed(root: Path, message: str) -> str:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)
    return git(root, "rev-parse", "HEAD").strip()


def journalled(root: Path, folder: Path, base: str, kept: str, waiting: str) -> None:
    claim(folder, repository_root=root, git_common_dir=root / ".git")
    journal = Journal.open(folder, now=SystemClock().now)
    files = ("src/new/tool.sh", "src/old name.py", "src/sort.py")
    first, second = (git(root, "diff", *pair) for pair in ((base, kept), (kept, waiting)))
    journal.append([
        r.RunStarted(
            run_id="r", name="faster", ceopt_version="0", repository=str(root), spec_file="spec.yaml", spec_digest="s",
            approval_digest="a", measurement_digest="m", base_sha=base, branch="optimize/faster", texts={},
            text_digest=base, seed=7, command="./measure",
        ),
        *started(1, base),
        ChangeMade(number=1, commit=kept, files=files, diff=first),
        r.ExperimentClosed(number=1, outcome="kept", reason="better", moved=True),
        r.Committed(number=1, text_digest=kept, commit=kept, branch="optimize/faster"),
        *started(2, kept),
        ChangeMade(number=2, commit=waiting, files=("src/sort.py",), diff=second),
        ProposalParked(number=2, cause="unread", reason="nobody read it"),
        r.Stopped(outcome="plateau", reason="enough"),
    ])  # fmt: skip
    journal.close()


def started(number: int, base: str) -> tuple[r.HypothesisAdded, r.ExperimentStarted]:
    idea = r.HypothesisAdded(id=f"h{number}", description=f"idea {number}", category="c", move="edit", source="llm")
    return idea, r.ExperimentStarted(
        number=number, hypothesis_id=idea.id, base_digest=base, base_sha=base, branch=f"e{number}", batch=number
    )


def call(root: Path, command: object, *arguments: str) -> Result:
    state = str(root.parent / "state")
    return CliRunner().invoke(getattr(command, "command"), ["faster", "--state-root", state, *arguments])  # noqa: B009


def test_changed_new_and_removed_files_are_put_in_place_and_the_report_is_not(root: Path) -> None:
    said = call(root, apply)
    assert said.output == "written: src/new/tool.sh, src/old name.py, src/sort.py\n"
    assert (root / "src/sort.py").read_text() == "fast\n" and not (root / "src/old name.py").exists()
    assert (root / "src/new/tool.sh").stat().st_mode & stat.S_IXUSR
    assert not (root / REPORT).exists()
    assert call(root, apply).output.startswith("already in place: ")
    assert "committed as" in call(root, apply, "--commit").output
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "diff", "HEAD", "optimize/faster", "--", "src") == ""


@pytest.mark.parametrize(
    ("path", "text"), [("src/sort.py", "mine\n"), ("src/new/tool.sh", "mine\n"), ("src/old name.py", "mine\n")]
)
def test_a_file_that_changed_meanwhile_keeps_every_file_as_it_is(root: Path, path: str, text: str) -> None:
    write(root, path, text)
    before = git(root, "status", "--porcelain")
    refused = call(root, apply)
    assert isinstance(refused.exception, SetupError) and path in refused.exception.message
    assert git(root, "status", "--porcelain") == before and (root / path).read_text() == text


def test_a_waiting_change_comes_with_what_was_kept_before_it(root: Path) -> None:
    assert isinstance(call(root, apply, "--proposal", "1").exception, SetupError)
    assert call(root, apply, "--proposal", "2").exit_code == 0
    assert (root / "src/sort.py").read_text() == "faster\n" and (root / "src/new/tool.sh").exists()


def test_links_and_permissions_are_left_to_git(root: Path) -> None:
    git(root, "checkout", "--quiet", "waiting")
    (root / "src/link").symlink_to("sort.py")
    (root / "src/sort.py").chmod(0o755)
    odd = committed(root, "odd")
    git(root, "checkout", "--quiet", "main")
    journal = Journal.open(root.parent / "state" / "faster", now=SystemClock().now)
    journal.append([r.Committed(number=2, text_digest=odd, commit=odd, branch="optimize/faster")])
    journal.close()
    refused = call(root, apply)
    assert isinstance(refused.exception, SetupError)
    assert "src/link, src/sort.py: a link" in refused.exception.message and odd[:10] in str(refused.exception.hint)
    assert git(root, "status", "--porcelain") == ""


def test_the_diff_is_that_of_all_kept_commits_without_the_report(root: Path) -> None:
    shown = call(root, diff).output
    assert "-slow\n+fast\n" in shown and "deleted file" in shown and "new file mode 100755" in shown
    assert "docs/optimize" not in shown and "faster\n" not in shown
    assert "-fast\n+faster\n" in call(root, diff, "--experiment", "2").output
    assert isinstance(call(root, diff, "--experiment", "3").exception, SetupError)


def test_a_pull_request_shows_the_kept_changes_and_why(root: Path) -> None:
    text = call(root, apply, "--pr").output
    assert "+fast\n" in text and "- exp-001: better" in text and "`./measure`" in text
    assert "held-out cases" not in text and "+faster" not in text
