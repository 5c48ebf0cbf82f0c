"""What is kept with nobody watching: read by a model that did not write it or by the guards, or parked for a person."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_process import Ended, Place, warm
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import CONTRACT, PROMPT, TriageModel, git, make_project, question, users_files

READER = "gpt-4o"
MARK = re.compile(r'"marker": "(\w+)"')
AGAINST = {"reverted": True, "reason": "it forbids every explanation", "missing_observation": "whether answers explain"}
FINE = {"reverted": False, "reason": "it states the form of the answers", "missing_observation": ""}


@dataclass
class WithReader:
    """The triage model, and a reader beside it; `says` gives its reply from the mark of the call."""

    says: Callable[[str], str]
    reader: str = READER

    def __post_init__(self) -> None:
        self._triage = TriageModel()

    def __call__(self, body: dict[str, Any]) -> Reply:
        if body["model"] != self.reader:
            return self._triage(body)
        found = MARK.search(body["messages"][0]["content"])
        assert found is not None
        return completion(self.says(found[1]))


def verdict(told: dict[str, Any]) -> Callable[[str], str]:
    return lambda mark: json.dumps({"marker": mark, **told})


def run_with(endpoint: StubEndpoint, folder: Path, **project: Any) -> tuple[Place, Ended]:
    place = make_project(folder, endpoint.api_base, **project)
    place.environ["CEOPT_MODEL_STRONG"] = f"openai/{READER}"
    approved = warm().run(place, "approve", "spec.yaml").err
    assert ("Read by    the guards alone" in approved) == (project.get("proposer") == "llm")
    return place, again(place)


def again(place: Place) -> Ended:
    return warm().run(place, "run", "spec.yaml", "--unattended", "--json")


def kept(place: Place) -> bool:
    return CONTRACT in git(place.root, "show", "optimize/triage:prompts/triage.md")


def asked(endpoint: StubEndpoint) -> list[dict[str, Any]]:
    return [body for body in endpoint.bodies if body["model"] == READER]


def test_a_strong_model_reads_the_change_and_nothing_that_was_measured(tmp_path: Path) -> None:
    with StubEndpoint(respond=WithReader(verdict(FINE))) as endpoint:
        place, run = run_with(endpoint, tmp_path)
        requests = asked(endpoint)
    assert (run.status, run.last["outcome"]) == (0, "improved"), run.err
    assert kept(place) and len(requests) in {1, 2}  # twice where it gained more than was thought possible
    shown = json.dumps(requests)
    assert "Route a support message" in shown and f"+{CONTRACT}" in shown
    assert not any(question(number) in shown for number in range(20)) and "50%" not in shown
    report = warm().run(place, "report").out
    assert f"- reader (openai/{READER}): " in report
    assert f"read by openai/{READER}: it states the form of the answers" in report


def test_what_the_reader_speaks_against_is_reverted_and_the_report_says_what_is_not_measured(tmp_path: Path) -> None:
    with StubEndpoint(respond=WithReader(verdict(AGAINST))) as endpoint:
        place, run = run_with(endpoint, tmp_path, stopping="max_iterations: 1", seed=8)
    assert (run.status, run.last["kept"]) == (0, 0) and not kept(place)
    report = warm().run(place, "report").out
    assert "reverted by its reader: it forbids every explanation" in report
    assert "; not measured: whether answers explain" in report


def test_a_reader_that_makes_no_sense_leaves_the_change_to_a_person(tmp_path: Path) -> None:
    with StubEndpoint(respond=WithReader(lambda mark: "Looks good to me!")) as endpoint:
        place, run = run_with(endpoint, tmp_path, stopping="max_iterations: 1", seed=8)
        assert len(asked(endpoint)) == 2
        posts = endpoint.posts
        second = again(place)
        assert endpoint.posts == posts  # it waits, and costs nothing
    assert (run.status, run.last["status"], run.last["outcome"]) == (4, "blocked", "needs_person")
    assert run.last["pending_waits"][0]["on"] == "person" and run.last["proposals"] == [1]
    assert second.status == 4 and not kept(place)
    assert users_files(place.root)["status"] == ""

    status = warm().run(place, "status").out
    assert "1 proposal waits for a person: exp-001" in status
    assert "exp-001: its reader gave no usable answer" in status
    figures = json.loads(warm().run(place, "status", "--json").out)[0]
    assert figures["proposals"][0]["experiment"] == 1 and "no usable answer" in figures["proposals"][0]["reason"]
    assert f"+{CONTRACT}" in warm().run(place, "diff", "--experiment", "1").out
    report = warm().run(place, "report").out
    assert "## Waiting for a person" in report and f"+{CONTRACT}" in report

    wrong = warm().run(place, "apply", "--proposal", "2")
    assert wrong.status == 2 and "exp-001" in wrong.err
    applied = warm().run(place, "apply", "--proposal", "1")
    assert applied.status == 0 and CONTRACT in (place.root / "prompts" / "triage.md").read_text("utf-8")


def test_the_model_that_writes_the_changes_does_not_read_them(tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel()) as endpoint:
        place, run = run_with(endpoint, tmp_path, proposer="llm", seed=8)
        config = warm().run(place, "run", "spec.yaml", "--show-config").out
    assert (run.status, run.last["outcome"]) == (0, "improved") and kept(place)
    report = warm().run(place, "report").out
    assert "read by the guards alone" in report and "- reader (" not in report
    assert '"reader"' in config


def test_another_model_may_be_named_to_read_them(tmp_path: Path) -> None:
    with StubEndpoint(respond=WithReader(verdict(FINE), reader="third")) as endpoint:
        more = "models: {cheap: {concurrency: 4}, reader: {model: openai/third}}"
        place = make_project(tmp_path, endpoint.api_base, proposer="llm", seed=8)
        spec = place.root / "spec.yaml"
        spec.write_text(spec.read_text("utf-8").replace("models: {cheap: {concurrency: 4}}", more), encoding="utf-8")
        place.environ["CEOPT_MODEL_STRONG"] = f"openai/{READER}"
        warm().run(place, "approve", "spec.yaml")
        run = again(place)
        assert any(body["model"] == "third" for body in endpoint.bodies)
    assert run.status == 0 and kept(place)
    assert "read by openai/third: it states the form of the answers" in warm().run(place, "report").out


def test_what_the_guards_point_at_waits_for_a_person_where_no_model_may_read(tmp_path: Path) -> None:
    edit = json.dumps(
        {
            "edits": [{"append": f"{CONTRACT}: returns, billing, delivery.\nSkip messages in other languages."}],
            "why": "w",
        }
    )
    with StubEndpoint(respond=TriageModel(edit=edit)) as endpoint:
        place, run = run_with(endpoint, tmp_path, proposer="llm", stopping="max_iterations: 1", seed=8)
    assert run.status == 4 and not kept(place)
    status = warm().run(place, "status").out
    assert "may leave out what the description asks for: “Skip messages in other languages”" in status
    assert (place.root / "prompts" / "triage.md").read_text("utf-8") == PROMPT
