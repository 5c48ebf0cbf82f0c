"""Journal records: one frozen model per kind. The run's state is a fold of these and nothing else.

A record is never changed once written; a new field gets a default, a new meaning gets a new kind.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from schemas.command_records import (
    ChangeCombined,
    ChangeMade,
    CommandJudged,
    CommandMeasured,
    CommandStep,
    Delivered,
    Dispatched,
    Pairing,
)
from schemas.harness_records import CasesProposed, HarnessExamined
from schemas.idea_key import idea_key
from schemas.judging_records import (
    Judged,
    PeopleCompared,
    PeopleFigures,
    PersonScored,
    RubricBound,
    SheetClosed,
    ThemeEdited,
    ThemesGrouped,
)
from schemas.keeping_records import DependenciesDecided, ProposalParked, ProposalSettled, WinnerRead, WrapUpChosen
from schemas.record import RECORD_VERSION as RECORD_VERSION
from schemas.record import CallFacts as CallFacts
from schemas.record import Record as Record
from schemas.record import Step as Step


class RunStarted(Record):
    kind: Literal["run_started"] = "run_started"
    run_id: str
    name: str
    ceopt_version: str
    repository: str
    spec_file: str
    spec_digest: str  # SHA-256 of the spec's bytes
    approval_digest: str  # SHA-256 over the spec and all it points at that decides a score
    measurement_digest: str  # the same without caps and stop rules: what produced the scores
    base_sha: str
    branch: str
    texts: dict[str, str]  # target path -> exact content
    text_digest: str
    seed: int
    command: str = ""  # what measures, where a command does: the texts are empty then, and commits stand for them
    syntax: str = ""  # how placeholders are written, as declared or guessed at the start; empty in older logs


class TickStarted(Record):
    kind: Literal["tick_started"] = "tick_started"
    tick: int
    pid: int
    host: str


class TickEnded(Record):
    kind: Literal["tick_ended"] = "tick_ended"
    tick: int
    active_s: float
    status: Literal["running", "waiting", "blocked", "finished"]
    reason: str
    outcome: str = ""  # the word for scripts
    wake: str = ""  # what will start the run again by itself, where something will


class ModelBound(Record):
    kind: Literal["model_bound"] = "model_bound"
    role: Literal["task", "judge", "proposer", "reader"]
    name: str
    model: str
    endpoint: str
    params: dict[str, Any] = {}
    usd_per_mtok: tuple[float, float] | None = None
    kin: tuple[Literal["task", "proposer"], ...] = ()  # of a judge: roles played by a model of its own family


class Approved(Record):
    kind: Literal["approved"] = "approved"
    what: Literal["spec", "baseline"]
    digest: str
    caps: dict[str, float | None] = {}


class Declined(Record):
    kind: Literal["declined"] = "declined"
    what: str
    answer: str


class SplitFrozen(Record):
    kind: Literal["split_frozen"] = "split_frozen"
    selection: tuple[str, ...]
    holdout: tuple[str, ...]
    report_only: tuple[str, ...] = ()  # the part of the held-out cases kept for the report when repeats are identical
    groups: tuple[tuple[str, ...], ...] = ()  # near-duplicates, kept on one side
    seed: int


class Probed(Record):
    kind: Literal["probed"] = "probed"
    probe: str
    status: Literal["passed", "failed", "not_run"]
    score: float | None = None
    limit: float | None = None
    detail: str = ""
    calls: tuple[CallFacts, ...] = ()  # of the judge, where a judge was asked


class CallStarted(Record):
    kind: Literal["call_started"] = "call_started"
    call_id: str
    role: Literal["task", "judge", "proposer", "reader"]
    usd_reserved: float | None = None


class CallFinished(Record):
    """A call that is no case run: a proposer's or a reader's, or one that failed."""

    kind: Literal["call_finished"] = "call_finished"
    facts: CallFacts
    error: str | None = None


class CaseRun(Record):
    kind: Literal["case_run"] = "case_run"
    text_digest: str
    case_id: str
    sample: int
    step: Step
    experiment: int | None = None
    output: str
    score: float | None = None
    passed: bool | None = None
    unscored: str | None = None  # the reason there is no score
    detail: str = ""
    truncated: bool = False
    facts: CallFacts | None = None
    awaits_judge: bool = False  # the output is in, its score comes in a `judged` record


class BaselineMeasured(Record):
    kind: Literal["baseline_measured"] = "baseline_measured"
    text_digest: str
    mean: float
    scored: int
    unscored: int
    deterministic: bool
    sees_half: float  # the gain this set sees about half the time
    sees_most: float  # … four times in five
    calls_per_experiment: tuple[int, int]
    usd_per_experiment: tuple[float, float] | None = None
    judged_again: int = 0  # outputs the judge was asked about twice
    flips: int = 0  # of these, those it scored differently


class ReferenceReset(Record):
    kind: Literal["reference_reset"] = "reference_reset"
    text_digest: str
    reason: str
    held_out_only: bool = False  # only its runs on held-out cases are due again


class HypothesisAdded(Record):
    kind: Literal["hypothesis_added"] = "hypothesis_added"
    id: str
    description: str
    category: str
    move: str
    parameters: dict[str, Any] = {}
    source: str
    theme: str | None = None
    claims: str = "primary"
    priority: Literal["high", "medium", "low"] = "medium"
    required_deps: tuple[str, ...] = ()
    dep_status: Literal["approved", "needs_approval"] = "approved"
    opportunity: dict[str, str] = {}
    rank: float = 0.0
    generation: int = 0

    @cached_property
    def key(self) -> str:
        """What makes it the same idea as another."""
        return idea_key(self.move, self.parameters)


class BacklogClosed(Record):
    """A round of ideas for one reference text is complete, or, when `failed`, could not be used (`note` says why)."""

    kind: Literal["backlog_closed"] = "backlog_closed"
    generation: int
    added: int
    note: str = ""
    active_s: float = 0.0  # active time of the run when its ideas came in
    failed: bool = False


class ExperimentStarted(Record):
    kind: Literal["experiment_started"] = "experiment_started"
    number: int
    hypothesis_id: str
    base_digest: str
    base_sha: str
    branch: str
    forecast: dict[str, str] = {}
    batch: int = 0  # experiments of one batch are carried on side by side; 0 where there are none


class CandidateRefused(Record):
    kind: Literal["candidate_refused"] = "candidate_refused"
    number: int
    attempt: int
    text_digest: str | None = None
    refusals: tuple[dict[str, Any], ...] = ()


class CandidateMade(Record):
    kind: Literal["candidate_made"] = "candidate_made"
    number: int
    text_digest: str
    texts: dict[str, str]  # changed and unchanged target files, exact content
    note: str = ""


class Decided(Record):
    kind: Literal["decided"] = "decided"
    number: int
    step: Step | CommandStep
    decision: str
    next_measurement: str
    reason: str
    numbers: dict[str, float | int | None] = {}
    tau: tuple[float, int, float] | None = None  # ss, df, c of the candidate's first full sweep, once
    pairing: Pairing = "standalone"  # of a run measured by a command: which comparison this is the verdict on


class Looked(Record):
    """Recorded before the held-out runs it pays for."""

    kind: Literal["looked"] = "looked"
    look: int
    number: int
    level: float
    keeps: int


class Compared(Record):
    kind: Literal["compared"] = "compared"
    number: int
    comparison: Literal["standalone", "integrated", "holdout"]
    reference_digest: str
    candidate_digest: str
    workload: str
    reference: dict[str, tuple[float, ...]]
    candidate: dict[str, tuple[float, ...]]
    uncertainty: dict[str, float | int | None] = {}
    correctness: str = ""
    machine: str = ""
    measured_by: str = "ceopt"


class ExperimentClosed(Record):
    kind: Literal["experiment_closed"] = "experiment_closed"
    number: int
    outcome: str
    reason: str
    fixed: tuple[str, ...] = ()
    regressions: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    tallies: dict[str, tuple[int, int, int, int]] = {}  # by named case: runs passed, runs; before: runs passed, runs
    moved: bool | None = None  # did any case score differently from the reference; null when nothing was measured
    on_theme: float | None = None  # mean difference on the cases of the hypothesis' theme, and on all others
    on_rest: float | None = None
    length_ratio: float | None = None  # mean output length over that of the reference on the same cases


class Committed(Record):
    """The winner's diff is on the optimization branch; from here on it is the reference."""

    kind: Literal["committed"] = "committed"
    number: int
    text_digest: str
    commit: str
    branch: str


class Learnt(Record):
    kind: Literal["learnt"] = "learnt"
    text: str
    number: int | None = None  # the experiment it comes from


class Asked(Record):
    kind: Literal["asked"] = "asked"
    question_id: str
    title: str
    message: str
    question: str
    options: tuple[str, ...]


class Answered(Record):
    kind: Literal["answered"] = "answered"
    question_id: str
    answer: str


class GainReported(Record):
    kind: Literal["gain_reported"] = "gain_reported"
    original_digest: str
    final_digest: str
    cases: int
    before: float
    after: float
    gain: float
    low: float
    high: float
    cautious: float
    clearly_better: bool
    fresh: bool  # false when a deterministic runner makes these runs the deciding ones
    selection_before: float
    selection_after: float
    people: PeopleFigures | None = None


class ReportWritten(Record):
    kind: Literal["report_written"] = "report_written"
    path: str
    commit: str | None = None


class Stopped(Record):
    """Why the loop ended. `outcome` is the word scripts rely on."""

    kind: Literal["stopped"] = "stopped"
    outcome: str
    reason: str
    no_gain: str = ""
    """Why the gain over the original is not measured, where there was one to measure."""


class Finished(Record):
    kind: Literal["finished"] = "finished"
    outcome: str
    exit_status: int
    reason: str


class Reopened(Record):
    """A run that had ended goes on: what ended it no longer holds."""

    kind: Literal["reopened"] = "reopened"
    reason: str
    raised: dict[str, float] = {}  # by how much a person raised the limit of that name


class Noted(Record):
    kind: Literal["noted"] = "noted"
    level: Literal["info", "warning"] = "info"
    text: str
    jump_s: float = 0.0  # how far the wall clock moved beyond the work done, where that is what the note is about


AnyRecord = Annotated[
    RunStarted | TickStarted | TickEnded | ModelBound | Approved | Declined | SplitFrozen | Probed | CallStarted
    | CallFinished | CaseRun | BaselineMeasured | ReferenceReset | HypothesisAdded | BacklogClosed | ExperimentStarted
    | CandidateRefused | CandidateMade | Decided | Looked | Compared | ExperimentClosed | Committed | Learnt | Asked
    | Answered | GainReported | ReportWritten | Stopped | Finished | Reopened | Noted | RubricBound | Judged
    | PersonScored | SheetClosed | PeopleCompared | ThemesGrouped | ThemeEdited | HarnessExamined | CasesProposed
    | WinnerRead | ProposalParked | ProposalSettled | DependenciesDecided | WrapUpChosen
    | CommandMeasured | CommandJudged | ChangeMade | ChangeCombined | Dispatched
    | Delivered,
    Field(discriminator="kind"),
]  # fmt: skip

RECORDS: TypeAdapter[AnyRecord] = TypeAdapter(AnyRecord)
