"""What a report says of the eval set itself."""

from __future__ import annotations

from typing import Any

from fakes import terms

from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.report import report_markdown
from schemas.harness_records import CaseIdea, CasesProposed, DraftedCase, FlaggedCase, HarnessExamined
from schemas.records import BaselineMeasured, RunStarted, SplitFrozen, Stopped


def ended(*records: Any) -> RunState:
    run = RunStarted(
        run_id="r", name="triage", ceopt_version="0", repository="", spec_file="", spec_digest="", approval_digest="",
        measurement_digest="", base_sha="base", branch="b", texts={"p": "old"}, text_digest="old", seed=7,
    )  # fmt: skip
    measured = BaselineMeasured(
        text_digest="old", mean=1.0, scored=8, unscored=0, deterministic=False, sees_half=0.2, sees_most=0.3,
        calls_per_experiment=(4, 30),
    )  # fmt: skip
    split = SplitFrozen(selection=("a", "b"), holdout=("c", "d"), report_only=("d",), seed=7)
    stopped = Stopped(outcome="no_headroom", reason="already at the maximum; add harder cases")
    return fold([run, split, *records, measured, stopped])


def report(*records: Any) -> str:
    return report_markdown(ended(*records), terms())


def test_a_set_without_faults_is_not_spoken_of() -> None:
    plain = report(HarnessExamined(outputs=4), CasesProposed())
    assert "cannot tell outputs apart" not in plain and "Harder cases" not in plain
    assert "- 2 selection cases, 2 held-out cases, 1 of them kept for this report;" in plain


def test_cases_that_are_left_out_are_named_with_their_side_and_not_counted() -> None:
    flagged = (
        FlaggedCase(case_id="a", fault="never_fails", reason="its check accepts whatever comes out"),
        FlaggedCase(case_id="d", fault="needs_tools", reason="it needs <b>a tool</b>"),
    )
    said = report(HarnessExamined(outputs=4, flagged=flagged))
    section = said.split("## Checks that cannot tell outputs apart")[1].split("\n## ")[0]
    assert "2 of 4 cases left out: their checks cannot tell outputs apart. They were run for the baseline" in section
    assert "- a (selection): its check accepts whatever comes out" in section
    assert "- d (held out): it needs \\<b>a tool\\</b>" in section
    assert "- 1 selection case, 1 held-out case; split once" in said


def test_what_a_model_drafted_is_marked_as_nobodys_word() -> None:
    ideas = (CaseIdea(source="rule", text="Ask about the limit."),)
    drafts = (DraftedCase(input={"days": "31"}, expected="refused | kept", why="one day late"),)
    said = report(CasesProposed(ideas=ideas, drafts=drafts, model="openai/strong"))
    section = said.split("## Harder cases to add")[1].split("\n## ")[0]
    assert "- Ask about the limit." in section
    assert "By openai/strong: written by a model, not confirmed by anyone: check input and answer" in section
    assert "| input | answer to confirm | what makes it hard |" in section and "one day late" in section


def test_why_nothing_was_drafted_is_said() -> None:
    assert "No cases were drafted: the cap is reached." in report(CasesProposed(note="the cap is reached"))
