"""One experiment and one hypothesis, as the journal tells them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ceopt_tui.core.ports import SHORTER
from ceopt_tui.core.state.runs import Scores
from ceopt_tui.core.state.spend import RoleSpend
from schemas.keeping_records import WinnerRead
from schemas.records import (
    CandidateRefused,
    Compared,
    Decided,
    ExperimentClosed,
    ExperimentStarted,
    HypothesisAdded,
    Looked,
)

PARKED = "deferred_needs_approval"  # confirmed, and only a person may keep it
FINAL_KEEPS = frozenset({"kept", "runner_up_kept"})
UNAPPLIED = frozenset({"refused", "no_edits_applied"})  # no candidate came to a call
# Outcomes that say nothing about the idea's effect: they count as iterations, not towards the plateau.
UNMEASURED = UNAPPLIED | {"error", "timeout"}

Rung = tuple[int, int]  # experiment, verdicts it had: one step of one ladder


@dataclass
class ExperimentState:
    """One hypothesis being carried out, measured and decided."""

    started: ExperimentStarted
    hypothesis: HypothesisAdded
    text_digest: str | None = None
    note: str = ""
    refused: list[CandidateRefused] = field(default_factory=list)
    selection: Scores = field(default_factory=dict)
    held_out: Scores = field(default_factory=dict)
    drift: set[tuple[Rung, str]] = field(default_factory=set)  # cases the reference was run on again, by rung
    blank: int = 0  # runs that failed with an output that held nothing
    decisions: list[Decided] = field(default_factory=list)
    look: Looked | None = None
    comparisons: list[Compared] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    judging: RoleSpend = field(default_factory=RoleSpend)  # calls of the judge about outputs made for it
    commit: str | None = None
    against: WinnerRead | None = None  # why its reader had it reverted
    closed: ExperimentClosed | None = None

    @property
    def number(self) -> int:
        return self.started.number

    @property
    def rung(self) -> Rung:
        """Where the experiment stands: what is measured until the next verdict belongs together."""
        return self.number, len(self.decisions)

    @property
    def name(self) -> str:
        return f"exp-{self.number:03d}"

    @property
    def last(self) -> Decided | None:
        return self.decisions[-1] if self.decisions else None

    @property
    def shortens(self) -> bool:
        """Is it the length of the text that the idea is to improve? Then its score has to be no worse, not better."""
        return self.hypothesis.claims == SHORTER

    @property
    def outcome(self) -> str:
        """The outcome word: the final one once closed, else where the ladder stands."""
        if self.closed:
            return self.closed.outcome
        if self.last and self.last.decision == "promising":
            return "promising"
        return "measured" if self.last else "running"
