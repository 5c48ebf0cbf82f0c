"""Where the texts under test are put for an agent, byte for byte, and what it is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from agent_world import agent_world

from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.errors import SetupError
from schemas.evalset import Case
from texttargets.runners.agent import AgentText
from texttargets.runners.agent_workspace import snapshot_digest, snapshot_of, write_snapshot

CLAUDE, CODEX = DIALECTS["claude"], DIALECTS["codex"]
SKILL = "---\nname: sort-mail\n---\nSort.\n"


def places(kind: Any, texts: list[str], references: tuple[str, ...] = (), dialect: Any = CLAUDE) -> list[str]:
    return list(snapshot_of(kind, dict.fromkeys(texts, SKILL), dict.fromkeys(references, "r"), dialect))


def test_a_skill_goes_to_the_agents_skills_with_all_that_lies_beside_it() -> None:
    found = places("skill", ["plugins/mail/SKILL.md"], ("plugins/mail/scripts/run.sh", "docs/other.md"))
    assert found == [".claude/skills/mail/SKILL.md", ".claude/skills/mail/scripts/run.sh", "docs/other.md"]
    assert places("skill", ["plugins/mail/SKILL.md"], (), CODEX) == [".agents/skills/mail/SKILL.md"]


def test_a_skill_at_the_root_goes_by_its_own_name_and_one_within_another_by_its_folder() -> None:
    assert places("skill", ["SKILL.md"], ("notes.md",)) == [
        ".claude/skills/sort-mail/SKILL.md",
        ".claude/skills/sort-mail/notes.md",
    ]
    assert places("skill", ["a/SKILL.md", "a/b/SKILL.md", "a/b/more.md"]) == [
        ".claude/skills/a/SKILL.md",
        ".claude/skills/b/SKILL.md",
        ".claude/skills/b/more.md",
    ]


@pytest.mark.parametrize("written", ["AGENTS.md", "CLAUDE.md"])
def test_instructions_stand_at_the_root_under_the_name_this_agent_reads(written: str) -> None:
    assert places("agents", [f"app/{written}"], ("app/docs/style.md",)) == ["CLAUDE.md", "docs/style.md"]
    assert places("agents", [written, f"lib/{written}"], (), CODEX) == ["AGENTS.md", "lib/AGENTS.md"]


def test_a_prompt_is_told_and_only_what_it_refers_to_is_placed() -> None:
    assert places("prompt", ["prompts/p.md"], ("docs/a.md",)) == ["docs/a.md"]


def test_bytes_are_as_they_were_and_scripts_can_be_run(tmp_path: Path) -> None:
    odd = {
        "a.md": "\ufeffone\r\ntwo",
        "b.bin": b"\x89PNG\xff\x00".decode("utf-8", "surrogateescape"),
        "run": "#!/bin/sh\n",
    }
    write_snapshot(tmp_path, odd)
    assert (tmp_path / "a.md").read_bytes() == b"\xef\xbb\xbfone\r\ntwo"
    assert (tmp_path / "b.bin").read_bytes() == b"\x89PNG\xff\x00"
    assert os.access(tmp_path / "run", os.X_OK) and not os.access(tmp_path / "a.md", os.X_OK)
    assert snapshot_digest(odd) != snapshot_digest({**odd, "a.md": "one\r\ntwo"})


@pytest.mark.parametrize("path", ["../out.md", "/etc/out.md", "a/../../out.md"])
def test_nothing_is_written_outside_of_the_folder(path: str, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="leads out of it"):
        write_snapshot(tmp_path, {path: "x"})


def test_a_case_is_told_as_a_user_would_say_it(tmp_path: Path) -> None:
    runner = agent_world("claude", tmp_path).runner(AgentText("skill"))
    fields = Case(id="c", input={"message": "Hi {x}", "limit": 3})
    seat = runner.seat({"mail/SKILL.md": SKILL + "{message}"}, fields)
    assert (seat.system, seat.prompt) == ("", "message: Hi {x}\nlimit: 3")
    assert seat.snapshot == {".claude/skills/mail/SKILL.md": SKILL + "{message}"}  # never filled in


@pytest.mark.parametrize("name", ["claude", "codex"])
async def test_a_prompt_joins_the_system_prompt_and_a_template_is_rendered(name: str, tmp_path: Path) -> None:
    world = agent_world(name, tmp_path)
    system = 'Say "hi"\\n \x7f\n\tto {all} — ünï\n'
    seat = world.runner(AgentText("prompt")).seat({"p.md": system}, Case(id="c", input="Case 4"))
    assert (seat.system, seat.prompt, seat.snapshot) == (system, "Case 4", {})
    word = "The code word of these instructions is zebra.\n"
    told = world.runner(AgentText("prompt"))
    answered = await told.run({"p.md": system + word}, Case(id="c", input="code words"), 0)
    assert answered.output == "zebra"  # it came whole through file or TOML
    rendered = world.runner(AgentText("template", "template", "brace"))
    assert rendered.seat({"p.md": "Sort {m}."}, Case(id="c", input={"m": "{x}"})).prompt == "Sort {x}."
