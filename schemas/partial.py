"""Builds what is valid of a model from data that is not, so that rules between keys are checked in the same pass.

Reading a field that was invalid or missing raises AttributeError; a rule that needs it is then left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from schemas.key_names import models_in
from schemas.scalars import is_null


def valid_part(model: type[BaseModel], data: Mapping[str, Any]) -> Any:
    """An unchecked instance of `model` that has every field of `data` which is valid by itself."""
    values: dict[str, Any] = {}
    absent: list[str] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        if key not in data or is_null(data[key]):
            continue
        try:
            values[name] = _adapter(model, name).validate_python(data[key])
        except ValidationError:
            nested = _nested(field, data[key])
            if nested is None:
                absent.append(name)
            else:
                values[name] = nested
    instance = model.model_construct(**values)
    for name in absent:
        instance.__dict__.pop(name, None)
    return instance


def _nested(field: FieldInfo, value: Any) -> Any:
    """The valid part of a section; lists and maps of sections are valid or not as a whole."""
    models = list(models_in(field.annotation))
    single = len(models) == 1 and "tuple" not in str(field.annotation) and "dict" not in str(field.annotation)
    return valid_part(models[0], value) if single and isinstance(value, Mapping) else None


@cache
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    field = model.model_fields[name]
    annotation: Any = field.annotation
    for item in field.metadata:
        annotation = Annotated[annotation, item]
    return TypeAdapter(annotation)
