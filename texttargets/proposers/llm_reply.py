"""Reads a proposer model's reply: one JSON object with edits, or why it cannot be used. Nothing is repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ceopt_tui.errors import ProposalError
from texttargets.edits import Edit, SectionEdit
from texttargets.json_reply import only_json

_STRING = {"type": "string"}


@dataclass(frozen=True)
class Append:
    """Add `text` at the end of a file; without `path` of the first one."""

    text: str
    path: str | None = None


@dataclass(frozen=True)
class Rewrite:
    """A reply that was understood: edits of what is there, texts to add at the end, and the reason given."""

    edits: tuple[Edit | SectionEdit, ...]
    appended: tuple[Append, ...]
    why: str


def reply_schema(paths: Sequence[str]) -> Mapping[str, Any]:
    """The reply for these files; where there are several, each edit names its own."""
    where = {"path": {"type": "string", "enum": list(paths)}} if len(paths) > 1 else {}
    shapes = [
        {**where, "append": _STRING},
        {**where, "search": _STRING, "replace": _STRING},
        {**where, "section": _STRING, "replace": _STRING},
    ]
    # The reason comes first: a small model decides better once it has said why.
    return _object({"why": _STRING, "edits": {"type": "array", "items": {"anyOf": [_object(one) for one in shapes]}}})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def parse_reply(reply: str) -> Rewrite:
    """The edits of a reply that is one JSON object, bare or in one fence. Raises ProposalError."""
    try:
        value = only_json(reply)
    except ValueError as error:
        raise ProposalError(f"The reply is not one JSON object: {error}.") from error
    if not isinstance(value, dict) or not isinstance(value.get("edits"), list):
        raise ProposalError('The reply is not an object with a list named "edits".')
    why = value.get("why", "")
    found = [_edit(number, entry) for number, entry in enumerate(value["edits"], 1)]
    return Rewrite(
        tuple(edit for edit in found if not isinstance(edit, Append)),
        tuple(edit for edit in found if isinstance(edit, Append)),
        why if isinstance(why, str) else "",
    )


def accept_reply(text: str) -> None:
    """Raises ValueError for replies that are not worth keeping in a cache."""
    try:
        parse_reply(text)
    except ProposalError as error:
        raise ValueError(error.message) from error


def _edit(number: int, entry: Any) -> Edit | SectionEdit | Append:
    if not isinstance(entry, dict) or any(not isinstance(value, str) for value in entry.values()):
        raise ProposalError(f"Edit {number} is not an object of texts.")
    keys = set(entry)
    if keys in ({"append"}, {"append", "path"}):
        return Append(entry["append"], entry.get("path"))
    if keys in ({"search", "replace"}, {"search", "replace", "path"}):
        return Edit(entry["search"], entry["replace"], entry.get("path"))
    if keys in ({"section", "replace"}, {"section", "replace", "path"}):
        return SectionEdit(entry["section"], entry["replace"], entry.get("path"))
    wanted = "append, search and replace, or section and replace"
    raise ProposalError(f"Edit {number} has the keys {', '.join(sorted(keys))}; {wanted} are wanted.")
