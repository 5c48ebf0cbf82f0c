"""The baseline where the cases that a command prints decide: what it has to print, what the set can see. Pure."""

from __future__ import annotations

from statistics import fmean

from ceopt_tui.core.evidence.floor import Floor, aa_floor
from ceopt_tui.core.evidence.setting import SMALLEST_SET
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.command.case_runs import confirming_cases, repeat_noise, runs_of, scored_cases, usable
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.run import RunState
from schemas.command_records import CommandMeasured, Workload
from schemas.records import Stopped

NAMED = 3  # cases in a message
ROUNDED = 0.01  # between a metric as it is printed and the mean of its cases


def reference_place(state: RunState, workload: Workload) -> Place:
    """Where the samples of the current reference by itself stand."""
    return Place(state.commands.reference, None, "own", workload, "reference")


def unusable_cases(state: RunState, command: CommandTerms, sample: CommandMeasured) -> str:
    """What of one run keeps its cases from deciding, in words; empty when nothing does."""
    held_out, maximize = sample.workload == "holdout", command.maximize
    what = "the held-out command" if held_out else "the measuring command"
    if not sample.cases:
        return f"{what} printed no `cases`, and with `method: evidence` they decide: print one entry a case"
    runs = runs_of([sample], sample.cases, maximize=maximize)
    if odd := [case for case, scores in runs.items() if not scores or not 0 <= scores[0] <= 1]:
        named = ", ".join(odd[:NAMED])
        return f"{what} printed cases that are neither true or false nor a score from 0 to 1: {named}"
    if held_out:
        return _not_held_out(state, command, set(runs))
    mean, told = fmean(scores[0] for scores in runs.values()), float(sample.values[command.primary] or 0)
    if abs(mean - told) > ROUNDED:
        return (
            f"{command.primary} is {told:g} and the mean of its cases {mean:g}: where cases decide, the metric has to "
            "be their mean, from 0 to 1"
        )
    return ""


def _not_held_out(state: RunState, command: CommandTerms, held_out: set[str]) -> str:
    selection = scored_cases(usable(state.commands, reference_place(state, "selection")), maximize=command.maximize)
    if common := sorted(selection & held_out):
        named = ", ".join(common[:NAMED])
        return f"both commands print {named}: held-out cases have to be others; where only names agree, change those"
    total = len(selection) + len(held_out)
    if total < SMALLEST_SET:
        return f"{counted(total, 'case')} in all: needs at least {SMALLEST_SET}; add cases first"
    return ""


def repeats_itself(state: RunState, command: CommandTerms) -> bool:
    """Did every run of the baseline print the same of every case?"""
    samples = usable(state.commands, reference_place(state, "selection"))
    enough = len(samples) >= command.setting(deterministic=False).reference_runs
    return enough and all(sample.cases == samples[0].cases for sample in samples)


def floor_of(state: RunState, command: CommandTerms, *, deterministic: bool) -> Floor:
    """What gains the held-out cases can see, by the noise of the baseline."""
    held_out = usable(state.commands, reference_place(state, "holdout"))
    cases = scored_cases(held_out, maximize=command.maximize)
    if deterministic:
        cases = confirming_cases(cases)
    noise = repeat_noise(state.commands, maximize=command.maximize)
    return aa_floor(noise, command.setting(deterministic=deterministic), max(1, len(cases)))


def no_room(state: RunState, command: CommandTerms, latest: Place) -> Stopped | None:
    """Stops a run whose cases are all as good as they can be, in every run of the current state at `latest`."""
    if command.cases is None:
        return None
    samples = usable(state.commands, latest)
    runs = runs_of(samples, scored_cases(samples, maximize=command.maximize), maximize=command.maximize)
    best = 1.0 if command.maximize else 0.0
    if any(score != best for scores in runs.values() for score in scores):
        return None
    if state.keeps:
        return Stopped(outcome="saturated", reason="every case passes now; add harder cases to go on")
    return Stopped(outcome="no_headroom", reason="already at the maximum: every case passes; add harder cases")
