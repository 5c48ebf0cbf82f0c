"""Running git: never a prompt, always a limit, errors in git's words."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from real_repositories import no_wait, run

from ceopt_tui.errors import GitError, SetupError, StorageError
from ceopt_tui.gitops.environment import own_environment, user_environment
from ceopt_tui.gitops.git import LOCK_WAIT_S, attempt, git, git_async, wait_until_unlocked
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.version import MINIMUM, git_version


def fake_git(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Puts a program named git first on the PATH."""
    folder.mkdir()
    script = folder / "git"
    script.write_text(f"#!{sys.executable}\n{program}")
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_output_comes_back_as_text(root: Path) -> None:
    assert git(["branch", "--show-current"], root) == "main\n"


async def test_the_async_runner_does_the_same(root: Path) -> None:
    assert await git_async(["branch", "--show-current"], root) == "main\n"


def test_a_refusal_carries_gits_words_and_stops_the_run_resumably(root: Path) -> None:
    with pytest.raises(GitError, match=r"git rev-parse: fatal: .*nowhere") as caught:
        git(["rev-parse", "nowhere"], root)
    assert caught.value.exit_status == 3
    assert attempt(["rev-parse", "nowhere"], root).status == 128


def test_missing_git_is_named(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(SetupError, match="git is not installed"):
        git(["status"], root)


def test_a_missing_folder_is_not_mistaken_for_missing_git(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="cannot run in"):
        git(["status"], tmp_path / "gone")


def test_a_git_that_hangs_is_stopped_with_its_children(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", monkeypatch, "import subprocess; subprocess.run(['sleep', '60'])")
    started = time.monotonic()
    with pytest.raises(GitError, match=r"git fetch took longer than 0\.5 s"):
        git(["fetch"], root, timeout_s=0.5)
    assert time.monotonic() - started < 30


def test_a_git_that_was_killed_has_answered_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.find(root)
    fake_git(tmp_path / "bin", monkeypatch, "import os; os.kill(os.getpid(), 9)")
    for asked in (
        lambda: git(["status"], root),
        lambda: repository.branch_exists("main"),
        lambda: repository.tracked("x"),
    ):
        with pytest.raises(GitError, match="ended by signal 9"):
            asked()


def test_a_git_that_failed_has_not_said_no(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository.find(root)
    fake_git(tmp_path / "bin", monkeypatch, "import sys; sys.exit(128)")
    for asked in (lambda: repository.branch_exists("main"), lambda: repository.is_ancestor("HEAD", "HEAD")):
        with pytest.raises(GitError, match="exit status 128"):
            asked()


def test_a_git_without_room_is_a_full_disk(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "fatal: cannot write x: No space left on device"
    fake_git(tmp_path / "bin", monkeypatch, f"import sys; print('{said}', file=sys.stderr); sys.exit(128)")
    with pytest.raises(StorageError, match="no space left") as caught:
        git(["write-tree"], root)
    assert caught.value.exit_status == 3


def test_an_interrupted_caller_leaves_no_git_behind(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", monkeypatch, "import time; time.sleep(60)")
    started: list[int] = []

    def interrupted(process: subprocess.Popen[bytes], *_: object, **__: object) -> None:
        started.append(process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        git(["fetch"], root)
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


def test_git_cannot_reach_the_terminal_or_its_input(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import os, sys; print(os.getsid(0) == os.getpid(), repr(sys.stdin.read()))"
    fake_git(tmp_path / "bin", monkeypatch, program)
    assert git(["x"], root) == "True ''\n"
    assert git(["x"], root, input=b"given") == "True 'given'\n"


def test_ceopts_commands_see_no_provider_key_and_no_foreign_repository() -> None:
    given = {"OPENAI_API_KEY": "k", "GITHUB_TOKEN": "t", "GIT_DIR": "/x", "GPG_TTY": "/dev/tty", "LANG": "de_DE.UTF-8"}
    own = own_environment(given)
    assert not {"OPENAI_API_KEY", "GIT_DIR", "GPG_TTY"} & own.keys()
    assert own["GITHUB_TOKEN"] == "t"
    assert (own["GIT_TERMINAL_PROMPT"], own["LC_ALL"], own["GIT_SSH_COMMAND"]) == ("0", "C", "ssh -o BatchMode=yes")
    user = user_environment(given | {"GIT_SSH_COMMAND": "ssh -i key"})
    assert "GIT_DIR" not in user
    assert user["OPENAI_API_KEY"] == "k"
    assert user["GIT_SSH_COMMAND"] == "ssh -i key -o BatchMode=yes"
    assert "LC_ALL" not in user


def test_a_hooks_environment_does_not_redirect_git(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other-index"))
    assert git(["branch", "--show-current"], root) == "main\n"


def test_a_lock_that_goes_away_is_waited_for(root: Path) -> None:
    lock = root / ".git" / "index.lock"
    lock.touch()
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            lock.unlink()

    git(["add", "prompt.txt"], root, wait=wait)
    assert len(waits) == 3
    assert run(root, "status", "--porcelain", "--untracked-files=no") == "M  prompt.txt\n"


def test_a_lock_that_stays_is_named_and_kept(root: Path) -> None:
    lock = root / ".git" / "index.lock"
    lock.touch()
    waits: list[float] = []
    with pytest.raises(GitError, match=r"index\.lock exists") as caught:
        git(["add", "prompt.txt"], root, wait=waits.append)
    assert sum(waits) == LOCK_WAIT_S
    assert str(lock) in caught.value.message
    assert lock.exists()
    with pytest.raises(GitError, match=r"index\.lock exists"):
        wait_until_unlocked(lock, no_wait)
    assert lock.exists()


@pytest.mark.parametrize(("said", "words"), [("git version 2.35.9", "git 2.35 is too old"), ("?", "does not say")])
def test_a_git_that_is_too_old_is_refused(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, words: str
) -> None:
    assert git_version(root) >= MINIMUM
    fake_git(tmp_path / "bin", monkeypatch, f"print({said!r})")
    with pytest.raises(SetupError, match=words):
        Repository.find(root)
