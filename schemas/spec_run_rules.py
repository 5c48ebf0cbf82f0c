"""Rules between the keys that say how a run is carried out: measurement, execution, scope and the text target."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.paths import covers
from schemas.spec import Spec
from schemas.spec_execution import WORKTREE_LIMIT
from schemas.spec_rule import Broken, Rule, unique
from schemas.spec_target import REQUEST_NAME

TIERS = ("cheap", "strong")


def _something_is_measured(spec: Spec) -> Iterator[Broken]:
    command, kind = spec.measurement.command, spec.runner.kind
    if not spec.is_text_target:
        if command is None:
            yield Broken(("measurement", "command"), "is required unless the spec has a text target with an eval set")
        return
    if kind == "command" and command is None:
        yield Broken(("measurement", "command"), "is required when runner.kind is command")
    if kind != "command" and command is not None:
        what = f"runner.kind {kind} measures by itself; remove it, or remove measurement.command"
        yield Broken(("runner", "kind"), what)
    if kind != "command" and spec.evalset is None:
        yield Broken(("evalset",), "is required for a text target: the cases it is measured on")


def _text_keys_have_a_target(spec: Spec) -> Iterator[Broken]:
    if spec.is_text_target:
        return
    for key in ("evalset", "runner", "coverage"):
        if key in spec.model_fields_set:
            yield Broken((key,), "is for text targets only; add target, or remove it")
    if spec.measurement.stability.comparison.method == "evidence":
        path = ("measurement", "stability", "comparison", "method")
        if not spec.measurement.per_case:
            what = (
                "evidence needs a score for every case: where the command prints `cases`, write measurement.per_case: "
                "true, else method: paired or relative"
            )
            yield Broken(path, what)


def _evalset_has_files(spec: Spec) -> Iterator[Broken]:
    source = spec.evalset
    if source is None:
        return
    if (source.file is None) == (not source.files):
        what = "needs `file`, or `files` with at least one entry" if not source.files else "has both `file` and `files`"
        yield Broken(("evalset",), what)
    yield from unique("file", list(source.paths), ("evalset",))


def _ladder_compares(spec: Spec) -> Iterator[Broken]:
    stability = spec.measurement.stability
    if stability.mode != "ladder":
        return
    comparison = stability.comparison
    if comparison.method == "absolute" and "method" not in comparison.model_fields_set:
        what = "mode ladder needs relative, paired or evidence; write absolute out if it is meant"
        yield Broken(("measurement", "stability", "comparison", "method"), what)
    pairs = stability.ladder.exploratory_pairs
    if stability.confirmation_repeats < pairs:
        what = f"must be at least exploratory_pairs ({pairs}); it is {stability.confirmation_repeats}"
        yield Broken(("measurement", "stability", "ladder", "confirmation_repeats"), what)


def _backends_fit(spec: Spec) -> Iterator[Broken]:
    execution = spec.execution
    if execution.backend == "worktree" and execution.max_concurrent > WORKTREE_LIMIT:
        what = f"must be at most {WORKTREE_LIMIT} with backend worktree; it is {execution.max_concurrent}"
        yield Broken(("execution", "max_concurrent"), what)
    if execution.remote and execution.remote.dispatch == "command" and execution.remote.command is None:
        yield Broken(("execution", "remote", "command"), "is required when dispatch is command")
    if execution.backend == "remote" and spec.measurement.stability.comparison.method == "absolute":
        what = "backend remote needs paired, relative or evidence: absolute numbers of two machines do not compare"
        yield Broken(("measurement", "stability", "comparison", "method"), what)


def _ports_have_a_variable(spec: Spec) -> Iterator[Broken]:
    parallel = spec.parallel
    if parallel.port_strategy != "parameterized":
        return
    for key, value in (("port_env_var", parallel.port_env_var), ("port_base", parallel.port_base)):
        if value is None:
            yield Broken(("parallel", key), "is required when port_strategy is parameterized")


def _references_can_be_sent(spec: Spec) -> Iterator[Broken]:
    target = spec.target
    if target is None or not target.references:
        return
    if target.role == "template":
        yield Broken(("target", "references"), "are sent after a whole text; a template names what goes into it")
    if spec.runner.kind == "command":
        yield Broken(("target", "references"), "are for runners of a text; what a command opens is its own business")
    for number, path in enumerate(target.references):
        if any(covers(changed, path) for changed in spec.scope.mutable):
            yield Broken(("target", "references", number), f"`{path}` is in scope.mutable; a reference is never edited")


def _scopes_are_apart(spec: Spec) -> Iterator[Broken]:
    if not spec.is_text_target and not spec.scope.immutable:
        yield Broken(("scope", "immutable"), "needs at least one entry: what measures must not change")
    for number, path in enumerate(spec.scope.mutable):
        both = [fixed for fixed in spec.scope.immutable if covers(fixed, path) or covers(path, fixed)]
        if both:
            yield Broken(("scope", "mutable", number), f"`{path}` overlaps with `{both[0]}` of scope.immutable")


def _measuring_files_stay(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    labels = (judge.calibration.labels,) if judge and judge.calibration.labels else ()
    named = [*(spec.evalset.paths if spec.evalset else ()), *labels]
    for number, path in enumerate(spec.scope.mutable):
        for file in named:
            if covers(path, file) and not any(covers(fixed, path) for fixed in spec.scope.immutable):
                yield Broken(
                    ("scope", "mutable", number), f"`{path}` holds `{file}`, which decides scores and never changes"
                )


def _target_may_change(spec: Spec) -> Iterator[Broken]:
    if spec.target is None:
        return
    yield from unique("file", list(spec.target.files), ("target", "files"))
    for number, file in enumerate(spec.target.files):
        if not any(covers(path, file) for path in spec.scope.mutable):
            yield Broken(("target", "files", number), f"`{file}` is not in scope.mutable, so nothing could change it")


def _models_are_known(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    named: list[tuple[tuple[str, ...], str]] = [
        (("runner", "model"), spec.runner.model),
        (("proposer", "model"), spec.proposer.model),
    ]
    if judge:
        named.append((("metric", "judge", "model"), judge.model))
    for path, name in named:
        if name not in TIERS and name not in spec.models and "/" not in name:
            what = f'must be cheap, strong, a name from `models`, or provider/model, not "{name}"'
            yield Broken(path, what)


def _proposer_command(spec: Spec) -> Iterator[Broken]:
    if spec.proposer.kind == "command" and spec.proposer.command is None:
        yield Broken(("proposer", "command"), "is required when proposer.kind is command")
    if spec.proposer.kind != "command" and spec.proposer.command is not None:
        yield Broken(("proposer", "command"), "is used only with proposer.kind: command")
    agent = {spec.proposer.kind, spec.execution.backend} & {"codex", "claude"}
    if spec.proposer.kind != "command" and "environment" in spec.proposer.model_fields_set:
        yield Broken(("proposer", "environment"), "is used only with proposer.kind: command")
    if spec.proposer.kind != "command" and not agent and "timeout_s" in spec.proposer.model_fields_set:
        yield Broken(("proposer", "timeout_s"), "is used only with a command or a coding agent that edits")
    target = spec.target
    if spec.proposer.kind == "command" and target and REQUEST_NAME in target.files:
        yield Broken(("target", "files"), f"`{REQUEST_NAME}` is the name of what the proposer's command is asked")


RUN_RULES: tuple[Rule, ...] = (
    _something_is_measured,
    _text_keys_have_a_target,
    _evalset_has_files,
    _ladder_compares,
    _backends_fit,
    _ports_have_a_variable,
    _references_can_be_sent,
    _scopes_are_apart,
    _measuring_files_stay,
    _target_may_change,
    _models_are_known,
    _proposer_command,
)
