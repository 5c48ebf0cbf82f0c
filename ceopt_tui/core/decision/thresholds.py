"""Keep, revert or measure on, by the fixed thresholds of a spec. The ladder spends only what the decision needs."""

from __future__ import annotations

from dataclasses import replace

from ceopt_tui.core.decision.compare import Comparison
from ceopt_tui.core.decision.pair import Compared, compare_pair, rank_score
from ceopt_tui.core.decision.rules import Futility, Objective, Rules
from ceopt_tui.core.decision.snapshot import Measured, Snapshot
from ceopt_tui.core.decision.verdict import NextMeasurement, Verdict


def decide_by_thresholds(rules: Rules, baseline: Snapshot, candidate: Snapshot) -> Verdict:
    """Verdict on the selection samples; the gates have held already."""
    compared = compare_pair(baseline, candidate, rules)
    if compared.missing:
        reason = f"no complete measurement of {', '.join(compared.missing)} on both sides"
        return Verdict("error", reason, comparisons=compared.comparisons)
    verdict = Verdict(
        "inconclusive",
        "no required objective changed by more than its threshold",
        improved=compared.improved,
        violated=compared.violated,
        comparisons=compared.comparisons,
        primary_delta=compared.comparisons[rules.primary.name].delta,
    )
    if rules.mode == "ladder" and (futile := _futile(rules, baseline, candidate, compared)):
        return replace(verdict, decision="censored", reason=futile)
    verdict = replace(
        _judge(verdict),
        target_reached=compared.target_reached,
        rank_score=rank_score(compared.comparisons, rules.primary.name),
    )
    return _next_rung(verdict, rules, candidate, compared) if rules.mode == "ladder" else verdict


def _judge(verdict: Verdict) -> Verdict:
    """One improvement is enough as long as nothing required is violated."""
    if verdict.violated:
        return replace(verdict, decision="revert", reason=f"{', '.join(verdict.violated)} got worse than allowed")
    if verdict.improved:
        better = f"{', '.join(verdict.improved)} improved and nothing required got worse than allowed"
        return replace(verdict, decision="keep", eligible=True, reason=better)
    return verdict


def _next_rung(verdict: Verdict, rules: Rules, candidate: Snapshot, compared: Compared) -> Verdict:
    """What the ladder measures next, where that can change the decision."""
    ladder, samples = rules.ladder, compared.samples
    if ladder.smoke and candidate.smoke_passed is None:
        return replace(verdict, next_measurement="smoke", reason=f"{verdict.reason}; the smoke run is missing")
    if verdict.decision == "revert":
        return verdict
    if verdict.decision == "keep":
        if samples < ladder.exploratory:
            return _promising(verdict, "exploratory", samples, ladder.exploratory)
        if samples < ladder.confirmation:
            return _promising(verdict, "confirm", samples, ladder.confirmation)
        return verdict
    if samples < ladder.exploratory:
        return replace(verdict, next_measurement="exploratory")
    # An open question is worth one sample more than the exploratory ones, and never more than a keep would cost.
    if samples < min(ladder.exploratory + 1, ladder.confirmation):
        return replace(verdict, next_measurement="add_sample")
    return verdict


def _promising(verdict: Verdict, following: NextMeasurement, samples: float, needed: float) -> Verdict:
    reason = f"{verdict.reason}; {samples:g} of {needed:g} samples"
    return replace(verdict, decision="promising", next_measurement=following, reason=reason)


def _futile(rules: Rules, baseline: Snapshot, candidate: Snapshot, compared: Compared) -> str:
    """Why the candidate is stopped at once, or an empty text."""
    futility, primary = rules.ladder.futility, compared.comparisons[rules.primary.name]
    if futility is None or primary.verdict != "regressed":
        return ""
    old, new = baseline.measured(rules.primary), candidate.measured(rules.primary)
    assert old is not None and new is not None  # compared above
    # The factor is for the first samples: once more were paid for, they are read in full.
    early = compared.samples <= rules.ladder.exploratory
    if early and _worse_by_factor(rules, futility, primary, old, new):
        return f"{rules.primary.name} is worse by more than the factor {futility.worse_factor:g}"
    # Time alone stops a candidate only when no objective is left that could still win.
    hopeless = all(one.verdict == "regressed" for one in compared.comparisons.values())
    elapsed, limit = candidate.elapsed_s, futility.after_elapsed_s
    if hopeless and limit is not None and elapsed is not None and elapsed > limit:
        return f"every required objective is worse after {elapsed:g} s"
    return ""


def _worse_by_factor(rules: Rules, futility: Futility, primary: Comparison, old: Measured, new: Measured) -> bool:
    reference, value = old.aggregate(rules.aggregation), new.aggregate(rules.aggregation)
    if reference <= 0:  # no ratio; the relative loss says as much
        return primary.relative < 1 - futility.worse_factor
    return _past(rules.primary, reference, value, futility.worse_factor)


def _past(objective: Objective, reference: float, value: float, factor: float) -> bool:
    return value < reference / factor if objective.maximize else value > reference * factor
