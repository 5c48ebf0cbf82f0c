"""The evidence ladder: what the runs so far say about a candidate, and which step is worth paying for next.

Selection first (exploratory, add_sample), then one look at the held-out cases (confirm, holdout). Pure: pools of
noise come in, the candidate's own contribution to them goes out with the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.evidence.differences import Contrast, Differences, contrast, paired_differences
from ceopt_tui.core.evidence.looks import look_level
from ceopt_tui.core.evidence.noise import Noise, Runs
from ceopt_tui.core.evidence.setting import GO_ON_Z, REGRESSED_Z, SMALLEST_SET, TENTATIVE_SET, Setting
from ceopt_tui.core.evidence.signflip import signflip_p
from ceopt_tui.core.figures import counted, p_value

EvidenceStep = Literal["exploratory", "add_sample", "confirm", "holdout"]
EvidenceDecision = Literal["keep", "promising", "revert", "inconclusive", "error"]
NextStep = Literal["exploratory", "add_sample", "confirm", "holdout", "none"]

TOO_FEW_CASES = f"needs at least {SMALLEST_SET} cases"
_SIGNFLIP_FROM = 4  # non-zero differences; below that no sign pattern is rare enough to say anything


@dataclass(frozen=True)
class Evidence:
    """One verdict with its numbers; `p` is one-sided. Where nothing could be compared all are 0 and `p` is 1."""

    step: EvidenceStep
    decision: EvidenceDecision
    next_measurement: NextStep
    reason: str
    n: int
    mean_difference: float
    se: float
    z: float
    p: float
    level: float | None
    signflip_p: float | None
    sigma2: float
    tau2: float
    lost: tuple[str, ...]
    tentative: bool
    tau: tuple[float, int, float] | None = None  # the first full sweep's share of the pool, to be added once


@dataclass(frozen=True)
class _Stage:
    """One comparison before its verdict."""

    step: EvidenceStep
    differences: Differences
    noise: Noise
    setting: Setting
    total_cases: int
    level: float | None = None
    tau: tuple[float, int, float] | None = None

    def says(self, decision: EvidenceDecision, following: NextStep, reason: str) -> Evidence:
        found = self.differences.values
        seen = contrast(self.differences, self.noise, self.setting) if found else Contrast(0.0, 0.0, 0.0, 1.0)
        telling = sum(value != 0 for value in found) >= _SIGNFLIP_FROM
        return Evidence(
            step=self.step,
            decision=decision,
            next_measurement=following,
            reason=reason,
            n=len(found),
            mean_difference=seen.mean,
            se=seen.se,
            z=seen.z,
            p=seen.p,
            level=self.level,
            signflip_p=signflip_p(found) if telling or self.setting.deterministic else None,
            sigma2=self.noise.sigma2,
            tau2=self.noise.tau2(self.setting.span),
            lost=self.differences.lost,
            tentative=SMALLEST_SET <= self.total_cases <= TENTATIVE_SET,
            tau=self.tau,
        )

    def lost_too_many(self, cases: int) -> bool:
        lost = len(self.differences.lost)
        return not self.differences.values or lost > self.setting.max_lost * cases

    def lost_reason(self, cases: int) -> str:
        if not cases:
            return "the candidate has not been measured yet"
        return f"{len(self.differences.lost)} of {counted(cases, 'case')} have no score on one side; measure them again"


def decide_selection(
    reference: Runs, candidate: Runs, noise: Noise, setting: Setting, *, cases: Sequence[str], total_cases: int
) -> Evidence:
    """Verdict on the selection runs of a candidate so far.

    `noise` holds everything measured in the run, but this candidate's sweep only from its second sweep on: its
    first is added here and handed back as `tau`. Few cases tried, at most `setting.first`, is the exploratory step.
    """
    tried = [case for case in cases if case in candidate]
    exploratory = len(tried) <= setting.first < len(set(cases))
    compared = tried if exploratory else list(cases)
    step: EvidenceStep = "exploratory" if exploratory else "add_sample"
    differences = paired_differences(reference, candidate, setting, compared)
    sweeps = max((len(candidate[case]) for case in tried), default=0)
    stage = _Stage(step, differences, noise, setting, total_cases)
    if total_cases < SMALLEST_SET:
        return stage.says("inconclusive", "none", TOO_FEW_CASES)
    if stage.lost_too_many(len(compared)):
        return stage.says("error", step, stage.lost_reason(len(compared)))
    if not exploratory and sweeps == 1:
        tau = differences.sweep()
        stage = _Stage(step, differences, noise.with_sweep(tau), setting, total_cases, tau=tau)
    if not any(differences.values):
        return stage.says("revert", "none", "no score moved")
    if differences.mean <= 0:
        return stage.says("revert", "none", "on average no better than the current text")
    if exploratory:
        return stage.says("inconclusive", "add_sample", "better on the first cases; the others are worth measuring")
    return _after_sweep(stage, sweeps)


def _after_sweep(stage: _Stage, sweeps: int) -> Evidence:
    setting = stage.setting
    z, bar = contrast(stage.differences, stage.noise, setting).z, setting.bars.selection_z
    if z >= bar:
        return stage.says("promising", "confirm", f"z = {z:.2f} on the selection cases reaches {bar:.2f}")
    if z <= GO_ON_Z:
        return stage.says("revert", "none", f"z = {z:.2f} on the selection cases is too small to go on")
    if sweeps < setting.max_sweeps:
        return stage.says("inconclusive", "add_sample", f"z = {z:.2f} on the selection cases: another sweep can tell")
    return stage.says("inconclusive", "none", f"z = {z:.2f} on the selection cases after the last sweep")


def decide_holdout(
    reference: Runs,
    candidate: Runs,
    noise: Noise,
    setting: Setting,
    *,
    cases: Sequence[str],
    look: int,
    keeps: int,
    total_cases: int,
    level: float | None = None,
) -> Evidence:
    """Verdict of one look at the held-out cases: after `confirm_runs` a gate, after `holdout_runs` the decision.

    `look` counts from 1 and includes this one; `keeps` are those before it. `level` is the one this
    look was granted when it was recorded; without it the rule gives it.
    """
    runs = max((len(candidate.get(case, ())) for case in cases), default=0)
    step: EvidenceStep = "holdout" if runs >= setting.holdout_runs else "confirm"
    differences = paired_differences(reference, candidate, setting, cases)
    level = look_level(look, keeps, setting.caution) if level is None else level
    stage = _Stage(step, differences, noise, setting, total_cases, level)
    if total_cases < SMALLEST_SET:
        return stage.says("inconclusive", "none", TOO_FEW_CASES)
    if stage.lost_too_many(len(set(cases))):
        return stage.says("error", step, stage.lost_reason(len(set(cases))))
    seen = contrast(differences, noise, setting)
    if seen.z <= REGRESSED_Z:
        return stage.says("revert", "none", f"worse on the held-out cases (z = {seen.z:.2f})")
    if step == "confirm":
        if seen.z > GO_ON_Z:
            return stage.says("promising", "holdout", f"holds up on the held-out cases so far (z = {seen.z:.2f})")
        return stage.says("inconclusive", "none", f"not confirmed on the held-out cases (z = {seen.z:.2f})")
    allowed = f"this look allows {level:.3f}"
    if seen.p > level:
        return stage.says("inconclusive", "none", f"not confirmed: {p_value(seen.p)}, {allowed}")
    if setting.deterministic and (exact := signflip_p(differences.values)) > level:
        return stage.says("inconclusive", "none", f"not confirmed: {p_value(exact, 'exact p')}, {allowed}")
    return stage.says("keep", "none", f"confirmed on the held-out cases: {p_value(seen.p)} within {level:.3f}")
