"""A small coverage map with a rule of most kinds."""

from __future__ import annotations

from typing import Any

from schemas.coverage import CaseWithoutRule, Coverage, RuleCoverage


def seen(effect: str, difference: float = 0.0) -> CaseWithoutRule:
    return CaseWithoutRule(difference=difference, z=10 * difference, effect=effect)  # type: ignore[arg-type]


def rule(number: int, status: str, **more: Any) -> RuleCoverage:
    values = {"file": "p.md", "rule": f"r-{number}", "line": number, "text": f"Rule {number}.", "why": "because"}
    return RuleCoverage(**{**values, "status": status, **more})


COVERED = rule(
    1, "covered", mean=-0.5, z=-3.0, cases={"a": seen("loses", -1), "b": seen("same"), "c": seen("touchy")}, lost=("d",)
)
UNCOVERED = rule(2, "uncovered", mean=0.0, z=0.0, cases={case: seen("same") for case in "abcd"}, idea="Write one.")
HARMFUL = rule(3, "harmful", mean=0.25, z=3.0, cases={"a": seen("wins", 1), "b": seen("same")})
NEEDED = rule(4, "needed", why="a placeholder stands in it")


def coverage(*rules: RuleCoverage, **more: Any) -> Coverage:
    values: dict[str, Any] = {
        "text_digest": "t", "measurement_digest": "m", "model": "openai/x", "span": 1, "cases": tuple("abcd"),
        "held_out": 4, "deterministic": True, "runs": 4, "runs_without": 1, "neutral_copies": 3, "bar": 2.326,
        "requests": 7, "from_cache": 0, "usd": 0.1, "rules": rules,
    }  # fmt: skip
    return Coverage(**{**values, **more})


WHOLE = coverage(COVERED, UNCOVERED, HARMFUL, NEEDED)
