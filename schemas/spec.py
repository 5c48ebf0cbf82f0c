"""The spec: what is optimized, how it is measured and when to stop. Attribute names are the keys of the file.

Rules between keys are in spec_rules.py; reading from disk is in loading.py.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from schemas.scalars import FilledText, Flag, Integer, Number, Section
from schemas.spec_defaults import with_text_target_defaults
from schemas.spec_execution import Dependencies, Execution, Parallel, Scope, Stopping
from schemas.spec_measurement import Measurement
from schemas.spec_metric import Metric
from schemas.spec_target import EvalSetSource, HoldoutFile, ModelMap, ProposerSpec, RunnerSpec, Target

NAME_PATTERN = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"


class Spec(Section):
    """One optimization run as its user describes it, with every default filled in."""

    name: Annotated[FilledText, Field(pattern=NAME_PATTERN, max_length=100)]
    """Lower-case words joined by hyphens; names the branch and the state folder."""
    description: FilledText
    """The goal in a person's words; the proposer reads it."""
    metric: Metric
    measurement: Measurement = Measurement()
    scope: Scope
    execution: Execution = Execution()
    parallel: Parallel = Parallel()
    dependencies: Dependencies = Dependencies()
    constraints: tuple[FilledText, ...] = ()
    """What every change must respect, in a person's words."""
    stopping: Stopping = Stopping()
    max_runner_up_merges_per_batch: Annotated[Integer, Field(ge=0)] = 1
    target: Target | None = None
    evalset: EvalSetSource | None = None
    runner: RunnerSpec = RunnerSpec()
    models: ModelMap = Field(default_factory=dict)
    proposer: ProposerSpec = ProposerSpec()
    caution: Literal["low", "normal", "high"] = "normal"
    """How much evidence a change needs."""
    allow_broken: Flag = False
    """Whether an unattended run may keep a change that breaks a case which always passed."""
    max_unscored: Annotated[Number, Field(ge=0, le=1)] = 0.2
    """Share of outputs that may stay without a score."""
    coverage: Literal["protect", "off"] = "protect"
    """Whether rules that no case covers are protected from edits."""

    @model_validator(mode="before")
    @classmethod
    def _fill_defaults(cls, data: Any) -> Any:
        return with_text_target_defaults(data) if isinstance(data, dict) else data

    @property
    def is_text_target(self) -> bool:
        """Whether the run optimizes an instruction text."""
        return self.target is not None

    @property
    def is_judged(self) -> bool:
        """Whether a judge scores the primary metric."""
        return self.metric.primary.type == "judge"

    @property
    def batch_limit(self) -> int:
        """Experiments that may run at the same time."""
        serial = self.execution.mode == "serial" or bool(self.parallel.exclusive_resources)
        return 1 if serial else self.execution.max_concurrent

    @property
    def user_cost_cap_usd(self) -> float | None:
        """The cap on all models that the user wrote; None when there is none."""
        return self.stopping.max_total_cost_usd

    @property
    def judge_cost_cap_usd(self) -> float | None:
        """The cap on judging that the user wrote; None when there is none or only the default."""
        judge = self.metric.judge
        return judge.max_total_cost_usd if judge and "max_total_cost_usd" in judge.model_fields_set else None

    @property
    def holdout(self) -> Literal["split", "command", "second_sample"] | None:
        """What confirms a keep: held-out cases, a held-out command, or a second sample of the same output."""
        if self.is_text_target and self.evalset is not None and self.runner.kind != "command":
            return "split"
        if self.measurement.holdout is not None:
            return "command"
        judge = self.metric.judge
        return "second_sample" if self.is_judged and judge and judge.confirmation_seed is not None else None

    @property
    def holdout_file(self) -> str | None:
        """The file of held-out cases, where they have one of their own."""
        source = self.evalset.holdout if self.evalset else None
        return source.file if isinstance(source, HoldoutFile) else None
