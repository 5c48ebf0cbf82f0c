"""The seams of ceopt: what the engine asks of models, texts, people and clocks.

Protocols and plain values only. Implementations live in judges/, texttargets/, gitops/ and the skins.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from ceopt_tui.core.judging_ports import RecordMark, Sheet, SheetOutcome
from ceopt_tui.errors import ProposalError
from schemas.evalset import Case
from schemas.judging_records import Theme
from schemas.records import CallFacts

Role = Literal["task", "judge", "proposer", "reader"]


@dataclass(frozen=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    usd_in: float
    usd_out: float


@dataclass(frozen=True)
class ResolvedModel:
    """A model as one run uses it. `endpoint` names where it answers in cache keys and records (no key in it)."""

    name: str  # tier or name the spec asked for: "cheap"
    model: str  # as litellm names it: "openai/gpt-x"
    endpoint: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    params: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    concurrency: int = 8
    # Awaited after a failed connection: was what serves the model dead, and is up again? ProviderError: never again.
    revived: Callable[[], Awaitable[bool]] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class ModelRequest:
    """One logical request. Equal requests with equal `sample` are the same sample and may come from the cache."""

    role: Role
    model: ResolvedModel
    messages: tuple[Message, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 0
    response_schema: Mapping[str, Any] | None = None
    timeout_s: float = 60.0
    retries: int = 2
    identity: Mapping[str, str] = field(default_factory=dict)  # what else decides the answer: rubric hash, template
    use_cache: bool = True


@dataclass(frozen=True)
class ModelReply:
    """`text` may be empty only when `truncated` says why."""

    text: str
    facts: CallFacts
    truncated: bool = False
    logprobs: Any = None


class Accept(Protocol):
    """Raises ValueError with a reason when a reply must not be stored."""

    def __call__(self, text: str) -> None: ...


class Completer(Protocol):
    """Sends requests to models.

    May raise CallFailed (this call only), AuthError, QuotaError, RateLimitError, BudgetError.
    """

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply: ...


@dataclass(frozen=True)
class RunResult:
    """What one run of a text on one case gave. `error` set means no score: an infrastructure fault is not an output."""

    output: str
    truncated: bool = False
    error: str | None = None
    facts: CallFacts | None = None


class Runner(Protocol):
    """Runs a text on one case. `texts` maps each target path to its whole content; `sample` numbers repeats from 0.

    Infrastructure faults of one call come back as RunResult.error; errors that end the run are raised.
    """

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult: ...


@dataclass(frozen=True)
class Score:
    """Score of one output; pass/fail checks give 1.0 or 0.0."""

    score: float
    passed: bool
    detail: str = ""


class Scorer(Protocol):
    """Scores an output of a case without a model. Pure."""

    def __call__(self, case: Case, output: str) -> Score: ...


@dataclass(frozen=True)
class SelectionCase:
    """A selection case with what the current text makes of it. Held-out cases never take this form."""

    case: Case
    outputs: tuple[str, ...] = ()
    pass_rate: float | None = None
    detail: str = ""  # why the check failed, without patterns or rubric
    feedback: tuple[str, ...] = ()  # what a judge says would have to change
    score: float | None = None  # mean of a judge's scores, on its own scale


SHORTER = "tokens"  # the claim of an idea that is to make the text shorter, and its score no worse


@dataclass(frozen=True)
class HypothesisDraft:
    """An idea before it has an id. `parameters` is what its proposer needs to carry it out (JSON)."""

    description: str
    category: str
    move: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    theme: str | None = None
    claims: str = "primary"
    priority: Literal["high", "medium", "low"] = "medium"
    expected_benefit: str = "unknown"
    confidence: Literal["high", "medium", "low"] = "low"
    rank: float = 0.0  # higher is tried first
    upper_bound: float | None = None  # the most it could add to the mean, as a share of the scale
    required_deps: tuple[str, ...] = ()
    opportunity: Mapping[str, str] = field(default_factory=dict)  # in its own words, in place of the usual ones


@dataclass(frozen=True)
class Tried:
    """One earlier experiment as the proposer may see it."""

    description: str
    category: str
    move: str
    outcome: str
    reason: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Brief:
    """All a proposer may know: the current text, its selection cases, what was tried. Nothing held out."""

    name: str
    description: str
    texts: Mapping[str, str]
    selection: Sequence[SelectionCase]
    tried: Sequence[Tried] = ()  # the last ten
    tried_keys: frozenset[str] = frozenset()  # move + canonical parameters of every idea not to be had again
    refused: Sequence[Tried] = ()  # what came to nothing before the last ten
    constraints: Sequence[str] = ()
    protect: Sequence[str] = ()
    syntax: str = "none"
    edits: int = 4
    digest: str = ""
    seed: int = 7
    themes: Sequence[Theme] = ()  # of a judged run, those a person dismissed left out
    set_aside: frozenset[str] = frozenset()  # failing cases of dismissed themes: no idea is drawn from them


@dataclass(frozen=True)
class Draft:
    """A proposer's candidate: the whole new content of every changed file, and who paid for it."""

    texts: Mapping[str, str]
    facts: Sequence[CallFacts] = ()
    note: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why a candidate is refused, never repaired. `code` as in `ceopt lint`; line counts from 1."""

    code: str
    message: str
    line: int | None = None


class ProposalRefused(ProposalError):
    """A proposer's reply was understood and may not be applied; `refusals` go back to the proposer once."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__("; ".join(refusal.message for refusal in refusals))
        self.refusals = tuple(refusals)


class Proposer(Protocol):
    """Has ideas and carries them out on the text.

    `propose` gets the refusals of its first try when asked again; ProposalError says a reply cannot be used.
    """

    name: str

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]: ...

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft: ...


class OutsideCalls(Protocol):
    """Books what a program of the user's spends on models: ceopt makes none of these calls and can cap none of them.

    `begin` is on record before the program starts, so that one that was cut off counts as spent. May raise BudgetError.
    """

    async def begin(self) -> str: ...

    async def end(self, facts: CallFacts, error: str | None = None) -> None: ...


class Guard(Protocol):
    """All refusals that need no model. Empty list: accepted. Pure."""

    def __call__(self, before: Mapping[str, str], after: Mapping[str, str]) -> Sequence[Refusal]: ...


class Backend(Protocol):
    """Where candidates become commits; the user's index and branch are never touched, their files by `apply` alone.

    May raise GitError.

    `repository` names the place for people, `branch` is the optimization branch.
    """

    repository: str
    branch: str

    def head(self) -> str:
        """The commit the user is on."""

    def dirty(self, paths: Sequence[str]) -> Sequence[str]:
        """Which of these paths have changes that are not committed."""

    def prepare(self, base_sha: str, paths: Sequence[str]) -> None:
        """Makes the optimization branch and proves that edits of `paths` can be committed byte for byte.

        SetupError when not.
        """

    def verify_branch(self, left_at: str, paths: Sequence[str]) -> str:
        """Sees to it that the optimization branch is where it was left; others' commits after it spare `paths`.

        One that is gone is put back, which the answer says. SetupError where it is elsewhere.
        """

    def keep(self, number: int, branch: str, base_sha: str, texts: Mapping[str, str], message: str) -> str:
        """Commits the texts on `branch` and moves the optimization branch to that commit, which is returned.

        Done again after a kill it finds its own work and changes nothing.
        """

    def publish(self, files: Mapping[str, bytes], message: str) -> str:
        """Commits files on the optimization branch alone; gives the commit."""

    def apply(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """Writes texts into the user's own files, all or none, because a person asked for it.

        SetupError where one of them is no longer as it was `before`.
        """

    def clean(self) -> None:
        """Removes what a killed run left behind."""


@dataclass(frozen=True)
class Question:
    """Something only a person decides: the material laid out, then one short question with options.

    `pairs` are shown side by side below the message where there is room: (heading, left, right).
    """

    id: str
    title: str
    message: str
    question: str
    options: tuple[str, ...]
    pairs: tuple[tuple[str, str, str], ...] = ()


class Asker(Protocol):
    """Asks a person; raises NeedsPersonError where there is none."""

    async def ask(self, question: Question) -> str: ...

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        """Lets a person score a sheet; every mark is recorded before the next item is shown."""


class Clock(Protocol):
    """Wall time for people, monotonic time for budgets."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...
