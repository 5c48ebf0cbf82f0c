"""What a spec says about deciding: objectives, gates, thresholds and the ladder. Nothing about any measurement."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from ceopt_tui.core.decision.reading import Undecidable, amount, as_number, choice, entries, number, section, text

Method = Literal["absolute", "relative", "paired", "evidence"]

_CHECK = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True)
class MaxRegression:
    """How much worse an objective may become."""

    relative: bool
    value: float


@dataclass(frozen=True)
class Objective:
    """A required objective."""

    name: str
    maximize: bool
    judged: bool = False
    target: float | None = None
    max_regression: MaxRegression | None = None

    def reached(self, value: float) -> bool:
        """Is the target met? True without one."""
        return self.target is None or (value >= self.target if self.maximize else value <= self.target)


@dataclass(frozen=True)
class Gate:
    """A check an output must pass before it is compared with anything."""

    name: str
    holds: Callable[[float], bool]


@dataclass(frozen=True)
class Futility:
    """When a losing candidate is stopped instead of measured further."""

    worse_factor: float
    after_elapsed_s: float | None


@dataclass(frozen=True)
class Ladder:
    """Samples per step, and whether a smoke run comes first."""

    smoke: bool
    exploratory: float
    confirmation: float
    futility: Futility | None


@dataclass(frozen=True)
class Rules:
    """Everything a decision takes from the spec."""

    primary: Objective
    required: tuple[Objective, ...]  # the primary among them
    gates: tuple[Gate, ...]
    mode: str
    aggregation: str
    method: Method
    noise_threshold: float
    relative_threshold: float
    minimum_improvement: float
    ladder: Ladder
    holdout: bool


def read_rules(spec: Mapping[str, Any]) -> Rules:
    """Raises Undecidable where the spec cannot be followed."""
    metric, measurement = section(spec, "metric", "spec."), section(spec, "measurement", "spec.")
    primary, required = _objectives(metric)
    stability = section(measurement, "stability", "measurement.")
    comparison = section(stability, "comparison", "stability.")
    judge = section(metric, "judge", "metric.")
    default_method = "evidence" if spec.get("target") is not None else "absolute"
    method = choice(comparison, "method", ("absolute", "relative", "paired", "evidence"), default_method, "comparison.")
    return Rules(
        primary=primary,
        required=required,
        gates=tuple(_gate(entry) for entry in entries(metric, "degenerate_gates", "metric.")),
        mode=choice(stability, "mode", ("stable", "repeat", "ladder"), "stable", "stability."),
        aggregation=choice(stability, "aggregation", ("median", "mean", "min", "max"), "median", "stability."),
        method=cast(Method, method),
        noise_threshold=amount(comparison, "noise_threshold", amount(stability, "noise_threshold", 0.02)),
        relative_threshold=amount(comparison, "relative_threshold", 0.05),
        # What one comparison asks for goes before what the judge asks for in general.
        minimum_improvement=amount(comparison, "minimum_improvement", amount(judge, "minimum_improvement", 0.3)),
        ladder=_ladder(stability),
        holdout=_has_holdout(spec, measurement, judge, primary),
    )


def _objectives(metric: Mapping[str, Any]) -> tuple[Objective, tuple[Objective, ...]]:
    stated = section(metric, "primary", "metric.")
    primary = Objective(
        name=text(stated, "name", "metric.primary."),
        maximize=_maximize(stated, "metric.primary."),
        judged=choice(stated, "type", ("hard", "judge"), None, "metric.primary.") == "judge",
        target=number(stated, "target", None, "metric.primary."),
    )
    required: list[Objective] = []
    for entry in entries(metric, "objectives", "metric."):
        objective, is_required = _objective(entry)
        if objective.name == primary.name:  # the primary's own words go first; the list adds what it leaves open
            target = objective.target if primary.target is None else primary.target
            primary = replace(primary, target=target, max_regression=objective.max_regression)
            required.append(primary)
        elif is_required:
            required.append(objective)
    names = [objective.name for objective in required]
    if len(set(names)) < len(names):
        raise Undecidable("metric.objectives names one objective twice")
    return primary, tuple(required if primary.name in names else [primary, *required])


def _objective(entry: object) -> tuple[Objective, bool]:
    path = "metric.objectives."
    if not isinstance(entry, Mapping):
        raise Undecidable("metric.objectives holds something that is not a mapping")
    limit = section(entry, "max_regression", path)
    allowed = None
    if limit:
        kind = choice(limit, "type", ("relative", "absolute"), None, f"{path}max_regression.")
        if limit.get("value") is None:
            raise Undecidable(f"{path}max_regression.value is missing")
        allowed = MaxRegression(kind == "relative", amount(limit, "value", 0.0, f"{path}max_regression."))
    objective = Objective(
        name=text(entry, "name", path),
        maximize=_maximize(entry, path),
        target=number(entry, "target", None, path),
        max_regression=allowed,
    )
    return objective, choice(entry, "role", ("required", "secondary"), "required", path) == "required"


def _maximize(entry: Mapping[str, Any], path: str) -> bool:
    return choice(entry, "direction", ("maximize", "minimize"), None, path) == "maximize"


def _gate(entry: object) -> Gate:
    if not isinstance(entry, Mapping):
        raise Undecidable("metric.degenerate_gates holds something that is not a mapping")
    name, check = text(entry, "name", "gate "), text(entry, "check", "gate ")
    match = _CHECK.fullmatch(check)
    bound = as_number(match[2]) if match else None
    if match is None or bound is None:
        raise Undecidable(f"the check of gate {name!r} is not a comparison with a number: {check!r}")
    compare = _COMPARE[match[1]]
    return Gate(name, lambda value: compare(value, bound))


def _ladder(stability: Mapping[str, Any]) -> Ladder:
    ladder = section(stability, "ladder", "stability.")
    futility = None
    if ladder.get("futility") is not None:
        stated = section(ladder, "futility", "ladder.")
        worse = number(stated, "worse_factor", 1.2, "futility.")
        if worse is None or worse <= 1:
            raise Undecidable("futility.worse_factor must be above 1")
        futility = Futility(worse, number(stated, "after_elapsed_seconds", None, "futility."))
    repeats = amount(stability, "repeat_count", 5, "stability.")
    return Ladder(
        smoke=bool(ladder.get("smoke_command")),
        exploratory=amount(ladder, "exploratory_pairs", 1, "ladder."),
        confirmation=amount(ladder, "confirmation_repeats", repeats, "ladder."),
        futility=futility,
    )


def _has_holdout(
    spec: Mapping[str, Any], measurement: Mapping[str, Any], judge: Mapping[str, Any], primary: Objective
) -> bool:
    """A text target always has one (its frozen split); a judge has one when it may judge a second sample."""
    if spec.get("target") is not None or section(measurement, "holdout", "measurement.").get("command"):
        return True
    return primary.judged and judge.get("confirmation_seed") is not None
