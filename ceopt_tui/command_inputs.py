"""What a spec whose measurement is a command says to planner and engine. Calls no model and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.command.terms import CaseTerms, CommandTerms
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.errors import InputError, Problem
from ceopt_tui.project import Project
from schemas.loading import LoadedSpec
from schemas.records import SplitFrozen
from schemas.spec import Spec

SEED = 7
REFERENCE_RUNS = 4  # of the current state, where cases decide
NO_SPLIT = SplitFrozen(selection=(), holdout=(), seed=SEED)


def command_terms(project: Project, *, attended: bool, approval_digest: str, caps: dict[str, float | None]) -> Terms:
    """The planner's view of the spec."""
    spec, calls = project.spec, caps["max_calls"]
    stopping = spec.stopping
    return Terms(
        approval_digest=approval_digest,
        caps=caps,
        attended=attended,
        max_iterations=stopping.max_iterations,
        max_active_s=stopping.max_hours * 3600,
        max_wall_s=stopping.max_wall_hours * 3600,
        plateau=stopping.plateau_iterations,
        stop_at_target=stopping.target_reached,
        budget=Caps(None if calls is None else int(calls), caps["max_total_cost_usd"], None),
        maximize=spec.metric.primary.direction == "maximize",
        ideas_per_round=max(4, spec.batch_limit),
        seed=SEED,
        caution=spec.caution,
        allow_broken=spec.allow_broken,
        command=_command(spec),
    )


def _command(spec: Spec) -> CommandTerms:
    metric, stability = spec.metric, spec.measurement.stability
    repeats = {"stable": 1, "repeat": stability.repeat_count, "ladder": stability.confirmation_repeats}
    futility = stability.ladder.futility
    by_cases = stability.comparison.method == "evidence"
    deciding = {"caution": spec.caution, "max_unscored": spec.max_unscored} if by_cases else {}
    # `decide` has the defaults of its own; a key that nobody wrote must not look written.
    written = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return CommandTerms(
        spec={"metric": written["metric"], "measurement": written["measurement"], **deciding},
        primary=metric.primary.name,
        maximize=metric.primary.direction == "maximize",
        names=tuple(dict.fromkeys(_names(spec))),
        mode=stability.mode,
        aggregation=stability.aggregation,
        paired=stability.comparison.method == "paired",
        repeats=REFERENCE_RUNS if by_cases else repeats[stability.mode],
        smoke=(by_cases or stability.mode == "ladder") and stability.ladder.smoke_command is not None,
        holdout=spec.holdout is not None,
        judged=spec.is_judged,
        second_sample=spec.holdout == "second_sample",
        batch=spec.batch_limit,
        runners_up=spec.max_runner_up_merges_per_batch,
        remote=spec.execution.backend == "remote",
        censor_after_s=futility.after_elapsed_seconds if stability.mode == "ladder" and not by_cases else None,
        cases=CaseTerms(spec.caution, spec.max_unscored) if by_cases else None,
    )


def _names(spec: Spec) -> Iterator[str]:
    """Everything the command has to print in every run."""
    metric = spec.metric
    if not spec.is_judged:
        yield metric.primary.name
    yield from (gate.name for gate in metric.degenerate_gates)
    yield from (objective.name for objective in metric.objectives if objective.role == "required")
    yield from (diagnostic.name for diagnostic in metric.diagnostics)


def command_run_inputs(project: Project, approval: str, measurement: str, approval_lines: tuple[str, ...]) -> RunInputs:
    """Everything the engine needs to know of the user's files."""
    spec = project.spec
    return RunInputs(
        name=spec.name,
        description=spec.description,
        spec_file=str(project.loaded.file),
        spec_bytes=project.loaded.raw,
        spec_digest=project.loaded.sha256,
        approval_digest=approval,
        measurement_digest=measurement,
        texts={},
        text_digest="",
        cases={},
        split=NO_SPLIT,
        mutable=tuple(spec.scope.mutable),
        immutable=tuple(spec.scope.immutable),
        committed=(*spec.scope.mutable, *spec.scope.immutable),
        seed=SEED,
        constraints=spec.constraints,
        edits=spec.proposer.edits,
        approved_dependencies=spec.dependencies.approved,
        command=spec.measurement.command or "",
        goals=tuple(goals(spec)),
        approval_lines=approval_lines,
    )


def goals(spec: Spec) -> Iterator[str]:
    """The objectives in words."""
    primary = spec.metric.primary
    yield _goal(primary.name, primary.direction, primary.target, "what the run is for")
    for objective in spec.metric.objectives:
        if objective.name == primary.name:
            continue
        limit = objective.max_regression
        allowed = (
            f", may get worse by {limit.value:g}{' of itself' if limit.type == 'relative' else ''}" if limit else ""
        )
        word = "required" if objective.role == "required" else "for information"
        yield _goal(objective.name, objective.direction, objective.target, f"{word}{allowed}")
    for gate in spec.metric.degenerate_gates:
        yield f"{gate.name} {gate.check}: must hold" + (f" ({gate.description})" if gate.description else "")


def _goal(name: str, direction: str, target: float | None, word: str) -> str:
    wanted = "smaller is better" if direction == "minimize" else "larger is better"
    return f"{name}: {wanted}, {word}" + (f", target {target:g}" if target is not None else "")


def scope_bytes(project: Project) -> Mapping[str, Any]:
    """What git holds of the files that decide a score and never change, as blob ids by path."""
    paths = project.spec.scope.immutable
    if not paths:
        return {}
    listed = project.repository.git("ls-files", "--stage", "-z", "--", *paths).split("\0")[:-1]
    return {path: facts.split()[1] for facts, _, path in (entry.partition("\t") for entry in listed)}


def refuse_command(loaded: LoadedSpec, what: str) -> None:
    """InputError where a command measures, so that there is no text and no eval set for `what`."""
    if loaded.spec.measurement.command is not None:
        line = loaded.line("measurement", "command")
        text = f"a command measures here; {what}"
        raise InputError([Problem(str(loaded.file), line, "measurement.command", text)])


def scope_lines(project: Project) -> Iterator[str]:
    """What is edited and how it is measured, a subject a line."""
    spec = project.spec
    stability, holdout = spec.measurement.stability, spec.measurement.holdout
    yield f"edits: {', '.join(spec.scope.mutable)}"
    yield f"never changed: {', '.join(spec.scope.immutable) or 'nothing is named'}"
    method = stability.comparison.method
    how = "case by case, evidence" if method == "evidence" else f"{stability.mode}, {method}"
    yield f"measured by: {spec.measurement.command} ({how})"
    if holdout is not None:
        yield f"held out: {holdout.command}"
    elif spec.holdout == "second_sample":
        yield "held out: a second draw of the judged outputs"
    else:
        yield "held out: nothing; a change is chosen and reported on the same measurement"
