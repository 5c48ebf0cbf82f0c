"""A world for runs that are measured by a command: carries out what the planner asks for on made-up commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import (
    Action,
    Advance,
    Ask,
    AwaitResults,
    Combine,
    CommandSample,
    Done,
    Hypothesize,
    JudgeCommand,
    KeepCommit,
    MakeChange,
    MeasureCommand,
    Note,
    Park,
    ReadWinner,
    Report,
)
from ceopt_tui.core.plan.command.candidate import plan_candidate
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.continuing import continuations
from ceopt_tui.core.plan.plan import plan
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.fold import apply
from ceopt_tui.core.state.run import RunState
from schemas.command_records import (
    ChangeCombined,
    ChangeMade,
    CommandJudged,
    CommandMeasured,
    Dispatched,
)
from schemas.keeping_records import DependenciesDecided, WinnerRead, WrapUpChosen
from schemas.records import (
    Answered,
    AnyRecord,
    Approved,
    BacklogClosed,
    CandidateRefused,
    Committed,
    HypothesisAdded,
    Reopened,
    ReportWritten,
    RunStarted,
)

BASE = "base"
SPEC: dict[str, Any] = {
    "metric": {
        "primary": {"type": "hard", "name": "ms", "direction": "minimize"},
        "degenerate_gates": [{"name": "correct", "check": "== 1"}],
    },
    "measurement": {"stability": {"mode": "stable", "comparison": {"method": "relative", "relative_threshold": 0.05}}},
}
COMMAND = CommandTerms(
    spec=SPEC,
    primary="ms",
    maximize=False,
    names=("ms", "correct"),
    mode="stable",
    aggregation="median",
    paired=False,
    repeats=1,
)
TERMS = Terms(
    approval_digest="d",
    caps={},
    attended=False,
    max_iterations=20,
    max_active_s=3600,
    max_wall_s=7200,
    plateau=10,
    stop_at_target=True,
    budget=Caps(),
    command=COMMAND,
    reader=True,
)
Measure = Callable[[CommandSample], Mapping[str, Any]]


@dataclass(frozen=True)
class Idea:
    """An experiment's edit: what it costs, which files it touches, what reading it says."""

    ms: float = 100.0
    held_out_ms: float | None = None
    with_others_ms: float | None = None  # on top of a batch's winner; adds nothing where None
    correct: float = 1
    files: tuple[str, ...] = ("src/a.py",)
    status: str = "ok"
    objection: str = ""
    readable: bool = True
    needs: str = ""  # a package
    refusals: int = 0
    category: str = "algorithm"
    rank: float = 0.0
    expected: str = ""  # benefit, in its proposer's words
    confidence: str = "low"
    share: str = ""  # the printed number that is what it could save
    score: float | None = None  # a judge's
    smoke: str = "ok"
    delivered: int | None = None  # samples a worker sends
    independent_ms: float | None = None
    at_last_ms: float | None = None  # in the final measurement
    cases: Mapping[str, bool] | None = None


@dataclass
class World:
    """Ideas by number of the experiment that tries them (from 1), and everything that happened."""

    ideas: list[Idea]
    terms: Terms = TERMS
    answers: dict[str, str] = field(default_factory=dict)
    base_ms: float = 100.0
    state: RunState = field(default_factory=RunState)
    records: list[AnyRecord] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)  # commit -> status of its measurements
    values: dict[str, float | str | None] = field(default_factory=dict)  # that the base prints instead
    rounds: int = 1
    approved: bool = True
    combinable: bool = True
    forgets_ms: bool = False  # after the first run
    silent: bool = False  # the command prints nothing to judge
    active_s: float = 0.0

    def __post_init__(self) -> None:
        self.note(
            RunStarted(
                run_id="r",
                name="faster",
                ceopt_version="1",
                repository="/r",
                spec_file="spec.yaml",
                spec_digest="s",
                approval_digest="d",
                measurement_digest="m",
                base_sha=BASE,
                branch="optimize/faster",
                texts={},
                text_digest=BASE,
                seed=7,
                command="./measure",
            )
        )
        if self.approved:
            self.note(*(Approved(what=what, digest="d", caps={}) for what in ("spec", "baseline")))

    @property
    def command(self) -> CommandTerms:
        assert self.terms.command is not None
        return self.terms.command

    def note(self, *records: AnyRecord) -> None:
        for record in records:
            self.records.append(record)
            apply(self.state, record)

    def run(self, limit: int = 500) -> RunState:
        """Goes on until the run is done or parked."""
        for _ in range(limit):
            action = plan(self.state, self.terms, active_s=self.active_s, wall_s=0.0)
            self.actions.append(action)
            if isinstance(action, Done | Park):
                return self.state
            self.carry_out(action)
        raise AssertionError("the run does not end")

    def carry_out(self, action: Action) -> None:
        match action:
            case Note(records):
                self.note(*records)
            case Advance(numbers):
                for number in numbers:
                    while inner := plan_candidate(self.state, self.command, number):
                        self.actions.append(inner)
                        self.carry_out(inner)
            case MeasureCommand(samples):
                for sample in samples:
                    record = self.measured(sample)
                    self.note(record)
                    if record.status != "ok":
                        return
            case JudgeCommand(sample):
                self.note(self.judged(sample))
            case MakeChange(number, attempt):
                self.make(number, attempt)
            case AwaitResults(numbers):
                for number in numbers:
                    self.deliver(number)
            case ReadWinner(number):
                said, usable = self.idea(number).objection, self.idea(number).readable
                self.note(WinnerRead(number=number, reader="m", reverted=bool(said), reason=said, usable=usable))
            case Combine(number):
                onto = self.state.commands.reference
                commit = f"c{number}+{onto}" if self.combinable else None
                self.note(ChangeCombined(number=number, onto=onto, commit=commit, reason="" if commit else "conflict"))
            case KeepCommit(number, commit, _):
                self.note(Committed(number=number, text_digest=commit, commit=commit, branch="optimize/faster"))
            case Ask(what, number):
                self.ask(what, number)
            case Hypothesize(generation):
                self.hypothesize(generation)
            case Report():
                self.note(ReportWritten(path="r.md"))
            case _:
                raise AssertionError(action)

    def ask(self, what: str, number: int | None) -> None:
        if what in {"spec", "baseline"}:
            self.note(Approved(what=what, digest="d", caps={}))  # type: ignore[arg-type]
        else:
            question = what if number is None else f"{what}-{number}"
            if what == "wrap_up":
                self.note(*self.wrapped_up(self.answers.pop(what, "done")))
                return
            if what in {"dependencies", "dependencies_again"}:
                packages = tuple(idea.needs for idea in self.ideas if idea.needs)
                yes = self.answers.get(what, self.answers.get("dependencies")) != "no"
                asked = Answered(question_id=what.replace("_", "-"), answer="yes" if yes else "no")
                self.note(asked, DependenciesDecided(**{"approved" if yes else "refused": packages}))
                return
            self.note(Answered(question_id=question, answer=self.answers.get(question, "keep")))

    def wrapped_up(self, answer: str) -> list[AnyRecord]:
        raised = continuations(self.state, self.terms.extended(self.state.raised)).get(answer)
        if raised is None:
            return [WrapUpChosen(choice="done")]
        self.rounds += 1
        return [WrapUpChosen(choice="continue"), Reopened(reason=f"you chose: {answer}", raised=raised)]

    def hypothesize(self, generation: int) -> None:
        first = len(self.state.hypotheses)
        fresh = [] if self.rounds <= 0 else list(enumerate(self.ideas))[first:]
        self.rounds -= 1
        for at, idea in fresh:
            self.note(
                HypothesisAdded(
                    id=f"h{at + 1:03d}",
                    description=f"idea {at + 1}",
                    category=idea.category,
                    move="edit",
                    source="llm",
                    rank=idea.rank or -at,
                    opportunity={"expected_benefit": idea.expected, "confidence": idea.confidence, "share": idea.share},
                    generation=generation,
                    required_deps=(idea.needs,) if idea.needs else (),
                    dep_status="needs_approval" if idea.needs else "approved",
                )
            )
        self.note(BacklogClosed(generation=generation, added=len(fresh)))

    def idea(self, number: int) -> Idea:
        if again := self.state.experiments[number].hypothesis.parameters.get("experiment"):
            return self.idea(again)
        return self.ideas[int(self.state.experiments[number].started.hypothesis_id[1:]) - 1]

    def make(self, number: int, attempt: int) -> None:
        idea = self.idea(number)
        if attempt <= idea.refusals:
            refusal = {"code": "out_of_scope", "message": "it changes tests/"}
            self.note(CandidateRefused(number=number, attempt=attempt, refusals=(refusal,)))
        elif again := self.state.experiments[number].hypothesis.parameters.get("experiment"):
            commit = f"c{again}+{self.state.commands.reference}"
            self.note(ChangeMade(number=number, commit=commit, files=idea.files))
        elif self.command.remote:
            self.note(Dispatched(number=number, base_sha=self.state.commands.reference, ref=f"exp-{number}"))
        else:
            self.note(ChangeMade(number=number, commit=f"c{number}", files=idea.files))

    def deliver(self, number: int) -> None:
        idea, base = self.idea(number), self.state.experiments[number].started.base_sha
        self.note(ChangeMade(number=number, commit=f"c{number}", files=idea.files))
        wanted = self.command.repeats if idea.delivered is None else idea.delivered
        for at in range(wanted):
            for arm, commit in (("reference", base), ("candidate", f"c{number}")):
                sample = CommandSample(commit, "exploratory", "standalone", arm, at, "selection", number)  # type: ignore[arg-type]
                self.note(replace_by(self.measured(sample), "worker"))

    def measured(self, sample: CommandSample) -> CommandMeasured:
        status, values, cases = self.outcome(sample)
        items = (
            ({"id": "i1", "output": "text"},)
            if self.command.judged and not self.silent and sample.workload != "smoke"
            else ()
        )
        return CommandMeasured(
            commit=sample.commit,
            step=sample.step,
            pairing=sample.pairing,
            arm=sample.arm,
            sample=sample.sample,
            workload=sample.workload,
            experiment=sample.experiment,
            status=status,  # type: ignore[arg-type]
            values=values if status == "ok" else {},
            cases=cases,
            items=items if status == "ok" else (),
            elapsed_s=1.0,
            message="" if status == "ok" else f"it said {status}",
            machine="here",
        )

    def outcome(self, sample: CommandSample) -> tuple[str, dict[str, Any], dict[str, Any] | None]:
        for what in (f"{sample.commit}:{sample.workload}", f"{sample.commit}:{sample.pairing}", sample.commit):
            if what in self.broken:
                return self.broken[what], {}, None
        if sample.commit == BASE and self.forgets_ms and sample.sample:
            return "ok", {"correct": 1}, None
        if sample.commit == BASE:
            return "ok", {"ms": self.base_ms, "correct": 1, **self.values}, {"a": True, "b": False}
        number = int(sample.commit[1:].split("+")[0])
        idea = self.idea(number)
        if sample.workload == "smoke":
            return idea.smoke, {}, None
        ms = idea.ms
        if sample.workload == "holdout" and idea.held_out_ms is not None:
            ms = idea.held_out_ms
        if sample.pairing == "independent" and idea.independent_ms is not None:
            ms = idea.independent_ms
        if sample.pairing == "report" and idea.at_last_ms is not None:
            ms = idea.at_last_ms
        if "+" in sample.commit:
            ms = idea.with_others_ms if idea.with_others_ms is not None else ms
        return idea.status, {"ms": ms, "correct": idea.correct}, dict(idea.cases) if idea.cases else None

    def judged(self, sample: CommandSample) -> CommandJudged:
        score = 3.0 if sample.commit == BASE else self.idea(int(sample.commit[1:].split("+")[0])).score
        return CommandJudged(
            commit=sample.commit,
            pairing=sample.pairing,
            arm=sample.arm,
            sample=sample.sample,
            workload=sample.workload,
            experiment=sample.experiment,
            scores={"ms": score},
        )

    def outcomes(self) -> list[str]:
        """Outcome words in the order of the experiments."""
        return [self.state.experiments[number].outcome for number in sorted(self.state.experiments)]

    def asked_for(self, workload: str = "selection", pairing: str = "standalone") -> list[tuple[str, str, int]]:
        """(commit, arm, sample) of every sample taken for such a comparison, in order."""
        return [
            (record.commit, record.arm, record.sample)
            for record in self.records
            if isinstance(record, CommandMeasured) and (record.workload, record.pairing) == (workload, pairing)
        ]


def replace_by(record: CommandMeasured, worker: str) -> CommandMeasured:
    return record.model_copy(update={"measured_by": worker, "machine": "there"})


def command(**changes: Any) -> Terms:
    """The usual terms with another command."""
    spec = changes.pop("spec", SPEC)
    return replace(TERMS, command=replace(COMMAND, spec=spec, **changes))


def spec_with(**stability: Any) -> dict[str, Any]:
    """The usual spec with other keys under `stability`."""
    measurement = dict(SPEC["measurement"])
    return {**SPEC, "measurement": {**measurement, "stability": {**measurement["stability"], **stability}}}
