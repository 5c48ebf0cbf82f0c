"""`ceopt study regress` on outputs of real studies of stand-ins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fakes import FakeClock
from study_project import make_study, review

from ceopt_tui.commands.study import command
from ceopt_tui.errors import SetupError
from ceopt_tui.study.planning import plan_study
from ceopt_tui.study.regressing import Measured, regression
from ceopt_tui.study.starting import Surroundings, run_study


async def measured(root: Path, output: str = "run") -> Path:
    around = Surroundings({}, FakeClock(), lambda text: None, lambda done, total: None)
    await run_study(plan_study(root, {}, output), around)
    return root


def regress(root: Path, *words: str) -> Result:
    return CliRunner().invoke(command, ["regress", str(root), *words], standalone_mode=False)


async def test_better_worse_and_the_same_by_family(tmp_path: Path) -> None:
    root = await measured(make_study(tmp_path))
    better = regress(root, "--baseline", "plain", "--candidate", "checklist")
    assert better.return_value == 0 and "checklist against plain: improved" in better.output
    worse = regress(root, "--baseline", "checklist", "--candidate", "plain", "--json")
    assert worse.return_value == 5
    found = json.loads(worse.output)
    assert [family["change"] for family in found["families"]] == ["regressed", "regressed"]
    assert found["families"][0]["baseline"]["tags"] == ["soft", "mock"]
    same = regress(root, "--baseline", "plain", "--candidate", "plain")
    assert same.return_value == 0 and "inconclusive" in same.output


async def test_a_text_that_changed_is_held_against_what_it_was(tmp_path: Path) -> None:
    root = await measured(make_study(tmp_path))
    (root / "variants" / "checklist.md").write_text("Read it well.\n", encoding="utf-8")
    await measured(root, "later")
    found = regression(root, Measured("checklist", "run"), Measured("checklist", "later"))
    assert found["change"] == "regressed"


async def test_what_was_not_measured_alike_is_refused_by_name(tmp_path: Path) -> None:
    root = await measured(make_study(tmp_path))
    cases = root / "cases" / "all.yaml"
    was = cases.read_text("utf-8")
    cases.write_text(was.replace("step_0", "step_zero"), encoding="utf-8")
    with pytest.raises(SetupError, match=r"another cases/all\.yaml than was measured with"):
        regression(root, Measured("plain", "run"), Measured("checklist", "run"))
    await measured(root, "later")
    with pytest.raises(SetupError, match=r"not measured alike: cases/all\.yaml differ"):
        regression(root, Measured("plain", "run"), Measured("plain", "later"))


async def test_what_was_not_measured_is_named(tmp_path: Path) -> None:
    root = make_study(tmp_path, asked=[review(0)], k=1)
    with pytest.raises(SetupError, match="holds no results"):
        regression(root, Measured("plain", "run"), Measured("checklist", "run"))
    await measured(root)
    with pytest.raises(SetupError, match="the text `new` was not measured"):
        regression(root, Measured("plain", "run"), Measured("new", "run"))
