"""JSON Schemas of the files a person writes, for editors.

`python -m schemas.json_schema` writes them beside this file.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from schemas.evalset import EvalSet
from schemas.experiment_log import ExperimentLog
from schemas.key_names import models_in
from schemas.labels import Labels
from schemas.result_marker import ResultMarker
from schemas.spec import Spec
from schemas.study import Hypotheses, Study
from schemas.study_cases import StudyCases

MODELS: dict[str, type[BaseModel]] = {
    "spec": Spec,
    "evalset": EvalSet,
    "result": ResultMarker,
    "experiment-log": ExperimentLog,
    "labels": Labels,
    "study": Study,
    "hypotheses": Hypotheses,
    "study-cases": StudyCases,
}
FILES = ("spec", "evalset")

_BOUNDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a file kind; KeyError for an unknown one."""
    model = MODELS[name]
    schema = model.model_json_schema(by_alias=True)
    for found in _models_below(model, set()):
        _describe(found, schema if found is model else schema["$defs"][found.__name__])
    if model is Spec:
        _relax_for_text_targets(schema)
    schema = _plain(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _plain(node: Any) -> Any:
    """Standard words for bounds, no generated titles, and text as editors see unquoted text: maybe a number."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {_BOUNDS.get(key, key): _plain(value) for key, value in node.items() if not _is_title(key, value)}
    if plain.get("type") == "string" and not plain.keys() & {"enum", "const", "pattern"}:
        plain["type"] = ["string", "number", "boolean"]
    return plain


def _is_title(key: str, value: Any) -> bool:
    return key == "title" and isinstance(value, str)


def schema_text(name: str) -> str:
    """The schema as its file holds it."""
    return json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n"


def schema_file(name: str) -> Path:
    """Where the schema of a file kind is kept."""
    return Path(__file__).with_name(f"{name}.schema.json")


def _models_below(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    if model in seen:
        return
    seen.add(model)
    yield model
    for field in model.model_fields.values():
        for inner in models_in(field.annotation):
            yield from _models_below(inner, seen)


def _describe(model: type[BaseModel], schema: dict[str, Any]) -> None:
    """Adds the docstring under each field as its description."""
    for name, text in _field_docstrings(model):
        key = model.model_fields[name].alias or name
        schema["properties"][key]["description"] = text


def _field_docstrings(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, following in zip(body.body, body.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            yield field.target.id, inspect.cleandoc(str(following.value.value))


def _relax_for_text_targets(schema: dict[str, Any]) -> None:
    """Gates, scope and command have defaults for text targets, so only other specs must write them."""
    metric = schema["$defs"]["Metric"]
    metric["required"] = [key for key in metric["required"] if key != "degenerate_gates"]
    schema["required"] = [key for key in schema["required"] if key != "scope"]
    gates = {"properties": {"metric": {"required": ["degenerate_gates"]}}}
    command = {"properties": {"measurement": {"required": ["command"]}}}
    scope = {"properties": {"scope": {"required": ["mutable", "immutable"]}}}
    schema["if"] = {"not": {"required": ["target"]}}
    schema["then"] = {"required": ["scope", "measurement"], "allOf": [gates, command, scope]}
    scope_keys = schema["$defs"]["Scope"]
    scope_keys.pop("required")


if __name__ == "__main__":
    for kind in FILES:
        schema_file(kind).write_text(schema_text(kind), encoding="utf-8")
