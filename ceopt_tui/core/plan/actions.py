"""What the planner can ask the engine to do. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schemas.records import AnyRecord, Step


@dataclass(frozen=True)
class PlannedRun:
    """One run of a text on a case. `sample` makes repeats distinct samples, in the cache too."""

    text_digest: str
    case_id: str
    sample: int
    step: Step
    experiment: int | None = None


@dataclass(frozen=True)
class Note:
    """Nothing to do in the world: append these records, which follow from the state alone."""

    records: tuple[AnyRecord, ...]


@dataclass(frozen=True)
class Probe:
    """Try the shortcut probes on the scorer; no model is called."""


@dataclass(frozen=True)
class Ask:
    """Put one question to a person; unattended the run parks instead."""

    what: Literal["spec", "baseline", "keep"]
    number: int | None = None


@dataclass(frozen=True)
class Measure:
    """Run these in one pool, reference and candidate mixed."""

    runs: tuple[PlannedRun, ...]
    title: str


@dataclass(frozen=True)
class Hypothesize:
    """Ask the proposer for ideas on the current best text."""

    generation: int


@dataclass(frozen=True)
class Propose:
    """Carry out the open experiment's hypothesis on the current best text."""

    number: int
    attempt: int


@dataclass(frozen=True)
class Keep:
    """Commit the open experiment's candidate and move the optimization branch to it."""

    number: int


@dataclass(frozen=True)
class Report:
    """Write and commit the report."""


@dataclass(frozen=True)
class Park:
    """End this tick; a later one goes on from here."""

    status: Literal["waiting", "blocked"]
    reason: str
    outcome: str


@dataclass(frozen=True)
class Done:
    """Nothing is left to do."""


Action = Note | Probe | Ask | Measure | Hypothesize | Propose | Keep | Report | Park | Done
