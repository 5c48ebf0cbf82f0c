"""The editor that is a command of the user's: it works in a checkout of the code and is told what is wanted in a file.

One start of it is one idea. What may be changed, and what is committed, is not its business.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from ceopt_tui.core.command_ports import Busy, Edited, Recipe
from ceopt_tui.core.masking import mask
from ceopt_tui.core.ports import HypothesisDraft, OutsideCalls
from ceopt_tui.errors import ProposalError
from ceopt_tui.programs import Ended, run_program, workplace
from schemas.records import CallFacts
from texttargets.excerpt import excerpt, on_one_line
from texttargets.proposers.command import CommandSetting
from texttargets.proposers.command_reply import Claim, claim_in

MOVE, MODEL = "command", "external command"
RECIPE_VARIABLE, RECIPE_NAME = "CEOPT_RECIPE", "recipe.json"
BUSY_STATUS = 75  # as cron jobs say it: no room now, try again later
LAST_WORDS, NOTE_LENGTH = 400, 400
AT_WORK = "the proposer's command"

OPPORTUNITY = {
    "workload": "what the measuring command runs",
    "baseline": "the best commit so far",
    "evidence": "none yet: the command looks for itself",
    "cost_and_risk": "one run of the command and its samples",
}

Progress = Callable[[str, int, int], None]


class CommandEditor:
    """Implements command_ports.Editor by running a command in the checkout, the recipe's file beside it."""

    name = MOVE

    def __init__(
        self, setting: CommandSetting, outside: OutsideCalls, progress: Progress, secrets: Collection[str] = ()
    ) -> None:
        self._setting = setting
        self._outside = outside
        self._progress = progress
        self._secrets = frozenset(secrets)

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]:
        """As many starts as are wanted: the command finds out by itself what to try, and sees what was tried."""
        shown = excerpt(mask(self._setting.command, self._secrets))
        key = hashlib.sha256(self._setting.command.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        first = recipe.ideas_before + 1
        return [
            HypothesisDraft(
                f"what {shown} brings" + (f" (start {start})" if start > 1 else ""),
                "external",
                MOVE,
                {"key": key, "start": start},
                rank=-float(start),
                opportunity=OPPORTUNITY,
            )
            for start in range(first, first + wanted)
        ]

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        """Runs the command. ProposalError when it failed, Busy when it says that it has no room."""
        call_id = await self._outside.begin()
        try:
            ended = await self._run(recipe, folder)
        except BaseException as error:
            words = f"ended before it was done: {str(error) or type(error).__name__}"
            await self._outside.end(_facts(call_id, Claim(), 0.0), words)
            if isinstance(error, OSError):
                raise ProposalError(f"the command cannot be started: {error}") from error
            raise
        claim, fault = claim_in(ended.stdout), self._fault_of(ended)
        await self._outside.end(_facts(call_id, claim, ended.elapsed_s), fault or None)
        if ended.status == BUSY_STATUS:
            raise Busy(fault)
        if fault:
            raise ProposalError(fault)
        return Edited(MODEL, self._said(claim.note, NOTE_LENGTH))

    async def _run(self, recipe: Recipe, folder: Path) -> Ended:
        setting = self._setting
        with workplace() as place:
            note = place.request / RECIPE_NAME
            # ASCII: what others said may hold half of a character.
            note.write_text(json.dumps(dataclasses.asdict(recipe), indent=1, default=str), encoding="ascii")
            return await run_program(
                setting.command,
                place,
                {**setting.environment, RECIPE_VARIABLE: str(note)},
                timeout_s=setting.timeout_s,
                beat=lambda: self._progress(AT_WORK, 0, 1),
                cwd=folder,
            )

    def _fault_of(self, ended: Ended) -> str:
        """Why the command's work cannot be used, with its last words; empty when it ended well."""
        if not ended.fault and ended.status == 0:
            return ""
        number = ended.status
        how = ended.fault or (f"ended with status {number}" if number > 0 else f"was ended by signal {-number}")
        words = self._said(ended.stderr.strip() or ended.stdout.strip(), LAST_WORDS)
        return f"the command {how}" + (f"; its last words: {words}" if words else "; it said nothing")

    def _said(self, text: str, length: int) -> str:
        """The end of what the command printed, safe to show: without secrets, on one line."""
        shown = on_one_line(mask(text, self._secrets).strip())
        return shown if len(shown) <= length else f"…{shown[-length:]}"


def _facts(call_id: str, claim: Claim, elapsed_s: float) -> CallFacts:
    """The command's own account; one that names no calls counts as one, and money it does not name is unknown."""
    return CallFacts(
        role="proposer",
        model=MODEL,
        call_id=call_id,
        attempts=1 if claim.calls is None else claim.calls,
        usd=claim.usd,
        latency_s=elapsed_s,
        outside=True,
    )
