"""Proves before the first cell of a start that programs run apart; what that costs is on record like a cell.

A target that cannot prove it is measured all the same, and no claim is accepted on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from ceopt_tui.core.masking import mask
from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.estimates import CellEstimate
from ceopt_tui.core.visible import one_line
from ceopt_tui.errors import BudgetError, CallFailed, CeoptError, ProviderError, SetupError
from ceopt_tui.journal.journal import Journal
from schemas.record import CallFacts
from schemas.study_records import CellFailed, CellStarted, StudyRecord, StudyStopped, TargetProbed

MOST_STARTS = 3  # two for its code words, one for the word it writes

Token = Callable[[], str]


@dataclass(frozen=True)
class Proof:
    """The six answers of a probe, and why one of them is no."""

    cell_write: bool = False
    host_read_blocked: bool = False
    sibling_read_blocked: bool = False
    host_write_blocked: bool = False
    host_config_unchanged: bool = False
    runtime_removed: bool = False
    why: str = ""
    facts: CallFacts | None = None


class Provable(Protocol):
    """A harness that can show whether it runs apart."""

    async def prove(self, token: str) -> Proof:
        """Has the program write the token, and tries its sandbox. Raises what calls raise, and IsolationError."""


async def probe_targets(
    harnesses: Mapping[str, Provable],
    estimates: Mapping[str, CellEstimate],
    journal: Journal[StudyRecord],
    state: StudyState,
    failed: Callable[[], CallFacts | None],
    token: Token,
) -> None:
    """One probe for each of these targets. What ends the study is on record, and raised."""
    for target, harness in harnesses.items():
        cell = f"probe/{target}"
        attempt = f"{cell}#{len(state.attempts.get(cell, ())) + 1}"
        usd = estimates[target].usd_most
        start = CellStarted(
            attempt=attempt, cell=cell, usd=None if usd is None else usd * MOST_STARTS, calls=MOST_STARTS
        )
        journal.append([start])
        try:
            proof = await harness.prove(token())
        except CallFailed as error:
            proof = Proof(why=error.message, facts=failed())
        except (BudgetError, ProviderError, SetupError) as error:
            journal.append([_stopped(attempt, error, failed()), StudyStopped(reason=_shown(error.message))])
            raise
        journal.append([_record(attempt, target, proof)])


def _record(attempt: str, target: str, proof: Proof) -> TargetProbed:
    answers = vars(replace(proof, why=_shown(proof.why)))
    return TargetProbed(attempt=attempt, target=target, **answers)


def _stopped(attempt: str, error: CeoptError, facts: CallFacts | None) -> CellFailed:
    return CellFailed(attempt=attempt, reason="stopped", message=_shown(error.message), retryable=True, facts=facts)


def _shown(words: str) -> str:
    return one_line(mask(words).encode("utf-8", "replace").decode("utf-8"))
