"""Room under the caps."""

from __future__ import annotations

import pytest

from ceopt_tui.core.budget import Caps, has_room


@pytest.mark.parametrize(
    ("caps", "runs", "room"),
    [
        (Caps(), 10**9, True),
        (Caps(calls=100), 10, True),
        (Caps(calls=100), 11, False),
        (Caps(usd=1.0), 10**6, True),
        (Caps(usd=1.0, usd_per_run=0.01), 50, True),
        (Caps(usd=1.0, usd_per_run=0.01), 51, False),
        (Caps(calls=100, usd=1.0, usd_per_run=0.06), 10, False),
        (Caps(calls=95, usd=10.0, usd_per_run=0.01), 6, False),
    ],
)
def test_runs_must_fit_under_every_cap_that_can_be_held(caps: Caps, runs: int, room: bool) -> None:
    assert has_room(caps, spent_calls=90, spent_usd=0.5, runs=runs) is room


def test_retries_and_the_worst_price_of_one_request_need_room_too() -> None:
    caps = Caps(calls=100, usd=1.0, usd_per_run=0.01)
    spent: dict[str, float] = {"spent_calls": 80, "spent_usd": 0.8}
    assert has_room(caps, runs=20, **spent)  # type: ignore[arg-type]
    assert not has_room(caps, runs=20, requests_per_run=1.1, **spent)  # type: ignore[arg-type]
    assert has_room(caps, runs=18, requests_per_run=1.1, held_usd=0.02, **spent)  # type: ignore[arg-type]
    assert not has_room(caps, runs=18, requests_per_run=1.1, held_usd=0.03, **spent)  # type: ignore[arg-type]
