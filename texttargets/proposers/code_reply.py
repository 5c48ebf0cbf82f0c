"""Reads what a model that edits code replies: ideas, or edits of files. Nothing is repaired."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from ceopt_tui.core.ports import Accept, HypothesisDraft
from ceopt_tui.errors import ProposalError
from texttargets.edits import Edit
from texttargets.json_reply import only_json

MOVE = "edit code"
_STRING = {"type": "string"}
IDEAS_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "ideas": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "description": _STRING,
                    "category": _STRING,
                    "expected_benefit": _STRING,
                    "confidence": {"enum": ["high", "medium", "low"]},
                    "cost_and_risk": _STRING,
                    "evidence": _STRING,
                    "share": _STRING,
                    "dependencies": {"type": "array", "items": _STRING},
                },
                "required": [
                    "description", "category", "expected_benefit", "confidence", "cost_and_risk", "evidence",
                    "share", "dependencies",
                ],
                "additionalProperties": False,
            },
        }
    },
    "required": ["ideas"],
    "additionalProperties": False,
}  # fmt: skip
EDIT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"why": _STRING, "edits": {"type": "array", "items": {"type": "object"}}},
    "required": ["why", "edits"],
}


@dataclass(frozen=True)
class CodeChange:
    """What a reply wants done: edits of files, files written anew, files deleted, and the reason given."""

    edits: tuple[Edit, ...]
    written: tuple[tuple[str, str], ...]  # path and content, as often as it was said
    deleted: tuple[str, ...]
    why: str


def parse_ideas(reply: str) -> list[HypothesisDraft]:
    """The ideas of a reply, in its own order. Raises ProposalError."""
    value = _object(reply)
    if not isinstance(value.get("ideas"), list):
        raise ProposalError('The reply has no list named "ideas".')
    return [_idea(number, entry) for number, entry in enumerate(value["ideas"], 1)]


def parse_change(reply: str) -> CodeChange:
    """The change of a reply. Raises ProposalError."""
    value = _object(reply)
    if not isinstance(value.get("edits"), list):
        raise ProposalError('The reply has no list named "edits".')
    edits: list[Edit] = []
    written: list[tuple[str, str]] = []
    deleted: list[str] = []
    for number, entry in enumerate(value["edits"], 1):
        path, keys = _path(number, entry), set(entry) - {"path"}
        if keys == {"search", "replace"} and all(isinstance(entry[key], str) for key in keys):
            edits.append(Edit(entry["search"], entry["replace"], path))
        elif keys == {"content"} and isinstance(entry["content"], str):
            written.append((path, entry["content"]))
        elif keys == {"delete"} and entry["delete"] is True:
            deleted.append(path)
        else:
            wanted = "search and replace, content, or delete"
            raise ProposalError(f"Edit {number} has the keys {', '.join(sorted(keys))}; {wanted} are wanted.")
    why = value.get("why", "")
    return CodeChange(tuple(edits), tuple(written), tuple(deleted), why if isinstance(why, str) else "")


def accept(parse: Callable[[str], object]) -> Accept:
    """Raises ValueError for replies that are not worth keeping in a cache."""

    def check(text: str) -> None:
        try:
            parse(text)
        except ProposalError as error:
            raise ValueError(error.message) from error

    return check


def _object(reply: str) -> dict[str, Any]:
    try:
        value = only_json(reply)
    except ValueError as error:
        raise ProposalError(f"The reply is not one JSON object: {error}.") from error
    if not isinstance(value, dict):
        raise ProposalError("The reply is not a JSON object.")
    return value


def _path(number: int, entry: Any) -> str:
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str) or not entry["path"].strip():
        raise ProposalError(f"Edit {number} names no file.")
    return str(entry["path"])


def _idea(number: int, entry: Any) -> HypothesisDraft:
    if not isinstance(entry, dict) or not str(entry.get("description") or "").strip():
        raise ProposalError(f"Idea {number} has no description.")
    said = {
        key: str(entry[key]) for key in ("expected_benefit", "cost_and_risk", "evidence", "share") if entry.get(key)
    }
    packages = entry.get("dependencies") or []
    confidence = entry.get("confidence")
    known = confidence if confidence in {"high", "medium", "low"} else "low"
    return HypothesisDraft(
        str(entry["description"]).strip(),
        str(entry.get("category") or "other"),
        MOVE,
        {"description": str(entry["description"]).strip()},
        expected_benefit=said.get("expected_benefit", "unknown"),
        confidence=cast(Literal["high", "medium", "low"], known),
        rank=-float(number),
        required_deps=tuple(str(name) for name in packages) if isinstance(packages, list) else (),
        opportunity={"workload": "what the measuring command runs", "baseline": "the best commit so far", **said},
    )
