"""A small study on disk: two texts, a strong and a weak offline target, findings and routes, one hypothesis."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import yaml

from ceopt_tui.study.starting import Surroundings
from ceopt_tui.system_clock import SystemClock

CODES = {
    "eval(": "runs_foreign_code",
    "shell=True": "shell_injection",
    "except:": "swallows_errors",
    "md5(": "weak_hash",
}
ROUTES = {"invoice": "billing", "parcel": "shipping", "password": "account"}
PLAIN = "Read what follows and answer in one word a line.\n"
RULES = "\n".join(f"- `{sign}`: {code}" for sign, code in {**CODES, **ROUTES}.items())
CHECKLIST = f"{PLAIN}\nName the code of each sign you see:\n\n{RULES}\n"


def review(number: int) -> dict[str, Any]:
    """A piece of code with two of the planted faults in it."""
    signs = list(CODES)
    planted = [signs[number % 4], signs[(number + 1) % 4]]
    code = f"def step_{number}():\n    use('{planted[0]}')\n    use('{planted[1]}')"
    answer = {"type": "findings", "planted": [CODES[sign] for sign in planted], "codes": list(CODES.values())}
    return {"id": f"review-{number}", "group": "review", "input": code, "answer": answer}


def route(number: int) -> dict[str, Any]:
    """A message that belongs to one queue."""
    sign = list(ROUTES)[number % 3]
    answer = {"type": "route", "value": ROUTES[sign], "labels": list(ROUTES.values())}
    return {"id": f"route-{number}", "group": "route", "input": f"Message {number} about my {sign}.", "answer": answer}


def hypothesis(**changes: Any) -> dict[str, Any]:
    """That the checklist finds more, by a quarter at least."""
    return {
        "id": "H1",
        "claim": "The checklist finds more planted faults.",
        "metric": "planted_defect",
        "treatment": "checklist",
        "control": "plain",
        "direction": "increase",
        "threshold": 0.25,
        "power": {"k": 5, "n": 8},
        "confounds": ["same cases", "same order"],
    } | changes


def make_study(
    folder: Path,
    *,
    asked: list[dict[str, Any]] | None = None,
    hypotheses: list[dict[str, Any]] | None = None,
    written: dict[str, str] | None = None,
    **changes: Any,
) -> Path:
    """The folder of a study; `changes` are keys of its study.yaml."""
    root = folder / "studies" / "signs"
    (root / "variants").mkdir(parents=True)
    (root / "cases").mkdir()
    texts = written or {"plain": PLAIN, "checklist": CHECKLIST}
    for name, text in texts.items():
        (root / "variants" / f"{name}.md").write_text(text, encoding="utf-8")
    study = {
        "name": "signs",
        "question": "Does a checklist make a reader find more?",
        "texts": {name: f"variants/{name}.md" for name in texts},
        "targets": [
            {"id": "strong", "family": "oak", "harness": "mock", "model": "reader"},
            {"id": "weak", "family": "elm", "harness": "mock-weak", "model": "reader"},
        ],
        "cases": ["cases/all.yaml"],
        "k": 5,
    } | changes
    asked = asked if asked is not None else [review(number) for number in range(8)] + [route(n) for n in range(8)]
    for name, data in (
        ("study.yaml", study),
        ("cases/all.yaml", {"cases": asked}),
        ("hypotheses.yaml", {"hypotheses": hypotheses or [hypothesis()]}),
    ):
        unshared = json.loads(json.dumps(data))  # what stands in it twice would become an anchor
        (root / name).write_text(yaml.safe_dump(unshared, sort_keys=False), encoding="utf-8")
    return root


def git(root: Path, *args: str) -> str:
    """git as a user of the repository runs it."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgSign=false")
    return subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True, text=True).stdout


def commit_all(root: Path) -> None:
    """Everything below the folder of `studies` is committed."""
    top = root.parents[1]
    if not (top / ".git").exists():
        git(top, "init", "--quiet", "--initial-branch=main")
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--message", "as registered")


def around(folder: Path, environ: dict[str, str]) -> Surroundings:
    """What a study on programs of this machine runs in; the word of its probes is known."""
    return Surroundings(
        environ, SystemClock(), lambda text: None, lambda done, total: None, folder / "cache", token=lambda: "a1b2c3"
    )
