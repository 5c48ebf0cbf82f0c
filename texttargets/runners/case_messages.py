"""What a reader is told on one case: the text by its role, and the input in words. Sends nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ceopt_tui.core.ports import Message
from ceopt_tui.errors import InputError
from schemas.evalset import Case
from texttargets.placeholders import fill, names_of, root_of
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
        return (Message("user", fill(text, values_of(names_of(text, syntax), case), syntax)),)
    text, question = _apart(text, case, syntax)
    text += references
    if role == "user" or not question or not text.strip():
        return (Message("user", _joined(text, question)),)
    return (Message("system", text), Message("user", question))


def question_of(case: Case) -> str:
    """The input alone, as a user would write it."""
    return case.input if isinstance(case.input, str) else _in_words(case.input)


def values_of(names: Sequence[str], case: Case) -> Mapping[str, Any]:
    """What fills the placeholders of these names: a text fills the only one, or `input` where there are several."""
    if isinstance(case.input, dict):
        return case.input
    return {names[0] if len(names) == 1 else WHOLE_INPUT: case.input}


def _apart(text: str, case: Case, syntax: str) -> tuple[str, str]:
    """The text with what it asks for filled in, and the rest of the input as the user's words."""
    if isinstance(case.input, str):
        return text, case.input
    taken = taken_keys(text, case.input, syntax)
    rest = {key: value for key, value in case.input.items() if key not in taken}
    if not taken:
        return text, _in_words(rest)
    return fill(text, {key: value for key, value in case.input.items() if key in taken}, syntax), _in_words(rest)


def taken_keys(text: str, values: Mapping[str, Any], syntax: str) -> frozenset[str]:
    """Keys of an input that a text asks for; a text that is no template of that kind asks for nothing."""
    try:
        names = names_of(text, syntax)
    except InputError:
        return frozenset()
    return frozenset(key for key in values if key in names or root_of(key) in names)


def _joined(text: str, question: str) -> str:
    """Text and input in one message; without an input every character of the text."""
    text = text if text.strip() else ""
    return "\n\n".join((text.rstrip("\r\n"), question)) if text and question else text or question


def _in_words(values: Mapping[str, Any]) -> str:
    if len(values) == 1:
        return as_text(next(iter(values.values())))
    return "\n".join(f"{key}: {as_text(value)}" for key, value in values.items())
