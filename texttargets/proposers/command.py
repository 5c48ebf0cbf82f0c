"""The proposer that is a command of the user's: any optimizer, one run of it one experiment. Names no library.

It is asked by files and answers by files. What it brings passes the same guards, and needs the same evidence, as any
other text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ceopt_tui.core.masking import mask
from ceopt_tui.core.ports import Brief, Draft, HypothesisDraft, OutsideCalls, ProposalRefused, Refusal
from ceopt_tui.errors import CeoptError, ProposalError
from ceopt_tui.programs import Ended, Workplace, run_program, workplace
from schemas.idea_key import idea_key
from schemas.records import CallFacts
from texttargets.excerpt import excerpt, on_one_line
from texttargets.proposers.command_reply import UNCHANGED, Claim, changed_texts, claim_in
from texttargets.proposers.command_request import write_request
from texttargets.target_file import text_digest

MOVE = "command"
MODEL = "external command"  # as the books name who made the calls
AT_WORK = "the proposer's command"
LAST_WORDS, NOTE_LENGTH = 400, 400
# Refusals that tell the command nothing it could do better: it failed, or found nothing better than the text it had.
_NOT_ASKED_AGAIN = frozenset({"proposal", "no_edits_applied"})

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class CommandSetting:
    """A shell command, all of its environment, and how long one run may take."""

    command: str
    environment: Mapping[str, str]
    timeout_s: float


class CommandProposer:
    """Implements ports.Proposer by running a command. `progress` is called while it runs; what it raises ends the run.

    A command that failed is not run again in the same process: nothing was learnt that it could do better with.
    """

    name = MOVE

    def __init__(
        self, setting: CommandSetting, outside: OutsideCalls, progress: Progress, secrets: Collection[str] = ()
    ) -> None:
        self._setting = setting
        self._outside = outside
        self._progress = progress
        self._secrets = frozenset(secrets)
        self._fault = ""

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        """The one idea there is for a text; it comes again, in a later process, when the command failed before."""
        if self._fault:
            raise ProposalError(self._fault)
        number = 1
        while idea_key(MOVE, self._parameters(brief, number)) in brief.tried_keys:
            number += 1
        if number > 1 and not self._failed(brief, number - 1):
            return []
        again = f" (start {number})" if number > 1 else ""
        return [
            HypothesisDraft(
                f"the text that {excerpt(mask(self._setting.command, self._secrets))} brings{again}",
                "external optimizer",
                MOVE,
                self._parameters(brief, number),
                rank=1.0,
            )
        ][:wanted]

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        """The texts the command changed. Raises ProposalError when it failed, ProposalRefused for what it did amiss."""
        if refused and all(refusal.code in _NOT_ASKED_AGAIN for refusal in refused):
            raise ProposalRefused(refused)
        with workplace() as place:
            ended, claim, facts = await self._booked_run(place, brief, refused)
            if fault := self._fault_of(ended):
                self._fault = fault
                raise ProposalError(fault)
            try:
                texts = changed_texts(place.request, brief.texts)
            except OSError as error:
                raise ProposalError(f"What the command left cannot be read: {error}") from error
        return Draft(texts, (facts,), self._said(claim.note, NOTE_LENGTH) or idea.description)

    async def _booked_run(
        self, place: Workplace, brief: Brief, refused: Sequence[Refusal]
    ) -> tuple[Ended, Claim, CallFacts]:
        """Runs the command; however it ends, what it may have spent is in the books before anything is made of it."""
        setting, call_id = self._setting, await self._outside.begin()
        try:
            write_request(place.request, brief, refused, timeout_s=setting.timeout_s)
            ended = await run_program(
                setting.command,
                place,
                setting.environment,
                timeout_s=setting.timeout_s,
                beat=lambda: self._progress(AT_WORK, 0, 1),
            )
        except BaseException as error:
            await self._outside.end(_facts(call_id), f"ended before it was done: {str(error) or type(error).__name__}")
            if isinstance(error, OSError):
                self._fault = f"The command cannot be started: {error}"
                raise ProposalError(self._fault) from error
            raise
        claim = claim_in(ended.stdout)
        facts = _facts(call_id, claim, ended.elapsed_s)
        await self._outside.end(facts, self._fault_of(ended) or None)
        with suppress(CeoptError):  # a wish to stop finds the result on record first
            self._progress(AT_WORK, 1, 1)
        return ended, claim, facts

    def _fault_of(self, ended: Ended) -> str:
        """Why the command's work cannot be used, with its last words; empty when it ended well."""
        if not ended.fault and ended.status == 0:
            return ""
        how = ended.fault or (
            f"ended with status {ended.status}" if ended.status > 0 else f"was ended by signal {-ended.status}"
        )
        words = self._said(ended.stderr.strip() or ended.stdout.strip(), LAST_WORDS)
        return f"The command {how}" + (f"; its last words: {words}" if words else "; it said nothing")

    def _said(self, text: str, length: int) -> str:
        """The end of what the command printed, safe to show: without secrets, on one line."""
        shown = on_one_line(mask(text, self._secrets).strip())
        return shown if len(shown) <= length else f"…{shown[-length:]}"

    def _parameters(self, brief: Brief, number: int) -> dict[str, str | int]:
        command = hashlib.sha256(self._setting.command.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return {"command": command, "text": text_digest(brief.texts)[:12], "start": number}

    def _failed(self, brief: Brief, number: int) -> bool:
        """Did this start of the command end without a text? One that changed nothing had its say."""
        key = idea_key(MOVE, self._parameters(brief, number))
        return any(
            one.outcome == "no_edits_applied" and one.reason != UNCHANGED
            for one in brief.tried
            if idea_key(one.move, one.parameters) == key
        )


def _facts(call_id: str, claim: Claim | None = None, elapsed_s: float = 0.0) -> CallFacts:
    """The command's own account; one that names no calls counts as one, and money it does not name is unknown."""
    claim = claim or Claim()
    return CallFacts(
        role="proposer",
        model=MODEL,
        call_id=call_id,
        attempts=1 if claim.calls is None else claim.calls,
        usd=claim.usd,
        latency_s=elapsed_s,
        outside=True,
    )
