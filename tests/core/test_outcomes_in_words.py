"""Outcomes in words: what happened, not what a script calls it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ceopt_tui.core.outcomes import experiment_word, run_word, stop_word

DOCS = Path(__file__).parents[2] / "docs" / "json-output.md"


def test_a_dead_endpoint_is_no_failed_check() -> None:
    assert run_word("harness_failed", ended=False) == "the model did not answer"
    assert run_word("harness_failed", ended=True) == "scoring cannot be trusted"


@pytest.mark.parametrize("ended", [True, False])
def test_every_outcome_of_the_docs_reads_as_words(ended: bool) -> None:
    row = next(line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `outcome`"))
    outcomes = set(re.findall(r"[a-z]+_[a-z_]+|(?<=[ ,;])[a-z]+(?=[,;])", row))
    assert {"improved", "harness_failed", "person", "outage"} <= outcomes
    for outcome in outcomes:
        assert "_" not in run_word(outcome, ended=ended)


def test_words_of_experiments_and_limits() -> None:
    assert experiment_word("no_edits_applied") == "no edit" and experiment_word("kept") == "kept"
    assert stop_word("max_iterations") == "the number of experiments" and stop_word("no_ideas") == "no ideas"
