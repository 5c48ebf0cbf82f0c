"""`ceopt schedule`: prints, installs and removes a job; cron and systemd are small programs that note it down."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from triage_project import KEY, make_project

from ceopt_tui.commands import approve, schedule
from ceopt_tui.errors import CeoptError

CRONTAB = """\
#!/bin/sh
[ -z "$CRON_REFUSES" ] || { echo "$CRON_REFUSES" >&2; exit 1; }
if [ "$1" = -l ]; then
  [ -f "$HOME/crontab" ] || { echo "no crontab for me" >&2; exit 1; }
  exec cat "$HOME/crontab"
fi
exec cat >"$HOME/crontab"
"""
SYSTEMCTL = """\
#!/bin/sh
echo "$@" >>"$HOME/systemctl"
[ -z "$NO_BUS" ] || { echo "Failed to connect to bus" >&2; exit 1; }
"""
MINE = "MAILTO=me\n0 5 * * * backup\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a scheduler of each kind; the working directory is a project."""
    place = make_project(tmp_path, "http://127.0.0.1:9/v1")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("crontab", CRONTAB), ("systemctl", SYSTEMCTL)):
        (programs / name).write_text(text, "utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("HOME", str(place.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place.home / "config"))
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    for name in ("XDG_CACHE_HOME", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "CEOPT_LOCAL_GGUF"):
        monkeypatch.delenv(name, raising=False)
    for name, value in place.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place.root)
    return place.home


def call(*arguments: str) -> tuple[str, str]:
    """What `ceopt schedule spec.yaml …` prints: data, talk."""
    result = CliRunner().invoke(schedule.command, ["spec.yaml", *arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout, result.stderr


def refusal(*arguments: str) -> str:
    with pytest.raises(CeoptError) as caught:
        call(*arguments)
    return str(caught.value)


def crontab(home: Path) -> str:
    return (home / "crontab").read_text("utf-8")


def told_systemd(home: Path) -> Sequence[str]:
    return (home / "systemctl").read_text("utf-8").splitlines()


def test_a_line_for_cron_names_everything_in_full_and_holds_no_key(home: Path) -> None:
    out, err = call()
    assert out.startswith("*/30 * * * * ") and out.count("\n") == 1
    assert f"ceopt run {Path.cwd() / 'spec.yaml'} --unattended --max-minutes 25" in out
    assert f"state={Path.cwd()}/.context/ceopt/triage; " in out and '>>"$state"/schedule.log 2>&1' in out
    needed = "OPENAI_API_KEY, CEOPT_MODEL_CHEAP, OPENAI_BASE_URL, XDG_CONFIG_HOME"
    assert f"{home}/config/ceopt/environment, one NAME='value' a line, chmod 600: {needed}\n" in err
    assert "not approved yet" in err and KEY not in out + err
    assert not (home / "crontab").exists() and not Path(".context").exists(), "printing changes nothing"
    assert f"{Path.cwd() / 'spec.yaml'} --unattended --max-minutes 25 --max-ticks 2; }}" in call("--max-ticks", "2")[0]


def test_what_is_set_already_is_not_asked_for(home: Path) -> None:
    CliRunner().invoke(approve.command, ["spec.yaml"])
    file = home / "my.env"
    file.write_text(f"export OPENAI_API_KEY='{KEY}'\n#CEOPT_MODEL_CHEAP=x\nOPENAI_BASE_URL=\n", "utf-8")
    file.chmod(0o640)
    out, err = call("--env-file", str(file))
    assert str(file) in out and "chmod 600: CEOPT_MODEL_CHEAP, OPENAI_BASE_URL" in err
    assert f"{file} can be read by others" in err and "not approved" not in err
    file.chmod(0o600)
    rest = f"CEOPT_MODEL_CHEAP=a/b\nOPENAI_BASE_URL=http://x\nXDG_CONFIG_HOME={home}/config\n"
    file.write_text(f"OPENAI_API_KEY={KEY}\n{rest}", "utf-8")
    assert call("--env-file", str(file))[1].startswith("log: ")


def test_the_crontab_is_shown_before_it_is_changed_and_all_else_in_it_stays(home: Path) -> None:
    (home / "crontab").write_text(MINE, "utf-8")
    assert "no terminal to ask in" in refusal("--install") and crontab(home) == MINE
    assert not Path(".context").exists()
    out, _ = call("--install", "--yes")
    assert out.startswith("--- crontab (now)\n+++ crontab (then)\n") and "+*/30 * * * * state=" in out
    assert out.endswith("\ninstalled\n")
    once = crontab(home)
    assert once.startswith(MINE) and once.count("ceopt run") == 1
    assert Path(".context/ceopt/triage").is_dir() and ".context" in Path(".git/info/exclude").read_text("utf-8")
    assert call("--install")[0] == "already installed\n" and crontab(home) == once
    assert "-*/30" in call("--install", "--yes", "--every", "1h", "--max-minutes", "9")[0]
    assert crontab(home).count("ceopt run") == 1 and "--max-minutes 9;" in crontab(home)
    Path("spec.yaml").unlink()
    assert "-0 * * * *" in call("--remove", "--yes")[0], "also when the spec is gone"
    assert crontab(home) == MINE and call("--remove")[0] == "not installed (cron)\n"


def test_a_crontab_that_cannot_be_read_is_not_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "crontab").write_text(MINE, "utf-8")
    monkeypatch.setenv("CRON_REFUSES", "you (me) are not allowed to use this program")
    assert "not allowed to use this program" in refusal("--install", "--yes") and crontab(home) == MINE


def test_a_machine_without_cron_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_git = home / "only-git"
    only_git.mkdir()
    git = next(Path(folder) / "git" for folder in os.environ["PATH"].split(":") if (Path(folder) / "git").exists())
    (only_git / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(only_git))
    assert "no `crontab` command" in refusal("--install", "--yes")
    assert f"PATH={only_git}:/usr/local/bin:/usr/bin:/bin" in call()[0], "a git elsewhere is found by the job"


def test_systemd_gets_a_timer_and_loses_it_again(home: Path) -> None:
    folder = home / "config" / "systemd" / "user"
    printed, _ = call("--kind", "systemd")
    out, err = call("--kind", "systemd", "--install", "--yes")
    service, timer = sorted(folder.iterdir())
    assert printed == f"# {service}\n{service.read_text('utf-8')}\n# {timer}\n{timer.read_text('utf-8')}"
    assert out.endswith("\ninstalled\n") and "enable-linger" in err and KEY not in out + err + printed
    assert told_systemd(home) == ["--user daemon-reload", f"--user enable --now {timer.name}"]
    assert call("--kind", "systemd", "--install")[0] == "already installed\n"
    assert call("--kind", "systemd", "--remove", "--yes")[0].endswith("\nremoved\n")
    assert not list(folder.iterdir())
    assert told_systemd(home)[2:] == [f"--user disable --now {timer.name}", "--user daemon-reload"]


def test_units_stay_written_where_systemd_does_not_answer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_BUS", "1")
    _, err = call("--kind", "systemd", "--install", "--yes")
    assert "Failed to connect to bus; do it yourself: systemctl --user daemon-reload" in err
    assert len(list((home / "config" / "systemd" / "user").iterdir())) == 2


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_unit_of_somebody_else_stays(kind: str, home: Path) -> None:
    call("--kind", "systemd", "--install", "--yes")
    service = next((home / "config" / "systemd" / "user").glob("*.service"))
    mark = service.read_text("utf-8").partition("\n")[0]
    other = home / "other"
    other.write_text("[Unit]\n" if kind == "file" else f"{mark}\n", "utf-8")
    service.unlink()
    service.hardlink_to(other) if kind == "file" else service.symlink_to(other)
    for arguments in (("--install",), ("--remove",)):
        assert "was not made by this command" in refusal("--kind", "systemd", "--yes", *arguments)
    assert service.exists() and other.exists()


def test_a_ci_job_names_the_spec_from_the_root(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CEOPT_STATE_ROOT", str(home))
    out, err = call("--kind", "ci", "--approve", "abc", "--model", "cheap=openai/gpt-5-mini")
    assert "ceopt run spec.yaml --unattended --max-minutes 25 --model cheap=openai/gpt-5-mini --approve abc" in out
    assert str(home) not in out and "OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}" in out and KEY not in out
    assert "secrets to be set in the CI: OPENAI_API_KEY" in err and "not approved" not in err


def test_a_workflow_is_written_into_the_working_tree_only_when_asked(home: Path) -> None:
    printed, _ = call("--kind", "ci")
    assert not Path(".github").exists()
    out, err = call("--kind", "ci", "--install", "--yes")
    (file,) = Path(".github/workflows").iterdir()
    assert file.read_text("utf-8") == printed and out.endswith("\ninstalled\n") and "committed and pushed" in err
    assert call("--kind", "ci", "--install")[0] == "already installed\n" and not Path(".context").exists()
    assert call("--kind", "ci", "--remove", "--yes")[0].endswith("\nremoved\n") and not file.exists()
    assert call("--kind", "ci", "--remove")[0] == "not installed (ci)\n"
    file.write_text("name: mine\n", "utf-8")
    assert "was not made by this command" in refusal("--kind", "ci", "--install", "--yes")


def test_a_state_root_of_the_environment_goes_along(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CEOPT_STATE_ROOT", str(home))
    out, _ = call("--prune")
    assert f"ceopt prune {Path.cwd() / 'spec.yaml'} --unattended" in out
    assert f"--state-root {home}/ceopt;" in out and f"state={home}/ceopt/triage-prune; " in out


def test_a_spec_that_could_not_run_is_not_scheduled(home: Path) -> None:
    Path("prompts/triage.md").unlink()
    assert "prompts/triage.md is not there" in refusal()
    Path("prompts/triage.md").write_text("x\n", "utf-8")
    assert "not an interval" in refusal("--every", "often")


@pytest.mark.parametrize(("answer", "told"), [("y", "installed"), ("n", "nothing was changed")])
def test_in_a_terminal_it_asks(answer: str, told: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "has_terminal", lambda: True)
    result = CliRunner().invoke(schedule.command, ["spec.yaml", "--install"], input=f"{answer}\n")
    assert "Make this change? [y/N]" in result.stderr and f"\n{told}\n" in result.stdout
    assert (home / "crontab").exists() is Path(".context").exists() is (answer == "y")
