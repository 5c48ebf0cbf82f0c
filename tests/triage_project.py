"""A small real repository with a prompt that fails most of its cases, and a model that answers by known rules."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceopt_process import Place
from stub_endpoint import Reply, completion

LABELS = ("returns", "billing", "delivery")
PROMPT = "# Triage\n\nRead the message and name the queue it belongs to.\n"
CONTRACT = "Answer with exactly one of these"
KEY = "sk-FAKE-ABCDEFGH12345678"

SPEC = """\
name: triage
description: Route a support message to the right queue
target: {{files: [prompts/triage.md]}}
evalset: {{file: evals/triage.yaml, seed: {seed}}}
metric: {{primary: {{type: hard, name: pass_rate, direction: maximize}}}}
proposer: {{kind: {proposer}}}
models: {{cheap: {{concurrency: 4{price}}}}}
stopping: {{{stopping}}}
{more}"""


def question(number: int) -> str:
    """No two of them are near-duplicates."""
    words = hashlib.sha256(str(number).encode()).hexdigest()
    return f"Case {number}: parcel {words[:6]}, invoice {words[6:12]}, city {words[12:18]}?"


def label(number: int) -> str:
    return LABELS[number % 3]


def git(root: Path, *args: str) -> str:
    """Plain git; commits get the same date, so that equal repositories have equal commits."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false")
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-05T10:00:00Z")
    command, environment = ["git", *identity, *args], {**os.environ, **dates}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True, text=True).stdout


def make_project(
    folder: Path,
    api_base: str,
    *,
    cases: int = 20,
    proposer: str = "mechanical",
    price: str = "",
    stopping: str = "max_iterations: 3",
    more: str = "",
    prompt: bytes = PROMPT.encode(),
    seed: int = 7,
) -> Place:
    """Repository, eval set and spec, committed; the environment names the endpoint and a key."""
    root = folder / "repo"
    for place in ("prompts", "evals"):
        (root / place).mkdir(parents=True)
    (root / "prompts" / "triage.md").write_bytes(prompt)
    lines = [
        f"  - {{id: c{number:02d}, input: {question(number)!r}, expected: {label(number)}}}" for number in range(cases)
    ]
    (root / "evals" / "triage.yaml").write_text("name: triage\ncases:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    values = {"proposer": proposer, "price": price, "stopping": stopping, "more": more, "seed": seed}
    (root / "spec.yaml").write_text(SPEC.format(**values), encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    environ = {"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": api_base}
    (folder / "home").mkdir()
    return Place(root, folder / "home", environ)


def users_files(root: Path) -> dict[str, object]:
    """What is the user's: branch, commit, index against files, and every byte outside .git and the state folder."""
    return {
        "head": (root / ".git" / "HEAD").read_text(),
        "commit": git(root, "rev-parse", "HEAD"),
        "status": git(root, "--no-optional-locks", "status", "--porcelain"),
        "files": {
            str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and not {".git", ".context"} & set(path.relative_to(root).parts)
        },
    }


EDIT = json.dumps({"edits": [{"append": f"{CONTRACT}: {', '.join(LABELS)}."}], "why": "say what an answer is"})


@dataclass
class TriageModel:
    """Knows the right queue, but says it in a sentence unless the text tells it not to.

    Without the contract every third case passes all the same. Requests to `gpt-4o` are a proposer's and get `edit`.
    `texts` collects the system texts of the others.
    """

    edit: str = EDIT
    texts: list[str] = field(default_factory=list)
    opening: bool = False  # the contract counts only at the head of the text: the mechanical proposer's second idea

    def __call__(self, body: dict[str, Any]) -> Reply:
        if body["model"] == "gpt-4o":
            return completion(self.edit)
        text, asked = body["messages"][0]["content"], body["messages"][-1]["content"]
        self.texts.append(text)
        return completion(self.answer(text, int(asked.split()[1].rstrip(":"))))

    def answer(self, text: str, number: int) -> str:
        heard = text.partition("Read the message")[0] if self.opening else text
        plain = CONTRACT in heard or number % 9 < 3
        return label(number) if plain else f"This belongs to {label(number)}."
