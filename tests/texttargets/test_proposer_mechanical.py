"""The proposer without a model: which ideas it has, in which order, and what its texts look like."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ceopt_tui.core.ports import Brief, HypothesisDraft, Refusal, SelectionCase
from ceopt_tui.errors import ProposalError
from schemas.evalset import Case
from schemas.idea_key import idea_key
from texttargets.guards import make_guard
from texttargets.importers.reading import read_failures
from texttargets.leak_sources import LeakSources
from texttargets.proposers.mechanical import MechanicalProposer
from texttargets.proposers.transport import exchanged
from texttargets.proposers.word_evidence import telling_phrases, telling_words
from texttargets.split import freeze_split

DEMO = Path(__file__).parents[2] / "examples" / "demo"
PROMPT = "# Arrival\n\nFind the date.\n\n- Reply with the date.\n- Be friendly.\n"
LABELLED = [
    ("Please send my invoice again, the amount is wrong", "billing"),
    ("Why is the invoice higher this month?", "billing"),
    ("The invoice shows a wrong address", "billing"),
    ("The parcel arrived with a broken lid", "damage"),
    ("My cup came out of the parcel broken", "damage"),
    ("Broken on arrival: the parcel was crushed", "damage"),
]


def selection(pairs: Sequence[tuple[str, Any]], outputs: Sequence[str] = ()) -> list[SelectionCase]:
    answered = outputs or ["It is done."] * len(pairs)
    return [
        SelectionCase(Case(id=f"c{at}", input=given, expected=wanted), (output,), float(output == wanted))
        for at, ((given, wanted), output) in enumerate(zip(pairs, answered, strict=True))
    ]


def dates(*, outputs: Sequence[str] = ()) -> list[SelectionCase]:
    pairs = [
        ("We will arrive on 14 March 2025, two nights", "2025-03-14"),
        ("Check-in on 02/05/2025 please", "2025-05-02"),
        ("Arriving 7th of June 2025 by train", "2025-06-07"),
        ("Room from 21 September 2025", "2025-09-21"),
    ]
    return selection(pairs, outputs)


def brief_of(items: Sequence[SelectionCase], text: str = PROMPT, **more: Any) -> Brief:
    return Brief("name", "description", {"p.md": text}, items, **more)


async def ideas_of(brief: Brief, wanted: int = 20) -> list[HypothesisDraft]:
    return list(await MechanicalProposer().hypotheses(brief, wanted))


async def carried_out(brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal] = ()) -> str:
    draft = await MechanicalProposer().propose(brief, idea, refused)
    assert draft.facts == ()
    return draft.texts["p.md"]


async def test_the_contract_comes_first_and_alone() -> None:
    brief = brief_of(dates())
    first = (await ideas_of(brief))[0]
    assert (first.move, first.parameters) == ("state_contract", {"contract": "shape", "place": "end"})
    assert first.expected_benefit == "0 to +100 points: 4 of 4 answers lack it"
    assert first.upper_bound == 1.0
    text = await carried_out(brief, first)
    assert text.startswith(PROMPT)
    assert text.endswith("One line. No other words, no explanation, no quotation marks.\n")
    assert "YYYY-MM-DD" in text


async def test_ideas_are_wanted_many_best_first_and_reproducible() -> None:
    brief = brief_of(dates())
    ideas = await ideas_of(brief, 4)
    assert [idea.move for idea in ideas] == ["state_contract", "add_examples", "state_contract", "add_examples"]
    assert ideas == await ideas_of(brief, 4)
    texts = [await carried_out(brief, idea) for idea in ideas]
    assert texts == [await carried_out(brief, idea) for idea in ideas]
    assert len({PROMPT, *texts}) == 5


async def test_what_was_tried_is_not_proposed_again_until_nothing_is_left() -> None:
    brief = brief_of(dates())
    tried: set[str] = set()
    for _ in range(30):
        ideas = await ideas_of(replace(brief, tried_keys=frozenset(tried)), 3)
        keys = {idea_key(idea.move, idea.parameters) for idea in ideas}
        assert not keys & tried
        tried |= keys
        if not ideas:
            break
    assert await ideas_of(replace(brief, tried_keys=frozenset(tried))) == []
    assert len(tried) >= 8


async def test_after_the_contract_is_kept_the_next_ideas_build_on_it() -> None:
    brief = brief_of(dates())
    contract = (await ideas_of(brief))[0]
    kept = replace(
        brief_of(dates(), await carried_out(brief, contract)),
        tried_keys=frozenset({idea_key(contract.move, contract.parameters)}),
    )
    ideas = await ideas_of(kept)
    assert "state_contract" not in {idea.move for idea in ideas}
    examples = ideas[0]
    assert (examples.move, examples.parameters["contract"]) == ("add_examples", "stated")
    text = await carried_out(kept, examples)
    assert text.startswith(kept.texts["p.md"])
    assert text.count("YYYY-MM-DD") == 1
    assert all("digits" not in idea.description for idea in ideas if idea.move == "drop_rule")


async def test_answers_that_have_the_form_need_no_contract() -> None:
    ideas = await ideas_of(brief_of(dates(outputs=["2025-01-01"] * 4)))
    assert "state_contract" not in {idea.move for idea in ideas}


async def test_labels_are_defined_by_the_words_that_tell_them_apart() -> None:
    brief = brief_of(selection(LABELLED), "Sort the message.\n")
    idea = next(idea for idea in await ideas_of(brief) if idea.move == "define_labels")
    text = await carried_out(brief, idea)
    assert "- billing: about invoice" in text
    assert "- damage: about broken, parcel." in text
    assert text.index("What the answers mean") < text.index("exactly one of these: billing, damage.")
    again = replace(brief, texts={"p.md": text})
    assert "define_labels" not in {idea.move for idea in await ideas_of(again)}


def test_telling_words_and_phrases_come_from_their_own_label() -> None:
    cases = [item.case for item in selection(LABELLED)]
    assert telling_words(cases)["billing"][0] == "invoice"
    assert telling_words(cases)["damage"][:2] == ["broken", "parcel"]
    phrases = telling_phrases(cases)
    assert all(len(phrase.split()) <= 4 for found in phrases.values() for phrase in found)
    assert "invoice" in phrases["billing"][0]


def test_examples_are_right_and_no_case() -> None:
    cases = [item.case for item in dates()]
    for seed in range(20):
        for case in cases:
            example = exchanged(case, cases, Random(seed))
            assert example is not None
            assert example.output not in {other.expected for other in cases}
            year, _, day = example.output.split("-")
            assert year in example.input
            assert int(day) <= 28
            assert len(example.input.split()) <= 8


def test_records_exchange_the_values_their_inputs_name() -> None:
    pairs = [
        ("Send 2 blue chairs to Bonn", {"item": "blue chairs", "quantity": 2, "city": "Bonn"}),
        ("I need 5 red lamps in Oslo", {"item": "red lamps", "quantity": 5, "city": "Oslo"}),
        ("Ship 7 desks to Rome", {"item": "desks", "quantity": 7, "city": "Rome"}),
    ]
    cases = [item.case for item in selection(pairs)]
    example = exchanged(cases[0], cases, Random(1))
    assert example is not None
    record = json.loads(example.output)
    assert example.input == f"Send {record['quantity']} {record['item']} to {record['city']}"
    assert record not in [case.expected for case in cases]


async def test_every_idea_for_the_demo_passes_the_guard() -> None:
    cases = read_failures([DEMO / "failures.jsonl"], all_items=True).cases
    split = freeze_split(cases, seed=7)
    text = (DEMO / "prompts" / "arrival_date.md").read_text(encoding="utf-8")
    items = [
        SelectionCase(case, (case.observed or "",), float(case.observed == case.expected))
        for case in cases
        if case.id in split.selection
    ]
    guard = make_guard(sources=LeakSources(cases=cases, held_out=split.holdout), syntax="none")
    brief = brief_of(items, text)
    ideas = await ideas_of(brief)
    assert len(ideas) >= 8
    for idea in ideas:
        assert guard(brief.texts, {"p.md": await carried_out(brief, idea)}) == []


async def test_protected_rules_placeholders_and_bytes_stay() -> None:
    text = "\ufeff# Sort\r\n\r\n- Keep {tone}.\r\n- Never shout.\r\n- Be nice.\r\n\r\nMessage: {message}"
    protected = next(rule for rule in text.split("\r\n") if "shout" in rule)
    brief = brief_of(dates(), text, syntax="brace", protect=("Sort",))
    assert [idea for idea in await ideas_of(brief) if idea.move == "drop_rule"] == []
    free = replace(brief, protect=())
    for idea in await ideas_of(free):
        after = await carried_out(free, idea)
        assert after.startswith("\ufeff# Sort\r\n")
        assert after.endswith("Message: {message}")
        assert after.count("{tone}") == 1
        assert "\n" not in after.replace("\r\n", "")
    dropped = {idea.description for idea in await ideas_of(free) if idea.move == "drop_rule"}
    assert dropped == {f"drop the rule “{protected}”", "drop the rule “- Be nice.”"}


async def test_a_repeated_rule_is_dropped_before_a_rule_of_manners_before_others() -> None:
    text = "- Answer in English only.\n- Be friendly.\n- Name the shop.\n- Answer only in English.\n"
    drops = [idea for idea in await ideas_of(brief_of(dates(), text)) if idea.move == "drop_rule"]
    assert [idea.category for idea in drops] == ["merge rules", "fewer rules", "fewer rules", "fewer rules"]
    assert "Answer only in English" in drops[0].description
    assert "friendly" in drops[1].description


async def test_moving_a_rule_last_exchanges_it_and_nothing_else() -> None:
    text = "- Reply with the date.\n\n- Day first.\n- Be friendly.\n\nThanks.\n"
    brief = brief_of(dates(), text)
    moves = [idea for idea in await ideas_of(brief) if idea.move == "move_rule_last"]
    assert moves == []  # the last free rule is a paragraph, which is no place for a list item
    brief = brief_of(dates(), text.replace("\n\nThanks.\n", "\n"))
    (move,) = [idea for idea in await ideas_of(brief) if idea.move == "move_rule_last"]
    assert await carried_out(brief, move) == "- Be friendly.\n\n- Day first.\n- Reply with the date.\n"


async def test_a_refused_try_is_made_of_other_material() -> None:
    brief = brief_of(dates())
    idea = next(idea for idea in await ideas_of(brief) if idea.move == "add_examples")
    first = await carried_out(brief, idea)
    second = await carried_out(brief, idea, [Refusal("leak", "copies a held-out item")])
    assert first != second


async def test_ideas_that_no_longer_fit_are_refused() -> None:
    brief = brief_of(dates())
    gone = HypothesisDraft("drop", "fewer rules", "drop_rule", {"rule": "r-00000000"})
    with pytest.raises(ProposalError, match="no longer fits"):
        await carried_out(brief, gone)
    with pytest.raises(ProposalError, match="no move named 'dance'"):
        await carried_out(brief, replace(gone, move="dance"))


STYLE = "# Style\n\n- Be friendly.\n- Be kind.\n- Answer briefly.\n"
TWO = {"main.md": "# Sort\n\nFind the date.\n", "style.md": STYLE}


async def test_rules_of_every_file_may_move_or_go_and_what_is_added_goes_to_the_first() -> None:
    brief = replace(brief_of(dates()), texts=TWO)
    ideas = await ideas_of(brief, 50)
    named = [idea for idea in ideas if idea.parameters.get("file") == "style.md"]
    assert {idea.move for idea in named} == {"drop_rule"}
    kind = next(idea for idea in named if "Be kind" in idea.description)
    draft = await MechanicalProposer().propose(brief, kind, [])
    assert draft.texts == {"style.md": STYLE.replace("- Be kind.\n", "")}
    for idea in ideas:
        if "file" not in idea.parameters:
            assert list((await MechanicalProposer().propose(brief, idea, [])).texts) == ["main.md"]
    assert all("file" not in idea.parameters for idea in await ideas_of(brief_of(dates()), 50))


async def test_a_contract_that_another_file_states_is_stated() -> None:
    first = (await ideas_of(brief_of(dates())))[0]
    stated = await carried_out(brief_of(dates()), first)
    brief = replace(brief_of(dates()), texts={"main.md": PROMPT, "output.md": stated})
    assert all(idea.move != first.move for idea in await ideas_of(brief, 50))


async def test_an_idea_for_a_file_that_is_gone_no_longer_fits() -> None:
    idea = HypothesisDraft("drop", "fewer rules", "drop_rule", {"file": "gone.md", "rule": "r-1"})
    with pytest.raises(ProposalError, match="no longer fits"):
        await MechanicalProposer().propose(replace(brief_of(dates()), texts=TWO), idea, [])
