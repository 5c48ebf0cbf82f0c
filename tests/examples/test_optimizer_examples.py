"""The examples with another optimizer are what their READMEs say; `make compare` runs them with the real libraries."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from dates_endpoint import RULE, STRONG_MODEL, TASK_MODEL, DatesModel
from stub_endpoint import StubEndpoint
from triage_project import KEY, git

from schemas.loading import load_evalset

EXAMPLES = Path(__file__).parents[2] / "examples"
INSTALL_LIMIT_S = 900
every_example = pytest.mark.parametrize("name", ["gepa", "dspy"])


def copied(name: str, folder: Path, api_base: str) -> Place:
    """A copy under version control, as the README has it."""
    root = folder / "repo"
    shutil.copytree(EXAMPLES / name, root, ignore=shutil.ignore_patterns(".venv", "__pycache__"))
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "as it is in use")
    (folder / "home").mkdir()
    environ = {
        "CEOPT_MODEL_CHEAP": f"openai/{TASK_MODEL}",
        "CEOPT_MODEL_STRONG": f"openai/{STRONG_MODEL}",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": api_base,
    }
    return Place(root, folder / "home", environ)


@every_example
def test_the_example_is_complete_and_small(name: str, tmp_path: Path) -> None:
    place = copied(name, tmp_path, "http://127.0.0.1:9/v1")
    checked = warm().run(place, "check", "spec.yaml")
    assert checked.status == 0, checked.out + checked.err
    assert len((place.root / "optimize.py").read_text("utf-8").splitlines()) < 100
    required = (place.root / "requirements.txt").read_text("utf-8").split()
    assert required and all(re.fullmatch(rf"{name}(\[\w+\])?==[\d.]+", line) for line in required)


@every_example
def test_its_cases_are_those_of_the_demo(name: str) -> None:
    lines = (EXAMPLES / "demo" / "failures.jsonl").read_text("utf-8").splitlines()
    known = {case["id"]: case for case in map(json.loads, lines)}
    cases = load_evalset(EXAMPLES / name / "evals" / "dates.yaml").evalset.cases
    assert len(cases) == 26
    for case in cases:
        failure = known[case.id]
        assert (case.input, case.expected, case.observed) == tuple(
            failure[key] for key in ("input", "expected", "observed")
        )


def installed(place: Place) -> None:
    """The example's own `make setup`; the test is skipped where nothing can be installed."""
    made = subprocess.run(
        ["make", "setup", f"PYTHON={sys.executable}"],
        cwd=place.root,
        capture_output=True,
        text=True,
        timeout=INSTALL_LIMIT_S,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"the library cannot be installed here: {made.stderr.strip().splitlines()[-1]}")


def ran(place: Place) -> Ended:
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return warm().run(place, "run", "spec.yaml", "--unattended", "--json")


def records(place: Place) -> list[dict[str, Any]]:
    path = place.root / ".context" / "ceopt" / "arrival-dates" / "journal.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.peers
@every_example
def test_the_real_library_finds_a_text_that_holds_on_unseen_cases(name: str, tmp_path: Path) -> None:
    model = DatesModel(EXAMPLES / name / "evals" / "dates.yaml")
    with StubEndpoint(respond=model) as endpoint:
        place = copied(name, tmp_path, endpoint.api_base)
        installed(place)
        run = ran(place)
    assert (run.status, run.last["outcome"]) == (0, "improved"), run.err
    assert RULE in git(place.root, "show", "optimize/arrival-dates:prompts/arrival_date.md")
    assert git(place.root, "status", "--porcelain") == ""
    calls = [one["facts"] for one in records(place) if one["kind"] == "call_finished"]
    (booked,) = [facts for facts in calls if facts["outside"]]
    others = run.last["scored"] + sum(not facts["outside"] for facts in calls)
    assert booked["usd"] is None and booked["attempts"] == endpoint.posts - others
    split = next(event for event in run.events if event["event"] == "split_frozen")
    cases = {case.id: str(case.input) for case in load_evalset(place.root / "evals" / "dates.yaml").evalset.cases}
    shown = "\n".join(model.shown)
    assert any(cases[case] in shown for case in split["selection"])
    assert not any(cases[case] in shown for case in split["holdout"])
