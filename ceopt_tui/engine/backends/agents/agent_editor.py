"""The editor that is a coding agent's command line: it has ideas by reading a checkout, and edits in one.

What it may touch, and what is committed, is not its business. Every run of it is in the books, however it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.agent_clis.dialect import Access, AgentReply, Dialect
from ceopt_tui.agent_clis.starting import AgentRun, run_agent
from ceopt_tui.core.command_ports import Busy, Edited, Recipe
from ceopt_tui.core.ports import HypothesisDraft, OutsideCalls
from ceopt_tui.core.visible import one_line
from ceopt_tui.engine.backends.agents.agent_prompt import edit_prompt, ideas_prompt
from ceopt_tui.engine.backends.agents.failing import AgentFailed
from ceopt_tui.engine.backends.agents.ideas import ideas_in
from ceopt_tui.errors import AuthError, QuotaError, RateLimitError
from schemas.record import CallFacts

NOTE_LENGTH = 400
FINISHED = "stop"
BUSY, INTERRUPTED = "busy", "interrupted"  # ends that say nothing against the agent

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AgentSetting:
    """What an agent may do while it edits, its model (None: its own default), its time, the user's environment."""

    environ: Mapping[str, str]
    access: Access = "edit"
    model: str | None = None
    timeout_s: float = 3600.0


class AgentEditor:
    """Implements command_ports.Editor by a command line. `progress` is called while it runs; what it raises ends it."""

    def __init__(self, dialect: Dialect, setting: AgentSetting, outside: OutsideCalls, progress: Progress) -> None:
        self.name = dialect.executable
        self._dialect = dialect
        self._setting = setting
        self._outside = outside
        self._progress = progress

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]:
        """Asks for ideas; the agent may read and nothing else. A full house parks the run: no idea waits for a turn."""
        try:
            text = await self._ask(ideas_prompt(recipe, wanted), folder, "read", self._read_ideas)
        except Busy as busy:
            raise RateLimitError(str(busy)) from busy
        return self._read_ideas(text)[:wanted]

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        """Has the hypothesis carried out. AgentFailed, Busy, AuthError or QuotaError say why it was not."""
        text = await self._ask(edit_prompt(recipe), folder, self._setting.access, lambda text: None)
        said = one_line(text.strip())
        return Edited(self.booked_as, said if len(said) <= NOTE_LENGTH else f"{said[:NOTE_LENGTH]}…")

    @property
    def booked_as(self) -> str:
        """The agent and its model as the books name them."""
        return f"{self.name} {self._setting.model}" if self._setting.model else self.name

    def _read_ideas(self, text: str) -> list[HypothesisDraft]:
        return ideas_in(text, self.name)

    async def _ask(self, prompt: str, folder: Path, access: Access, check: Callable[[str], object]) -> str:
        """One run, announced before and settled after; a reply that cannot be read is a failure in the books too."""
        call_id = await self._outside.begin()
        try:
            run = await self._run(prompt, folder, access)
        except BaseException as error:
            reason = FINISHED if isinstance(error, AgentFailed) else INTERRUPTED
            facts = self._facts(call_id, AgentReply(), 0.0, reason)
            await self._outside.end(facts, f"ended before it was done: {str(error) or type(error).__name__}")
            raise
        fault = run.fault
        if not fault:
            try:
                check(run.reply.text)
            except AgentFailed as error:
                fault = f"{self.name}: {error.message}"
        reason = BUSY if run.trouble in {"busy", "quota", "auth"} else FINISHED
        facts = self._facts(call_id, run.reply, run.elapsed_s, reason)
        await self._outside.end(facts, fault or None)
        if fault:
            raise _error(run, fault)
        return run.reply.text

    async def _run(self, prompt: str, folder: Path, access: Access) -> AgentRun:
        setting = self._setting
        try:
            return await run_agent(
                self._dialect,
                prompt,
                folder,
                setting.environ,
                access=access,
                model=setting.model,
                timeout_s=setting.timeout_s,
                beat=lambda: self._progress(f"{self.name} at work", 0, 1),
            )
        except OSError as error:
            raise AgentFailed(f"{self.name} cannot be started: {error}") from error

    def _facts(self, call_id: str, reply: AgentReply, elapsed_s: float, reason: str) -> CallFacts:
        """The agent's own account; money it does not name is unknown."""
        return CallFacts(
            role="proposer",
            model=self.booked_as,
            call_id=call_id,
            attempts=reply.turns,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            usd=reply.usd,
            latency_s=elapsed_s,
            finish_reason=reason,
            outside=True,
        )


def _error(run: AgentRun, fault: str) -> Exception:
    if run.trouble == "busy":
        return Busy(fault)
    if run.trouble == "quota":
        return QuotaError(fault, "The run goes on when the account has room again: start it once more then.")
    if run.trouble == "auth":
        return AuthError(fault)
    return AgentFailed(fault)
