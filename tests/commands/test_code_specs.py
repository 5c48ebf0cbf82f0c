"""Commands on a spec whose measurement is a command: what is looked at in its own words, what is refused and why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from triage_project import git

from ceopt_tui.exits import ExitStatus

EXAMPLE = Path(__file__).parents[2] / "examples" / "fewer-comparisons"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "repo"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("__pycache__"))
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    (tmp_path / "home").mkdir()
    return Place(root, tmp_path / "home")


def test_a_dry_run_says_what_is_edited_and_how_it_is_measured(place: Place) -> None:
    looked = warm().run(place, "run", "spec.yaml", "--dry-run")
    assert looked.status == 0, looked.err
    assert looked.out.splitlines()[:4] == [
        "edits: sort.py",
        "never changed: measure.py",
        "measured by: python3 measure.py (stable, relative)",
        "held out: python3 measure.py --held-out",
    ]
    assert "target:" not in looked.out and "cases:" not in looked.out


def test_the_configuration_in_force_names_no_model_that_has_no_part(place: Place) -> None:
    shown = warm().run(place, "run", "spec.yaml", "--show-config")
    effective = json.loads(shown.out)["effective"]
    assert set(effective["models"]) == {"proposer", "reader"}
    assert (effective["held_out"], effective["experiments_side_by_side"]) == ("command", 1)
    assert "cases" not in effective and effective["caps"]["max_calls"] == 40


@pytest.mark.parametrize(
    ("more", "model", "may"),
    [
        ("execution: {mode: serial, backend: claude}", None, "edit files, run nothing"),
        ("execution: {mode: serial, backend: codex}", "gpt-4o", "asked before it starts"),
        ("execution: {mode: serial, backend: codex, codex_security: yolo}", "gpt-4o", "yolo"),
    ],
)
def test_what_an_agent_that_edits_gets_is_told_apart_from_its_stand_in(
    more: str, model: str | None, may: str, place: Place
) -> None:
    spec = place.root / "spec.yaml"
    lines = [line for line in spec.read_text().splitlines() if not line.startswith("execution:")]
    spec.write_text("\n".join([*lines, more, "proposer: {timeout_s: 99}", ""]))
    environ = {**place.environ, "CEOPT_MODEL_STRONG": "openai/gpt-4o", "OPENAI_API_KEY": "sk-FAKE-ABCDEFGH12345678"}
    shown = warm().run(place, "run", "spec.yaml", "--show-config", env={"HOME": str(place.home), **environ})
    agent = json.loads(shown.out)["effective"]["models"]["proposer"]
    assert (agent["model"], agent["may"], agent["timeout_s"]) == (model, may, 99)
    assert "params" not in agent and agent["stand_in"]["params"] == {"temperature": 0, "max_tokens": 8192}
    assert agent["variables"] == ([] if "claude" in more else ["OPENAI_API_KEY"])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("coverage", "spec.yaml", "--yes"), "coverage tells which rules of a text its cases guard"),
        (("prune", "spec.yaml", "--unattended"), "only rules of a text can be taken out one by one"),
        (("approve", "--prune", "spec.yaml"), "only rules of a text can be taken out one by one"),
        (("schedule", "spec.yaml", "--prune"), "only rules of a text can be taken out one by one"),
    ],
)
def test_what_is_for_texts_is_refused_in_one_sentence_and_leaves_nothing(
    arguments: tuple[str, ...], why: str, place: Place
) -> None:
    refused = warm().run(place, *arguments)
    assert refused.status == ExitStatus.REFUSED
    assert refused.err == f"ceopt: spec.yaml:8: measurement.command: a command measures here; {why}\n"
    assert not (place.root / ".context").exists()


def test_a_schedule_asks_for_the_editors_model(place: Place) -> None:
    printed = warm().run(place, "schedule", "spec.yaml")
    assert printed.status == 0 and "CEOPT_MODEL_STRONG" in printed.err and "CEOPT_MODEL_CHEAP" not in printed.err
