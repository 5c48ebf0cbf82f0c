"""Payloads with known answers: every field but the wording must agree, numbers to 1e-9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.core.decide import decide, decide_json

TESTS = Path(__file__).resolve().parents[1]
CHOSEN = TESTS / "data" / "decide" / "goldens.jsonl"
ALL = TESTS.parents[1] / "shared" / "cases" / "decide" / "upstream.jsonl"


def goldens(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def agrees(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(agrees(found[key], expected[key]) for key in expected)
    if isinstance(expected, bool) or not isinstance(expected, int | float):
        return bool(found == expected)
    return abs(found - expected) <= 1e-9


def differing(golden: dict[str, Any]) -> dict[str, Any]:
    found = decide(golden["payload"])
    return {key: found[key] for key, value in golden["expected"].items() if not agrees(found[key], value)}


@pytest.mark.parametrize("golden", goldens(CHOSEN), ids=lambda golden: golden["expected"]["decision"])
def test_chosen_goldens(golden: dict[str, Any]) -> None:
    assert differing(golden) == {}


@pytest.mark.skipif(not ALL.exists(), reason="the whole collection is not beside this checkout")
def test_all_goldens() -> None:
    assert [number for number, golden in enumerate(goldens(ALL)) if differing(golden)] == []


def test_keys_come_in_the_order_scripts_rely_on() -> None:
    found = json.loads(decide_json(json.dumps(goldens(CHOSEN)[0]["payload"])))
    assert list(found) == [
        "decision",
        "eligible",
        "next_measurement",
        "target_reached",
        "improved_objectives",
        "violated_objectives",
        "comparisons",
        "primary_delta",
        "rank_score",
        "reason",
    ]


def test_every_answer_has_a_reason() -> None:
    assert all(decide(golden["payload"])["reason"] for golden in goldens(CHOSEN))
