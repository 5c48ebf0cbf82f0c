"""Spend by role: cached calls cost nothing, unknown prices stay unknown, what never came back counts as spent."""

from __future__ import annotations

from typing import Any

from ceopt_tui.core.state.fold import fold
from schemas.records import CallFacts, CallFinished, CallStarted, CaseRun


def facts(role: Any = "task", **values: Any) -> CallFacts:
    return CallFacts(**{"role": role, "model": "m", "input_tokens": 10, "output_tokens": 2, "usd": 0.5, **values})


def run(**values: Any) -> CaseRun:
    return CaseRun(text_digest="t", case_id="c", sample=0, step="report", output="", facts=facts(**values))


def test_every_role_has_its_own_account() -> None:
    spend = fold([run(), CallFinished(facts=facts("proposer", attempts=3, usd=0.1))]).spend
    assert {role: (account.calls, account.usd) for role, account in spend.roles.items()} == {
        "task": (1, 0.5),
        "proposer": (3, 0.1),
    }
    assert (spend.calls, spend.usd, spend.usd_known) == (4, 0.6, True)


def test_a_cached_reply_is_counted_and_costs_nothing() -> None:
    spend = fold([run(cached=True, attempts=0)]).spend
    assert (spend.calls, spend.usd, spend.roles["task"].cached) == (0, 0.0, 1)


def test_an_unknown_price_is_not_nothing() -> None:
    spend = fold([run(usd=None, estimated=True)]).spend
    assert not spend.usd_known
    assert spend.roles["task"].unpriced == 1 and spend.roles["task"].estimated


def test_requests_that_never_came_back_are_booked_as_spent() -> None:
    started = [CallStarted(call_id=f"c{i}", role="task", usd_reserved=0.2) for i in range(3)]
    spend = fold([*started, run(call_id="c1", usd=0.1)]).spend
    assert (spend.started, spend.lost.calls, spend.lost.usd) == (3, 2, 0.4)
    assert spend.calls == 3 and abs(spend.usd - 0.5) < 1e-12


def test_a_request_in_flight_or_cut_off_without_a_price_is_unknown_too() -> None:
    started = [CallStarted(call_id="c1", role="task", usd_reserved=price) for price in (0.2, None)]
    spend = fold(started).spend
    assert (spend.lost.usd, spend.lost.unpriced, spend.usd_known) == (0.2, 1, False)
    free = fold([CallStarted(call_id="c1", role="task", usd_reserved=0.0)]).spend
    assert (free.usd, free.usd_known) == (0.0, True)


def test_all_requests_of_one_call_are_closed_by_its_end() -> None:
    started = [CallStarted(call_id="c1", role="task", usd_reserved=None) for _ in range(3)]
    spend = fold([*started, CallFinished(facts=facts(call_id="c1", attempts=3, usd=None), error="500")]).spend
    assert (spend.calls, spend.lost.calls, spend.usd_known) == (3, 0, False)


def test_what_a_task_call_takes_is_measured_with_its_retries() -> None:
    assert (fold([]).spend.usd_per_run, fold([]).spend.requests_per_run) == (0.0, 1.0)
    paid = [run(usd=0.1, attempts=2), run(usd=0.3), run(usd=None, cached=True, attempts=0)]
    lost = CallFinished(facts=facts(usd=0.2, attempts=3), error="500")
    spend = fold([*paid, lost, CallFinished(facts=facts("proposer", usd=9.0))]).spend
    assert abs(spend.usd_per_run - 0.2) < 1e-12 and spend.requests_per_run == 2.0


def test_the_worst_price_of_a_task_request_is_remembered() -> None:
    prices = [("task", 0.2), ("task", 0.1), ("proposer", 5.0), ("task", None)]
    started = [CallStarted(call_id="c", role=role, usd_reserved=usd) for role, usd in prices]  # type: ignore[arg-type]
    assert fold(started).spend.most_reserved_usd == 0.2


def test_a_program_that_fails_again_and_again_is_known_over_all_starts() -> None:
    def ended(error: str | None, **values: Any) -> CallFinished:
        return CallFinished(facts=facts("proposer", **{"model": "codex", "outside": True, **values}), error=error)

    failed, busy = ended("no"), ended("full", finish_reason="busy")
    assert fold([failed, busy, failed]).spend.failed_in_a_row == {"codex": 2}
    assert fold([failed, failed, ended(None), failed]).spend.failed_in_a_row == {"codex": 1}
    assert fold([ended("no", outside=False), ended("no", model="other")]).spend.failed_in_a_row == {"other": 1}
