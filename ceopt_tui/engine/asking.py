"""Puts a question on record, asks it, and puts the answer on record. Unattended the run parks with the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ceopt_tui.core.plan.actions import Ask
from ceopt_tui.core.plan.calibrating import CHANGE_RUBRIC, THROW_AWAY
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.approval_changes import changes_since_approval
from ceopt_tui.engine.command.questions import command_question
from ceopt_tui.engine.judge_questions import (
    ADD_FIRST,
    blind_offer,
    calibrate_question,
    calibrated_question,
    exemplars_question,
)
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.proposals import question_on_proposal
from ceopt_tui.engine.questions import PROCEED, baseline_question, keep_question, spec_question
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.engine.scoring import keep_labels
from ceopt_tui.engine.wrapping_up import choose, dependencies_decided, dependency_question, wrap_up_question
from ceopt_tui.errors import NeedsPersonError
from schemas.judging_records import SheetClosed
from schemas.records import Answered, Approved, Asked, Declined

Approval = Literal["spec", "baseline"]
CHANGED = "The spec or its caps are not as you approved them"


async def ask(recorder: Recorder, inputs: RunInputs, parts: Parts, action: Ask) -> None:
    """Asks and records. NeedsPersonError when nobody is there or the person wants to change something first."""
    state = recorder.state
    question = _question(state, inputs, parts, action)
    if action.what in {"spec", "baseline"} and (changes := changes_since_approval(state, inputs, parts)):
        question = replace(question, title=CHANGED, message="\n".join((*_told(changes), "", question.message)))
    if state.asked is None or state.asked.message != question.message:
        await recorder.commit(
            Asked(
                question_id=question.id,
                title=question.title,
                message=question.message,
                question=question.question,
                options=question.options,
            )
        )
    if action.what == "calibrated":
        keep_labels(state, parts)  # again where a kill came between the sheet and its file
    answer = await parts.asker.ask(question)
    if action.what == "calibrated" and answer == THROW_AWAY:
        await recorder.commit(_discarded(state, action.number))
        keep_labels(state, parts)
    if action.what in {"dependencies", "dependencies_again"}:
        await recorder.commit(*dependencies_decided(state, question, answer))
        return
    if action.what == "wrap_up":
        await recorder.commit(*await choose(state, parts, answer))
        return
    if action.what not in {"spec", "baseline"} and answer not in {ADD_FIRST, CHANGE_RUBRIC}:
        await recorder.commit(Answered(question_id=question.id, answer=answer, by="person"))
        return
    if answer != PROCEED:
        await recorder.commit(Declined(what=action.what, answer=answer, by="person"))
        raise NeedsPersonError(f"you chose: {answer}", "Nothing more was run. Start the run again when it is ready.")
    # A baseline that was approved once stays approved when only caps or stop rules changed under it.
    again = action.what == "spec" and state.baseline is not None and "baseline" in state.approvals
    approved: tuple[Approval, ...] = ("spec", "baseline") if again else (_approval(action.what),)
    digest, caps = parts.terms.approval_digest, parts.terms.caps
    await recorder.commit(*(Approved(what=what, digest=digest, caps=caps, by="person") for what in approved))


def _told(changes: Sequence[str]) -> list[str]:
    return [f"{'' if place else 'Changed':<11}{change}" for place, change in enumerate(changes)]


def _approval(what: str) -> Approval:
    return "spec" if what == "spec" else "baseline"


def _discarded(state: RunState, number: int | None) -> SheetClosed:
    """Scores that were given to try it out count for nothing."""
    return state.judging.closed_sheets[f"calibration-{number}"].model_copy(update={"outcome": "discarded"})


def _question(state: RunState, inputs: RunInputs, parts: Parts, action: Ask) -> Question:
    if parts.command and (question := command_question(state, inputs, parts, action)):
        return question
    if action.what == "spec":
        return spec_question(state, inputs, parts)
    if action.what == "baseline":
        return baseline_question(state, inputs, parts)
    if action.what == "exemplars":
        return exemplars_question(parts.terms)
    if action.what == "calibrate":
        return calibrate_question()
    if action.what in {"dependencies", "dependencies_again"}:
        return dependency_question(state, again=action.what == "dependencies_again")
    if action.what == "wrap_up":
        return wrap_up_question(state, parts)
    assert action.number is not None
    if action.what == "proposal":
        return question_on_proposal(state, parts, action.number)
    if action.what == "blind":
        return blind_offer(state, action.number)
    if action.what == "calibrated":
        return calibrated_question(state, parts.terms, action.number, parts.labels_file)
    return keep_question(state, parts, action.number)
