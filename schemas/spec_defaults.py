"""What a spec that leaves keys out means for text targets. Works on the mapping as read, before it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.paths import command_files, repository_path
from schemas.scalars import is_null

ERRORS_GATE = {"name": "errors", "check": "== 0", "description": "every case ran"}


def with_text_target_defaults(data: Mapping[str, Any]) -> dict[str, Any]:
    """`data` with gates, comparison, runner and scope filled in where a text target leaves them out."""
    filled = dict(data)
    target = data.get("target")
    if not isinstance(target, Mapping):
        return filled
    measurement = _section(data, "measurement")
    runner = _section(data, "runner")
    has_command = bool(measurement.get("command"))
    if has_command and "kind" not in runner:
        filled["runner"] = runner = {**runner, "kind": "command"}
    own_cases = runner.get("kind", "chat") != "command" or str(measurement.get("per_case")) in ("True", "true")
    if own_cases and _is_section(data, "measurement"):
        filled["measurement"] = _with_method(measurement)
    if _is_section(data, "metric"):
        filled["metric"] = {"degenerate_gates": [ERRORS_GATE], **_section(data, "metric")}
    if _is_section(data, "scope"):
        filled["scope"] = {**_scope(data, target, measurement), **_section(data, "scope")}
    return filled


def _section(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return dict(value) if isinstance(value, Mapping) else {}


def _is_section(data: Mapping[str, Any], key: str) -> bool:
    """Whether a default may be laid under the key: it is absent, empty or a mapping; else it is a fault."""
    value = data.get(key)
    return value is None or is_null(value) or isinstance(value, Mapping)


def _with_method(measurement: dict[str, Any]) -> dict[str, Any]:
    if not (_is_section(measurement, "stability") and _is_section(_section(measurement, "stability"), "comparison")):
        return measurement
    stability = _section(measurement, "stability")
    comparison = {"method": "evidence", **_section(stability, "comparison")}
    return {**measurement, "stability": {**stability, "comparison": comparison}}


def _scope(data: Mapping[str, Any], target: Mapping[str, Any], measurement: dict[str, Any]) -> dict[str, Any]:
    source = _section(data, "evalset")
    files = source.get("files")
    held_out = _section(source, "holdout").get("file")
    paths = [source.get("file"), *(files if isinstance(files, (list, tuple)) else ()), held_out]
    directory = str(measurement.get("working_directory") or ".")
    commands = command_files(str(measurement.get("command") or ""), directory)
    immutable = list(dict.fromkeys([*(str(path) for path in paths if path), *commands]))
    texts = target.get("files")
    mutable = [text for text in texts if _is_inside(text)] if isinstance(texts, (list, tuple)) else []
    return {"mutable": mutable, "immutable": [path for path in immutable if _is_inside(path)]}


def _is_inside(path: Any) -> bool:
    """Whether a scope may name the path; faults of the path are reported where it was written."""
    try:
        return isinstance(path, str) and bool(repository_path(path))
    except ValueError:
        return False
