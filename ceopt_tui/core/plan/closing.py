"""How an experiment ends: refused before any call, or closed with its reason and its cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from ceopt_tui.core.evidence.broken import broken_cases
from ceopt_tui.core.plan.actions import Note
from ceopt_tui.core.plan.shift import differences, length_ratio, theme_cases
from ceopt_tui.core.plan.shortening import before_removals
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import on_theme_and_rest
from schemas.records import ExperimentClosed

Runs = Mapping[str, Sequence[float]]

OUTCOMES = {"revert": "reverted", "keep": "kept"}


def close_refused(experiment: ExperimentState) -> Note:
    """Nothing was applied: every try was refused before a single task call."""
    refusals = [refusal for record in experiment.refused for refusal in record.refusals]
    codes = {str(refusal["code"]) for refusal in refusals}
    nothing_applied = all(code in {"proposal", "no_edits_applied"} or code.startswith("edit_") for code in codes)
    outcome = "no_edits_applied" if nothing_applied else "refused"
    # That a text came a second time says less than what was wrong with it.
    telling = [refusal for refusal in refusals if refusal["code"] != "unchanged"] or refusals
    return Note((ExperimentClosed(number=experiment.number, outcome=outcome, reason=str(telling[-1]["message"])),))


def close(state: RunState, terms: Terms, experiment: ExperimentState, decision: str, reason: str) -> Note:
    """Closes a measured experiment under its final word."""
    fixed, regressions = changes(state, terms, experiment)
    broke = broken(state, terms, experiment)
    on_theme, on_rest = on_theme_and_rest(theme_cases(state, experiment), differences(state, terms, experiment))
    return Note(
        (
            ExperimentClosed(
                number=experiment.number,
                outcome=OUTCOMES.get(decision, decision),
                reason=reason,
                fixed=fixed,
                regressions=regressions,
                broken=broke,
                tallies=tallies(state, terms, experiment, (*fixed, *regressions, *broke)),
                moved=moved(state, experiment),
                on_theme=on_theme,
                on_rest=on_rest,
                length_ratio=length_ratio(state, experiment),
            ),
        )
    )


def _sides(state: RunState, experiment: ExperimentState) -> list[tuple[Runs, Runs]]:
    """(reference, candidate) runs on selection and held-out cases, as the last comparisons hold them."""
    if experiment.comparisons:
        latest = {compared.comparison: compared for compared in experiment.comparisons}
        return [(compared.reference, compared.candidate) for compared in latest.values()]
    return [(state.reference.selection, experiment.selection), (state.reference.held_out, experiment.held_out)]


def changes(state: RunState, terms: Terms, experiment: ExperimentState) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(cases fixed, cases that regressed); a case passes when most of its runs do."""
    fixed, regressions = [], []
    for reference, candidate in _sides(state, experiment):
        for case, values in candidate.items():
            if not values or not reference.get(case):
                continue
            before, after = _passes(reference[case], terms), _passes(values, terms)
            if after and not before:
                fixed.append(case)
            if before and not after:
                regressions.append(case)
    return tuple(sorted(fixed)), tuple(sorted(regressions))


def tallies(
    state: RunState, terms: Terms, experiment: ExperimentState, cases: Iterable[str]
) -> dict[str, tuple[int, int, int, int]]:
    """The runs behind each named case: how many passed of how many now, then of how many before."""
    sides = _sides(state, experiment)
    return {
        case: (_passed(after[case], terms), len(after[case]), _passed(before[case], terms), len(before[case]))
        for case in sorted(set(cases))
        for before, after in sides
        if after.get(case) and before.get(case)
    }


def _passed(values: Sequence[float], terms: Terms) -> int:
    return sum(map(terms.passes, values))


def _passes(values: Sequence[float], terms: Terms) -> bool:
    return _passed(values, terms) * 2 > len(values)


def broken(state: RunState, terms: Terms, experiment: ExperimentState) -> tuple[str, ...]:
    """Cases that passed in every run before and fail in every run now; a guard breaks when most of its runs fail."""
    setting = terms.setting(state)
    names: set[str] = set()
    sides = _sides(state, experiment)
    if experiment.shortens and (anchor := before_removals(state)):  # what several removals break in small steps
        sides += [(anchor.selection, experiment.selection), (anchor.held_out, experiment.held_out)]
    for reference, candidate in sides:
        names.update(broken_cases(reference, candidate, terms.pass_at, setting, terms.guards))
    return tuple(sorted(names))


def moved(state: RunState, experiment: ExperimentState) -> bool | None:
    """Did any case score differently? None when no case was measured on both sides."""
    pairs = [
        (reference[case], values)
        for reference, candidate in _sides(state, experiment)
        for case, values in candidate.items()
        if values and reference.get(case)
    ]
    if not pairs:
        return None
    return any(abs(fmean(before) - fmean(after)) > 1e-12 for before, after in pairs)
