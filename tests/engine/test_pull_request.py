"""A pull request's text: everything a reader needs, and nothing of a model's words that a host would act on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ceopt_tui.core.describe import KEPT_BECAUSE
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.trust.blind import BY_THE_JUDGES_WORD
from ceopt_tui.engine.pull_request import SUBJECT, pull_request, pull_request_title, subject
from schemas import records as r
from schemas.judging_records import RubricBound

PLACE = "prompts/triage.md"
OLD, FIRST, SECOND = "# Triage\n", "# Triage\n\nBe exact.\n", "# Triage\n\nBe exact.\n~~~~\nsk-abcdefgh12345678\n"
EVIL = "ask @octocat, see #12\n<b>[x](http://evil)</b> `a` and ``b``"


def started() -> r.RunStarted:
    return r.RunStarted(
        run_id="r", name="triage", ceopt_version="0", repository="", spec_file="", spec_digest="s",
        approval_digest="a", measurement_digest="m", base_sha="ba5e" * 10, branch="optimize/triage",
        texts={PLACE: OLD}, text_digest="old", seed=7,
    )  # fmt: skip


def keep(number: int, base: str, digest: str, text: str, description: str) -> Sequence[r.AnyRecord]:
    return (
        r.HypothesisAdded(id=f"h{number}", description=description, category="c", move="append", source="fake"),
        r.ExperimentStarted(number=number, hypothesis_id=f"h{number}", base_digest=base, base_sha="b", branch="e"),
        r.CandidateMade(number=number, text_digest=digest, texts={PLACE: text}),
        r.ExperimentClosed(
            number=number, outcome="kept", reason="confirmed", moved=True, fixed=(f"c{number}",), broken=("@all",),
            tallies={f"c{number}": (4, 4, 0, 4), "@all": (0, 4, 4, 4)},
        ),
        r.Committed(number=number, text_digest=digest, commit=f"c0ffee{number}" * 5, branch="optimize/triage"),
    )  # fmt: skip


BASELINE = r.BaselineMeasured(
    text_digest="old", mean=0.4, scored=10, unscored=0, deterministic=False, sees_half=0.1, sees_most=0.2,
    calls_per_experiment=(4, 40),
)  # fmt: skip
GAIN = r.GainReported(
    original_digest="old", final_digest="two", cases=8, before=0.4, after=0.75, gain=0.35, low=0.1, high=0.6,
    cautious=0.2, clearly_better=True, fresh=True, selection_before=0.4, selection_after=0.9,
)  # fmt: skip
END = (
    r.Stopped(outcome="plateau", reason="enough"),
    GAIN,
    r.ReportWritten(path="docs/optimize/triage-report.md", commit="d"),
)


def run(*records: r.AnyRecord) -> RunState:
    opening = (
        started(),
        r.ModelBound(role="task", name="cheap", model="openai/gpt-5-mini", endpoint="openai"),
        r.SplitFrozen(selection=("c1", "c2"), holdout=("h1",), seed=7),
    )
    call = r.CallFacts(call_id="1", role="task", model="m", attempts=1, input_tokens=9, output_tokens=1, usd=0.02)
    return fold([*opening, r.CallFinished(facts=call), BASELINE, *records])


def test_one_change_is_the_title_and_all_there_is_to_know_is_below() -> None:
    text = pull_request(run(*keep(1, "old", "two", FIRST, "say what an answer is"), *END))
    assert (
        text
        == f"""\
# triage: say what an answer is

on 8 unseen cases, fresh runs: 40% → 75%, +35 points (90% interval +10 points to +60 points); \
cautious estimate +20 points; on the tuned cases +50 points (too high by construction)

## What changed

- exp-001 (c0ffee1c0f): `say what an answer is`

~~~diff
--- a/{PLACE}
+++ b/{PLACE}
@@ -1 +1,3 @@
 # Triage
+
+Be exact.
~~~

## Evidence

- {KEPT_BECAUSE}
- 2 cases to tune on, 1 held out; 0 looks at the held-out ones, each at a stricter level than the one before.
- this set sees a gain of +10 points about half the time and +20 points four times in five; \
smaller ones will mostly be missed.
- Measured with `openai/gpt-5-mini`; other models and other inputs were not measured.

## Cases

- fixed: `c1` (passed in 4 of 4 runs; before: failed in 4 of 4)
- regressed: none
- broken (always passed, now always fails): `@all` (failed in 4 of 4 runs; before: passed in 4 of 4)

## Cost

- in all: 1 call, 0.0200 USD, 1 experiment
- task: 1 call, 0.0200 USD

## To check it

- the changes, one commit each: `git log ba5eba5eba..optimize/triage`
- the whole report, every experiment in it: `git show optimize/triage:docs/optimize/triage-report.md`
"""
    )


def test_several_changes_are_counted_and_told_by_what_they_did() -> None:
    changes = (*keep(1, "old", "one", FIRST, "be exact"), *keep(2, "one", "two", SECOND, EVIL))
    state = run(*changes, *END)
    assert pull_request_title(state) == "triage: 2 changes, 40% → 75% on unseen cases"
    text = pull_request(state)
    assert "- exp-002 (c0ffee2c0f): ``` ask @octocat, see #12 ↵ <b>[x](http://evil)</b> `a` and ``b`` ```\n" in text
    assert "- exp-001, fixed: `c1` " in text and "- exp-002, fixed: `c2` " in text
    assert "\n~~~~~~~diff\n" in text and "\n+~~~~\n" in text and text.count("\n~~~~~~~\n") == 1
    assert "sk-abcdefgh" not in text and "+sk-***" in text


def test_a_run_without_a_final_gain_says_so() -> None:
    changes = (*keep(1, "old", "one", FIRST, "a"), *keep(2, "one", "two", SECOND, "b"))
    under_way = run(*changes)
    assert pull_request_title(under_way) == "triage: 2 changes"
    text = pull_request(under_way)
    assert "The run has not ended." in text and "not measured: the run has not ended." in text
    assert "git show" not in text
    capped = run(*changes, r.Stopped(outcome="budget", reason="cap", no_gain="the cap was reached"))
    assert "not measured: the cap was reached." in pull_request(capped)


@pytest.mark.parametrize("text", ["short", "a b", "x" * SUBJECT])
def test_a_subject_that_fits_stays(text: str) -> None:
    assert subject(text) == text


def test_a_subject_is_cut_at_a_word_on_one_line() -> None:
    cut = subject("triage: " + "word\n " * 40)
    assert len(cut) <= SUBJECT and cut.endswith("word…") and "\n" not in cut


def test_a_judged_gain_says_whose_word_it_is() -> None:
    rubric = RubricBound(digest="d", text="Is it good?", lowest=1, highest=5, pass_at=4, primary="quality")
    text = pull_request(run(rubric, *keep(1, "old", "two", FIRST, "be exact"), *END))
    assert f"- {BY_THE_JUDGES_WORD}\n" in text and "0.40 → 0.75, +0.35" in text
