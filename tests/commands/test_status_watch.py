"""`ceopt status --watch`: reads on instead of again, writes only what changed, and leaves the terminal as it was."""

from __future__ import annotations

import io
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import CEOPT, LIMIT_S
from click.testing import CliRunner
from triage_project import git

from ceopt_tui import following
from ceopt_tui.commands import status
from ceopt_tui.commands.watching import Lines, Screen, watch
from ceopt_tui.core.state.fold import fold
from ceopt_tui.following import FollowedRun, follow
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.replay import replay
from ceopt_tui.journal.tail import read_all
from ceopt_tui.looking import FoundRun
from ceopt_tui.system_clock import SystemClock
from schemas import records as r

RUN = r.RunStarted(
    run_id="r", name="triage", ceopt_version="0", repository="", spec_file="spec.yaml", spec_digest="s",
    approval_digest="a", measurement_digest="m", base_sha="b", branch="optimize/triage", texts={"p.md": "x"},
    text_digest="x", seed=7,
)  # fmt: skip
WAITING = r.TickEnded(tick=1, active_s=9, status="waiting", reason="the time for this tick is used up")
END = (r.Stopped(outcome="plateau", reason="enough"), r.Finished(outcome="x", exit_status=0, reason="enough"))


def experiment(number: int) -> tuple[r.AnyRecord, ...]:
    return (
        r.HypothesisAdded(id=f"h{number}", description=f"idea {number}", category="c", move="append", source="fake"),
        r.ExperimentStarted(number=number, hypothesis_id=f"h{number}", base_digest="x", base_sha="b", branch="e"),
        r.ExperimentClosed(number=number, outcome="reverted", reason="no gain", moved=True),
    )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "start")
    return Repository.find(tmp_path)


@pytest.fixture
def journal(repository: Repository) -> Iterator[Journal]:
    journal = Journal.open(repository.root / ".context" / "ceopt" / "triage", now=SystemClock().now)
    journal.append((r.TickStarted(tick=1, pid=1, host="h"), RUN))
    yield journal
    journal.close()


@pytest.fixture
def folder(journal: Journal, repository: Repository) -> Path:
    return repository.root / ".context" / "ceopt" / "triage"


def test_each_look_equals_a_full_reading_and_reads_only_what_is_new(
    folder: Path, journal: Journal, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = []
    monkeypatch.setattr(following, "read_all", lambda path: full.append(path) or read_all(path))
    followed = FollowedRun(folder, repository)
    for number in range(1, 6):
        journal.append(experiment(number))
        assert followed.look().state == fold(replay(folder / "journal.jsonl").records)
    assert len(full) == 1


def test_half_a_line_waits_for_its_rest(folder: Path, journal: Journal, repository: Repository) -> None:
    followed = FollowedRun(folder, repository)
    followed.look()
    journal.append(experiment(1))
    path = folder / "journal.jsonl"
    whole = path.read_bytes()
    for cut in range(len(whole) - 150, len(whole) + 1, 7):
        path.write_bytes(whole[:cut])
        found = followed.look()
        assert not found.fault and found.state.experiments.keys() <= {1}
    path.write_bytes(whole)
    assert followed.look().state == fold(replay(path).records)


def test_damage_is_told_and_a_fresh_start_is_followed(
    folder: Path, journal: Journal, repository: Repository, tmp_path: Path
) -> None:
    followed = FollowedRun(folder, repository)
    journal.append(experiment(1))
    assert len(followed.look().state.experiments) == 1
    path = folder / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"not": "a record"}\n' + whole)
    assert "damaged" in followed.look().fault and not followed.look().state.experiments
    path.write_bytes(whole + whole.splitlines(keepends=True)[-1])
    assert "stands where record" in followed.look().fault
    path.write_bytes(whole)
    assert followed.look() == FoundRun(folder, repository, fold(replay(path).records))
    folder.rename(tmp_path / "archived")
    assert followed.look().state.started is None and not followed.look().fault
    other = Journal.open(folder, now=SystemClock().now)
    other.append((r.TickStarted(tick=1, pid=1, host="h"), RUN, *experiment(1), *experiment(2)))
    other.close()
    assert len(followed.look().state.experiments) == 2


def test_it_watches_until_the_run_has_ended(folder: Path, journal: Journal, repository: Repository) -> None:
    steps = [experiment(1), (WAITING,), (), (r.TickStarted(tick=2, pid=1, host="h"),), END]
    out = io.StringIO()
    watch(follow(lambda: [folder], repository), Lines(out).show, lambda: journal.append(steps.pop(0)))
    lines = [re.sub(r"^\S+Z ", "", line) for line in out.getvalue().splitlines()]
    tried = "exp-001 reverted: idea 1; 0 kept of 1 experiment; 0 calls, 0.0000 USD"
    assert lines == [
        "triage: cut off; 0 calls, 0.0000 USD",
        f"triage: cut off; {tried}",
        f"triage: waiting; {tried}",
        f"triage: cut off; {tried}",
        f"triage: finished, x; {tried}",
    ]
    assert not steps


class Terminal:
    """As much of a terminal as the screen uses."""

    def __init__(self, *before: str) -> None:
        self.lines, self.row, self.writes = [*before, ""], len(before), 0

    def write(self, text: str) -> None:
        self.writes += 1
        for piece in re.findall(r"\x1b\[[0-9;]*[A-Z]|\n|[^\x1b\n]+", text):
            if piece == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif piece.startswith("\x1b"):
                self._code(piece[2:])
            else:
                self.lines[self.row] = piece + self.lines[self.row][len(piece) :]
                self._column = len(piece)

    def flush(self) -> None:
        """A stream has one."""

    def _code(self, code: str) -> None:
        if code == "K":
            self.lines[self.row] = self.lines[self.row][: self._column]
        elif code == "J":
            self.lines[self.row :] = [""]
        elif code == "2J":
            self.lines = [""]
        elif code == "H":
            self.row = 0
        else:
            assert code.endswith("F"), code
            self.row -= int(code[:-1])


def found(name: str) -> FoundRun:
    return FoundRun(Path(name), Repository(Path(), Path(), Path()), fold([]))


def test_one_text_stays_in_its_place_whatever_was_above_it() -> None:
    texts, size = {"triage": "a\nb\nc"}, [20, 10]
    terminal = Terminal("$ ls", "$ ceopt status --watch")
    screen = Screen(lambda one: texts[one.name], lambda: (size[0], size[1]), terminal)  # type: ignore[arg-type]
    screen.show([found("triage")])
    assert terminal.lines == ["$ ls", "$ ceopt status --watch", "a", "b", "c", ""]
    screen.show([found("triage")])
    assert terminal.writes == 1, "nothing new, nothing written"
    texts["triage"] = "longer than the screen is wide\n[red]\x1b[2J"
    screen.show([found("triage")])
    assert terminal.lines[2:] == ["longer than the sc…", "[red]␛[2J", ""]
    texts["triage"] = "\n".join(str(number) for number in range(30))
    screen.show([found("triage")])
    assert terminal.lines[2:] == [*"01234567", "… 22 more lines; m…", ""]
    size[:] = [40, 4]
    screen.show([found("triage")])
    assert terminal.lines == ["0", "1", "… 28 more lines; make the window larger"[:38] + "…", ""]


def test_what_does_not_go_with_it(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository.root)
    assert CliRunner().invoke(status.command, ["--watch", "--json"]).exit_code == 2
    assert CliRunner().invoke(status.command, ["--watch", "0"]).exit_code == 2
    assert "No runs here yet" in CliRunner().invoke(status.command, ["--watch"]).output


def test_an_ended_run_is_told_once_without_a_terminal(
    folder: Path, journal: Journal, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    journal.append(END)
    told = CliRunner().invoke(status.command, ["triage", "--watch", "0.2"])
    assert told.exit_code == 0 and told.output.endswith("Z triage: finished, x; 0 calls, 0.0000 USD\n")


def test_ctrl_c_in_a_terminal_leaves_no_mode_behind(folder: Path, repository: Repository, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm"}
    process = subprocess.Popen(
        [CEOPT, "status", "--watch"], cwd=repository.root, env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while b"0 experiments" not in shown:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT_S) == 130
    assert set(re.findall(rb"\x1b\[[0-9;?]*[A-Za-z]", shown)) == {b"\x1b[K", b"\x1b[J"}
    os.close(ours)
