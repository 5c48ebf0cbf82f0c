"""The one JSON value of a model's reply: bare, or in one fence. Nothing is repaired and nothing picked out of prose."""

import re
from typing import Any

from texttargets.strict_json import loads

_FENCED = re.compile(r"```[ \t]*(?:json)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```", re.DOTALL | re.IGNORECASE)


def only_json(reply: str) -> Any:
    """The value. Raises ValueError with the reason where there is none, or more than one."""
    fenced = _FENCED.findall(reply)
    if len(fenced) > 1:
        raise ValueError("it holds several fenced blocks")
    return loads(fenced[0] if fenced else reply.strip())
