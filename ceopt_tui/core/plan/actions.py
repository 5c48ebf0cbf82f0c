"""What the planner can ask the engine to do. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.state.judging import Place
from schemas.command_records import Arm, CommandStep, Pairing, Workload
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
class Examine:
    """Try every check on the outputs that are in: which cases could tell no text from another? No model is called."""


@dataclass(frozen=True)
class ProposeCases:
    """Look for harder cases, for a person to add: the text leaves nothing to gain on those there are."""


@dataclass(frozen=True)
class Ask:
    """Put one question to a person; unattended the run parks instead."""

    what: Literal[
        "spec", "exemplars", "calibrate", "calibrated", "baseline", "blind", "keep", "proposal", "dependencies",
        "dependencies_again", "wrap_up",
    ]  # fmt: skip
    number: int | None = None  # of the experiment, or of the scoring sheet


@dataclass(frozen=True)
class Measure:
    """Run these in one pool, reference and candidate mixed."""

    runs: tuple[PlannedRun, ...]
    title: str


@dataclass(frozen=True)
class Judge:
    """Have outputs that are in scored by the judge, those of both texts together; `again`: outputs it scored before."""

    places: tuple[Place, ...]
    title: str
    again: bool = False


@dataclass(frozen=True)
class ScoreSheet:
    """Let a person score outputs without sight of the judge's scores."""

    purpose: Literal["calibration", "blind"]
    sheet: str
    number: int  # of the experiment whose candidate is scored blind, or of the calibration's sheet


@dataclass(frozen=True)
class GroupThemes:
    """Group what the judge finds wrong with the current text on selection cases."""

    generation: int


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
class ReadWinner:
    """Have a confirmed change read before it is kept with nobody watching: by the guards, and by a model if one may."""

    number: int
    attempt: int


@dataclass(frozen=True)
class Keep:
    """Commit the open experiment's candidate and move the optimization branch to it."""

    number: int


@dataclass(frozen=True)
class CommandSample:
    """One run of a measuring command on a commit; `censor_after_s` is its bound once nothing can be won any more."""

    commit: str
    step: CommandStep
    pairing: Pairing
    arm: Arm
    sample: int
    workload: Workload = "selection"
    experiment: int | None = None
    censor_after_s: float | None = None


@dataclass(frozen=True)
class MeasureCommand:
    """Run the measuring command so often, one after the other: samples of both sides alternate."""

    samples: tuple[CommandSample, ...]
    title: str


@dataclass(frozen=True)
class JudgeCommand:
    """Have the items of one sample scored by the judge."""

    sample: CommandSample


@dataclass(frozen=True)
class MakeChange:
    """Have an experiment's hypothesis carried out as a commit on its own branch."""

    number: int
    attempt: int


@dataclass(frozen=True)
class Advance:
    """Carry these experiments on side by side, each until it is closed or waits for its batch."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Combine:
    """Repeat a runner-up's change on top of the best commit; moves no branch."""

    number: int


@dataclass(frozen=True)
class KeepCommit:
    """Move the optimization branch to this commit of an experiment."""

    number: int
    commit: str
    onto: str


@dataclass(frozen=True)
class AwaitResults:
    """Look for what workers elsewhere have delivered for these experiments; wait where there is nothing yet."""

    numbers: tuple[int, ...]


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


Action = (
    Note
    | Probe
    | Examine
    | ProposeCases
    | Ask
    | Measure
    | Judge
    | ScoreSheet
    | GroupThemes
    | Hypothesize
    | Propose
    | ReadWinner
    | Keep
    | MeasureCommand
    | JudgeCommand
    | MakeChange
    | Advance
    | Combine
    | KeepCommit
    | AwaitResults
    | Report
    | Park
    | Done
)
