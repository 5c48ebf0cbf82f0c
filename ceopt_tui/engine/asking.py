"""Puts a question on record, asks it, and puts the answer on record. Unattended the run parks with the question."""

from __future__ import annotations

from typing import Literal

from ceopt_tui.core.plan.actions import Ask
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.questions import PROCEED, baseline_question, keep_question, spec_question
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.errors import NeedsPersonError
from schemas.records import Answered, Approved, Asked, Declined


async def ask(recorder: Recorder, inputs: RunInputs, parts: Parts, action: Ask) -> None:
    """Asks and records. NeedsPersonError when nobody is there or the person wants to change something first."""
    state = recorder.state
    question = _question(state, inputs, parts, action)
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
    answer = await parts.asker.ask(question)
    if action.what == "keep":
        await recorder.commit(Answered(question_id=question.id, answer=answer, by="person"))
        return
    if answer != PROCEED:
        await recorder.commit(Declined(what=action.what, answer=answer, by="person"))
        raise NeedsPersonError(f"you chose: {answer}", "Nothing more was run. Start the run again when it is ready.")
    # A baseline that was approved once stays approved when only caps or stop rules changed under it.
    again = action.what == "spec" and state.baseline is not None and "baseline" in state.approvals
    approved: tuple[Literal["spec", "baseline"], ...] = ("spec", "baseline") if again else (action.what,)
    digest, caps = parts.terms.approval_digest, parts.terms.caps
    await recorder.commit(*(Approved(what=what, digest=digest, caps=caps, by="person") for what in approved))


def _question(state: RunState, inputs: RunInputs, parts: Parts, action: Ask) -> Question:
    if action.what == "spec":
        return spec_question(state, inputs, parts)
    if action.what == "baseline":
        return baseline_question(state, inputs, parts)
    assert action.number is not None
    return keep_question(state, parts, action.number)
