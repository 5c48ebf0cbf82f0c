"""An external optimizer as the proposer, by the real command: what it is given, what it may do, what it may cost."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import CONTRACT, KEY, LABELS, PROMPT, TriageModel, git, make_project, question, users_files

from ceopt_tui.exits import ExitStatus

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


def test_the_approval_says_what_it_can_open_all_the_same(improved: tuple[Place, Ended]) -> None:
    told = warm().run(improved[0], "approve", "spec.yaml").err
    assert "it can also open\n           triage.yaml with the held-out cases, the run's own journal" in told


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


def test_the_person_who_approves_is_told_what_it_may_do(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint, BETTER, keys=", environment: [OPENAI_API_KEY]")
    told = warm().run(place, "approve", "spec.yaml").err
    assert "run as you with your rights, at most 30 s each time, given OPENAI_API_KEY" in told
    assert "optimizer.py" in told and "not capped by ceopt" in told


def test_a_variable_that_is_not_set_stops_it_before_anything_is_paid(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place, before = project(tmp_path, endpoint, BETTER, keys=", environment: [MY_OTHER_KEY]"), endpoint.posts
    stopped = warm().run(place, *RUN)
    assert stopped.status == ExitStatus.REFUSED and "MY_OTHER_KEY, which is not set" in stopped.err
    assert endpoint.posts == before


@pytest.mark.exhaustive
def test_one_that_fails_ends_the_run_with_its_words_and_is_tried_again_by_the_next_start(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = project(tmp_path, endpoint, f"sys.exit('no model called {KEY}')\n")
    failed = warm().run(place, *RUN)
    assert (failed.status, failed.last["outcome"]) == (ExitStatus.STOPPED, "proposer_failed")
    assert "no model called sk-***" in failed.last["reason"] and KEY not in failed.out + failed.err
    assert starts(place) == 1
    (place.root / "optimizer.py").write_text(GIVEN + BETTER + CLAIM, encoding="utf-8")
    again = warm().run(place, *RUN)
    assert (again.status, again.last["outcome"], starts(place)) == (0, "improved", 2), again.err
    spent = [one["facts"]["usd"] for one in records(place, "call_finished") if one["facts"]["outside"]]
    assert spent == [None, 0.25]
    assert again.last["usd"] is None, "what the failed start spent is not known, so neither is the sum"


@pytest.mark.exhaustive
def test_a_leak_goes_back_once_with_its_reason(endpoint: StubEndpoint, tmp_path: Path) -> None:
    quoting = (
        'if not request["refused"]: prompt.write_text(prompt.read_text() + request["cases"][0]["input"] + chr(10))\n'
    )
    place = project(tmp_path, endpoint, f"{quoting}else: {BETTER}")
    run = warm().run(place, *RUN)
    assert (run.status, run.last["outcome"], starts(place)) == (0, "improved", 2), run.err
    (refused,) = records(place, "candidate_refused")
    assert [one["code"] for one in refused["refusals"]] == ["leak"]
    assert request(place, 1)["refused"][0]["code"] == "leak"


@pytest.mark.exhaustive
def test_a_kill_ends_it_too_and_the_next_start_runs_it_again(endpoint: StubEndpoint, tmp_path: Path) -> None:
    waits = "import time\nif starts == 0: (home.parent / 'up').write_text(str(os.getpid())); time.sleep(60)\n"
    place = project(tmp_path, endpoint, waits + BETTER + CLAIM)
    up = tmp_path / "up"
    killed = warm().run_until(lambda: up.exists() and up.read_text() != "", place, *RUN)
    assert killed.status == -9
    folder = Path(json.loads((tmp_path / "environ-0").read_text())["TMPDIR"]).parent
    limit = time.monotonic() + 20
    while (folder.exists() or Path(f"/proc/{up.read_text()}").exists()) and time.monotonic() < limit:
        time.sleep(0.02)  # another process ends it, and no event tells of that
    assert not folder.exists() and not Path(f"/proc/{up.read_text()}").exists()
    again = warm().run(place, *RUN)
    assert (again.status, again.last["outcome"], starts(place)) == (0, "improved", 2), again.err
    assert len(records(place, "candidate_made")) == 1
    (noted,) = [one["text"] for one in records(place, "noted") if "cut off by a kill" in one["text"]]
    assert "what it spent is not known" in noted and again.last["usd"] is None


def test_the_folder_is_gone_afterwards(improved: tuple[Place, Ended]) -> None:
    environ = json.loads((improved[0].root.parent / "environ-0").read_text())
    assert not Path(environ["TMPDIR"]).parent.exists()
