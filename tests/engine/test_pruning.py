"""A pruning run from its baseline to its report, on fakes: engine, plan and proposer are real."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBackend, FakeSkin, digest_of, terms
from judged_world import JudgedWorld, judged_terms
from test_resume import branch_after, copied, cuts, ending
from world import World

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.describe import KEPT_BECAUSE, SHORTER_BECAUSE
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.engine.parts import RunInputs
from ceopt_tui.engine.report import report_markdown
from ceopt_tui.exits import ExitStatus
from ceopt_tui.headless import finished_event
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from texttargets.proposers.prune import PruneProposer
from texttargets.rules import split_rules

NEEDED, KIND, FOUNDED, RARE = (
    "- Answer with the number, and with nothing beside it.\n",
    "- Be kind to everyone who writes to us.\n",
    "- The company was founded in 1987.\n",
    "- The customer of case seven is to be called by name.\n",
)
TEXT = "# Numbers\n\n" + NEEDED + KIND + FOUNDED


def pruning_terms(**changes: Any) -> Terms:
    return terms(**{"pruning": True, "max_iterations": 20, "plateau": 20, "budget": Caps(50_000), **changes})


def needs(*rules: str, case: str = "") -> Callable[..., str]:
    """A world in which a text without one of these rules fails, on one case only where it is named."""

    def answer(text: str, asked: Any, sample: int) -> str:
        fails = any(rule not in text for rule in rules) and case in ("", asked.id)
        return "something else" if fails else f"answer {int(asked.id[1:])}"

    return answer


def noisy(text: str, case: Any, sample: int) -> str:
    """One run in fifty fails of itself, nine in ten without the needed rule."""
    draw = int.from_bytes(hashlib.sha256(f"{text}|{case.id}|{sample}".encode()).digest()[:4]) / 2**32
    return f"answer {int(case.id[1:])}" if draw < (0.98 if NEEDED in text else 0.1) else "something else"


@dataclass
class PruneWorld(World):
    """`World` with a text of rules, and nothing but removals tried on it."""

    answer: Callable[..., object] = field(default_factory=lambda: needs(NEEDED))
    count: int = 40
    held_out: int = 20
    terms: Terms = field(default_factory=pruning_terms)
    texts: dict[str, str] = field(default_factory=lambda: {"prompt.md": TEXT})
    protect: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self.proposer = PruneProposer()  # type: ignore[assignment]

    def inputs(self) -> RunInputs:
        digest = digest_of(self.texts)
        return replace(super().inputs(), texts=self.texts, text_digest=digest, protect=self.protect)

    @property
    def final(self) -> str:
        return self.state.best_texts["prompt.md"]

    def why(self) -> dict[str, str]:
        """Rule -> how its removal ended and why."""
        return {
            one.hypothesis.description.split("”")[0]: f"{one.outcome}: {one.closed.reason if one.closed else ''}"
            for one in self.state.experiments.values()
        }


@pytest.mark.parametrize(("answer", "count"), [(needs(NEEDED), 40), (noisy, 120)])
async def test_rules_that_are_not_missed_leave_and_the_one_that_is_stays(
    answer: Callable[..., str], count: int, tmp_path: Path
) -> None:
    world = PruneWorld(tmp_path, answer, count=count, held_out=count // 2)
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("shortened", ExitStatus.FINISHED)
    assert world.final == "# Numbers\n\n" + NEEDED
    assert [one.outcome for one in world.state.experiments.values()] == ["reverted", "kept", "kept"]
    assert [commit for commit, _ in world.backend.commits] == ["commit-2", "commit-3"]


async def test_the_report_says_shorter_and_no_worse_and_never_better(tmp_path: Path) -> None:
    world = PruneWorld(tmp_path)
    result = await world.tick()
    report = report_markdown(world.state, world.terms)
    assert report.startswith("# fake: shortened\n\nThe text is 75 characters shorter (140 → 65), about 18 tokens less")
    assert "a call costs 0.00100 → 0.00100 USD" in report
    assert SHORTER_BECAUSE in report and KEPT_BECAUSE not in report
    assert "interval holds 0" not in report
    assert "- 40 characters shorter (140 → 100), about 10 tokens less a call" in report
    assert "- look 1: exp-002 at level 0.100 (to show no loss)" in report
    assert "a rule that up to 11% of all inputs need may go unmissed on 20 distinct held-out cases" in report
    event = finished_event(world.state, result, "")
    assert (event["outcome"], event["characters"]) == ("shortened", {"before": 140, "after": 65})


async def test_what_is_protected_stays_though_no_case_misses_it(tmp_path: Path) -> None:
    rule = next(rule for rule in split_rules(TEXT) if rule.text == KIND)
    world = PruneWorld(tmp_path, needs(), protect=(rule.id,))
    await world.tick()
    assert world.final == "# Numbers\n\n" + KIND
    assert all("Be kind" not in said for said in world.why())


async def test_where_no_rule_may_leave_the_run_says_so(tmp_path: Path) -> None:
    world = PruneWorld(tmp_path, needs(NEEDED, KIND, FOUNDED))
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("nothing_removed", ExitStatus.FINISHED)
    assert world.final == TEXT and not world.backend.commits
    assert report_markdown(world.state, world.terms).startswith("# fake: nothing removed\n\nNo rule left the text: ")


async def test_a_case_that_only_one_rule_carries_vetoes_its_removal(tmp_path: Path) -> None:
    """One case in a hundred and twenty is within any margin; that it always passed and now always fails is not."""
    text = {"prompt.md": "# Numbers\n\n" + NEEDED + RARE}
    knobs: dict[str, Any] = {"count": 120, "held_out": 60, "texts": text}
    case = "c07"  # held out
    world = PruneWorld(tmp_path / "cron", needs(RARE, case=case), **knobs)
    world.protect = tuple(rule.id for rule in split_rules(text["prompt.md"]) if rule.text == NEEDED)
    assert case in world.inputs().split.holdout
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("needs_person", ExitStatus.NEEDS_PERSON)
    (said,) = world.why().values()
    assert said == "deferred_needs_approval: would break c07, which always passed; only a person may keep this"
    attended = PruneWorld(
        tmp_path / "person", needs(RARE, case=case), **knobs, protect=world.protect,
        terms=pruning_terms(attended=True), skin=FakeSkin(answers=["keep"]),
    )  # fmt: skip
    assert (await attended.tick()).outcome == "shortened"
    asked, _ = attended.skin.asked
    assert "Broken     c07 (failed in 1 of 1 run; before: passed in 1 of 1)" in asked.message


async def test_a_person_is_asked_whether_the_rule_is_wanted_for_something_else(tmp_path: Path) -> None:
    skin = FakeSkin(answers=["proceed", "proceed", "refuse: we are kind", "keep"])
    world = PruneWorld(tmp_path, terms=pruning_terms(attended=True), skin=skin, approved=False)
    assert (await world.tick()).outcome == "shortened"
    _, baseline, keep, *_ = skin.asked
    assert baseline.question == "Start taking rules out?"
    assert "a rule leaves only if no loss shows without it" in baseline.message
    assert "Detects    a rule that up to 11% of all inputs need may go unmissed" in baseline.message
    assert keep.title == "exp-002 is shorter and no worse"
    assert "Length     40 characters shorter (140 → 100), about 10 tokens less a call" in keep.message
    assert keep.message.endswith("Do you want this rule for something that no case asks about?")
    assert world.final == "# Numbers\n\n" + NEEDED + KIND


async def test_a_set_that_is_too_small_costs_the_baseline_and_nothing_more(tmp_path: Path) -> None:
    world = PruneWorld(tmp_path, count=10, held_out=5)
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("too_few_cases", ExitStatus.FINISHED)
    assert "no removal can be shown to cost less than 5 points; it takes about" in result.reason
    assert len(world.runner.calls) == 20 and not world.state.experiments


@pytest.mark.parametrize(
    ("answer", "count"), [(needs(NEEDED), 16), pytest.param(noisy, 60, marks=pytest.mark.exhaustive)]
)
async def test_a_pruning_run_cut_after_any_record_ends_the_same(
    answer: Callable[..., str], count: int, tmp_path: Path
) -> None:
    knobs: dict[str, Any] = {"answer": answer, "count": count, "held_out": count // 2}
    whole = PruneWorld(tmp_path / "whole", **knobs)
    await whole.tick()
    assert whole.state.finished is not None and whole.state.keeps
    expected, records = ending(whole), replay(whole.folder / JOURNAL_NAME).records
    places = [place for place in cuts(records) if records[place - 1].kind != "case_run"]
    for length in places[:: 1 if count < 20 else 5]:
        folder = tmp_path / str(length)
        copied(records[:length], folder)
        again = PruneWorld(folder, **knobs, backend=branch_after(records[:length], whole))
        await again.tick()
        assert ending(again) == expected, f"cut after record {length}, {records[length - 1].kind}"


async def test_started_again_with_more_experiments_it_goes_on(tmp_path: Path) -> None:
    backend = FakeBackend()
    first = PruneWorld(tmp_path, terms=pruning_terms(max_iterations=2, plateau=2), backend=backend)
    await first.tick()
    assert first.state.stopped is not None and first.state.stopped.outcome == "max_iterations"
    assert len(first.state.keeps) == 1
    second = PruneWorld(tmp_path, backend=backend)
    assert (await second.tick()).outcome == "shortened"
    assert second.final == "# Numbers\n\n" + NEEDED


@dataclass
class JudgedPruneWorld(JudgedWorld):
    """A judge scores the outputs of a text of rules."""

    count: int = 60
    held_out: int = 30
    terms: Terms = field(
        default_factory=lambda: judged_terms(60, pruning=True, max_iterations=9, plateau=9, budget=Caps(50_000))
    )

    def inputs(self) -> RunInputs:
        texts = {"prompt.md": TEXT}
        return replace(super().inputs(), texts=texts, text_digest=digest_of(texts))


def judged_note(text: str, case: Any, sample: int) -> str:
    """Worth 4 or 5 of 5, with one point less in every fourth run; three less without the needed rule."""
    draw = hashlib.sha256(f"{text}|{case.id}|{sample}".encode()).digest()[0]
    level = 4 + (int(case.id[1:]) % 2) - (draw % 4 == 0) - 3 * (NEEDED not in text)
    return f"note {int(case.id[1:])}.{sample} worth {max(1, level)}"


async def test_what_a_judge_scores_is_pruned_by_the_same_rule_and_needs_no_themes(tmp_path: Path) -> None:
    world = JudgedPruneWorld(tmp_path, judged_note)
    world.proposer = PruneProposer()  # type: ignore[assignment]
    result = await world.tick()
    assert result.outcome == "shortened", result.reason
    assert world.state.best_texts["prompt.md"] == "# Numbers\n\n" + NEEDED
    assert not world.themes.seen and not world.state.judging.groupings
    assert report_markdown(world.state, world.terms).startswith("# fake: shortened\n\nThe text is 75 characters")
