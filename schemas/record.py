"""What every journal record is made of: its header, and the price of a model call."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

RECORD_VERSION = 1

Step = Literal["baseline", "reference", "exploratory", "add_sample", "confirm", "holdout", "drift", "report"]


class CallFacts(BaseModel):
    """What one logical model call cost. `usd` is null when the price is unknown, never 0 for that reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["task", "judge", "proposer", "reader"]
    model: str
    call_id: str = ""
    attempts: int = 1  # requests sent; 0 when it came from the cache
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False  # token counts are ours, the provider gave none
    usd: float | None = None
    latency_s: float = 0.0
    cached: bool = False
    finish_reason: str = "stop"
    dropped: tuple[str, ...] = ()  # options the provider refused
    outside: bool = False  # a program of the user's made them: number and price are its own account


class Record(BaseModel):
    """What every record carries: version, number in its journal, time (UTC, ISO 8601) and producer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    v: int = RECORD_VERSION
    seq: int = 0  # set by the journal when the record is appended
    at: str = ""
    by: str = "engine"
