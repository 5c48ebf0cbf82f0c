"""From a fresh journal to an approved baseline, where a command measures: one run to see what it prints, then all."""

from __future__ import annotations

from typing import Any

from ceopt_tui.core.decide import decide
from ceopt_tui.core.decision.snapshot import Measured
from ceopt_tui.core.evidence.floor import Floor
from ceopt_tui.core.plan.actions import Action, Ask, CommandSample, JudgeCommand, MeasureCommand, Note, Park
from ceopt_tui.core.plan.command.case_baseline import floor_of, reference_place, repeats_itself, unusable_cases
from ceopt_tui.core.plan.command.case_runs import scored_cases, usable, with_cases
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.setting_up import approved
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.run import RunState
from schemas.command_records import CommandStep, Workload
from schemas.records import BaselineMeasured, Stopped


def plan_setup(state: RunState, terms: Terms, command: CommandTerms) -> Action | None:
    """The next step of setting up, or None when the loop may begin."""
    if terms.attended and not approved(state, terms, "spec"):
        return Ask("spec")
    if state.baseline is None:
        return _baseline(state, command)
    if not approved(state, terms, "baseline"):
        return Ask("baseline")
    return None


def own_place(state: RunState, workload: Workload = "selection") -> Place:
    """Where the samples of the current reference by itself stand."""
    return reference_place(state, workload)


def _baseline(state: RunState, command: CommandTerms) -> Action:
    place = own_place(state)
    if failed := state.commands.failure(place):
        return _failed(failed.status, failed.message)
    samples = state.commands.taken(place)
    if samples and (objection := _unusable(state, command)):
        return Note((Stopped(outcome="harness_failed", reason=objection),))
    if len(samples) < command.repeats:
        return _measure(place, len(samples), 1 if not samples else command.repeats)
    if (waiting := state.commands.awaiting_judge(place)) and command.judged:
        return JudgeCommand(_sample(place, "baseline", waiting.sample))
    if action := _held_out(state, command) if command.cases else None:
        return action
    found = decide(_payload(state, command))
    if found["decision"] == "error":
        return Note(
            (Stopped(outcome="harness_failed", reason=f"the baseline cannot be decided on: {found['reason']}"),)
        )
    return Note((_measured(state, command),))


def _held_out(state: RunState, command: CommandTerms) -> Action | None:
    """One run of the held-out command: what it prints is looked at before any change is held against it."""
    place = own_place(state, "holdout")
    if failed := state.commands.failure(place):
        return _failed(failed.status, failed.message, "held-out")
    samples = state.commands.taken(place)
    if not samples:
        return _measure(place, 0, 1)
    objection = unusable_cases(state, command, samples[0])
    return Note((Stopped(outcome="harness_failed", reason=objection),)) if objection else None


def _measure(place: Place, have: int, wanted: int) -> MeasureCommand:
    """The first run goes alone: what it prints is looked at before more time is spent."""
    return MeasureCommand(tuple(_sample(place, "baseline", at) for at in range(have, wanted)), "baseline")


def _failed(status: str, message: str, which: str = "measuring") -> Action:
    word = {"timeout": "ran into its time limit", "censored": "gave up"}.get(status, "failed")
    return Park("waiting", f"the {which} command {word} on the current state: {message}", "harness_failed")


def _unusable(state: RunState, command: CommandTerms) -> str:
    """What of the first run keeps the command from deciding anything, in words; empty when all is there."""
    sample = state.commands.taken(own_place(state))[0]
    missing = [name for name in command.names if sample.values.get(name) is None]
    if missing:
        printed = ", ".join(sorted(sample.values)) or "nothing"
        return f"the measuring command did not print {', '.join(missing)}; it printed {printed}"
    odd = [name for name in command.names if not isinstance(sample.values[name], int | float)]
    if odd:
        return f"the measuring command printed no number and no true or false for {', '.join(odd)}"
    if command.judged and not sample.items:
        return "the measuring command printed no `items`, so there is nothing to judge"
    if command.cases and (objection := unusable_cases(state, command, sample)):
        return objection
    found = decide(_payload(state, command))
    if found["decision"] == "degenerate":
        return f"the current state does not pass its own gates: {found['reason']}"
    return ""


def _payload(state: RunState, command: CommandTerms) -> dict[str, object]:
    snapshot = snapshot_of(state, command, own_place(state))
    snapshot["smoke_passed"] = True  # the smoke run is for changes
    return {"spec": command.spec, "baseline": snapshot, "candidate": snapshot}


def snapshot_of(state: RunState, command: CommandTerms, place: Place) -> dict[str, Any]:
    """One side as `decide` reads it, its runs of cases where these decide."""
    snapshot = state.commands.snapshot(place)
    if command.cases is None:
        return snapshot
    samples = usable(state.commands, place)
    return with_cases(snapshot, samples, scored_cases(samples, maximize=command.maximize), maximize=command.maximize)


def _measured(state: RunState, command: CommandTerms) -> BaselineMeasured:
    """The record that ends phase one. What of it is about cases says nothing where they do not decide."""
    samples = state.commands.taken(own_place(state))
    deterministic = command.cases is not None and repeats_itself(state, command)
    floor = floor_of(state, command, deterministic=deterministic) if command.cases else Floor(0.0, 0.0)
    return BaselineMeasured(
        text_digest=state.commands.reference,
        mean=primary_of(state, command, own_place(state)),
        scored=len(samples),
        unscored=0,
        deterministic=deterministic,
        sees_half=floor.sees_half,
        sees_most=floor.sees_most,
        calls_per_experiment=(0, 0),
    )


def primary_of(state: RunState, command: CommandTerms, place: Place) -> float:
    """The primary metric of one side, over all its samples, as the spec aggregates."""
    return aggregate(command, state.commands.snapshot(place), command.primary)


def aggregate(command: CommandTerms, snapshot: dict[str, dict[str, dict[str, list[float]]]], name: str) -> float:
    """One number for all samples of a metric, by the spec's own way."""
    entry = snapshot["judge"].get(name) or snapshot["metrics"][name]
    return Measured(tuple(float(value) for value in entry["samples"]), sampled=True).aggregate(command.aggregation)


def _sample(place: Place, step: CommandStep, number: int) -> CommandSample:
    return CommandSample(place.commit, step, "own", "reference", number, place.workload)
