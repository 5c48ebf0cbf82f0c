"""Where a candidate moved the scores: on its theme or beside it, and at what length of the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import current_themes

LONGER = 1.5  # times the length of the outputs before: worth a warning

Runs = Mapping[str, Sequence[float]]


def theme_cases(state: RunState, experiment: ExperimentState) -> tuple[str, ...]:
    """The cases the experiment's idea is about, as they were grouped for its text; empty without a theme."""
    groupings, base = state.judging.groupings, experiment.started.base_digest
    last = max((place for place, one in enumerate(groupings) if one.text_digest == base), default=-1)
    themes = current_themes(groupings[: last + 1], state.judging.edits)
    return next((theme.cases for theme in themes if theme.id == experiment.hypothesis.theme), ())


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


def length_ratio(state: RunState, experiment: ExperimentState) -> float | None:
    """Mean characters of the candidate's outputs over the reference's, on the cases both were run on."""
    outputs, base, digest = state.runs.outputs, experiment.started.base_digest, experiment.text_digest
    shared = [case for text, case in outputs if text == digest and outputs.get((base, case))]
    before = sum(fmean(map(len, outputs[base, case])) for case in shared)
    after = sum(fmean(map(len, outputs[digest or "", case])) for case in shared)
    return after / before if before else None
