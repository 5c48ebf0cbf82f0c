"""Every kind of text a user has, from `ceopt approve` to the commit, with a model that plays by known rules."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import CONTRACT, KEY, LABELS, git, question, users_files

RULE = f"{CONTRACT}: {', '.join(LABELS)}."
CASE = re.compile(r"Case (\d+):")
SPEC = """\
name: kinds
description: Route a support message to the right queue
target: {target}
evalset: {{file: evals/cases.yaml, seed: 7}}
metric: {{primary: {{type: hard, name: pass_rate, direction: maximize}}}}
proposer: {{kind: {proposer}}}
stopping: {{max_iterations: 3}}
"""


@dataclass
class Model:
    """Says a sentence until the text holds what it `needs`; as the proposer it replies with `edits`."""

    edits: list[dict[str, str]]
    needs: str = CONTRACT
    sent: list[list[dict[str, str]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Reply:
        messages = body["messages"]
        if body["model"] == "gpt-4o":
            self.asked.append(messages[-1]["content"])
            return completion(json.dumps({"why": "say the form", "edits": self.edits}))
        self.sent.append(messages)
        number = int(CASE.findall(messages[-1]["content"])[-1])
        whole = "".join(message["content"] for message in messages)
        label = LABELS[number % 3]
        return completion(label if self.needs in whole or number % 7 == 0 else f"It belongs to {label}.")


def make_place(
    folder: Path, api_base: str, files: dict[str, bytes], target: str, *, value: Any = None, proposer: str = "llm"
) -> Place:
    """A committed repository with these files; `value` makes a case's input of its number."""
    root = folder / "repo"
    cases = [
        {"id": f"c{n:02d}", "input": value(n) if value else question(n), "expected": LABELS[n % 3]} for n in range(20)
    ]
    evalset = json.dumps({"name": "kinds", "cases": cases}, ensure_ascii=False).encode()
    spec = SPEC.format(target=target, proposer=proposer).encode()
    for name, data in {**files, "evals/cases.yaml": evalset, "spec.yaml": spec}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "core.autocrlf", "false")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    models = {"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini", "CEOPT_MODEL_STRONG": "openai/gpt-4o"}
    (folder / "home").mkdir()
    return Place(root, folder / "home", {**models, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": api_base})


def optimized(place: Place) -> tuple[Ended, Ended]:
    """How approving and running ended."""
    before = users_files(place.root)
    approved = warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
    assert users_files(place.root) == before
    return approved, ended


def kept(place: Place, path: str) -> bytes:
    """A file's bytes on the optimization branch."""
    command = ["git", "show", f"optimize/kinds:{path}"]
    return subprocess.run(command, cwd=place.root, capture_output=True, check=True).stdout


def changed(place: Place) -> list[str]:
    """Numbers of added and removed lines and path of each file the branch changes, but for the reports."""
    found = git(place.root, "diff", "--numstat", "main...optimize/kinds").splitlines()
    return [line for line in found if "docs/optimize/" not in line]


SKILL = b"""\
---
name: triage
description: "Use when a message comes in: sort it"
version: 1.10
allowed-tools: [Read, Grep]   # keep this order
---
# Triage

Name the queue of the message. What each queue is for stands in references/queues.md.

---

```yaml
---
description: sample inside a block
---
```
"""
QUEUES = b"# Queues\r\n\r\nreturns: goods that come back. {message} is no placeholder here.\r\n"


def test_a_skill_with_references_is_sent_whole_and_only_its_body_is_edited(tmp_path: Path) -> None:
    model = Model([{"append": f"## Form\n\n{RULE}"}])
    files = {"skills/triage/SKILL.md": SKILL, "skills/triage/references/queues.md": QUEUES}
    target = "{files: [skills/triage/SKILL.md], references: [skills/triage/references/queues.md]}"
    with StubEndpoint(respond=model) as endpoint:
        place = make_place(tmp_path, endpoint.api_base, files, target)
        approved, ended = optimized(place)
    assert ended.last["outcome"] == "improved", ended.err
    assert "Sent along skills/triage/references/queues.md; never edited" in approved.err
    assert "Not sent" not in approved.err
    system = model.sent[0][0]["content"]
    assert system.startswith(SKILL.decode())
    assert system.endswith(
        '<file path="skills/triage/references/queues.md">\n' + QUEUES.decode().rstrip() + "\n</file>"
    )
    assert kept(place, "skills/triage/SKILL.md") == SKILL + f"\n## Form\n\n{RULE}\n".encode()
    assert changed(place) == ["4\t0\tskills/triage/SKILL.md"]
    assert not any("goods that come back" in words for words in model.asked)


def test_a_skill_whose_references_are_not_sent_says_so_before_it_is_approved(tmp_path: Path) -> None:
    files = {"skills/triage/SKILL.md": SKILL, "skills/triage/references/queues.md": QUEUES}
    with StubEndpoint(respond=Model([])) as endpoint:
        place = make_place(tmp_path, endpoint.api_base, files, "{files: [skills/triage/SKILL.md]}")
        approved = warm().run(place, "approve", "spec.yaml")
    assert "Not sent   skills/triage/references/queues.md: the text names them" in approved.err
    assert "`target.references` would send them along" in approved.err


@pytest.mark.exhaustive
def test_the_front_matter_is_edited_only_where_the_spec_says_so(tmp_path: Path) -> None:
    edits = [
        {"search": "Use when a message comes in: sort it", "replace": "Use for every message of a customer"},
        {"append": RULE},
    ]
    model = Model(edits)
    with StubEndpoint(respond=model) as endpoint:
        fixed = make_place(tmp_path / "fixed", endpoint.api_base, {"SKILL.md": SKILL}, "{files: [SKILL.md]}")
        _, refused = optimized(fixed)
        target = "{files: [SKILL.md], front_matter: editable}"
        free = make_place(tmp_path / "free", endpoint.api_base, {"SKILL.md": SKILL}, target)
        approved, ended = optimized(free)
    assert (refused.last["kept"], ended.last["kept"]) == (0, 1)
    assert "a change may edit the front matter, but never its name" in approved.err
    assert kept(free, "SKILL.md").startswith(b'---\nname: triage\ndescription: "Use for every message of a customer"\n')
    told = [event for event in refused.events if event["event"] == "candidate_refused"]
    assert "front_matter" in json.dumps(told)


def test_agents_file_with_mark_crlf_and_no_last_line_end_keeps_its_bytes(tmp_path: Path) -> None:
    text = "\ufeff# Agents\r\n\r\n- Sort mail.  \r\n-\tName the queue.\r\n\r\nAnswer the customer.".encode()
    model = Model([{"search": "Answer the customer.", "replace": f"Answer the customer.\n{RULE}"}])
    with StubEndpoint(respond=model) as endpoint:
        place = make_place(tmp_path, endpoint.api_base, {"CLAUDE.md": text}, "{files: [CLAUDE.md]}")
        _, ended = optimized(place)
    assert ended.last["outcome"] == "improved", ended.err
    assert kept(place, "CLAUDE.md") == text + f"\r\n{RULE}".encode()
    assert changed(place) == ["2\t1\tCLAUDE.md"]
    assert "\ufeff" not in json.dumps(model.sent, ensure_ascii=False)
    assert "\ufeff" not in json.dumps(model.asked, ensure_ascii=False)


MARKS = {
    "brace": ("{message}", '{"queue": ""} {{ or this }}'),
    "double-brace": ("{{message}}", '{"queue": ""} {or this}'),
    "jinja": ("{% if message %}{{ message | trim }}{% endif %}", '{"queue": ""}'),
    "shell": ("${message}", '{"queue": ""} $HOME {or this}'),
}


@pytest.mark.parametrize(
    "syntax", [pytest.param(syntax, marks=() if syntax == "jinja" else pytest.mark.exhaustive) for syntax in MARKS]
)
def test_a_template_is_filled_with_data_that_looks_like_one(tmp_path: Path, syntax: str) -> None:
    mark, literal = MARKS[syntax]
    text = f"Name the queue.\nReply never as {literal}.\n\nMessage: {mark}\n"
    odd = "{message} {{message}} {% if x %} ${message} {#"
    model = Model([{"append": RULE}])
    with StubEndpoint(respond=model) as endpoint:
        place = make_place(
            tmp_path,
            endpoint.api_base,
            {"queue.txt": text.encode()},
            f"{{files: [queue.txt], role: template, syntax: {syntax}}}",
            value=lambda number: {"message": f"{question(number)} {odd}"},
        )
        _, ended = optimized(place)
    assert ended.last["outcome"] == "improved", ended.err
    (message,) = model.sent[0]
    number = int(CASE.findall(message["content"])[-1])
    assert message["content"] == f"Name the queue.\nReply never as {literal}.\n\nMessage: {question(number)} {odd}\n"
    after = kept(place, "queue.txt").decode()
    assert after.count(mark) == 1 and after.endswith(f"{RULE}\n\nMessage: {mark}\n")


@pytest.mark.exhaustive
def test_of_several_files_the_one_that_is_named_is_edited_and_the_commit_has_both(tmp_path: Path) -> None:
    files = {"prompts/a-tone.md": b"Be kind.\r\n", "prompts/b-queues.md": b"# Queues\n\nName the queue.\n"}
    model = Model([{"path": "prompts/b-queues.md", "append": RULE}])
    with StubEndpoint(respond=model) as endpoint:
        place = make_place(tmp_path, endpoint.api_base, files, "{files: [prompts/a-tone.md, prompts/b-queues.md]}")
        _, ended = optimized(place)
    assert ended.last["outcome"] == "improved", ended.err
    assert kept(place, "prompts/a-tone.md") == files["prompts/a-tone.md"]
    assert kept(place, "prompts/b-queues.md") == files["prompts/b-queues.md"] + f"\n{RULE}\n".encode()
    assert changed(place) == ["2\t0\tprompts/b-queues.md"]
    assert (
        'Say with "path" which of the files an edit is for: prompts/a-tone.md, prompts/b-queues.md.' in model.asked[0]
    )
    assert model.sent[0][0]["content"] == "Be kind.\r\n\n\n# Queues\n\nName the queue.\n"


def test_what_is_protected_is_named_in_the_spec_or_the_spec_is_wrong(tmp_path: Path) -> None:
    text = b"# Triage\n\n## Queues\n\n- returns\n\n## Form\n\nName the queue.\n"
    with StubEndpoint(respond=Model([])) as endpoint:
        place = make_place(tmp_path, endpoint.api_base, {"p.md": text}, "{files: [p.md], protect: [Qeues, form]}")
        checked = warm().run(place, "check", "spec.yaml")
        ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        assert endpoint.posts == 0
    assert (checked.status, ended.status) == (2, 2)
    assert (
        "spec.yaml:3: target.protect[0]: “Qeues” is no heading or rule of p.md; the closest is “Queues”" in checked.out
    )


@pytest.mark.exhaustive
def test_a_phrase_of_the_cases_may_be_used_where_a_person_made_it_public(tmp_path: Path) -> None:
    public = "the parcel number is on the blue slip of the courier"
    model = Model([{"append": f"{RULE} Say that {public}."}])

    def value(number: int) -> str:
        return f"{question(number)} I know that {public}." if number == 4 else question(number)

    files = {"p.md": b"Name the queue.\n"}
    with StubEndpoint(respond=model) as endpoint:
        secret = make_place(tmp_path / "a", endpoint.api_base, files, "{files: [p.md]}", value=value)
        _, refused = optimized(secret)
        target = f'{{files: [p.md], public_phrases: ["{public}"]}}'
        known = make_place(tmp_path / "b", endpoint.api_base, files, target, value=value)
        approved, ended = optimized(known)
    assert (refused.last["kept"], ended.last["kept"]) == (0, 1)
    assert '"code": "leak"' in json.dumps([one for one in refused.events if one["event"] == "candidate_refused"])
    assert f"May quote  “{public}”" in approved.err


def test_worked_examples_are_made_and_no_case_is_one(tmp_path: Path) -> None:
    said = ("I want to send it back, it is too small", "my card was charged twice", "the courier never rang the bell")
    first = "Aberdeen,Bologna,Coimbra,Dortmund,Exeter,Florence,Granada,Hamburg,Innsbruck,Jaipur,Krakow,Limerick,Modena"
    towns = [*first.split(","), "Nantes", "Ostrava", "Palermo", "Quebec", "Rostock", "Salamanca", "Toulouse"]

    def worded(number: int) -> str:
        place, other = towns[number], towns[-1 - number]
        return f"{question(number)} Hello from {place}, {said[number % 3]}, and in {other} neither."

    model = Model([], needs="# Examples")
    with StubEndpoint(respond=model) as endpoint:
        files = {"p.md": b"Name the queue.\n"}
        place = make_place(tmp_path, endpoint.api_base, files, "{files: [p.md]}", value=worded, proposer="mechanical")
        _, ended = optimized(place)
    shown = {messages[0]["content"] for messages in model.sent if "Examples" in messages[0]["content"]}
    assert shown and all("Input: " in text for text in shown), ended.err
    for text in shown:
        examples = re.findall(r"^Input: (.*)$", text, re.MULTILINE)
        assert examples
        for number in range(20):
            assert question(number) not in text and worded(number) not in text
