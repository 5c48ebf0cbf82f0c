"""experiment-log.yaml: the readable view of a journal. It is rebuilt from the journal and never the source of state.

Keys this version does not know are kept, so that an older ceopt can show the log of a newer one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from schemas.loading import parse
from schemas.scalars import Flag, Integer, JsonMap, Number, Section, Text, json_value
from schemas.yaml_strict import EVALSET_BYTES


class _View(Section):
    model_config = ConfigDict(frozen=True, extra="allow")

    __pydantic_extra__: dict[str, Annotated[Any, BeforeValidator(json_value)]]


class BaselineView(_View):
    """The original text, measured."""

    text_digest: Text
    mean: Number
    scored: Integer
    unscored: Integer = 0
    deterministic: Flag = False
    sees_half: Number | None = None
    """The gain this set of cases sees about half the time."""
    sees_most: Number | None = None
    """The gain it sees four times in five."""


class DecisionView(_View):
    """One step of the ladder; its numbers stand beside it."""

    step: Text
    decision: Text
    reason: Text = ""


class ExperimentView(_View):
    """One hypothesis, carried out, measured and decided."""

    id: Text
    hypothesis: Text
    category: Text = ""
    outcome: Text
    reason: Text | None = None
    forecast: JsonMap = Field(default_factory=dict)
    """What was expected when it was started."""
    base_sha: Text | None = None
    commit: Text | None = None
    text_digest: Text | None = None
    decisions: tuple[DecisionView, ...] = ()
    fixed: tuple[Text, ...] = ()
    regressions: tuple[Text, ...] = ()
    broken: tuple[Text, ...] = ()
    """Cases that passed in every run before and fail in every run now."""
    judging: JsonMap | None = None
    """What judging its outputs took: calls, tokens, cost_usd (null when a price is unknown), latency_s."""


class BestView(_View):
    """The text in force; iteration 0 is the original."""

    iteration: Integer
    text_digest: Text
    commit: Text | None = None
    texts: dict[str, Text] = Field(default_factory=dict)


class HypothesisView(_View):
    """An idea that was not tried yet."""

    id: Text
    description: Text
    category: Text = ""
    priority: Literal["high", "medium", "low"] = "medium"
    dep_status: Text = "approved"
    required_deps: tuple[Text, ...] = ()
    opportunity: JsonMap = Field(default_factory=dict)


class ProposalView(_View):
    """A change that won and that only a person may keep."""

    experiment: Integer
    cause: Text
    reason: Text = ""
    decision: Text | None = None
    """Accepted, refused, again; null while it waits."""


class WaitView(_View):
    """What the run waits for, and what will start it again by itself."""

    on: Text
    until: Text = ""
    wake: Text = ""


class RunStateView(_View):
    """Where the run stands."""

    status: Literal["running", "waiting", "blocked", "finished"] = "running"
    outcome: Text | None = None
    reason: Text | None = None
    pending_waits: tuple[WaitView, ...] = ()
    active_s: Number = 0.0
    calls: Integer = 0
    cost_usd: Number | None = None
    """Null when a price is unknown."""
    held_out: JsonMap | None = None
    """The gain on cases nothing was chosen by: before, after, interval, cases."""
    notes: tuple[Text, ...] = ()
    judge_is_rewriter: Flag | None = None
    """Is the judge's model of one family with the proposer's or the task's? Null without a judge."""


class ApprovalView(_View):
    """What was approved, for which digest and caps, when and by whom."""

    what: Text
    digest: Text
    caps: JsonMap = Field(default_factory=dict)
    at: Text = ""
    by: Text = ""


class ProbeView(_View):
    """One check of the harness before the baseline."""

    probe: Text
    status: Literal["passed", "failed", "not_run"]
    score: Number | None = None
    detail: Text = ""


class FlaggedView(_View):
    """A case that counts for nothing, because its check cannot tell outputs apart."""

    case: Text
    side: Literal["selection", "holdout"]
    fault: Text
    reason: Text = ""


class ExperimentLog(_View):
    """The whole run on one page."""

    spec: Text
    """The spec as it was approved."""
    run_id: Text | None = None
    started_at: Text | None = None
    baseline: BaselineView | None = None
    experiments: tuple[ExperimentView, ...] = ()
    best: BestView | None = None
    hypothesis_backlog: tuple[HypothesisView, ...] = ()
    proposals: tuple[ProposalView, ...] = ()
    run_state: RunStateView = RunStateView()
    approval: tuple[ApprovalView, ...] = ()
    harness_validation: tuple[ProbeView, ...] = ()
    harness_flagged: tuple[FlaggedView, ...] = ()


def parse_experiment_log(raw: bytes, file: str) -> ExperimentLog:
    """The log in `raw`. Raises InputError when it is damaged; it can then be rebuilt from the journal."""
    return parse(ExperimentLog, raw, file, limit=EVALSET_BYTES)


def experiment_log_document(log: ExperimentLog) -> dict[str, Any]:
    """The log as plain values in reading order."""
    return log.model_dump(mode="json")
