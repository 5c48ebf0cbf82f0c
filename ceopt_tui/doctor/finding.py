"""One thing `ceopt doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    """`wrong` is what a run would stop at, `note` is good to know."""

    level: Level
    subject: str
    text: str
