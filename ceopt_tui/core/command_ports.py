"""The seams of runs that a command measures: where it runs, who edits, who works elsewhere. Protocols and values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ceopt_tui.core.ports import HypothesisDraft, Refusal, Tried
from schemas.command_records import Workload
from schemas.record import CallFacts

if TYPE_CHECKING:  # it brings the YAML reader along, and arithmetic needs none
    from schemas.result_marker import ResultMarker


@dataclass(frozen=True)
class Printed:
    """What one run of a measuring command gave. Without `ok` there are no values: a fault is never a number."""

    status: Literal["ok", "censored", "timeout", "error"]
    values: Mapping[str, float | int | bool | str | None] = field(default_factory=dict)
    cases: Mapping[str, Any] | None = None
    items: Sequence[Mapping[str, Any]] = ()
    elapsed_s: float = 0.0
    message: str = ""
    usd: float | None = None


class Bench(Protocol):
    """Runs the measuring command on a commit, in a checkout of its own with ports and shared files prepared.

    `slot` tells checkouts apart that are in use at the same time; a place is never measured twice at once.
    Faults of the command come back as `Printed`; StorageError and GitError are raised.
    """

    machine: str

    async def run(self, commit: str, workload: Workload, slot: int, censor_after_s: float | None) -> Printed: ...

    def clean(self) -> None:
        """Removes the checkouts of this bench, also those a killed run left."""


@dataclass(frozen=True)
class Recipe:
    """All that who carries out an experiment may know. Nothing held out, no scores of single held-out cases.

    `baseline` and `best` are metrics by name; `tried` are the last ten experiments; `refused` says what was wrong with
    the first try. A gain from what the measurement does not observe is reverted however it scores: makers say so.
    """

    name: str
    number: int
    branch: str
    base_sha: str
    description: str
    hypothesis: str
    category: str
    mutable: Sequence[str]
    immutable: Sequence[str] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    forecast: Mapping[str, str] = field(default_factory=dict)
    constraints: Sequence[str] = ()
    dependencies: Sequence[str] = ()
    baseline: Mapping[str, float] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    goals: Sequence[str] = ()  # objectives in words: "p95_ms: smaller is better, target 40"
    tried: Sequence[Tried] = ()
    digest: str = ""
    refused: Sequence[Refusal] = ()
    ideas_before: int = 0  # that this run had so far
    pairs: int = 1  # samples a worker elsewhere owes, each of reference and candidate


@dataclass(frozen=True)
class Made:
    """A change as one commit on the recipe's branch, only files of mutable scope in it."""

    commit: str
    files: Sequence[str]
    diff: str = ""
    note: str = ""
    made_by: str = ""
    facts: Sequence[CallFacts] = ()


class Busy(Exception):
    """A capacity or rate limit: the experiment waits for its turn and is no failure."""


class Maker(Protocol):
    """Has ideas on the files of a commit and carries them out there.

    `make` raises ProposalRefused (with refusals that go back once), ProposalError, Busy, and what ends a run.
    """

    name: str

    async def ideas(self, recipe: Recipe, wanted: int) -> Sequence[HypothesisDraft]:
        """Ideas for the current best; `recipe` speaks of no experiment yet (its number is 0)."""

    async def make(self, recipe: Recipe) -> Made: ...


@dataclass(frozen=True)
class Edited:
    """Who edited, what they say of it, and who paid for it."""

    made_by: str
    note: str = ""
    facts: Sequence[CallFacts] = ()


class Editor(Protocol):
    """Has ideas on the files below a folder and edits them there: a checkout of its own, without eval set and state.

    Both raise ProposalError, Busy, and what ends a run; `edit` also ProposalRefused. `edit` commits nothing.
    """

    name: str

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]: ...

    async def edit(self, recipe: Recipe, folder: Path) -> Edited: ...


class Shelf(Protocol):
    """Where changes become history: the optimization branch and what is put on top of it."""

    def combine(self, base_sha: str, commit: str, onto: str, message: str) -> str | None:
        """The change from base to commit repeated on top of `onto`; None where both touch the same lines' files."""

    def keep(self, commit: str, onto: str) -> str:
        """Moves the optimization branch from `onto` to `commit`; gives the branch's new tip.

        Where the branch moved on meanwhile, as by a report, the change is repeated on top. Done again after a kill it
        changes nothing.
        """

    def apply(self, base_sha: str, commit: str, leave: Collection[str]) -> Sequence[str]:
        """Puts what changed from base to commit, but for `leave`, into the user's own files and names those.

        All or none. Raises SetupError where the user changed one since, or where a change is more than content.
        """

    def drop(self, number: int, branch: str) -> None:
        """Forgets an experiment's branch once its change is kept or closed for good."""


@dataclass(frozen=True)
class Delivery:
    """What a worker pushed: its claim, the commit of its edit, and the one that its ref is at."""

    head_sha: str
    tip: str
    files: Sequence[str]
    diff: str
    marker: ResultMarker


class Workers(Protocol):
    """Hands experiments to workers elsewhere and takes what they push. Results are evidence, never instructions.

    `deadline_s` is how long a result is waited for. GitError says why the hub cannot be reached.
    """

    name: str
    deadline_s: float

    async def free_ref(self, branch: str) -> str:
        """A ref at the hub for the result, `branch` where nothing stands there from before."""

    async def dispatch(self, recipe: Recipe, ref: str) -> str:
        """Hands one experiment out and gives the receipt. Raises Busy where nobody is free."""

    async def collect(self, number: int, ref: str, base_sha: str) -> Delivery | None:
        """What came for an experiment, or None as long as nothing did. ProposalError says why a result is refused."""

    async def failure(self, number: int) -> str:
        """Why nothing will come, where that is known already; else empty."""

    async def standing(self) -> Mapping[str, str]:
        """Every result of this run that stands at the hub, taken or not: refs and their commits."""

    async def forget(self, number: int, ref: str) -> None:
        """Deletes a ref whose result is in the journal and in the state folder."""


class ItemsJudge(Protocol):
    """Scores a draw of the items a command printed. `seed` names the draw; judges know neither commit nor arm."""

    async def score(
        self, items: Sequence[Mapping[str, Any]], seed: int
    ) -> tuple[Mapping[str, float | None], Mapping[str, float], int, Sequence[CallFacts]]:
        """(mean by field, primary score by item, items without a score, calls)."""
