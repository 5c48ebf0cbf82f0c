"""Every reason to refuse a candidate, by a run and by `ceopt lint`: the same code, words and line, and no call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Place, warm
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import KEY, LABELS, git, question

from ceopt_tui.inputs import open_project, split_of
from texttargets.edits import Edit, apply_edits

TEXT = """\
---
name: triage
description: Route a message to a queue
---
# Triage

Read the message of {customer} and say which queue it belongs to.

## Queues

- returns
- billing
- delivery

## Form

```json
{"queue": "returns"}
```

You must never invent a queue. When two queues fit, take the one that is named first in the list.
"""
SPEC = """\
name: triage
description: Route a support message to the right queue
target: {files: [prompts/triage.md], protect: [Queues], max_tokens: 330, max_growth: 2.5}
evalset: {file: evals/triage.yaml, seed: 7}
metric: {primary: {type: hard, name: pass_rate, direction: maximize}}
proposer: {kind: llm}
stopping: {max_iterations: 24, plateau_iterations: 30}
"""
GERMAN = (
    "Lies die Nachricht von {customer} und nenne die Schlange, zu der sie nicht nur dem Wort nach gehört.",
    "Du darfst keine Schlange erfinden. Wenn zwei passen, nimm die erste, die auf der Liste und nicht im Text steht.",
)
JOURNAL = Path(".context/ceopt/triage/journal.jsonl")
FIRST, LAST = TEXT.splitlines()[6], TEXT.splitlines()[-1]
LONG = "Think of the customer, of the parcel, of the bill and of the shop, one after the other. "


def edit(search: str, replace: str) -> dict[str, str]:
    return {"search": search, "replace": replace}


@dataclass(frozen=True)
class Refused:
    """A reply's edits, and what is said of them. `whole` tells that the same can come as a whole text."""

    name: str
    edits: list[dict[str, str]]
    code: str
    message: str
    line: int | None = None
    whole: bool = True
    outcome: str = "refused"


REFUSED = [
    Refused(
        "not found",
        [edit("Read the mail", "Read it")],
        "edit_not_found",
        "edit 1: “Read the mail” does not occur in the text",
        whole=False,
        outcome="no_edits_applied",
    ),
    Refused("lost", [edit("of {customer} ", "")], "placeholder_lost", "placeholder {customer} is missing", 7),
    Refused(
        "found twice",
        [edit("## ", "### ")],
        "edit_ambiguous",
        "edit 1: “## ” occurs more than once (again in line 15)",
        15,
        whole=False,
        outcome="no_edits_applied",
    ),
    Refused(
        "escaped",
        [edit("{customer}", "{{customer}}")],
        "placeholder_escaped",
        "placeholder {customer} became {{customer}} in line 7",
        7,
    ),
    Refused(
        "too many edits",
        [edit(f"- {label}", f"- {label}!") for label in LABELS]
        + [edit("## Form", "## Shape"), edit("# Triage", "# Sort")],
        "edit_budget",
        "5 edits, at most 4 allowed",
        whole=False,
        outcome="no_edits_applied",
    ),
    Refused(
        "invented",
        [edit("# Triage\n", "# Triage\n\nGreet {name}.\n")],
        "placeholder_invented",
        "placeholder {name} is new (line 7)",
        7,
    ),
    Refused(
        "other file",
        [{"search": "a", "replace": "b", "path": "evals/triage.yaml"}],
        "out_of_scope",
        "edit 1: “evals/triage.yaml” is no target file",
        whole=False,
    ),
    Refused(
        "protected",
        [edit("- delivery\n", "- delivery\n- other\n")],
        "out_of_scope",
        "“Queues” is protected and was added to (line 9 before)",
        9,
    ),
    Refused(
        "name changed",
        [edit("name: triage", "name: router")],
        "front_matter",
        "the `name` in the front matter was changed",
        2,
    ),
    Refused(
        "front matter broken",
        [edit("Route a message to a queue", "Use when: a message: comes")],
        "front_matter",
        "front matter is damaged in line 3: mapping values are not allowed here",
        3,
    ),
    Refused(
        "fence open",
        [edit('{"queue": "returns"}\n```\n', '{"queue": "returns"}\n')],
        "fence",
        "the fence opened in line 17 is never closed",
        17,
    ),
    Refused(
        "prose around",
        [edit("# Triage\n", "Here is the improved prompt:\n\n# Triage\n")],
        "fence",
        "words about the text stand in the text, line 5",
        5,
    ),
    Refused(
        "fenced whole",
        [edit("# Triage\n", "```markdown\n# Triage\n"), edit(LAST, f"{LAST}\n```")],
        "fence",
        "the whole text is wrapped in a fence (line 5)",
        5,
    ),
    Refused(
        "cut off",
        [edit(LAST, "You must never invent a queue. When two queues fit, take the")],
        "truncated",
        "the text breaks off in line 21",
        21,
    ),
    Refused(
        "left out",
        [edit(LAST, "[the rest of the rules is unchanged]")],
        "truncated",
        "line 21 stands for text that was left out",
        21,
    ),
    Refused(
        "language",
        [edit(FIRST, GERMAN[0]), edit(LAST, GERMAN[1])],
        "language",
        "the text was English and is now German",
        1,
    ),
    Refused(
        "over max_tokens", [edit(LAST, f"{LAST}\n\n{LONG * 20}")], "too_long", "tokens, max_tokens is 330"
    ),
    Refused("over the growth cap", [edit(LAST, f"{LAST}\n\n{LONG * 9}")], "too_long", "growth is capped at"),
    Refused(
        "speaks to the judge",
        [edit(LAST, f"{LAST}\nThe judge will look for one word.")],
        "leak",
        "speaks to or about whoever scores the output “The judge will look”",
        22,
    ),
    Refused(
        "quotes a case", [edit(LAST, f"{LAST}\nSELECTION")], "leak", "copies item SELECTED “", 22
    ),
    Refused(
        "quotes a held-out case", [edit(LAST, f"{LAST}\nHOLDOUT")], "leak", "copies a held-out item (line 22", 22
    ),
    Refused(
        "hidden character",
        [edit("never invent", "never\u200b invent")],
        "out_of_scope",
        "the hidden character U+200B (ZERO WIDTH SPACE) was added in line 21",
        21,
    ),
    Refused("unchanged", [edit(LAST, LAST)], "unchanged", "same"),
    Refused(
        "refused before",
        [edit("of {customer} ", "")],
        "unchanged",
        "refused before",
        whole=False,
    ),
]  # fmt: skip


@dataclass
class Model:
    """Takes two of three cases for the next queue, and as the proposer gives each of the replies above twice."""

    replies: list[str]
    asked: list[str] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Reply:
        words = body["messages"][-1]["content"]
        if body["model"] != "gpt-4o":
            number = int(words.split()[1].rstrip(":"))
            return completion("That is hard." if number % 8 == 5 else LABELS[(number + (number % 4 > 0)) % 3])
        self.asked.append(words)
        return completion(self.replies[min((len(self.asked) - 1) // 2, len(self.replies) - 1)])


@dataclass(frozen=True)
class Run:
    """The run with all of them, and its records."""

    place: Place
    model: Model
    table: list[Refused]
    records: list[dict[str, Any]]
    posts: int

    def of(self, kind: str, number: int) -> list[dict[str, Any]]:
        return [record for record in self.records if record["kind"] == kind and record.get("number") == number]


def make_place(folder: Path, api_base: str) -> Place:
    root = folder / "repo"
    for name in ("prompts", "evals"):
        (root / name).mkdir(parents=True)
    (root / "prompts" / "triage.md").write_text(TEXT, encoding="utf-8")
    cases = [
        {"id": f"c{n:02d}", "input": {"customer": f"Ann {n}", "message": question(n)}, "expected": LABELS[n % 3]}
        for n in range(20)
    ]
    (root / "evals" / "triage.yaml").write_text(json.dumps({"name": "triage", "cases": cases}), encoding="utf-8")
    (root / "spec.yaml").write_text(SPEC, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    models = {"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini", "CEOPT_MODEL_STRONG": "openai/gpt-4o"}
    (folder / "home").mkdir()
    return Place(root, folder / "home", {**models, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": api_base})


def filled(place: Place) -> list[Refused]:
    """The table with a case of each side in it."""
    split = split_of(open_project(place.root / "spec.yaml"))
    selected, held_out = split.selection[0], split.holdout[0]
    words = {
        "SELECTION": question(int(selected[1:])),
        "HOLDOUT": question(int(held_out[1:])),
        "SELECTED": selected,
    }

    def put(text: str) -> str:
        for name, word in words.items():
            text = text.replace(name, word)
        return text

    return [
        Refused(
            one.name,
            json.loads(put(json.dumps(one.edits))),
            one.code,
            put(one.message),
            one.line,
            one.whole,
            one.outcome,
        )
        for one in REFUSED
    ]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    model = Model([])
    with StubEndpoint(respond=model) as endpoint:
        place = make_place(tmp_path_factory.mktemp("refusals"), endpoint.api_base)
        table = filled(place)
        model.replies += [json.dumps({"why": one.name, "edits": one.edits}) for one in table]
        assert warm().run(place, "approve", "spec.yaml").status == 0
        ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
        assert ended.status in (0, 3), ended.err
        lines = (place.root / JOURNAL).read_text(encoding="utf-8").splitlines()
        yield Run(place, model, table, [json.loads(line) for line in lines], endpoint.posts)


@pytest.mark.parametrize("name", [one.name for one in REFUSED])
def test_in_a_run_it_goes_back_once_and_closes_the_experiment(run: Run, name: str) -> None:
    number, wanted = next((at, one) for at, one in enumerate(run.table, 1) if one.name == name)
    first, second = run.of("candidate_refused", number)
    refusal = next(one for one in first["refusals"] if one["code"] == wanted.code)
    assert refusal["line"] == wanted.line
    assert wanted.message in refusal["message"]
    assert (first["attempt"], second["attempt"]) == (1, 2)
    again = run.model.asked[2 * number - 1]
    assert "Your last try was refused and nothing of it was applied:\n" in again
    assert f"\n- {wanted.code}: {refusal['message']}\n" in again
    (closed,) = run.of("experiment_closed", number)
    assert closed["outcome"] == wanted.outcome
    assert wanted.message in closed["reason"]


def test_none_of_them_cost_a_task_call(run: Run) -> None:
    kinds = [record["kind"] for record in run.records]
    assert len(run.model.asked) == 2 * len(run.table)
    assert "case_run" not in kinds[kinds.index("experiment_started") :]
    assert "candidate_made" not in kinds


@pytest.mark.parametrize("name", [one.name for one in REFUSED if one.whole])
def test_lint_refuses_the_whole_text_in_the_same_words(run: Run, name: str, tmp_path: Path) -> None:
    number, wanted = next((at, one) for at, one in enumerate(run.table, 1) if one.name == name)
    edits = [Edit(one["search"], one["replace"]) for one in wanted.edits]
    candidate = tmp_path / "candidate.md"
    candidate.write_text(apply_edits({"p": TEXT}, edits)["p"], encoding="utf-8")
    linted = warm().run(run.place, "lint", "prompts/triage.md", str(candidate), "--spec", "spec.yaml", "--json")
    assert linted.status == 2
    verdict = json.loads(linted.out)
    assert verdict["accepted"] is False
    if wanted.code == "unchanged":  # the engine says it before the guard does
        assert [one["code"] for one in verdict["refusals"]] == ["unchanged"]
    else:
        assert verdict["refusals"] == run.of("candidate_refused", number)[0]["refusals"]
