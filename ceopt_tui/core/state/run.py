"""The state of one run: a plain value that only the fold changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ceopt_tui.core.state.commands import CommandState
from ceopt_tui.core.state.experiment import FINAL_KEEPS, UNMEASURED, ExperimentState, Rung
from ceopt_tui.core.state.harness import HarnessState
from ceopt_tui.core.state.judging import NOT_NOW, SCORE_BLIND, JudgingState, blind_question, blind_sheet
from ceopt_tui.core.state.proposals import Waiting
from ceopt_tui.core.state.runs import RunBook, Scores
from ceopt_tui.core.state.spend import Spend
from schemas.keeping_records import WrapUpChosen
from schemas.records import (
    Approved,
    Asked,
    BacklogClosed,
    BaselineMeasured,
    Committed,
    Finished,
    GainReported,
    HypothesisAdded,
    Learnt,
    Looked,
    ModelBound,
    Noted,
    Probed,
    ReportWritten,
    RunStarted,
    SplitFrozen,
    Stopped,
    TickEnded,
    TickStarted,
)


@dataclass
class Reference:
    """The current best text and its fresh runs; emptied after every keep and after drift."""

    text_digest: str = ""
    selection: Scores = field(default_factory=dict)
    held_out: Scores = field(default_factory=dict)
    drift: Scores = field(default_factory=dict)
    selection_since: Rung | None = None  # when its runs on this side began
    held_out_since: Rung | None = None
    epoch: int = 0
    since_experiment: int = 0  # experiments started when this epoch began


@dataclass(repr=False)
class RunState:
    """Everything a run knows, rebuilt from its journal."""

    started: RunStarted | None = None
    tick: TickStarted | None = None
    last_tick: TickEnded | None = None
    active_s: float = 0.0  # in the ticks before the open one
    open_tick_s: float = 0.0  # in the open tick up to its last record, by the calendar: what a kill leaves to go by
    seen_at: str = ""  # when the last record was written
    phase3_at: str | None = None  # first ideas; the clocks of the stop rules start here
    phase3_active_s: float = 0.0
    models: dict[str, ModelBound] = field(default_factory=dict)
    approvals: dict[str, Approved] = field(default_factory=dict)
    split: SplitFrozen | None = None
    probes: list[Probed] = field(default_factory=list)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    spend: Spend = field(default_factory=Spend)
    runs: RunBook = field(default_factory=RunBook)
    baseline_selection: Scores = field(default_factory=dict)
    baseline: BaselineMeasured | None = None
    nondeterminism: str = ""  # why a runner once found deterministic no longer counts as such
    reference: Reference = field(default_factory=Reference)
    best_number: int = 0  # experiment that made the current best; 0 is the original text
    hypotheses: dict[str, HypothesisAdded] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # hypotheses that became experiments
    backlog: BacklogClosed | None = None
    generation: int = 0
    refused_texts: set[str] = field(default_factory=set)
    proposer_failures: int = 0  # unusable replies in a row
    proposer_fault: str = ""  # what was wrong with the last of them
    experiments: dict[int, ExperimentState] = field(default_factory=dict)
    current: ExperimentState | None = None
    looks: list[Looked] = field(default_factory=list)
    keeps: list[Committed] = field(default_factory=list)
    plateau: int = 0
    iterations: int = 0
    moved: bool = False  # has any case of any candidate ever scored differently
    unmoved: list[str] = field(default_factory=list)  # categories of measured candidates that moved nothing
    error_streak: int = 0
    tau_ss: float = 0.0
    tau_df: int = 0
    tau_c: float = 0.0
    learnings: list[Learnt] = field(default_factory=list)
    asked: Asked | None = None  # a question without an answer
    notes: list[Noted] = field(default_factory=list)
    report_before: Scores = field(default_factory=dict)
    report_after: Scores = field(default_factory=dict)
    gain: GainReported | None = None
    report: ReportWritten | None = None
    stopped: Stopped | None = None
    finished: Finished | None = None
    judging: JudgingState = field(default_factory=JudgingState)
    harness: HarnessState = field(default_factory=HarnessState)
    commands: CommandState = field(default_factory=CommandState)
    answers: dict[str, str] = field(default_factory=dict)  # to questions outside of experiments
    waiting: Waiting = field(default_factory=Waiting)
    raised: dict[str, float] = field(default_factory=dict)  # by how much a person raised a limit of the spec
    wrap_up: WrapUpChosen | None = None  # what a person wants done with the outcome

    def __repr__(self) -> str:
        """Short: whoever logs a message or a worker would else write out the whole run."""
        return f"<RunState {self.started.name if self.started else 'not started'}, {len(self.experiments)} experiments>"

    @property
    def scores_hidden(self) -> bool:
        """Until a person had the chance to score outputs unseen, and while they do, no judge's score may be shown."""
        before = self.baseline is None and self.stopped is None and not self._compared
        return self.judging.rubric is not None and (before or bool(self.judging.open_sheets) or self._scoring_blind)

    @property
    def _compared(self) -> bool:
        """Has a person scored outputs unseen, or said that they will not?"""
        closed = any(sheet.purpose == "calibration" for sheet in self.judging.closed_sheets.values())
        return closed or self.answers.get("calibrate") == NOT_NOW

    @property
    def _scoring_blind(self) -> bool:
        """Is a person asked to score a winner blind, or has said so and not finished?"""
        if self.current is None:
            return False
        question = blind_question(self.current.number)
        asking = self.asked is not None and self.asked.question_id == question
        wanted = self.current.answers.get(question) == SCORE_BLIND
        return asking or (wanted and blind_sheet(self.current.number) not in self.judging.closed_sheets)

    @property
    def by_command(self) -> bool:
        """Is the run measured by a command? Then commits stand for texts, and samples for runs of cases."""
        return self.started is not None and bool(self.started.command)

    @property
    def deterministic(self) -> bool:
        return bool(self.baseline and self.baseline.deterministic and not self.nondeterminism)

    @property
    def original_digest(self) -> str:
        return self.started.text_digest if self.started else ""

    @property
    def best_texts(self) -> dict[str, str]:
        return self.texts.get(self.reference.text_digest, {})  # a run by a command has commits instead

    @property
    def status(self) -> str:
        """running · waiting · blocked · finished, as the last tick left it."""
        if self.finished:
            return "finished"
        if self.tick and (not self.last_tick or self.last_tick.tick < self.tick.tick):
            return "running"
        return self.last_tick.status if self.last_tick else "waiting"

    @property
    def selection(self) -> tuple[str, ...]:
        """Selection cases that count: all of the frozen split but those whose check says nothing."""
        return self.harness.counted(self.split.selection) if self.split else ()

    @property
    def holdout(self) -> tuple[str, ...]:
        """Held-out cases that count."""
        return self.harness.counted(self.split.holdout) if self.split else ()

    @property
    def report_only(self) -> tuple[str, ...]:
        """The part of them that is kept for the report where repeats are identical."""
        return self.harness.counted(self.split.report_only) if self.split else ()

    @property
    def deciding_holdout(self) -> tuple[str, ...]:
        """Held-out cases that confirm keeps. Where repeats are identical a part stays unseen for the report."""
        if not (self.baseline and self.baseline.deterministic):
            return self.holdout
        reserved = self.report_only
        return tuple(case for case in self.holdout if case not in reserved)

    @property
    def report_cases(self) -> tuple[str, ...]:
        """Held-out cases the final gain is measured on."""
        if self.baseline and self.baseline.deterministic and self.report_only:
            return self.report_only
        return self.holdout

    def distinct(self, cases: Iterable[str]) -> int:
        """How many cases these are when near-duplicates count once."""
        groups = self.split.groups if self.split else ()
        first = {case: group[0] for group in groups for case in group}
        return len({first.get(case, case) for case in cases})

    def held_out(self, case_id: str) -> bool:
        return self.split is not None and case_id in self.split.holdout

    def count_outcome(self, outcome: str) -> None:
        """Books a closed experiment's outcome on the counters that stop rules read."""
        self.iterations += 1
        self.error_streak = self.error_streak + 1 if outcome in {"error", "timeout"} else 0
        if outcome in FINAL_KEEPS:
            self.plateau = 0
        elif outcome not in UNMEASURED:
            self.plateau += 1
