"""Decisions on the cases of a command, with answers worked out from the formulas by hand and not by `decide`."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.core.decide import decide

CASES = Path(__file__).resolve().parents[1] / "data" / "decide" / "cases.jsonl"
GOLDENS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden["name"])
def test_a_verdict_and_its_numbers_are_as_the_formulas_say(golden: dict[str, Any]) -> None:
    found = decide(golden["payload"])
    told = {path: reduce(lambda at, key: at[key], path.split("."), found) for path in golden["expected"]}
    assert told == {
        path: pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
        for path, value in golden["expected"].items()
    }
