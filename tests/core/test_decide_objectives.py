"""Several required objectives under the evidence method, and hypotheses that claim another one than the primary."""

from __future__ import annotations

from typing import Any

import pytest
from payloads import Json, evidence_spec, payload, runs

from ceopt_tui.core.decide import decide

CASES = 40
STEADY = [[3.0] * 4] * CASES
POOL = {"sigma": {"ss": 0.0, "df": 100}}
TOKENS = [{"name": "tokens", "direction": "minimize", "max_regression": {"type": "relative", "value": 0.1}}]


def every(score: float, count: int = 1, cases: int = CASES) -> list[list[float]]:
    return [[score] * count] * cases


def side(prefix: str, scores: list[list[float]], tokens: int | None) -> Json:
    return {**runs(prefix, scores), "metrics": {} if tokens is None else {"tokens": tokens}}


def ask(
    candidate: list[list[float]],
    tokens: int,
    held_out: list[list[float]] | None = None,
    held_tokens: int | None = None,
    **more: Any,
) -> Json:
    the_spec = more.pop("the_spec", evidence_spec(objectives=TOKENS))
    reference = STEADY[: more.pop("cases", CASES)]
    asked = payload(side("s", reference, 100), side("s", candidate, tokens), the_spec, evidence=POOL, **more)
    if held_out is not None:
        asked["holdout"] = {"baseline": side("h", reference, 100), "candidate": side("h", held_out, held_tokens)}
    return decide(asked)


def says(found: Json) -> tuple[str, str]:
    return found["decision"], found["next_measurement"]


def test_longer_text_vetoes_a_gain() -> None:
    assert says(ask(every(4.0), 105)) == ("promising", "confirm")
    found = ask(every(4.0), 120)
    assert (*says(found), found["violated_objectives"]) == ("revert", "none", ["tokens"])
    assert found["eligible"] is False


def test_held_out_veto() -> None:
    assert ask(every(4.0), 100, every(4.0, 4))["decision"] == "keep"
    found = ask(every(4.0), 100, every(4.0, 4), 120)
    assert (found["decision"], found["holdout"]["violated_objectives"]) == ("revert", ["tokens"])


def test_limit_on_the_primary_holds_on_held_out_cases() -> None:
    limit = {"name": "score", "direction": "maximize", "max_regression": {"type": "absolute", "value": 0.01}}
    found = ask(every(4.0), 100, every(2.95, 2), the_spec=evidence_spec(objectives=[limit]))
    assert (found["decision"], found["holdout"]["violated_objectives"]) == ("revert", ["score"])


def shorten(
    candidate: list[list[float]], tokens: int = 60, held_out: list[list[float]] | None = None, cases: int = CASES
) -> Json:
    return ask(candidate, tokens, held_out, claims="tokens", cases=cases)


def test_shorter_and_no_worse_is_kept() -> None:
    assert says(shorten(every(3.0, cases=4))) == ("inconclusive", "add_sample")
    assert says(shorten(every(3.0))) == ("promising", "confirm")
    assert says(shorten(every(3.0), held_out=every(3.0, 2))) == ("promising", "holdout")
    kept = shorten(every(3.0), held_out=every(3.0, 4))
    assert (*says(kept), kept["rank_score"]) == ("keep", "none", 0.4)
    assert kept["improved_objectives"] == ["tokens"]


@pytest.mark.parametrize(
    ("candidate", "tokens", "expected"),
    [
        (every(3.0), 100, ("revert", "none")),
        (every(2.5), 60, ("revert", "none")),
        ([*every(3.0, cases=20), *[[]] * 20], 60, ("error", "add_sample")),
    ],
)
def test_shorter_but_not_shown_to_be_as_good(
    candidate: list[list[float]], tokens: int, expected: tuple[str, str]
) -> None:
    assert says(shorten(candidate, tokens)) == expected


@pytest.mark.parametrize(("sweeps", "following"), [(1, "add_sample"), (2, "add_sample"), (3, "none")])
def test_eight_cases_cannot_rule_out_a_small_loss(sweeps: int, following: str) -> None:
    found = shorten(every(2.9, sweeps, 8), cases=8)
    assert says(found) == ("inconclusive", following)
    assert says(shorten(every(3.0, 1, 8), held_out=every(2.9, 4, 8), cases=8)) == ("inconclusive", "none")


@pytest.mark.parametrize(
    ("held_out", "decision"),
    [
        (every(2.5, 4), "revert"),
        ([*every(3.0, 4, 20), *[[]] * 20], "error"),
    ],
)
def test_shorter_but_worse_held_out(held_out: list[list[float]], decision: str) -> None:
    assert shorten(every(3.0), held_out=held_out)["decision"] == decision


def test_claiming_the_primary_by_either_name_is_the_default() -> None:
    answers = [ask(every(4.0), 100, claims=claim) for claim in (None, "primary", "score")]
    assert answers[0] == answers[1] == answers[2]


def test_small_set_keeps_no_shortening() -> None:
    few = {**POOL, "total_cases": 4}
    the_spec = evidence_spec(objectives=TOKENS)
    asked = payload(side("s", STEADY, 100), side("s", every(3.0), 60), the_spec, evidence=few, claims="tokens")
    assert says(decide(asked)) == ("inconclusive", "none")
