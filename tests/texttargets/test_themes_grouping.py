"""Feedback grouped by words: against themes labelled by hand, in any order, with a place for every failing case."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ceopt_tui.core.ports import SelectionCase
from schemas.evalset import Case
from texttargets.themes.faults import faults_in
from texttargets.themes.grouping import LONGEST_CHANGE, LONGEST_NAME, group_feedback
from texttargets.themes.items import FailingItem, failing_items
from texttargets.themes.likeness import likeness, remark_of

LABELLED = Path(__file__).parent.parent / "data" / "themes"
TUNED = ("release-notes", "support-replies")


def labelled(name: str, half: str) -> list[FailingItem]:
    remarks = yaml.safe_load((LABELLED / f"{name}.yaml").read_text("utf-8"))[half]
    return [
        FailingItem(f"{theme}-{number}", (remark,))
        for theme, said in remarks.items()
        for number, remark in enumerate(said)
    ]


def items(*remarks: str) -> list[FailingItem]:
    return [FailingItem(f"c{number}", (remark,)) for number, remark in enumerate(remarks)]


@pytest.mark.parametrize("name", TUNED)
def test_what_was_tuned_on_stays_grouped_as_a_person_labelled_it(name: str) -> None:
    """The half that may be looked at; the held-out one is only reported, by tests/benchmarks/bench_themes.py."""
    found = group_feedback(labelled(name, "tuned"))
    mixed = [theme.cases for theme in found.themes if len({case.rpartition("-")[0] for case in theme.cases}) > 1]
    assert mixed == []
    assert len(found.themes) == 6
    assert sum(len(theme.cases) for theme in found.themes) >= 17


def test_remarks_without_a_word_in_common_are_one_theme_by_their_kind_of_fault() -> None:
    (theme,) = group_feedback(items("Far too wordy.", "Shorten it to two lines.", "The flag is not named.")).themes
    assert (theme.name, theme.cases) == ("length", ("c0", "c1"))


def test_remarks_of_no_known_kind_are_one_theme_by_their_words() -> None:
    remarks = ("Der Preis fehlt im Angebot.", "Im Angebot fehlt wieder der Preis.", "Bitte siezen.")
    found = group_feedback(items(*remarks))
    assert [theme.cases for theme in found.themes] == [("c0", "c1")]
    assert found.unexplained == ("c2",)
    assert "preis" in found.themes[0].name


def test_what_to_change_is_the_remark_most_like_all_others() -> None:
    remarks = ("Name the price and the tax.", "Name the price, the tax and the fee.", "Name the fee and the tax.")
    assert group_feedback(items(*remarks)).themes[0].change == remarks[1]


def test_names_and_changes_have_room_on_a_screen() -> None:
    said = "unheard of " * 60
    (theme,) = group_feedback(items(said, said)).themes
    assert len(theme.name) <= LONGEST_NAME
    assert len(theme.change) <= LONGEST_CHANGE and theme.change.endswith("…")


def test_an_item_nobody_said_anything_about_is_unexplained() -> None:
    found = group_feedback([FailingItem("a"), *items("too long", "cut it")])
    assert found.unexplained == ("a",)


def test_all_that_was_said_about_an_item_counts() -> None:
    several = FailingItem("a", ("The tone is fine.", "Too many words, shorten it."))
    assert group_feedback([several, FailingItem("b", ("Be brief.",))]).themes[0].cases == ("a", "b")


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.sets(st.integers(0, 44), max_size=20))
def test_order_does_not_matter_and_every_item_has_one_place(chance: random.Random, left_out: set[int]) -> None:
    everything = [*labelled("release-notes", "tuned"), *labelled("support-replies", "tuned")]
    chosen = [FailingItem(f"{n}", one.feedback) for n, one in enumerate(everything) if n not in left_out]
    found = group_feedback(chosen)
    placed = [case for theme in found.themes for case in theme.cases]
    assert sorted([*placed, *found.unexplained]) == sorted(item.case_id for item in chosen)
    shuffled = list(chosen)
    chance.shuffle(shuffled)
    assert group_feedback(shuffled) == found


def test_another_process_finds_the_same() -> None:
    """Words stand in sets on the way, whose order changes from one process to the next."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_themes_grouping as t; "
        "print(t.group_feedback(t.labelled('release-notes', 'tuned')))"
    )
    here = str(Path(__file__).parent)
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, here],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


def test_likeness_counts_rare_words_forms_of_words_and_kinds_of_fault() -> None:
    remarks = [remark_of([text]) for text in ("an apology, lamp", "apologise, lamp", "price, lamp", "window")]
    found = likeness(remarks)
    assert found[0, 1] > found[0, 2] > 0
    assert not any(3 in pair for pair in found)
    (same,) = likeness([remark_of(["Be concise"]), remark_of(["too long"])]).values()
    assert same == 0.5


@pytest.mark.parametrize(
    ("remark", "faults"),
    [
        ("The inventory is informative.", set()),
        ("Spell out the next step.", {"next steps"}),
        ("It is invented.", {"made-up content"}),
        ("TOO LONG, and in English", {"length", "language"}),
    ],
)
def test_kinds_of_fault_are_found_by_their_signs(remark: str, faults: set[str]) -> None:
    assert faults_in(remark) == faults


def test_failing_cases_bring_each_remark_once_on_one_line() -> None:
    def case(name: str, rate: float | None, *feedback: str, detail: str = "") -> SelectionCase:
        return SelectionCase(Case(id=name, input="x"), ("y",), rate, detail, feedback)

    selection = [
        case("c", 0.5, "too long\nby far", "too long\nby far", " "),
        case("a", 0.0, detail="no price"),
        case("b", 1.0, "fine"),
        case("d", None, "not run"),
        case("e", 0.0),
    ]
    assert failing_items(selection) == [
        FailingItem("a", ("no price",)),
        FailingItem("c", ("too long␊by far",)),
        FailingItem("e", ()),
    ]
