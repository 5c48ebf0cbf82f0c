"""Payloads for decision tests: small builders, no expectations."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def spec(
    *,
    stability: Json | None = None,
    objectives: list[Json] | None = None,
    judge: Json | None = None,
    gates: list[Json] | None = None,
    direction: str = "maximize",
    **more: Any,
) -> Json:
    """A valid spec with the primary `score`; judged when `judge` is given."""
    metric: Json = {
        "primary": {"type": "hard" if judge is None else "judge", "name": "score", "direction": direction},
        "degenerate_gates": [{"name": "errors", "check": "== 0"}] if gates is None else gates,
    }
    if objectives is not None:
        metric["objectives"] = objectives
    if judge is not None:
        metric["judge"] = {"rubric": "r", "scoring": {"primary": "score"}, **judge}
    measurement: Json = {"command": "m", "stability": {"mode": "stable", **(stability or {})}}
    return {"name": "t", "description": "d", "metric": metric, "measurement": measurement, **more}


def snapshot(score: Any = None, **more: Any) -> Json:
    """A snapshot whose gates hold."""
    metrics = {} if score is None else {"score": score}
    return {"gates": {"errors": 0}, "metrics": {**metrics, **more.pop("metrics", {})}, **more}


def payload(before: Any, after: Any, the_spec: Json | None = None, **more: Any) -> Json:
    """Reference and candidate; numbers and samples are scores, mappings with gates are whole snapshots."""

    def side(value: Any) -> Json:
        return value if isinstance(value, dict) and "gates" in value else snapshot(value)

    return {"spec": the_spec or spec(), "baseline": side(before), "candidate": side(after), **more}


def evidence_spec(**more: Any) -> Json:
    """A judged text target; the evidence method is its default."""
    judge = more.pop("judge", {})
    return spec(judge=judge, target={"files": ["p.md"]}, **more)


def runs(prefix: str, scores: list[list[float]]) -> Json:
    """A snapshot with runs per case."""
    return {"gates": {"errors": 0}, "runs": {f"{prefix}{number}": row for number, row in enumerate(scores)}}
