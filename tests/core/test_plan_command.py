"""Runs measured by a command: from the first run of the command to the report, batch by batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest
from command_world import BASE, SPEC, TERMS, Idea, World, command, spec_with

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Ask, Done, KeepCommit, MeasureCommand, Park, ReadWinner
from ceopt_tui.core.plan.command.planning import target_reached
from ceopt_tui.core.plan.plan import plan
from ceopt_tui.core.plan.wrapping import wrap_up_options
from schemas.command_records import ChangeMade, CommandJudged
from schemas.records import CallFacts, Stopped


def test_a_faster_change_is_kept_and_measured_once_more_for_the_report() -> None:
    world = World([Idea(ms=50)])
    state = world.run()
    assert world.outcomes() == ["kept"]
    assert state.finished is not None and (state.finished.outcome, state.finished.exit_status) == ("improved", 0)
    assert state.gain is not None
    assert (state.gain.before, state.gain.after, state.gain.gain) == (100, 50, 50)
    assert [commit for commit, *_ in world.asked_for(pairing="report")] == [BASE, "c1"]


def test_a_slower_one_is_reverted_and_one_within_the_noise_is_inconclusive() -> None:
    world = World([Idea(ms=150), Idea(ms=98)])
    state = world.run()
    assert world.outcomes() == ["reverted", "inconclusive"]
    assert state.finished is not None and state.finished.outcome == "no_improvement"
    assert state.gain is None


def test_a_change_that_breaks_a_gate_is_degenerate() -> None:
    world = World([Idea(ms=1, correct=0)])
    world.run()
    assert world.outcomes() == ["degenerate"]


@pytest.mark.parametrize("status", ["error", "timeout", "censored"])
def test_a_measurement_without_numbers_closes_the_experiment_under_its_own_word(status: str) -> None:
    world = World([Idea(status=status), Idea(ms=50)])
    world.run()
    assert world.outcomes() == [status, "kept"]
    closed = world.state.experiments[1].closed
    assert closed is not None and closed.reason == f"it said {status}"


def test_three_experiments_in_a_row_without_numbers_are_an_outage_and_no_result() -> None:
    world = World([Idea(status="error")] * 4)
    world.run()
    assert world.outcomes() == ["error"] * 3
    assert isinstance(world.actions[-1], Park) and world.actions[-1].outcome == "outage"
    assert world.state.finished is None


def test_the_command_is_looked_at_after_one_run_before_more_is_spent() -> None:
    world = World([], terms=command(repeats=5), values={"ms": None})
    state = world.run()
    assert len(world.asked_for(pairing="own")) == 1
    assert state.finished is not None and state.finished.exit_status == 2
    assert state.finished.reason == "the measuring command did not print ms; it printed correct, ms"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"ms": "fast"}, "printed no number and no true or false for ms"),
        ({"correct": 0}, "does not pass its own gates"),
    ],
)
def test_a_harness_that_cannot_decide_ends_the_run_with_its_reason(values: dict[str, object], words: str) -> None:
    state = World([], values=values).run()  # type: ignore[arg-type]
    assert state.finished is not None and state.finished.outcome == "harness_failed" and words in state.finished.reason


def test_a_later_run_that_lacks_a_number_makes_the_baseline_unusable() -> None:
    world = World([], terms=command(repeats=2, mode="repeat"), forgets_ms=True)
    state = world.run()
    assert state.finished is not None
    assert state.finished.reason.startswith("the baseline cannot be decided on: no complete measurement of ms")


@pytest.mark.parametrize(
    ("status", "words"), [("error", "failed"), ("timeout", "ran into its time limit"), ("censored", "gave up")]
)
def test_a_command_that_fails_on_the_current_state_parks_the_run(status: str, words: str) -> None:
    world = World([], broken={BASE: status})
    world.run()
    last = world.actions[-1]
    assert isinstance(last, Park) and last.outcome == "harness_failed" and words in last.reason


def test_a_person_approves_spec_and_baseline_and_reads_the_winner() -> None:
    terms = replace(TERMS, attended=True)
    world = World([Idea(ms=50)], terms=terms, approved=False)
    world.run()
    assert [action.what for action in world.actions if isinstance(action, Ask)] == [
        "spec",
        "baseline",
        "keep",
        "wrap_up",
    ]
    assert world.outcomes() == ["kept"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("refuse: too clever", "refused by a person: too clever"), ("refuse", "refused by a person: no reason given")],
)
def test_a_person_refuses_a_winner_and_the_next_best_of_the_batch_takes_its_place(answer: str, reason: str) -> None:
    terms = replace(command(batch=2), attended=True)
    world = World([Idea(ms=50), Idea(ms=60)], terms=terms, answers={"keep-1": answer})
    world.run()
    assert world.outcomes() == ["reverted", "kept"]
    closed = world.state.experiments[1].closed
    assert closed is not None and closed.reason == reason


def test_unattended_without_approval_parks_with_the_question() -> None:
    world = World([Idea(ms=50)], approved=False)
    world.run()
    assert [action.what for action in world.actions if isinstance(action, Ask)] == ["baseline"]


def test_an_edit_that_is_refused_twice_costs_no_measurement() -> None:
    world = World([Idea(refusals=2), Idea(ms=50, refusals=1)])
    world.run()
    assert world.outcomes() == ["refused", "kept"]
    assert {commit for commit, *_ in world.asked_for()} == {"c2"}


def test_a_reader_objects_and_the_change_is_not_kept_however_it_scores() -> None:
    world = World([Idea(ms=1, objection="it never calls the counter")])
    world.run()
    assert world.outcomes() == ["reverted"]
    closed = world.state.experiments[1].closed
    assert closed is not None and closed.reason == "reverted by its reader: it never calls the counter"
    assert any(isinstance(action, ReadWinner) for action in world.actions)
    assert not any(isinstance(action, KeepCommit) for action in world.actions)


def test_a_change_that_nobody_can_read_waits_for_a_person_who_accepts_it_later() -> None:
    world = World([Idea(ms=50)], terms=replace(TERMS, reader=False))
    state = world.run()
    assert world.outcomes() == ["deferred_needs_approval"] and not state.keeps
    assert "no model that did not write it" in state.waiting.parked[1].reason
    waits = world.actions[-1]
    assert isinstance(waits, Park) and (waits.status, waits.outcome) == ("blocked", "needs_person")
    assert state.report and not state.finished
    world.terms = replace(world.terms, attended=True)
    world.answers["proposal-1"] = "accept"
    world.run()
    assert [keep.commit for keep in state.keeps] == ["c1"]
    assert world.state.waiting.settled[1].decision == "accepted"
    assert state.gain is not None and state.finished is not None and state.finished.outcome == "improved"


def asks(world: World) -> list[str]:
    return [action.what for action in world.actions if isinstance(action, Ask)]


def test_a_person_chooses_what_comes_of_it_and_only_then_the_run_is_over() -> None:
    world = World([Idea(ms=50)], terms=replace(TERMS, attended=True))
    state = world.run()
    assert asks(world)[-1] == "wrap_up" and state.wrap_up is not None and state.wrap_up.choice == "done"
    assert wrap_up_options(state, world.terms) == ("apply it to my files", "write a pull-request text", "done")
    assert state.finished is not None
    nothing = World([Idea(ms=200)], terms=replace(TERMS, attended=True))
    nothing.run()
    assert "wrap_up" not in asks(nothing)  # there is nothing to choose


def test_another_day_a_run_that_is_over_asks_what_comes_of_it_and_no_more() -> None:
    world = World([Idea(ms=50)])
    world.run()
    assert asks(world) == []
    world.terms = replace(TERMS, attended=True)
    assert isinstance(plan(world.state, world.terms, active_s=0, wall_s=0), Done)
    world.terms = replace(world.terms, wrapping=True)
    world.run()
    assert asks(world) == ["wrap_up"]


def test_a_person_goes_on_past_the_limit_that_ended_it() -> None:
    terms = replace(TERMS, attended=True, max_iterations=1)
    world = World([Idea(ms=50), Idea(ms=20)], terms=terms, answers={"wrap_up": "continue: 5 more experiments"})
    state = world.run()
    assert world.outcomes() == ["kept", "kept"] and asks(world).count("wrap_up") == 2
    assert state.finished is not None and state.gain is not None and state.gain.after == 20
    full = replace(terms, budget=Caps(calls=0))
    assert wrap_up_options(state, full) == ("apply it to my files", "write a pull-request text", "done")


def test_an_idea_that_needs_a_package_waits_until_a_person_approves_it() -> None:
    world = World([Idea(ms=50, needs="fastlib")], terms=replace(TERMS, attended=True), answers={"dependencies": "no"})
    world.run()
    assert world.outcomes() == [] and asks(world) == ["dependencies", "dependencies_again"]
    world = World([Idea(ms=50, needs="fastlib")], terms=replace(TERMS, attended=True))
    world.answers = {"dependencies": "no", "dependencies_again": "yes"}
    world.run()
    assert world.outcomes() == ["kept"]
    alone = World([Idea(ms=50, needs="fastlib")])
    alone.run()
    assert isinstance(alone.actions[-1], Park) and "fastlib" in alone.actions[-1].reason
    world = World([Idea(ms=50, needs="fastlib")], terms=replace(TERMS, attended=True))
    world.run()
    assert world.outcomes() == ["kept"]


def test_a_runner_up_that_waits_for_a_person_can_be_measured_again_on_what_is_best_now() -> None:
    ideas = [Idea(ms=50), Idea(ms=60, files=("b",), with_others_ms=30, readable=False)]
    world = World(ideas, terms=command(batch=2))
    state = world.run()
    assert world.outcomes() == ["kept", "deferred_needs_approval"]
    world.terms = replace(world.terms, attended=True)
    world.answers["proposal-2"] = "measure it again"
    world.run()
    assert [keep.commit for keep in state.keeps] == ["c1", "c2+c1"]
    assert state.experiments[3].hypothesis.source == "person"


def test_a_reader_without_a_usable_answer_leaves_it_to_a_person() -> None:
    world = World([Idea(ms=50, readable=False)])
    state = world.run()
    assert "its reader gave no usable answer" in state.waiting.parked[1].reason


def test_cases_that_were_fixed_and_broken_are_named() -> None:
    world = World([Idea(ms=50, cases={"a": False, "b": True})])
    world.run()
    closed = world.state.experiments[1].closed
    assert closed is not None and (closed.fixed, closed.regressions) == (("b",), ("a",))


class TestBatches:
    def test_the_best_of_a_batch_is_kept_first_whatever_its_number(self) -> None:
        world = World([Idea(ms=80), Idea(ms=50, files=("b",)), Idea(ms=200)], terms=command(batch=3, runners_up=0))
        world.run()
        assert world.outcomes() == ["not_selected", "kept", "reverted"]

    def test_a_runner_up_in_other_files_is_measured_again_on_top_of_the_winner(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",), with_others_ms=30)]
        world = World(ideas, terms=command(batch=2))
        state = world.run()
        assert world.outcomes() == ["kept", "runner_up_kept"]
        assert [keep.commit for keep in state.keeps] == ["c1", "c2+c1"]
        assert ("c2+c1", "candidate", 0) in world.asked_for(pairing="integrated")
        assert state.gain is not None and state.gain.after == 30

    def test_one_that_adds_nothing_is_reverted_and_ends_the_adding(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",), with_others_ms=50), Idea(ms=70, files=("c",))]
        world = World(ideas, terms=command(batch=3, runners_up=2))
        world.run()
        assert world.outcomes() == ["kept", "runner_up_reverted", "not_selected"]
        closed = world.state.experiments[3].closed
        assert closed is not None and "did not help" in closed.reason

    def test_one_that_changes_the_same_file_is_passed_over_and_the_next_one_is_tried(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=55), Idea(ms=60, files=("b",), with_others_ms=30)]
        world = World(ideas, terms=command(batch=3))
        world.run()
        assert world.outcomes() == ["kept", "not_selected", "runner_up_kept"]
        closed = world.state.experiments[2].closed
        assert closed is not None and closed.reason == "exp-001 came first and changed src/a.py as well"

    def test_no_more_are_added_than_the_spec_allows(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",), with_others_ms=30), Idea(ms=70, files=("c",), with_others_ms=9)]
        world = World(ideas, terms=command(batch=3, runners_up=1))
        world.run()
        assert world.outcomes() == ["kept", "runner_up_kept", "not_selected"]

    def test_changes_that_do_not_go_together_are_said_to(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",))]
        world = World(ideas, terms=command(batch=2), combinable=False)
        world.run()
        closed = world.state.experiments[2].closed
        assert closed is not None and closed.outcome == "runner_up_reverted" and "conflict" in closed.reason

    def test_a_failed_measurement_on_top_of_the_winner_is_an_error_of_that_one(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",))]
        world = World(ideas, terms=command(batch=2), broken={"c2+c1": "error"})
        world.run()
        assert world.outcomes() == ["kept", "error"]

    def test_equal_ideas_are_drawn_from_categories_tried_less(self) -> None:
        ideas = [
            Idea(ms=120, category="a", rank=5),
            Idea(ms=120, category="a", rank=5),
            Idea(ms=120, category="b", rank=5),
        ]
        world = World(ideas, terms=command(batch=2))
        world.run()
        assert [one.hypothesis.category for one in world.state.experiments.values()] == ["a", "b", "a"]

    def test_what_nobody_could_estimate_waits_until_the_rest_is_tried(self) -> None:
        ideas = [
            Idea(ms=120, category="a", rank=9, expected="Unknown; cheapest way to find out: a profile"),
            Idea(ms=120, category="b", rank=1, expected="5 to 10 %", confidence="low"),
            Idea(ms=120, category="c", rank=1, expected="5 to 10 %", confidence="high"),
        ]
        world = World(ideas, terms=command(batch=1))
        world.run()
        assert [one.hypothesis.category for one in world.state.experiments.values()] == ["c", "b", "a"]


class TestHoldout:
    TERMS = command(batch=2, holdout=True, spec={**spec_with(), "measurement": {
        **spec_with()["measurement"], "holdout": {"command": "./held"}}})  # fmt: skip

    def test_only_the_best_of_a_batch_looks_at_it(self) -> None:
        world = World([Idea(ms=50), Idea(ms=60)], terms=self.TERMS)
        state = world.run()
        assert world.outcomes() == ["kept", "not_selected"]
        assert {commit for commit, *_ in world.asked_for("holdout")} == {"c1"}
        assert [look.number for look in state.looks] == [1]

    def test_the_next_one_looks_when_the_first_does_not_hold_up(self) -> None:
        world = World([Idea(ms=50, held_out_ms=100), Idea(ms=60)], terms=self.TERMS)
        world.run()
        assert world.outcomes() == ["inconclusive", "kept"]

    def test_one_that_is_worse_held_out_is_reverted(self) -> None:
        world = World([Idea(ms=50, held_out_ms=150)], terms=self.TERMS)
        world.run()
        assert world.outcomes() == ["reverted"]

    def test_a_held_out_run_without_numbers_is_an_error(self) -> None:
        world = World([Idea(ms=50)], terms=self.TERMS, broken={"c1:holdout": "timeout"})
        world.run()
        assert world.outcomes() == ["timeout"]

    def test_a_look_is_on_record_before_what_it_pays_for(self) -> None:
        world = World([Idea(ms=50)], terms=self.TERMS)
        world.run()
        kinds = [
            record.kind
            for record in world.records
            if record.kind == "looked" or getattr(record, "workload", "") == "holdout"
        ]
        assert kinds[0] == "looked"

    def test_a_runner_up_looks_once_more_on_top_of_the_winner(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",), with_others_ms=30, held_out_ms=60)]
        world = World(ideas, terms=self.TERMS)
        state = world.run()
        assert world.outcomes() == ["kept", "runner_up_kept"]
        assert [look.number for look in state.looks] == [1, 2]
        assert ("c2+c1", "candidate", 0) in world.asked_for("holdout", "integrated")


class TestLadder:
    def test_a_smoke_run_that_fails_costs_nothing_more(self) -> None:
        spec = spec_with(mode="ladder", repeat_count=3, ladder={"smoke_command": "./smoke"})
        world = World(
            [Idea(smoke="error"), Idea(ms=50)], terms=command(mode="ladder", smoke=True, repeats=3, spec=spec)
        )
        world.run()
        assert world.outcomes() == ["degenerate", "kept"]
        assert not any(commit == "c1" for commit, *_ in world.asked_for())

    def test_samples_are_added_one_by_one_as_long_as_they_can_change_the_verdict(self) -> None:
        spec = spec_with(mode="ladder", repeat_count=4)
        world = World([Idea(ms=150), Idea(ms=99), Idea(ms=50)], terms=command(mode="ladder", repeats=4, spec=spec))
        world.run()
        assert world.outcomes() == ["reverted", "inconclusive", "kept"]
        taken = [commit for commit, arm, _ in world.asked_for() if arm == "candidate"]
        assert (taken.count("c1"), taken.count("c2"), taken.count("c3")) == (1, 2, 4)

    def test_pairs_are_taken_in_turns_each_side_going_first(self) -> None:
        spec = spec_with(mode="repeat", repeat_count=3, comparison={"method": "paired", "relative_threshold": 0.05})
        world = World([Idea(ms=50)], terms=command(mode="repeat", repeats=3, paired=True, spec=spec))
        world.run()
        assert [arm for _, arm, _ in world.asked_for()] == [
            "reference", "candidate", "candidate", "reference", "reference", "candidate",
        ]  # fmt: skip

    def test_a_reference_that_fails_says_nothing_of_the_change(self) -> None:
        spec = spec_with(mode="repeat", repeat_count=1, comparison={"method": "paired"})
        world = World([Idea(ms=50)], terms=command(mode="repeat", paired=True, spec=spec))
        world.run(limit=500) if False else None
        world.broken = {}
        fails = World([Idea(ms=50), Idea(ms=50)], terms=command(mode="repeat", paired=True, spec=spec))
        original = fails.outcome
        fails.outcome = lambda one: (
            ("error", {}, None) if one.pairing == "standalone" and one.arm == "reference" else original(one)
        )  # type: ignore[method-assign]
        fails.run()
        closed = fails.state.experiments[1].closed
        assert closed is not None and closed.outcome == "error" and "the current state" in closed.reason

    def test_a_command_hears_its_bound_only_when_all_is_worse_already(self) -> None:
        allowed = {"name": "ms", "direction": "minimize", "max_regression": {"type": "relative", "value": 9}}
        ladder = {"exploratory_pairs": 1}
        spec = spec_with(mode="ladder", repeat_count=3, ladder=ladder)
        spec = {**spec, "metric": {**spec["metric"], "objectives": [allowed]}}
        world = World([Idea(ms=98), Idea(ms=150)], terms=command(mode="ladder", repeats=3, spec=spec, censor_after_s=9))
        world.run()
        bounds: dict[str, list[float | None]] = {"c1": [], "c2": []}
        for action in world.actions:
            for sample in action.samples if isinstance(action, MeasureCommand) else ():
                bounds.setdefault(sample.commit, []).append(sample.censor_after_s)
        assert bounds["c1"] == [None, None]
        assert bounds["c2"] == [None, 9]


class TestStops:
    def test_every_declared_target_met_ends_the_loop(self) -> None:
        spec = {**SPEC_WITH_TARGET}
        world = World([Idea(ms=50), Idea(ms=10)], terms=command(spec=spec))
        state = world.run()
        assert state.stopped is not None and state.stopped.outcome == "target_reached"
        assert world.outcomes() == ["kept"]

    def test_a_target_the_first_state_meets_is_met(self) -> None:
        world = World([], terms=command(spec=SPEC_WITH_TARGET), base_ms=10)
        state = world.run()
        assert state.stopped is not None and state.stopped.outcome == "target_reached"
        assert target_reached(state, world.command)

    @pytest.mark.parametrize(
        ("changes", "word"),
        [({"max_iterations": 1}, "max_iterations"), ({"plateau": 1}, "plateau"), ({"max_active_s": 0.0}, "max_hours")],
    )
    def test_limits(self, changes: dict[str, float], word: str) -> None:
        world = World([Idea(ms=150)] * 3, terms=replace(TERMS, **changes))  # type: ignore[arg-type]
        state = world.run()
        assert state.stopped is not None and state.stopped.outcome == word

    def test_no_ideas_is_the_end(self) -> None:
        state = World([]).run()
        assert state.stopped is not None and state.stopped.outcome == "no_ideas"

    def test_a_proposer_that_gives_nothing_usable_ends_the_run_early(self) -> None:
        world = World([])
        world.state.proposer_failures = 3
        state = world.run()
        assert state.finished is not None
        assert (state.finished.outcome, state.finished.exit_status) == ("proposer_failed", 3)

    @pytest.mark.parametrize(
        ("holdout", "seen", "outcomes"),
        [
            (True, ReadWinner, ["inconclusive", "deferred_needs_approval"]),
            (False, ReadWinner, ["deferred_needs_approval", "deferred_needs_approval"]),
            (True, Ask, ["inconclusive", "inconclusive"]),
        ],
    )
    def test_a_winner_that_nobody_read_before_the_stop_waits_for_a_person(
        self, holdout: bool, seen: type, outcomes: list[str]
    ) -> None:
        ideas = [Idea(ms=60), Idea(ms=50, files=("b",))]
        spec = {**SPEC, "measurement": {**SPEC["measurement"], **({"holdout": {"command": "./h"}} if holdout else {})}}
        world = World(ideas, terms=replace(command(batch=2, holdout=holdout, spec=spec), attended=seen is Ask))
        self.stopped_at(world, seen)
        assert world.outcomes() == outcomes
        for proposal in world.state.waiting.proposals:
            assert proposal.cause == "ended"
            assert proposal.reason.startswith("the run ended before anybody read it: you stopped it")

    def test_a_runner_up_that_nobody_read_before_the_stop_waits_too(self) -> None:
        ideas = [Idea(ms=50), Idea(ms=60, files=("b",), with_others_ms=30)]
        world = World(ideas, terms=command(batch=2))
        self.stopped_at(world, ReadWinner, number=2)
        assert world.outcomes() == ["kept", "deferred_needs_approval"]

    def test_what_another_machine_made_waits_only_once_somebody_else_measured_it(self) -> None:
        world = World([Idea(ms=50)], terms=command(remote=True, repeats=2))
        self.stopped_at(world, ReadWinner)
        assert world.outcomes() == ["deferred_needs_approval"]

    def test_what_is_on_the_branch_when_a_run_stops_is_kept(self) -> None:
        world = World([Idea(ms=50)])
        self.stopped_at(world, KeepCommit, done=True)
        assert world.outcomes() == ["kept"]

    def stopped_at(self, world: World, what: type, *, number: int | None = None, done: bool = False) -> None:
        """Goes on to an action on an experiment, done or not, and has a person stop the run there."""
        for _ in range(100):
            action = plan(world.state, world.terms, active_s=0.0, wall_s=0.0)
            about = getattr(action, "number", None)
            reached = isinstance(action, what) and world.state.experiments and number in {None, about}
            if reached and not done:
                break
            world.carry_out(action)
            if reached:
                break
        world.note(Stopped(outcome="person", reason="you stopped it"))
        world.run()

    def test_a_run_that_is_stopped_with_experiments_open_closes_them(self) -> None:
        world = World([Idea(ms=50)] * 2, terms=command(batch=2))
        while not world.state.experiments:
            world.carry_out(plan(world.state, world.terms, active_s=0, wall_s=0))
        world.note(Stopped(outcome="person", reason="you ended the run"))
        world.run()
        assert world.outcomes() == ["inconclusive", "inconclusive"]

    def test_a_final_measurement_that_fails_is_said_and_ends_nothing_else(self) -> None:
        world = World([Idea(ms=50)], broken={f"{BASE}:report": "error"})
        state = world.run()
        assert state.finished is not None and state.finished.outcome == "improved"
        assert state.stopped is not None and state.stopped.no_gain == "measuring it failed: it said error"


SPEC_WITH_TARGET = {
    **spec_with(),
    "metric": {**spec_with()["metric"], "primary": {**spec_with()["metric"]["primary"], "target": 60}},
}


class TestRemote:
    TERMS = command(remote=True, repeats=2, mode="repeat", spec=spec_with(mode="repeat", repeat_count=2, comparison={
        "method": "paired", "relative_threshold": 0.05}))  # fmt: skip

    def test_what_the_author_measured_is_a_claim_and_somebody_elses_samples_decide(self) -> None:
        world = World([Idea(ms=50)], terms=self.TERMS)
        world.run()
        assert world.outcomes() == ["kept"]
        assert len(world.asked_for(pairing="independent")) == 4

    def test_a_liar_is_not_kept(self) -> None:
        world = World([Idea(ms=1, independent_ms=100)], terms=self.TERMS)
        world.run()
        assert world.outcomes() == ["inconclusive"]

    def test_a_delivery_with_too_few_samples_decides_nothing(self) -> None:
        world = World([Idea(ms=50, delivered=1)], terms=self.TERMS)
        world.run()
        closed = world.state.experiments[1].closed
        assert closed is not None and closed.reason == "the worker delivered 1 sample, and 2 are needed"


class TestJudged:
    SPEC: ClassVar[dict[str, Any]] = {
        "metric": {
            "primary": {"type": "judge", "name": "ms", "direction": "maximize"},
            "degenerate_gates": [{"name": "correct", "check": "== 1"}],
            "judge": {"minimum_improvement": 0.3, "confirmation_seed": 2},
        },
        "measurement": {"stability": {"mode": "stable"}},
    }
    TERMS = command(judged=True, maximize=True, holdout=True, second_sample=True, names=("correct",), spec=SPEC)

    def test_outputs_that_pass_the_gates_are_judged_and_once_more_from_another_draw(self) -> None:
        world = World([Idea(score=4.0)], terms=self.TERMS)
        state = world.run()
        assert world.outcomes() == ["kept"]
        assert state.gain is not None and (state.gain.before, state.gain.after) == (3.0, 4.0)
        assert not world.asked_for("holdout")

    def test_outputs_that_fail_a_gate_cost_no_judge_call(self) -> None:
        world = World([Idea(score=5.0, correct=0)], terms=self.TERMS)
        world.run()
        assert world.outcomes() == ["degenerate"]
        assert not any(
            getattr(record, "commit", "") == "c1" and record.kind == "command_judged" for record in world.records
        )

    def test_a_sample_without_a_score_is_an_error_and_no_zero(self) -> None:
        world = World([Idea(score=None)], terms=self.TERMS)
        world.run()
        assert world.outcomes() == ["error"]

    def test_nothing_to_judge_is_a_fault_of_the_harness(self) -> None:
        world = World([], terms=self.TERMS, silent=True)
        state = world.run()
        assert state.finished is not None and "printed no `items`" in state.finished.reason


FACTS = CallFacts(role="judge", model="m", attempts=1, input_tokens=5, output_tokens=1, usd=0.5)


@pytest.mark.parametrize(
    "record",
    [
        CommandJudged(commit="c1", pairing="standalone", arm="candidate", sample=0, calls=(FACTS,)),
        ChangeMade(number=1, commit="c1", files=("a",), calls=(FACTS,)),
    ],
)
def test_what_judging_and_making_cost_is_booked(record: CommandJudged | ChangeMade) -> None:
    world = World([])
    world.note(record)
    assert world.state.spend.roles["judge"].usd == 0.5
