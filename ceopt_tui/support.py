"""What of a valid spec this version carries out. A key that would change a result is refused, others are named."""

from __future__ import annotations

from collections.abc import Iterator

from ceopt_tui.errors import InputError, Problem
from schemas.loading import LoadedSpec
from schemas.paths import covers
from schemas.spec import Spec

Key = tuple[str, ...]

# Keys a text target may carry from another spec: they change nothing here, and the run says so.
WITHOUT_EFFECT: dict[Key, str] = {
    ("metric", "diagnostics"): "a text's runner has no such numbers",
    ("measurement", "timeout_seconds"): "a text's runner has `runner.timeout_s`",
    ("measurement", "working_directory"): "no command is run",
    ("measurement", "per_case"): "every case is recorded anyway",
    ("measurement", "stability", "mode"): "repeats follow the evidence, case by case",
    ("measurement", "stability", "repeat_count"): "repeats follow the evidence, case by case",
    ("measurement", "stability", "aggregation"): "scores are averaged",
    ("measurement", "stability", "noise_threshold"): "noise is measured in the run",
    ("measurement", "stability", "ladder"): "the evidence ladder has its own steps",
    ("measurement", "stability", "comparison", "minimum_improvement"): "the bar is the noise measured in the run",
    ("measurement", "stability", "comparison", "relative_threshold"): "the bar is the noise measured in the run",
    ("measurement", "stability", "comparison", "noise_threshold"): "the bar is the noise measured in the run",
    ("execution", "codex_security"): "no command-line agent edits",
    ("execution", "remote"): "experiments run on this machine",
    ("execution", "max_concurrent"): "experiments run one after the other",
    ("parallel",): "experiments run one after the other",
    ("dependencies",): "an edit of a text needs no packages",
    ("max_runner_up_merges_per_batch",): "experiments run one after the other",
}

AGENTS = frozenset({"claude", "codex"})
UNJUDGED_WITHOUT: dict[Key, str] = {("metric", "judge"): "the primary metric is scored by checks"}
JUDGED_WITHOUT: dict[Key, str] = {
    ("metric", "judge", "minimum_improvement"): "the bar is the noise measured in the run",
    ("metric", "judge", "confirmation_seed"): "held-out cases confirm a keep",
}


def refuse_unsupported(loaded: LoadedSpec) -> None:
    """Raises InputError with everything of this spec that this version cannot carry out, lines and keys named."""
    problems = [Problem(str(loaded.file), loaded.line(*key), ".".join(key), text) for key, text in _unsupported(loaded)]
    if problems:
        raise InputError(problems)


def notes(loaded: LoadedSpec) -> list[str]:
    """Keys that are written in the spec and have no effect on this run."""
    if loaded.spec.measurement.command is not None:
        return []
    without = keys_without_effect(loaded.spec)
    found = [(key, why) for key, why in without.items() if loaded.document.at(key) is not None]
    if str(loaded.document.at(("execution", "mode"))) == "parallel":
        found.append((("execution", "mode"), "experiments run one after the other"))
    beyond = sorted(set(loaded.spec.scope.mutable) - set(loaded.spec.target.files if loaded.spec.target else ()))
    if beyond:
        found.append((("scope", "mutable"), f"only target files are edited, not {', '.join(beyond)}"))
    found += _unused_by_proposer(loaded)
    return [f"`{'.'.join(key)}` has no effect on this run: {why}" for key, why in found]


def keys_without_effect(spec: Spec) -> dict[Key, str]:
    """Keys that change nothing in a run of this spec, and why."""
    return WITHOUT_EFFECT | (JUDGED_WITHOUT if spec.is_judged else UNJUDGED_WITHOUT)


def _unused_by_proposer(loaded: LoadedSpec) -> list[tuple[Key, str]]:
    """Keys for a proposer with a model, in a spec whose proposer has none."""
    why = {
        "mechanical": "the mechanical proposer has moves of its own",
        "command": "the proposer's command chooses models and edits by itself",
    }.get(loaded.spec.proposer.kind)
    written = [key for key in ("model", "edits") if loaded.document.at(("proposer", key)) is not None]
    return [(("proposer", key), why) for key in written if why]


def _unsupported(loaded: LoadedSpec) -> list[tuple[Key, str]]:
    spec = loaded.spec
    found: list[tuple[Key, str]] = []
    if spec.measurement.command is not None:
        return list(_unsupported_by_command(spec))
    if spec.evalset is None:
        found.append((("evalset",), "a text target needs an eval set; make one with `ceopt import`"))
    if spec.runner.kind in AGENTS and spec.runner.params:
        what = f"{spec.runner.kind} takes no parameters on its command line; its model is named by `runner.model`"
        found.append((("runner", "params"), what))
    if spec.proposer.kind in {"codex", "claude"}:
        what = f"this version proposes with llm, mechanical or command, not `{spec.proposer.kind}`"
        found.append((("proposer", "kind"), what))
    if spec.execution.backend != "worktree":
        found.append((("execution", "backend"), f"this version works in worktrees, not `{spec.execution.backend}`"))
    return [*found, *_deciding_keys(loaded)]


def _unsupported_by_command(spec: Spec) -> Iterator[tuple[Key, str]]:
    """Of a spec whose measurement is a command."""
    if spec.measurement.stability.comparison.method == "evidence":
        yield from _against_cases(spec)
    for path in spec.parallel.shared_files:
        if any(covers(scope, path) or covers(path, scope) for scope in spec.scope.mutable):
            yield (
                ("parallel", "shared_files"),
                f"{path} may be changed by experiments: your copy of it would take the place of every change",
            )
    editor, backend = spec.proposer.kind, spec.execution.backend
    if editor in {"command", "codex", "claude"} and backend in {"codex", "claude"} and editor != backend:
        yield ("execution", "backend"), f"`proposer.kind: {editor}` edits, so {backend} cannot; write worktree"
    if spec.proposer.kind == "mechanical":
        yield (
            ("proposer", "kind"),
            "the mechanical proposer edits instruction texts; write llm or command",
        )


def _against_cases(spec: Spec) -> Iterator[tuple[Key, str]]:
    """What keeps the cases that a command prints from deciding."""
    if spec.is_judged:
        yield (
            ("metric", "primary", "type"),
            "this version decides case by case on the `cases` that a command prints, not on what a judge says of its "
            "`items`; write `method: relative`, or a hard metric that is the mean of the cases",
        )
    elif spec.measurement.holdout is None:
        yield (
            ("measurement", "holdout"),
            "a change that wins on the cases it was tuned on is confirmed on others; add `holdout: {command: …}` that "
            "prints `cases` of its own, as many as the measuring command or more",
        )
    if spec.execution.backend == "remote":
        yield (
            ("execution", "backend"),
            "experiments on other machines are decided by the numbers of the whole; write worktree, codex or claude, "
            "or `method: paired`",
        )
    for number, objective in enumerate(spec.metric.objectives):
        others = objective.name != spec.metric.primary.name and objective.role == "required"
        if others and objective.max_regression is None:
            yield (
                ("metric", "objectives", str(number), "max_regression"),
                f"{objective.name} has no score per case, so its noise is not known; say by how much it may get worse",
            )


def scores(spec: Spec) -> tuple[float, float]:
    """The lowest and the highest score of the primary metric of a text target."""
    return spec.metric.judge.bounds if spec.is_judged and spec.metric.judge else (0, 1)


def _no_objectives(spec: Spec) -> str:
    """Why a text target takes no further objective, and what gives what is wanted."""
    if any(one.name == "tokens" for one in spec.metric.objectives):
        return (
            "the length of a text is an objective of `ceopt prune` alone: it makes the text shorter where the score is "
            "shown to be no worse; leave this out and run it, and limit growth with `target.max_tokens` or `max_growth`"
        )
    return "this version weighs the primary metric alone; put other wishes into the rubric or a check of type `all`"


def _deciding_keys(loaded: LoadedSpec) -> list[tuple[Key, str]]:
    """Keys that would decide otherwise than this version does."""
    spec = loaded.spec
    found: list[tuple[Key, str]] = []
    method = spec.measurement.stability.comparison.method
    if method != "evidence":
        key = ("measurement", "stability", "comparison", "method")
        found.append((key, f"this version decides text targets by `evidence`, not `{method}`"))
    if spec.metric.primary.direction == "minimize":
        what = "a judge's scale runs from bad to good" if spec.is_judged else "a check scores 1 for a pass"
        text = f"{what}, so `minimize` would look for a worse text; write `maximize`"
        found.append((("metric", "primary", "direction"), text))
    target, (lowest, highest) = spec.metric.primary.target, scores(spec)
    if target is not None and not lowest <= target <= highest:
        what = "the judge's scale goes" if spec.is_judged else "a pass rate lies"
        text = f"{target:g} cannot be reached: {what} from {lowest:g} to {highest:g}"
        found.append((("metric", "primary", "target"), text))
    if spec.runner.repeats == 1:
        text = "one run a case shows no noise to decide by; 2 or more do, and where they agree every case is run once"
        found.append((("runner", "repeats"), text))
    if spec.metric.objectives:
        found.append((("metric", "objectives"), _no_objectives(spec)))
    others = [gate.name for gate in spec.metric.degenerate_gates if gate.name != "errors"]
    if others:
        text = f"a text's runner measures no `{others[0]}`; the gate it has is `errors`"
        found.append((("metric", "degenerate_gates"), text))
    if spec.measurement.holdout:
        found.append((("measurement", "holdout"), "held-out cases come from the eval set; see `evalset.holdout`"))
    return found
