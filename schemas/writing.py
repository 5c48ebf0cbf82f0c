"""Writes specs and eval sets as a person would: only what has to be said, in reading order, with short comments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from schemas.checks import Check
from schemas.evalset import Case, EvalSet
from schemas.yaml_dump import dump

PASS_RATE = {"primary": {"type": "hard", "name": "pass_rate", "direction": "maximize"}}

FIRST_RUN_STOPPING = {"max_iterations": 4, "max_hours": 1, "max_total_cost_usd": 5}
_FIRST_RUN_JUDGE = {"sample_size": 10, "batch_size": 5, "max_total_cost_usd": 5}
_NOT_PLAIN_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def evalset_yaml(evalset: EvalSet) -> str:
    """The file of an eval set; reads back as the same eval set."""
    head: dict[str, Any] = {"name": evalset.name}
    if evalset.check is not None:
        head["check"] = check_document(evalset.check)
    return dump({**head, "cases": [case_document(case) for case in evalset.cases]})


def evalset_json(evalset: EvalSet) -> str:
    """The same as JSON that readers of YAML read alike: what ends a line there is escaped."""
    head = {} if evalset.check is None else {"check": check_document(evalset.check)}
    values = {"name": evalset.name, **head, "cases": [case_document(case) for case in evalset.cases]}
    text = json.dumps(values, ensure_ascii=False, indent=2) + "\n"
    return _NOT_PLAIN_IN_YAML.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


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
    models: Mapping[str, Any] | None = None,
    stopping: Mapping[str, Any] = FIRST_RUN_STOPPING,
) -> str:
    """A spec for a first run: small, serial and capped. `sections` are further keys, written as they are."""
    parts: list[tuple[str, dict[str, Any]]] = [
        ("`ceopt run FILE --show-config` prints every setting in force.", {"name": name, "description": description}),
        ("The text to make better.", {"target": dict(target)}),
        ("The cases it is measured on; half of them only confirm.", {"evalset": dict(evalset)}),
        ("What better means.", {"metric": _first_run_metric(metric)}),
        *([("Which model a tier means; without it the environment says.", {"models": dict(models)})] if models else []),
        *(("", {key: value}) for key, value in (sections or {}).items()),
        ("One experiment at a time.", {"execution": {"mode": "serial"}}),
        (
            "When to stop, whatever comes first. The cost is that of all models together.",
            {"stopping": dict(stopping)},
        ),
    ]
    return "\n".join(f"# {comment}\n{dump(values)}" if comment else dump(values) for comment, values in parts)


def _first_run_metric(metric: Mapping[str, Any]) -> dict[str, Any]:
    judge = metric.get("judge")
    return {**metric, "judge": {**judge, **_FIRST_RUN_JUDGE, **judge}} if judge else dict(metric)
