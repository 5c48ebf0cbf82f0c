"""What a worker elsewhere is handed: one JSON file. It holds the recipe and how to measure, and nothing held out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ValidationError

from ceopt_tui.core.command_ports import Recipe
from ceopt_tui.core.ports import Refusal, Tried
from ceopt_tui.errors import SetupError
from schemas.spec import Spec

VERSION = 1


@dataclass(frozen=True)
class Payload:
    """A recipe, the spec it belongs to without its held-out command, and the ref its result is pushed to."""

    recipe: Recipe
    spec: Spec
    ref: str
    hub: str
    base_ref: str  # where the hub holds the base commit

    def as_json(self) -> bytes:
        """The file of a payload."""
        document = {
            "version": VERSION,
            "recipe": asdict(self.recipe),
            "spec": without_holdout(self.spec),
            "ref": self.ref,
            "hub": self.hub,
            "base_ref": self.base_ref,
        }
        return json.dumps(document, ensure_ascii=False, indent=1, default=str).encode("utf-8")


def without_holdout(spec: Spec) -> dict[str, Any]:
    """The spec's written keys; what is held out, and the second draw of a judge, stay here."""
    values: dict[str, Any] = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    measurement = {key: value for key, value in values["measurement"].items() if key != "holdout"}
    judge = {key: value for key, value in (values["metric"].get("judge") or {}).items() if key != "confirmation_seed"}
    metric = {**values["metric"], **({"judge": judge} if judge else {})}
    return {**values, "measurement": measurement, "metric": metric}


def read_payload(data: bytes) -> Payload:
    """The payload in a file. SetupError where it is none that this version understands."""
    try:
        document = json.loads(data)
        if document["version"] != VERSION:
            raise SetupError(f"this is a recipe of version {document['version']}, and this ceopt reads {VERSION}")
        spec = Spec.model_validate(document["spec"])
        return Payload(_recipe(document["recipe"]), spec, document["ref"], document["hub"], document["base_ref"])
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise SetupError(f"the file is no recipe of ceopt: {error}") from error


def _recipe(values: Mapping[str, Any]) -> Recipe:
    lists = {
        "tried": [Tried(**one) for one in values["tried"]],
        "refused": [Refusal(**one) for one in values["refused"]],
    }
    return Recipe(**{**values, **lists})
