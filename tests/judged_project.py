"""A small real repository whose prompt a judge scores, and one endpoint that plays task model, judge and proposer."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceopt_process import Place
from stub_endpoint import Reply, completion
from triage_project import KEY, git

PROMPT = "# Release notes\n\nWrite a release note for the change.\n"
RULE = "Name who is affected."
RUBRIC = """\
quality: would a user know what to do after reading this?
5: says what changed, who is affected and what to do
4: one of these is vague
3: one of these is missing
2: two of these are missing
1: says nothing a user could use
"""
SPEC = """\
name: notes
description: Release notes that users can act on
target: {{files: [prompts/notes.md]}}
evalset: {{file: evals/notes.yaml, seed: 7}}
metric:
  primary: {{type: judge, name: quality, direction: maximize}}
  judge:
    rubric: rubric.md
    scoring: {{primary: quality}}
    model: openai/judge-model
    batch_size: 4
    {judge}
proposer: {{kind: {proposer}, model: openai/gpt-4o}}
models: {{openai/judge-model: {{model: openai/judge-model, usd_per_mtok: {{in: 1, out: 1}}}}}}
stopping: {{{stopping}}}
"""
EDIT = json.dumps({"edits": [{"append": RULE}], "why": "the notes do not say who is affected"})
CHANGE = re.compile(r"Change (\d+):")
MARK = re.compile(r"carry the mark (\S+)\.")


def change(number: int) -> str:
    """What a release note is asked for; no two are near-duplicates."""
    words = hashlib.sha256(f"n{number}".encode()).hexdigest()
    return f"Change {number}: module {words[:6]} now retries {words[6:9]} times, flag {words[9:15]}"


def make_judged(
    folder: Path,
    api_base: str,
    *,
    cases: int = 20,
    judge: str = "calibration: {waived: no person here}",
    proposer: str = "llm",
    stopping: str = "max_iterations: 2",
) -> Place:
    """Repository, rubric, eval set and spec, committed. Every case has a good and a bad output (expected, observed)."""
    root = folder / "repo"
    for place in ("prompts", "evals"):
        (root / place).mkdir(parents=True)
    (root / "prompts" / "notes.md").write_text(PROMPT, encoding="utf-8")
    (root / "rubric.md").write_text(RUBRIC, encoding="utf-8")
    lines = [
        f"  - {{id: n{number:02d}, input: {change(number)!r}, "
        f"expected: {note(number, 5)!r}, observed: {note(number, 2)!r}}}"
        for number in range(cases)
    ]
    (root / "evals" / "notes.yaml").write_text("name: notes\ncases:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    text = SPEC.format(judge=judge, proposer=proposer, stopping=stopping)
    (root / "spec.yaml").write_text(text, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    environ = {
        "CEOPT_MODEL_CHEAP": "openai/task-model",
        "CEOPT_MODEL_STRONG": "openai/gpt-4o",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": api_base,
    }
    (folder / "home").mkdir()
    return Place(root, folder / "home", environ)


def note(number: int, level: int, text: int = 0) -> str:
    """A release note worth `level`; `text` tells repeats apart."""
    parts = [
        f"Note {number}.{text}: the module retries now.",
        "Who: everyone on the flag.",
        "Do: nothing.",
        "Docs linked.",
    ]
    return " ".join(parts[: max(1, level - 1)]) + f" [worth {level}]"


@dataclass
class NotesModel:
    """The task's notes carry what they are worth; the judge reads it. `favour` is what the judge adds to new notes."""

    favour: float = 0.0
    posts: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.bodies.append(body)
        self.posts[body["model"]] += 1
        system, asked = body["messages"][0]["content"], body["messages"][-1]["content"]
        if body["model"] == "judge-model":
            return completion(self.verdicts(system, asked))
        if body["model"] == "gpt-4o":
            return completion(EDIT if "edits" in system or "edits" in asked else "{}")
        if not CHANGE.match(asked):  # the cheap model also names themes; groups keep the names their words give
            return completion("{}")
        return completion(self.write(system, asked))

    def write(self, text: str, asked: str) -> str:
        """Notes are worth 3, some 2 or 4; with the rule one more."""
        number = int(asked.split()[1].rstrip(":"))
        self.answered[f"{text}:{number}"] += 1
        repeat = self.answered[f"{text}:{number}"]
        level = 3 + (number % 5 == 0) - (number % 7 == 1) - (repeat % 4 == 3) + (RULE in text)
        return note(number, level, repeat)

    def verdicts(self, system: str, asked: str) -> str:
        found = MARK.search(system)
        assert found is not None
        rows = []
        for item_id, shown, output in items(asked, found[1]):
            level = worth(shown, output)
            rows.append(
                {
                    "item_id": item_id,
                    "quality": min(5.0, level + (self.favour if "Docs" in output else 0)),
                    "feedback": "" if level >= 4 else ("Say who is affected." if level == 3 else "Say what to do."),
                    "ambiguous": False,
                }
            )
        return json.dumps({"marker": found[1], "verdicts": rows})


def worth(asked: str, output: str) -> int:
    """What an output is worth: the number it carries, where it is a note on the change that was asked about."""
    carried, of, change_of = (
        re.search(r"\[worth (\d)\]", output),
        re.search(r"Note (\d+)\.", output),
        CHANGE.search(asked),
    )
    own = carried and of and change_of and of[1] == change_of[1]
    return int(carried[1]) if carried and own else 1


def items(asked: str, mark: str) -> list[tuple[str, str, str]]:
    """(id, input, output) of every item of a judge's call."""
    found = []
    for block in asked.split(f"<<<{mark} item ")[1:]:
        item_id = json.loads(block.split(">>>", 1)[0])
        shown, output = block.split(f"<<<{mark} output>>>\n", 1)
        found.append((item_id, shown, output.split(f"<<<{mark} end>>>", 1)[0]))
    return found
