"""What the charts of a run show, as plain series: the report draws them, and so may the app. Pure; draws nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ceopt_tui.core.outcomes import experiment_word
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import FINAL_KEEPS, ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.statistics import normal_quantile
from schemas.coverage import Coverage
from schemas.records import Decided

MOST_DOTS = 300  # experiments drawn one by one
MOST_CASES = 40  # cases drawn one by one
_HALF = normal_quantile(0.95)  # of a two-sided 90 % interval, in standard errors
_SELECTION, _HELD_OUT = frozenset({"exploratory", "add_sample"}), frozenset({"confirm", "holdout"})


@dataclass(frozen=True)
class Estimate:
    """A mean score with its 90 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Dot:
    """One measured experiment: where its text stood, on the selection cases and, once looked at, on held-out ones."""

    number: int
    name: str
    outcome: str  # in words
    kept: bool
    selection: Estimate
    held_out: Estimate | None


@dataclass(frozen=True)
class ScoreChart:
    """Scores over the experiments; `best` are the steps (experiment, score) of the current best, the original at 0.

    A selection score is that of the best text then plus the paired difference, as few candidates run on every case.
    """

    lowest: float
    span: float
    experiments: int
    measured: int
    best: tuple[tuple[int, float], ...]
    dots: tuple[Dot, ...]  # all that were measured, or of more than can be drawn the best of every stretch


@dataclass(frozen=True)
class CaseBar:
    """One case before and after, as mean scores; `gain` is positive where it is better now."""

    case: str
    held_out: bool
    before: float
    after: float
    gain: float


@dataclass(frozen=True)
class CaseChart:
    """The final text against the original, case by case, most improved first; `same` and `left_out` are counts."""

    lowest: float
    span: float
    bars: tuple[CaseBar, ...]
    same: int
    left_out: int


@dataclass(frozen=True)
class Share:
    """One bar of a count; `value` is None where it is not known."""

    name: str
    value: float | None


@dataclass(frozen=True)
class ShareChart:
    """Bars that are parts of one whole."""

    unit: str
    shares: tuple[Share, ...]


@dataclass(frozen=True)
class CoverageChart:
    """Rules by cases: each row has one effect a case, None without a score."""

    cases: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[str | None, ...]], ...]  # where the rule stands, its status, its effects


Chart = ScoreChart | CaseChart | ShareChart | CoverageChart


def score_chart(state: RunState, terms: Terms) -> ScoreChart | None:
    """None before a baseline."""
    if state.baseline is None:
        return None
    level, best, dots = state.baseline.mean, [(0, state.baseline.mean)], []
    kept = {keep.number for keep in state.keeps}
    for experiment in state.experiments.values():
        verdict = _last(experiment, _SELECTION)
        if verdict is None:
            continue
        selection = _estimate(verdict, level, terms)
        dots.append(_dot(experiment, selection, experiment.number in kept, terms))
        if experiment.number in kept:
            level = selection.mean
            best.append((experiment.number, level))
    shown = _thinned(dots, terms.maximize)
    return ScoreChart(terms.lowest, terms.span, len(state.experiments), len(dots), tuple(best), shown)


def _last(experiment: ExperimentState, steps: frozenset[str]) -> Decided | None:
    """The last verdict on one side that rests on a comparison."""
    found = [one for one in experiment.decisions if one.step in steps and one.numbers.get("n")]
    return found[-1] if found else None


def _estimate(verdict: Decided, level: float, terms: Terms) -> Estimate:
    """The score of a candidate from that of the text it was paired with; no score leaves the scale."""
    mean = level + (1 if terms.maximize else -1) * (verdict.numbers.get("mean_difference") or 0.0)
    half = _HALF * (verdict.numbers.get("se") or 0.0)
    ends = (min(max(value, terms.lowest), terms.lowest + terms.span) for value in (mean, mean - half, mean + half))
    return Estimate(*ends)


def _dot(experiment: ExperimentState, selection: Estimate, kept: bool, terms: Terms) -> Dot:
    verdict, held_out = _last(experiment, _HELD_OUT), None
    before = next((one.reference for one in experiment.comparisons if one.comparison == "holdout"), None)
    if verdict is not None and before:
        held_out = _estimate(verdict, _mean(before), terms)
    word = experiment_word(experiment.outcome)
    return Dot(experiment.number, experiment.name, word, kept, selection, held_out)


def _thinned(dots: Sequence[Dot], maximize: bool) -> tuple[Dot, ...]:
    """All of them, or of every stretch the one that came closest to be kept, beside all that were."""
    if len(dots) <= MOST_DOTS:
        return tuple(dots)
    sign, length = (1 if maximize else -1), -(-len(dots) // MOST_DOTS)
    stretches = [dots[at : at + length] for at in range(0, len(dots), length)]
    best = {max(stretch, key=lambda dot: sign * dot.selection.mean).number for stretch in stretches}
    return tuple(dot for dot in dots if dot.number in best or dot.kept)


def case_chart(state: RunState, terms: Terms) -> CaseChart | None:
    """None where nothing was kept."""
    if not state.keeps or state.split is None:
        return None
    after = state.experiments[state.best_number].selection
    sides = ((False, state.baseline_selection, after), (True, state.report_before, state.report_after))
    bars = [bar for held_out, old, new in sides for bar in _bars(old, new, held_out, terms)]
    moved = sorted((bar for bar in bars if bar.gain), key=lambda bar: (-bar.gain, bar.held_out, bar.case))
    shown = moved
    if len(moved) > MOST_CASES:  # both ends say the most
        shown = [*moved[: MOST_CASES // 2], *moved[-MOST_CASES // 2 :]]
    return CaseChart(terms.lowest, terms.span, tuple(shown), len(bars) - len(moved), len(moved) - len(shown))


def _bars(
    before: Mapping[str, Sequence[float]], after: Mapping[str, Sequence[float]], held_out: bool, terms: Terms
) -> list[CaseBar]:
    sign, bars = (1 if terms.maximize else -1), []
    for case in sorted(before.keys() & after.keys()):
        old, new = fmean(before[case]), fmean(after[case])
        gain = sign * (new - old)
        bars.append(CaseBar(case, held_out, old, new, gain if abs(gain) > 1e-12 else 0.0))
    return bars


def outcome_chart(state: RunState) -> ShareChart | None:
    """How the experiments ended, most frequent first; None where there was none."""
    if not state.experiments:
        return None
    counts: dict[str, int] = {}
    for experiment in state.experiments.values():
        counts[experiment.outcome] = counts.get(experiment.outcome, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (item[0] not in FINAL_KEEPS, -item[1], item[0]))
    return ShareChart("experiment", tuple(Share(experiment_word(name), count) for name, count in ordered))


def call_chart(state: RunState) -> ShareChart | None:
    """Requests by role, those without an end on record beside them."""
    shares = [Share(role, spend.calls) for role, spend in sorted(state.spend.roles.items())]
    if state.spend.lost.calls:
        shares.append(Share("no reply on record", state.spend.lost.calls))
    return ShareChart("call", tuple(shares)) if shares else None


def money_chart(state: RunState) -> ShareChart | None:
    """US dollars by role; a role with a call of unknown price has no figure."""
    roles = sorted(state.spend.roles.items())
    shares = tuple(Share(role, None if spend.unpriced else spend.usd) for role, spend in roles)
    return ShareChart("USD", shares) if shares else None


def coverage_chart(coverage: Coverage, places: Sequence[str]) -> CoverageChart:
    """The map; `places` says where each rule stands."""
    rows = tuple(
        (place, rule.status, tuple(seen.effect if (seen := rule.cases.get(case)) else None for case in coverage.cases))
        for place, rule in zip(places, coverage.rules, strict=True)
        if rule.cases or rule.lost
    )
    return CoverageChart(coverage.cases, rows)


def _mean(runs: Mapping[str, Sequence[float]]) -> float:
    """Mean over cases of their mean runs; 0 without any."""
    values = [fmean(scores) for scores in runs.values() if scores]
    return fmean(values) if values else 0.0
