"""`ceopt status --watch`: one screen that is written again when something changed, or a line a change without one.

Sets no mode of the terminal, so whatever ends it leaves nothing to be put right.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from ceopt_tui.core.describe import money
from ceopt_tui.core.figures import counted
from ceopt_tui.core.outcomes import experiment_word, run_word
from ceopt_tui.core.visible import fitted, said
from ceopt_tui.looking import FoundRun

EVERY_S = 2.0
LEAST_S = 0.2

Look = Callable[[], list[FoundRun]]
Size = Callable[[], tuple[int, int]]  # columns, rows


def watch(look: Look, show: Callable[[list[FoundRun]], None], wait: Callable[[], None]) -> None:
    """Shows the runs until all of them have ended."""
    while True:
        found = look()
        show(found)
        if all(one.status == "finished" for one in found):
            return
        wait()


def is_screen(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Can the stream be written over?"""
    return stream.isatty() and environ.get("TERM", "") not in {"", "dumb"}


def terminal_size() -> tuple[int, int]:
    return shutil.get_terminal_size()


class Screen:
    """Keeps one text on the terminal below what was there, and writes it again only when it is another one."""

    def __init__(self, words: Callable[[FoundRun], str], size: Size = terminal_size, out: TextIO | None = None) -> None:
        self._words, self._size, self._out = words, size, out or sys.stdout
        self._shown: list[str] = []
        self._drawn_at = (0, 0)

    def show(self, found: list[FoundRun]) -> None:
        columns, rows = size = self._size()
        lines = [line for one in found for line in said(self._words(one)).split("\n")]
        lines = [fitted(line, columns - 1).rstrip() for line in _cut(lines, rows - 1)]
        if (lines, size) == (self._shown, self._drawn_at):
            return
        back = f"\x1b[{len(self._shown)}F" if self._shown else ""
        if self._shown and size != self._drawn_at:  # the terminal broke the old lines anew, so nobody can count them
            back = "\x1b[2J\x1b[H"
        self._out.write(back + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")
        self._out.flush()
        self._shown, self._drawn_at = lines, size


class Lines:
    """A line for each change of a run; spend alone is no change."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._said: dict[str, str] = {}

    def show(self, found: list[FoundRun]) -> None:
        for one in found:
            change = change_line(one)
            if self._said.get(one.name) != change:
                self._said[one.name] = change
                moment = f"{one.state.seen_at[:19]}Z " if one.state.seen_at else ""
                self._out.write(said(f"{moment}{change}; {money(one.state)}") + "\n")
                self._out.flush()


def change_line(found: FoundRun) -> str:
    """What a person would call another state of the run, on one line."""
    state, status = found.state, found.status.replace("_", " ")
    if found.fault:
        return f"{found.name}: cannot be read: {' '.join(found.fault.split())}"
    outcome = f", {run_word(state.finished.outcome, ended=True)}" if state.finished else ""
    parts = [f"{found.name}: {status}{outcome}"]
    if state.asked and not state.finished:
        parts.append(f"waits for a person: {state.asked.question}")
    if state.experiments:
        last = next(reversed(state.experiments.values()))
        parts.append(f"{last.name} {experiment_word(last.outcome)}: {last.hypothesis.description}")
        parts.append(f"{len(state.keeps)} kept of {counted(len(state.experiments), 'experiment')}")
    elif state.baseline:
        parts.append("baseline measured")
    return " ".join("; ".join(parts).split())


def _cut(lines: list[str], rows: int) -> list[str]:
    """As many lines as there is room for, and how many there are more."""
    if len(lines) <= rows:
        return lines
    kept = max(rows - 1, 0)
    return [*lines[:kept], f"… {len(lines) - kept} more lines; make the window larger to see them"]
