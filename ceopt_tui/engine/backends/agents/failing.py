"""When a coding agent is of no use: one error for every way it fails, and who edits after it failed too often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ceopt_tui.core.command_ports import Edited, Editor, Recipe
from ceopt_tui.core.ports import HypothesisDraft
from ceopt_tui.errors import ProposalError, SetupError

FAILURES_IN_A_ROW = 3


class AgentFailed(ProposalError):
    """The agent ended with an error, took too long, or said what cannot be read."""


class FallbackEditor:
    """Implements command_ports.Editor: the agent until it failed three times in a row, then another for the whole run.

    `failures` is asked before each use. Without another editor the run stops and says what to set.
    """

    def __init__(
        self, agent: Editor, other: Editor | None, failures: Callable[[], int], note: Callable[[str], None]
    ) -> None:
        self.name = agent.name
        self._agent = agent
        self._other = other
        self._failures = failures
        self._note = note
        self._noted = False

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]:
        return await self._now().ideas(recipe, folder, wanted)

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        return await self._now().edit(recipe, folder)

    def _now(self) -> Editor:
        if self._failures() < FAILURES_IN_A_ROW:
            return self._agent
        what = f"`{self.name}` failed {FAILURES_IN_A_ROW} times in a row and is not asked again in this run"
        if self._other is None:
            raise SetupError(what, "Set CEOPT_MODEL_STRONG=provider/model and run again: that model edits then.")
        if not self._noted:
            self._note(f"{what}: `{self._other.name}` edits from here on")
            self._noted = True
        return self._other
