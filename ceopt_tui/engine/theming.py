"""Failing selection cases of the current text go to the theme maker; what comes back is a record."""

from __future__ import annotations

from ceopt_tui.core.plan.actions import GroupThemes
from ceopt_tui.core.themes import known_themes
from ceopt_tui.engine.ideas import selection_cases
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.recorder import Recorder
from schemas.judging_records import ThemesGrouped


async def group_themes(recorder: Recorder, inputs: RunInputs, parts: Parts, action: GroupThemes) -> None:
    """Groups by what the judge says would have to change. Held-out cases have no way in."""
    assert parts.judging is not None
    state = recorder.state
    cases = selection_cases(state, inputs, parts.terms)
    failing = [case for case in cases if case.pass_rate is not None and case.pass_rate < 1]
    previous = known_themes(state.judging.groupings, state.judging.edits)
    made = await parts.judging.themes.group(failing, previous)
    await recorder.commit(
        ThemesGrouped(
            text_digest=state.reference.text_digest,
            generation=action.generation,
            themes=made.themes,
            unexplained=made.unexplained,
            method=made.method,
            calls=made.calls,
        )
    )
