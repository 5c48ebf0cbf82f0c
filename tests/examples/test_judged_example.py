"""The example with a judge: it is what its README says, and runs to a kept text on any endpoint."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from judged_project import MARK, items
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import KEY, git

from ceopt_tui.exits import ExitStatus
from judges.rubric import Rubric, levels, read_rubric_text
from schemas.loading import load_evalset, load_spec, unattended_problems
from texttargets.split import freeze_split

EXAMPLE = Path(__file__).parents[2] / "examples" / "judged-release-notes"
CASES = load_evalset(EXAMPLE / "evals" / "changes.yaml").evalset.cases
HASH = re.compile(r"^\s*[-*]?\s*[0-9a-f]{6,7}\b", re.MULTILINE)
RULE = "Write for people who run a kitchen: one plain sentence without commits or headings."
EDIT = json.dumps({"edits": [{"append": f"- {RULE}"}], "why": "entries retell the commits"})
NOTHING = "Nothing changes for users in this update."
WAIVED = "    calibration: {waived: a trial run}\n"


@dataclass
class Larder:
    """All roles behind one address, told apart by what they are asked. Entries are plain where the text says so."""

    asked: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"task": [], "judge": [], "proposer": [], "themes": []}
    )

    def __call__(self, body: dict[str, Any]) -> Reply:
        system, asked = body["messages"][0]["content"], body["messages"][-1]["content"]
        mark = MARK.search(system)
        if mark is not None:
            self.asked["judge"].append(body)
            return completion(verdicts(mark[1], asked))
        if system.startswith("# Release notes for Larder"):
            self.asked["task"].append(body)
            return completion(entry(system, asked))
        role = "proposer" if body["model"] == "strong-model" else "themes"
        self.asked[role].append(body)
        return completion(EDIT if role == "proposer" else "{}")


def entry(text: str, commits: str) -> str:
    """A retelling of the commits, or the words of the change alone."""
    words = re.sub(r"^[0-9a-f]+ ", "", commits.replace("`", ""), flags=re.MULTILINE)
    return " ".join(words.split()) if RULE in text else f"## Release notes\n{commits}"


def worth(shown: str, output: str) -> int:
    """Five for plain words on this very change, two for its commits, one for anything else."""
    if output == NOTHING:
        return 5 if re.search(r"rename|bump|typo", shown) else 1
    if len(long_words(shown) & long_words(output)) < 2:
        return 1
    return 2 if "##" in output or HASH.search(output) else 5


def long_words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{5,}", text.lower())) - {"release", "notes", "larder", "before", "update"}


def verdicts(mark: str, asked: str) -> str:
    rows = []
    for item_id, shown, output in items(asked, mark):
        score = worth(shown.split(f"<<<{mark} expected>>>")[0], output)
        feedback = "" if score == 5 else "Leave out the commits and say what the reader can do now."
        rows.append({"item_id": item_id, "usefulness": score, "feedback": feedback, "ambiguous": False})
    return json.dumps({"marker": mark, "verdicts": rows})


def copied(folder: Path, api_base: str, spec: str) -> Place:
    """A copy under version control, as the README has it."""
    root = folder / "repo"
    shutil.copytree(EXAMPLE, root)
    (root / "spec.yaml").write_text(spec, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "as it is in use")
    (folder / "home").mkdir()
    environ = {
        "CEOPT_MODEL_CHEAP": "openai/cheap-model",
        "CEOPT_MODEL_STRONG": "openai/strong-model",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": api_base,
    }
    return Place(root, folder / "home", environ)


def spec_text() -> str:
    return (EXAMPLE / "spec.yaml").read_text("utf-8")


def with_waiver(text: str) -> str:
    """The spec with the lines that the README gives for a run nobody looks at."""
    assert "waived:" not in text
    return text.replace("    batch_size: 4\n", f"    batch_size: 4\n{WAIVED}")


@pytest.fixture(scope="module")
def larder() -> Larder:
    return Larder()


@pytest.fixture(scope="module")
def endpoint(larder: Larder) -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=larder) as running:
        yield running


@pytest.fixture(scope="module")
def ran(endpoint: StubEndpoint, tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Ended]:
    place = copied(tmp_path_factory.mktemp("judged"), endpoint.api_base, with_waiver(spec_text()))
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place, warm().run(place, "run", "spec.yaml", "--unattended", "--json")


def test_the_cases_are_varied_and_some_are_recorded_failures() -> None:
    wrong = [case for case in CASES if case.observed]
    assert len(CASES) >= 24 and len(wrong) >= 8
    assert all(case.went_wrong for case in wrong)
    assert sum(case.expected is not None for case in CASES) >= 8
    assert len({tag for case in CASES for tag in case.tags}) >= 6
    split = freeze_split(CASES, seed=load_spec(EXAMPLE / "spec.yaml").spec.evalset.seed)  # type: ignore[union-attr]
    chosen = [case for case in CASES if case.id in split.selection]
    assert any(case.expected for case in chosen) and any(case.observed for case in chosen), "nothing to try a judge on"


def test_the_rubric_says_what_each_of_five_scores_means() -> None:
    found = levels(Rubric(read_rubric_text(EXAMPLE / "rubric.md")))
    assert [level.key for level in found] == ["1", "2", "3", "4", "5"]
    assert all(len(level.meaning) > 20 for level in found)


def test_the_check_finds_nothing_to_say(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place, before = copied(tmp_path, endpoint.api_base, spec_text()), endpoint.posts
    for command in (["check", "spec.yaml"], ["check", "evals/changes.yaml"], ["run", "spec.yaml", "--dry-run"]):
        checked = warm().run(place, *command)
        assert checked.status == 0, checked.out + checked.err
    assert endpoint.posts == before


def test_nobody_waived_the_check_of_the_judge(endpoint: StubEndpoint, tmp_path: Path) -> None:
    assert unattended_problems(load_spec(EXAMPLE / "spec.yaml"))
    place = copied(tmp_path, endpoint.api_base, spec_text())
    assert warm().run(place, "approve", "spec.yaml").status == 0
    before = endpoint.posts
    stopped = warm().run(place, "run", "spec.yaml", "--unattended")
    assert stopped.status == ExitStatus.NEEDS_PERSON
    assert "ceopt calibrate" in stopped.err and endpoint.posts == before


def test_the_run_ends_with_a_kept_text_that_holds_on_unseen_changes(ran: tuple[Place, Ended]) -> None:
    place, run = ran
    assert run.status == 0, run.out + run.err
    assert run.last["outcome"] == "improved"
    assert run.last["held_out"]["before"] < 3 < run.last["held_out"]["after"] <= 5
    assert RULE in git(place.root, "show", "optimize/release-notes:prompts/release_note.md")
    assert git(place.root, "status", "--porcelain") == ""


def test_every_probe_of_the_judge_was_tried(ran: tuple[Place, Ended]) -> None:
    probes = {event["probe"]: event["status"] for event in ran[1].events if event["event"] == "probed"}
    wanted = ("good above bad", "empty output", "constant output", "copied input", "another case's answer")
    assert {name: probes[name] for name in wanted} == dict.fromkeys(wanted, "passed")


def test_the_proposer_saw_feedback_and_no_held_out_change(ran: tuple[Place, Ended], larder: Larder) -> None:
    split = next(event for event in ran[1].events if event["event"] == "split_frozen")
    shown = "\n".join(message["content"] for body in larder.asked["proposer"] for message in body["messages"])
    assert "Leave out the commits" in shown
    inputs = {case.id: str(case.input).splitlines()[0] for case in CASES}
    assert any(inputs[case] in shown for case in split["selection"])
    assert not any(inputs[case] in shown for case in split["holdout"])
