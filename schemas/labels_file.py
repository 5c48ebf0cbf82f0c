"""The labels file as YAML: ceopt writes it, a person may delete entries. Writing to disk is the caller's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.labels import LabelEntry, Labels
from schemas.loading import parse, read_bytes
from schemas.yaml_dump import dump
from schemas.yaml_strict import EVALSET_BYTES

_HEAD = "# A person's scores of outputs, given without sight of the judge's. Written by ceopt.\n"


def load_labels(path: Path) -> Labels:
    """The labels file at `path`. Raises InputError with every problem."""
    return parse(Labels, read_bytes(path, EVALSET_BYTES), str(path), limit=EVALSET_BYTES)


def labels_yaml(labels: Labels) -> str:
    """The text of a labels file; reads back as the same labels."""
    head: dict[str, Any] = {"version": labels.version, **labels.binding._asdict()}
    return _HEAD + dump({**head, "labels": [_document(label) for label in labels.labels]})


def _document(label: LabelEntry) -> dict[str, Any]:
    values = label.model_dump(mode="json", exclude_defaults=True)
    return {key: _short(value) for key, value in values.items()}


def _short(value: Any) -> Any:
    """Scores as people write them: 4, not 4.0."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
