"""What a reader is told on one case: the text by its role, and the input in words. Sends nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ceopt_tui.core.ports import Message
from schemas.evalset import Case
from texttargets.placeholders import fill, find_placeholders
from texttargets.strict_json import as_text
from texttargets.target_file import for_model

TextRole = Literal["system", "user", "template"]
WHOLE_INPUT = "input"  # the placeholder that takes an input that is one text


def case_messages(
    texts: Mapping[str, str], case: Case, role: TextRole, syntax: str, references: str = ""
) -> tuple[Message, ...]:
    """What is sent for a case; several target files follow one another in the order of their names."""
    text = "\n\n".join(for_model(texts[path]) for path in sorted(texts))
    if role == "template":
        return (Message("user", fill(text, _values(text, case, syntax), syntax)),)
    text, question = _apart(text, case, syntax)
    text += references
    if role == "user" or not question or not text.strip():
        return (Message("user", "\n\n".join(part for part in (text.rstrip("\n"), question) if part)),)
    return (Message("system", text), Message("user", question))


def question_of(case: Case) -> str:
    """The input alone, as a user would write it."""
    return case.input if isinstance(case.input, str) else _in_words(case.input)


def _values(text: str, case: Case, syntax: str) -> Mapping[str, Any]:
    """A text fills the one placeholder there is, or `input` where there are several."""
    if isinstance(case.input, dict):
        return case.input
    names = {mark.name for mark in find_placeholders(text, syntax) if mark.name}
    name = names.pop() if len(names) == 1 else WHOLE_INPUT
    return {name: case.input}


def _apart(text: str, case: Case, syntax: str) -> tuple[str, str]:
    """The text with what it asks for filled in, and the rest of the input as the user's words."""
    if isinstance(case.input, str):
        return text, case.input
    asked = {(mark.name or "").split(".")[0].split("[")[0] for mark in find_placeholders(text, syntax)}
    rest = {key: value for key, value in case.input.items() if key not in asked}
    filled = fill(text, {key: value for key, value in case.input.items() if key in asked}, syntax)
    return filled, _in_words(rest)


def _in_words(values: Mapping[str, Any]) -> str:
    if len(values) == 1:
        return as_text(next(iter(values.values())))
    return "\n".join(f"{key}: {as_text(value)}" for key, value in values.items())
