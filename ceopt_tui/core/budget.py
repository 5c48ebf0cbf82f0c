"""Room under the caps, the final report's share kept back."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Caps:
    """Limits on a whole run, all roles together; None is no limit. `usd_per_run` prices one case run."""

    calls: int | None = None
    usd: float | None = None
    usd_per_run: float | None = None


def has_room(
    caps: Caps, *, spent_calls: int, spent_usd: float, runs: int, requests_per_run: float = 1.0, held_usd: float = 0.0
) -> bool:
    """Do `runs` more case runs fit under both caps? An unpriced run counts on the call cap alone.

    `held_usd` must stay free beside them: a request is sent only while its worst price still fits.
    """
    if caps.calls is not None and spent_calls + ceil(runs * requests_per_run - 1e-9) > caps.calls:
        return False
    if caps.usd is None or caps.usd_per_run is None:
        return True
    return spent_usd + runs * caps.usd_per_run + held_usd <= caps.usd + 1e-12
