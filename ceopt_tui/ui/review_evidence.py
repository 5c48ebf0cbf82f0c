"""The evidence behind a verdict as plain lines: paired differences as bars, interval, level, looks. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ceopt_tui.core.describe import HIDDEN, hides_scores, span_of
from ceopt_tui.core.figures import change, counted, p_value, rounded
from ceopt_tui.core.outcomes import experiment_word
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.statistics import normal_quantile
from ceopt_tui.core.visible import fitted, one_line, said
from ceopt_tui.ui.review_cases import Runs, Side, sides
from schemas.records import Decided

BAR_CELLS = 14  # of each half
NAME_CELLS = 26
INTERVAL = 0.90
_Z = normal_quantile((1 + INTERVAL) / 2)
_STEPS: dict[Side, frozenset[str]] = {
    "selection": frozenset({"exploratory", "add_sample"}),
    "held out": frozenset({"confirm", "holdout"}),
}
_TITLES: dict[Side, str] = {"selection": "Selection cases", "held out": "Held-out cases"}


Numbers = Mapping[str, float | int | None]


def why(state: RunState, experiment: ExperimentState) -> str:
    """In one sentence: what became of the candidate, and why."""
    word = experiment_word(experiment.outcome).capitalize()
    if hides_scores(state) and (experiment.closed or experiment.last):
        return f"{word}: why is {HIDDEN}."
    reason = experiment.closed.reason if experiment.closed else experiment.last.reason if experiment.last else ""
    return f"{word}: {said(one_line(reason))}." if reason else f"{word}."


def evidence_lines(state: RunState, terms: Terms | None, experiment: ExperimentState) -> list[str]:
    """What was compared, on each side, and what it was held against."""
    if hides_scores(state):
        return [f"The judge's scores are {HIDDEN}."]
    if not experiment.decisions:
        return ["Nothing of it was compared."]
    sign = 1 if terms is None or terms.maximize else -1
    lines: list[str] = []
    for side, (reference, candidate) in sides(state, experiment).items():
        verdict = next((one for one in reversed(experiment.decisions) if one.step in _STEPS[side]), None)
        if verdict is not None:
            lines += [
                *_stage(side, verdict, span_of(state)),
                *_bars(_differences(reference, candidate, sign), span_of(state)),
                "",
            ]
    return [*lines, *_looks(state, experiment), "Steps", *_steps(experiment)]


def _stage(side: Side, verdict: Decided, span: float) -> Iterator[str]:
    numbers = verdict.numbers
    mean, se, z = (float(numbers.get(name) or 0.0) for name in ("mean_difference", "se", "z"))
    low, high = max(mean - _Z * se, -span), min(mean + _Z * se, span)
    yield f"# {_TITLES[side]}"
    yield (
        f"Difference  {change(mean, span)} on average over {counted(numbers.get('n') or 0, 'case')}, "
        f"{INTERVAL:.0%} interval {change(low, span)} to {change(high, span)}"
    )
    lost = f"; {counted(numbers['lost'] or 0, 'case')} without a score left out" if numbers.get("lost") else ""
    few = "; tentative: few cases" if numbers.get("tentative") else ""
    yield f"Noise       z = {rounded(z, 2)}, {_p_values(numbers)}{lost}{few}"


def _p_values(numbers: Numbers) -> str:
    exact = numbers.get("signflip_p")
    beside = f", {p_value(float(exact), 'exact p')}" if exact is not None else ""
    return f"{p_value(float(numbers.get('p') or 0.0))}{beside}"


def _differences(reference: Runs, candidate: Runs, sign: int) -> list[tuple[str, float]]:
    """Mean difference by case, positive is better; the best first."""
    found = [
        (case, sign * (fmean(after) - fmean(reference[case])))
        for case, after in candidate.items()
        if after and reference.get(case)
    ]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _bars(found: Sequence[tuple[str, float]], span: float) -> Iterator[str]:
    """Every case that moved as a bar to its side of the middle; the others are counted."""
    still = sum(abs(value) < 1e-12 for _, value in found)
    for case, value in found:
        if abs(value) >= 1e-12:
            bar = "█" * max(1, round(BAR_CELLS * abs(value) / span))
            worse, better = (bar, "") if value < 0 else ("", bar)
            yield f"{fitted(case, NAME_CELLS)} {worse:>{BAR_CELLS}}│{better:<{BAR_CELLS}} {change(value, span)}"
    if still:
        yield f"{fitted(counted(still, 'case') + ' without a difference', NAME_CELLS + BAR_CELLS + 1)}│"


def _looks(state: RunState, experiment: ExperimentState) -> Iterator[str]:
    look, so_far = experiment.look, counted(len(state.looks), "look")
    if look is None:
        yield f"Look        the held-out cases were not looked at; {so_far} in this run so far"
    elif experiment.shortens:
        yield f"Look        look {look.look}, {so_far} in this run so far; to show no loss, at level {look.level:.3f}"
    else:
        last = next((one.numbers for one in reversed(experiment.decisions) if one.step == "holdout"), None)
        against = f"; here {_p_values(last)}" if last else ""
        keeps = counted(look.keeps, "keep")
        yield f"Look        look {look.look} after {keeps}, {so_far} in this run so far"
        yield f"Level       a keep needs p of at most {look.level:.3f}{against}"
    yield ""


def _steps(experiment: ExperimentState) -> Iterator[str]:
    for decided in experiment.decisions:
        yield f"- {decided.step.replace('_', ' ')}: {decided.decision}; {said(one_line(decided.reason))}"
