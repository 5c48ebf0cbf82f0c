"""What waits for a person: confirmed changes that were not kept, and ideas that need what nobody approved.

Changed by the fold alone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from schemas.keeping_records import ProposalParked, ProposalSettled, WinnerRead
from schemas.records import ExperimentClosed

LATER = "later"  # a person's answer that is asked for again at the next start
DEPENDENCIES = "dependencies"  # the question about them
DEPENDENCIES_AGAIN = "dependencies-again"  # the same for those refused before, at the end
WRAP_UP = "wrap-up"


def proposal_question(number: int) -> str:
    """The id of the question that presents this experiment's parked change."""
    return f"proposal-{number}"


def closed_by(closed: ExperimentClosed, settled: ProposalSettled) -> ExperimentClosed:
    """How an experiment has ended once a person has decided on its parked change."""
    outcome = {"accepted": "kept", "refused": "reverted", "again": closed.outcome}[settled.decision]
    return closed.model_copy(update={"outcome": outcome, "reason": settled.reason})


@dataclass
class Waiting:
    """Readings and proposals by experiment; dependencies by name."""

    readings: dict[int, list[WinnerRead]] = field(default_factory=dict)
    parked: dict[int, ProposalParked] = field(default_factory=dict)
    settled: dict[int, ProposalSettled] = field(default_factory=dict)
    approved: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)

    @property
    def proposals(self) -> list[ProposalParked]:
        """Parked changes nobody has decided on, in the order they were parked."""
        return [parked for number, parked in self.parked.items() if number not in self.settled]

    def lacking(self, dependencies: Collection[str]) -> set[str]:
        """Those of the dependencies that nobody has approved."""
        return set(dependencies) - self.approved
