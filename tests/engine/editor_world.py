"""Every editor of code there is, on stand-ins of its model or program: told what to do, and what it was given."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_commands import AgentCommand, installed
from model_fakes import KEY, ManualClock, model_at
from stub_endpoint import StubEndpoint

from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.core.command_ports import Editor, Recipe
from ceopt_tui.core.ports import Accept, Completer, ModelReply, ModelRequest, Price, Refusal, Tried
from ceopt_tui.engine.backends.agents.agent_editor import AgentEditor, AgentSetting
from ceopt_tui.programs import program_environment
from judges.client import LiteLLMClient
from judges.ledger import Ledger
from schemas.record import CallFacts
from texttargets.proposers.code_editor import CodeEditor
from texttargets.proposers.command import CommandSetting
from texttargets.proposers.command_editor import CommandEditor

EDITORS = ("llm", "command", "codex", "claude")
PROGRAMS = ("command", "codex", "claude")
PRIVATE = "sk-FAKE-PRIVATE12345678"

EXPERIMENT = Recipe(
    name="fast",
    number=1,
    branch="optimize-exp/fast/exp-001",
    base_sha="0" * 40,
    description="Make it fast",
    hypothesis="Keep the table",
    category="caching",
    mutable=("src",),
    immutable=("measure.py",),
    constraints=("keep the order",),
    dependencies=("numpy",),
    baseline={"ms": 12.0},
    best={"ms": 9.5},
    goals=("ms: smaller is better",),
    tried=(Tried("Sort first", "order", "edit", "reverted", "slower"),),
    digest="sorting does not pay",
    refused=(Refusal("out_of_scope", "measure.py may not be changed"),),
)

# A command that does what stands in the file beside it, and leaves word of what it found.
COMMAND = """
import json, os, sys, time
from pathlib import Path
here = Path(__file__).resolve().parent
play = json.loads((here / "play.json").read_text())
recipe = Path(os.environ["CEOPT_RECIPE"]).read_text() if "CEOPT_RECIPE" in os.environ else ""
found = sorted(str(path) for path in Path(".").rglob("*") if path.is_file())
seen = {"asked": recipe, "environ": dict(os.environ), "files": found, "pid": os.getpid()}
(here / "seen.json").write_text(json.dumps(seen))
for path, text in play.get("files", {}).items():
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
for path, goal in play.get("links", {}).items():
    os.symlink(goal, path)
if play.get("hang"):
    if os.fork() == 0:
        (here / "child.json").write_text(str(os.getpid()))
    time.sleep(600)
print(json.dumps({"usd": 0.25, "note": "Done."}))
print(play.get("stderr", ""), file=sys.stderr)
sys.exit(play.get("status", 0))
"""


@dataclass
class Books:
    """What was announced, and every end on record."""

    begun: int = 0
    ended: list[tuple[CallFacts, str | None]] = field(default_factory=list)

    async def begin(self) -> str:
        self.begun += 1
        return f"c{self.begun}"

    async def end(self, facts: CallFacts, error: str | None = None) -> None:
        self.ended.append((facts, error))


@dataclass
class Booked:
    """A completer whose replies go into the books."""

    inner: Completer
    books: Books

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        reply = await self.inner.complete(request, accept)
        self.books.ended.append((reply.facts, None))
        return reply


@dataclass
class Seat:
    """One editor, ready to be told. `folder` is where its stand-in lives."""

    name: str
    editor: Editor
    folder: Path
    books: Books
    endpoint: StubEndpoint

    @property
    def is_program(self) -> bool:
        return self.name in PROGRAMS

    def plays(self, **play: Any) -> None:
        """`files` are to hold these texts, `links` to lead there; with `hang` it never comes to an end."""
        if self.is_program:
            (self.folder / "play.json").write_text(json.dumps(play))
            return
        edits = [{"path": path, "content": text} for path, text in play.get("files", {}).items()]
        self.replies({"why": "Done.", "edits": play.get("edits", edits)})
        self.endpoint.mode = "hang" if play.get("hang") else "ok"

    def replies(self, *values: Any) -> None:
        self.endpoint.replies = [value if isinstance(value, str) else json.dumps(value) for value in values]

    def changes(self, path: str, old: str, new: str) -> None:
        """It is to turn the whole of a file into something else, in its own way."""
        if self.is_program:
            self.plays(files={path: new})
        else:
            self.plays(edits=[{"path": path, "search": old.rstrip("\n"), "replace": new.rstrip("\n")}])

    @property
    def began(self) -> bool:
        """Has it been asked, and, of a program, started a child of its own?"""
        return (self.folder / "child.json").exists() if self.is_program else self.endpoint.posts > 0

    @property
    def pids(self) -> list[int]:
        return [self._seen["pid"], int((self.folder / "child.json").read_text())] if self.is_program else []

    @property
    def asked(self) -> str:
        return str(self._seen["asked"]) if self.is_program else json.dumps(self.endpoint.last, ensure_ascii=False)

    @property
    def environ(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self._seen["environ"] if self.is_program else {}
        return found

    @property
    def files(self) -> Sequence[str]:
        found: Sequence[str] = self._seen["files"] if self.is_program else []
        return found

    @property
    def _seen(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "seen.json").read_text())
        return found


def ignored(title: str, done: int, total: int) -> None:
    """Nobody watches."""


def agent_seat(command: AgentCommand, endpoint: StubEndpoint, timeout_s: float) -> Seat:
    """A coding agent with the environment of a user who has more in it than the agent needs."""
    books = Books()
    setting = AgentSetting(command.environ | {"CEOPT_PRIVATE": PRIVATE}, timeout_s=timeout_s)
    editor = AgentEditor(DIALECTS[command.name], setting, books, ignored)  # type: ignore[index]
    return Seat(command.name, editor, command.folder, books, endpoint)


def command_seat(folder: Path, endpoint: StubEndpoint, timeout_s: float) -> Seat:
    """The user's own command, with what a spec's `environment: [MINE]` grants it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "edit.py").write_text(COMMAND)
    books = Books()
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "MINE": "1", "CEOPT_PRIVATE": PRIVATE, "KEY": KEY}
    line = f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(folder / 'edit.py'))}"
    setting = CommandSetting(line, program_environment(environ, ("MINE",)), timeout_s)
    return Seat("command", CommandEditor(setting, books, ignored, {KEY}), folder, books, endpoint)


@asynccontextmanager
async def seated(name: str, folder: Path, timeout_s: float = 20.0) -> AsyncIterator[Seat]:
    """The editor of that name; it says how its own time limit ends it after `timeout_s`, where it has a process."""
    clock = ManualClock()
    with StubEndpoint("ok") as endpoint:
        if name in {"codex", "claude"}:
            yield agent_seat(installed(name, folder), endpoint, timeout_s)
        elif name == "command":
            yield command_seat(folder, endpoint, timeout_s)
        else:
            books = Books()
            async with LiteLLMClient(Ledger(), None, clock=clock, sleep=clock.sleep) as client:
                model = model_at(endpoint, price=Price(1.0, 2.0))
                yield Seat("llm", CodeEditor(Booked(client, books), model), folder, books, endpoint)
