"""Files of a run open in the person's editor at the line that matters; diff, report and command go to the clipboard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from reviewed_history import Reviewed, finished, reviewed
from stage import Stage, on_stage, text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import SetupError
from ceopt_tui.shell import WEB_DRIVER
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.editor import open_file
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.files_at_hand import files_of


@pytest.fixture
def run(tmp_path: Path) -> Reviewed:
    return reviewed(tmp_path)


def ended(run: Reviewed) -> RunEntry:
    """The run with its repository where it is, and a report."""
    entry = run.entry(*finished())
    started = entry.state.started
    assert started is not None
    entry.state.started = started.model_copy(update={"repository": str(run.options.spec_path.parent)})
    (run.folder / "report.md").write_text("# Report\n\nIt [/won].\n", encoding="utf-8")
    return entry


@asynccontextmanager
async def opened(entry: RunEntry, folder: Path) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    stage = Stage(folder / "stage")
    stage.listed = [entry]
    stage.reread = lambda entry: entry  # type: ignore[method-assign]
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "exp-001" in text_of(app))
        yield app, pilot


class Terminal:
    """A terminal that can be left to an editor; counts how often it came back."""

    back = 0

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield
        self.back += 1


def editor(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, status: int = 0) -> Path:
    """A program of this name that writes down how it was called."""
    program, seen = folder / name, folder / "called"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{seen}'\nexit {status}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("EDITOR", f"'{program}'")
    monkeypatch.delenv("VISUAL", raising=False)
    return seen


@pytest.mark.parametrize(
    ("name", "words"),
    [("nano", ["+7", "{}"]), ("code", ["--goto", "{}:7"]), ("hx", ["{}:7"]), ("other", ["{}"])],
)
async def test_an_editor_is_given_the_line_in_its_own_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: list[str]
) -> None:
    seen, terminal = editor(tmp_path, name, monkeypatch), Terminal()
    await open_file(terminal, tmp_path / "my text.md", 7)
    assert seen.read_text("utf-8").splitlines() == [word.format(tmp_path / "my text.md") for word in words]
    assert terminal.back == 1


async def test_an_editor_that_fails_gives_the_terminal_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(tmp_path, "nano", monkeypatch, status=3)
    terminal = Terminal()
    with pytest.raises(SetupError, match="status 3"):
        await open_file(terminal, tmp_path / "text.md", 1)
    assert terminal.back == 1


def test_a_text_opens_where_the_candidate_parts_from_it(run: Reviewed, tmp_path: Path) -> None:
    entry = ended(run)
    found = files_of(entry, entry.state, 1)
    assert [(file.path.name, file.line) for file in found] == [("triage.md", 6), ("spec.yaml", 1), ("report.md", 1)]
    assert files_of(entry, entry.state)[0].line == 1
    found[0].path.unlink()
    assert [file.path.name for file in files_of(entry, entry.state, 1)] == ["spec.yaml", "report.md"]
    broken = tmp_path / "broken.yaml"
    broken.write_text("name: x\n", encoding="utf-8")
    fault = RunEntry("broken", broken, place="broken.yaml", fault="broken.yaml:4: target is missing")
    assert [(file.path, file.line) for file in files_of(fault, RunState())] == [(broken, 4)]


async def test_o_offers_the_files_and_in_a_browser_says_where_they_open(
    run: Reviewed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", WEB_DRIVER)
    async with opened(ended(run), tmp_path) as (app, pilot):
        await pilot.press("o")
        await until(pilot, lambda: "Open which file" in text_of(app))
        assert all(name in text_of(app) for name in ("triage.md", "spec.yaml", "report.md"))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "in a terminal to use it" in " ".join(text_of(app).split()))


async def test_y_copies_the_command_the_diff_and_the_report(run: Reviewed, tmp_path: Path) -> None:
    entry = ended(run)
    async with opened(entry, tmp_path) as (app, pilot):
        await pilot.press("y")
        await until(pilot, lambda: "Copied the command to go on, 1 line" in " ".join(text_of(app).split()))
        assert app.clipboard.startswith("ceopt run ") and "spec.yaml" in app.clipboard
        await pilot.press("enter", "y")
        await until(pilot, lambda: "Copied the diff" in text_of(app))
        assert app.clipboard.startswith("--- a/prompts/triage.md") and "+- A login that fails" in app.clipboard
        await pilot.press("escape", "r", "y")
        await until(pilot, lambda: "Copied the text" in text_of(app))
        assert "It [/won]." in app.clipboard


async def test_without_its_spec_there_is_no_command_to_copy(run: Reviewed, tmp_path: Path) -> None:
    async with opened(replace(ended(run), options=None), tmp_path) as (app, pilot):
        await pilot.press("y")
        assert app.clipboard == ""
