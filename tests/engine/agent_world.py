"""A runner over a stand-in of an agent's command line, with an account and a cache of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_commands import AgentCommand, installed

from ceopt_tui.agent_clis.sandbox import Sandbox, find_sandbox
from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.core.ports import ResolvedModel
from judges.cache import ReplyCache
from judges.ledger import Caps, Ledger
from judges.program_calls import ProgramClient
from schemas.records import CallFacts
from texttargets.runners.agent import AgentRunner, AgentText
from texttargets.runners.agent_cell import AgentCell

MODELS = {"claude": "anthropic/claude-haiku-4-5", "codex": "openai/gpt-4o-mini"}


def without_sandbox(command: AgentCommand) -> dict[str, str]:
    """The user's environment on a machine whose bubblewrap is not allowed to work."""
    script = command.folder / "bwrap"
    script.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    script.chmod(0o755)
    return command.environ


@dataclass
class AgentWorld:
    """One agent on a PATH of its own; `slept` are the waits of its calls."""

    command: AgentCommand
    environ: dict[str, str]
    folder: Path
    ledger: Ledger = field(default_factory=Ledger)
    booked: list[CallFacts] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    @property
    def sandbox(self) -> Sandbox:
        return find_sandbox(self.environ)

    def runner(self, text: AgentText | None = None, **settings: Any) -> AgentRunner:
        """A runner as a process of its own would make it; the cache is shared by all of a world."""
        name, sandbox = self.command.name, self.sandbox
        model = ResolvedModel("cheap", MODELS[name], f"the {name} command line, {sandbox.words}")
        dialect = DIALECTS[name]  # type: ignore[index]
        timeout_s = settings.pop("timeout_s", 20.0)
        return AgentRunner(
            ProgramClient(self.ledger, ReplyCache(self.folder / "replies"), sleep=self._sleep),
            AgentCell(dialect, model.model.partition("/")[2], sandbox, self.environ, timeout_s),
            model,
            text or AgentText("agents"),
            identity={"agent": name, "version": "9.8.7", "where": sandbox.words},
            booked=self._book,
            **{"timeout_s": timeout_s, **settings},
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def _book(self, facts: CallFacts) -> None:
        self.booked.append(facts)


def agent_world(name: str, folder: Path, caps: Caps | None = None, play: Mapping[str, Any] | None = None) -> AgentWorld:
    """The agent follows what it reads; no sandbox is at hand."""
    command = installed(name, folder / "agent")
    command.plays(**(play or {"reads": True}))
    environ = without_sandbox(command)
    environ["PATH"] = os.pathsep.join([str(command.folder), "/usr/bin", "/bin"])
    return AgentWorld(command, environ, folder, Ledger(caps))
