"""The report's pages on kept changes: why each was kept, its numbers, the cases it fixed and broke, its text."""

from __future__ import annotations

from collections.abc import Iterator

from ceopt_tui.core.describe import KEPT_BECAUSE, SHORTER_BECAUSE, failing_cases, fixed_cases
from ceopt_tui.core.figures import change, p_value
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.proposal_words import read_words
from ceopt_tui.core.saving import saving, saving_words
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.statistics import normal_quantile
from ceopt_tui.engine.reporting.document import Bullets, Paragraph, Part, Section, TextChange
from ceopt_tui.engine.reporting.judged import kept_lines
from schemas.records import Decided

_HALF = normal_quantile(0.95)  # of a two-sided 90 % interval, in standard errors


def keeps_section(state: RunState, terms: Terms) -> list[Section]:
    """Empty where nothing was kept."""
    if not state.keeps:
        return []
    shortens = [state.experiments[keep.number].shortens for keep in state.keeps]
    why = ([] if all(shortens) else [KEPT_BECAUSE]) + ([SHORTER_BECAUSE] if any(shortens) else [])
    parts = []
    for keep in state.keeps:
        experiment = state.experiments[keep.number]
        base = experiment.started.base_digest
        shorter = [saving_words(saving(state, base, keep.text_digest))] if experiment.shortens else []
        read = [words] if (words := read_words(state, experiment)) else []
        lines = (*measured_lines(experiment, terms), *shorter, *kept_lines(state, terms, experiment), *read)
        change = TextChange(state.texts[base], state.texts[keep.text_digest])
        title = f"{experiment.name}: {experiment.hypothesis.description} ({keep.commit[:10]})"
        parts.append(Part(title, (Bullets(lines), change)))
    return [Section("Kept changes", (*map(Paragraph, why), *parts))]


def measured_lines(experiment: ExperimentState, terms: Terms) -> Iterator[str]:
    """A change's numbers step by step, and the cases it fixed and broke."""
    for decided in experiment.decisions:
        tentative = " (tentative: 5 to 10 cases)" if decided.numbers.get("tentative") else ""
        yield f"{decided.step.replace('_', ' ')}: {decided.decision}{tentative}{_figures(decided, terms.span)}"
    if experiment.look is not None:
        yield f"look {experiment.look.look} at the held-out cases, at level {experiment.look.level:.3f}"
    if (closed := experiment.closed) is not None:
        yield f"fixed: {fixed_cases(closed.fixed, closed.tallies)}"
        yield f"regressed: {failing_cases(closed.regressions, closed.tallies)}"
        yield f"broken (always passed, now always fails): {failing_cases(closed.broken, closed.tallies)}"


def _figures(decided: Decided, span: float) -> str:
    """z, difference, its 90 % interval and p, as far as they were measured."""
    numbers = decided.numbers
    z, gain, se, p = (numbers.get(name) for name in ("z", "mean_difference", "se", "p"))
    if z is None or gain is None:
        return ""
    said = [f"z {z:.2f}", f"difference {change(gain, span)}"]
    if se is not None:
        ends = (min(max(gain + side * _HALF * se, -span), span) for side in (-1, 1))
        said.append("90% interval " + " to ".join(change(end, span) for end in ends))
    if p is not None and decided.step == "holdout":
        said.append(p_value(p))
    return "; " + ", ".join(said)
