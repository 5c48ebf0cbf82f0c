"""A skill that a coding agent's command line runs: from `ceopt approve` to the kept text, caps, cache and resume."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from agent_commands import AgentCommand, installed
from agent_world import without_sandbox
from ceopt_process import Ended, Place, warm
from triage_project import CONTRACT, KEY, LABELS, git, question, users_files

from ceopt_tui.exits import ExitStatus

SKILL = "---\nname: triage\ndescription: Names the queue of a message.\n---\n\n# Triage\n\nName the queue.\n"
SPEC = """\
name: triage
description: Route a support message to the right queue
target: {{files: [skills/triage/SKILL.md]}}
evalset: {{file: evals/triage.yaml, seed: 7}}
metric: {{primary: {{type: hard, name: pass_rate, direction: maximize}}}}
runner: {{kind: {kind}, model: {model}}}
proposer: {{kind: mechanical}}
stopping: {{max_iterations: 3{stopping}}}
{more}"""
MODELS = {"claude": "anthropic/claude-haiku-4-5", "codex": "openai/gpt-4o-mini"}


def agent_project(
    folder: Path, kind: str = "claude", *, model: str = "", stopping: str = "", more: str = ""
) -> tuple[Place, AgentCommand]:
    """A repository with a skill of two files, and the agent on the PATH; bubblewrap is not allowed to work."""
    root, command = folder / "repo", installed(kind, folder / "agent")
    command.plays(reads=True)
    cases = [{"id": f"c{n:02d}", "input": question(n), "expected": LABELS[n % 3]} for n in range(20)]
    files = {
        "skills/triage/SKILL.md": SKILL,
        "skills/triage/references/queues.md": "returns, billing, delivery\n",
        "evals/triage.yaml": json.dumps({"name": "triage", "cases": cases}),
        "spec.yaml": SPEC.format(kind=kind, model=model or MODELS[kind], stopping=stopping, more=more),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    without_sandbox(command)
    environ = {"PATH": f"{command.folder}{os.pathsep}{os.environ['PATH']}"}
    environ |= {"claude": {"ANTHROPIC_API_KEY": KEY}, "codex": {"CODEX_API_KEY": KEY}}[kind]
    (folder / "home").mkdir()
    return Place(root, folder / "home", environ), command


def carried_out(place: Place) -> Ended:
    approved = warm().run(place, "approve", "spec.yaml")
    assert approved.status == 0, approved.err
    return warm().run(place, "run", "spec.yaml", "--unattended", "--json")


def words(ended: Ended) -> str:
    return ended.out + ended.err


def test_a_skill_gets_better_in_the_agent_that_uses_it(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path)
    before = users_files(place.root)
    approved = warm().run(place, "approve", "spec.yaml")
    assert "not sandboxed: it runs no commands" in words(approved), words(approved)
    ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), words(ended)
    assert users_files(place.root) == before
    assert command.seen["files"] == [".claude/skills/triage/SKILL.md", ".claude/skills/triage/references/queues.md"]
    assert command.seen["asked"].startswith("Case ") and KEY not in words(ended)
    assert CONTRACT in git(place.root, "show", "optimize/triage:skills/triage/SKILL.md")
    assert ended.last["usd"] == pytest.approx(0.25 * command.starts)
    report = warm().run(place, "report", "spec.yaml")
    assert "claude ran the text not sandboxed" in words(report)
