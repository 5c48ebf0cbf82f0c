"""Where a candidate moved the scores: on its theme or beside it, and at what length of the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState

Runs = Mapping[str, Sequence[float]]


def theme_cases(state: RunState, experiment: ExperimentState) -> frozenset[str]:
    """The cases the experiment's idea is about, as they were grouped for its text; empty without a theme."""
    wanted, base = experiment.hypothesis.theme, experiment.started.base_digest
    for grouping in reversed(state.judging.groupings):
        if grouping.text_digest == base:
            return frozenset(next((theme.cases for theme in grouping.themes if theme.id == wanted), ()))
    return frozenset()


def differences(state: RunState, terms: Terms, experiment: ExperimentState) -> dict[str, float]:
    """By selection case: the candidate's mean minus the reference's, positive is better."""
    compared = next((one for one in experiment.comparisons if one.comparison == "standalone"), None)
    before: Runs = compared.reference if compared else state.reference.selection
    after: Runs = compared.candidate if compared else experiment.selection
    sign = 1 if terms.maximize else -1
    return {
        case: sign * (fmean(values) - fmean(before[case]))
        for case, values in after.items()
        if values and before.get(case)
    }


def on_theme_and_rest(cases: frozenset[str], differences: Mapping[str, float]) -> tuple[float | None, float | None]:
    """Mean difference on these cases and on all others; None where there are none."""
    on = [value for case, value in differences.items() if case in cases]
    rest = [value for case, value in differences.items() if case not in cases]
    return (fmean(on) if on else None), (fmean(rest) if on and rest else None)


def length_ratio(state: RunState, experiment: ExperimentState) -> float | None:
    """Mean characters of the candidate's outputs over the reference's, on the cases both were run on."""
    outputs, base, digest = state.runs.outputs, experiment.started.base_digest, experiment.text_digest
    shared = [case for text, case in outputs if text == digest and outputs.get((base, case))]
    before = sum(fmean(map(len, outputs[base, case])) for case in shared)
    after = sum(fmean(map(len, outputs[digest or "", case])) for case in shared)
    return after / before if before else None
