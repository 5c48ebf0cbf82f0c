"""How one scalar of a YAML file becomes a value: text stays as written, numbers and booleans only where a field asks.

Knows nothing of YAML itself; the reader marks unquoted scalars with `Plain` and the fields decide.
"""

from __future__ import annotations

import json
import math
import re
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*|(?=\.[0-9]))(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_LONGEST_INTEGER = 4000  # digits; Python itself refuses some more
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_NULL = frozenset({"", "~", "null"})


class Plain(str):
    """An unquoted scalar exactly as it stands in the file."""

    __slots__ = ()


def is_null(value: object) -> bool:
    """Whether an unquoted scalar says that there is no value."""
    return isinstance(value, Plain) and value in _NULL


def _refuse(kind: str, sentence: str) -> PydanticCustomError:
    return PydanticCustomError(kind, "{sentence}", {"sentence": sentence})


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "…"


def read_text(value: Any) -> Any:
    """The text of a scalar; anything else is refused."""
    if isinstance(value, str) and not is_null(value):
        return str(value)
    if is_null(value):
        raise _refuse("text_empty", f"needs a text; put {value or 'an empty text'} in quotes if it is meant as a text")
    what = "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else _shown(value)
    raise _refuse("text_type", f"must be text, not {what}; put the text in quotes")


def _number_of(value: Any, pattern: re.Pattern[str], wanted: str) -> str:
    if isinstance(value, Plain):
        if pattern.fullmatch(value):
            return str(value)
        raise _refuse("number_form", f"must be {wanted}, not {_shown(value) or 'empty'}")
    if isinstance(value, str):
        raise _refuse("number_quoted", f'must be {wanted}, not the text "{_shown(value)}"; remove the quotes')
    what = "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else _shown(value)
    raise _refuse("number_type", f"must be {wanted}, not {what}")


def _integer(written: str) -> int:
    digits = len(written.lstrip("+-"))
    if digits > _LONGEST_INTEGER:
        raise _refuse("number_long", f"holds a number of {digits} digits, which is too long; put it in quotes")
    return int(written)


def read_integer(value: Any) -> Any:
    """A whole number in decimal digits; forms that other readers take for octal or sixty-based are refused."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _integer(_number_of(value, _INTEGER, "a whole number"))


def read_number(value: Any) -> Any:
    """A finite number in decimal digits, with point and exponent where wanted."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
    else:
        number = float(_number_of(value, _NUMBER, "a number"))
    if not math.isfinite(number):
        raise _refuse("number_finite", "must be a finite number")
    return number


def read_flag(value: Any) -> Any:
    """true or false; yes, no, on and off are not taken for them."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Plain) and value in _TRUE | _FALSE:
        return value in _TRUE
    quoted = isinstance(value, str) and not isinstance(value, Plain)
    hint = "; remove the quotes" if quoted and value in _TRUE | _FALSE else ""
    raise _refuse("flag_form", f"must be true or false, not {_shown(value) or 'empty'}{hint}")


def _json_scalar(value: Plain) -> Any:
    if value in _NULL:
        return None
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    if _INTEGER.fullmatch(value):
        return _integer(value)
    if _NUMBER.fullmatch(value) and math.isfinite(float(value)):
        return float(value)
    return str(value)


def json_value(value: Any) -> Any:
    """A JSON value: unquoted numbers, true, false and null are those; everything else unquoted is text.

    `007`, `no`, `12:30` and dates stay text.
    """
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    return _json_scalar(value) if isinstance(value, Plain) else value


def exact_value(value: Any) -> Any:
    """A JSON value whose text form is what the file says: `5` is a number, `1.10` and `True` stay text."""
    if isinstance(value, dict):
        return {str(key): exact_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact_value(item) for item in value]
    if not isinstance(value, Plain):
        return value
    typed = _json_scalar(value)
    return typed if typed is None or json.dumps(typed) == value else str(value)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _json_map(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _refuse("map_type", "must be a mapping of names to values")
    return json_value(value)


Text = Annotated[str, BeforeValidator(read_text)]
Marks = Annotated[Text, Field(min_length=1)]
"""Any characters, white space too, but at least one."""
FilledText = Annotated[Marks, AfterValidator(_not_blank)]
Integer = Annotated[int, BeforeValidator(read_integer)]
Number = Annotated[float, BeforeValidator(read_number)]
Flag = Annotated[bool, BeforeValidator(read_flag)]
JsonMap = Annotated[dict[str, Any], BeforeValidator(_json_map)]


class Section(BaseModel):
    """A frozen mapping of a file: unknown keys are errors, `null` means "no value" where a field allows none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not any(is_null(value) for value in data.values()):
            return data
        return dict(cls._read_nulls(data))

    @classmethod
    def _read_nulls(cls, data: dict[str, Any]) -> Any:
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        for key, value in data.items():
            field = fields.get(key)
            if field is None or not is_null(value):
                yield key, value
            elif type(None) in get_args(field.annotation):
                yield key, None
            elif field.is_required() or not _is_collection(field.annotation):
                yield key, value
            # an empty list or section is one that is left out


def _is_collection(annotation: Any) -> bool:
    kind = getattr(annotation, "__origin__", annotation)
    return isinstance(kind, type) and issubclass(kind, (tuple, dict, BaseModel))
