"""`ceopt report`: the Markdown, or where the page is; a browser only when asked for."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from histories import begun, ended
from triage_project import git

from ceopt_tui.commands import report
from ceopt_tui.errors import SetupError
from ceopt_tui.journal.journal import Journal
from ceopt_tui.system_clock import SystemClock


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state of a run that has ended, without a report."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "start")
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "state" / "triage"
    with Journal.open(place, now=SystemClock().now) as journal:
        journal.append([*begun(), *ended()])
    return place


def said(*options: str) -> str:
    result = CliRunner().invoke(report.command, [*options, "--state-root", "state"], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


def test_the_page_is_named_by_its_path_alone(folder: Path) -> None:
    (folder / "report.md").write_text("# words\n")
    (folder / "report.html").write_text("<!doctype html>")
    assert said() == "# words\n"
    assert Path(said("--html").removesuffix("\n")) == folder / "report.html"


@pytest.mark.parametrize("options", [[], ["--html"], ["--open"]])
def test_without_a_report_it_says_how_the_run_stands(options: list[str], folder: Path) -> None:
    with pytest.raises(SetupError, match="triage has no report yet: it is finished"):
        said(*options)


def test_a_report_from_before_there_were_pages_is_still_read(folder: Path) -> None:
    (folder / "report.md").write_text("# words\n")
    with pytest.raises(SetupError, match="written before there were any"):
        said("--html")


@pytest.mark.parametrize("status", [0, 1])
def test_the_page_is_opened_when_asked_for(status: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(click, "launch", lambda url: opened.append(url) or status)
    (folder / "report.html").write_text("<!doctype html>")
    if status:
        with pytest.raises(SetupError, match="no browser could be opened"):
            said("--open")
    else:
        assert said("--open").strip() == str(folder / "report.html")
    assert opened == [(folder / "report.html").as_uri()]
