"""The examples that a command measures: each runs to its end, with a model that plays editor, reader and judge."""

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
from judged_project import MARK as JUDGING
from judged_project import items
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import KEY, git

from ceopt_tui.exits import ExitStatus

EXAMPLES = Path(__file__).parents[2] / "examples"
MARK = re.compile(r'"marker": "([^"]+)"')
CHANGE = re.compile(r"The change to carry out now: (.+)")


@dataclass
class Workshop:
    """Editor, reader and judge behind one address. `edits` says by idea what is edited."""

    edits: dict[str, list[dict[str, Any]]]
    objection: str = ""  # occurs in a diff that is to be reverted
    rounds: int = 1
    asked: dict[str, list[str]] = field(default_factory=lambda: {"ideas": [], "edit": [], "reader": [], "judge": []})

    def __call__(self, body: dict[str, Any]) -> Reply:
        system, asked = body["messages"][0]["content"], body["messages"][-1]["content"]
        if "You read a change of a program" in system:
            self.asked["reader"].append(asked)
            objects = bool(self.objection) and self.objection in asked
            said = {"reason": "it goes around the counter" if objects else "less of the same work", "reverted": objects}
            mark = MARK.search(system)
            assert mark is not None
            missing = "calls of less()" if objects else ""
            return completion(json.dumps({"marker": mark[1], "missing_observation": missing, **said}))
        if judging := JUDGING.search(system):
            self.asked["judge"].append(system)
            return completion(judged(judging[1], asked))
        if "You carry out one change" in system:
            self.asked["edit"].append(asked)
            wanted = CHANGE.search(asked)
            assert wanted is not None
            return completion(json.dumps({"why": "as asked", "edits": carried(self.edits[wanted[1]], asked)}))
        self.asked["ideas"].append(asked)
        fresh = [] if len(self.asked["ideas"]) > self.rounds else list(self.edits)
        return completion(json.dumps({"ideas": [idea(name) for name in fresh]}))


def idea(name: str) -> dict[str, Any]:
    return {
        "description": name,
        "category": "algorithm",
        "expected_benefit": "unknown; cheapest way to find out: one measurement",
        "confidence": "low",
        "cost_and_risk": "small edit",
        "evidence": "read the code",
        "dependencies": [],
    }


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint() as running:
        yield running


def copied(name: str, folder: Path, endpoint: StubEndpoint) -> Place:
    """The example in a repository of its own, with an editor and another model that reads."""
    root = folder / "repo"
    shutil.copytree(EXAMPLES / name, root, ignore=shutil.ignore_patterns("__pycache__"))
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    (folder / "home").mkdir()
    environ = {
        "CEOPT_MODEL_STRONG": "openai/gpt-4o",
        "CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": endpoint.api_base,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return Place(root, folder / "home", environ)


def carried_out(place: Place) -> Ended:
    """Approved ahead and run unattended; another model reads."""
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text() + "models: {reader: {model: openai/gpt-4o-mini}}\n")
    approved = warm().run(place, "approve", "spec.yaml")
    assert approved.status == 0, approved.err
    return warm().run(place, "run", "spec.yaml", "--unattended", "--json")


def closed(ended: Ended) -> dict[int, dict[str, Any]]:
    return {event["number"]: event for event in ended.events if event["event"] == "experiment_closed"}


BUBBLE = "    for _ in out:\n        for place in range(len(out) - 1):\n"
SHORTER = "    for done in range(len(out)):\n        for place in range(len(out) - 1 - done):\n"
CHEAT = "COUNTED = [0]\n\n\ndef sort(values):\n    return sorted(values)\n"
DEF = "def less(left, right):"


def edit(path: str, search: str, replace: str) -> list[dict[str, Any]]:
    return [{"path": path, "search": search, "replace": replace}]


def whole(path: str, content: str) -> list[dict[str, Any]]:
    """All of a file replaced, whatever it holds by then."""
    return [{"path": path, "instead": content}]


def carried(edits: list[dict[str, Any]], asked: str) -> list[dict[str, Any]]:
    """The edits as they fit the files that were shown."""
    return [
        edit(one["path"], shown_in(asked, one["path"]), one["instead"])[0] if "instead" in one else one for one in edits
    ]


def shown_in(asked: str, path: str) -> str:
    """The file as it was shown; one that was not is made up."""
    found = re.search(rf"\[file {re.escape(path)} (\w+)\]\n(.*?)\n\[end \1\]", asked, re.DOTALL)
    return found[2] if found else "nothing"


SORTS = {
    "Stop where the rest is in order": edit("sort.py", BUBBLE, SHORTER),
    "Let the library sort": whole("sort.py", CHEAT),
    "Rename the counter": edit("sort.py", DEF, f"{DEF}  # counts"),
    "Change what is measured": whole("measure.py", "print('{}')\n"),
}


def test_the_cheat_scores_best_and_is_reverted_with_its_reason_in_the_report(
    tmp_path: Path, endpoint: StubEndpoint
) -> None:
    workshop = endpoint.respond = Workshop(SORTS, objection="return sorted(values)")
    place = copied("fewer-comparisons", tmp_path, endpoint)
    ended = carried_out(place)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), ended.err
    outcomes = {number: event["outcome"] for number, event in closed(ended).items()}
    assert outcomes == {1: "kept", 2: "reverted", 3: "inconclusive", 4: "refused"}
    assert "it goes around the counter" in closed(ended)[2]["reason"]
    assert "measure.py may not be changed" in closed(ended)[4]["reason"]
    report = git(place.root, "show", "optimize/fewer-comparisons:docs/optimize/fewer-comparisons-report.md")
    assert "it goes around the counter" in report and "calls of less()" in report
    kept = git(place.root, "show", "optimize/fewer-comparisons:sort.py")
    assert SHORTER in kept
    assert git(place.root, "status", "--porcelain").split() == ["M", "spec.yaml"]
    assert ended.last["held_out"]["before"] == 7970 and ended.last["held_out"]["after"] == 3985
    assert not any("--held-out" in asked for asked in (*workshop.asked["ideas"], *workshop.asked["edit"]))


INDEXED = '''"""Finds notes by words, from a table of words."""


class Index:
    def __init__(self, notes):
        self.table = {}
        for name, text in notes.items():
            for word in text.split():
                self.table.setdefault(word.strip(".,;:!?").lower(), {}).setdefault(name, 0)
                self.table[word.strip(".,;:!?").lower()][name] += 1

    def search(self, query):
        scores = {}
        for word in set(query.lower().split()):
            for name, count in self.table.get(word, {}).items():
                scores[name] = scores.get(name, 0) + count
        return sorted(scores, key=lambda name: (-scores[name], name))[:10]
'''
WANTED = "        wanted = set(self.words(query))\n"
COPIES = "        self.copies = [dict(notes), {name: text.lower() for name, text in notes.items()}]\n"
SEARCHES = {
    "Look words up in a table": whole("service/index.py", INDEXED),
    "Answer with nothing": edit("service/index.py", WANTED, f"        return []\n{WANTED}"),
    "Raise at once": edit("service/index.py", WANTED, "        raise ValueError\n"),
    "Keep one copy": edit("service/index.py", COPIES, "        self.copies = []\n"),
}


@pytest.fixture
def searched(tmp_path: Path, endpoint: StubEndpoint) -> tuple[Place, Ended]:
    endpoint.respond = Workshop(SEARCHES)
    place = copied("search-service", tmp_path, endpoint)
    return place, carried_out(place)


def test_three_targets_in_a_batch_of_three(searched: tuple[Place, Ended]) -> None:
    place, ended = searched
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), ended.err
    outcomes = {number: event["outcome"] for number, event in closed(ended).items()}
    assert outcomes == {1: "kept", 2: "reverted", 3: "degenerate"}
    assert "recall got worse than allowed" in closed(ended)[2]["reason"]
    assert closed(ended)[3]["reason"].startswith("the smoke run failed")
    assert ended.last["held_out"]["after"] < ended.last["held_out"]["before"] / 4
    stopped = [event for event in ended.events if event["event"] == "stopped"]
    assert stopped[0]["outcome"] == "target_reached"
    # Samples of both sides take turns, and nothing is left behind.
    taken = [event for event in ended.events if event["event"] == "command_measured" and event["experiment"] == 1]
    arms = [event["arm"] for event in taken if event["workload"] == "selection"]
    assert arms == ["reference", "candidate", "candidate", "reference"]
    assert git(place.root, "worktree", "list").count("\n") == 1
    assert [line for line in git(place.root, "branch", "--list").split() if "optimize-exp" in line] == []


WORDS = ("parcel", "invoice", "password")
BY_TOPIC = '''"""Groups short messages by the thing they are about."""

TOPICS = ("parcel", "invoice", "password")


def groups(messages):
    found = {}
    for message in messages:
        topic = next((topic for topic in TOPICS if topic in message.lower()), "other")
        found.setdefault(topic, []).append(message)
    return found
'''
DROPS = "def groups(messages):\n    return {'a': [messages[0]], 'b': [messages[2]]}\n"
CLUSTERS = {
    "Group by what a message is about": whole("clusters/group.py", BY_TOPIC),
    "Drop what is hard": whole("clusters/group.py", DROPS),
}


def judged(mark: str, asked: str) -> str:
    """Groups of one thing are worth five; a message that stands alone has others like it."""
    rows = []
    for item_id, _, output in items(asked, mark):
        lines = output.strip().splitlines()
        topics = {next((word for word in WORDS if word in line.lower()), "") for line in lines}
        score = 1 if len(lines) == 1 else 5 if len(topics) == 1 else 2
        rows.append({"item_id": item_id, "coherence": score, "feedback": "as it is", "ambiguous": False})
    return json.dumps({"marker": mark, "verdicts": rows})


@pytest.mark.exhaustive
def test_what_a_command_prints_is_judged_after_its_gates_and_once_more_from_another_draw(
    tmp_path: Path, endpoint: StubEndpoint
) -> None:
    workshop = endpoint.respond = Workshop(CLUSTERS)
    ended = carried_out(copied("judged-clusters", tmp_path, endpoint))
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), ended.err
    outcomes = {number: event["outcome"] for number, event in closed(ended).items()}
    assert outcomes == {1: "kept", 2: "degenerate"}
    scored = [event for event in ended.events if event["event"] == "command_judged"]
    assert {event["experiment"] for event in scored} == {None, 1}
    assert {event["workload"] for event in scored if event["experiment"] == 1} == {"selection", "holdout"}
    assert ended.last["held_out"]["after"] == 5 and ended.last["held_out"]["before"] < 2
    assert any("Does this message stand alone" in asked for asked in workshop.asked["judge"])
