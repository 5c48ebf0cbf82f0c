"""The example studies on stand-ins: the strong one is stronger, every figure is marked, and nothing is claimed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ceopt_tui.commands.study import command
from ceopt_tui.core.study.report_lint import bare_figures
from ceopt_tui.exits import ExitStatus

Reports = dict[str, tuple[str, dict[str, Any]]]

EXAMPLES = Path(__file__).parents[2] / "examples" / "studies"


def run(folder: Path, name: str) -> tuple[str, dict[str, Any]]:
    """The report for people and the one for programs, of a copy."""
    root = folder / name
    shutil.copytree(EXAMPLES / name, root, ignore=shutil.ignore_patterns("artifacts"))
    ended = CliRunner().invoke(command, ["run", str(root)], standalone_mode=False)
    assert ended.return_value == ExitStatus.FINISHED, ended.exception
    return ended.stdout, json.loads((root / "artifacts" / "run" / "report.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    folder = tmp_path_factory.mktemp("studies")
    return {name: run(folder, name) for name in ("review-checklist", "first-look")}


def figures(node: Any) -> list[dict[str, Any]]:
    """Every value that was measured or derived, with its tags."""
    if isinstance(node, list):
        return [found for item in node for found in figures(item)]
    if not isinstance(node, dict):
        return []
    return [node] if "value" in node else [found for item in node.values() for found in figures(item)]


def scores(report: dict[str, Any], group: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["target"], one["text"]): one["score"] for one in report["levels"] if one["group"] == group}


@pytest.mark.parametrize("name", ["review-checklist", "first-look"])
def test_an_example_is_offline_and_claims_nothing(reports: Reports, name: str) -> None:
    text, report = reports[name]
    assert not bare_figures(text)
    assert report["complete"] and report["spent"]["calls"]["value"] == 0
    assert not any(hypothesis["accepted"] for hypothesis in report["hypotheses"])
    measured = figures([report["levels"], report["hypotheses"]])
    assert measured and all("mock" in figure["tags"] and "measured" not in figure["tags"] for figure in measured)


def test_the_strong_stand_in_is_stronger_and_the_checklist_helps_both(reports: Reports) -> None:
    _, report = reports["review-checklist"]
    for group in ("review", "routing"):
        found = scores(report, group)
        assert found["strong", "checklist"]["value"] == 1
        assert found["strong", "checklist"]["value"] > found["weak", "checklist"]["value"]
        for target in ("strong", "weak"):
            assert found[target, "checklist"]["value"] > found[target, "bare"]["value"]
    words = {
        hypothesis["id"]: [one["verdict"] for one in hypothesis["families"]] for hypothesis in report["hypotheses"]
    }
    assert words["finds-more"][0] == "CONFIRMED"


def test_a_group_that_is_too_small_is_underpowered_and_the_other_is_not(reports: Reports) -> None:
    _, report = reports["review-checklist"]
    assert {score["tags"][0] for score in scores(report, "review").values()} == {"soft"}
    assert {score["tags"][0] for score in scores(report, "routing").values()} == {"underpowered"}


def test_two_repeats_explore(reports: Reports) -> None:
    _, report = reports["first-look"]
    tags = {tuple(figure["tags"]) for figure in figures([report["levels"], report["hypotheses"]])}
    assert tags == {("underpowered", "mock", "exploratory")}
    assert {one["cell"].split("/")[1] for one in report["lost"]} == {"safe"}
