"""Reads the ideas in an agent's last message: one JSON object, bare or in one fence. Nothing is repaired."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, cast

from ceopt_tui.core.ports import HypothesisDraft
from ceopt_tui.engine.backends.agents.failing import AgentFailed

_FENCED = re.compile(r"```[ \t]*(?:json)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```", re.DOTALL | re.IGNORECASE)
_SAID = ("expected_benefit", "cost_and_risk", "evidence", "share")


def ideas_in(message: str, move: str) -> list[HypothesisDraft]:
    """The ideas, in the agent's own order. Raises AgentFailed."""
    found = _object(message).get("ideas")
    if not isinstance(found, list):
        raise AgentFailed('the reply has no list named "ideas"')
    return [_idea(number, entry, move) for number, entry in enumerate(found, 1)]


def _object(message: str) -> dict[str, Any]:
    fenced = _FENCED.findall(message)
    if len(fenced) > 1:
        raise AgentFailed("the reply holds several fenced blocks; one JSON object is wanted")
    try:
        value = json.loads(fenced[0] if fenced else message)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half a character could not be put on record
    except (ValueError, RecursionError) as error:
        raise AgentFailed(f"the reply is not one JSON object: {error}") from error
    if not isinstance(value, dict):
        raise AgentFailed("the reply is not a JSON object")
    return value


def _idea(number: int, entry: Any, move: str) -> HypothesisDraft:
    description = entry.get("description") if isinstance(entry, dict) else None
    if not isinstance(description, str) or not description.strip():
        raise AgentFailed(f"idea {number} has no description")
    said = {key: str(entry[key]) for key in _SAID if entry.get(key)}
    packages, confidence = entry.get("dependencies"), entry.get("confidence")
    return HypothesisDraft(
        description.strip(),
        str(entry.get("category") or "other"),
        move,
        {"description": description.strip()},
        expected_benefit=said.get("expected_benefit", "unknown"),
        confidence=cast(
            Literal["high", "medium", "low"], confidence if confidence in ("high", "medium", "low") else "low"
        ),
        rank=-float(number),
        required_deps=tuple(str(name) for name in packages) if isinstance(packages, list) else (),
        opportunity={"workload": "what the measuring command runs", "baseline": "the best commit so far", **said},
    )
