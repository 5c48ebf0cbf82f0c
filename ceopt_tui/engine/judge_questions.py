"""What a person is asked about the judge, in everyday words. No question but the last shows a score of the judge."""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.core.figures import change, counted
from ceopt_tui.core.plan.calibrating import CHANGE_RUBRIC, GO_ON, NOT_NOW, SCORE_MORE, SCORE_NOW, THROW_AWAY
from ceopt_tui.core.plan.shift import LONGER, differences, length_ratio, theme_cases
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import trust_of
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.judging import SCORE_BLIND, blind_question, blind_sheet
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import on_theme_and_rest
from ceopt_tui.core.trust.blind import people_sentence

GO_ON_WITHOUT, ADD_FIRST = "go on without", "add them first"


def exemplars_question(terms: Terms) -> Question:
    """Before the probes: outputs known to be good or bad that the project does not have."""
    assert terms.judge is not None
    message = "\n".join(
        [
            "A judge that cannot tell good outputs from bad ones is found out before anything is paid for,",
            "if there are some of each to try it on. Missing here:",
            "",
            *(f"- {text}" for text in terms.judge.lacking),
            "",
            "Write them into the spec under metric.judge.exemplars: {good: [...], bad: [...]}; two of each are enough.",
        ]
    )
    return Question(
        "exemplars", "Nothing to try the judge on", message, "Go on without them?", (GO_ON_WITHOUT, ADD_FIRST)
    )


def calibrate_question() -> Question:
    """Offered once, when the baseline is judged and before anybody has seen a score."""
    message = (
        "The baseline is judged. Before you see any of its scores: score about ten outputs yourself, and ceopt tells "
        "you whether this judge ranks them as you do. Everything after this rests on it."
    )
    return Question(
        "calibrate", "Compare the judge with your own taste?", message, "Score some outputs now?", (NOT_NOW, SCORE_NOW)
    )


def calibrated_question(state: RunState, terms: Terms, number: int, kept_in: Path | None = None) -> Question:
    """What a sheet of a person's scores says of the judge."""
    assert terms.judge is not None
    trust = trust_of(state, terms.judge)
    kept = [f"Your scores are kept in {kept_in.name} and hold for later runs of this rubric."] if kept_in else []
    told = trust.agreement is not None and trust.kind not in {"too_few", "waived"}
    if not told:  # figures on a few outputs say nothing, and would tell how the judge scores
        options = (GO_ON, *((SCORE_MORE,) if _more_outputs(state) else ()), CHANGE_RUBRIC, THROW_AWAY)
        message = "\n".join([trust.sentence, *kept])
        return Question(f"calibrated-{number}", "You and the judge", message, "What now?", options)
    lines = [*trust.lines, *kept, *(("", "Where you and the judge are furthest apart:") if trust.disagreements else ())]
    more = (SCORE_MORE,) if _more_outputs(state) else ()
    options = (GO_ON, *more, CHANGE_RUBRIC, THROW_AWAY)
    return Question(f"calibrated-{number}", "You and the judge", "\n".join(lines), "What now?", options, trust.pairs)


def _more_outputs(state: RunState) -> bool:
    seen = {place for marks in state.judging.sheets.values() for place in marks}
    known = {(place[1], state.judging.outputs[place]) for place in seen if place in state.judging.outputs}
    base = state.original_digest
    return any(
        place[0] == base and not state.held_out(place[1]) and (place[1], output) not in known
        for place, output in state.judging.outputs.items()
    )


def judge_lines(state: RunState, terms: Terms) -> list[str]:
    """What a person should know of the judge before a baseline is approved."""
    if terms.judge is None:
        return []
    flips, again = state.judging.flips
    steady = f"asked twice about {counted(again, 'output')}, it gave another score to {flips}" if again else ""
    lines = [f"Judge      {terms.judge.model}; {trust_of(state, terms.judge).sentence}"]
    if steady:
        lines.append(f"           {steady}")
    lines += [f"           {sentence}" for sentence in kin_sentence(state)]
    if state.judging.ambiguous:
        lines.append(f"           the rubric left {counted(state.judging.ambiguous, 'output')} open (marked ambiguous)")
    return lines


def kin_sentence(state: RunState) -> list[str]:
    """A judge that is a rewriter's or the task model's own kind is said once."""
    judge = state.models.get("judge")
    if judge is None or not judge.kin:
        return []
    return [f"it is of one family with the {' and the '.join(judge.kin)} model: it may favour its own kind"]


def winner_lines(state: RunState, terms: Terms, number: int) -> list[str]:
    """A winner as the judge and, where they scored it, people see it; what speaks for caution is named."""
    experiment = state.experiments[number]
    lines = blind_lines(state, terms, number)
    on_theme, on_rest = on_theme_and_rest(theme_cases(state, experiment), differences(state, terms, experiment))
    if on_theme is not None and on_rest is not None:
        lines.append(
            f"On the cases of its theme {change(on_theme, terms.span)}, on the rest {change(on_rest, terms.span)}."
        )
    ratio = length_ratio(state, experiment)
    if ratio is not None and ratio > LONGER:
        lines.append(f"Its outputs are {ratio:.1f} times as long: judges tend to like length for its own sake.")
    return lines


def blind_lines(state: RunState, terms: Terms, number: int) -> list[str]:
    """What a person's own blind scores said about a winner."""
    found = state.judging.people.get(number)
    sheet = state.judging.closed_sheets.get(blind_sheet(number))
    if found is None and sheet is not None and sheet.outcome != "discarded":
        return ["Too few outputs of both texts were scored to say anything; what follows is the judge's word."]
    figures, confirms = (found.figures, found.confirms) if found else (None, None)
    return [people_sentence(figures, confirms, terms.span, shorter=state.experiments[number].shortens)]


def blind_offer(state: RunState, number: int) -> Question:
    """Before a person sees by how much a winner won: the chance to score old and new text without knowing which."""
    name = state.experiments[number].name
    message = (
        f"{name} won on cases nobody tuned on, by the judge's word. Before you see by how much: score outputs of the "
        "old and the new text yourself, mixed and unmarked. Ten cases of yours let the keep rest on your scores too."
    )
    options = (NOT_NOW, SCORE_BLIND)
    return Question(
        blind_question(number), f"{name}: would you score it blind?", message, "Score some outputs?", options
    )
