"""What makes two ideas the same idea."""

from __future__ import annotations

import json
from collections.abc import Mapping


def idea_key(move: str, parameters: Mapping[str, object]) -> str:
    """The move and canonical JSON of its parameters."""
    return f"{move}:{json.dumps(parameters, sort_keys=True, ensure_ascii=False, separators=(',', ':'))}"
