"""The seams to the eval set's own checks: which of them say nothing of a text, and which cases are still missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from ceopt_tui.core.ports import Brief
from schemas.evalset import Case
from schemas.harness_records import CasesProposed, FlaggedCase


class HarnessExaminer(Protocol):
    """Cases whose check could tell no text from another, judged by it and by different outputs of any case. Pure.

    More outputs never give more findings. A reason quotes no output.
    """

    def __call__(self, cases: Sequence[Case], outputs: Collection[str]) -> Sequence[FlaggedCase]: ...


class CaseProposer(Protocol):
    """Harder cases for a text that passes those there are, drawn from selection cases alone.

    `unguarded` are ideas for rules that coverage found without a case. Raises what ends all calls; a reply that cannot
    be used is a note, not an error.
    """

    async def propose(self, brief: Brief, unguarded: Sequence[str]) -> CasesProposed: ...
