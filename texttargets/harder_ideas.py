"""Which harder cases a set lacks, from the cases and the text alone: answers that get mixed up, limits, rules unasked.

Sentences for a person, who writes the cases. Calls no model.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise

from rapidfuzz import fuzz

from ceopt_tui.core.figures import counted
from schemas.evalset import Case
from schemas.harness_records import CaseIdea
from texttargets.case_ideas import telling_idea
from texttargets.duplicates import input_text
from texttargets.excerpt import excerpt, on_one_line
from texttargets.proposers.contract import infer_contract
from texttargets.rules import REMOVABLE, Rule, split_rules
from texttargets.strict_json import as_text
from texttargets.text_checks import normalize

MOST_OF_A_KIND = 3
_COMPARED, _READ = 150, 300  # cases held against one another, and characters of each: a sentence is worth no more
_ALIKE = 60.0  # percent of words shared, from which two inputs are worth calling alike
_LEAST_AMOUNTS = 4  # of one unit, in as many cases, before their order means anything
_SHOWN = 60  # characters of a rule
_AMOUNT = re.compile(r"(?<![\w.,])(\d{1,6})(?![\w.,]*\d)\s*([%€$£]|[^\W\d_]{2,})")


@dataclass(frozen=True)
class _Amount:
    value: int
    unit: str
    case: Case


def harder_ideas(
    cases: Sequence[Case], texts: Mapping[str, str] | None = None, unguarded: Sequence[str] = ()
) -> tuple[CaseIdea, ...]:
    """What to write next, the most telling first; empty where nothing in the set or the text suggests anything.

    `unguarded` are ideas for rules that are known to have no case; without them the rules of `texts` are read.
    """
    answered = [case for case in cases if case.expected is not None]
    rules = [rule for text in (texts or {}).values() for rule in split_rules(text) if rule.kind in REMOVABLE]
    asked = unguarded or [idea for rule in rules if (idea := telling_idea(rule))]
    return tuple(
        CaseIdea(source=source, text=text)
        for source, found in (
            ("confusion", _mixed_up(answered)),
            ("boundary", _limits(answered, rules)),
            ("rule", iter(dict.fromkeys(asked))),
        )
        for text in islice(found, MOST_OF_A_KIND)
    )


def _mixed_up(cases: Sequence[Case]) -> Iterator[str]:
    """Labels that recorded failures took for one another; after them those whose inputs are the most alike."""
    contract = infer_contract([case.expected for case in cases])
    if contract is None or contract.kind != "labels":
        return
    labels = {normalize(label): label for label in contract.labels}
    given = Counter(
        frozenset((normalize(as_text(case.expected)), normalize(case.observed)))
        for case in cases
        if case.observed is not None and normalize(case.observed) in labels
    )
    confused = [(pair, count) for pair, count in given.most_common() if len(pair) == 2]
    for pair, count in confused:
        one, other = (excerpt(labels[label]) for label in sorted(pair))
        yield (
            f"{one} and {other} were taken for one another in {counted(count, 'recorded failure')}: "
            "write an input that speaks of both, and say which one it is."
        )
    known = {pair for pair, _ in confused}
    for pair, one_case, other_case in _alike(cases):
        if pair not in known:
            first, second = excerpt(as_text(one_case.expected)), excerpt(as_text(other_case.expected))
            yield (
                f"{_id(one_case)} ({first}) and {_id(other_case)} ({second}) ask nearly alike: write an input that "
                "lies between them, and say which answer is right."
            )


def _alike(cases: Sequence[Case]) -> list[tuple[frozenset[str], Case, Case]]:
    """For each two labels the two cases whose inputs share the most words, the closest pair first."""
    best: dict[frozenset[str], tuple[float, Case, Case]] = {}
    words = [
        (case, normalize(as_text(case.expected)), normalize(input_text(case)[:_READ])) for case in cases[:_COMPARED]
    ]
    for (one, first, left), (other, second, right) in combinations(words, 2):
        if first == second:
            continue
        pair = frozenset((first, second))
        likeness = fuzz.token_sort_ratio(left, right, score_cutoff=max(_ALIKE, best.get(pair, (0.0,))[0] + 1e-9))
        if likeness:
            best[pair] = (likeness, one, other)
    ranked = sorted(best.items(), key=lambda entry: -entry[1][0])
    return [(pair, one, other) for pair, (_, one, other) in ranked]


def _limits(cases: Sequence[Case], rules: Sequence[Rule]) -> Iterator[str]:
    """Amounts between which the right answer changes: where exactly, no case asks."""
    by_unit: dict[str, list[_Amount]] = defaultdict(list)
    for case in cases:
        for value, unit in _amounts(input_text(case)):
            by_unit[unit].append(_Amount(value, unit, case))
    stated = [(value, unit, rule) for rule in rules for value, unit in _amounts(rule.words)]
    for unit, amounts in by_unit.items():
        ordered = sorted(amounts, key=lambda amount: amount.value)
        for low, high in _turns(ordered):
            place = f"Between {low.value} {unit} ({_id(low.case)}) and {high.value} {unit} ({_id(high.case)}) "
            limit = next((one for one in stated if one[1] == unit and low.value <= one[0] <= high.value), None)
            nearer = "inputs nearer to where it does."
            if limit is not None:
                value, _, rule = limit
                shown = excerpt(rule.words, _SHOWN)
                nearer = f"inputs at {value - 1}, {value} and {value + 1} {unit}, where {shown} turns."
            yield f"{place}the right answer changes: write {nearer}"


def _turns(ordered: Sequence[_Amount]) -> list[tuple[_Amount, _Amount]]:
    """Neighbours with room between them and different answers; none where answers come and go, as with order ids."""
    answers = [_answer(amount.case) for amount in ordered]
    runs, distinct = 1 + sum(one != other for one, other in pairwise(answers)), len(set(answers))
    if len(ordered) < _LEAST_AMOUNTS or runs != distinct or 2 * distinct > len(ordered):
        return []
    return [
        (low, high)
        for low, high in pairwise(ordered)
        if high.value - low.value > 1 and _answer(low.case) != _answer(high.case)
    ]


def _amounts(text: str) -> list[tuple[int, str]]:
    return [(int(value), unit.casefold()) for value, unit in _AMOUNT.findall(text)]


def _answer(case: Case) -> str:
    return normalize(as_text(case.expected))


def _id(case: Case) -> str:
    return on_one_line(case.id)[:_SHOWN]
