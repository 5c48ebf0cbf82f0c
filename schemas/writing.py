"""Writes specs and eval sets as a person would: only what has to be said, in reading order, with short comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.checks import Check
from schemas.evalset import Case, EvalSet
from schemas.yaml_dump import dump

PASS_RATE = {"primary": {"type": "hard", "name": "pass_rate", "direction": "maximize"}}

_FIRST_RUN_JUDGE = {"sample_size": 10, "batch_size": 5, "max_total_cost_usd": 5}


def evalset_yaml(evalset: EvalSet) -> str:
    """The file of an eval set; reads back as the same eval set."""
    head: dict[str, Any] = {"name": evalset.name}
    if evalset.check is not None:
        head["check"] = check_document(evalset.check)
    return dump({**head, "cases": [case_document(case) for case in evalset.cases]})


def case_document(case: Case) -> dict[str, Any]:
    """A case as plain values, without the keys that say nothing."""
    values = case.model_dump(mode="json", exclude_defaults=True, exclude={"check"})
    if case.check is not None:
        values["check"] = check_document(case.check)
    return values


def check_document(check: Check) -> dict[str, Any]:
    """A check as plain values, its type first."""
    values = check.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"type", "checks"})
    parts = {"checks": [check_document(inner) for inner in check.checks]} if check.type == "all" else {}
    return {"type": check.type, **values, **parts}


def minimal_spec_yaml(
    name: str,
    description: str,
    target: Mapping[str, Any],
    evalset: Mapping[str, Any],
    *,
    metric: Mapping[str, Any] = PASS_RATE,
    sections: Mapping[str, Any] | None = None,
) -> str:
    """A spec for a first run: small, serial and capped. `sections` are further keys, written as they are."""
    parts: list[tuple[str, dict[str, Any]]] = [
        ("`ceopt run FILE --show-config` prints every setting in force.", {"name": name, "description": description}),
        ("The text to make better.", {"target": dict(target)}),
        ("The cases it is measured on; half of them only confirm.", {"evalset": dict(evalset)}),
        ("What better means.", {"metric": _first_run_metric(metric)}),
        *(("", {key: value}) for key, value in (sections or {}).items()),
        ("One experiment at a time.", {"execution": {"mode": "serial"}}),
        (
            "When to stop, whatever comes first. The cost is that of all models together.",
            {"stopping": {"max_iterations": 4, "max_hours": 1, "max_total_cost_usd": 5}},
        ),
    ]
    return "\n".join(f"# {comment}\n{dump(values)}" if comment else dump(values) for comment, values in parts)


def _first_run_metric(metric: Mapping[str, Any]) -> dict[str, Any]:
    judge = metric.get("judge")
    return {**metric, "judge": {**judge, **_FIRST_RUN_JUDGE, **judge}} if judge else dict(metric)
