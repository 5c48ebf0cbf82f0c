"""Studies on coding agents and commands: what they are given, what they print, and whether they ran apart."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from agent_commands import AgentCommand, installed
from agent_world import MODELS, without_sandbox
from study_project import around, commit_all, hypothesis, make_study

from ceopt_tui.agent_clis.sandbox import find_sandbox
from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.errors import InputError, SetupError
from ceopt_tui.study.freezing import freeze
from ceopt_tui.study.planning import StudyPlan, plan_study
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import read_study, run_study
from schemas.study_loading import load_study

REAL = find_sandbox(os.environ)
needs_bubblewrap = pytest.mark.skipif(REAL.program is None, reason=f"no sandbox on this machine: {REAL.why}")
LABELS = ["returns", "billing", "delivery"]
BARE = "---\nname: queues\ndescription: Names the queue.\n---\n\nName the queue.\n"
STRICT = BARE + "\nAnswer with exactly one of these: returns, billing, delivery.\n"
H1 = hypothesis(metric="routing_decision", treatment="terse", control="bare")


@pytest.fixture(params=("claude", "codex"))
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> AgentCommand:
    return reading(str(request.param), tmp_path)


def reading(name: str, folder: Path) -> AgentCommand:
    """An agent that follows what it reads."""
    agent = installed(name, folder / "agent")
    agent.plays(reads=True)
    return agent


def case(number: int) -> dict[str, Any]:
    answer = {"type": "route", "value": LABELS[number % 3], "labels": LABELS}
    return {"id": f"c{number}", "group": "mail", "input": f"Case {number}: which queue?", "answer": answer}


def study(folder: Path, target: dict[str, Any], **changes: Any) -> Path:
    """Two skills on one target and one case that only the strict one gets right, frozen and committed."""
    parts = {"asked": [case(3)], "hypotheses": [H1], "written": {"bare": BARE, "terse": STRICT}, "k": 1, **changes}
    texts = {name: f"variants/{name}/SKILL.md" for name in ("bare", "terse")}
    root = make_study(folder, targets=[target], texts=texts, parallel=1, **parts)
    for name in texts:
        skill = root / "variants" / name
        skill.mkdir()
        (root / "variants" / f"{name}.md").rename(skill / "SKILL.md")
        (skill / "reference.md").write_text("About the queues.\n", encoding="utf-8")
    freeze(load_study(root))
    commit_all(root)
    return root


def with_agent(folder: Path, agent: AgentCommand, **changes: Any) -> Path:
    target = {"id": "agent", "family": "oak", "harness": agent.name, "model": MODELS[agent.name], "timeout_s": 20}
    return study(folder, target | changes)


def with_command(folder: Path, script: str, **changes: Any) -> Path:
    """A target that is a script in the folder of the study."""
    parts = {"command": ["./reader.py"], "timeout_s": 20, **changes}
    root = study(folder, {"id": "own", "family": "oak", "harness": "command", "model": "reader", "command": ["true"]})
    spec = (root / "study.yaml").read_text("utf-8")
    keys = "".join(f"  {key}: {json.dumps(value)}\n" for key, value in parts.items())
    (root / "study.yaml").write_text(spec.replace("  command:\n  - 'true'\n", keys), encoding="utf-8")
    (root / "reader.py").write_text(f"#!{sys.executable} -IS\n{script}", encoding="utf-8")
    (root / "reader.py").chmod(0o755)
    freeze(load_study(root))
    commit_all(root)
    return root


async def ran(root: Path, folder: Path, environ: dict[str, str]) -> tuple[StudyPlan, StudyState, dict[str, Any]]:
    plan = plan_study(root, environ)
    state = await run_study(plan, around(folder, environ))
    return plan, state, report_of(plan.loaded, state)


@needs_bubblewrap
async def test_in_a_sandbox_an_agent_is_attested(agent: AgentCommand, tmp_path: Path) -> None:
    _, state, report = await ran(with_agent(tmp_path, agent), tmp_path, agent.environ)
    [probe] = state.probes("agent")
    assert probe.attested and probe.why == ""
    assert probe.facts is not None and probe.facts.attempts == 2
    assert {level["text"]: level["score"]["value"] for level in report["levels"]} == {"bare": 0, "terse": 1}
    assert not [one for one in report["hypotheses"][0]["objections"] if "attested" in one]
    assert report["spent"]["calls"]["value"] == 4
    assert not list((agent.folder / "users-home").rglob(".ceopt-probe*"))


async def test_without_a_sandbox_it_is_measured_and_no_claim_is_accepted(agent: AgentCommand, tmp_path: Path) -> None:
    environ = without_sandbox(agent)
    _, state, report = await ran(with_agent(tmp_path, agent), tmp_path, environ)
    [probe] = state.probes("agent")
    assert not probe.attested and "not allowed to work here" in probe.why
    assert report["coverage"] == {"scored": 2, "cells": 2}
    assert "not attested: agent" in report["hypotheses"][0]["objections"]


async def test_a_cell_holds_the_skill_and_its_references_and_nothing_tells_its_arm(
    agent: AgentCommand, tmp_path: Path
) -> None:
    environ = without_sandbox(agent)
    root = with_agent(tmp_path, agent)
    await ran(root, tmp_path, environ)
    seen = agent.seen
    skills = {"claude": ".claude/skills", "codex": ".agents/skills"}[agent.name]
    assert seen["files"] == [f"{skills}/queues/SKILL.md", f"{skills}/queues/reference.md"]
    told = json.dumps([seen["asked"], seen["argv"], seen["files"], seen["home"]])
    assert not [word for word in ("bare", "terse", "H1", "c3") if word in told]
    assert "sk-FAKE" not in json.dumps(seen["argv"]) and "sk-FAKE-OTHER12345678" not in seen["environ"].values()
    assert "CEOPT_PRIVATE" not in seen["environ"]
    stored = b"".join(path.read_bytes() for path in (root / "artifacts").rglob("*") if path.is_file())
    assert b"sk-FAKE" not in stored


async def test_what_an_agent_reports_is_what_was_spent(tmp_path: Path) -> None:
    agent = reading("claude", tmp_path)
    _, _, report = await ran(with_agent(tmp_path, agent), tmp_path, without_sandbox(agent))
    assert report["spent"]["usd"] == {"value": 0.75, "tags": ["measured"]}  # its code words, and two cells


async def test_an_agent_that_does_not_follow_the_text_ends_the_study_before_the_first_cell(tmp_path: Path) -> None:
    agent = reading("claude", tmp_path)
    agent.plays(reads=True, blind=True)
    root = with_agent(tmp_path, agent)
    environ = without_sandbox(agent)
    with pytest.raises(SetupError, match="did not answer with the code word"):
        await ran(root, tmp_path, environ)
    state = read_study(root / "artifacts" / "run")
    assert agent.starts == 2 and list(state.attempts) == ["probe/agent"]
    assert state.stopped is not None and "code word" in state.stopped


async def test_an_agent_that_is_missing_is_named_before_anything_is_written(tmp_path: Path) -> None:
    agent = reading("claude", tmp_path)
    root = with_agent(tmp_path, agent)
    environ = {**agent.environ, "PATH": "/usr/bin:/bin"}
    with pytest.raises(SetupError, match="`claude` is not on the PATH"):
        await run_study(plan_study(root, environ), around(tmp_path, environ))
    assert not (root / "artifacts").exists()


def test_an_agent_drives_the_models_of_its_provider_alone(tmp_path: Path) -> None:
    agent = reading("claude", tmp_path)
    with pytest.raises(SetupError, match=r"drives models of anthropic, and `openai/gpt-4o-mini` means"):
        plan_study(with_agent(tmp_path, agent, model="openai/gpt-4o-mini"), agent.environ)
    plan = plan_study(with_agent(tmp_path / "bare", agent, model="opus"), agent.environ)
    assert plan.models["agent"].model == "anthropic/opus"


FOLLOWS = """
import re, sys
asked = sys.stdin.read()
word = re.search("Write the word ([0-9a-z]+) into a new file ([a-z.]+) ", asked)
if word:
    open(word[2], "w").write(word[1])
print("returns" if "exactly one" in asked else "It is returns.")
"""


async def test_a_command_reads_the_prompt_and_prints_its_reply(tmp_path: Path) -> None:
    _, state, report = await ran(with_command(tmp_path, FOLLOWS), tmp_path, dict(os.environ))
    assert {level["text"]: level["score"]["value"] for level in report["levels"]} == {"bare": 0, "terse": 1}
    assert report["spent"]["usd"] is None and report["spent"]["calls"]["tags"] == ["soft"]
    [probe] = state.probes("own")
    assert probe.attested == (REAL.program is not None), probe.why


@needs_bubblewrap
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import sys\nsys.stdin.read()\nprint('returns')\n", "it did not write token.txt"),
        (
            "import os, sys\nsys.stdin.read()\nopen('real', 'w').write('a1b2c3')\nos.path.exists('token.txt') or "
            "os.symlink('real', 'token.txt')\nprint('returns')\n",
            "it did not write token.txt",
        ),
    ],
    ids=["forgets", "links"],
)
async def test_a_command_that_does_not_write_its_word_is_not_attested(script: str, why: str, tmp_path: Path) -> None:
    _, state, report = await ran(with_command(tmp_path, script), tmp_path, dict(os.environ))
    [probe] = state.probes("own")
    assert not probe.cell_write and why in probe.why
    assert "not attested: own" in report["hypotheses"][0]["objections"]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import sys\nprint('returns')\nsys.exit(3)\n", "ended with status 3"),
        ("pass\n", "printed nothing"),
        ("import time\ntime.sleep(60)\n", "took longer than 0.5 s"),
        ("import sys\nsys.exit('key sk-FAKE-MINE12345678 is bad')\n", r"ended with status 1: key \S+ is bad"),
    ],
)
async def test_a_command_that_fails_is_an_error_and_never_an_empty_success(
    script: str, why: str, tmp_path: Path
) -> None:
    changes: dict[str, Any] = {"timeout_s": 0.5} if "sleep" in script else {}
    root = with_command(tmp_path, script, variables=["MY_KEY"], **changes)
    environ = {**os.environ, "MY_KEY": "sk-FAKE-MINE12345678"}
    _, _, report = await ran(root, tmp_path, environ)
    assert report["coverage"] == {"scored": 0, "cells": 2}
    assert len(report["lost"]) == 2
    assert all(re.search(why, lost["why"]) and "sk-FAKE" not in lost["why"] for lost in report["lost"])


def test_the_plan_says_that_a_program_is_started_more_often(tmp_path: Path) -> None:
    lines = plan_study(with_command(tmp_path, FOLLOWS), dict(os.environ)).lines()
    assert "Isolation  own: started up to 3 times more, to show that it runs apart, not in the figures above" in lines


async def test_a_changed_script_is_another_study(tmp_path: Path) -> None:
    root = with_command(tmp_path, FOLLOWS)
    (root / "reader.py").write_text("#!/bin/sh\necho returns\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"reader\.py was changed since it was frozen"):
        await ran(root, tmp_path, dict(os.environ))


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ({"harness": "command"}, "is of the harness `command` and has no `command`"),
        ({"harness": "command", "command": ["../x.sh"]}, "leads out of the study's folder"),
        ({"harness": "mock", "command": ["x"]}, "is for the harness `command` alone"),
    ],
)
def test_a_target_that_cannot_be_started_is_refused(target: dict[str, Any], fault: str, tmp_path: Path) -> None:
    root = make_study(tmp_path, targets=[{"id": "t", "family": "oak", "model": "m", **target}])
    with pytest.raises(InputError, match=fault):
        load_study(root)


def test_texts_of_two_kinds_and_a_skill_among_the_answers_are_refused(tmp_path: Path) -> None:
    root = make_study(tmp_path, texts={"plain": "variants/plain.md", "checklist": "SKILL.md"})
    (root / "SKILL.md").write_text("Read.", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_study(root)
    assert "are of different kinds (prompt, skill)" in str(caught.value)
    root = make_study(tmp_path / "b", texts={"plain": "SKILL.md", "checklist": "b/SKILL.md"})
    for name in ("SKILL.md", "b/SKILL.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"Read {name}.", encoding="utf-8")
    with pytest.raises(InputError, match="needs a folder of its own"):
        load_study(root)
