"""Rules between the keys of a spec. Each gives the key it speaks of and one sentence; none reads a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from schemas.paths import covers
from schemas.spec import Spec
from schemas.spec_execution import WORKTREE_LIMIT
from schemas.spec_metric import Judge

TIERS = ("cheap", "strong")


class Broken(NamedTuple):
    """A rule that does not hold, at the key where a person would mend it."""

    path: tuple[str | int, ...]
    message: str


Rule = Callable[[Spec], Iterator[Broken]]


def broken_rules(spec: Spec, *, partial: bool = False) -> list[Broken]:
    """Every rule that does not hold. `partial`: the spec has invalid parts, and rules that need them are left out."""
    found: list[Broken] = []
    for rule in RULES:
        try:
            found.extend(list(rule(spec)))
        except AttributeError:
            if not partial:
                raise
    return found


def unattended_problems(spec: Spec) -> list[Broken]:
    """What keeps a run without a person from starting, as far as the spec can say."""
    judge = spec.metric.judge
    if not spec.is_judged or judge is None:
        return []
    found = []
    if judge.max_total_cost_usd is None and spec.stopping.max_total_cost_usd is None:
        what = "a judged run without a person needs a cost cap: set this or stopping.max_total_cost_usd"
        found.append(Broken(("metric", "judge", "max_total_cost_usd"), what))
    if judge.calibration.labels is None and judge.calibration.waived is None:
        what = "a judged run without a person needs labels (`ceopt calibrate`), or `waived` with the reason"
        found.append(Broken(("metric", "judge", "calibration"), what))
    return found


def _judge_is_there(spec: Spec) -> Iterator[Broken]:
    if spec.is_judged and spec.metric.judge is None:
        yield Broken(("metric", "judge"), "is required when metric.primary.type is judge, with rubric and scoring")


def _judge_scores_the_primary(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
    if judge and spec.is_judged and judge.scoring.primary != spec.metric.primary.name:
        what = f"must be the name of the primary metric, `{spec.metric.primary.name}`, not `{judge.scoring.primary}`"
        yield Broken(("metric", "judge", "scoring", "primary"), what)


def _judged_runs_confirm(spec: Spec) -> Iterator[Broken]:
    if spec.is_judged and spec.metric.judge is not None and spec.holdout is None:
        what = (
            "a judged primary needs a holdout: set metric.judge.confirmation_seed to a seed other than sample_seed, "
            "or measurement.holdout.command, or for a text target evalset"
        )
        yield Broken(("metric", "judge"), what)


def _seeds_differ(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
    if judge and judge.confirmation_seed is not None and judge.confirmation_seed == judge.sample_seed:
        what = f"must differ from sample_seed ({judge.sample_seed}), or both samples are the same"
        yield Broken(("metric", "judge", "confirmation_seed"), what)


def _singletons_have_a_rubric(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
    if judge and judge.singleton_sample > 0 and judge.singleton_rubric is None:
        yield Broken(("metric", "judge", "singleton_rubric"), "is required when singleton_sample is above 0")


def _pass_mark_is_on_the_scale(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
    if judge and judge.pass_at is not None:
        lowest, highest = judge.bounds
        if not lowest < judge.pass_at <= highest:
            what = f"must be above {lowest} and at most {highest}, the bounds of the scale"
            yield Broken(("metric", "judge", "pass_at"), what)


def _strata_fit_the_sample(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
    if judge and judge.stratification:
        total = sum(stratum.count for stratum in judge.stratification)
        if total > judge.sample_size:
            what = f"asks for {total} items, more than sample_size ({judge.sample_size})"
            yield Broken(("metric", "judge", "stratification"), what)
        yield from _unique("bucket", [s.bucket for s in judge.stratification], ("metric", "judge", "stratification"))


def _names_are_unique(spec: Spec) -> Iterator[Broken]:
    metric = spec.metric
    yield from _unique("name", [gate.name + gate.check for gate in metric.degenerate_gates], ())
    yield from _unique("name", [entry.name for entry in metric.objectives], ("metric", "objectives"))
    yield from _unique("name", [entry.name for entry in metric.diagnostics], ("metric", "diagnostics"))


def _primary_is_required(spec: Spec) -> Iterator[Broken]:
    primary = spec.metric.primary
    for number, entry in enumerate(spec.metric.objectives):
        if entry.name != primary.name:
            continue
        if entry.role != "required":
            yield Broken(("metric", "objectives", number, "role"), "the primary metric is always required")
        if entry.direction != primary.direction:
            what = f"must be {primary.direction} as in metric.primary"
            yield Broken(("metric", "objectives", number, "direction"), what)


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
            yield Broken(path, "evidence needs a score for every case: a text target, or measurement.per_case: true")


def _evalset_has_files(spec: Spec) -> Iterator[Broken]:
    source = spec.evalset
    if source is None:
        return
    if (source.file is None) == (not source.files):
        what = "needs `file`, or `files` with at least one entry" if not source.files else "has both `file` and `files`"
        yield Broken(("evalset",), what)
    yield from _unique("file", list(source.paths), ("evalset",))


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


def _scopes_are_apart(spec: Spec) -> Iterator[Broken]:
    if not spec.is_text_target and not spec.scope.immutable:
        yield Broken(("scope", "immutable"), "needs at least one entry: what measures must not change")
    for number, path in enumerate(spec.scope.mutable):
        for fixed in spec.scope.immutable:
            if covers(fixed, path) or covers(path, fixed):
                what = f"`{path}` overlaps with `{fixed}` of scope.immutable"
                yield Broken(("scope", "mutable", number), what)


def _measuring_files_stay(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
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
    yield from _unique("file", list(spec.target.files), ("target", "files"))
    for number, file in enumerate(spec.target.files):
        if not any(covers(path, file) for path in spec.scope.mutable):
            yield Broken(("target", "files", number), f"`{file}` is not in scope.mutable, so nothing could change it")


def _models_are_known(spec: Spec) -> Iterator[Broken]:
    judge = _judge(spec)
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


def _judge(spec: Spec) -> Judge | None:
    return spec.metric.judge


def _unique(what: str, words: list[str], path: tuple[str | int, ...]) -> Iterator[Broken]:
    for number, word in enumerate(words):
        if word in words[:number]:
            yield Broken((*path, number), f"the {what} `{word}` stands twice")


RULES: tuple[Rule, ...] = (
    _judge_is_there,
    _judge_scores_the_primary,
    _judged_runs_confirm,
    _seeds_differ,
    _singletons_have_a_rubric,
    _pass_mark_is_on_the_scale,
    _strata_fit_the_sample,
    _names_are_unique,
    _primary_is_required,
    _something_is_measured,
    _text_keys_have_a_target,
    _evalset_has_files,
    _ladder_compares,
    _backends_fit,
    _ports_have_a_variable,
    _scopes_are_apart,
    _measuring_files_stay,
    _target_may_change,
    _models_are_known,
    _proposer_command,
)
