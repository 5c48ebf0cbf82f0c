"""Move: show worked examples. They are made, not copied: none is a case or quotes more than a few words of one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from ceopt_tui.core.ports import HypothesisDraft
from texttargets.proposers.insertion import insert_section
from texttargets.proposers.mechanical_view import View
from texttargets.proposers.transport import Example, exchanged
from texttargets.proposers.word_evidence import telling_phrases

TITLE = "Examples"
PHRASE_WORDS = 4
MOST_EXAMPLES = 4


class AddExamples:
    """Adds one example per label, or a few of the same form; adds the contract where it is missing."""

    name = "add_examples"
    every_file = False

    def ideas(self, view: View) -> list[HypothesisDraft]:
        """Few and more examples, where the selection cases yield any."""
        if f"# {TITLE}" in view.text:
            return []
        labels = view.contract.labels if view.contract else ()
        most = max(MOST_EXAMPLES, len(labels))
        available = len(make_examples(view, most, view.brief.seed))
        stated = view.contract_stated
        with_contract = "" if stated or view.contract is None else " with the output contract"
        counts = [count for count in dict.fromkeys((available, min(2, available))) if count]
        return [
            HypothesisDraft(
                description=f"show {count} worked examples{with_contract}",
                category="worked examples",
                move=self.name,
                parameters={"contract": "stated" if stated else "added", "count": count},
                rank=90.0 - 30 * place,
            )
            for place, count in enumerate(counts)
        ]

    def apply(self, view: View, parameters: Mapping[str, Any], attempt: int) -> str | None:
        """Contract first, examples after it; a refused try is made of other cases."""
        examples = make_examples(view, int(parameters["count"]), view.brief.seed + attempt)
        if not examples:
            return None
        text = view.with_contract(view.text, "end")
        lines: list[str] = []
        for example in examples:
            lines += [f"Input: {example.input}", f"Output: {example.output}", ""]
        return insert_section(text, TITLE, lines[:-1], "end", view.brief.syntax)


def make_examples(view: View, wanted: int, seed: int) -> list[Example]:
    """Up to `wanted` examples, the same for the same seed; for labels at most one of each."""
    random = Random(seed)
    cases = [item.case for item in view.brief.selection if item.case.expected is not None]
    if view.contract is not None and view.contract.kind == "labels":
        phrases = telling_phrases(cases, PHRASE_WORDS)
        found = [
            Example(phrases[label][min(seed - view.brief.seed, len(phrases[label]) - 1)], label)
            for label in view.contract.labels
            if phrases.get(label)
        ]
        return found[:wanted]
    order = random.sample(cases, len(cases))
    made = (exchanged(case, cases, random) for case in order)
    distinct = {example.output: example for example in made if example is not None}
    return list(distinct.values())[:wanted]
