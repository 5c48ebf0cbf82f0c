"""Judged runs on fakes: in which order things happen, what a person may decide, what a judge's faults come to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeProposer, FakeSkin
from judged_world import HELPFUL, RUBRIC, FakeJudge, JudgedWorld, Person, judged_terms, note, own_taste, same_note

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.judging_ports import OutputToJudge, PersonMark
from ceopt_tui.core.plan.forecast import forecast
from ceopt_tui.core.plan.terms import ScoringOnly
from ceopt_tui.core.ports import Brief, HypothesisDraft
from ceopt_tui.core.trust.sheets import PER_SHEET
from ceopt_tui.engine.ending import EndRequested
from ceopt_tui.errors import BudgetError, NeedsPersonError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.labels import Binding, LabelEntry, bound_labels
from schemas.labels_file import labels_yaml, load_labels
from schemas.records import Probed

GO = {"spec": "proceed", "calibrate": "not now", "baseline": "proceed", "blind-1": "not now", "keep-1": "keep"}


def attended(folder: Path, says: dict[str, str], marks: Any = own_taste, **knobs: Any) -> JudgedWorld:
    """A run with a person, who is asked for everything."""
    knobs.setdefault("terms", judged_terms(waived="", attended=True))
    return JudgedWorld(folder, skin=Person(says={**GO, **says}, marks=marks), approved=False, **knobs)


def story(world: JudgedWorld) -> list[str]:
    """Kinds of records in order, each stretch of one kind once; second verdicts told apart."""
    kinds = ["judged again" if getattr(record, "again", False) else record.kind for record in world.skin.records]
    return [kind for kind, _ in groupby(kinds)]


def asked(world: JudgedWorld) -> list[str]:
    return [question.id for question in world.skin.asked]


def paid_once(world: JudgedWorld) -> None:
    """No output is run twice, none judged twice but on purpose."""
    calls = Counter(world.runner.calls)
    assert set(calls.values()) == {1}
    judged = Counter(entry for entry in world.judge.asked if not entry[3])
    assert set(judged.values()) == {1}


async def test_the_order_of_an_attended_run(tmp_path: Path) -> None:
    world = attended(tmp_path, {"calibrate": "score some now", "calibrated-1": "go on"})
    result = await world.tick()
    assert result.outcome == "improved"
    assert asked(world) == ["spec", "calibrate", "calibrated-1", "baseline", "blind-1", "keep-1"]
    told = story(world)
    expected = ["asked", "approved", "probed", "case_run", "judged", "judged again", "asked", "answered",
                "person_scored", "sheet_closed", "asked", "answered", "baseline_measured", "asked", "approved",
                "themes_grouped", "hypothesis_added"]  # fmt: skip
    assert told[told.index("rubric_bound") + 1 :][: len(expected)] == expected
    ending = [
        "case_run",
        "judged",
        "gain_reported",
        "report_written",
        "asked",
        "wrap_up_chosen",
        "finished",
        "tick_ended",
    ]
    assert told[-len(ending) :] == ending
    paid_once(world)


async def test_the_spec_is_approved_before_the_judge_is_paid(tmp_path: Path) -> None:
    world = attended(tmp_path, {"spec": "adjust the spec"})
    result = await world.tick()
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert not world.runner.calls and not world.judge.count and not world.state.probes


async def test_exemplars_are_asked_for_where_some_are_lacking_and_may_be_gone_without(tmp_path: Path) -> None:
    lacking = judged_terms(waived="", attended=True, judge={"lacking": ("an output you consider bad",)})
    world = attended(tmp_path, {"exemplars": "add them first"}, terms=lacking)
    result = await world.tick()
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert "an output you consider bad" in world.skin.asked[-1].message
    assert not world.judge.count and not world.runner.calls
    world.skin.says = {**world.skin.says, "exemplars": "go on without"}
    assert (await world.tick()).outcome == "improved"
    assert Counter(asked(world)) == {
        "spec": 1,
        "exemplars": 2,
        "calibrate": 1,
        "baseline": 1,
        "blind-1": 1,
        "keep-1": 1,
    }


async def test_a_judge_that_rewards_a_shortcut_ends_the_run_before_a_task_call(tmp_path: Path) -> None:
    failed = Probed(probe="empty output", status="failed", score=5.0, limit=4.2, detail="an empty output scores 5.00")
    world = JudgedWorld(tmp_path, probes=[failed])
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("harness_failed", ExitStatus.REFUSED)
    assert "an empty output scores 5.00" in result.reason and not world.runner.calls


async def test_declining_is_recorded_said_at_the_approval_and_not_asked_again(tmp_path: Path) -> None:
    world = attended(tmp_path, {})
    await world.tick()
    assert asked(world) == ["spec", "calibrate", "baseline", "blind-1", "keep-1"]
    offer, approval = world.skin.asked[1], world.skin.asked[2]
    assert offer.options[0] == "not now"
    assert "Nobody has compared the judge's scores with their own." in approval.message
    assert not world.skin.sheets


async def test_a_waiver_makes_no_offer(tmp_path: Path) -> None:
    world = attended(tmp_path, {}, terms=judged_terms(attended=True))
    await world.tick()
    assert asked(world) == ["spec", "baseline", "blind-1", "keep-1"]


@pytest.mark.parametrize("tick", [1, 2])
async def test_without_labels_or_waiver_an_unattended_run_pays_nothing(tmp_path: Path, tick: int) -> None:
    world = JudgedWorld(tmp_path, terms=judged_terms(waived=""))
    for _ in range(tick):
        result = await world.tick()
    assert (result.status, result.outcome) == ("blocked", "needs_person") and "ceopt calibrate" in result.reason
    assert result.exit_status != ExitStatus.FINISHED
    assert not world.runner.calls and not world.judge.count


async def test_a_persons_scores_let_a_later_run_go_unattended(tmp_path: Path) -> None:
    world = attended(tmp_path / "run", {"calibrate": "score some now", "calibrated-1": "score 10 more",
                                        "calibrated-2": "go on"})  # fmt: skip
    await world.tick()
    labels = load_labels(world.folder / "labels.yaml")
    assert len(labels.labels) == 2 * PER_SHEET and labels.binding == ("rubric", "fake/judge")
    known = judged_terms(waived="", judge={"labels": labels})
    assert (await JudgedWorld(tmp_path / "alone", terms=known).tick()).outcome == "improved"
    person = attended(tmp_path / "again", {}, terms=replace(known, attended=True))
    await person.tick()
    assert "calibrate" not in asked(person)
    stale = judged_terms(waived="", judge={"labels": labels, "rubric_digest": "another rubric"})
    result = await JudgedWorld(tmp_path / "stale", terms=stale).tick()
    assert result.status == "blocked" and "came before the rubric or the judge changed" in result.reason


async def test_ten_more_are_other_outputs_and_no_score_of_the_judge_is_on_a_sheet(tmp_path: Path) -> None:
    says = {"calibrate": "score some now", "calibrated-1": "score 10 more", "calibrated-2": "go on"}
    world = attended(tmp_path, says, judge=FakeJudge(favour=0.37))
    await world.tick()
    first, second = world.skin.sheets
    assert len(first.items) == len(second.items) == PER_SHEET
    shown = [(item.input, item.output) for sheet in world.skin.sheets for item in sheet.items]
    assert len(set(shown)) == 2 * PER_SHEET
    assert all("question" in item.input and item.expected for item in first.items)
    held_out = {f"question {int(case[1:])}" for case in world.inputs().split.holdout}
    assert not held_out & {item.input for sheet in world.skin.sheets for item in sheet.items}


async def test_scores_thrown_away_count_for_nothing(tmp_path: Path) -> None:
    world = attended(tmp_path, {"calibrate": "score some now", "calibrated-1": "throw these scores away"})
    await world.tick()
    assert world.state.judging.closed_sheets["calibration-1"].outcome == "discarded"
    assert not load_labels(world.folder / "labels.yaml").labels
    approval = next(question for question in world.skin.asked if question.id == "baseline")
    assert "Nobody has compared" in approval.message


async def test_changing_the_rubric_parks_with_what_was_scored(tmp_path: Path) -> None:
    world = attended(tmp_path, {"calibrate": "score some now", "calibrated-1": "change the rubric"})
    result = await world.tick()
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert world.state.baseline is None
    assert len(load_labels(world.folder / "labels.yaml").labels) == PER_SHEET
    runs, judged = len(world.runner.calls), world.judge.count
    await world.tick()
    assert asked(world)[-1] == "calibrated-1"
    assert (len(world.runner.calls), world.judge.count) == (runs, judged)


async def test_a_sheet_left_half_done_goes_on_where_it_was_left(tmp_path: Path) -> None:
    given: list[str] = []

    def until_tired(item: Any) -> Any:
        if len(given) == 4:
            raise_away()
        given.append(item.id)
        return own_taste(item)

    world = attended(tmp_path, {"calibrate": "score some now", "calibrated-1": "go on"}, until_tired)
    result = await world.tick()
    assert (result.status, world.state.scores_hidden) == ("blocked", True)
    world.skin.marks = own_taste
    assert (await world.tick()).outcome == "improved"
    before, after = world.skin.sheets
    assert [item.id for item in before.items] == [item.id for item in after.items]
    assert list(after.marks) == given and len(world.state.judging.sheets["calibration-1"]) == PER_SHEET
    paid_once(world)


def raise_away() -> None:
    raise NeedsPersonError("the app was closed")


async def test_stopping_a_sheet_keeps_what_was_scored_and_skipped_outputs_count_for_nothing(tmp_path: Path) -> None:
    given: list[Any] = []

    def some(item: Any) -> Any:
        given.append(item)
        if len(given) > 6:
            return "stopped"
        return PersonMark(None) if len(given) == 1 else own_taste(item)

    world = attended(tmp_path, {"calibrate": "score some now", "calibrated-1": "go on"}, some)
    await world.tick()
    assert world.state.judging.closed_sheets["calibration-1"].outcome == "stopped"
    assert len(load_labels(world.folder / "labels.yaml").labels) == 5


async def test_no_score_of_the_judge_is_readable_before_the_offer_is_answered(tmp_path: Path) -> None:
    judge = FakeJudge(favour=0.0)
    judge._verdict = lambda output, fresh: replace(FakeJudge._verdict(judge, output, fresh), score=3.4375)  # type: ignore[method-assign]
    world = attended(tmp_path, {"calibrate": "score some now"}, marks=None, judge=judge)
    del world.skin.says["calibrate"]
    await world.tick()
    assert asked(world)[-1] == "calibrate" and world.state.scores_hidden
    world.skin.says["calibrate"] = "score some now"
    await world.tick()
    assert world.skin.sheets and world.state.scores_hidden
    readable = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != JOURNAL_NAME]
    assert (tmp_path / "experiment-log.yaml") in readable
    for path in readable:
        assert not re.search(r"3\.4", path.read_text(encoding="utf-8")), path
    assert not any("3.4" in f"{question}" for question in world.skin.asked)
    assert not any("3.4" in f"{sheet.items}" for sheet in world.skin.sheets)


async def test_a_judge_that_wavers_makes_no_run_deterministic(tmp_path: Path) -> None:
    steady, unsteady = (
        JudgedWorld(tmp_path / name, same_note, judge=FakeJudge(unsteady=wavers))
        for name, wavers in (("steady", False), ("unsteady", True))
    )
    await steady.tick()
    await unsteady.tick()
    assert steady.state.baseline is not None and steady.state.baseline.deterministic
    assert unsteady.state.baseline is not None and not unsteady.state.baseline.deterministic
    assert (unsteady.state.baseline.flips, unsteady.state.baseline.judged_again) == (5, 5)
    again = [entry for entry in unsteady.judge.asked if entry[3]]
    assert len(again) == 5 and {entry[:3] for entry in again} <= {entry[:3] for entry in unsteady.judge.asked[:-5]}


def hard_to_judge(*cases: str) -> Any:
    return lambda output: output.case.id in cases


async def test_a_baseline_of_which_the_judge_leaves_too_much_unscored_decides_nothing(tmp_path: Path) -> None:
    world = JudgedWorld(tmp_path, judge=FakeJudge(unscored=hard_to_judge("c00", "c02", "c04")))
    result = await world.tick()
    assert result.exit_status == ExitStatus.STOPPED and world.state.baseline is None
    assert "scored 7 of 10 cases of the baseline" in result.reason and "twice no verdict" in result.reason
    few = JudgedWorld(tmp_path / "few", judge=FakeJudge(unscored=hard_to_judge("c00", "c02")))
    assert (await few.tick()).outcome == "improved"
    assert few.state.baseline is not None and few.state.baseline.unscored == 2 * 2 * 2


async def test_a_candidate_the_judge_leaves_unscored_is_an_error_and_no_low_score(tmp_path: Path) -> None:
    def unscored(output: OutputToJudge) -> bool:
        return "exactly" in output.output and output.case.id in {"c00", "c02", "c04", "c06", "c08", "c10"}

    world = JudgedWorld(tmp_path, judge=FakeJudge(unscored=unscored))
    await world.tick()
    (experiment,) = world.state.experiments.values()
    assert experiment.outcome == "error" and "twice no verdict" in experiment.closed.reason  # type: ignore[union-attr]
    assert not world.state.keeps


@pytest.mark.parametrize("first", [1, 4, 11, 12, 20, 40, 60])
async def test_an_outage_of_the_judge_parks_and_runs_no_task_call_again(tmp_path: Path, first: int) -> None:
    whole = JudgedWorld(tmp_path / "whole")
    await whole.tick()
    down = JudgedWorld(tmp_path / "down", judge=FakeJudge(replies=lambda n: "503" if n >= first else None))
    result = await down.tick()
    assert result.exit_status == ExitStatus.STOPPED and "503" in result.reason
    assert result.outcome == ("outage" if first > 1 else "harness_failed")
    calls = list(down.runner.calls)
    up = JudgedWorld(tmp_path / "down", backend=down.backend)
    assert (await up.tick()).outcome == "improved"
    both = Counter(calls + up.runner.calls)
    assert set(both.values()) == {1}
    assert both == Counter(whole.runner.calls)
    assert up.state.gain == whole.state.gain.model_copy(update={"seq": up.state.gain.seq})  # type: ignore[union-attr]


@pytest.mark.parametrize("broken", [3, 12, 25])
async def test_one_reply_that_fails_is_no_outage(tmp_path: Path, broken: int) -> None:
    world = JudgedWorld(tmp_path, judge=FakeJudge(replies=lambda n: "timeout" if n == broken else None))
    assert (await world.tick()).outcome == "improved"


async def test_replies_that_always_fail_on_some_cases_lose_these_and_no_more(tmp_path: Path) -> None:
    """More of them one after the other than make an outage: the judge answers about what it scored before."""

    class TooLong(FakeJudge):
        def _reply(self, outputs: Any, sample: int, fresh: bool) -> Any:
            lost = {"c00", "c01", "c02", "c03"} & {one.case.id for one in outputs}
            self.replies = lambda n: "context too long" if lost else None
            return super()._reply(outputs, sample, fresh)

    world = JudgedWorld(tmp_path, judge=TooLong(batch=1))
    assert (await world.tick()).outcome == "improved"
    assert len(world.state.baseline_selection) == 8


async def test_a_reply_that_always_fails_on_one_case_loses_that_case_alone(tmp_path: Path) -> None:
    class TooLong(FakeJudge):
        def _reply(self, outputs: Any, sample: int, fresh: bool) -> Any:
            self.replies = lambda n: "context too long" if any(one.case.id == "c02" for one in outputs) else None
            return super()._reply(outputs, sample, fresh)

    world = JudgedWorld(tmp_path, judge=TooLong(batch=1))
    assert (await world.tick()).outcome == "improved"
    assert "c02" not in world.state.baseline_selection
    assert set(Counter(world.runner.calls).values()) == {1}


@pytest.mark.parametrize("first", [6, 14, 20, 40, 60])
async def test_a_cap_met_while_judging_ends_the_loop_with_a_report(tmp_path: Path, first: int) -> None:
    def replies(number: int) -> Exception | None:
        return BudgetError("the cap of 9.00 USD is reached") if number >= first else None

    world = JudgedWorld(tmp_path, judge=FakeJudge(replies=replies))
    result = await world.tick()
    if world.state.baseline is None:
        assert (result.status, result.outcome) == ("stopped", "budget") and world.state.status != "finished"
        calls = list(world.runner.calls)
        again = JudgedWorld(tmp_path, backend=world.backend)
        assert (await again.tick()).outcome == "improved"
        assert not Counter(calls) & Counter(again.runner.calls)
        return
    assert result.status == "finished" and world.state.report is not None and world.state.finished is not None
    assert result.outcome == ("improved" if world.state.keeps else "inconclusive")
    stopped = world.state.stopped
    assert stopped is not None and (stopped.outcome == "budget" or stopped.no_gain)


async def test_outputs_of_both_texts_go_to_the_judge_together_under_names_that_tell_nothing(tmp_path: Path) -> None:
    world = JudgedWorld(tmp_path, judge=FakeJudge(batch=100))
    await world.tick()
    assert len(set(world.judge.ids)) == len(world.judge.ids) - 5  # those asked about twice keep their name
    assert all(re.fullmatch(r"[0-9a-f]{12}", name) for name in world.judge.ids)
    records = [record for record in world.skin.records if record.kind == "judged"]
    mixed = [record for record in records if len({verdict.text_digest for verdict in record.verdicts}) == 2]
    assert mixed
    for record in mixed:
        arms = [verdict.text_digest for verdict in record.verdicts]
        assert arms != sorted(arms) and arms != sorted(arms, reverse=True)


async def test_what_the_judge_says_of_held_out_outputs_goes_no_further(tmp_path: Path) -> None:
    held_out = set(JudgedWorld(tmp_path).inputs().split.holdout)

    def marked(output: OutputToJudge) -> str:
        return "HELDOUTWORDS" if output.case.id in held_out else "Say what to do."

    world = JudgedWorld(tmp_path, judge=FakeJudge(feedback=marked))
    assert (await world.tick()).outcome == "improved"
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"HELDOUTWORDS" not in path.read_bytes(), path
    assert not any("HELDOUTWORDS" in repr(shown) for shown in (*world.proposer.briefs, *world.themes.seen))
    assert not any("HELDOUTWORDS" in repr(files) for files in world.backend.published)
    shown = {case.case.id for cases in world.themes.seen for case in cases}
    assert shown and not shown & held_out


class OfTheme(FakeProposer):
    """Its idea is about the first theme."""

    async def hypotheses(self, brief: Brief, wanted: int) -> list[HypothesisDraft]:
        drafts = await super().hypotheses(brief, wanted)
        return [replace(draft, theme=brief.themes[0].id) for draft in drafts if brief.themes]


async def test_a_verdict_is_told_on_the_theme_and_on_the_rest(tmp_path: Path) -> None:
    def on_even(text: str, case: Any, sample: int) -> str:
        """The helpful line helps the cases of one theme alone, at twice the length."""
        helped = HELPFUL in text and int(case.id[1:]) % 4 == 0
        return note(text if helped else text.replace(HELPFUL, "x"), case, sample) + (" and on" * 9 if helped else "")

    def feedback(output: OutputToJudge) -> str:
        return "Say who." if int(output.case.id[1:]) % 4 == 0 else "Say what to do."

    world = JudgedWorld(
        tmp_path, on_even, judge=FakeJudge(feedback=feedback), terms=judged_terms(40), count=40, held_out=20
    )
    world.proposer = OfTheme(world.proposer.lines)
    await world.tick()
    (experiment,) = world.state.experiments.values()
    first = world.state.judging.groupings[0]
    theme = next(theme for theme in first.themes if theme.id == experiment.hypothesis.theme)
    closed = experiment.closed
    assert closed is not None and closed.on_theme is not None and closed.on_rest is not None
    helped = {case for case in world.inputs().split.selection if int(case[1:]) % 4 == 0}
    assert set(theme.cases) <= helped or not set(theme.cases) & helped
    better, other = (
        (closed.on_theme, closed.on_rest) if set(theme.cases) <= helped else (closed.on_rest, closed.on_theme)
    )
    assert better > 0.5 > abs(other)
    assert closed.length_ratio is not None and closed.length_ratio > 1.5


async def test_failures_are_grouped_once_for_every_text_and_themes_keep_their_ids(tmp_path: Path) -> None:
    world = JudgedWorld(tmp_path, lines=("be kind", HELPFUL, "be brief"))
    await world.tick()
    groupings = world.state.judging.groupings
    assert [one.text_digest for one in groupings] == [world.state.original_digest, world.state.keeps[0].text_digest]
    names = [{theme.name: theme.id for theme in one.themes} for one in groupings]
    assert names[0] and all(names[1][name] == names[0][name] for name in names[0].keys() & names[1].keys())


def blind(world_says: dict[str, str], folder: Path, marks: Any, **knobs: Any) -> JudgedWorld:
    """A person who wants to score the winner before it is kept."""
    says = {"blind-1": "score blind first", **world_says}
    count = {"terms": judged_terms(40, waived="", attended=True), "count": 40, "held_out": 20}
    return attended(folder, says, marks, **{**count, **knobs})


async def test_people_who_see_the_gain_confirm_the_keep(tmp_path: Path) -> None:
    world = blind({"keep-1": "keep"}, tmp_path, own_taste)
    assert (await world.tick()).outcome == "improved"
    (sheet,) = world.skin.sheets
    assert sheet.purpose == "blind" and len(sheet.items) == 2 * PER_SHEET
    found = world.state.judging.people[1]
    assert (found.confirms, found.figures.labelled, found.figures.method) == (True, 10, "people")
    assert asked(world)[-2:] == ["blind-1", "keep-1"]
    assert "People see the gain too" in world.skin.asked[-1].message
    assert "score blind first" not in world.skin.asked[-1].options
    assert world.state.gain is not None


async def test_people_who_see_none_stop_the_keep_without_another_question(tmp_path: Path) -> None:
    world = blind({}, tmp_path, lambda item: PersonMark(3.0 if "exactly" in item.output else 3.5))
    await world.tick()
    (experiment,) = world.state.experiments.values()
    assert experiment.outcome == "inconclusive" and "do not confirm the judge" in experiment.closed.reason  # type: ignore[union-attr]
    assert not world.state.keeps and asked(world)[-1] == "blind-1"


async def test_a_few_blind_scores_stand_beside_the_judges_and_decide_nothing(tmp_path: Path) -> None:
    given: list[Any] = []

    def few(item: Any) -> Any:
        given.append(item)
        return "stopped" if len(given) > 12 else own_taste(item)

    world = blind({"keep-1": "keep"}, tmp_path, few)
    assert (await world.tick()).outcome == "improved"
    found = world.state.judging.people[1]
    assert found.confirms is None and found.figures.method == "side_by_side" and 2 <= found.figures.labelled <= 6
    assert "from 10 cases on the decision rests on the person" in world.skin.asked[-1].message


@pytest.mark.parametrize(("outcome", "said"), [("discarded", "By the judge's word"), ("stopped", "judge's word")])
async def test_without_blind_scores_it_is_the_judges_word(tmp_path: Path, outcome: str, said: str) -> None:
    world = blind({"keep-1": "keep"}, tmp_path, lambda item: outcome)
    assert (await world.tick()).outcome == "improved"
    assert not world.state.judging.people and asked(world)[-1] == "keep-1"
    assert said in world.skin.asked[-1].message


async def test_a_judge_that_favours_the_new_text_is_told_apart_by_blind_scores(tmp_path: Path) -> None:
    """Nothing got better, the judge likes the new words: by its word alone the change is kept."""

    def no_better(text: str, case: Any, sample: int) -> str:
        return note("Answer.\n", case, sample) + (", exactly" if HELPFUL in text else "")

    by_word = attended(tmp_path / "word", {}, answer=no_better, judge=FakeJudge(favour=0.8))
    assert (await by_word.tick()).outcome == "improved"
    seen = blind({}, tmp_path / "seen", own_taste, answer=no_better, judge=FakeJudge(favour=0.8))
    await seen.tick()
    assert not seen.state.keeps and seen.state.judging.people[1].confirms is False


async def test_the_final_text_is_scored_blind_afterwards(tmp_path: Path) -> None:
    count = {"count": 40, "held_out": 20}
    world = attended(tmp_path, {}, terms=judged_terms(40, waived="", attended=True), **count)
    await world.tick()
    gain, reports = world.state.gain, len(world.backend.published)
    assert gain is not None and gain.people is None
    paid = (len(world.runner.calls), world.judge.count)
    world.terms = replace(world.terms, scoring=ScoringOnly("blind", 1))
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("scored", ExitStatus.FINISHED)
    assert world.skin.sheets[-1].purpose == "blind" and len(world.skin.sheets[-1].items) == 2 * PER_SHEET
    after = world.state.gain
    assert after is not None and after.people is not None and after.people.labelled == 10
    assert (after.gain, after.low, after.high) == (gain.gain, gain.low, gain.high)
    assert len(world.backend.published) == reports + 1
    assert "People see the gain too" in str(world.backend.published[-1])
    assert paid == (len(world.runner.calls), world.judge.count)
    world.terms = replace(world.terms, scoring=None)
    again = await world.tick()
    assert again.outcome == "improved" and paid == (len(world.runner.calls), world.judge.count)


async def test_calibrating_a_run_of_its_own_costs_no_call(tmp_path: Path) -> None:
    world = attended(tmp_path, {"calibrated-1": "go on"})
    await world.tick()
    paid = (len(world.runner.calls), world.judge.count)
    world.terms = replace(world.terms, scoring=ScoringOnly("calibration", 1))
    result = await world.tick()
    assert result.outcome == "calibrated" and paid == (len(world.runner.calls), world.judge.count)
    assert len(load_labels(world.folder / "labels.yaml").labels) == PER_SHEET


async def test_another_rubric_before_the_first_idea_judges_the_baseline_afresh(tmp_path: Path) -> None:
    world = attended(tmp_path, {"baseline": "stop"})
    await world.tick()
    assert world.state.baseline is not None
    again = attended(tmp_path, {}, measurement_digest="another rubric")
    assert (await again.tick()).outcome == "improved"
    kinds = story(again)
    assert kinds.index("probed") < kinds.index("judged") < kinds.index("baseline_measured")
    assert len(replay(tmp_path / JOURNAL_NAME).records) > 100 and again.state.judging.rubric.digest == RUBRIC.digest  # type: ignore[union-attr]


async def test_scores_thrown_away_in_a_later_tick_leave_the_labels_file(tmp_path: Path) -> None:
    world = attended(tmp_path, {"calibrate": "score some now"})
    assert (await world.tick()).status == "blocked"  # the result is on screen, nobody has answered
    labels = load_labels(tmp_path / "labels.yaml")
    assert len(labels.labels) == PER_SHEET
    later = attended(tmp_path, {"calibrated-1": "throw these scores away"})
    later.terms = judged_terms(waived="", attended=True, judge={"labels": labels})
    assert (await later.tick()).outcome == "improved"
    assert not load_labels(tmp_path / "labels.yaml").labels
    approval = next(question for question in later.skin.asked if question.id == "baseline")
    assert "Nobody has compared" in approval.message


async def test_labels_of_another_rubric_are_set_aside_and_not_lost(tmp_path: Path) -> None:
    first = attended(tmp_path / "first", {"calibrate": "score some now", "calibrated-1": "go on"})
    await first.tick()
    old = load_labels(first.folder / "labels.yaml")
    stale = replace(old_terms := judged_terms(waived="", attended=True), judge=replace(old_terms.judge, labels=old))  # type: ignore[type-var]
    other = replace(stale, judge=replace(stale.judge, rubric_digest="rubric 2"))  # type: ignore[type-var]
    says = {"calibrate": "score some now", "calibrated-1": "score 10 more", "calibrated-2": "go on"}
    second = attended(tmp_path / "second", says, terms=other)
    second.rubric = RUBRIC.model_copy(update={"digest": "rubric 2"})
    second.folder.mkdir()
    for name in ("labels.yaml", "labels.stale.yaml"):
        (second.folder / name).write_bytes((first.folder / "labels.yaml").read_bytes())
    await second.tick()
    new = load_labels(second.folder / "labels.yaml")
    assert (new.rubric_digest, len(new.labels)) == ("rubric 2", 2 * PER_SHEET)
    assert load_labels(second.folder / "labels.stale.yaml") == load_labels(second.folder / "labels.stale2.yaml") == old


async def test_labels_that_are_there_are_added_to(tmp_path: Path) -> None:
    says = {"calibrate": "score some now", "calibrated-1": "go on"}
    earlier = LabelEntry(input="a", output="b", person=2, judge=(2,))
    (tmp_path / "labels.yaml").write_text(
        labels_yaml(bound_labels(Binding("rubric", "fake/judge"), [earlier])), "utf-8"
    )
    await attended(tmp_path, says).tick()
    found = load_labels(tmp_path / "labels.yaml").labels
    assert len(found) == PER_SHEET + 1 and earlier in found


async def test_a_kill_before_the_labels_file_is_written_loses_no_score(tmp_path: Path) -> None:
    world = attended(tmp_path, {"calibrate": "score some now"})
    await world.tick()
    (tmp_path / "labels.yaml").unlink()
    later = attended(tmp_path, {"calibrated-1": "go on"})
    await later.tick()
    assert len(load_labels(tmp_path / "labels.yaml").labels) == PER_SHEET


async def test_a_person_who_ends_the_run_while_outputs_are_judged_gets_a_report(tmp_path: Path) -> None:
    class Impatient(FakeSkin):
        def progress(self, title: str, done: int, total: int) -> None:
            begun = any(record.kind == "experiment_started" for record in self.records)
            if title == "judging" and begun and done == total // 2:
                raise EndRequested("enough")

    world = JudgedWorld(tmp_path, skin=Impatient())
    result = await world.tick()
    assert (result.status, result.outcome) == ("finished", "person")
    assert world.state.report is not None
    assert [one.outcome for one in world.state.experiments.values()] == ["inconclusive"]


async def test_a_second_blind_sheet_adds_other_cases(tmp_path: Path) -> None:
    world = attended(tmp_path, {}, terms=judged_terms(40, waived="", attended=True), count=40, held_out=20)
    await world.tick()
    for number in (1, 2):
        world.terms = replace(world.terms, scoring=ScoringOnly("blind", number))
        await world.tick()
        gain = world.state.gain
        assert gain is not None and gain.people is not None and gain.people.labelled == 10 * number
    first, second = world.skin.sheets
    assert not {item.input for item in first.items} & {item.input for item in second.items}


@dataclass
class Metered(FakeJudge):
    """Counts the calls of task model and judge under one cap, as the ledger does."""

    most: int = 0
    tasks: Any = None

    def _reply(self, outputs: Any, sample: int, fresh: bool) -> Any:
        if len(self.tasks) + self.count >= self.most:
            raise BudgetError(f"the cap of {self.most} calls is reached")
        return super()._reply(outputs, sample, fresh)


@pytest.mark.parametrize("cap", range(60, 260, 12))
async def test_under_any_cap_what_is_kept_can_still_be_reported(cap: int, tmp_path: Path) -> None:
    judge = Metered(most=cap)
    world = JudgedWorld(tmp_path, judge=judge, terms=judged_terms(12, budget=Caps(calls=cap)), count=12, held_out=6)
    judge.tasks = world.runner.calls
    result = await world.tick()
    assert len(world.runner.calls) + judge.count <= cap
    if world.state.baseline is None:
        assert (result.outcome, result.status) in {("budget", "blocked"), ("budget", "stopped")}
        return
    assert world.state.finished is not None and world.state.report is not None
    assert not world.state.keeps or world.state.gain is not None


async def test_a_judged_run_takes_no_more_than_was_forecast(tmp_path: Path) -> None:
    world = JudgedWorld(tmp_path, lines=("be kind", "be brief", HELPFUL), terms=judged_terms(max_iterations=3))
    await world.tick()
    seen = forecast(world.inputs().split, world.terms)
    assert world.state.iterations == 3
    spent = {role: spend.calls for role, spend in world.state.spend.roles.items()}
    assert seen.judge[0] // 2 <= spent["judge"] <= seen.judge[1]
    assert spent["task"] <= seen.task[1]
