"""What a review says of a change that a command measured: its diff, the samples of both sides, the cases it prints.

Numbers and names of held-out cases stay here while the run is open. Knows no widget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from ceopt_tui.core.command_words import figure
from ceopt_tui.core.figures import counted
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import fitted, one_line, said, visible
from ceopt_tui.engine.command.pull_request import kept_diffs
from ceopt_tui.ui.review_cases import CaseChange, Moved, Side, in_order
from schemas.command_records import Arm, Workload
from schemas.records import Compared

NAME_CELLS = 22
SHOWN = 6  # samples of a side in one line
SIDES: Mapping[Workload, Side] = {"selection": "selection", "holdout": "held out"}


def code_diff(state: RunState, number: int) -> str:
    """The change of one experiment against the commit it was made on; empty when there is none."""
    change = state.commands.changes.get(number)
    return visible(change.diff) if change else ""


def kept_code(state: RunState) -> str:
    """Every kept change in order, each under the name of its experiment."""
    named = zip(state.keeps, kept_diffs(state), strict=True)
    return "\n".join(f"# {state.experiments[keep.number].name}\n\n{visible(diff)}" for keep, diff in named)


def code_cases(state: RunState, experiment: ExperimentState) -> tuple[CaseChange, ...]:
    """Cases that the command printed for both sides; those of the held-out run once the run has finished."""
    found = []
    for workload, side in SIDES.items():
        if workload == "holdout" and state.finished is None:
            continue
        before, after = (_printed(state, experiment, workload, arm) for arm in ("reference", "candidate"))
        found += [
            CaseChange(case, side, _moved(before[case], after[case]), *map(_numbers, (before[case], after[case])))
            for case in after
            if case in before
        ]
    return in_order(found)


def _printed(state: RunState, experiment: ExperimentState, workload: Workload, arm: Arm) -> Mapping[str, Any]:
    """The cases of the last sample of one side of the pairing that decided; a reference may have been taken alone."""
    base = experiment.started.base_sha
    change = state.commands.changes.get(experiment.number)
    commit = base if arm == "reference" else change.commit if change else ""
    pairings = [place for place in state.commands.samples if place.commit == commit and place.workload == workload]
    of_it = [place for place in pairings if place.experiment == experiment.number and place.arm == arm]
    alone = [place for place in pairings if place.experiment is None and arm == "reference"]
    for place in (*reversed(of_it), *reversed(alone)):
        if cases := _last_cases(state, place):
            return cases
    return {}


def _last_cases(state: RunState, place: Place) -> Mapping[str, Any]:
    printed = [sample.cases for sample in state.commands.taken(place) if sample.cases]
    return printed[-1] if printed else {}


def _moved(before: Any, after: Any) -> Moved:
    """By what a case says of itself; of a bare number nobody knows which way is better."""
    old, new = _passed(before), _passed(after)
    if old is None or new is None:
        return "same" if _numbers(before) == _numbers(after) else "changed"
    return "same" if old == new else "fixed" if new else "regressed"


def _passed(value: Any) -> bool | None:
    """Whether a case passed; None where it does not say so."""
    told = value.get("passed") if isinstance(value, Mapping) else value
    return told if isinstance(told, bool) else None


def _numbers(value: Any) -> tuple[float, ...]:
    told = value.get("score", value.get("passed")) if isinstance(value, Mapping) else value
    return (float(told),) if isinstance(told, int | float) else ()


def code_evidence(state: RunState, experiment: ExperimentState) -> list[str]:
    """Every comparison with the samples of both sides by metric, then the steps of the decision."""
    if not experiment.comparisons:
        return ["Nothing of it was compared."]
    lines = [line for one in experiment.comparisons for line in _comparison(one)]
    steps = [
        f"- {decided.step.replace('_', ' ')}: {decided.decision}; {said(one_line(decided.reason))}"
        for decided in experiment.decisions
    ]
    forecast = experiment.started.forecast.get("expected_benefit")
    told = [f"Forecast    {said(one_line(forecast))} (written down when it began)", ""] if forecast else []
    read = [f"Read        {said(one_line(experiment.against.reason))}", ""] if experiment.against else []
    return [*lines, *told, *read, *(["Steps", *steps] if steps else [])]


def _comparison(one: Compared) -> Iterator[str]:
    where = one.machine or "a machine without a name"
    yield f"# {one.comparison.replace('_', ' ').capitalize()}, {_WORKLOADS[one.workload]}"
    yield f"Measured    by {one.measured_by} on {said(where)}"
    for name, after in sorted(one.candidate.items()):
        before = one.reference.get(name, ())
        yield f"{fitted(name, NAME_CELLS)} {_samples(before)} → {_samples(after)}{_change(before, after)}"
    yield ""


_WORKLOADS: Mapping[str, str] = {
    "selection": "the measurement it was chosen by",
    "holdout": "the held-out measurement",
    "smoke": "the smoke run",
}


def _samples(values: Sequence[float]) -> str:
    """The mean with the samples it is of."""
    if not values:
        return "not measured"
    if len(values) == 1:
        return figure(values[0])
    shown = ", ".join(map(figure, values[:SHOWN])) + (", …" if len(values) > SHOWN else "")
    return f"{figure(fmean(values))} ({shown})"


def _change(before: Sequence[float], after: Sequence[float]) -> str:
    if not before or not after or not fmean(before):
        return ""
    return f"  {fmean(after) / fmean(before) - 1:+.1%}"


def under_way(state: RunState) -> str:
    """What is done with the experiments of the open batch."""
    open_ones = [one for one in state.experiments.values() if one.closed is None]
    if not open_ones:
        return "looking for ideas" if state.baseline else "getting ready"
    made = sum(one.number in state.commands.changes for one in open_ones)
    names = ", ".join(one.name for one in open_ones)
    if made == len(open_ones):
        return f"{names}: measuring"
    return f"{names}: {counted(len(open_ones) - made, 'change')} being made"
