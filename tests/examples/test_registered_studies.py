"""The example studies that ask a model: registered as they are, and ceopt's own prompt is the one it sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.study.freezing import FREEZE_NAME, manifest_of
from ceopt_tui.study.planning import plan_study
from judges.change_reader import OF_TEXT

STUDIES = Path(__file__).parents[2] / "examples" / "studies"
REGISTERED = sorted(path.parent.name for path in STUDIES.glob(f"*/{FREEZE_NAME}"))


def test_there_are_two() -> None:
    assert REGISTERED == ["arrival-dates", "reader-of-changes"]


@pytest.mark.parametrize("name", REGISTERED)
def test_what_is_registered_is_what_would_run_for_nothing(name: str) -> None:
    plan = plan_study(STUDIES / name, {})
    assert (STUDIES / name / FREEZE_NAME).read_bytes() == manifest_of(plan.loaded).as_bytes()
    assert plan.total.usd == 0 and {model.model.partition("/")[0] for model in plan.models.values()} == {"local"}


def test_the_prompt_under_test_is_the_one_that_is_sent() -> None:
    own = (STUDIES / "reader-of-changes" / "variants" / "own.md").read_text("utf-8")
    assert own == OF_TEXT + "\nReply with one word and nothing else: undo, or keep.\n"
