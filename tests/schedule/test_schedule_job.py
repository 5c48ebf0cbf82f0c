"""What a job's line does when a scheduler runs it: a real shell, an empty environment, paths as users have them."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from ceopt_tui.errors import SetupError
from ceopt_tui.schedule.ci import workflow
from ceopt_tui.schedule.cron import cron_line, with_block, without_block
from ceopt_tui.schedule.interval import Interval
from ceopt_tui.schedule.job import Job, job_id, refuse_unwritable
from ceopt_tui.schedule.systemd import units
from ceopt_tui.schedule.variables import Needed

ODD = 'my "pro%ject" $HOME \\ it\'s #1'


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job whose `ceopt` writes down how it was started and wants to be started again."""
    root = tmp_path / ODD
    (root / ".git").mkdir(parents=True)
    executable = root / "ceopt"
    executable.write_text(
        '#!/bin/sh\npwd\necho "PATH=$PATH"\necho "KEY=$KEY $CEOPT_WAKE"\nprintf "<%s>" "$@"\necho\nexit 75\n', "utf-8"
    )
    executable.chmod(0o755)
    return Job(
        run="triage",
        executable=executable,
        spec=root / "triage.spec.yaml",
        root=root,
        state=root / ".context" / "ceopt" / "triage",
        environment_file=root / "keys 100%",
        interval=Interval(30),
        max_minutes=25,
        search_path="/opt/g i t:/usr/bin:/bin",
        options=("--model", "cheap=openai/a b"),
    )


def started(script: str) -> int:
    return subprocess.run(["/bin/sh", "-c", script], env={}, cwd="/", check=False).returncode


def said(job: Job) -> list[str]:
    return job.log.read_text("utf-8").splitlines()[1:]


def as_asked(job: Job, key: str, wake: str = "cron, every 30m") -> list[str]:
    words = ("run", str(job.spec), "--unattended", "--max-minutes", "25", "--model", "cheap=openai/a b")
    return [str(job.root), f"PATH={job.search_path}", f"KEY={key} {wake}", "".join(f"<{word}>" for word in words)]


def cron_command(job: Job) -> str:
    """What cron hands to the shell: without the five fields, `\\%` as `%`."""
    return cron_line(job).split(" ", 5)[5].replace(r"\%", "%")


def test_cron_starts_it_with_its_keys_and_gets_its_status(job: Job) -> None:
    job.environment_file.write_text("# keys\nKEY='a secret $HOME'\n", "utf-8")
    assert started(cron_command(job)) == 75
    assert said(job) == as_asked(job, "a secret $HOME")


def test_without_a_file_of_keys_it_starts_all_the_same(job: Job) -> None:
    assert started(cron_command(job)) == 75 and started(cron_command(job)) == 75
    assert said(job)[:4] == as_asked(job, "") and len(said(job)) == 9, "the log goes on"


def test_a_bare_percent_would_end_a_cron_command(job: Job) -> None:
    assert not re.search(r"(?<!\\)%", cron_line(job)) and "\n" not in cron_line(job)


def test_a_command_that_cron_would_cut_is_refused(job: Job) -> None:
    with pytest.raises(SetupError, match="too long for a line of cron"):
        cron_line(replace(job, state=job.root / ("é" * 400)))


def test_systemd_starts_the_same(job: Job) -> None:
    text = units(job)[f"{job.id}.service"]
    settings = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert settings["EnvironmentFile"] == f"-{job.environment_file}".replace("%", "%%")
    assert settings["SuccessExitStatus"] == "75 129 130 143" and settings["Type"] == "oneshot"
    shell, option, script = shlex.split(settings["ExecStart"])
    assert (shell, option) == ("/bin/sh", "-c")
    assert started(script.replace("%%", "%").replace("$$", "$")) == 75
    assert said(job) == as_asked(job, "", "systemd, every 30m")
    timer = units(job)[f"{job.id}.timer"]
    assert "OnCalendar=*:0/30\nPersistent=true\n" in timer and "WantedBy=timers.target" in timer


@pytest.mark.parametrize("moved", [True, False])
def test_a_repository_that_is_gone_or_moved_is_not_made_anew(job: Job, moved: bool) -> None:
    (job.root / ".git").rmdir()
    if moved:
        job.root.rename(job.root.with_name("elsewhere"))
    before = sorted(job.root.parent.rglob("*"))
    done = subprocess.run(
        ["/bin/sh", "-c", job.script("cron", reads_environment=True)],
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, f"ceopt: no repository is at {job.root}\n")
    assert sorted(job.root.parent.rglob("*")) == before


def test_a_ci_job_is_yaml_that_says_the_same(job: Job) -> None:
    whole = workflow(job, Needed(("OPENAI_API_KEY",), ("CEOPT_MODEL_CHEAP",), ("HTTPS_PROXY",)), "1.2.3")
    read = yaml.safe_load(whole)
    assert read[True] == {"schedule": [{"cron": "*/30 * * * *"}], "workflow_dispatch": None}  # `on` is YAML's true
    run = read["jobs"]["run"]
    assert run["env"] == {
        "OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}",
        "CEOPT_MODEL_CHEAP": "${{ vars.CEOPT_MODEL_CHEAP }}",
        "CEOPT_WAKE": "CI, every 30m",
    }
    steps = {step.get("name", step.get("run", step.get("uses"))): step for step in run["steps"]}
    assert steps["Keep the state"]["with"]["path"] == ".context/ceopt"
    assert "pip install ceopt-tui==1.2.3" in steps
    script = steps["Run"]["run"].replace("ceopt run", f"{shlex.quote(str(job.executable))} run")
    out = subprocess.run(["/bin/sh", "-ec", script], env={}, capture_output=True, text=True, check=False)
    assert out.returncode == 0, "75 is no failure"
    assert "<run><triage.spec.yaml><--unattended><--max-minutes><25><--model><cheap=openai/a b>" in out.stdout
    job.executable.write_text("#!/bin/sh\nexit 4\n", "utf-8")
    assert subprocess.run(["/bin/sh", "-ec", script], env={}, check=False).returncode == 4


def test_what_a_ci_could_not_do_is_refused(job: Job) -> None:
    with pytest.raises(SetupError, match="5m is the shortest"):
        workflow(replace(job, interval=Interval(1)), Needed((), ()), "1")
    with pytest.raises(SetupError, match="as an expression"):
        workflow(replace(job, options=("--model", "a=${{ secrets.X }}")), Needed((), ()), "1")


def test_a_path_with_a_line_break_cannot_be_scheduled(job: Job) -> None:
    with pytest.raises(SetupError, match="control character"):
        refuse_unwritable(replace(job, state=job.root / "a\nb"))


def test_a_job_is_told_from_others_by_its_spec_alone(job: Job) -> None:
    assert job.id == job_id(job.spec, prune=False) and job.id.startswith("ceopt-triage-spec-")
    assert len({job.id, job_id(job.spec, prune=True), job_id(Path("/other/triage.spec.yaml"), prune=False)}) == 3


MINE = "MAILTO=me\r\n# mine \x0c \u2028\n0 5 * * * backup  "


@pytest.mark.parametrize("before", ["", MINE, MINE + "\n", "\n\n"])
def test_the_block_comes_and_goes_and_leaves_the_rest(before: str, job: Job) -> None:
    once = with_block(before, job)
    assert with_block(once, job) == once and once.count(cron_line(job)) == 1
    changed = with_block(once + "# later\n", replace(job, interval=Interval(60)))
    assert changed.endswith("# later\n") and "0 * * * *" in changed and "*/30" not in changed
    ended = before if not before or before.endswith("\n") else before + "\n"
    assert without_block(once, job.id) == ended and without_block(changed, job.id) == ended + "# later\n"
    assert without_block(before, job.id) == before


def test_a_block_that_somebody_took_apart_is_not_guessed_at(job: Job) -> None:
    once = with_block(MINE, job)
    for torn in (once.replace(f"# <<< {job.id} <<<\n", ""), once + once.removeprefix(MINE)):
        with pytest.raises(SetupError, match="more than once, or only one"):
            with_block(torn, job)
