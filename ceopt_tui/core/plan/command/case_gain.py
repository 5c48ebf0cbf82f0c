"""The gain that is reported where cases decide: held-out cases, first against last state, each run afresh. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from ceopt_tui.core.evidence.gain import final_gain
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.command.case_ground import pooled_noise
from ceopt_tui.core.plan.command.case_runs import Runs, report_cases, runs_of, scored_cases, usable
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.run import RunState
from schemas.records import GainReported

FEWEST_FOR_A_GAIN = 2


def too_many_lost(state: RunState, command: CommandTerms, before: Place, after: Place) -> str:
    """Why the two states cannot be compared case by case, in words; empty where they can."""
    old, new = _sides(state, command, before, after)
    shared, known = _shared(old, new), {*old, *new}
    most = command.setting(deterministic=state.deterministic).max_lost
    if len(shared) >= FEWEST_FOR_A_GAIN and len(known) - len(shared) <= most * len(known):
        return ""
    return f"{len(shared)} of {counted(len(known), 'held-out case')} have a score for both states"


def case_gain(state: RunState, command: CommandTerms, before: Place, after: Place) -> GainReported:
    """The mean gain with its 90 % interval over held-out cases."""
    old, new = _sides(state, command, before, after)
    shared = _shared(old, new)
    old, new = ({case: side[case] for case in shared} for side in (old, new))
    setting = command.setting(deterministic=state.deterministic)
    gain = final_gain(old, new, pooled_noise(state, command), setting)
    assert state.baseline is not None and state.started is not None
    return GainReported(
        original_digest=state.started.base_sha,
        final_digest=state.commands.reference,
        cases=len(shared),
        before=_mean(old),
        after=_mean(new),
        gain=gain.mean,
        low=gain.low,
        high=gain.high,
        cautious=gain.cautious,
        clearly_better=gain.clearly_better,
        fresh=not state.deterministic or len(shared) < len(_printed(state, command, before, after)),
        selection_before=state.baseline.mean,
        selection_after=_tuned(state, command),
    )


def _printed(state: RunState, command: CommandTerms, *places: Place) -> set[str]:
    samples = [sample for place in places for sample in usable(state.commands, place)]
    return scored_cases(samples, maximize=command.maximize)


def _sides(state: RunState, command: CommandTerms, before: Place, after: Place) -> tuple[Runs, Runs]:
    """Runs of both states on the cases that are reported."""
    cases = _printed(state, command, before, after)
    if state.baseline and state.baseline.deterministic:
        cases = report_cases(cases)
    old, new = (runs_of(usable(state.commands, place), cases, maximize=command.maximize) for place in (before, after))
    return old, new


def _shared(old: Runs, new: Runs) -> list[str]:
    return [case for case in old if old[case] and new[case]]


def _tuned(state: RunState, command: CommandTerms) -> float:
    """The mean of the last keep on the cases it was tuned on: too good by construction."""
    places = [place for place in state.commands.samples if place.experiment == state.best_number]
    deciding = [place for place in places if place.arm == "candidate" and place.workload == "selection"][-1]
    samples = usable(state.commands, deciding)
    return _mean(runs_of(samples, scored_cases(samples, maximize=command.maximize), maximize=command.maximize))


def _mean(runs: Runs) -> float:
    return fmean(fmean(scores) for scores in _with_scores(runs.values()))


def _with_scores(each: Iterable[list[float]]) -> list[list[float]]:
    return [scores for scores in each if scores]
