"""A coverage map in words: the same sentences for the terminal, the approval and the report."""

from __future__ import annotations

from coverage_maps import COVERED, HARMFUL, NEEDED, UNCOVERED, WHOLE, coverage, rule

from ceopt_tui.core.coverage_carried import RuleAt, carried
from ceopt_tui.core.coverage_words import (
    MEASURE_IT,
    UNMEASURED,
    counts,
    how_measured,
    ideas,
    map_row,
    older_map,
    place,
    protected_lines,
    reason,
    shown,
    unmapped_lines,
)


def test_a_row_of_the_map_has_a_mark_a_case() -> None:
    assert [map_row(WHOLE, one) for one in WHOLE.rules] == ["-.~?", "....", "+.??", ""]


def test_counts_keep_their_order() -> None:
    assert counts(WHOLE) == "1 covered, 1 uncovered, 1 harmful, 1 needed for placeholders"
    assert counts(coverage()) == "no rules"


def test_a_reason_names_the_cases_and_the_mean() -> None:
    assert reason(WHOLE, COVERED) == "because; loses a; mean -50 points"
    assert reason(WHOLE, HARMFUL) == "because; wins a; mean +25 points"
    assert reason(WHOLE, NEEDED) == "a placeholder stands in it"


def test_a_place_names_the_file_where_there_are_several() -> None:
    assert place(WHOLE, COVERED) == "line 1"
    other = rule(9, "covered", file="q.md")
    assert place(coverage(COVERED, other), other) == "q.md:9"


def test_long_and_hostile_rules_stay_on_one_line() -> None:
    assert shown(rule(1, "covered", text="x" * 80)) == "x" * 59 + "…"
    assert "\x1b" not in shown(rule(1, "covered", text="a\x1b[31mb"))


def test_how_it_was_measured() -> None:
    repeating = how_measured(WHOLE)
    assert (
        repeating[0]
        == "4 selection cases on openai/x; the 4 held-out cases were left out, since nothing may be learnt from them"
    )
    assert "3 copies with blank lines more" in repeating[1] and "z = 2.33" in repeating[2]
    varying = how_measured(coverage(deterministic=False, runs_without=4, held_out=0))
    assert varying[:2] == [
        "4 selection cases on openai/x",
        "outputs vary: 4 runs a case without each rule, 4 of the whole text",
    ]


def test_the_approval_names_rules_that_no_case_guards() -> None:
    lines = protected_lines(WHOLE, protect=True)
    assert lines[1] == "           1 rule that no case guards, protected: no edit may change them:"
    assert lines[2] == "           line 2: Rule 2."
    assert "not protected" in protected_lines(WHOLE, protect=False)[1]
    assert protected_lines(coverage(COVERED), protect=True) == [
        "Coverage   1 covered: a case guards every rule that could be removed"
    ]


def test_the_approval_says_what_an_older_map_cannot_tell() -> None:
    now = [RuleAt("p.md", "r-2", 5, "Rule 2."), RuleAt("p.md", "r-8", 6, "Rule 8.")]
    older = carried(WHOLE, now, text_digest="u", measurement_digest="m")
    assert older_map(WHOLE) == "" and older_map(older).startswith("1 rule unknown to the map: not in the map")
    lines = protected_lines(older, protect=True)
    assert older_map(older) in lines[1]
    assert lines[-2:] == ["           line 5: Rule 2.", "           line 6: Rule 8. (unknown)"]


def test_the_approval_without_a_map_says_that_none_was_measured() -> None:
    rules = [RuleAt("p.md", "r-2", 5, "Rule 2."), RuleAt("p.md", "r-8", 6, "Rule 8.")]
    assert unmapped_lines(rules, protect=True, pruning=False) == [UNMEASURED, MEASURE_IT]
    assert len(unmapped_lines(rules, protect=False, pruning=False)) == 1
    named = unmapped_lines(rules, protect=False, pruning=True)
    assert named[-2:] == ["           line 5: Rule 2.", "           line 6: Rule 8."]
    both = [*rules, RuleAt("q.md", "r-2", 1, "Rule 2.")]
    assert unmapped_lines(both, protect=False, pruning=True)[-1] == "           q.md:1: Rule 2."


def test_an_idea_is_proposed_once() -> None:
    again = rule(5, "unmeasured", idea="Write one.")
    assert ideas(coverage(COVERED, UNCOVERED, again)) == ["Write one."]


def test_a_map_is_of_one_text_measured_one_way() -> None:
    assert WHOLE.is_of("t", "m") and not WHOLE.is_of("t", "n") and not WHOLE.is_of("u", "m")
    assert [one.rule for one in WHOLE.unguarded] == ["r-2"]
