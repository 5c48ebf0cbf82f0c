"""One fake of every port, small enough to read: worlds in which texts have a known worth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.harness_ports import HarnessExaminer
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Brief, Draft, HypothesisDraft, Question, Refusal, RunResult, Score
from ceopt_tui.core.state.proposals import WRAP_UP
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.skin import Commit
from ceopt_tui.errors import GitError, NeedsPersonError, ProposalError, SetupError
from schemas.evalset import Case
from schemas.harness_records import CaseIdea, CasesProposed
from schemas.records import AnyRecord, CallFacts, Probed, SplitFrozen


@dataclass
class FakeClock:
    """Stands still until told."""

    wall: datetime = datetime(2026, 1, 5, 10, tzinfo=UTC)
    seconds: float = 0.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)
        self.seconds += seconds


def digest_of(texts: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(dict(texts), sort_keys=True).encode()).hexdigest()


def facts(role: str = "task") -> CallFacts:
    return CallFacts(role=role, model="fake/task", call_id="", input_tokens=10, output_tokens=2, usd=0.001)


@dataclass
class FakeRunner:
    """Answers by a rule over (text, case, sample); the rule may raise or give an error result."""

    answer: Callable[[str, Case, int], str | RunResult | Exception]
    calls: list[tuple[str, str, int]] = field(default_factory=list)

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        text = next(iter(texts.values()))
        self.calls.append((text, case.id, sample))
        given = self.answer(text, case, sample)
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, RunResult) else RunResult(given, facts=facts())


@dataclass
class FakeProposer:
    """Appends one line per idea; ideas are offered once."""

    lines: Sequence[str]
    name: str = "mechanical"
    briefs: list[Brief] = field(default_factory=list)
    fail: bool = False  # every reply is unusable

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        self.briefs.append(brief)
        drafts = [
            HypothesisDraft(f"say: {line}", f"category {place}", "append", {"line": line}, rank=float(-place))
            for place, line in enumerate(self.lines)
        ]
        tried = brief.tried_keys
        return [
            draft for draft in drafts if f"append:{json.dumps(draft.parameters, separators=(',', ':'))}" not in tried
        ][:wanted]

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        self.briefs.append(brief)
        if self.fail:
            raise ProposalError("no usable reply")
        ((path, text),) = brief.texts.items()
        return Draft({path: f"{text}{idea.parameters['line']}\n"})


@dataclass
class FakeBackend:
    """A branch that is a list of commits."""

    commits: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    published: list[dict[str, bytes]] = field(default_factory=list)
    uncommitted: list[str] = field(default_factory=list)
    applied: list[dict[str, str]] = field(default_factory=list)
    repository: str = "a repository"
    branch: str = "optimize/fake"
    prepared: bool = False

    def head(self) -> str:
        return "base"

    def dirty(self, paths: Sequence[str]) -> Sequence[str]:
        return self.uncommitted

    def prepare(self, base_sha: str, paths: Sequence[str]) -> None:
        self.prepared = True

    def verify_branch(self, left_at: str, paths: Sequence[str]) -> str:
        return ""

    def keep(self, number: int, branch: str, base_sha: str, texts: Mapping[str, str], message: str) -> str:
        tip = self.commits[-1][0] if self.commits else "base"
        sha = f"commit-{number}"
        if tip == sha:
            return sha
        if tip != base_sha:
            raise GitError(f"the branch is at {tip}, not at {base_sha}")
        self.commits.append((sha, dict(texts)))
        return sha

    def publish(self, files: Mapping[str, bytes], message: str) -> str:
        self.published.append(dict(files))
        return "report-commit"

    def apply(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        if self.uncommitted:
            raise SetupError(f"{', '.join(self.uncommitted)}: changed since the run started")
        self.applied.append(dict(after))

    def clean(self) -> None:
        """Nothing is ever left behind here."""


@dataclass
class FakeSkin:
    """Answers questions from a script; no script is no person, but for one who has seen the end and is content."""

    answers: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    records: list[AnyRecord] = field(default_factory=list)
    state: RunState = field(default_factory=RunState)

    def opened(self, state: RunState, terms: Terms, commit: Commit | None = None) -> None:
        self.state = state

    def recorded(self, record: AnyRecord) -> None:
        self.records.append(record)

    def progress(self, title: str, done: int, total: int) -> None:
        assert 0 <= done <= total

    async def ask(self, question: Question) -> str:
        self.asked.append(question)
        if not self.answers and question.id == WRAP_UP:
            return "done"
        if not self.answers:
            raise NeedsPersonError(question.question)
        return self.answers.pop(0)


nothing_flagged: HarnessExaminer = lambda cases, outputs: ()  # noqa: E731


@dataclass
class FakeCaseProposer:
    """One idea, and what it was shown."""

    briefs: list[Brief] = field(default_factory=list)
    fail: Exception | None = None

    async def propose(self, brief: Brief, unguarded: Sequence[str]) -> CasesProposed:
        self.briefs.append(brief)
        if self.fail:
            raise self.fail
        return CasesProposed(ideas=(CaseIdea(source="rule", text="Ask about the limit."),))


def exact(case: Case, output: str) -> Score:
    passed = output == case.expected
    return Score(float(passed), passed, "" if passed else "another answer")


def cases(count: int) -> dict[str, Case]:
    return {f"c{i:02d}": Case(id=f"c{i:02d}", input=f"question {i}", expected=f"answer {i}") for i in range(count)}


def split_of(case_ids: Sequence[str], held_out: int) -> SplitFrozen:
    """Every second case is held out until there are enough."""
    holdout = list(case_ids)[1::2][:held_out]
    return SplitFrozen(
        selection=tuple(case for case in case_ids if case not in holdout), holdout=tuple(holdout), seed=7
    )


def terms(**changes: object) -> Terms:
    values: dict[str, object] = {
        "approval_digest": "digest",
        "caps": {"max_calls": 2000.0},
        "attended": False,
        "max_iterations": 10,
        "max_active_s": 3600.0,
        "max_wall_s": 72 * 3600.0,
        "plateau": 10,
        "stop_at_target": True,
        "budget": Caps(2000),
    }
    return Terms(**{**values, **changes})  # type: ignore[arg-type]


def passed_probe(left_out: Collection[str]) -> list[Probed]:
    return [Probed(probe="empty", status="passed", score=0.0, limit=0.8)]
