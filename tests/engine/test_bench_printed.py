"""What a measuring command printed, taken as numbers or as a fault: a fault is never a number."""

from __future__ import annotations

from typing import Any

import pytest

from ceopt_tui.core.masking import mask
from ceopt_tui.engine.backends.printed import LAST_WORDS, MOST_CASES, MOST_ITEMS, printed_by
from ceopt_tui.programs import Ended

MARKER = "ceopt: censored\n"
KEY = "sk-FAKE-ABCDEFGH12345678"


def ended(stdout: str = "", stderr: str = "", status: int = 0, **more: Any) -> Ended:
    return Ended(status, stdout, stderr, 1.5, **more)


@pytest.mark.parametrize(
    ("run", "status"),
    [
        (ended('{"ms": 1}'), "ok"),
        (ended('{"ms": 1}', MARKER, 125), "censored"),
        (ended('{"ms": 1}', f"so far so bad\n{MARKER}", 125), "censored"),
        (ended('{"ms": 1}', "it said ceopt: censored to me\n", 125), "error"),
        (ended('{"ms": 1}', "", 125), "error"),
        (ended('{"ms": 1}', MARKER, 1), "error"),
        (ended('{"ms": 1}', MARKER), "ok"),
        (ended('{"ms": 1}', "", 124), "timeout"),
        (ended('{"ms": 1}', "", -15, fault="took longer than 2 s and was ended", overtime=True), "timeout"),
        (ended('{"ms": 1}', "", -9), "error"),
        (ended('{"ms": 1}', "", -15, fault="printed more than 64 MB and was ended"), "error"),
    ],
)
def test_the_status_is_what_the_command_signalled(run: Ended, status: str) -> None:
    printed = printed_by(run)
    assert printed.status == status and printed.elapsed_s == 1.5
    assert bool(printed.values) == (status == "ok")


@pytest.mark.parametrize(
    ("stdout", "said"),
    [
        ("", "printed nothing"),
        ("done in 3 s", "ends with 'done in 3 s'"),
        ("[1]", "neither all of it"),
        ("3", "neither all of it"),
        ('{"ms": NaN}', "NaN is no JSON"),
        ('{"ms": -Infinity}', "-Infinity is no JSON"),
        ('{"ms": 1e999}', "too large"),
        ('{"ms": 1, "ms": 2}', "twice"),
        ('{"cases": {"a": {"x": 1, "x": 2}}}', "twice"),
        ('{"cases": [1]}', "`cases` must be an object"),
        ('{"items": {"a": 1}}', "`items` must be a list"),
        ('{"items": [1]}', "`items` must be a list"),
        ('{"ms": 1}\nbye', "ends with"),
        ("[" * 100_000, "neither all of it"),
    ],
)
def test_what_is_no_measurement_is_a_fault_with_its_reason(stdout: str, said: str) -> None:
    printed = printed_by(ended(stdout))
    assert printed.status == "error" and said in printed.message and not printed.values


def test_the_last_line_may_be_the_object_and_nested_values_are_left_out() -> None:
    printed = printed_by(
        ended('warming up {\n{"ms": 1.5, "ok": true, "why": "x", "none": null, "deep": {"a": 1}, "l": []}\n')
    )
    assert printed.values == {"ms": 1.5, "ok": True, "why": "x", "none": None}
    pretty = printed_by(ended('{\n "ms": 2,\n "cases": {"a": true},\n "items": [{"id": 1}],\n "usd": 0.5\n}\n'))
    assert (pretty.values, pretty.cases, pretty.items, pretty.usd) == ({"ms": 2}, {"a": True}, [{"id": 1}], 0.5)


@pytest.mark.parametrize("usd", ["-1", "true", '"free"', "null"])
def test_a_price_that_is_none_is_unknown(usd: str) -> None:
    assert printed_by(ended(f'{{"ms": 1, "usd": {usd}}}')).usd is None


def test_there_is_an_end_to_cases_and_items() -> None:
    items = ",".join("{}" for _ in range(MOST_ITEMS + 1))
    assert printed_by(ended(f'{{"items": [{items}]}}')).status == "error"
    cases = ",".join(f'"{at}": 1' for at in range(MOST_CASES + 1))
    assert printed_by(ended(f'{{"cases": {{{cases}}}}}')).status == "error"


@pytest.mark.parametrize("at", [0, 60, 80, 290, 300])
def test_no_part_of_a_key_is_in_a_message(at: int) -> None:
    for run in (ended(f"{KEY}{'x' * at}"), ended(f"{KEY} {'x' * at}", status=1), ended("", f"{KEY} {'x' * at}", 3)):
        printed = printed_by(run, lambda text: mask(text, [KEY]))
        assert not any(KEY[end:] in printed.message for end in range(len(KEY) - 8))
        assert len(printed.message) < LAST_WORDS + 60
