"""What to add to a set that is passed: from its own cases, from the text, from what coverage found."""

from __future__ import annotations

import pytest

from schemas.evalset import Case
from texttargets.harder_ideas import MOST_OF_A_KIND, harder_ideas

RETURNS = (
    ("I bought it 10 days ago, can it go back?", "returns"),
    ("Bought 20 days ago, can it go back?", "returns"),
    ("I bought it 40 days ago, can it go back?", "refused"),
    ("Bought 90 days ago and it broke", "refused"),
    ("Where is my invoice?", "billing"),
    ("I need the invoice again", "billing"),
)
RULES = "# Returns\n\n- Goods go back within 30 days.\n- Never promise a refund.\n- Be kind.\n"


def cases(*pairs: tuple[str, str], observed: dict[int, str] | None = None) -> list[Case]:
    return [
        Case(id=f"c{n}", input=asked, expected=wanted, observed=(observed or {}).get(n))
        for n, (asked, wanted) in enumerate(pairs)
    ]


def ideas(source: str, *given: object, **more: object) -> list[str]:
    return [idea.text for idea in harder_ideas(*given, **more) if idea.source == source]  # type: ignore[arg-type]


def test_labels_that_were_taken_for_one_another_come_first_and_once() -> None:
    mixed = cases(*RETURNS, observed={0: "refused", 1: "Refused.", 2: "returns", 4: "a long answer", 5: "billing"})
    first, *others = ideas("confusion", mixed)
    assert first == (
        "“refused” and “returns” were taken for one another in 3 recorded failures: "
        "write an input that speaks of both, and say which one it is."
    )
    assert not any("returns" in other and "refused" in other for other in others)


def test_without_recorded_mistakes_the_inputs_that_are_most_alike_are_named() -> None:
    assert ideas("confusion", cases(*RETURNS)) == [
        "c0 (“returns”) and c2 (“refused”) ask nearly alike: write an input that lies between them, "
        "and say which answer is right."
    ]


def test_answers_without_a_closed_set_are_not_mixed_up() -> None:
    assert ideas("confusion", cases(("a b c d", "one answer"), ("a b c e", "another one"))) == []
    assert ideas("confusion", [Case(id="open", input="x")]) == []


def test_a_limit_is_asked_at_its_very_place_where_the_text_states_it() -> None:
    (idea,) = ideas("boundary", cases(*RETURNS), {"p.md": RULES})
    assert idea == (
        "Between 20 days (c1) and 40 days (c2) the right answer changes: write inputs at 29, 30 and 31 days, "
        "where “Goods go back within 30 days.” turns."
    )
    (alone,) = ideas("boundary", cases(*RETURNS))
    assert alone.endswith("the right answer changes: write inputs nearer to where it does.")


@pytest.mark.parametrize(
    "amounts",
    [
        (("10 days", "a"), ("11 days", "a"), ("12 days", "b"), ("13 days", "b")),  # nothing lies between them
        (("10 days", "a"), ("20 days", "a"), ("90 days", "a"), ("95 days", "a")),
        (("10 days", "a"), ("20 days", "a"), ("90 euro", "b"), ("95 euro", "b")),
        (("10.5 kg", "a"), ("20.5 kg", "a"), ("90.5 kg", "b"), ("95.5 kg", "b")),
        (("order 17 is", "a"), ("order 40 is", "b"), ("order 61 is", "a"), ("order 90 is", "b")),
        (("the 5 th", "1 May"), ("the 7 th", "3 May"), ("the 18 th", "9 May"), ("the 25 th", "10 May")),
        (("10 days", "a"), ("90 days", "b")),  # too few to tell a limit from chance
    ],
)
def test_amounts_that_show_no_gap_give_no_idea(amounts: tuple[tuple[str, str], ...]) -> None:
    assert ideas("boundary", cases(*amounts)) == []


def test_rules_are_read_for_what_no_case_asks_unless_coverage_knows() -> None:
    assert ideas("rule", cases(*RETURNS), {"p.md": RULES}) == [
        "Write a case whose input invites what “Never promise a refund.” forbids, with the answer that resists it."
    ]
    assert ideas("rule", cases(*RETURNS), {"p.md": RULES}, ["Ask for the colour.", "Ask for the colour."]) == [
        "Ask for the colour."
    ]
    assert len(ideas("rule", [], {"p.md": "\n".join(f"- Never say {n}." for n in range(9))})) == MOST_OF_A_KIND
    assert harder_ideas([]) == ()


def test_foreign_text_in_an_idea_stays_on_one_line() -> None:
    odd = [case.model_copy(update={"id": f"\x1b[31m{case.id}\n"}) for case in cases(*RETURNS)]
    for idea in harder_ideas(odd, {"p.md": "- Never say \x1b[1mthis within 30 days.\n"}):
        assert "\x1b" not in idea.text and "\n" not in idea.text


def test_the_order_of_ideas_does_not_hang_on_anything_but_the_cases() -> None:
    found = harder_ideas(cases(*RETURNS), {"p.md": RULES})
    assert found == harder_ideas(cases(*RETURNS), {"p.md": RULES})
    assert [idea.source for idea in found] == ["confusion", "boundary", "rule"]
