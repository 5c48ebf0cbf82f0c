"""The fold of a study's journal: starts before ends, every cost counted, nothing that could not have happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.core.ports import Price
from ceopt_tui.core.study.attempts import MOST_ATTEMPTS, StudyState, fold
from ceopt_tui.core.study.estimates import OFFLINE_TERMS, Terms, combined, estimate_cell, total
from ceopt_tui.core.study.trust import is_trusted
from ceopt_tui.errors import StorageError
from schemas.study import BoundTarget
from schemas.study_records import (
    STUDY_RECORDS,
    CallFacts,
    CellFailed,
    CellScored,
    CellStarted,
    JudgeTried,
    StudyRecord,
    StudyRegistered,
    StudyStopped,
    TargetProbed,
)

ANSWERS = (
    "cell_write",
    "host_read_blocked",
    "sibling_read_blocked",
    "host_write_blocked",
    "host_config_unchanged",
    "runtime_removed",
)
HEAD = StudyRegistered(fingerprint="f", files={}, values={})
FACTS = CallFacts(role="task", model="p/m", usd=0.25)


def start(attempt: str, cell: str = "x", usd: float | None = 1.0) -> CellStarted:
    return CellStarted(attempt=attempt, cell=cell, usd=usd, calls=3)


def good(attempt: str, facts: CallFacts | None = FACTS) -> CellScored:
    return CellScored(attempt=attempt, score=1.0, reply_sha256="0", facts=facts)


def bad(attempt: str, *, retryable: bool, facts: CallFacts | None = None) -> CellFailed:
    return CellFailed(attempt=attempt, reason="provider", message="no answer", retryable=retryable, facts=facts)


def probed(attempt: str, *, but: str = "") -> list[StudyRecord]:
    held = {answer: answer != but for answer in ANSWERS}
    return [start(attempt, "probe/t"), TargetProbed(attempt=attempt, target="t", facts=FACTS, **held)]


def target(harness: str) -> BoundTarget:
    return BoundTarget.model_validate({"id": "t", "family": "f", "harness": harness, "model": "m"})


def state(*records: StudyRecord) -> StudyState:
    return fold([HEAD, *records])


def test_a_scored_cell_is_settled() -> None:
    found = state(start("1"), good("1"))
    assert found.scores["x"].score == 1 and found.is_settled("x") and not found.is_settled("y")
    assert (found.spent.usd, found.spent.calls, found.spent.soft) == (0.25, 1, False)


def test_a_start_that_never_ended_counts_what_it_was_allowed() -> None:
    found = state(start("1"))
    assert (found.unresolved, found.spent.usd, found.spent.calls, found.spent.soft) == (("1",), 1.0, 3, True)
    assert not found.is_settled("x") and not found.last_call_free
    assert found.failure("x") == "the attempt never ended"


def test_retried_and_then_scored_is_resolved_and_both_costs_count() -> None:
    found = state(start("1"), bad("1", retryable=True, facts=FACTS), start("2"), good("2"))
    assert found.is_settled("x") and found.spent.usd == 0.5 and set(found.scores) == {"x"}


def test_a_fault_of_the_pipeline_is_the_end_of_a_cell() -> None:
    assert state(start("1"), bad("1", retryable=False)).is_settled("x")
    assert state(start("1"), bad("1", retryable=False)).failure("x") == "no answer"


def test_a_cell_is_tried_so_often() -> None:
    records: list[StudyRecord] = []
    for number in range(MOST_ATTEMPTS):
        assert not state(*records).is_settled("x")
        records += [start(str(number)), bad(str(number), retryable=True)]
    assert state(*records).is_settled("x")


def test_an_attempt_that_a_cap_ended_is_no_fault_of_its_cell() -> None:
    stopped = [bad(str(number), retryable=True).model_copy(update={"reason": "stopped"}) for number in range(5)]
    assert not state(*(record for end in stopped for record in (start(end.attempt), end))).is_settled("x")


def test_a_price_that_nobody_knows_is_counted_as_unknown() -> None:
    assert state(start("1", usd=None)).spent.unpriced == 1
    assert state(start("1"), good("1", FACTS.model_copy(update={"usd": None}))).spent.unpriced == 1
    cached = FACTS.model_copy(update={"usd": None, "attempts": 0, "cached": True})
    assert state(start("1"), good("1", cached)).spent.unpriced == 0


def test_a_stop_holds_until_the_next_attempt() -> None:
    assert state(StudyStopped(reason="cap")).stopped == "cap"
    assert state(StudyStopped(reason="cap"), start("1")).stopped is None
    assert state().last_call_free and state().failure("x") == "not run"


@pytest.mark.parametrize(
    ("records", "fault"),
    [
        ([HEAD, HEAD], "a second study begins"),
        ([start("1")], "nothing was registered before it"),
        ([HEAD, start("1"), start("1")], "the attempt 1 starts twice"),
        ([HEAD, good("1")], "the attempt 1 ends and never started"),
        ([HEAD, start("1"), good("1"), bad("1", retryable=True)], "the attempt 1 ends twice"),
    ],
)
def test_what_cannot_have_happened_is_an_error_of_the_journal(records: list[StudyRecord], fault: str) -> None:
    with pytest.raises(StorageError, match=fault):
        fold(records)


def test_an_estimate_is_what_is_likely_and_the_most_is_kept_beside_it() -> None:
    found = estimate_cell("word " * 80, Terms(Price(10, 100), reply_tokens=512, requests=3))
    assert (found.tokens_in, found.tokens_out, found.requests_most) == (100, 256, 3)
    assert found.usd == pytest.approx((100 * 10 + 256 * 100) / 1e6)
    assert found.usd_most == pytest.approx(3 * (100 * 10 + 2048 * 100) / 1e6)
    assert total([found, found]).usd == pytest.approx(2 * (100 * 10 + 256 * 100) / 1e6)


def test_an_unknown_price_makes_the_whole_unknown() -> None:
    free, unknown = estimate_cell("x", OFFLINE_TERMS), estimate_cell("x", Terms(None, 512, 3))
    assert (free.usd, free.requests_most, unknown.usd, unknown.usd_most) == (0.0, 0, None, None)
    both = total([free, unknown])
    assert (both.cells, both.calls, both.usd) == (2, 1, None)


def test_a_journal_of_the_first_version_reads_as_it_always_did() -> None:
    lines = (Path(__file__).parents[1] / "data" / "studies" / "v1.jsonl").read_text("utf-8").splitlines()
    records = [STUDY_RECORDS.validate_json(line) for line in lines]
    assert {type(record) for record in records} == {StudyRegistered, CellStarted, CellFailed, CellScored, StudyStopped}
    found = fold(records)
    assert found.scores["a/x/t/0"].score == 0.5 and found.stopped is None
    assert (found.spent.usd, found.spent.calls, found.spent.soft) == (0.75, 4, True)


@pytest.mark.parametrize("harness", ["claude", "codex", "command"])
def test_a_program_is_attested_by_probes_of_which_every_answer_held(harness: str) -> None:
    own = [target(harness)]
    assert state().attested(own) == frozenset()
    assert state(*probed("1")).attested(own) == {"t"}
    for answer in ANSWERS:
        assert state(*probed("1"), *probed("2", but=answer)).attested(own) == frozenset()
    assert state(*probed("1")).spent.usd == 0.25


def test_a_chat_call_runs_nothing_here_and_a_stand_in_proves_nothing() -> None:
    assert state().attested([target("api")]) == {"t"}
    assert state(*probed("1")).attested([target("mock")]) == frozenset()


def tried(attempt: str, ordered: int, digest: str = "d", cases: int = 10) -> list[StudyRecord]:
    end = JudgeTried(attempt=attempt, digest=digest, ordered=ordered, cases=cases, facts=FACTS)
    return [start(attempt, "judge"), end]


def test_a_judge_is_trusted_by_its_last_trial_with_these_rubrics() -> None:
    assert not is_trusted(state().judge_trials, "d")
    assert is_trusted(state(*tried("1", 8)).judge_trials, "d")
    assert not is_trusted(state(*tried("1", 7)).judge_trials, "d")
    assert not is_trusted(state(*tried("1", 10)).judge_trials, "other")
    assert not is_trusted(state(*tried("1", 10), *tried("2", 0)).judge_trials, "d")
    assert not is_trusted(state(*tried("1", 0, cases=0)).judge_trials, "d")
    assert state(*tried("1", 8)).spent.usd == 0.25


def test_what_the_judge_cost_is_spent_too() -> None:
    judged = good("1").model_copy(update={"judged": FACTS.model_copy(update={"usd": 1.0, "attempts": 2})})
    assert (state(start("1"), judged).spent.usd, state(start("1"), judged).spent.calls) == (1.25, 3)


def test_requests_of_one_cell_add_up_and_one_unknown_price_makes_all_unknown() -> None:
    priced = estimate_cell("x" * 400, Terms(Price(1.0, 1.0), 100, 3, own_tokens=50))
    unpriced = estimate_cell("x" * 400, Terms(None, 100, 3))
    both = combined([priced, priced])
    assert (both.usd, both.calls, both.requests_most) == (2 * (priced.usd or 0), 2, 6)
    assert both.tokens_in == 2 * (unpriced.tokens_in + 50)
    assert combined([priced, unpriced]).usd is None and combined([priced, unpriced]).usd_most is None
