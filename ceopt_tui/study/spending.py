"""What several calls cost together, as one entry of the journal."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.record import CallFacts


def together(calls: Sequence[CallFacts]) -> CallFacts | None:
    """Several calls as one; what came from a cache cost nothing."""
    if not calls:
        return None
    costs = [0.0 if facts.cached else facts.usd for facts in calls]
    return calls[-1].model_copy(
        update={
            "attempts": sum(0 if facts.cached else facts.attempts for facts in calls),
            "usd": None if None in costs else sum(cost for cost in costs if cost is not None),
            "input_tokens": sum(facts.input_tokens for facts in calls),
            "output_tokens": sum(facts.output_tokens for facts in calls),
            "estimated": any(facts.estimated for facts in calls),
        }
    )
