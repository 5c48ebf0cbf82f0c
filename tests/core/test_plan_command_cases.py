"""Runs by a command whose cases decide: sweep after sweep on its cases, then held-out cases at a rising bar."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from command_world import BASE, TERMS, Idea, World

from ceopt_tui.core.command_words import by_cases, command_outcome, command_proof, floor_words
from ceopt_tui.core.plan.actions import Ask, CommandSample, Park
from ceopt_tui.core.plan.command.batch import winner
from ceopt_tui.core.plan.command.candidate import broken_by
from ceopt_tui.core.plan.command.case_runs import confirming_cases, passed, report_cases, score_of
from ceopt_tui.core.plan.command.terms import CaseTerms, CommandTerms
from ceopt_tui.core.plan.plan import plan
from ceopt_tui.core.plan.terms import Terms
from schemas.records import Compared, Decided, Looked, Stopped

SPEC: dict[str, Any] = {
    "metric": {
        "primary": {"type": "hard", "name": "rate", "direction": "maximize"},
        "degenerate_gates": [{"name": "correct", "check": "== 1"}],
    },
    "measurement": {"stability": {"comparison": {"method": "evidence"}}, "holdout": {"command": "./held-out"}},
}
COMMAND = CommandTerms(
    spec=SPEC,
    primary="rate",
    maximize=True,
    names=("rate", "correct"),
    mode="stable",
    aggregation="median",
    paired=False,
    repeats=4,
    holdout=True,
    cases=CaseTerms(),
)
Chances = Mapping[str, float]  # of passing, by case; 0 and 1 never vary


def cases(count: int, chance: float, workload: str = "selection") -> dict[str, float]:
    return {f"{workload[0]}{at:02d}": chance for at in range(count)}


def half(count: int, workload: str = "selection") -> dict[str, float]:
    """Every second case passes always, the others never."""
    return {case: float(at % 2) for at, case in enumerate(cases(count, 0, workload))}


@dataclass
class Cases(World):
    """What each commit prints, as chances of passing by workload; whoever says nothing prints what base does."""

    chances: dict[str, Callable[[str], Chances]] = field(default_factory=dict)
    scores: Callable[[CommandSample], Mapping[str, Any]] | None = None  # instead, as they are
    rate: float | None = None  # printed instead of the mean
    draw: random.Random = field(default_factory=lambda: random.Random(5))

    def outcome(self, sample: CommandSample) -> tuple[str, dict[str, Any], dict[str, Any] | None]:
        for what in (f"{sample.commit}:{sample.workload}", sample.commit):
            if what in self.broken:
                return self.broken[what], {}, None
        if sample.workload == "smoke":
            return self.ideas[0].smoke, {}, None
        told = self.scores(sample) if self.scores else self._drawn(sample)
        known = [
            score
            for score in (score_of(one, maximize=self.command.maximize) for one in told.values())
            if score is not None
        ]
        mean = sum(known) / len(known) if known else 0.0
        correct = 1.0 if sample.commit == BASE else self.idea(int(sample.commit[1:].split("+")[0])).correct
        return "ok", {"rate": mean if self.rate is None else self.rate, "correct": correct, **self.values}, dict(told)

    def _drawn(self, sample: CommandSample) -> dict[str, Any]:
        chances = self.chances.get(sample.commit, self.chances[BASE])(sample.workload)
        return {case: self.draw.random() < chance for case, chance in chances.items()}

    def said(self, kind: type, number: int = 1) -> list[Any]:
        return [one for one in self.records if isinstance(one, kind) and getattr(one, "number", None) == number]


def terms(*, attended: bool = False, **changes: Any) -> Terms:
    return replace(TERMS, maximize=True, attended=attended, command=replace(COMMAND, **changes))


def every(chance: float, count: int = 12) -> Callable[[str], Chances]:
    return lambda workload: cases(count, chance, workload)


def halves(count: int = 12) -> Callable[[str], Chances]:
    return lambda workload: half(count, workload)


def steps(world: Cases, number: int = 1) -> list[tuple[str, str]]:
    return [(one.step, one.decision) for one in world.said(Decided, number)]


def test_a_good_change_climbs_is_confirmed_on_held_out_cases_and_reported_on_fresh_runs() -> None:
    world = Cases([Idea()], terms(), chances={BASE: every(0.4), "c1": every(0.95)})
    state = world.run()
    assert world.outcomes() == ["kept"]
    assert steps(world)[-2:] == [("confirm", "promising"), ("holdout", "keep")]
    assert len(world.asked_for(pairing="own")) == 4
    assert [commit for commit, *_ in world.asked_for("holdout", "own")] == [BASE] * 4
    assert len(world.asked_for("holdout")) == 4
    (look,) = world.said(Looked)
    assert (look.look, look.level, look.keeps) == (1, 0.1, 0)
    assert [one.comparison for one in world.said(Compared)] == ["standalone", "holdout"]
    assert world.said(Compared)[1].uncertainty["z"] > 1.28
    assert state.gain is not None and state.gain.clearly_better and state.gain.fresh and state.gain.cases == 12
    assert state.gain.low < state.gain.gain < state.gain.high
    assert command_outcome(state).startswith("on 12 held-out cases, fresh runs: ")
    assert len(world.asked_for("holdout", "report")) == 8


def test_what_is_decided_first_is_the_first_sweeps_share_of_the_pool_and_once_only() -> None:
    world = Cases([Idea()], terms(), chances={BASE: every(0.4), "c1": every(0.95)})
    state = world.run()
    told = [one.tau for one in world.said(Decided)]
    assert told[0] is not None and told[1:] == [None] * (len(told) - 1)
    assert state.tau_df == 11


def test_a_change_that_is_only_noise_is_never_kept() -> None:
    kept = 0
    for seed in range(20):
        world = Cases([Idea()], terms(), chances={BASE: every(0.5)}, draw=random.Random(seed))
        world.run()
        kept += world.outcomes() == ["kept"]
    assert kept <= 1


def test_a_change_that_moves_nothing_is_reverted_without_a_look() -> None:
    world = Cases([Idea()], terms(), chances={BASE: halves()})
    state = world.run()
    assert world.outcomes() == ["reverted"] and not world.said(Looked)
    assert state.experiments[1].closed is not None and state.experiments[1].closed.moved is False


def test_a_change_that_shines_on_its_own_cases_alone_is_not_kept() -> None:
    tuned = {"selection": every(1.0), "holdout": every(0.4)}
    chances = {BASE: every(0.4), "c1": lambda workload: tuned[workload](workload)}
    world = Cases([Idea()], terms(), chances=chances)
    world.run()
    assert world.outcomes() == ["inconclusive"]
    assert [one.step for one in world.said(Decided)][-1] in {"confirm", "holdout"}
    assert world.said(Compared)[-1].comparison == "holdout"


def test_a_command_that_repeats_itself_is_run_once_a_step() -> None:
    chances = {BASE: halves(), "c1": every(1.0)}
    world = Cases([Idea()], terms(), chances=chances)
    state = world.run()
    assert state.deterministic and world.outcomes() == ["kept"]
    assert (len(world.asked_for()), len(world.asked_for("holdout"))) == (1, 1)
    assert steps(world) == [("add_sample", "promising"), ("holdout", "keep")]
    assert state.gain is not None and not state.gain.fresh
    assert "the command repeats itself, so these runs are the deciding ones" in command_outcome(state)
    assert state.stopped is not None and state.stopped.outcome == "saturated"


def test_of_many_held_out_cases_a_third_is_kept_for_the_report_where_runs_repeat_themselves() -> None:
    chances = {BASE: halves(60), "c1": every(1.0, 60)}
    world = Cases([Idea()], terms(), chances=chances)
    state = world.run()
    held_out = cases(60, 0, "holdout")
    reserved = report_cases(held_out)
    assert 10 < len(reserved) < 30 and confirming_cases(held_out) == set(held_out) - reserved
    assert state.gain is not None and state.gain.fresh and state.gain.cases == len(reserved)
    assert world.said(Decided)[-1].numbers["n"] == 60 - len(reserved)


def test_one_other_run_of_the_same_commit_and_the_command_repeats_itself_no_longer() -> None:
    def scores(sample: CommandSample) -> Mapping[str, Any]:
        told = {case: bool(chance) for case, chance in half(12, sample.workload).items()}
        if sample.commit == "c1":
            fails = {"02", "00"} if sample.pairing == "own" else {"02"}
            told = {case: case[1:] not in fails for case in told}
        return told

    state = Cases([Idea(), Idea()], terms(), scores=scores).run()
    assert "the same commit, c1" in state.nondeterminism and not state.deterministic


def test_a_case_that_always_passed_and_fails_now_waits_for_a_person_unattended() -> None:
    def chances(workload: str) -> Chances:
        return {**every(1.0)(workload), "s01": 0.0}

    world = Cases([Idea()], terms(), chances={BASE: halves(), "c1": chances})
    state = world.run()
    assert world.outcomes() == ["deferred_needs_approval"]
    closed, (parked,) = state.experiments[1].closed, state.waiting.proposals
    assert closed is not None and closed.broken == ("s01",) == closed.regressions
    assert parked.cause == "broken"
    assert closed.reason == "would break s01, which always passed; only a person may keep this"
    assert isinstance(world.actions[-1], Park) and world.actions[-1].outcome == "needs_person"


@pytest.mark.parametrize("changes", [{"allow_broken": True}, {"attended": True}])
def test_it_is_kept_where_that_is_allowed_or_a_person_agrees(changes: dict[str, bool]) -> None:
    def chances(workload: str) -> Chances:
        return {**every(1.0)(workload), "s01": 0.0}

    world = Cases([Idea()], replace(terms(), **changes), chances={BASE: halves(), "c1": chances})
    state = world.run()
    assert world.outcomes() == ["kept"]
    assert (Ask("keep", 1) in world.actions) is ("attended" in changes)
    assert broken_by(winner(state, world.command, 1)) == ("s01",)


def test_another_objective_that_gets_worse_than_allowed_stops_a_winner() -> None:
    objective = {"name": "ms", "direction": "minimize", "max_regression": {"type": "relative", "value": 0.1}}
    spec = {**SPEC, "metric": {**SPEC["metric"], "objectives": [objective]}}
    for now, outcome in ((105.0, "kept"), (120.0, "reverted")):

        class Slower(Cases):
            ms: float = now

            def outcome(self, sample: CommandSample) -> tuple[str, dict[str, Any], dict[str, Any] | None]:
                status, values, told = super().outcome(sample)
                return status, {**values, "ms": 100.0 if sample.commit == BASE else self.ms}, told

        world = Slower([Idea()], terms(spec=spec), chances={BASE: halves(), "c1": every(1.0)})
        world.run()
        assert world.outcomes() == [outcome]


def test_a_batch_is_ranked_and_a_runner_up_is_measured_on_top_of_the_winner_case_by_case() -> None:
    def some(count: int) -> Callable[[str], Chances]:
        return lambda workload: {
            case: float(at % 2 or at < 2 * count) for at, case in enumerate(cases(24, 0, workload))
        }

    chances = {BASE: halves(24), "c1": some(5), "c2": some(8), "c1+c2": some(12)}
    ideas = [Idea(files=("src/a.py",)), Idea(files=("src/b.py",))]
    world = Cases(ideas, terms(batch=2), chances=chances)
    state = world.run()
    assert world.outcomes() == ["runner_up_kept", "kept"]
    assert [look.number for look in state.looks] == [2, 1]
    assert [one.step for one in world.said(Decided) if one.pairing == "integrated"] == ["integrated", "holdout"]
    assert broken_by(winner(state, world.command, 1)) == ()


def test_a_smoke_run_comes_first_where_there_is_one() -> None:
    spec = {**SPEC, "measurement": {**SPEC["measurement"], "stability": {
        "comparison": {"method": "evidence"}, "ladder": {"smoke_command": "./smoke"}}}}  # fmt: skip
    for smoke, outcome in (("ok", "kept"), ("error", "degenerate")):
        world = Cases([Idea(smoke=smoke)], terms(spec=spec, smoke=True), chances={BASE: halves(), "c1": every(1.0)})
        world.run()
        assert world.outcomes() == [outcome]


def test_a_change_that_breaks_a_gate_is_degenerate() -> None:
    world = Cases([Idea(correct=0)], terms(), chances={BASE: halves(), "c1": every(1.0)})
    world.run()
    assert world.outcomes() == ["degenerate"]


def test_too_many_cases_without_a_score_are_an_error_and_no_verdict() -> None:
    def scores(sample: CommandSample) -> Mapping[str, Any]:
        told: dict[str, Any] = {case: bool(chance) for case, chance in half(12, sample.workload).items()}
        return told if sample.commit == BASE else dict(list(told.items())[:6])

    world = Cases([Idea()], terms(), scores=scores)
    world.run()
    assert world.outcomes() == ["error"]
    assert "6 of 12 cases have no score on one side" in world.said(Decided)[-1].reason


def test_a_final_measurement_that_lost_its_cases_tells_no_gain() -> None:
    def scores(sample: CommandSample) -> Mapping[str, Any]:
        told: dict[str, Any] = {case: bool(chance) for case, chance in half(12, sample.workload).items()}
        if sample.commit == "c1":
            told = dict.fromkeys(told, True)
        return {"h00": True} if sample.pairing == "report" and sample.commit == BASE else told

    state = Cases([Idea()], terms(), scores=scores).run()
    assert state.gain is None and state.stopped is not None
    assert state.stopped.no_gain == "1 of 12 held-out cases have a score for both states"


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_scores_between_0_and_1_go_the_way_of_the_metric(direction: str) -> None:
    metric = {**SPEC["metric"], "primary": {**SPEC["metric"]["primary"], "direction": direction}}

    def scores(sample: CommandSample) -> Mapping[str, Any]:
        better = 0.3 if sample.commit == "c1" else 0.0
        level = 0.4 + better if direction == "maximize" else 0.6 - better
        return {case: {"score": round(level + 0.01 * (at % 5), 3), "passed": True}
                for at, case in enumerate(half(12, sample.workload))}  # fmt: skip

    up = direction == "maximize"
    world = Cases([Idea()], replace(terms(spec={**SPEC, "metric": metric}, maximize=up), maximize=up), scores=scores)
    state = world.run()
    assert world.outcomes() == ["kept"]
    assert state.gain is not None and state.gain.gain == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("told", "up", "down", "passes"),
    [
        (True, 1.0, 0.0, (True, True)),
        (False, 0.0, 1.0, (False, False)),
        ({"passed": True}, 1.0, 0.0, (True, True)),
        ({"passed": True, "score": 0.25}, 0.25, 0.25, (True, True)),
        (0.5, 0.5, 0.5, (False, False)),
        (1, 1.0, 1.0, (True, False)),
        ({}, None, None, (None, None)),
        ("yes", None, None, (None, None)),
        (float("inf"), None, None, (None, None)),
    ],
)
def test_what_a_case_says(told: Any, up: float | None, down: float | None, passes: tuple[bool | None, ...]) -> None:
    assert (score_of(told, maximize=True), score_of(told, maximize=False)) == (up, down)
    assert (passed(told, maximize=True), passed(told, maximize=False)) == passes


def only_on(workload: str, told: Mapping[str, Any]) -> Callable[[CommandSample], Mapping[str, Any]]:
    return lambda sample: (
        told
        if sample.workload == workload
        else {case: bool(chance) for case, chance in half(6, sample.workload).items()}
    )


@pytest.mark.parametrize(
    ("scores", "rate", "words"),
    [
        (only_on("selection", {}), None, "the measuring command printed no `cases`"),
        (only_on("selection", {"a": "fine", "b": True}), None, "neither true or false nor a score from 0 to 1: a"),
        (only_on("selection", {"a": 70, "b": 60}), None, "neither true or false nor a score from 0 to 1: a, b"),
        (only_on("selection", {"a": True, "b": False}), 0.9, "rate is 0.9 and the mean of its cases 0.5"),
        (only_on("holdout", {}), None, "the held-out command printed no `cases`"),
        (only_on("holdout", {"s00": True, "x": False}), None, "both commands print s00"),
        (lambda _: {"a": True, "b": False} if _.workload == "selection" else {"c": True}, None, "3 cases in all"),
    ],
)
def test_cases_that_cannot_decide_end_the_run_with_what_to_put_right(
    scores: Callable[[CommandSample], Mapping[str, Any]], rate: float | None, words: str
) -> None:
    state = Cases([Idea()], terms(), scores=scores, rate=rate).run()
    assert state.finished is not None and state.finished.outcome == "harness_failed"
    assert words in state.finished.reason and not state.experiments


def test_a_held_out_command_that_fails_is_told_before_anything_is_tried() -> None:
    world = Cases([Idea()], terms(), chances={BASE: halves()}, broken={f"{BASE}:holdout": "error"})
    world.run()
    assert isinstance(world.actions[-1], Park)
    assert world.actions[-1].reason == "the held-out command failed on the current state: it said error"


def test_where_every_case_passes_already_nothing_is_tried() -> None:
    world = Cases([Idea()], terms(), chances={BASE: every(1.0)})
    state = world.run()
    assert state.finished is not None and state.finished.outcome == "no_headroom" and not state.experiments


def test_the_set_says_what_it_can_see() -> None:
    world = Cases([], terms(), chances={BASE: every(0.4)})
    state = world.run()
    assert by_cases(state) and state.baseline is not None
    assert 0 < state.baseline.sees_half < state.baseline.sees_most
    assert floor_words(state).startswith("a gain of 0.")
    few = Cases([], terms(), chances={BASE: halves()}).run()
    assert floor_words(few) == "no gain below 0.16667 can be told from chance"
    assert "on the cases it was tuned on, then on held-out ones" in command_proof(state)


def test_a_target_is_met_by_the_mean_of_the_cases() -> None:
    metric = {**SPEC["metric"], "primary": {**SPEC["metric"]["primary"], "target": 0.8}}
    world = Cases([Idea(), Idea()], terms(spec={**SPEC, "metric": metric}), chances={
        BASE: halves(), "c1": lambda workload: {**every(1.0)(workload), f"{workload[0]}00": 0.0}})  # fmt: skip
    state = world.run()
    assert world.outcomes() == ["kept"]
    assert state.stopped is not None and state.stopped.outcome == "target_reached"


def test_a_stop_before_a_look_closes_what_is_open() -> None:
    world = Cases([Idea()], terms(), chances={BASE: every(0.4), "c1": every(0.95)})
    for _ in range(12):
        if world.said(Looked):
            break
        world.carry_out(plan(world.state, world.terms, active_s=0.0, wall_s=0.0))
    world.note(Stopped(outcome="person", reason="you stopped it"))
    world.run()
    assert world.outcomes() == ["inconclusive"]
