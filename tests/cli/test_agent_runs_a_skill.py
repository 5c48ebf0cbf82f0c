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
evalset: {{file: evals/triage.yaml, seed: 8}}
metric: {{primary: {{type: hard, name: pass_rate, direction: maximize}}}}
runner: {{kind: {kind}, model: {model}, repeats: 2}}
proposer: {{kind: mechanical}}
stopping: {{max_iterations: 1{stopping}}}
{more}"""
MODELS = {"claude": "anthropic/claude-haiku-4-5", "codex": "openai/gpt-4o-mini"}


def agent_project(
    folder: Path, kind: str = "claude", *, cases: int = 20, model: str = "", stopping: str = "", more: str = ""
) -> tuple[Place, AgentCommand]:
    """A repository with a skill of two files, and the agent on the PATH; bubblewrap is not allowed to work."""
    root, command = folder / "repo", installed(kind, folder / "agent")
    command.plays(reads=True)
    rows = [{"id": f"c{n:02d}", "input": question(n), "expected": LABELS[n % 3]} for n in range(cases)]
    files = {
        "skills/triage/SKILL.md": SKILL,
        "skills/triage/references/queues.md": "returns, billing, delivery\n",
        "evals/triage.yaml": json.dumps({"name": "triage", "cases": rows}),
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


def test_a_baseline_is_measured_by_the_agent_that_uses_the_skill(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path, cases=6)
    ended = warm().run(place, "run", "spec.yaml", "--unattended", "--json")
    assert ended.status == ExitStatus.NEEDS_PERSON and ended.last["baseline"] is not None, words(ended)
    assert ended.last["calls"] == command.starts and ended.last["unscored"] == 0
    assert ended.last["usd"] == pytest.approx(0.25 * command.starts)


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_codex_runs_it_as_well_and_its_price_comes_from_its_tokens(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path, "codex")
    ended = carried_out(place)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), words(ended)
    assert command.seen["files"] == [".agents/skills/triage/SKILL.md", ".agents/skills/triage/references/queues.md"]
    assert ended.last["usd"] > 0


@pytest.mark.exhaustive
def test_a_cap_without_room_starts_no_agent_and_a_raised_one_goes_on(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path, stopping=", max_calls: 60")
    ended = carried_out(place)
    assert ended.last["outcome"] == "budget" and not (command.folder / "starts.txt").exists(), words(ended)
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text().replace("max_calls: 60", "max_calls: 2000"))
    ended = carried_out(place)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.FINISHED, "improved"), words(ended)
    assert ended.last["calls"] == command.starts <= 2000


def test_an_agent_that_follows_other_instructions_ends_the_run_before_its_baseline(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path)
    command.plays(reads=True, walks_up=True)
    ended = carried_out(place)
    assert (ended.status, ended.last["outcome"]) == (ExitStatus.REFUSED, "setup"), words(ended)
    assert "follows instructions that are not under test" in words(ended) and "Install bubblewrap" in words(ended)
    assert command.starts == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "openai/gpt-4o-mini"}, "drives models of anthropic"),
        ({"model": "cheap"}, "no model is configured for `cheap`, which claude is to run on"),
        ({"more": "models: {anthropic/claude-haiku-4-5: {api_base: 'http://127.0.0.1:9/v1'}}\n"}, "api_base"),
    ],
)
def test_the_model_must_be_one_that_the_agent_can_drive(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    place, command = agent_project(tmp_path, **changes)
    ended = carried_out(place)
    assert ended.status == ExitStatus.REFUSED and said in words(ended), words(ended)
    assert not (command.folder / "starts.txt").exists()


def test_an_agent_that_is_missing_has_no_login_or_started_ceopt_is_named(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path)
    key = place.environ.pop("ANTHROPIC_API_KEY")
    assert "neither a key nor a login" in words(carried_out(place))
    place.environ |= {"ANTHROPIC_API_KEY": key, "CLAUDECODE": "1"}
    assert "an agent does not start itself" in words(carried_out(place))
    del place.environ["CLAUDECODE"]
    (command.folder / "claude").unlink()
    place.environ["PATH"] = os.pathsep.join(["/usr/bin", "/bin"])
    ended = carried_out(place)
    assert ended.status == ExitStatus.REFUSED and "npm install -g @anthropic-ai/claude-code" in words(ended)


def test_doctor_says_what_the_run_would_be_stopped_by(tmp_path: Path) -> None:
    place, command = agent_project(tmp_path)
    seen = warm().run(place, "doctor", "spec.yaml", "--no-calls")
    assert seen.status == 0 and "not sandboxed: bubblewrap is not allowed to work here" in seen.out, words(seen)
    assert "runner.model" not in seen.out and "anthropic/claude-haiku-4-5 at the claude command line" in seen.out
    tried = warm().run(place, "doctor", "spec.yaml")
    assert tried.status == 0 and not (command.folder / "starts.txt").exists(), words(tried)
    del place.environ["ANTHROPIC_API_KEY"]
    seen = warm().run(place, "doctor", "spec.yaml", "--no-calls")
    assert seen.status == ExitStatus.REFUSED and "neither a key nor a login" in seen.out
