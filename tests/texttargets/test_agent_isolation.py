"""An agent sees the text under test and nothing of the operator's; where that cannot be shown, nothing is measured."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_commands import installed
from agent_world import AgentWorld, agent_world
from triage_project import question

from ceopt_tui import programs
from ceopt_tui.agent_clis.sandbox import Sandbox, find_sandbox
from judges.ledger import Ledger
from schemas.evalset import Case
from texttargets.runners.agent import AgentText
from texttargets.runners.canary import IsolationError

CASE = Case(id="c", input=question(0))
TEXTS: dict[Any, dict[str, str]] = {
    "skill": {"skills/triage/SKILL.md": "---\nname: triage\ndescription: Queues.\n---\n\nName the queue.\n"},
    "agents": {"AGENTS.md": "Name the queue.\n"},
    "prompt": {"prompt.md": "Name the queue.\n"},
}
REAL = find_sandbox(os.environ)
needs_bubblewrap = pytest.mark.skipif(REAL.program is None, reason=f"no sandbox on this machine: {REAL.why}")


@pytest.fixture(params=("claude", "codex"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the throw-away folders are made."""
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def ran(world: AgentWorld, kind: Any = "agents", **settings: Any) -> str:
    result = await world.runner(AgentText(kind), **settings).run(TEXTS[kind], CASE, 0)
    assert result.error is None, result.error
    return result.output


@pytest.mark.parametrize("kind", TEXTS)
async def test_every_kind_of_text_is_proven_to_be_read(name: str, kind: str, tmp_path: Path) -> None:
    world = agent_world(name, tmp_path)
    assert await ran(world, kind) == "returns"
    assert world.command.starts == 2 and [facts.role for facts in world.booked] == ["task"]


async def test_the_proof_is_paid_for_once_for_an_agent_and_a_machine(name: str, tmp_path: Path) -> None:
    world = agent_world(name, tmp_path)
    await ran(world, machine="here")
    await ran(world, machine="here")
    assert world.command.starts == 2 and [facts.cached for facts in world.booked] == [False, True]
    await ran(world, machine="there")
    assert world.command.starts == 3


@pytest.mark.parametrize(("leak", "place"), [("walks_up", "a folder above its own"), ("looks_home", "operator's home")])
async def test_an_agent_that_follows_other_instructions_ends_the_run_before_the_first_case(
    name: str, leak: str, place: str, tmp_path: Path, room: Path
) -> None:
    world = agent_world(name, tmp_path, play={"reads": True, leak: True})
    with pytest.raises(IsolationError, match=place):
        await ran(world)
    assert world.command.starts == 1 and "code words" in world.command.seen["asked"]
    assert len(world.booked) == 1 and list(room.iterdir()) == []


async def test_an_agent_that_does_not_read_the_text_is_asked_twice_and_ends_the_run(name: str, tmp_path: Path) -> None:
    world = agent_world(name, tmp_path, play={"reads": True, "blind": True})
    with pytest.raises(IsolationError, match="may not read the text"):
        await ran(world, "skill")
    assert world.command.starts == 2
    world.command.plays(reads=True)  # mended: an answer that proved nothing was not kept
    assert await ran(world, "skill") == "returns"


async def test_an_agent_that_fails_at_its_proof_ends_the_run(name: str, tmp_path: Path) -> None:
    world = agent_world(name, tmp_path, play={"fault": "the model got lost"})
    with pytest.raises(IsolationError, match="the model got lost"):
        await ran(world)


async def test_a_case_finds_a_clean_home_its_own_variables_and_nothing_is_left(
    name: str, tmp_path: Path, room: Path
) -> None:
    world = agent_world(name, tmp_path)
    await ran(world, "agents")
    seen, home = world.command.seen, {"claude": [".claude/settings.json"], "codex": [".codex/config.toml"]}[name]
    assert [path for path in seen["home"] if "." in Path(path).name[1:]] == home
    assert not Path(seen["environ"]["HOME"]).exists() and seen["environ"]["HOME"] != world.environ["HOME"]
    given = {"claude": "ANTHROPIC_API_KEY", "codex": "CODEX_API_KEY"}[name]
    assert given in seen["environ"] and not {"CEOPT_PRIVATE", "OPENAI_API_KEY"} & set(seen["environ"])
    assert not any("sk-FAKE" in word or "Case" in word or "queue" in word for word in seen["argv"])
    assert list(room.iterdir()) == []


async def test_a_case_that_takes_too_long_is_ended_and_has_no_score(name: str, tmp_path: Path, room: Path) -> None:
    world = agent_world(name, tmp_path)
    await ran(world)
    world.command.plays(hang=True)
    late = await world.runner(AgentText("agents"), timeout_s=1.0).run(TEXTS["agents"], CASE, 1)
    assert late.error and "took longer than 1 s" in late.error and late.facts is None
    assert list(room.iterdir()) == []


def passes_through(world: AgentWorld) -> None:
    """A bubblewrap that hides nothing: it runs what it is given."""
    script = world.command.folder / "bwrap"
    script.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done; shift; exec "$@"\n')


async def test_a_sandbox_that_hides_nothing_is_found_out_before_anything_is_paid(name: str, tmp_path: Path) -> None:
    world = agent_world(name, tmp_path)
    passes_through(world)
    assert world.sandbox.words == "sandboxed"
    with pytest.raises(IsolationError, match=r"does not hide .*users-home"):
        await ran(world)
    assert world.booked == [] and not (world.command.folder / "starts.txt").exists()


async def test_a_sandbox_that_stops_working_ends_the_run(tmp_path: Path) -> None:
    world = agent_world("claude", tmp_path)
    passes_through(world)
    runner = world.runner(AgentText("agents"))
    (world.command.folder / "bwrap").write_text("#!/bin/sh\necho gone >&2\nexit 1\n")
    with pytest.raises(IsolationError, match="the sandbox does not start: gone"):
        await runner.run(TEXTS["agents"], CASE, 0)


def in_real_sandbox(name: str, folder: Path) -> AgentWorld:
    """The agent installed as a program of the user's, with nothing beside it that it could be told by."""
    command = installed(name, folder / "agent")
    (command.folder / "play.json").unlink()
    return AgentWorld(command, {**command.environ, "PATH": f"{command.folder}:{os.environ['PATH']}"}, folder, Ledger())


@needs_bubblewrap
@pytest.mark.parametrize("kind", TEXTS)
async def test_in_a_real_sandbox_every_kind_of_text_is_read(name: str, kind: str, tmp_path: Path) -> None:
    assert await ran(in_real_sandbox(name, tmp_path), kind, hidden=[Path(__file__)]) == "returns"


@needs_bubblewrap
async def test_a_real_sandbox_shows_neither_home_nor_neighbours_and_lets_the_folder_be_written(tmp_path: Path) -> None:
    secret, home = tmp_path / "secret.txt", tmp_path / "home"
    secret.write_text("secret")
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "CLAUDE.md").write_text("secret")
    sandbox = replace(REAL, environ={**os.environ, "HOME": str(home)})
    script = (
        f"cat {secret}; cat {home}/.claude/CLAUDE.md; ls -A {home}; ls -A ..; echo x > own; cat own; echo x > /usr/x"
    )
    with programs.workplace() as place:
        folder = place.root / "work"
        folder.mkdir()
        (place.root / "CLAUDE.md").write_text("secret")
        words = sandbox.box(["/bin/sh", "-c", script], place, folder)
        command = " ".join(f"'{word}'" for word in words)
        ended = await programs.run_program(command, place, {"PATH": "/usr/bin:/bin"}, timeout_s=20, cwd=folder)
        assert (folder / "own").read_text() == "x\n" and not Path("/usr/x").exists()
    assert "secret" not in ended.stdout and ended.stdout.split() == ["request", "scratch", "work", "x"]


def test_a_machine_without_bubblewrap_says_so(tmp_path: Path) -> None:
    assert find_sandbox({"PATH": str(tmp_path)}) == Sandbox(
        None, {"PATH": str(tmp_path)}, "bubblewrap is not installed"
    )
    refused = agent_world("claude", tmp_path).sandbox
    assert refused.program is None and "No permissions to create new namespace" in refused.why


def test_of_the_users_folders_the_box_holds_the_program_alone(tmp_path: Path) -> None:
    home, node = tmp_path / "home", tmp_path / "home" / "node"
    modules = home / "app" / "lib" / "node_modules"
    script = modules / "@acme" / "claude" / "cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("#!/usr/bin/env node\n")
    link, interpreter = home / ".local" / "bin" / "claude", node / "bin" / "node"
    for path in (link, interpreter):
        path.parent.mkdir(parents=True)
    link.symlink_to(script)
    interpreter.write_bytes(b"\x7fELF")
    for path in (script, interpreter):
        path.chmod(0o755)
    sandbox = Sandbox("/usr/bin/bwrap", {"HOME": str(home), "PATH": f"{link.parent}:{interpreter.parent}"})
    with programs.workplace() as place:
        words = list(sandbox.box(["claude", "-p"], place, place.root / "work"))
    of_home = {word for word in words if word.startswith(str(home))}
    assert of_home == {str(modules), str(node), str(script), str(link)}
    assert words[-3:] == ["--", "claude", "-p"] and words[words.index(str(link)) - 2] == "--symlink"
