"""A coverage map in words and marks, the same for every skin, the approval and the report. Plain text, no layout."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.coverage_carried import RuleAt, unknown
from ceopt_tui.core.figures import change, counted, rounded
from ceopt_tui.core.visible import one_line
from schemas.coverage import Coverage, RuleCoverage, RuleStatus

ORDER: tuple[RuleStatus, ...] = (
    "covered", "uncovered", "harmful", "contradicted", "unclear", "needed", "unmeasured",
)  # fmt: skip
WORDS: dict[RuleStatus, str] = {
    "covered": "covered",
    "uncovered": "uncovered",
    "harmful": "harmful",
    "contradicted": "contradicted",
    "unclear": "unclear",
    "needed": "needed for placeholders",
    "unmeasured": "not measured",
}
MARKS = {"loses": "-", "wins": "+", "same": ".", "touchy": "~"}
LOST_MARK = "?"
LEGEND = "- lost without the rule · + won without it · . does not move · ~ a blank line moves it too · ? no score"
UNMEASURED = "Coverage   not measured: which rules no case guards is unknown, and none of them is protected;"
MEASURE_IT = "           `ceopt coverage SPEC` measures it"
_SHOWN, _SHOWN_FOR_APPROVAL = 60, 56  # characters of a rule


def shown(rule: RuleCoverage, limit: int = _SHOWN) -> str:
    """The rule's text on one line, cut."""
    return _cut(rule.text, limit)


def _cut(text: str, limit: int) -> str:
    text = one_line(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def place(coverage: Coverage, rule: RuleCoverage) -> str:
    """Where the rule stands; the file is named where there are several."""
    several = len({other.file for other in coverage.rules}) > 1
    return f"{one_line(rule.file)}:{rule.line}" if several else f"line {rule.line}"


def map_row(coverage: Coverage, rule: RuleCoverage) -> str:
    """One mark a case, in the order of the columns; nothing for a rule that was not removed."""
    if not rule.cases and not rule.lost:
        return ""
    seen = {case: MARKS[effect.effect] for case, effect in rule.cases.items()}
    return "".join(seen.get(case, LOST_MARK) for case in coverage.cases)


def counts(coverage: Coverage) -> str:
    """How many rules there are of each kind, in words."""
    found = coverage.counts
    return ", ".join(f"{found[status]} {WORDS[status]}" for status in ORDER if status in found) or "no rules"


def reason(coverage: Coverage, rule: RuleCoverage) -> str:
    """Why the rule is called what it is, with the cases that moved and the mean."""
    moved = [
        f"{word} {', '.join(one_line(case) for case in cases)}"
        for word, cases in (("loses", rule.moved("loses")), ("wins", rule.moved("wins")))
        if cases
    ]
    figures = [] if rule.mean is None else [f"mean {change(rule.mean, coverage.span)}"]
    return "; ".join((rule.why, *moved, *figures))


def how_measured(coverage: Coverage) -> list[str]:
    """What the map rests on, a sentence a line."""
    cases = f"{counted(len(coverage.cases), 'selection case')} on {one_line(coverage.model)}"
    left_out = (
        f"; the {counted(coverage.held_out, 'held-out case')} were left out, since nothing may be learnt from them"
        if coverage.held_out
        else ""
    )
    if coverage.deterministic:
        repeats = (
            "identical text gave identical outputs, so each case ran once without each rule; what moved ran again on "
            f"{counted(coverage.neutral_copies, 'copy', 'copies')} with blank lines more"
        )
    else:
        runs = counted(coverage.runs_without, "run")
        repeats = f"outputs vary: {runs} a case without each rule, {coverage.runs} of the whole text"
    return [
        f"{cases}{left_out}",
        repeats,
        f"a difference counts from z = {rounded(coverage.bar, 2)} on: about 5% of the rules without any effect are "
        "taken for guarded, and as many for harmful",
    ]


def protected_lines(coverage: Coverage, *, protect: bool) -> list[str]:
    """For the approval: which rules no case guards, and what that means for this run."""
    rules, older = coverage.unguarded, older_map(coverage)
    said = [f"           {older}"] if older else []
    if not rules:
        return [f"Coverage   {counts(coverage)}: a case guards every rule that could be removed", *said]
    what = "protected: no edit may change them" if protect else "not protected (`coverage: off`)"
    lines = [
        f"Coverage   {counts(coverage)}",
        *said,
        f"           {counted(len(rules), 'rule')} that no case guards, {what}:",
    ]
    return [*lines, *(_unguarded_line(coverage, rule) for rule in rules)]


def _unguarded_line(coverage: Coverage, rule: RuleCoverage) -> str:
    unsure = " (unknown)" if rule in unknown(coverage) else ""
    return f"           {place(coverage, rule)}: {shown(rule, _SHOWN_FOR_APPROVAL)}{unsure}"


def older_map(coverage: Coverage) -> str:
    """What a map cannot tell, measured before text, cases or settings changed; nothing where it tells all."""
    rules = unknown(coverage)
    if not rules:
        return ""
    what = f"{counted(len(rules), 'rule')} unknown to the map: {', '.join(dict.fromkeys(rule.why for rule in rules))}"
    return f"{what}; measure again with `ceopt coverage SPEC`"


def unmapped_lines(rules: Sequence[RuleAt], *, protect: bool, pruning: bool) -> list[str]:
    """For the approval of a text whose coverage was not measured."""
    if protect:
        return [UNMEASURED, MEASURE_IT]
    said = "Coverage   not measured and no rule protected (`coverage: off`): the loss of a rule may go unnoticed"
    if not pruning:
        return [said]
    several = len({at.file for at in rules}) > 1
    places = [f"{one_line(at.file)}:{at.line}" if several else f"line {at.line}" for at in rules]
    may_go = [
        f"           {where}: {_cut(at.text, _SHOWN_FOR_APPROVAL)}" for where, at in zip(places, rules, strict=True)
    ]
    return [said, "           not known to be guarded by a case, and may go:", *may_go]


def ideas(coverage: Coverage) -> list[str]:
    """Cases to write for the rules that none guards, a sentence each; no sentence twice."""
    return list(dict.fromkeys(rule.idea for rule in coverage.unguarded if rule.idea))
