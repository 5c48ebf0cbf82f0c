"""The terms of a run: what the planner needs of the spec and of the way the run was started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.run import RunState
from schemas.labels import Labels

WIDEST_VARIANCE = 0.25  # of the span squared: no score on a scale can spread more


@dataclass(frozen=True)
class JudgeTerms:
    """How outputs are judged, and what is known of the judge before the run.

    `labels` are a person's scores from earlier, bound to a rubric and a judge. `cases` gives input and expected text by
    case. `lacking` says which exemplars the project does not have. `usd_per_item` is a typical price, None if unknown.
    """

    rubric_digest: str
    model: str
    batch_size: int = 5
    two_level: bool = False
    min_agreement: float = 0.8
    waived: str = ""
    labels: Labels | None = None
    cases: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    usd_per_item: float | None = None
    cap_usd: float | None = None  # on judging alone
    retries: int = 2


@dataclass(frozen=True)
class ScoringOnly:
    """This tick is for a person's scores alone: of the judge's baseline outputs, or of the final text's, blind.

    `number` is that of the first sheet in this tick; sheets count from 1 in a run.
    """

    purpose: Literal["calibration", "blind"]
    number: int


@dataclass(frozen=True)
class Terms:
    """Fixed for one tick. Scores run from `lowest` to `lowest + span`; `span` 1 is pass/fail."""

    approval_digest: str
    caps: dict[str, float | None]
    attended: bool
    max_iterations: int
    max_active_s: float
    max_wall_s: float
    plateau: int
    stop_at_target: bool
    budget: Caps
    target: float | None = None
    lowest: float = 0.0
    span: float = 1.0
    maximize: bool = True
    pass_at: float = 1.0
    caution: Literal["low", "normal", "high"] = "normal"
    allow_broken: bool = False
    guards: frozenset[str] = frozenset()  # cases that must go on passing: most runs failing breaks them
    max_unscored: float = 0.2
    seed: int = 7
    ideas_per_round: int = 4
    reference_runs: int = 4
    task_retries: int = 0
    proposer_retries: int = 0
    with_proposer: bool = False  # a model has the ideas
    usd_per_proposal: float | None = None
    judge: JudgeTerms | None = None
    scoring: ScoringOnly | None = None
    reader: bool = False  # a model that did not write the changes reads them before an unattended keep
    wrapping: bool = False  # this tick is for choosing what comes of a run that has ended
    command: CommandTerms | None = None  # where a command measures
    pruning: bool = False  # rules leave the text one by one; a text without faults is welcome

    def passes(self, score: float) -> bool:
        """Does a run with this score count as passed?"""
        return score >= self.pass_at if self.maximize else score <= self.pass_at

    def extended(self, raised: Mapping[str, float]) -> Terms:
        """These terms with the limits of the spec raised by what a person added to them since."""
        if not raised:
            return self
        return replace(
            self,
            max_iterations=self.max_iterations + int(raised.get("max_iterations", 0)),
            plateau=self.plateau + int(raised.get("plateau", 0)),
            max_active_s=self.max_active_s + raised.get("max_hours", 0.0) * 3600,
            stop_at_target=self.stop_at_target and "target_reached" not in raised,
        )

    def setting(self, state: RunState) -> Setting:
        """The evidence rules as they stand for this run now."""
        return Setting(
            span=self.span,
            maximize=self.maximize,
            caution=self.caution,
            deterministic=state.deterministic,
            reference_runs=self.reference_runs,
            max_lost=self.max_unscored,
            groups=state.split.groups if state.split else (),
        )

    def noise(self, state: RunState) -> Noise:
        """Noise pooled over the whole run. As long as nothing was repeated, scores may spread as widely as can be."""
        ss, df = state.runs.sigma_ss, state.runs.sigma_df
        if not df and not state.deterministic:
            ss, df = WIDEST_VARIANCE * self.span**2, 1
        return Noise(ss, df, state.tau_ss, state.tau_df, state.tau_c)
