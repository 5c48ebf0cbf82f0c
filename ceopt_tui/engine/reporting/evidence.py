"""The report's pages on proof: original against final text on both sides of the split, and what the set can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ceopt_tui.core.charts import CaseChart, Dot, Estimate, case_chart, score_chart
from ceopt_tui.core.describe import detects, unseen_need
from ceopt_tui.core.evidence.gain import final_gain
from ceopt_tui.core.figures import change, counted, score
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.reporting.document import Bullets, Figure, Paragraph, Section, Table
from ceopt_tui.engine.telling import unseen_by_checks

Runs = Mapping[str, Sequence[float]]

TUNED = "Figures on the selection cases are too high by construction: the text was chosen on them."
PAIRED = (
    "A score on the selection cases is that of the best text so far plus the paired difference, since few candidates "
    "are run on every case; intervals are 90% of that difference."
)


def gain_section(state: RunState, terms: Terms) -> list[Section]:
    """Original → final text, on held-out and on selection cases, case by case."""
    if not state.keeps:
        return []
    rows = [row for row in (_held_out(state, terms), _selection(state, terms)) if row]
    if not rows:
        return []
    head = ("cases", "original", "final", "difference", "90% interval")
    return [Section("Original and final text", (Table(head, tuple(rows)), Paragraph(TUNED)))]


def _held_out(state: RunState, terms: Terms) -> tuple[str, ...] | None:
    gain, span = state.gain, terms.span
    if gain is None:
        return None
    bounds = f"{change(gain.low, span)} to {change(gain.high, span)}"
    cases = f"{counted(gain.cases, 'held-out case')}"
    return cases, score(gain.before, span), score(gain.after, span), change(gain.gain, span), bounds


def _selection(state: RunState, terms: Terms) -> tuple[str, ...] | None:
    before, after = state.baseline_selection, state.experiments[state.best_number].selection
    shared = sorted(case for case in before.keys() & after.keys() if before[case] and after[case])
    if len(shared) < 2:
        return None
    gain = final_gain(_only(before, shared), _only(after, shared), terms.noise(state), terms.setting(state))
    old, new = (_mean(side, shared) for side in (before, after))
    bounds = f"{change(gain.low, terms.span)} to {change(gain.high, terms.span)}"
    cases = f"{counted(len(shared), 'selection case')}"
    return cases, score(old, terms.span), score(new, terms.span), change(gain.mean, terms.span), bounds


def _only(runs: Runs, cases: Sequence[str]) -> Runs:
    return {case: runs[case] for case in cases}


def _mean(runs: Runs, cases: Sequence[str]) -> float:
    return sum(sum(runs[case]) / len(runs[case]) for case in cases) / len(cases)


def case_section(state: RunState, terms: Terms) -> list[Section]:
    """The final text against the original, case by case."""
    chart = case_chart(state, terms)
    if chart is None or not chart.bars:
        return []
    note = f"{counted(chart.same, 'case')} without a difference."
    note += f" {counted(chart.left_out, 'case')} that moved less are not shown." if chart.left_out else ""
    return [Section("Case by case", (Figure(chart, _case_values(chart, terms.span), note=note),))]


def _case_values(chart: CaseChart, span: float) -> Table:
    rows = tuple(
        (bar.case, "held out" if bar.held_out else "selection", score(bar.before, span), score(bar.after, span),
         change(bar.gain, span))
        for bar in chart.bars
    )  # fmt: skip
    return Table(("case", "side", "original", "final", "difference"), rows)


def score_section(state: RunState, terms: Terms) -> list[Section]:
    """The score over the experiments."""
    chart = score_chart(state, terms)
    if chart is None or not chart.dots:
        return []
    head = ("experiment", "outcome", "selection cases", "held-out cases")
    note = PAIRED
    if len(chart.dots) < chart.measured:
        note = f"Of {chart.measured:,} candidates these are the best of every stretch, and all that were kept. {PAIRED}"
    figure = Figure(chart, Table(head, tuple(_dot(dot, chart.span) for dot in chart.dots)), note=note)
    return [Section("Score over the experiments", (figure,))]


def _dot(dot: Dot, span: float) -> tuple[str, ...]:
    return dot.name, dot.outcome, _shown(dot.selection, span), _shown(dot.held_out, span) if dot.held_out else "no look"


def _shown(estimate: Estimate, span: float) -> str:
    return f"{score(estimate.mean, span)} ({score(estimate.low, span)} to {score(estimate.high, span)})"


def evidence_section(state: RunState, terms: Terms) -> list[Section]:
    """What the set can show, how it was measured, and what a person saw that the checks do not."""
    if state.baseline is None:
        return []
    reserved = f", {len(state.report_only)} of them kept for this report" if state.report_only else ""
    lines = [
        f"{counted(len(state.selection), 'selection case')}, "
        f"{counted(len(state.holdout), 'held-out case')}{reserved}; split once, seeded, near-duplicates on one side",
        f"the original text scores {score(state.baseline.mean, terms.span)} on the selection cases",
        _runner_line(state),
        unseen_need(state) if terms.pruning else detects(state.baseline, terms.span),
        f"caution: {terms.caution}; the rule is a design ceiling, not a theorem",
        *_unchecked(state),
    ]
    return [Section("Evidence quality", (Bullets(tuple(lines)),))]


def _runner_line(state: RunState) -> str:
    if state.deterministic:
        return "the runner repeats itself: identical text gave identical outputs, so every case was run once"
    if state.nondeterminism:
        return f"the runner was taken to repeat itself until {state.nondeterminism}"
    return "noise was measured from repeats and pooled over the whole run"


def _unchecked(state: RunState) -> list[str]:
    """What the checks let through and whoever read it did not: each is an observation that the set lacks."""
    return [
        f"not seen by the checks, {experiment.name}: {experiment.closed.reason}"
        for experiment in state.experiments.values()
        if experiment.closed and unseen_by_checks(experiment)
    ]
