"""Journal records of runs that are measured by a command: changes as commits, samples as the command printed them."""

from __future__ import annotations

from typing import Any, Literal

from schemas.record import CallFacts, Record

CommandStep = Literal[
    "harness", "baseline", "reference", "smoke", "exploratory", "add_sample", "confirm", "independent", "holdout",
    "integrated", "report",
]  # fmt: skip
Workload = Literal["selection", "smoke", "holdout"]
Arm = Literal["reference", "candidate"]
# Which comparison a sample belongs to. `own`: the reference by itself, against which single candidates are held;
# `independent`: taken again by somebody other than the change's author; `integrated`: on top of this batch's winner.
Pairing = Literal["own", "standalone", "independent", "integrated", "report"]


class CommandMeasured(Record):
    """One run of a measuring command on one commit."""

    kind: Literal["command_measured"] = "command_measured"
    commit: str
    step: CommandStep
    pairing: Pairing
    arm: Arm
    sample: int  # numbered from 0 within commit, pairing, workload and arm
    workload: Workload = "selection"
    experiment: int | None = None
    status: Literal["ok", "censored", "timeout", "error"] = "ok"
    values: dict[str, float | int | bool | str | None] = {}  # everything but cases that the command printed
    cases: dict[str, Any] | None = None
    items: tuple[dict[str, Any], ...] = ()  # outputs for a judge
    elapsed_s: float = 0.0
    message: str = ""
    machine: str = ""
    measured_by: str = "ceopt"
    usd: float | None = None


class CommandJudged(Record):
    """What the judge says of one sample's items: the mean by field, and every single score of the primary field."""

    kind: Literal["command_judged"] = "command_judged"
    commit: str
    pairing: Pairing
    arm: Arm
    sample: int
    workload: Workload = "selection"
    experiment: int | None = None
    scores: dict[str, float | None] = {}  # null where no item of the sample has a score: missing is not zero
    by_item: dict[str, float] = {}
    unscored: int = 0
    calls: tuple[CallFacts, ...] = ()


class ChangeMade(Record):
    """An experiment's edit, as a commit on its own branch."""

    kind: Literal["change_made"] = "change_made"
    number: int
    commit: str
    files: tuple[str, ...]
    diff: str = ""
    note: str = ""
    made_by: str = ""
    calls: tuple[CallFacts, ...] = ()


class ChangeCombined(Record):
    """A runner-up's change repeated on top of the new best; `commit` is null where the two do not go together."""

    kind: Literal["change_combined"] = "change_combined"
    number: int
    onto: str
    commit: str | None = None
    reason: str = ""


class Dispatched(Record):
    """An experiment was handed to a worker elsewhere; its result comes back as a pushed ref."""

    kind: Literal["dispatched"] = "dispatched"
    number: int
    base_sha: str
    ref: str
    receipt: str = ""
    attempt: int = 1
    due_at: str = ""
    """When the result is given up, UTC in ISO 8601; empty where nobody said."""


class Delivered(Record):
    """A result that stands at the hub. One that is not taken stays there, and `reason` says why it is not."""

    kind: Literal["delivered"] = "delivered"
    number: int
    ref: str
    commit: str
    taken: bool
    reason: str = ""
