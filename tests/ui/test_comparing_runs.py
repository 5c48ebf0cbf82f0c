"""Two runs side by side, from the list of runs and by `ceopt compare`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from fakes import terms
from histories import begun, ended, state_of, tried
from pictures import check_picture
from stage import Stage, on_stage, text_of, until

from ceopt_tui.commands import compare
from ceopt_tui.core.state.run import RunState
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.looking import FoundRun
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.screens.home import HomeScreen
from schemas import records as r


def states() -> dict[str, RunState]:
    model = {name: r.ModelBound(role="task", name="cheap", model=name, endpoint="") for name in ("small", "large")}
    kept = tried(1, "say it", "kept", "it won", "Answer well.\n")
    return {
        "triage": state_of(begun(), [model["small"]], kept, ended("improved")),
        "triage-large": state_of(begun(), [model["large"]], tried(1, "say it", "reverted"), ended()),
        "later": RunState(),
    }


@pytest.mark.parametrize(("size", "picture"), [((80, 24), "compare"), ((120, 40), "compare-wide")])
async def test_a_marked_run_and_another_stand_side_by_side(tmp_path: Path, size: tuple[int, int], picture: str) -> None:
    stage = Stage(tmp_path / "stage")
    stage.listed = [RunEntry(name, tmp_path / name, None, state, terms=terms()) for name, state in states().items()]
    stage.reread = lambda entry: entry  # type: ignore[method-assign]
    async with on_stage(stage, size=size) as (app, pilot):
        await until(pilot, lambda: "triage-large" in text_of(app))
        await pilot.press("c", "c", "c")  # marked, taken back, marked
        await until(pilot, lambda: "triage is marked" in " ".join(text_of(app).split()))
        await pilot.press("down", "down", "c")
        await until(pilot, lambda: "Nothing of it has been measured" in " ".join(text_of(app).split()))
        await pilot.press("up", "c")
        await until(pilot, lambda: "side by side" in text_of(app))
        app.clear_notifications()
        await pilot.pause()
        shown = " ".join(text_of(app).split())
        assert "another task model: small, large" in shown and "1 of 1 experiment" in shown
        check_picture(app, picture)
        await pilot.press("y")
        assert "triage-large\nOutcome    no improvement" in app.clipboard
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, FoundRun]:
    repository = Repository(tmp_path, tmp_path / ".git", tmp_path / ".git")
    runs = {name: FoundRun(tmp_path / name, repository, state) for name, state in states().items()}
    monkeypatch.setattr(compare, "find_run", lambda name, *, state_root: runs[name])
    return runs


def test_the_command_prints_both_and_says_what_differs(found: dict[str, FoundRun]) -> None:
    lines = CliRunner().invoke(compare.command, ["triage", "triage-large"]).output.splitlines()
    assert lines[0].split() == ["Run", "triage", "triage-large"]
    assert lines[1].split(maxsplit=1)[0] == "Outcome" and lines[1].endswith("no improvement")
    assert lines[-2:] == ["The scores cannot be compared:", "- another task model: small, large"]
    assert "Measured alike" in CliRunner().invoke(compare.command, ["triage", "triage"]).output


def test_for_scripts_it_is_one_object(found: dict[str, FoundRun]) -> None:
    told = json.loads(CliRunner().invoke(compare.command, ["triage", "triage-large", "--json"]).output)
    assert told["comparable"] is False and told["why_not"] == ["another task model: small, large"]
    first = told["runs"][0]
    assert (first["name"], first["outcome"], first["kept"], first["baseline"]) == ("triage", "improved", 1, 0.5)
    assert first["models"] == {"task": "small"} and first["held_out"] is None


def test_a_damaged_run_is_not_compared(found: dict[str, FoundRun]) -> None:
    found["later"] = replace(found["later"], fault="line 3 of its journal is damaged")
    result = CliRunner().invoke(compare.command, ["triage", "later"])
    assert result.exit_code and "damaged" in str(result.exception)
