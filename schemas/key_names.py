"""Places of a file: how a path is written, what it leads to, and which keys a model knows there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel

ABSENT: Any = object()
"""Stands for a value that a path does not lead to."""


def key_text(path: Sequence[str | int]) -> str:
    """A path as a person writes it: `metric.objectives[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def visible(text: str, limit: int = 400) -> str:
    """`text` fit for a message: control characters written out, and cut where nobody reads on."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in short)


def keys_at(model: type[BaseModel], path: Sequence[str | int], data: Any) -> set[str]:
    """The keys allowed in the mapping at `path`."""
    models = [model]
    for part in path:
        data = step(data, part)
        if isinstance(part, str):
            # a part that is no field is the free name in a mapping of models, which the models already stand for
            models = [inner for outer in models for inner in _models_of_key(outer, part)] or models
    return {name for found in _of_type(models, data) for name in key_names(found)}


def key_names(model: type[BaseModel]) -> set[str]:
    """The keys of a model as a file writes them."""
    return {field.alias or name for name, field in model.model_fields.items()}


def places_of(model: type[BaseModel], key: str) -> list[str]:
    """The sections that know a key, as paths from the root."""
    return sorted({".".join(path) for path, found in _sections(model, ()) if path and key in key_names(found)})


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Every model an annotation mentions, however deep."""
    if isinstance(annotation, type) and get_origin(annotation) is None and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for inner in get_args(annotation):
            yield from models_in(inner)


def _sections(model: type[BaseModel], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    yield path, model
    for name, field in model.model_fields.items():
        if name not in path:  # a check may hold checks
            for inner in models_in(field.annotation):
                yield from _sections(inner, (*path, field.alias or name))


def _models_of_key(model: type[BaseModel], key: str) -> list[type[BaseModel]]:
    for name, field in model.model_fields.items():
        if (field.alias or name) == key:
            return list(models_in(field.annotation))
    return []


def _of_type(models: list[type[BaseModel]], data: Any) -> list[type[BaseModel]]:
    """Of the branches of a union only the one that the data's `type` names."""
    kind = data.get("type") if isinstance(data, dict) else None
    fitting = [model for model in models if "type" in model.model_fields and kind in _words(model)]
    return fitting or models


def _words(model: type[BaseModel]) -> tuple[Any, ...]:
    return get_args(model.model_fields["type"].annotation)


def step(data: Any, part: str | int) -> Any:
    """The value under one part of a path, or ABSENT."""
    if isinstance(data, dict):
        return data.get(part, ABSENT)
    within = isinstance(data, (list, tuple)) and isinstance(part, int) and part < len(data)
    return data[part] if within else ABSENT
