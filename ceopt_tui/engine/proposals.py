"""Parked changes as a person is asked about them, and one made again on a text that moved on. Decides nothing."""

from __future__ import annotations

from difflib import SequenceMatcher

from ceopt_tui.core.plan.measuring import report_runs
from ceopt_tui.core.plan.proposals import ACCEPT, is_fresh, proposal_options
from ceopt_tui.core.ports import Question, Refusal
from ceopt_tui.core.state.proposals import proposal_question
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.word_diff import lines_of
from ceopt_tui.engine.parts import Parts
from ceopt_tui.engine.questions import winner_material


def question_on_proposal(state: RunState, parts: Parts, number: int) -> Question:
    """A parked change with its evidence and why nobody but a person may keep it."""
    name, reason = state.experiments[number].name, state.waiting.parked[number].reason
    options = proposal_options(state, parts.terms, number)
    lines = [f"Parked     {reason}", f"Stands     {_standing(state, number, options)}", ""]
    lines += winner_material(state, parts, number)
    asked = "Accept this change?" if ACCEPT in options else "What becomes of this change?"
    return Question(proposal_question(number), f"{name} won and waits for you", "\n".join(lines), asked, options)


def _standing(state: RunState, number: int, options: tuple[str, ...]) -> str:
    """What a yes would do."""
    if is_fresh(state, number):
        runs = 2 * len(state.report_cases) * report_runs(state)
        again = f"; the gain over the original is then measured anew, {runs} runs at most" if state.stopped else ""
        return f"it was measured against the text as it is now: a yes commits it{again}"
    kept = state.experiments[state.best_number].name
    if len(options) > 2:
        return f"{kept} was kept since: a yes repeats the change on that text and measures it as a new experiment"
    return f"{kept} was kept since, and this run can measure nothing more: only a new run could try it again"


def carried_over(state: RunState, number: int) -> tuple[dict[str, str], list[Refusal]]:
    """An earlier change made once more on the current best text: the changed files, or why it does not fit."""
    experiment = state.experiments[number]
    assert experiment.text_digest is not None
    base, theirs = state.texts[experiment.started.base_digest], state.texts[experiment.text_digest]
    texts: dict[str, str] = {}
    for path, ours in state.best_texts.items():
        if base[path] == theirs[path]:
            continue
        merged = repeated(base[path], theirs[path], ours)
        if merged is None:
            message = f"{path}: what {experiment.name} changes was changed since; to have it, make it by hand"
            return {}, [Refusal("conflict", message)]
        if merged != ours:
            texts[path] = merged
    return texts, []


def repeated(base: str, theirs: str, ours: str) -> str | None:
    """The lines that differ between `base` and `theirs` changed in `ours` as well; None where they stand no more.

    Every other byte of `ours` stays.
    """
    old, new, now = lines_of(base), lines_of(theirs), lines_of(ours)
    same = SequenceMatcher(None, old, now, autojunk=False).get_matching_blocks()
    place = {block.a + step: block.b + step for block in same for step in range(block.size)}
    place[len(old)] = len(now)
    done, at = [], 0
    for tag, first, last, new_first, new_last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        spots = [place.get(line) for line in range(first, last)]
        start = place.get(first) if first < last or first == len(old) else _insertion(place, first)
        if start is None or start < at or spots != list(range(start, start + last - first)):
            return None
        done += [*now[at:start], *new[new_first:new_last]]
        at = start + last - first
    return "".join([*done, *now[at:]])


def _insertion(place: dict[int, int], line: int) -> int | None:
    """Where lines go that are to stand before this line of the base: there, or behind the line above it."""
    if line in place:
        return place[line]
    return place[line - 1] + 1 if line - 1 in place else None
