"""The app in a pseudo-terminal: signals, crashes and no terminal at all leave the shell as it was."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ceopt_tui.journal.lock import is_held
from ceopt_tui.looking import read_state

HERE = Path(__file__).parent
PATIENCE_S = 60.0
MODES = (b"?1049", b"?1000", b"?25")  # other screen, mouse, cursor (whose on and off are the other way round)


class Terminal:
    """A program in a pseudo-terminal of 80 by 24."""

    def __init__(self, *arguments: str) -> None:
        self.seen = b""
        self._ours, theirs = pty.openpty()
        path = os.pathsep.join(str(folder) for folder in (HERE, HERE.parent, HERE.parent / "engine"))
        environment = {**os.environ, "PYTHONPATH": path, "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"}
        self.process = subprocess.Popen(
            [sys.executable, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def wait_for(self, text: bytes) -> None:
        """Reads until the text was written."""
        until_s = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            assert time.monotonic() < until_s, self.seen[-2000:]
            self._read(0.2)

    def press(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def close_window(self) -> None:
        """Takes the terminal away under the program, and hangs up on it as the kernel does for a login shell."""
        os.close(self._ours)
        self.process.send_signal(signal.SIGHUP)

    def end(self) -> int:
        """Reads all that is still written and gives the status."""
        until_s = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            if time.monotonic() > until_s:
                self.process.kill()
                raise AssertionError(f"the program did not end: {self.seen[-2000:]!r}")
            self._read(0.1)
        while self._read(0.1):
            pass
        os.close(self._ours)
        return self.process.returncode

    def _read(self, patience_s: float) -> bool:
        if not select.select([self._ours], [], [], patience_s)[0]:
            return False
        try:
            read = os.read(self._ours, 65536)
        except OSError:  # the other side is closed
            return False
        self.seen += read
        return bool(read)

    @property
    def restored(self) -> bool:
        """Was every mode that was switched on also switched off?"""
        return all(self.seen.count(mode + b"h") == self.seen.count(mode + b"l") > 0 for mode in MODES)


def measuring(folder: Path, *more: str) -> Terminal:
    """The app while the calls of the baseline hang."""
    terminal = Terminal(str(HERE / "terminal_app.py"), str(folder), *more)
    terminal.wait_for(b"Start measuring?")
    terminal.press(b"j\r")
    terminal.wait_for(b"of 40 runs")
    return terminal


def test_a_closed_window_ends_the_app_and_frees_the_run(tmp_path: Path) -> None:
    """The hang-up comes together with the end of everything that could be written to."""
    terminal = measuring(tmp_path)
    terminal.close_window()
    assert terminal.process.wait(PATIENCE_S) == 129
    (folder,) = (path.parent for path in tmp_path.rglob("journal.jsonl"))
    assert not is_held(folder)
    state = read_state(folder)
    assert state.last_tick is not None and state.last_tick.reason == "interrupted"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_restores_the_terminal_and_keeps_the_state(tmp_path: Path, number: int, status: int) -> None:
    terminal = measuring(tmp_path)
    terminal.process.send_signal(number)
    assert terminal.end() == status
    assert terminal.restored
    state = read_state(tmp_path / "triage")
    assert state.last_tick is not None and state.status == "waiting"
    assert state.runs.scored >= 1
    assert re.search(rb"to go on: ceopt run spec.yaml", terminal.seen)


def test_a_crash_gives_a_status_and_names_a_log(tmp_path: Path) -> None:
    terminal = measuring(tmp_path, "fault")
    terminal.press(b"?")
    assert terminal.end() == 1
    assert terminal.restored
    log = re.search(rb"details are in (\S+\.log)", terminal.seen)
    assert log is not None
    written = Path(os.fsdecode(log[1]))
    assert "see [/foo] bar" in written.read_text(encoding="utf-8")
    written.unlink()
    assert read_state(tmp_path / "triage").last_tick is not None


def test_leaving_by_key_gives_status_0_and_the_way_on(tmp_path: Path) -> None:
    terminal = measuring(tmp_path)
    terminal.press(b"\x11")  # ctrl+q
    assert terminal.end() == 0
    assert terminal.restored
    assert b"to go on: ceopt run spec.yaml" in terminal.seen


@pytest.mark.parametrize("arguments", [[], ["run", "spec.yaml"]])
def test_without_a_terminal_nothing_hangs(arguments: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from ceopt_tui.cli import main; main()", *arguments],
        input=b"x\n",
        capture_output=True,
        timeout=PATIENCE_S,
    )
    assert ended.returncode == 2
    assert b"no terminal; use --unattended" in ended.stderr
    assert b"\x1b" not in ended.stdout + ended.stderr
