"""Verdicts, tags and intervals: what is claimed is claimed by the evidence alone."""

from __future__ import annotations

from statistics import variance

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from study_world import TEXTS, TWO, cases, claim, numbers, scored, target, world

from ceopt_tui.core.study.cells import Cell, cells_of
from ceopt_tui.core.study.findings import levels
from ceopt_tui.core.study.intervals import PRIOR_DF, PRIOR_SD, estimate
from ceopt_tui.core.study.report_lint import bare_figures
from ceopt_tui.core.study.tags import Basis, missing_power, tags_of
from ceopt_tui.core.study.verdicts import Verdict, verdicts
from schemas.study_cases import ProseAnswer, StudyCase

EVERYWHERE = frozenset({"a", "b"})
UNIT = st.floats(0, 1)


def better_by(gain: float, start: float = 0.0) -> object:
    return lambda cell: start + (gain if cell.text == "better" else 0.0)


def judged(score: object, *, targets: tuple = TWO, asked: list | None = None, k: int = 5, **change: object) -> Verdict:  # type: ignore[type-arg]
    cells = world(targets, asked, k)
    [found] = verdicts([claim(**change)], cells, scored(cells, score), frozenset(t.id for t in targets))  # type: ignore[arg-type]
    return found


def test_two_targets_and_one_text_are_two_cells() -> None:
    assert [cell.id for cell in cells_of(["t"], TWO, cases(1), 1)] == ["a/g0/t/0", "b/g0/t/0"]


def test_texts_take_turns_in_being_first() -> None:
    first = [cell.text for cell in world(asked=cases(2), k=2)][::2]
    assert set(first) == set(TEXTS)
    assert len({cell.id for cell in world()}) == 2 * 2 * 8 * 5


def test_a_claim_that_all_families_bear_out_is_accepted() -> None:
    found = judged(better_by(0.8))
    assert (found.word, found.accepted, found.objections) == ("CONFIRMED", True, ())
    assert [family.family for family in found.families] == ["oak", "elm"]
    assert all(str(family.tags) == "[measured]" for family in found.families)
    assert all(family.confidence is not None and family.confidence > 0.99 for family in found.families)


def test_one_flat_family_is_not_accepted() -> None:
    found = judged(lambda cell: float(cell.text == "better" and cell.target.family == "oak"))
    assert (found.word, found.accepted) == ("REJECTED", False)
    assert found.objections == ("no effect in elm",)


def test_what_the_interval_does_not_settle_is_null() -> None:
    assert judged(better_by(0.3)).word == "NULL"


def test_a_claim_that_fails_is_rejected() -> None:
    assert judged(better_by(-0.5, start=0.5)).word == "REJECTED"
    assert judged(better_by(0.0)).word == "REJECTED"


def test_a_claim_of_less_is_turned() -> None:
    found = judged(better_by(-0.8, start=0.9), direction="decrease")
    assert found.accepted
    assert found.families[0].estimate is not None and found.families[0].estimate.mean == pytest.approx(0.8)


def test_a_level_needs_no_control() -> None:
    assert judged(better_by(0.9), control=None, threshold=0.6).accepted
    assert judged(better_by(0.9), control=None, threshold=0.6, direction="decrease").word == "REJECTED"
    low = judged(better_by(0.05), control=None, threshold=0.4, direction="decrease")
    assert low.accepted
    assert (
        low.families[0].estimate is not None
        and -1 <= low.families[0].estimate.low <= low.families[0].estimate.high <= 0
    )


def test_a_metric_is_of_the_cases_its_scorer_scores() -> None:
    asked = [*cases(8), *numbers(8)]
    found = judged(
        lambda cell: float(cell.text == "better" and cell.case.scorer == "number"), asked=asked, metric="number"
    )
    assert found.accepted
    assert found.families[0].estimate is not None and found.families[0].estimate.count == 8


def test_a_case_counts_where_both_texts_have_a_score() -> None:
    def score(cell: Cell) -> float | None:
        return None if cell.text == "plain" and cell.case.id == "g0" else float(cell.text == "better")

    found = judged(score)
    assert found.families[0].estimate is not None and found.families[0].estimate.count == 7
    assert not found.accepted
    assert "10 of 160 cells have no score" in found.objections


def test_nothing_measured_is_null_and_says_so() -> None:
    found = judged(lambda cell: None)
    assert (found.word, found.families[0].estimate, found.families[0].confidence) == ("NULL", None, None)
    assert "no case was measured" in found.objections and "no effect in oak, elm" in found.objections


def test_no_cell_of_a_metric_is_null() -> None:
    cells = world()
    [found] = verdicts([claim(metric="number")], cells, {}, EVERYWHERE)
    assert (found.word, found.families) == ("NULL", ())


def test_targets_of_one_family_are_one_voice() -> None:
    three = (target("a", "oak"), target("c", "oak"), target("b", "elm"))
    found = judged(better_by(0.8), targets=three)
    assert [family.estimate.count for family in found.families if family.estimate] == [8, 8]


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        ({"k": 4}, "4 repeats of a case; 5 are needed"),
        ({"k": 2}, "2 repeats of a case explores and proves nothing"),
        ({"asked": cases(7)}, "7 cases in the group g; 8 are needed"),
        ({"targets": (target("a", "oak"), target("c", "oak"))}, "1 family of models; 2 are needed"),
        ({"targets": (target("a", "oak", "mock"), target("b", "elm"))}, "a stand-in for a model was asked"),
    ],
)
def test_what_keeps_a_confirmed_claim_from_being_accepted(change: dict[str, object], objection: str) -> None:
    found = judged(better_by(1.0), **change)  # type: ignore[arg-type]
    assert found.word == "CONFIRMED" and not found.accepted
    assert any(objection in said for said in found.objections)


def test_the_power_that_was_planned_is_asked_for() -> None:
    found = judged(better_by(0.8), power={"k": 10, "n": 20})
    assert found.objections == ("planned with 10 repeats of 20 cases, measured with 5 of 8",)


def test_nothing_is_accepted_on_a_target_that_is_not_attested() -> None:
    cells = world()
    [found] = verdicts([claim()], cells, scored(cells, better_by(0.8)), frozenset({"a"}))  # type: ignore[arg-type]
    assert found.objections == ("not attested: b",)


def test_hypotheses_share_one_error_rate() -> None:
    cells = world()
    scores = scored(cells, better_by(0.8))  # type: ignore[arg-type]
    [alone] = verdicts([claim()], cells, scores, EVERYWHERE)
    many = verdicts([claim(id=f"H{n}") for n in range(5)], cells, scores, EVERYWHERE)
    widths = [
        v.families[0].estimate.high - v.families[0].estimate.low for v in (alone, many[0]) if v.families[0].estimate
    ]
    assert widths[0] < widths[1]


def test_levels_are_of_a_text_a_target_and_a_group() -> None:
    cells = world(asked=[*cases(8, "g"), *cases(8, "h")])
    found = levels(cells, scored(cells, better_by(0.8)))  # type: ignore[arg-type]
    assert len(found) == 2 * 2 * 2
    assert {(level.scored, level.wanted, str(level.tags), level.missing) for level in found} == {
        (40, 40, "[measured]", ())
    }
    assert {level.estimate.mean for level in found if level.estimate and level.text == "plain"} == {0}


def test_one_success_and_three_errors_are_no_plain_measurement() -> None:
    cells = world(asked=cases(1), k=4)
    found = levels(cells, {"a/g0/better/0": 1.0})[0 if cells[0].text == "better" else 1]
    assert (found.scored, found.wanted, found.tags.evidence) == (1, 4, "underpowered")
    assert levels(cells, {})[0].estimate is None


def test_tags_are_computed() -> None:
    whole = {"repeats": 5, "cases": {"g": 8}, "families": 2, "wanted": 40, "scored": 40}
    assert str(tags_of(Basis(**whole))) == "[measured]"  # type: ignore[arg-type]
    assert str(tags_of(Basis(**whole, offline=True))) == "[soft][mock]"  # type: ignore[arg-type]
    assert str(tags_of(Basis(**{**whole, "repeats": 2}))) == "[underpowered][exploratory]"  # type: ignore[arg-type]
    assert len(missing_power(Basis(1, {"g": 1, "h": 2}, 1, 9, 8))) == 5


@given(st.lists(UNIT, min_size=1, max_size=30), st.sampled_from([0.05, 0.01]))
def test_an_interval_holds_its_mean_and_grows_with_confidence(values: list[float], alpha: float) -> None:
    found, surer = estimate(values, alpha, (0, 1)), estimate(values, alpha / 2, (0, 1))
    assert 0 <= found.low <= found.mean + 1e-9 and found.mean - 1e-9 <= found.high <= 1
    assert surer.low <= found.low and found.high <= surer.high
    assert found.low < found.high


@given(st.lists(UNIT, min_size=2, max_size=30))
def test_an_interval_is_the_moderated_t_of_scipy(values: list[float]) -> None:
    found = estimate(values, 0.05, (-9, 9))
    df = PRIOR_DF + len(values) - 1
    scale = (((len(values) - 1) * variance(values) + PRIOR_DF * PRIOR_SD**2) / df / len(values)) ** 0.5
    low, high = stats.t.interval(0.95, df, loc=sum(values) / len(values), scale=scale)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-7), pytest.approx(high, abs=1e-7))
    assert found.chance_above(0.5) == pytest.approx(1 - stats.t.cdf(0.5, df, loc=found.mean, scale=scale), abs=1e-7)


@given(st.lists(UNIT, min_size=8, max_size=20))
def test_a_verdict_does_not_depend_on_the_order_of_cells(values: list[float]) -> None:
    cells = world(asked=cases(len(values)), k=1)
    scores = {cell.id: values[int(cell.case.id[1:])] if cell.text == "better" else 0.0 for cell in cells}
    there = verdicts([claim()], cells, scores, EVERYWHERE)[0]
    back = verdicts([claim()], list(reversed(cells)), scores, EVERYWHERE)[0]
    assert there.word == back.word


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("The mean is 0.75 [soft][mock].", ()),
        ("The mean is 0.75.", ("0.75",)),
        ("| 0.75 [measured] | 0.5 |", ("0.5",)),
        ("0.10 to 0.30 [underpowered]", ()),
        ("`gpt-4.1` scored 80 % [measured] and 20%", ("20",)),
        ("[measured] -0.5", ("-0.5",)),
        ("Version v1.2, 8 cases", ()),
    ],
)
def test_a_figure_without_a_tag_is_found(line: str, bare: tuple[str, ...]) -> None:
    assert bare_figures(line) == bare


def test_scores_of_a_judge_that_is_not_trusted_are_soft_and_accept_nothing() -> None:
    asked = [StudyCase(id=f"p{n}", group="p", input="?", answer=ProseAnswer(planted=("x",))) for n in range(8)]
    cells = world(asked=[*asked, *numbers(8)])
    scores = scored(cells, lambda cell: float(cell.text == "better"))
    own, other = claim(metric="recall_judge", mechanical=False), claim(id="N", metric="number")
    [prose, number] = verdicts([own, other], cells, scores, EVERYWHERE, trusted=False)
    assert (prose.word, prose.accepted, number.accepted) == ("CONFIRMED", False, True)
    assert prose.objections == ("the judge was not shown to put good replies above empty ones",)
    assert {family.tags.evidence for family in prose.families} == {"soft"}
    assert verdicts([own], cells, scores, EVERYWHERE)[0].accepted
