"""Jinja templates rendered in a sandbox, with what their values do not hold left in place."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import TemplateError, Undefined, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ceopt_tui.errors import InputError, Problem

Span = tuple[int, int]


class _NotPlain(Exception):
    """An expression that is more than a path into the values."""


def as_text(value: object) -> str:
    """A value as it is put into a text: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def free_variables(text: str) -> tuple[str, ...]:
    """Names a template takes from its values, each once, in reading order. InputError when it is no template."""
    try:
        return _read(text, ()).asked
    except TemplateError as error:
        raise _wrong(error) from error


def fill_jinja(text: str, values: Mapping[str, Any], marks: Sequence[Span]) -> str:
    """Render a template; expressions among `marks` that need what is not given stay literal.

    Raises InputError with the line when the template is wrong.
    """
    return _rendered(text, values, marks, lambda span: text[span[0] : span[1]])


def open_marks(text: str, values: Mapping[str, Any], marks: Sequence[Span]) -> list[str]:
    """Expressions that `fill_jinja` leaves standing where they come to be printed. InputError as there."""
    tokens = {f"\x00{number}\x00": span for number, span in enumerate(marks)}
    by_span = {span: token for token, span in tokens.items()}
    filled = _rendered(text, values, marks, by_span.__getitem__)
    return [text[start:end] for token, (start, end) in tokens.items() if token in filled]


def _rendered(text: str, values: Mapping[str, Any], marks: Sequence[Span], standing: Callable[[Span], str]) -> str:
    try:
        parts, done = [], 0
        for start, end in _open_spans(text, values, marks):
            parts += [text[done:start], "{% raw %}", standing((start, end)), "{% endraw %}"]
            done = end
        return _environment(text).from_string("".join([*parts, text[done:]])).render(values)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise _wrong(error) from error


def _environment(text: str) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        keep_trailing_newline=True,
        newline_sequence="\r\n" if "\r\n" in text else "\n",
        finalize=lambda value: value if isinstance(value, Undefined) else as_text(value),
    )


def _wrong(error: Exception) -> InputError:
    line = getattr(error, "lineno", None) or 0
    return InputError([Problem("template", line, "", f"cannot be rendered: {error}")])


@dataclass(frozen=True)
class _Template:
    """`asked`: names from outside. `own`: names it sets itself. `printed`: expressions with the names they need."""

    environment: ImmutableSandboxedEnvironment
    asked: tuple[str, ...]
    own: frozenset[str]
    printed: tuple[tuple[Span, nodes.Template, frozenset[str]], ...]


@lru_cache(maxsize=16)  # one text is filled for every case
def _read(text: str, marks: tuple[Span, ...]) -> _Template:
    environment = _environment(text)
    tree = environment.parse(text)
    asked = _free(tree, environment)
    printed = []
    for start, end in marks:
        if text.startswith("{{", start):
            mark = environment.parse(text[start:end])
            if not _provides_for_absence(mark):
                printed.append(((start, end), mark, frozenset(_free(mark, environment)) & set(asked)))
    own = frozenset(node.name for node in tree.find_all(nodes.Name) if node.ctx == "store")
    return _Template(environment, asked, own, tuple(printed))


def _free(tree: nodes.Template, environment: ImmutableSandboxedEnvironment) -> tuple[str, ...]:
    free = meta.find_undeclared_variables(tree) - environment.globals.keys()
    return tuple(dict.fromkeys(node.name for node in tree.find_all(nodes.Name) if node.name in free))


def _open_spans(text: str, values: Mapping[str, Any], marks: Sequence[Span]) -> list[Span]:
    template = _read(text, tuple(marks))
    return [
        span
        for span, mark, needed in template.printed
        if needed - values.keys() or not _all_there(mark, values, needed - template.own, template.environment)
    ]


def _provides_for_absence(mark: nodes.Template) -> bool:
    """Does the expression itself say what stands there where a value is missing?"""
    filters = {node.name for node in mark.find_all(nodes.Filter)}
    tests = {node.name for node in mark.find_all(nodes.Test)}
    return bool(filters & {"default", "d"} or tests & {"defined", "undefined"})


def _all_there(
    mark: nodes.Template, values: Mapping[str, Any], roots: frozenset[str], environment: ImmutableSandboxedEnvironment
) -> bool:
    """Does every path of the expression that begins at one of `roots` lead to a value?"""
    for node in mark.find_all((nodes.Getattr, nodes.Getitem)):
        try:
            if isinstance(_value(node, values, roots, environment), Undefined):
                return False
        except _NotPlain:
            continue
    return True


def _value(
    node: nodes.Node, values: Mapping[str, Any], roots: frozenset[str], environment: ImmutableSandboxedEnvironment
) -> Any:
    if isinstance(node, nodes.Name) and node.name in roots:
        return values[node.name]
    if not isinstance(node, (nodes.Getattr, nodes.Getitem)):
        raise _NotPlain
    before = _value(node.node, values, roots, environment)
    if isinstance(before, Undefined):
        return before
    if isinstance(node, nodes.Getattr) and not node.attr.startswith("_"):  # the sandbox refuses those by itself
        return environment.getattr(before, node.attr)
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return environment.getitem(before, node.arg.value)
    raise _NotPlain
