"""After the loop of a run measured by a command: first and final state measured afresh, the report, the end."""

from __future__ import annotations

import math
from statistics import fmean

from ceopt_tui.core.plan.actions import Action, CommandSample, JudgeCommand, MeasureCommand, Note, Report
from ceopt_tui.core.plan.command.batch import park, unread_winner, winner
from ceopt_tui.core.plan.command.candidate import close
from ceopt_tui.core.plan.command.case_gain import case_gain, too_many_lost
from ceopt_tui.core.plan.command.setting_up import aggregate, primary_of
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.wrapping import after_the_end, for_a_person, outcome_word
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.statistics import sample_variance, student_quantile
from ceopt_tui.exits import ExitStatus
from schemas.command_records import Arm, Workload
from schemas.records import ExperimentClosed, Finished, GainReported, Stopped

_UPPER = 0.95  # of a two-sided 90 % interval
_STATUS = {"harness_failed": ExitStatus.REFUSED, "proposer_failed": ExitStatus.STOPPED}


def plan_wrap_up(state: RunState, terms: Terms, command: CommandTerms) -> Action:
    """The next step after the loop has stopped."""
    stopped = state.stopped
    assert stopped is not None
    if state.finished:
        return after_the_end(state, terms)
    open_ones = [experiment.number for experiment in state.experiments.values() if experiment.closed is None]
    if merged := [number for number in open_ones if state.experiments[number].commit]:
        return close(state, winner(state, command, merged[0]), "keep", "it is on the branch")
    if not terms.attended and (one := unread_winner(state, command, open_ones)):
        reason = f"the run ended before anybody read it: {stopped.reason}; only a person may keep it"
        return park(state, one, "ended", reason)
    if open_ones:
        reason = f"{stopped.outcome}: {stopped.reason}"
        return Note(tuple(ExperimentClosed(number=one, outcome="inconclusive", reason=reason) for one in open_ones))
    if state.keeps and state.gain is None and not stopped.no_gain:
        return _gain(state, command, stopped)
    if state.report is None:
        return Report()
    if left := for_a_person(state, terms):
        return left
    status = ExitStatus.FINISHED if state.keeps else _STATUS.get(stopped.outcome, ExitStatus.FINISHED)
    return Note((Finished(outcome=outcome_word(state), exit_status=status, reason=stopped.reason),))


def _gain(state: RunState, command: CommandTerms, stopped: Stopped) -> Action:
    """The first and the final state measured once more, in turns: never the samples that decided a keep."""
    assert state.started is not None
    workload: Workload = "holdout" if command.holdout and not command.second_sample else "selection"
    before = Place(state.started.base_sha, None, "report", workload, "reference")
    after = Place(state.commands.reference, None, "report", workload, "candidate")
    if failed := state.commands.failure(before) or state.commands.failure(after):
        return Note((stopped.model_copy(update={"no_gain": f"measuring it failed: {failed.message}"}),))
    if due := _due(state, command, before, after):
        return MeasureCommand(due, "final measurement")
    for place in (before, after) if command.judged else ():
        if sample := state.commands.awaiting_judge(place):
            return JudgeCommand(_sample(place, sample.sample))
    if command.cases and (lost := too_many_lost(state, command, before, after)):
        return Note((stopped.model_copy(update={"no_gain": lost}),))
    return Note((_reported(state, command, before, after),))


def _due(state: RunState, command: CommandTerms, before: Place, after: Place) -> tuple[CommandSample, ...]:
    have: dict[Arm, int] = {place.arm: len(state.commands.taken(place)) for place in (before, after)}
    repeats = command.setting(deterministic=state.deterministic).reference_runs if command.cases else command.repeats
    return tuple(
        _sample(place, at)
        for at in range(min(have.values()), repeats)
        for place in ((before, after) if at % 2 == 0 else (after, before))
        if at >= have[place.arm]
    )


def _sample(place: Place, number: int) -> CommandSample:
    return CommandSample(place.commit, "report", "report", place.arm, number, place.workload)


def _reported(state: RunState, command: CommandTerms, before: Place, after: Place) -> GainReported:
    """The gain with its 90 % interval over pairs of samples (t); of a single pair no interval can be told."""
    if command.cases:
        return case_gain(state, command, before, after)
    low, high, mean = _interval(state, command, before, after)
    samples = len(state.commands.taken(after))
    assert state.baseline is not None and state.started is not None
    return GainReported(
        original_digest=state.started.base_sha,
        final_digest=state.commands.reference,
        cases=samples,
        before=primary_of(state, command, before),
        after=primary_of(state, command, after),
        gain=mean,
        low=low,
        high=high,
        cautious=min(mean, max(low, 0.0)),
        clearly_better=low > 0 and samples > 1,
        fresh=True,
        selection_before=state.baseline.mean,
        selection_after=_deciding_value(state, command),
    )


def _interval(state: RunState, command: CommandTerms, before: Place, after: Place) -> tuple[float, float, float]:
    sides = [_values(state, command, place) for place in (before, after)]
    sign = 1 if command.maximize else -1
    gains = [sign * (new - old) for old, new in zip(*sides, strict=True)]
    mean, n = fmean(gains), len(gains)
    half = student_quantile(_UPPER, n - 1) * math.sqrt(sample_variance(gains) / n) if n > 1 else 0.0
    return mean - half, mean + half, mean


def _values(state: RunState, command: CommandTerms, place: Place) -> list[float]:
    snapshot = state.commands.snapshot(place)
    entry = snapshot["judge"].get(command.primary) or snapshot["metrics"][command.primary]
    return [float(value) for value in entry["samples"]]


def _deciding_value(state: RunState, command: CommandTerms) -> float:
    """The primary of the change that was kept last, in the samples that decided it: too good by construction."""
    experiment = state.experiments[state.best_number]
    latest = experiment.comparisons[-1]
    values = latest.candidate.get(command.primary, ())
    return aggregate(command, {"judge": {}, "metrics": {command.primary: {"samples": list(values)}}}, command.primary)
