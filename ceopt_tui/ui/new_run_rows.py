"""A draft of a run as lines: what is chosen, what it comes to. Draws nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.new_run import Draft, Outlook
from texttargets.init_metric import MEASURES, Measure

Step = Literal["text", "failures", "measure", "models", "limits"]
STEPS: dict[Step, str] = {
    "text": "Text",
    "failures": "Failures",
    "measure": "Better is",
    "models": "Models",
    "limits": "Limits",
}
WELCOME = """\
Five choices make a run; the first two are yours, the others have defaults. enter changes a line, w writes the files.

Nothing is called or paid here. The run asks for your approval, with its plan and price, before its first call."""
_MOST_NOTES = 4


@dataclass(frozen=True)
class Row:
    """One choice. `sign`: ✓ made, ? wanted, - left at its default."""

    step: Step
    sign: str
    name: str
    value: str


def rows(draft: Draft, outlook: Outlook) -> list[Row]:
    """The choices in the order they are asked for."""
    wishes = draft.wishes
    limits = f"{counted(wishes.experiments, 'experiment')}, {wishes.hours:g} h of work, {_caps(draft)}"
    failures = "what it got wrong: recorded failures, or an eval set" if draft.failures is None else _cases(outlook)
    return [
        _row("text", draft.target, _place(draft, draft.target) or "the prompt, template or skill to make better"),
        _row("failures", draft.failures, f"{_place(draft, draft.failures)}{failures}"),
        Row("measure", "✓" if wishes.measure else "-", STEPS["measure"], _measure(draft, outlook)),
        Row("models", "✓" if wishes.models else "-", STEPS["models"], _models(draft, outlook)),
        Row("limits", "-", STEPS["limits"], limits),
    ]


def _row(step: Step, chosen: Path | None, value: str) -> Row:
    return Row(step, "✓" if chosen else "?", STEPS[step], one_line(value))


def _place(draft: Draft, path: Path | None) -> str:
    if path is None:
        return ""
    return str(path.relative_to(draft.root)) if path.is_relative_to(draft.root) else str(path)


def _cases(outlook: Outlook) -> str:
    if outlook.evalset is None:
        return ""
    skipped = len(outlook.account.skipped) if outlook.account else 0
    left = f", {counted(skipped, 'record')} left out" if skipped else ""
    return f": {counted(len(outlook.evalset.cases), 'case')}{left}"


def _measure(draft: Draft, outlook: Outlook) -> str:
    measure: Measure | None = draft.wishes.measure
    if measure is None and outlook.evalset is None:
        return "found out from the failures"
    if measure is None:
        measure = "judge" if outlook.judged else "exact"
        check = outlook.evalset.check if outlook.evalset else None
        if not outlook.judged and check is not None and check.type != "exact":
            return f"the check of the set: {check.type}"
    rubric = " of yours" if measure == "judge" and draft.wishes.rubric else ""
    return f"{MEASURES[measure]}{rubric}"


def _models(draft: Draft, outlook: Outlook) -> str:
    if outlook.models:
        return one_line("; ".join(outlook.models))
    chosen = draft.wishes.models
    return ", ".join(f"{tier}: {model}" for tier, model in chosen.items()) or "those of the environment"


def _caps(draft: Draft) -> str:
    wishes = draft.wishes
    usd = None if wishes.usd is None else f"{wishes.usd:.2f} USD"
    calls = None if wishes.calls is None else counted(wishes.calls, "call")
    return ", ".join(cap for cap in (usd, calls) if cap) or "2,000 calls"


def outlook_text(draft: Draft, outlook: Outlook) -> str:
    """What is missing, what the set can detect, what it would take, and which files are written."""
    return "\n".join(_outlook_lines(draft, outlook))


def _outlook_lines(draft: Draft, outlook: Outlook) -> Iterator[str]:
    if draft.target is None:
        yield WELCOME
        return
    yield from (f"Missing    {said(line)}" for text in outlook.missing for line in [text.replace("\n", " ")])
    if outlook.detects:
        yield f"Detects    {outlook.detects}"
    yield from outlook.plan
    if outlook.new is not None:
        names = ", ".join(str(path.relative_to(draft.root)) for path in outlook.new.files)
        yield f"Writes     {names}"
    for note in outlook.notes[:_MOST_NOTES]:
        yield f"Note       {said(one_line(note))}"
    left = len(outlook.notes) - _MOST_NOTES
    if left > 0:
        yield f"           and {counted(left, 'more note')}: `ceopt evalset check` lists them"
