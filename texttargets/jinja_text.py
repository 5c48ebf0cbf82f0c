"""Jinja templates rendered in a sandbox, with unknown variables left in place."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import TemplateError, Undefined, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ceopt_tui.errors import InputError, Problem


def as_text(value: object) -> str:
    """A value as it is put into a text: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def fill_jinja(text: str, values: Mapping[str, Any], marks: Sequence[tuple[int, int]]) -> str:
    """Render a template; expressions among `marks` (their spans) that need a variable not given stay literal.

    Raises InputError with the line when the template is wrong.
    """
    environment = ImmutableSandboxedEnvironment(
        keep_trailing_newline=True,
        newline_sequence="\r\n" if "\r\n" in text else "\n",
        finalize=lambda value: value if isinstance(value, Undefined) else as_text(value),
    )
    try:
        missing = meta.find_undeclared_variables(environment.parse(text)) - values.keys()
        return environment.from_string(_protect(text, marks, missing, environment)).render(values)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        line = getattr(error, "lineno", None) or 0
        raise InputError([Problem("template", line, "", f"cannot be rendered: {error}")]) from error


def _protect(
    text: str, marks: Sequence[tuple[int, int]], missing: set[str], environment: ImmutableSandboxedEnvironment
) -> str:
    parts = []
    done = 0
    for start, end in marks:
        mark = text[start:end]
        if mark.startswith("{{") and missing & meta.find_undeclared_variables(environment.parse(mark)):
            parts += [text[done:start], "{% raw %}", mark, "{% endraw %}"]
            done = end
    return "".join([*parts, text[done:]])
