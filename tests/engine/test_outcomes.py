"""Every way a run can end, on fakes: the word, the exit status, and what was spent to find out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock, FakeProposer, facts, terms
from world import World, helps

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.ports import Draft, Refusal, RunResult
from ceopt_tui.errors import AuthError, BudgetError, CallFailed, ProposalError, QuotaError, RateLimitError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.headless import HeadlessSkin
from schemas.records import Probed


def constant(output: str) -> Callable[..., str]:
    return lambda text, case, sample: output


def right(text: str, case: Any, sample: int) -> str:
    return f"answer {int(case.id[1:])}"


def kinds(world: World, kind: str) -> list[Any]:
    return [record for record in world.skin.records if record.kind == kind]


async def test_a_change_that_moves_nothing_is_reverted_after_four_runs(tmp_path: Path) -> None:
    world = World(tmp_path, helps("never said"), lines=("be kind",))
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("no_improvement", ExitStatus.FINISHED)
    (closed,) = kinds(world, "experiment_closed")
    assert (closed.outcome, closed.reason, closed.moved) == ("reverted", "no score moved", False)
    assert sum("be kind" in text for text, _, _ in world.runner.calls) == 4


async def test_a_gain_on_tuned_cases_alone_is_inconclusive(tmp_path: Path) -> None:
    world = World(tmp_path, lambda *_: "", lines=("learn by heart",))
    selection = set(world.inputs().split.selection)

    def by_heart(text: str, case: Any, sample: int) -> str:
        number = int(case.id[1:])
        good = number % 5 == 0 or ("by heart" in text and case.id in selection)
        return f"answer {number}" if good else "something else"

    world.runner.answer = by_heart
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("inconclusive", ExitStatus.FINISHED)
    (closed,) = kinds(world, "experiment_closed")
    assert closed.outcome == "inconclusive" and closed.reason.startswith("not confirmed")
    assert len(kinds(world, "looked")) == 1
    assert not world.backend.commits


async def test_a_text_that_silences_the_model_is_degenerate(tmp_path: Path) -> None:
    world = World(
        tmp_path, lambda text, case, sample: "" if "quiet" in text else helps()(text, case, sample), lines=("be quiet",)
    )
    await world.tick()
    (closed,) = kinds(world, "experiment_closed")
    assert (closed.outcome, closed.reason) == ("degenerate", "every output is empty (4 runs)")
    assert not kinds(world, "looked")


async def test_a_candidate_refused_twice_costs_no_call(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be exact",))
    refusal = Refusal("placeholder_lost", "placeholder {question} is missing", 3)
    result = await world.tick(guard=lambda before, after: [refusal])
    assert result.outcome == "nothing_measured"
    assert [record.attempt for record in kinds(world, "candidate_refused")] == [1, 2]
    (closed,) = kinds(world, "experiment_closed")
    assert (closed.outcome, closed.reason) == ("refused", "placeholder {question} is missing")
    assert all("be exact" not in text for text, _, _ in world.runner.calls)


class Unusable(FakeProposer):
    async def propose(self, brief: Any, idea: Any, refused: Any) -> Draft:
        self.briefs.append(brief)
        raise ProposalError("the reply holds no edit")


async def test_edits_that_cannot_be_applied_are_no_verdict_on_the_idea(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be exact",))
    world.proposer = Unusable(("be exact",))
    result = await world.tick()
    (closed,) = kinds(world, "experiment_closed")
    assert (closed.outcome, closed.reason) == ("no_edits_applied", "the reply holds no edit")
    assert world.state.plateau == 0 and world.state.iterations == 1
    assert result.outcome == "nothing_measured"


async def test_a_proposer_that_cannot_be_used_three_times_ends_the_run(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("a", "b", "c", "d", "f"))
    world.proposer = Unusable(world.lines)
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("proposer_failed", ExitStatus.STOPPED)
    assert "3 proposals in a row could not be used" in result.reason
    assert len(world.state.experiments) == 3


class Babbling(FakeProposer):
    async def hypotheses(self, brief: Any, wanted: int) -> Any:
        self.briefs.append(brief)
        raise ProposalError("the reply is not JSON")


async def test_a_proposer_without_usable_ideas_is_a_failure_and_no_verdict(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    world.proposer = Babbling(())
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("proposer_failed", ExitStatus.STOPPED)
    assert "the reply is not JSON" in result.reason
    assert len(world.proposer.briefs) == 3
    assert not world.state.experiments


async def test_one_unusable_reply_is_asked_for_again(tmp_path: Path) -> None:
    class Late(FakeProposer):
        async def hypotheses(self, brief: Any, wanted: int) -> Any:
            if not self.briefs:
                self.briefs.append(brief)
                raise ProposalError("the reply is not JSON")
            return await super().hypotheses(brief, wanted)

    world = World(tmp_path, helps("be exact"))
    world.proposer = Late(("be exact",))
    assert (await world.tick()).outcome == "improved"
    assert world.state.proposer_failures == 0


async def test_refused_candidates_are_no_failure_of_the_proposer(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("a", "b", "c", "d"))
    result = await world.tick(guard=lambda before, after: [Refusal("leak", "copies item c01")])
    assert result.outcome == "nothing_measured"
    assert [one.outcome for one in world.state.experiments.values()] == ["refused"] * 4
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Nothing was measured: none of the 4 proposed changes could be tried" in report
    assert result.exit_status == ExitStatus.FINISHED and "would have missed" not in report


async def test_a_dead_endpoint_is_found_at_the_price_of_one_call(tmp_path: Path) -> None:
    world = World(tmp_path, lambda *_: RunResult("", error="500: stub failure"))
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("stopped", "harness_failed", ExitStatus.STOPPED)
    assert result.reason.startswith("the model did not answer, the first call failed: 500: stub failure")
    lines: list[str] = []
    skin = HeadlessSkin(as_json=False, out=lines.append, talk=lines.append)
    skin.opened(world.state, world.terms)
    skin.finish(result, "again")
    assert "stopped: the model did not answer; 0 kept of 0 experiments; scored 0, unscored 1" in lines
    assert len(world.runner.calls) == 1
    assert not world.state.finished


@pytest.mark.parametrize(
    ("error", "word", "status"),
    [
        (QuotaError("openai: no quota left"), "quota", ExitStatus.STOPPED),
        (RateLimitError("openai: rate limit"), "outage", ExitStatus.STOPPED),
        (AuthError("openai: the key was refused"), "auth", ExitStatus.REFUSED),
    ],
)
async def test_errors_of_the_provider_end_the_tick_by_meaning(
    error: Exception, word: str, status: ExitStatus, tmp_path: Path
) -> None:
    world = World(tmp_path, lambda *_: error)
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("stopped", word, status)
    assert len(world.runner.calls) == 1
    assert world.state.last_tick is not None and world.state.last_tick.reason == str(error)


async def test_an_outage_parks_the_run_and_a_later_tick_finishes_it(tmp_path: Path) -> None:
    whole = World(tmp_path / "whole", helps("be exact"))
    await whole.tick()
    world = World(tmp_path / "out", helps("be exact"))
    calls = 0

    def breaks(text: str, case: Any, sample: int) -> Any:
        nonlocal calls
        calls += 1
        return helps("be exact")(text, case, sample) if calls <= 50 else RunResult("", error="connection refused")

    world.runner.answer = breaks
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("stopped", "outage", ExitStatus.STOPPED)
    assert calls <= 50 + 3 + 5 + 4 and "calls in a row failed" in result.reason
    assert not world.state.finished and not world.state.experiments[1].closed
    world.runner.answer = helps("be exact")
    result = await world.tick()
    assert result.outcome == "improved"
    assert world.state.gain is not None and whole.state.gain is not None
    assert world.state.gain.gain == whole.state.gain.gain


async def test_a_first_call_that_fails_on_a_resume_keeps_what_was_measured(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False)
    await world.tick()
    world.approved, scored = True, world.state.runs.scored
    world.runner.answer = lambda *_: RunResult("", error="connection refused")
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("outage", ExitStatus.STOPPED)
    assert "What was measured is kept" in result.reason
    assert world.state.runs.scored == scored > 0


async def test_a_proposer_without_an_answer_parks_the_run(tmp_path: Path) -> None:
    class Silent(FakeProposer):
        async def hypotheses(self, brief: Any, wanted: int) -> Any:
            raise CallFailed("no answer within 60 s", reason="timeout")

    world = World(tmp_path, helps("be exact"))
    world.proposer = Silent(())
    result = await world.tick()
    assert (result.status, result.exit_status) == ("stopped", ExitStatus.STOPPED)
    world.proposer = FakeProposer(("be exact",))
    assert (await world.tick()).outcome == "improved"


@pytest.mark.parametrize(
    ("output", "finish_reason", "word", "remedy"),
    [
        ("", "length", "cut at the token limit", "raise `runner.params.max_tokens` (a model's thinking counts"),
        ("half an ans", "length", "cut at the token limit", "raise `runner.params.max_tokens` (a model's thinking"),
        ("", "stop", "empty", "raise `runner.params.max_tokens` for a model that thinks before it answers"),
        ("", "content_filter", "held back by the provider's content filter", "change these cases"),
    ],
)
async def test_replies_that_are_no_output_say_what_to_change(
    output: str, finish_reason: str, word: str, remedy: str, tmp_path: Path
) -> None:
    reply = RunResult(output, truncated=True, facts=facts().model_copy(update={"finish_reason": finish_reason}))
    world = World(tmp_path, lambda *_: reply)
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("blocked", "setup", ExitStatus.STOPPED)
    assert f"scored 0 of 10 cases of the baseline: 10 replies {word}; {remedy}" in result.reason
    assert world.state.baseline is None


async def test_one_lost_case_is_left_out_and_many_are_no_verdict(tmp_path: Path) -> None:
    def lossy(lost: set[str]) -> Callable[..., Any]:
        def answer(text: str, case: Any, sample: int) -> Any:
            if "be exact" in text and case.id in lost:
                return RunResult("", error="context too long")
            return helps("be exact")(text, case, sample)

        return answer

    few = World(tmp_path / "few", lossy({"c02"}))
    result = await few.tick()
    # Kept, and a script still hears that not everything could be scored.
    assert (result.outcome, result.exit_status) == ("improved", ExitStatus.STOPPED)
    assert "errors left 1 case without a score" in result.reason
    many = World(tmp_path / "many", lossy({f"c{i:02d}" for i in range(0, 20, 4)}))
    result = await many.tick()
    (closed,) = kinds(many, "experiment_closed")
    assert closed.outcome == "error" and not many.backend.commits
    assert result.outcome == "inconclusive"


@pytest.mark.parametrize("truncated", [False, True])
async def test_a_final_gain_lost_twice_ends_in_a_report_that_says_so(truncated: bool, tmp_path: Path) -> None:
    def silent(text: str, case: Any, sample: int) -> Any:
        """Answers one run of a case and no other."""
        if "be exact" in text and sample >= 1 and int(case.id[1:]) % 2:
            return RunResult("", truncated=truncated, error=None if truncated else "context too long")
        return helps("be exact")(text, case, sample)

    world = World(tmp_path, silent)
    first = await world.tick()
    assert (first.status, first.outcome, first.exit_status) == ("stopped", "outage", ExitStatus.STOPPED)
    assert "the final gain could not be measured: 0 of 10 held-out cases have a score for both texts" in first.reason
    assert world.state.report is None
    second = await world.tick()
    assert second.outcome == "improved" and world.state.finished is not None
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert (
        "the gain over the original was not measured: 0 of 10 held-out cases have a score for both texts, tried twice"
        in report
    )
    calls = len(world.runner.calls)
    assert (await world.tick()).outcome == "improved" and len(world.runner.calls) == calls


async def test_three_experiments_lost_in_a_row_park_the_run(tmp_path: Path) -> None:
    def answer(text: str, case: Any, sample: int) -> Any:
        if text != "Answer.\n" and int(case.id[1:]) % 4 == 0:
            return RunResult("", error="500")
        return helps(" better")(text, case, sample)

    world = World(tmp_path, answer, lines=("a better", "b better", "c better", "d better"))
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("stopped", "outage", ExitStatus.STOPPED)
    assert "3 experiments in a row could not be measured" in result.reason


async def test_a_text_at_the_maximum_has_no_headroom(tmp_path: Path) -> None:
    world = World(tmp_path, right)
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("finished", "no_headroom", ExitStatus.FINISHED)
    assert "already at the maximum; add harder cases" in result.reason
    assert not world.proposer.briefs


async def test_less_headroom_than_the_set_can_show_is_said_before_the_first_idea(tmp_path: Path) -> None:
    world = World(tmp_path, lambda text, case, sample: right(text, case, sample) if case.id != "c00" else "no")
    result = await world.tick()
    assert result.outcome == "no_headroom" and "no gain below +20 points can be shown" in result.reason
    assert not world.proposer.briefs


async def test_constant_scores_are_a_blind_harness_after_two_experiments(tmp_path: Path) -> None:
    world = World(tmp_path, constant("the same"), lines=("a", "b", "c", "d"))
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("stopped", "no_movement", ExitStatus.STOPPED)
    assert result.reason.startswith("no score has moved") and "check judge and harness" in result.reason
    assert len(world.state.experiments) == 2


async def test_the_same_cases_passing_every_time_is_said_after_three_moves(tmp_path: Path) -> None:
    world = World(tmp_path, helps("never said"), lines=("a", "b", "c", "d"))
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("no_movement", ExitStatus.STOPPED)
    assert "the same items pass every time" in result.reason
    assert len(world.state.experiments) == 3


async def test_four_cases_are_too_few_before_the_first_call(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), count=4, held_out=0)
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("too_few_cases", ExitStatus.FINISHED)
    assert "needs at least 5 cases" in result.reason
    assert not world.proposer.briefs and not world.runner.calls


async def test_checks_that_reward_a_shortcut_stop_before_the_first_call(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    failed = Probed(probe="constant output", status="failed", score=1.0, limit=0.8, detail="the same answer scores 1")
    result = await world.tick(prober=lambda left_out: [failed])
    assert (result.outcome, result.exit_status) == ("harness_failed", ExitStatus.REFUSED)
    assert "constant output: the same answer scores 1" in result.reason
    assert not world.runner.calls


@pytest.mark.parametrize(
    ("changes", "word", "experiments"),
    [
        ({"max_iterations": 2}, "max_iterations", 2),
        ({"plateau": 1}, "plateau", 1),
        ({"target": 0.4, "stop_at_target": True}, "target_reached", 0),
    ],
)
async def test_stop_rules(changes: dict[str, Any], word: str, experiments: int, tmp_path: Path) -> None:
    world = World(tmp_path, helps("never said"), lines=("a", "b", "c", "d"), terms=terms(**changes))
    result = await world.tick()
    assert world.state.stopped is not None and world.state.stopped.outcome == word
    assert len(world.state.experiments) == experiments
    assert result.exit_status == ExitStatus.FINISHED and result.outcome == "no_improvement"


@pytest.mark.parametrize(("limit", "word"), [("max_active_s", "max_hours"), ("max_wall_s", "max_wall_hours")])
async def test_hours_count_from_the_first_ideas(limit: str, word: str, tmp_path: Path) -> None:
    clock = FakeClock()

    def slow(text: str, case: Any, sample: int) -> str:
        clock.advance(60)
        return helps("never said")(text, case, sample)

    # 40 baseline runs take 40 minutes and do not count; four of the first experiment do.
    world = World(tmp_path, slow, lines=("a", "b"), clock=clock, terms=terms(**{limit: 200.0}))
    await world.tick()
    assert world.state.stopped is not None and world.state.stopped.outcome == word
    assert len(world.state.experiments) == 1


@pytest.mark.parametrize("calls", range(60, 190, 13))
async def test_no_cap_is_passed_and_every_stop_has_its_word(calls: int, tmp_path: Path) -> None:
    def noisy(text: str, case: Any, sample: int) -> str:
        good = (int(case.id[1:]) * 7 + sample * 3 + len(text)) % 10 < (9 if "be exact" in text else 4)
        return f"answer {int(case.id[1:])}" if good else "no"

    world = World(tmp_path, noisy, lines=("be kind", "be exact"), terms=terms(budget=Caps(calls=calls)))
    result = await world.tick()
    assert world.state.spend.calls <= calls
    if world.state.baseline is None:
        assert (result.status, result.outcome, result.exit_status) == ("blocked", "budget", ExitStatus.STOPPED)
        assert not world.runner.calls
    else:
        assert result.exit_status == ExitStatus.FINISHED
        assert result.outcome in {"inconclusive", "improved"}
        assert world.state.stopped is not None and world.state.stopped.outcome == "budget"
        assert all(one.closed for one in world.state.experiments.values())
        assert world.state.report is not None


async def test_a_cap_on_money_holds_by_the_price_of_a_run(tmp_path: Path) -> None:
    caps = Caps(calls=None, usd=0.1, usd_per_run=0.001)
    world = World(tmp_path, helps("be exact"), terms=terms(budget=caps))
    await world.tick()
    assert world.state.spend.usd <= 0.1


@pytest.mark.parametrize("usd", [0.02 * runs for runs in range(70, 220, 15)])
async def test_runs_dearer_than_typical_leave_the_final_report_its_money(usd: float, tmp_path: Path) -> None:
    """Every run costs twenty times what the planner would guess."""
    world = World(tmp_path, helps("be exact"), terms=terms(budget=Caps(calls=None, usd=usd, usd_per_run=0.001)))
    world.runner.answer = _priced(helps("be exact"), 0.02)
    await world.tick()
    assert world.state.baseline is not None and world.state.spend.usd <= usd
    assert world.state.report is not None
    assert not world.state.keeps or world.state.gain is not None


def _priced(rule: Any, usd: float) -> Any:
    return lambda text, case, sample: RunResult(
        rule(text, case, sample), facts=facts().model_copy(update={"usd": usd, "attempts": 1})
    )


async def test_a_cap_met_in_the_final_measurement_ends_in_a_report_without_a_gain(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))

    def dry(text: str, case: Any, sample: int) -> Any:
        return BudgetError("the cap is reached") if world.state.stopped else helps("be exact")(text, case, sample)

    world.runner.answer = dry
    result = await world.tick()
    assert (result.status, result.outcome) == ("finished", "improved")
    assert world.state.gain is None and world.state.report is not None
    report = next(iter(world.backend.published[-1].values())).decode()
    assert report.count("the gain over the original was not measured: the cap was reached") == 2
