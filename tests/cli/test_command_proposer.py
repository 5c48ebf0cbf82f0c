"""An external optimizer as the proposer, by the real command: what it is given, what it may do, what it may cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import CONTRACT, KEY, LABELS, PROMPT, TriageModel, git, make_project, question, users_files

RUN = ("run", "spec.yaml", "--unattended", "--json")
LINE = f"{CONTRACT}: {', '.join(LABELS)}."
REPORT = "docs/optimize/triage-report.md"

# Plays an optimizer: it keeps a copy of all it was given, then does what the test adds.
GIVEN = """\
import json, os, shutil, sys
from pathlib import Path
here, home = Path.cwd(), Path(os.environ["CEOPT_SPEC_DIR"])
request = json.loads((here / "request.json").read_text())
starts = len(list(home.parent.glob("given-*")))
shutil.copytree(here, home.parent / f"given-{starts}")
(home.parent / f"environ-{starts}").write_text(json.dumps(dict(os.environ)))
prompt = here / "prompts" / "triage.md"
"""
BETTER = f"prompt.write_text(prompt.read_text() + {LINE!r} + chr(10))\n"
CLAIM = "print('thinking'); print(json.dumps({'note': 'say what an answer is', 'usd': 0.25, 'calls': 12}))\n"


def project(folder: Path, endpoint: StubEndpoint, script: str, *, keys: str = "", **knobs: Any) -> Place:
    """A repository whose spec names the script as its proposer; approved."""
    command = f'{sys.executable} "$CEOPT_SPEC_DIR"/optimizer.py'
    proposer = f"command, command: '{command}', timeout_s: 30{keys}"
    place = make_project(folder, endpoint.api_base, proposer=proposer, seed=8, **knobs)
    (place.root / "optimizer.py").write_text(GIVEN + script, encoding="utf-8")
    git(place.root, "add", "--all")
    git(place.root, "commit", "--quiet", "--message", "an optimizer")
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place


def journal(place: Place) -> list[dict[str, Any]]:
    path = place.root / ".context" / "ceopt" / "triage" / "journal.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def records(place: Place, kind: str) -> list[dict[str, Any]]:
    return [record for record in journal(place) if record["kind"] == kind]


def request(place: Place, start: int = 0) -> dict[str, Any]:
    given: dict[str, Any] = json.loads((place.root.parent / f"given-{start}" / "request.json").read_text())
    return given


def starts(place: Place) -> int:
    return len(list(place.root.parent.glob("given-*")))


@pytest.fixture(scope="module")
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


@pytest.fixture(scope="module")
def improved(endpoint: StubEndpoint, tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Ended]:
    place = project(tmp_path_factory.mktemp("command"), endpoint, BETTER + CLAIM)
    before = users_files(place.root)
    ended = warm().run(place, *RUN)
    assert users_files(place.root) == before
    return place, ended


def test_its_text_is_kept_by_the_same_evidence_as_any_other(improved: tuple[Place, Ended]) -> None:
    place, run = improved
    assert run.status == 0, run.err
    assert (run.last["outcome"], run.last["kept"]) == ("improved", 1)
    assert git(place.root, "show", "optimize/triage:prompts/triage.md") == f"{PROMPT}{LINE}\n"
    (made,) = records(place, "candidate_made")
    assert made["note"] == "say what an answer is"
    assert {look["number"] for look in records(place, "looked")} == {1}
    subject = git(place.root, "log", "--format=%s", "main..optimize/triage").splitlines()[-1]
    assert "optimizer.py" in subject


def test_it_is_given_the_selection_cases_and_nothing_held_out(improved: tuple[Place, Ended]) -> None:
    place, _ = improved
    (split,) = records(place, "split_frozen")
    asked = request(place)
    assert sorted(case["id"] for case in asked["cases"]) == sorted(split["selection"])
    assert asked["texts"] == {"prompts/triage.md": PROMPT}
    assert {"name", "description", "constraints", "protect", "syntax", "seed", "digest", "tried", "refused"} <= set(
        asked
    )
    failing = next(case for case in asked["cases"] if case["pass_rate"] == 0)
    assert failing["expected"] in LABELS and failing["outputs"][0].startswith("This belongs to")
    given = place.root.parent / "given-0"
    everything = "\n".join(path.read_text("utf-8") for path in given.rglob("*") if path.is_file())
    assert sorted(str(path.relative_to(given)) for path in given.rglob("*") if path.is_file()) == [
        "prompts/triage.md",
        "request.json",
    ]
    for case in split["holdout"]:
        assert f'"{case}"' not in everything and question(int(case[1:])) not in everything


def test_it_gets_no_key_that_was_not_named(improved: tuple[Place, Ended]) -> None:
    environ = json.loads((improved[0].root.parent / "environ-0").read_text())
    assert KEY not in environ.values() and "OPENAI_BASE_URL" not in environ
    assert environ["CEOPT_SPEC_DIR"] == str(improved[0].root) and Path(environ["TMPDIR"]).name == "scratch"


def test_its_own_word_on_money_is_booked_as_such(improved: tuple[Place, Ended], endpoint: StubEndpoint) -> None:
    place, run = improved
    (claimed,) = [one["facts"] for one in records(place, "call_finished") if one["facts"]["role"] == "proposer"]
    assert (claimed["attempts"], claimed["usd"], claimed["outside"]) == (12, 0.25, True)
    assert run.last["usd"] == pytest.approx(0.25, abs=0.01) and run.last["usd"] > 0.25
    report = git(place.root, "show", f"optimize/triage:{REPORT}")
    told = "12 calls, tokens not known, 0.2500 USD by its own account, not capped by ceopt"
    assert f"- proposer (a command of yours): {told}" in report


def test_the_folder_is_gone_afterwards(improved: tuple[Place, Ended]) -> None:
    environ = json.loads((improved[0].root.parent / "environ-0").read_text())
    assert not Path(environ["TMPDIR"]).parent.exists()
