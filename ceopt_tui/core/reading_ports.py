"""The seams of reading a change before it is kept: what shows without a model, and a model that did not write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.keeping_records import ReadRemark


class Remarker(Protocol):
    """What a reader should look at in a change, found without a model; refusals are the guard's. Pure."""

    def __call__(self, before: Mapping[str, str], after: Mapping[str, str]) -> Sequence[ReadRemark]: ...


@dataclass(frozen=True)
class ChangeToRead:
    """All a reader may know: what is wanted, and what was changed. No score, no case, no word of why it was tried."""

    description: str
    constraints: Sequence[str]
    diff: str
    of_code: bool = False  # of a program that a command measures, not of an instruction text
    attempt: int = 1  # a further reading of the same change is another sample, not the answer to the first


@dataclass(frozen=True)
class Reading:
    """A reader's word. `reverted`: the gain comes from what the measurement does not observe, or breaks a constraint.

    `unusable` says why a reply settles nothing.
    """

    reverted: bool = False
    reason: str = ""
    missing_observation: str = ""
    unusable: str = ""


class ChangeReader(Protocol):
    """Reads a change with a model that did not write it.

    May raise what ends a run: AuthError, QuotaError, RateLimitError, BudgetError, ProviderError.
    """

    model: str

    async def read(self, change: ChangeToRead) -> Reading: ...
