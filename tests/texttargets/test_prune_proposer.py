"""Which rules a pruning run tries to do without, in which order, and what is left of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.ports import Brief, HypothesisDraft, SelectionCase
from ceopt_tui.errors import ProposalError
from schemas.evalset import Case
from schemas.idea_key import idea_key
from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.proposers.mechanical import MechanicalProposer
from texttargets.proposers.prune import PruneProposer
from texttargets.rules import split_rules

TEXT = """\
---
name: triage
---
# Triage

Name the queue.

- Answer with one word.
- Remember that the company was founded in 1987, in a garage.

## Tone

- Be kind.
"""


def brief_of(text: str = TEXT, **more: Any) -> Brief:
    return Brief("name", "description", {"p.md": text}, [], **more)


async def ideas_of(brief: Brief, wanted: int = 99) -> Sequence[HypothesisDraft]:
    return await PruneProposer().hypotheses(brief, wanted)


async def text_of(brief: Brief, idea: HypothesisDraft, path: str = "p.md") -> str:
    return (await PruneProposer().propose(brief, idea, [])).texts[path]


def starts(ideas: Sequence[HypothesisDraft]) -> list[str]:
    return [idea.description.removeprefix("do without “")[:14] for idea in ideas]


async def test_every_rule_is_an_idea_that_claims_tokens_the_longest_first() -> None:
    ideas = await ideas_of(brief_of())
    assert starts(ideas) == ["- Remember tha", "- Answer with ", "- Be kind.” (a", "Name the queue"]
    assert {idea.claims for idea in ideas} == {"tokens"}
    assert ideas[0].description.endswith("(about 16 tokens)")
    assert ideas[0].expected_benefit == "about 16 tokens less a call"
    assert starts(await ideas_of(brief_of(), 2)) == starts(ideas)[:2]


async def test_a_rule_goes_and_every_other_byte_stays() -> None:
    text = TEXT.replace("\n", "\r\n")
    longest, *_ = await ideas_of(brief_of(text))
    gone = "- Remember that the company was founded in 1987, in a garage.\r\n\r\n"
    assert gone in text and await text_of(brief_of(text), longest) == text.replace(gone, "")


async def test_a_heading_above_nothing_goes_with_its_rule() -> None:
    kind = next(idea for idea in await ideas_of(brief_of()) if "Be kind" in idea.description)
    assert await text_of(brief_of(), kind) == TEXT.removesuffix("## Tone\n\n- Be kind.\n")
    # Tokens of the heading count; what stands in a protected section does not go, nor does its heading.
    assert kind.rank == 6
    assert not [idea for idea in await ideas_of(brief_of(protect=("Tone",))) if "Be kind" in idea.description]


async def test_headings_in_one_another_go_when_the_last_rule_below_them_goes() -> None:
    text = "- Keep.\n\n# Style\n\n## Tone\n\n- Be kind.\n\n# Form\n\n- One word.\n"
    brief = brief_of(text)
    kind = next(idea for idea in await ideas_of(brief) if "Be kind" in idea.description)
    assert await text_of(brief, kind) == "- Keep.\n\n# Form\n\n- One word.\n"
    named = brief_of(text.replace("# Style", "# Style of {name}"), syntax="brace")
    kind = next(idea for idea in await ideas_of(named) if "Be kind" in idea.description)
    assert await text_of(named, kind) == "- Keep.\n\n# Style of {name}\n\n# Form\n\n- One word.\n"


async def test_placeholders_protected_rules_and_what_states_the_form_stay() -> None:
    text = "- Write to {name}.\n- Be kind.\n- Be brief.\n- Answer with exactly one of these: a, b.\n"
    rule = next(rule for rule in split_rules(text) if "brief" in rule.text)
    brief = brief_of(text, syntax="brace", protect=(rule.id,))
    assert starts(await ideas_of(brief)) == ["- Answer with ", "- Be kind.” (a"]


@pytest.mark.parametrize("text", ["", "# Only\n", "Only this.\n", "# Head\n\nOnly this.\n"])
async def test_the_last_rule_of_a_text_never_goes(text: str) -> None:
    assert await ideas_of(brief_of(text)) == []


async def test_a_protected_rule_counts_as_one_that_is_left() -> None:
    text = "- Be kind.\n- Be brief.\n"
    rule = split_rules(text)[0]
    (idea,) = await ideas_of(brief_of(text, protect=(rule.id,)))
    assert await text_of(brief_of(text), idea) == "- Be kind.\n"


async def test_each_idea_is_had_once() -> None:
    first, *rest = await ideas_of(brief_of())
    tried = frozenset({idea_key(first.move, first.parameters)})
    assert starts(await ideas_of(brief_of(tried_keys=tried))) == starts(rest)


async def test_an_idea_whose_rule_is_gone_is_refused() -> None:
    first, *_ = await ideas_of(brief_of())
    without = brief_of(await text_of(brief_of(), first))
    with pytest.raises(ProposalError, match="no longer fits the text: do without “- Remember"):
        await text_of(without, first)


async def test_rules_of_every_file_are_tried_and_told_apart() -> None:
    texts = {"a.md": "- Be kind.\n- Be brief.\n", "b.md": "- Be kind.\n- Name the queue in one word.\n"}
    brief = replace(brief_of(), texts=texts)
    ideas = await ideas_of(brief)
    assert [idea.parameters["file"] for idea in ideas] == ["b.md", "a.md", "a.md", "b.md"]
    kind = [idea for idea in ideas if "kind" in idea.description]
    assert (await PruneProposer().propose(brief, kind[0], [])).texts == {"a.md": "- Be brief.\n"}
    assert (await PruneProposer().propose(brief, kind[1], [])).texts == {"b.md": "- Name the queue in one word.\n"}


PIECES = ("- Be kind.\n", "- One word.\n", "Say why.\n\n", "# Head\n\n", "```\ncode\n```\n", "1. First\r\n", "\n")
RULES = st.lists(st.sampled_from(PIECES), max_size=8)


@given(RULES)
async def test_what_is_left_is_a_part_of_the_text_and_no_guard_minds(pieces: list[str]) -> None:
    text = "".join(pieces)
    brief, guard = brief_of(text), make_guard(sources=LeakSources(), syntax="none")
    for idea in await ideas_of(brief):
        left = await text_of(brief, idea)
        lines = iter(text.splitlines(keepends=True))
        assert all(line in lines for line in left.splitlines(keepends=True))
        assert left.strip() and len(left) < len(text)
        assert list(guard({"p.md": text}, {"p.md": left})) == []


async def test_an_ordinary_run_drops_what_looks_useless_for_its_length_and_the_rest_for_its_harm() -> None:
    """A repetition and a rule of manners only have to leave the score as it is; for any other it has to rise."""
    text = "- Answer only in English.\n- Answer in English only.\n- Be friendly.\n- Money means billing.\n"
    cases = [SelectionCase(Case(id="c", input="x", expected="y"), ("z",), 0.0)]
    ideas = await MechanicalProposer().hypotheses(replace(brief_of(text), selection=cases), 99)
    claims = {idea.description: idea.claims for idea in ideas if idea.move == "drop_rule"}
    assert claims == {
        "drop the rule “- Answer only in English.”": "primary",
        "drop the rule “- Answer in English only.”": "tokens",
        "drop the rule “- Be friendly.”": "tokens",
        "drop the rule “- Money means billing.”": "primary",
    }
