"""`ceopt coverage` by the real command: what it finds, what it sends, what it pays, and what a run makes of it."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import CEOPT, Ended, Place, warm
from judged_project import RULE, NotesModel, make_judged
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import CONTRACT, LABELS, TriageModel, git, label, make_project, question, users_files

from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.system_clock import SystemClock

MORE = pytest.mark.exhaustive

FOLDER = Path(".context/ceopt/triage")
COVERAGE = ("coverage", "spec.yaml", "--yes", "--json")
SHOUT, KIND = "Shout every number.", "Be kind."
PROMPT = f"# Triage\n\nName the queue.\n\n- {CONTRACT}: {', '.join(LABELS)}.\n- {SHOUT}\n- {KIND}\n"
CALLS = 10 * 4 + 10 * 4 + 4 * 10  # the text four times, four neutral copies, four rules; then what moved


@dataclass
class RulesModel(TriageModel):
    """Needs the contract on most cases, is spoilt by SHOUT on some; `vary` never says the same twice."""

    vary: bool = False

    def __call__(self, body: dict[str, Any]) -> Reply:
        if self.vary:
            status, reply, headers = super().__call__(body)
            reply["choices"][0]["message"]["content"] += "\n" * (len(self.texts) % 7)
            return status, reply, headers
        return super().__call__(body)

    def answer(self, text: str, number: int) -> str:
        return "RETURNS!" if SHOUT in text and number % 9 == 5 else super().answer(text, number)


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=RulesModel()) as running:
        yield running


def project(folder: Path, endpoint: StubEndpoint, **more: Any) -> Place:
    return make_project(folder, endpoint.api_base, prompt=more.pop("prompt", PROMPT).encode(), **more)


def statuses(ended: Ended) -> dict[str, str]:
    return {row["text"]: row["status"] for row in ended.events[:-1]}


def selected(endpoint: StubEndpoint) -> set[str]:
    return {body["messages"][-1]["content"] for body in endpoint.bodies}


@MORE
def test_every_rule_is_called_what_it_is(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    before = users_files(place.root)
    ended = warm().run(place, *COVERAGE)
    assert ended.status == 0, ended.err
    assert list(statuses(ended).items()) == [
        ("Name the queue.", "uncovered"),
        (f"{CONTRACT}: {', '.join(LABELS)}.", "covered"),
        (SHOUT, "harmful"),
        (KIND, "uncovered"),
    ]
    summary = ended.last["summary"]
    moved = sum(seen["effect"] != "same" for row in ended.events[:-1] for seen in row["cases"].values())
    assert summary["requests"] == endpoint.posts == CALLS + 4 * moved
    assert (summary["covered"], summary["uncovered"], summary["harmful"], summary["deterministic"]) == (1, 2, 1, True)
    assert [row["protected"] for row in ended.events[:-1]] == [True, False, False, True]
    assert users_files(place.root) == before and not git(place.root, "branch", "--list", "optimize*")
    saved = json.loads((place.root / FOLDER / "coverage.json").read_text("utf-8"))
    assert [rule["status"] for rule in saved["rules"]] == [row["status"] for row in ended.events[:-1]]


@MORE
def test_held_out_cases_are_never_sent(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    cases = warm().run(place, *COVERAGE).last["summary"]["cases"]
    assert selected(endpoint) == {question(int(case[1:])) for case in cases} and len(cases) == 10


@MORE
def test_a_removed_rule_is_all_that_is_missing(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    warm().run(place, *COVERAGE)
    sent = {body["messages"][0]["content"] for body in endpoint.bodies}
    rules = ("Name the queue.\n\n", f"- {CONTRACT}: {', '.join(LABELS)}.\n", f"- {SHOUT}\n", f"- {KIND}\n")
    texts = {PROMPT, *(PROMPT.replace(rule, "") for rule in rules)}
    assert texts < sent
    assert {text.replace("\n", "") for text in sent} == {text.replace("\n", "") for text in texts}  # neutral copies


@MORE
def test_started_again_it_costs_nothing(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    first = warm().run(place, *COVERAGE)
    posts = endpoint.posts
    again = warm().run(place, *COVERAGE)
    assert again.events[:-1] == first.events[:-1]
    assert (endpoint.posts, again.last["summary"]["requests"]) == (posts, 0)


@MORE
def test_a_cap_ends_it_and_a_second_start_goes_on(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    ended = warm().run(place, *COVERAGE, "--max-calls", "50")
    assert (ended.status, ended.out, endpoint.posts) == (3, "", 50)
    assert not (place.root / FOLDER / "coverage.json").exists()
    last = warm().run(place, *COVERAGE).last["summary"]
    assert (last["requests"], last["from_cache"]) == (endpoint.posts - 50, 50)


@MORE
def test_killed_it_pays_for_nothing_twice(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place, other = project(tmp_path / "killed", endpoint), tmp_path / "whole"
    for stop_at in (30, 75, 110):
        assert warm().run_until(lambda at=stop_at: endpoint.posts >= at, place, *COVERAGE).status == -9  # type: ignore[misc]
    ended = warm().run(place, *COVERAGE)
    killed = endpoint.posts
    whole = warm().run(project(other, endpoint), *COVERAGE)
    assert ended.status == 0 and ended.events[:-1] == whole.events[:-1]
    assert killed <= (endpoint.posts - killed) + 3 * 4  # what was in flight, four at a time


@MORE
def test_the_price_is_said_and_somebody_must_approve(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint, price=", usd_per_mtok: {in: 1.0, out: 2.0}")
    ended = warm().run(place, "coverage", "spec.yaml")
    assert (ended.status, ended.out, endpoint.posts) == (4, "", 0)
    assert "USD" in ended.err and "120 to 376 calls" in ended.err and "--yes" in ended.err
    assert warm().run(place, "approve", "spec.yaml").status == 0
    assert warm().run(place, "coverage", "spec.yaml", "--max-calls", "5000").status == 4
    ended = warm().run(place, "coverage", "spec.yaml", "--max-usd", "1")
    assert ended.status == 0 and "1 covered, 2 uncovered, 1 harmful." in ended.out
    (place.root / "spec.yaml").write_text((place.root / "spec.yaml").read_text("utf-8") + "\n", "utf-8")
    assert warm().run(place, "coverage", "spec.yaml").status == 4


@MORE
@pytest.mark.parametrize(("answer", "status", "asked"), [(b"n\n", 130, False), (b"y\n", 0, True)])
def test_a_person_is_asked_before_the_first_call(
    endpoint: StubEndpoint, tmp_path: Path, answer: bytes, status: int, asked: bool
) -> None:
    place = project(tmp_path, endpoint, prompt=f"- {KIND}\n- {SHOUT}\n")
    person, terminal = pty.openpty()
    try:
        os.write(person, answer)
        ended = subprocess.run(
            [CEOPT, "coverage", "spec.yaml"],
            cwd=place.root, env=place.environment(TERM="xterm"), stdin=terminal, stderr=terminal,
            stdout=subprocess.PIPE, timeout=60, start_new_session=True, check=False,
        )  # fmt: skip
        told = os.read(person, 100_000).decode()
    finally:
        os.close(person)
        os.close(terminal)
    assert (ended.returncode, endpoint.posts > 0) == (status, asked)
    assert 0 < told.index("USD") < told.index("Start measuring? [y/N]")


@MORE
def test_words_hold_the_map_and_what_to_write(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    ended = warm().run(place, "coverage", "spec.yaml", "--yes")
    assert "\x1b" not in ended.out + ended.err
    rows = [
        line.split()
        for line in ended.out.splitlines()
        if line.startswith("line ") and set(line.split()[-1]) <= set("-+.~?")
    ]
    assert [row[1] for row in rows] == ["3", "5", "6", "7"]
    assert set(rows[1][2]) == {"-", "."} and set(rows[2][2]) == {"+", "."} and set(rows[3][2]) == {"."}
    assert f"- Write a case that comes out wrong when “{KIND}” is not followed." in ended.out
    assert "the text without each rule: 40 of 40" in ended.err


@MORE
def test_outputs_that_vary_are_repeated(tmp_path: Path) -> None:
    with StubEndpoint(respond=RulesModel(vary=True)) as endpoint:
        place = project(tmp_path, endpoint)
        ended = warm().run(place, *COVERAGE, "--repeats", "2")
        summary = ended.last["summary"]
        assert (summary["deterministic"], summary["runs_without"], summary["neutral_copies"]) == (False, 2, 0)
        assert endpoint.posts == summary["requests"] == 40 + 4 * 10 * 2
        assert statuses(ended)[SHOUT] == "harmful" and statuses(ended)[KIND] == "uncovered"


@dataclass
class DippingModel(RulesModel):
    """Without KIND one case comes out right three times, and wrong ever after."""

    case: int = -1
    asked: int = 0

    def answer(self, text: str, number: int) -> str:
        if KIND not in text and number == self.case:
            self.asked += 1
            return label(number) if self.asked <= 3 else "lost"
        return super().answer(text, number)


@MORE
def test_a_case_that_dips_is_run_again_until_it_is_clear(tmp_path: Path) -> None:
    model = DippingModel(vary=True)
    with StubEndpoint(respond=model) as endpoint:
        place = project(tmp_path, endpoint)
        cases = warm().run(place, *COVERAGE, "--repeats", "2").last["summary"]["cases"]
        model.case = next(int(case[1:]) for case in cases if int(case[1:]) % 9 != 5)
        shutil.rmtree(place.home)  # replies and map of before
        place.home.mkdir()
        before = endpoint.posts
        ended = warm().run(place, *COVERAGE)
        rule = next(event for event in ended.events if event.get("text") == KIND)
        assert (rule["status"], rule["loses"]) == ("covered", [f"c{model.case:02d}"])
        assert len(rule["cases"][f"c{model.case:02d}"]["scores"]) == 8  # four, and four more
        assert endpoint.posts - before == ended.last["summary"]["requests"] == 40 + 4 * 10 * 4 + 4 + 4
        assert "what dips, again" in ended.err


@MORE
def test_a_dead_endpoint_is_no_verdict(tmp_path: Path) -> None:
    with StubEndpoint("500") as endpoint:
        place = project(tmp_path, endpoint, more="runner: {retries: 0}\n")
        ended = warm().run(place, *COVERAGE)
        assert (ended.status, ended.out, endpoint.posts) == (3, "", 1)
        assert not (place.root / FOLDER / "coverage.json").exists()


def test_a_run_at_work_is_not_disturbed(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    with RunLock.acquire(place.root / FOLDER, now=SystemClock().now):
        ended = warm().run(place, *COVERAGE)
    assert (ended.status, endpoint.posts) == (ExitStatus.WAITING, 0)


@MORE
def test_a_template_keeps_the_rule_its_placeholder_stands_in(endpoint: StubEndpoint, tmp_path: Path) -> None:
    text = f"- {CONTRACT}.\n- {KIND}\n\n{{input}}\n"
    place = project(tmp_path, endpoint, prompt=text)
    spec = place.root / "spec.yaml"
    target = "target: {files: [prompts/triage.md], kind: template, syntax: brace}"
    spec.write_text(spec.read_text("utf-8").replace("target: {files: [prompts/triage.md]}", target), "utf-8")
    asked: list[str] = []

    def respond(body: dict[str, Any]) -> Reply:
        asked.append(body["messages"][0]["content"])
        number = int(asked[-1].split("Case ")[1].split(":")[0])
        return completion(TriageModel().answer(asked[-1], number))

    endpoint.respond = respond
    ended = warm().run(place, *COVERAGE)
    assert ended.status == 0, ended.err
    assert statuses(ended) == {f"{CONTRACT}.": "covered", KIND: "uncovered", "{input}": "needed"}


@MORE
def test_a_judged_text_is_covered_by_its_judge(tmp_path: Path) -> None:
    model = NotesModel()
    with StubEndpoint(respond=model) as endpoint:
        place = make_judged(
            tmp_path, endpoint.api_base, judge="calibration: {waived: no person here}\n    max_total_cost_usd: 3"
        )
        prompt = place.root / "prompts" / "notes.md"
        prompt.write_text(f"# Release notes\n\nWrite a release note for the change.\n\n- {RULE}\n- {KIND}\n", "utf-8")
        ended = warm().run(place, *COVERAGE)
        assert ended.status == 0, ended.err
        found = statuses(ended)
        assert (found[RULE], found[KIND]) == ("covered", "uncovered")
        summary = ended.last["summary"]
        assert (summary["judge"], summary["span"]) == ("openai/judge-model", 4)
        assert model.posts["judge-model"] and not model.posts["gpt-4o"]
        assert sum(model.posts.values()) == summary["requests"]


EDIT = {"edits": [{"search": f"- {KIND}", "replace": f"- {CONTRACT}: {', '.join(LABELS)}."}], "why": "name the labels"}


@MORE
@pytest.mark.parametrize("more", ["", "coverage: off\n"])
def test_a_rule_that_no_case_guards_is_not_edited(tmp_path: Path, more: str) -> None:
    with StubEndpoint(respond=TriageModel(edit=json.dumps(EDIT))) as endpoint:
        text = f"# Triage\n\nName the queue.\n\n- {KIND}\n"
        place = project(tmp_path, endpoint, prompt=text, proposer="llm", seed=8, more=more)
        place.environ["CEOPT_MODEL_STRONG"] = "openai/gpt-4o"
        assert statuses(warm().run(place, *COVERAGE))[KIND] == "uncovered"
        approved = warm().run(place, "approve", "spec.yaml")
        assert f": {KIND}" in approved.err and ("not protected" in approved.err) is bool(more)
        ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        refusals = [one for event in ended.events for one in event.get("refusals", ())]
        protected = [one for one in refusals if one["code"] == "out_of_scope"]
        assert bool(protected) is not bool(more) and all("is protected" in one["message"] for one in protected)
        assert ended.last["kept"] == (1 if more else 0)
        assert "## Which rules the cases guard" in warm().run(place, "report").out


@MORE
def test_the_map_outlives_a_fresh_start_and_a_changed_text(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    warm().run(place, *COVERAGE)
    warm().run(place, "approve", "spec.yaml")
    warm().run(place, "run", "spec.yaml", "--unattended", "--fresh")
    for more in ((), ("--prune",)):  # a pruning run has a folder of its own, and the same text
        assert f": {KIND}" in warm().run(place, "approve", "spec.yaml", *more).err
    target = place.root / "prompts" / "triage.md"
    target.write_text(PROMPT + "- Another rule.\n", encoding="utf-8")
    git(place.root, "commit", "--all", "--quiet", "--message", "edit")
    told = warm().run(place, "approve", "spec.yaml").err
    assert f": {KIND}\n" in told and ": Another rule. (unknown)" in told and "1 rule unknown to the map" in told


NEVER = "Never tell a customer the internal price of a refund."
LOSES = {
    "edits": [
        {"search": f"- {NEVER}\n", "replace": ""},
        {"append": f"{CONTRACT}: {', '.join(LABELS)}."},
    ],
    "why": "less to read",
}


@MORE
def test_words_changed_elsewhere_lift_no_protection(tmp_path: Path) -> None:
    """The person edits another rule after the approval; what they approved as protected stays."""
    with StubEndpoint(respond=TriageModel(edit=json.dumps(LOSES))) as endpoint:
        text = f"# Triage\n\nName the queue.\n\n- {NEVER}\n- {KIND}\n"
        place = project(tmp_path, endpoint, prompt=text, proposer="llm", seed=8)
        place.environ["CEOPT_MODEL_STRONG"] = "openai/gpt-4o"
        warm().run(place, *COVERAGE)
        assert f": {NEVER}" in warm().run(place, "approve", "spec.yaml").err
        changed = text.replace(KIND, "Be kind and brief.")
        (place.root / "prompts" / "triage.md").write_text(changed, encoding="utf-8")
        git(place.root, "commit", "--all", "--quiet", "--message", "edit")
        ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        refusals = [one for event in ended.events for one in event.get("refusals", ())]
        assert any("is protected" in one["message"] for one in refusals)
        assert ended.last["kept"] == 0 and NEVER in git(place.root, "show", "optimize/triage:prompts/triage.md")
        assert "1 rule unknown to the map" in warm().run(place, "report").out


@MORE
def test_an_approval_from_before_the_map_is_none_of_its_list(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint, prompt=f"# Triage\n\nName the queue.\n\n- {KIND}\n", cases=24)
    before = warm().run(place, "approve", "spec.yaml")
    assert "not measured" in before.err and "none of them is protected" in before.err
    warm().run(place, *COVERAGE)
    assert warm().run(place, "run", "spec.yaml", "--unattended").status == 4
    assert warm().run(place, "approve", "spec.yaml").out != before.out
