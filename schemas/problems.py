"""Turns what pydantic found into plain sentences with file, line and key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ceopt_tui.errors import Problem
from schemas.key_names import ABSENT, key_text, keys_at, places_of, step, visible
from schemas.yaml_strict import Document

Path = tuple[str | int, ...]

_SECRET_WORDS = ("key", "token", "password", "secret")


def problem_at(document: Document, path: Sequence[str | int], message: str) -> Problem:
    """A problem with the line of `path`, or of the nearest part of it that exists; of a case with its id."""
    name = _case_id(document, path)
    which = f" (case {visible(name, 60)})" if name and f"'{name}'" not in message else ""
    return Problem(document.file, document.line(path), visible(key_text(path), 120), visible(message) + which)


def _case_id(document: Document, path: Sequence[str | int]) -> str:
    """The id of the case that a path leads into: people know a case by it, not by its place."""
    name = document.at((*path[:2], "id")) if len(path) > 2 and path[0] == "cases" else None
    return name if isinstance(name, str) else ""


def problems_of(error: ValidationError, model: type[BaseModel], document: Document) -> list[Problem]:
    """Every error as a problem, in the order of the file."""
    details_of_all = error.errors(include_url=False)
    # a list with one wrong entry is also reported as too short
    within = {details["loc"][:depth] for details in details_of_all for depth in range(len(details["loc"]))}
    direct = [
        details for details in details_of_all if not (details["type"] == "too_short" and details["loc"] in within)
    ]
    written = [details for details in direct if not _is_derived(details, document)]
    found = [_problem(details, model, document) for details in written or direct]
    return sorted(dict.fromkeys(found), key=lambda problem: problem.line)


def closest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The known word that `word` most likely stands for; None when none is as similar as `cutoff` (0 to 1)."""
    near = difflib.get_close_matches(word, sorted(known), n=1, cutoff=cutoff)
    return near[0] if near else None


def path_in_data(location: Sequence[str | int], data: Any, kind: str) -> Path:
    """The location without the names of union branches that pydantic puts into it."""
    path: list[str | int] = []
    for part in location:
        inner = step(data, part)
        if inner is not ABSENT:
            data = inner
        elif kind != "missing" or part != location[-1]:
            continue
        path.append(part)
    return tuple(path)


def _is_derived(details: ErrorDetails, document: Document) -> bool:
    """Whether the fault is of a value that nobody wrote; it follows from a fault that is reported at its source."""
    location = details["loc"]
    return len(location) > 1 and isinstance(document.data, dict) and location[0] not in document.data


def _problem(details: ErrorDetails, model: type[BaseModel], document: Document) -> Problem:
    path = path_in_data(details["loc"], document.data, details["type"])
    return problem_at(document, path, _sentence(details, path, model, document))


def _sentence(details: ErrorDetails, path: Path, model: type[BaseModel], document: Document) -> str:
    kind, context = details["type"], details.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(str(path[-1]), path, model, document)
    if kind == "literal_error":
        return _wrong_word(details["input"], str(context["expected"]))
    if kind == "string_pattern_mismatch":
        return f'must be lower-case words joined by hyphens, such as "support-triage"; got "{details["input"]}"'
    if kind == "value_error":
        return str(context["error"])
    if kind == "too_short" and isinstance(details["input"], str):
        return "must not be empty"
    if kind == "too_long" and isinstance(details["input"], str):
        return f"must be at most {context['max_length']} letters long, not {context['actual_length']}"
    if kind == "union_tag_invalid":
        words = str(context["expected_tags"])
        return f"has an unknown type; it {_wrong_word(context['tag'], words)}"
    if kind in ("model_attributes_type", "union_tag_not_found") and isinstance(details["input"], str):
        return f"must be a mapping, such as {{type: {details['input']}}}"
    if "sentence" in context:
        return str(context["sentence"])
    sentence = _SENTENCES.get(kind)
    return sentence.format(**context) if sentence else details["msg"]


_SENTENCES = {
    "missing": "is required and missing",
    "model_type": "must be a mapping of keys to values",
    "model_attributes_type": "must be a mapping of keys to values",
    "dict_type": "must be a mapping of names to values",
    "tuple_type": "must be a list; write one entry as [entry]",
    "too_short": "needs at least {min_length} entry",
    "string_too_short": "must not be empty",
    "string_too_long": "must not be longer than {max_length} characters",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "union_tag_not_found": "needs a `type`",
}


def _unknown_key(key: str, path: Path, model: type[BaseModel], document: Document) -> str:
    known = keys_at(model, path[:-1], document.data)
    near = closest(key, known)
    if near:
        return f"is not a known key; did you mean `{near}`?"
    if any(word in key.lower() for word in _SECRET_WORDS):
        return "is not a known key; secrets do not belong in this file, set the provider's environment variable"
    places = places_of(model, key)
    if places:
        return f"is not a known key here; it belongs in {' or '.join(f'`{place}`' for place in places)}"
    return f"is not a known key; the closest is `{closest(key, known, cutoff=0.0)}`"


def _wrong_word(value: object, expected: str) -> str:
    words = expected.replace("'", "").replace(" or ", ", ").split(", ")
    near = closest(str(value), words)
    shown = f'"{value}"' if isinstance(value, str) else "another kind of value"
    hint = f"; did you mean {near}?" if near else ""
    return f"must be one of {', '.join(words)}, not {shown}{hint}"
