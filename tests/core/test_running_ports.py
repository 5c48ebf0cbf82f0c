"""What a program that calls its model itself says of one start: what it does not name is unknown, not nothing."""

from __future__ import annotations

from ceopt_tui.core.running_ports import Started


def test_a_start_that_names_no_price_has_none() -> None:
    started = Started("done")
    assert started.usd is None and started.trouble is None
