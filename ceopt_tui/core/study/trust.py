"""When a judge's scores may be called measured: it put known good replies above empty ones, in enough of the cases."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.study_records import JudgeTried

LEAST_ORDERED = 0.8


def is_trusted(trials: Iterable[JudgeTried], digest: str) -> bool:
    """Did the last trial of this judge with these rubrics hold?"""
    own = [trial for trial in trials if trial.digest == digest]
    return bool(own) and own[-1].cases > 0 and own[-1].ordered / own[-1].cases >= LEAST_ORDERED
