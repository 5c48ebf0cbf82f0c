"""A coverage map on a text, cases or settings that are others than those it was measured with."""

from __future__ import annotations

from coverage_maps import COVERED, HARMFUL, NEEDED, UNCOVERED, WHOLE, coverage

from ceopt_tui.core.coverage_carried import MEASURED_OTHERWISE, NEW, RuleAt, carried, unknown
from schemas.coverage import Coverage

RULES = [RuleAt("p.md", f"r-{number}", 10 + number, f"Rule {number}.") for number in (1, 2, 3, 4)]


def statuses(found: Coverage) -> dict[str, str]:
    return {rule.rule: rule.status for rule in found.rules}


def test_of_this_very_text_it_stays_as_it_is() -> None:
    assert carried(WHOLE, RULES, text_digest="t", measurement_digest="m") is WHOLE


def test_a_rule_left_alone_keeps_what_was_found_and_its_new_place() -> None:
    found = carried(WHOLE, RULES, text_digest="u", measurement_digest="m")
    assert statuses(found) == statuses(WHOLE) and unknown(found) == ()
    assert [rule.line for rule in found.rules] == [11, 12, 13, 14]


def test_a_rule_with_other_words_is_unknown_and_one_that_went_is_not_listed() -> None:
    rewritten = [RULES[0], RuleAt("p.md", "r-9", 2, "Rule 2, but kinder.")]
    found = carried(WHOLE, rewritten, text_digest="u", measurement_digest="m")
    assert statuses(found) == {"r-1": "covered", "r-9": "unmeasured"}
    assert [(rule.rule, rule.text, rule.why) for rule in unknown(found)] == [("r-9", "Rule 2, but kinder.", NEW)]
    assert found.unguarded == unknown(found)


def test_the_same_words_in_another_file_are_another_rule() -> None:
    moved = carried(coverage(UNCOVERED), [RuleAt("q.md", "r-2", 2, "Rule 2.")], text_digest="u", measurement_digest="m")
    assert [rule.why for rule in moved.rules] == [NEW]


def test_measured_otherwise_nothing_is_known_to_be_guarded_and_what_was_unguarded_stays_so() -> None:
    both = coverage(COVERED, UNCOVERED, HARMFUL, NEEDED)
    for text in "tu":
        found = carried(both, RULES, text_digest=text, measurement_digest="n")
        expected = {"r-1": "unmeasured", "r-2": "uncovered", "r-3": "unmeasured", "r-4": "needed"}
        assert statuses(found) == expected
        assert {rule.why for rule in unknown(found)} == {MEASURED_OTHERWISE}
