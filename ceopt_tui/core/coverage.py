"""What the removal of a rule does to each case, and whether that is more than noise. Numbers in, a verdict out.

A difference counts from a bar that holds for a whole rule: with n cases and the mean over them, each of the n + 1
looks gets 1 / (n + 1) of the level, so that about 5 % of the rules without any effect are taken for guarded ones, and
as many for harmful ones. A case that dips without reaching the bar leaves the rule unclear, never free.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ceopt_tui.core.evidence.noise import PRIOR_SD, Noise, Runs
from ceopt_tui.core.figures import counted
from ceopt_tui.core.statistics import mean, normal_quantile, sample_variance, sum_of_squares
from schemas.coverage import CaseWithoutRule, RuleStatus

LEVEL = 0.05  # of a false loss, and as much of a false win, per rule
DOUBT = 0.25  # false dips expected of a rule without any effect, at the bar of doubt
LOOK_AGAIN = 1.0  # |z| of a dip from which a case is worth more runs
MOST_AGAIN = 3  # cases of one rule that are run again at a time, the deepest dips
PRIOR_CASE_DF = 4  # weight of the noise of all cases in the noise of one
TOUCHY_SHARE = 1 / 3  # of the texts that ran with neutral copies on a case: past it the copies move the case

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class RuleEffect:
    """The verdict on one rule. `mean` and `z` are over the cases with a score on both sides; None where there is none.

    `lost` are the others.
    """

    status: RuleStatus
    why: str
    cases: Mapping[str, CaseWithoutRule]
    lost: tuple[str, ...] = ()
    mean: float | None = None
    z: float | None = None

    @property
    def worth_more_runs(self) -> tuple[str, ...]:
        """Cases that dip and would settle whether any guards the rule, the deepest dips first; none once one does."""
        if self.status in {"covered", "contradicted", "unmeasured"}:
            return ()
        dips = [case for case, seen in self.cases.items() if seen.effect != "touchy" and seen.z <= -LOOK_AGAIN]
        return tuple(sorted(dips, key=lambda case: self.cases[case].z)[:MOST_AGAIN])


def bar(cases: int) -> float:
    """The |z| from which one case, or the mean over `cases`, has moved beyond noise."""
    return normal_quantile(1 - LEVEL / (cases + 1))


def bar_of_doubt(cases: int) -> float:
    """The |z| from which a case dips so far that the rule cannot be called unguarded."""
    return normal_quantile(1 - DOUBT / (cases + 1))


def case_variances(texts: Sequence[Runs], cases: Iterable[str]) -> dict[str, float]:
    """Run-to-run variance of a score on each case.

    Pooled over every text that was repeated on the case, shrunk towards the variance over all cases: removing one rule
    leaves most cases alone, so all texts together tell how unsteady a case is.
    """
    noise = Noise()
    for runs in texts:
        noise = noise.with_runs(runs)
    variances = {}
    for case in cases:
        repeated = [runs[case] for runs in texts if len(runs.get(case, ())) > 1]
        squares = math.fsum(sum_of_squares(scores) for scores in repeated)
        df = sum(len(scores) - 1 for scores in repeated)
        variances[case] = (squares + PRIOR_CASE_DF * noise.sigma2) / (df + PRIOR_CASE_DF)
    return variances


def rule_effects(
    reference: Runs,
    without: Mapping[Key, Runs],
    *,
    cases: Sequence[str],
    span: float,
    maximize: bool = True,
    max_lost: float = 0.2,
    neutral_copies: bool = False,
) -> dict[Key, RuleEffect]:
    """The effect of every removal on `cases`.

    d = mean score without the rule − mean score of the whole text (positive: better without), on one case
    SE² = (span / 10)² + σ²·(1 / runs without + 1 / runs with), z = d / SE. The mean's SE is the root of the sum of
    these SE² over n, and no less than sd(d) / √n. With `neutral_copies` the runs of a text beyond its first are those
    of copies that say the same; a case that they move is touchy, and counts for no rule and in no mean.
    """
    touchy = touchy_cases([reference, *without.values()], cases) if neutral_copies else frozenset()
    variances = case_variances([reference, *without.values()], cases)
    sign = 1 if maximize else -1
    effects = {}
    for key, runs in without.items():
        seen = {
            case: _difference(reference[case], runs[case], variances[case], span, sign)
            for case in cases
            if reference.get(case) and runs.get(case)
        }
        effects[key] = _effect(seen, runs, tuple(case for case in cases if case not in seen), touchy, max_lost)
    return effects


def touchy_cases(texts: Sequence[Runs], cases: Iterable[str]) -> frozenset[str]:
    """Cases that neutral copies move: their runs disagree in a third of the texts that have more than one."""
    found = set()
    for case in cases:
        repeated = [runs[case] for runs in texts if len(runs.get(case, ())) > 1]
        moved = sum(len(set(scores)) > 1 for scores in repeated)
        if moved and moved >= TOUCHY_SHARE * len(repeated):
            found.add(case)
    return frozenset(found)


def _difference(
    before: Sequence[float], after: Sequence[float], variance: float, span: float, sign: int
) -> tuple[float, float]:
    """(difference, its standard error) on one case."""
    squared = (PRIOR_SD * span) ** 2 + variance * (1 / len(before) + 1 / len(after))
    return sign * (mean(after) - mean(before)), math.sqrt(squared)


def _effect(
    seen: Mapping[str, tuple[float, float]], runs: Runs, lost: tuple[str, ...], touchy: frozenset[str], max_lost: float
) -> RuleEffect:
    total, steady = len(seen) + len(lost), [case for case in seen if case not in touchy]
    if not seen or len(lost) > max_lost * total:
        return RuleEffect("unmeasured", f"{len(lost)} of {counted(total, 'case')} without a score", {}, lost)
    needed = bar(max(1, len(steady)))
    cases = {}
    for case, (difference, se) in seen.items():
        z = difference / se
        moved = "loses" if z <= -needed else "wins" if z >= needed else "same"
        effect = "touchy" if case in touchy else moved
        cases[case] = CaseWithoutRule(difference=difference, z=z, effect=effect, scores=tuple(runs[case]))
    if not steady:
        return RuleEffect("unmeasured", "a blank line moves every case", cases, lost)
    differences = [seen[case][0] for case in steady]
    spread = math.sqrt(sample_variance(differences) / len(steady))
    se = max(math.sqrt(math.fsum(seen[case][1] ** 2 for case in steady)) / len(steady), spread)
    average = mean(differences)
    status, why = _status(cases, average / se, needed)
    if status in {"uncovered", "harmful"} and (doubt := _doubt(cases, bar_of_doubt(len(steady)), len(lost))):
        status, why = "unclear", doubt
    return RuleEffect(status, why, cases, lost, average, average / se)


def _status(cases: Mapping[str, CaseWithoutRule], z: float, needed: float) -> tuple[RuleStatus, str]:
    losing = sum(seen.effect == "loses" for seen in cases.values())
    winning = sum(seen.effect == "wins" for seen in cases.values())
    loses, wins = losing or z <= -needed, winning or z >= needed
    lost = f"{counted(losing, 'case')} lost without it" if losing else "the cases together do worse without it"
    won = f"{counted(winning, 'case')} won without it" if winning else "the cases together do better without it"
    if loses and wins:
        return "contradicted", f"{lost}, {won}"
    if loses:
        return "covered", lost
    if wins:
        return "harmful", won
    return "uncovered", "no case moves without it"


def _doubt(cases: Mapping[str, CaseWithoutRule], dips_at: float, lost: int) -> str:
    """Why it cannot be said that no case is lost without the rule; empty where it can."""
    dips = sum(seen.effect == "same" and seen.z <= -dips_at for seen in cases.values())
    if dips:
        return f"{counted(dips, 'case')} may be lost without it: too unsteady to tell, more runs would (`--repeats`)"
    return f"no case is lost without it but those without a score: {counted(lost, 'case')}" if lost else ""
