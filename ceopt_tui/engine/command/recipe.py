"""What is handed to whoever carries out an experiment, from the journal alone. Nothing held out is in it."""

from __future__ import annotations

from ceopt_tui.core.command_ports import Recipe
from ceopt_tui.core.plan.command.setting_up import aggregate, own_place
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.ports import HypothesisDraft, Refusal, Tried
from ceopt_tui.core.state.commands import Place
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.telling import told_outcome, told_reason
from schemas.records import ExperimentClosed

TRIED_SHOWN = 10


def recipe_of(state: RunState, inputs: RunInputs, parts: Parts, number: int, digest: str) -> Recipe:
    """The recipe of one experiment."""
    experiment = state.experiments[number]
    idea = HypothesisDraft(
        experiment.hypothesis.description,
        experiment.hypothesis.category,
        experiment.hypothesis.move,
        experiment.hypothesis.parameters,
    )
    refused = [Refusal(**refusal) for record in experiment.refused[-1:] for refusal in record.refusals]
    started = experiment.started
    return _recipe(
        state, inputs, parts, number, started.branch, started.base_sha, idea, started.forecast, digest, refused
    )


def recipe_for_ideas(state: RunState, inputs: RunInputs, parts: Parts, digest: str) -> Recipe:
    """The same without an experiment: what is known where ideas are asked for."""
    nothing = HypothesisDraft("", "", "")
    return _recipe(state, inputs, parts, 0, "", state.commands.reference, nothing, {}, digest, [])


def _recipe(
    state: RunState,
    inputs: RunInputs,
    parts: Parts,
    number: int,
    branch: str,
    base_sha: str,
    idea: HypothesisDraft,
    forecast: dict[str, str],
    digest: str,
    refused: list[Refusal],
) -> Recipe:
    command = parts.terms.command
    assert command is not None and state.started is not None
    original = Place(state.started.base_sha, None, "own", "selection", "reference")
    return Recipe(
        name=inputs.name,
        number=number,
        branch=branch,
        base_sha=base_sha,
        description=inputs.description,
        hypothesis=idea.description,
        category=idea.category,
        parameters=idea.parameters,
        mutable=inputs.mutable,
        immutable=inputs.immutable,
        forecast=forecast,
        constraints=inputs.constraints,
        dependencies=sorted(state.waiting.approved.union(inputs.approved_dependencies)),
        baseline=_metrics(state, command, original),
        best=_metrics(state, command, own_place(state)) or _metrics(state, command, original),
        goals=inputs.goals,
        tried=tried(state),
        digest=digest,
        refused=refused,
        ideas_before=len(state.hypotheses),
        pairs=command.repeats,
    )


def _metrics(state: RunState, command: CommandTerms, place: Place) -> dict[str, float]:
    """Numbers by name over the samples of one side; what was not a number in every sample is left out."""
    snapshot = state.commands.snapshot(place)
    found = {}
    for name, entry in snapshot["metrics"].items():
        values = entry["samples"]
        if values and all(isinstance(value, int | float) for value in values):
            found[name] = aggregate(command, snapshot, name)
    return found


def tried(state: RunState) -> list[Tried]:
    """The last ten experiments in short."""
    closed = [(one, one.closed) for one in state.experiments.values() if one.closed]
    return [
        Tried(
            one.hypothesis.description,
            one.hypothesis.category,
            one.hypothesis.move,
            told_outcome(one, end.outcome),
            _reason(state, one, end),
        )
        for one, end in closed[-TRIED_SHOWN:]
    ]


def _reason(state: RunState, experiment: ExperimentState, closed: ExperimentClosed) -> str:
    """Why it ended, without what held-out work said; a person's words are passed on."""
    refused = state.answers.get(f"keep-{experiment.number}", "").startswith("refuse")
    return closed.reason if refused else told_reason(state, experiment, closed)
