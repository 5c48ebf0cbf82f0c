"""What makes two ideas the same idea, written as in Brief.tried_keys."""

import json
from collections.abc import Mapping
from typing import Any


def idea_key(move: str, parameters: Mapping[str, Any]) -> str:
    """Move and canonical JSON of the parameters."""
    return f"{move}:{json.dumps(parameters, sort_keys=True, ensure_ascii=False, separators=(',', ':'))}"
