"""A study on the small real model: registered, measured, and marked for what it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from study_project import commit_all

from ceopt_tui.commands.study import command

EXAMPLE = Path(__file__).parents[2] / "examples" / "studies" / "arrival-dates"


@pytest.mark.local_model
@pytest.mark.usefixtures("small_weights")
def test_a_registered_study_of_two_prompts_comes_to_a_verdict(tmp_path: Path) -> None:
    root = tmp_path / "repo" / "studies" / "arrival-dates"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("artifacts"))
    commit_all(root)
    ended = CliRunner().invoke(
        command, ["run", str(root), "--cache-dir", str(tmp_path / "cache"), "--json"], standalone_mode=False
    )
    assert ended.return_value == 0, ended.exception
    report = json.loads((root / "artifacts" / "run" / "report.json").read_text("utf-8"))
    level = {one["text"]: one["score"]["value"] for one in report["levels"]}
    assert report["complete"] and level["strict"] >= level["named"] + 0.25
    [hypothesis] = report["hypotheses"]
    assert hypothesis["verdict"] in {"CONFIRMED", "NULL"} and not hypothesis["accepted"]
    assert "1 family of models; 2 are needed" in hypothesis["objections"]
