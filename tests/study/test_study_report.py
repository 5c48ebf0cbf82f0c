"""The report people read: foreign words are no markup and no figures, and what is not whole is said to be so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock
from study_project import hypothesis, make_study, review

from ceopt_tui.core.ports import RunResult
from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.report_lint import bare_figures
from ceopt_tui.errors import BudgetError, StorageError
from ceopt_tui.study.planning import plan_study
from ceopt_tui.study.report_markdown import MOST_LOST, markdown
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import Surroundings, recorded_report, run_study
from schemas.study_loading import load_study

HOSTILE = "Gain of 0.5 | 80 %?\n# `Not` <b>a</b> *heading* [link](x) 1.25x"


def around(runners: dict[str, Any]) -> Surroundings:
    return Surroundings({}, FakeClock(), lambda text: None, lambda done, total: None, more=runners)


def test_foreign_words_are_no_markup_and_no_figures(tmp_path: Path) -> None:
    targets = [{"id": "s", "family": HOSTILE, "harness": "mock", "model": HOSTILE}]
    claimed = [hypothesis(claim=HOSTILE, control=None, direction=way, id=way) for way in ("increase", "decrease")]
    root = make_study(tmp_path, asked=[review(0)], question=HOSTILE, targets=targets, hypotheses=claimed)
    text = markdown(report_of(load_study(root), StudyState()))
    assert not bare_figures(text)
    assert "\n# `Not`" not in text and "<b>" not in text and "](x)" not in text.replace("\\](x)", "")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {7, 8}
    assert "at least `0.25`" in text and "at most `0.25`" in text
    assert "no score" in text


async def test_a_study_that_was_stopped_says_so_and_why(tmp_path: Path) -> None:
    class Stopping:
        async def run(self, texts: object, case: object, sample: int) -> RunResult:
            raise BudgetError("the next call could pass the cap of 1.00 USD")

    plan = plan_study(make_study(tmp_path, k=20), {})
    with pytest.raises(BudgetError):
        await run_study(plan, around({"strong": Stopping()}))
    text = markdown(recorded_report(plan.loaded.folder, "run"))
    assert "the study is not complete" in text
    assert "It was stopped: `the next call could pass the cap of 1.00 USD`" in text
    assert f"- and {1280 - MOST_LOST:,} more" in text


async def test_a_journal_that_goes_away_ends_the_study_at_once(tmp_path: Path) -> None:
    plan = plan_study(make_study(tmp_path, asked=[review(0)], parallel=1), {})
    asked = []

    class Deleting:
        async def run(self, texts: object, case: object, sample: int) -> RunResult:
            asked.append(1)
            (plan.folder / "journal.jsonl").unlink()
            return RunResult("none")

    with pytest.raises(StorageError, match="was deleted"):
        await run_study(plan, around({"strong": Deleting()}))
    assert len(asked) == 1


def test_a_report_with_a_bare_figure_is_not_drawn(tmp_path: Path) -> None:
    report = report_of(load_study(make_study(tmp_path)), StudyState())
    report["spent"]["calls"]["tags"] = []
    report["spent"]["usd"]["tags"] = []
    with pytest.raises(ValueError, match="figures without a tag"):
        markdown(report)
